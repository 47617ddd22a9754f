//===- TileArithmetic.cpp - small builders of tile code -------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TileContext's builders of constants, casts, reductions and changes of layout.
//
//===----------------------------------------------------------------------===//

#include "te/Conversion/TEToTile/TileContext.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

Type te::withElementType(Type tileType, Type elementType) {
  if (auto tile = llvm::dyn_cast<RankedTensorType>(tileType))
    return tile.clone(elementType);
  return elementType;
}

Value TileContext::constant(Type tileType, double value) {
  TypedAttr one = b.getFloatAttr(getElementTypeOrSelf(tileType), value);
  auto type = llvm::dyn_cast<RankedTensorType>(tileType);
  return arith::ConstantOp::create(b, type ? DenseElementsAttr::get(type, one)
                                           : one);
}

Value TileContext::constant(TypedAttr value, const tile::LinearLayout &layout) {
  auto type = tile::getTileType(value.getType(), b.getContext(), layout);
  return arith::ConstantOp::create(
      b, SplatElementsAttr::get(type, cast<Attribute>(value)));
}

Value TileContext::intConstant(Type tileType, int64_t value) {
  TypedAttr one = b.getIntegerAttr(getElementTypeOrSelf(tileType), value);
  auto type = llvm::dyn_cast<RankedTensorType>(tileType);
  return arith::ConstantOp::create(b, type ? DenseElementsAttr::get(type, one)
                                           : one);
}

Value TileContext::splat(Value scalar, Type tileType) {
  return tensor::SplatOp::create(b, withElementType(tileType, scalar.getType()),
                                 scalar);
}

Value TileContext::toF32(Value tile) {
  if (getElementTypeOrSelf(tile.getType()).isF32())
    return tile;
  return arith::ExtFOp::create(
      b, withElementType(tile.getType(), b.getF32Type()), tile);
}

Value TileContext::round(Value tile, Type elementType) {
  if (getElementTypeOrSelf(tile) == elementType)
    return tile;
  return arith::TruncFOp::create(
      b, withElementType(tile.getType(), elementType), tile);
}

Value TileContext::cast(Value tile, Type elementType) {
  return arith::BitcastOp::create(
      b, withElementType(tile.getType(), elementType), tile);
}

Value TileContext::reduce(ReduceKind kind, Value tile,
                          ArrayRef<int64_t> block) {
  Type type = getTileType(getElementTypeOrSelf(tile.getType()), b.getContext(),
                          getLayout(tile.getType()).project(block));
  return ReduceOp::create(b, type, kind, tile, b.getDenseI64ArrayAttr(block));
}

Value TileContext::reduceSpread(ReduceKind kind, Value tile,
                                ArrayRef<int64_t> block) {
  LinearLayout layout = getLayout(tile.getType()),
               blocks = layout.project(block);
  if (layout.getWavesOfBlock(block) && blocks.getNumRegisters() > 1)
    blocks = LinearLayout::rowMajor(blocks.getShape(), /*vector=*/1,
                                    llvm::Log2_32(target.waveSize),
                                    llvm::Log2_64(schedule.getWaves()));
  Type type =
      getTileType(getElementTypeOrSelf(tile.getType()), b.getContext(), blocks);
  return ReduceOp::create(b, type, kind, tile, b.getDenseI64ArrayAttr(block));
}

Value TileContext::reduceAmax(Value tile, ArrayRef<int64_t> block) {
  // A maximum rounds nothing: it is the same in any format.
  bool isPacked =
      target.hasPackedBF16 && getElementTypeOrSelf(tile.getType()).isBF16();
  if (!isPacked)
    tile = toF32(tile);
  Value amax =
      reduceSpread(ReduceKind::MaxNum, math::AbsFOp::create(b, tile), block);
  // Where a whole block is NaN, its amax is 0 (fmax from 0).
  return arith::MaxNumFOp::create(b, amax, constant(amax.getType(), 0.0));
}

Value TileContext::broadcast(Value tile, const LinearLayout &layout) {
  Type type =
      getTileType(getElementTypeOrSelf(tile.getType()), b.getContext(), layout);
  return BroadcastOp::create(b, type, tile);
}

Value TileContext::transpose(Value tile) {
  Type type = getTileType(getElementTypeOrSelf(tile.getType()), b.getContext(),
                          getLayout(tile.getType()).transpose());
  return TransposeOp::create(b, type, tile);
}

Value TileContext::convert(Value tile, const LinearLayout &layout) {
  Type type =
      getTileType(getElementTypeOrSelf(tile.getType()), b.getContext(), layout);
  return b.createOrFold<ConvertLayoutOp>(type, tile);
}
