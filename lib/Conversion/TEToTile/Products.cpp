//===- Products.cpp - small builders of products --------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Conversion/TEToTile/Products.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

Value te::emitWideLoad(TileContext &ctx, Value view, Value row, Value col,
                       ArrayRef<int64_t> shape) {
  Type element = llvm::cast<MemRefType>(view.getType()).getElementType();
  const Target &target = ctx.target;
  int64_t waves = ctx.schedule.getWaves(), lanes = waves * target.waveSize,
          widest = target.maxAccessBytes * 8 / element.getIntOrFloatBitWidth(),
          vector = std::clamp<int64_t>(shape[0] * shape[1] / lanes, 1, widest);
  return ctx.load(view, row, col, element,
                  LinearLayout::rowMajor(shape, std::min(vector, shape[1]),
                                         llvm::Log2_32(target.waveSize),
                                         llvm::Log2_64(waves)));
}

Value te::emitOperand(TileContext &ctx, Value tile, MMASide side) {
  MatmulAttr matmul = ctx.schedule.getMatmul();
  auto type = cast<RankedTensorType>(tile.getType());
  return ctx.convert(
      tile, getMMAOperandLayout(*MMA::lookup(matmul.getMma()),
                                *getMMAFormat(type.getElementType()), side,
                                type.getDimSize(0), type.getDimSize(1),
                                {matmul.getWaves()[0], matmul.getWaves()[1]}));
}

Value te::emitProduct(TileContext &ctx, Value a, Value b, Value sum) {
  auto mma = MMAAttr::get(sum.getContext(), ctx.schedule.getMatmul().getMma());
  return MmaOp::create(ctx.b, sum.getType(), a, b, sum, /*scale_a=*/Value(),
                       /*scale_b=*/Value(), mma, /*in_order=*/false,
                       /*scale_slice=*/0, /*reads=*/0, /*ahead=*/0);
}
