//===- TileBounds.cpp - tiles at the ends of their tensors ----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TileContext's knowledge of what lies inside of a tensor, and its zeros
// outside.
//
//===----------------------------------------------------------------------===//

#include "te/Conversion/TEToTile/TileContext.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

/// Whether this code's every tile at [row, col] lies inside the view along
/// rows, and along columns: it is at one of the workgroup's own offsets (of
/// scales, in blocks), and the extent is whole tiles.
std::pair<bool, bool> TileContext::isInBounds(Value row, Value col, Value view,
                                              Type tile) const {
  auto extents = llvm::cast<MemRefType>(view.getType()).getShape();
  auto sizes = llvm::cast<ShapedType>(tile).getShape();
  auto inside = [&](Value offset, int64_t extent, int64_t size) {
    if (ShapedType::isDynamic(extent))
      return false;
    if (matchPattern(offset, m_Zero()))
      return size <= extent;
    int64_t block = 1;
    if (auto divided = offset.getDefiningOp<arith::DivUIOp>())
      if (auto by = getConstantIntValue(divided.getRhs())) {
        offset = divided.getLhs();
        block = *by;
      }
    auto covers = [&](int64_t length, unsigned dim) {
      return extent * block >= length &&
             size * block == schedule.getTile()[dim];
    };
    if (offset == tileRow)
      return wholeRows && covers(staticRows, 0);
    return offset == tileCol && wholeCols && covers(staticCols, 1);
  };
  // The number of rows may not be known; the workgroup's are among them.
  auto cast = view.getDefiningOp<memref::ReinterpretCastOp>();
  bool isTile = wholeRows && row == tileRow &&
                sizes[0] == schedule.getTile()[0] && cast &&
                cast.getMixedSizes()[0] == OpFoldResult(rows);
  return {isTile || inside(row, extents[0], sizes[0]),
          inside(col, extents[1], sizes[1])};
}

void TileContext::setFirstRow(Value lastRows) {
  auto shape = llvm::cast<ShapedType>(lastRows.getType()).getShape();
  if (ShapedType::isDynamic(staticRows) || ShapedType::isDynamicShape(shape))
    return;
  int64_t count = llvm::product_of(shape.drop_front().drop_back());
  if (count == staticRows)
    return;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  tileRow = arith::SubIOp::create(b, tileRow, constant(staticRows - count));
  rows = constant(count);
  staticRows = count;
}

void TileContext::setInBounds(Value tile, bool rows, bool cols) {
  auto load = tile.getDefiningOp<LoadOp>();
  load.setInBounds(rows && cols);
  load.setColumnsInBounds(cols);
}

Value TileContext::isBefore(const LinearLayout &layout, unsigned dim,
                            Value offset, Value extent) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  // An element's place is that of its row or column.
  SmallVector<int64_t> block(layout.getShape());
  block[dim] = 1;
  LinearLayout line = layout.project(block);
  Type i32 = getTileType(b.getI32Type(), b.getContext(), line);
  Value left = arith::SubIOp::create(b, extent, offset);
  left = arith::MaxSIOp::create(b, left, constant(0));
  left = arith::MinSIOp::create(b, left, constant(layout.getShape()[dim]));
  left = arith::IndexCastOp::create(b, b.getI32Type(), left);
  Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                       CoordinateOp::create(b, i32, dim),
                                       splat(left, i32));
  return broadcast(inside, layout);
}

Value TileContext::isInside(const LinearLayout &layout, Value row, Value col,
                            Value rows, Value cols) {
  auto along = [&](unsigned dim) {
    return isBefore(layout, dim, dim == 0 ? row : col, dim == 0 ? rows : cols);
  };
  if (col == tileCol && cols == this->cols && wholeCols)
    return along(0);
  if (row == tileRow && rows == this->rows && wholeRows)
    return along(1);
  return arith::AndIOp::create(b, along(0), along(1));
}

Value TileContext::padWithZeros(Value tile) {
  if (wholeRows && wholeCols)
    return tile;
  Value inside =
      isInside(getLayout(tile.getType()), tileRow, tileCol, rows, cols);
  return arith::SelectOp::create(b, inside, tile,
                                 constant(tile.getType(), 0.0));
}

/// True for a tile that is zero outside of the tensor: it was loaded, in this
/// sweep or an earlier one, or is a sum or product of such.
static bool isZeroOutside(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (isa_and_present<SelectOp, arith::AddFOp, arith::SubFOp, arith::MulFOp,
                      arith::ExtFOp, arith::TruncFOp, TransposeOp>(op))
    return llvm::all_of(op->getOperands(), [](Value operand) {
      return !isTile(operand.getType()) || isZeroOutside(operand);
    });
  return isa_and_present<LoadOp>(op);
}

Value TileContext::getZeroPaddedTile(Value tensor) {
  Value tile = getTile(tensor);
  return isZeroOutside(tile) ? tile : padWithZeros(tile);
}

Value TileContext::getColumnPaddedTile(Value tensor) {
  return wholeCols ? getTile(tensor) : getZeroPaddedTile(tensor);
}
