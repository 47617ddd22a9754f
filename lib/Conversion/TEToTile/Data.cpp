//===- Data.cpp - quantized elements on tiles -----------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Data.h"
#include "FP4.h"
#include "Scales.h"

#include "te/Conversion/Names.h"
#include "te/Region/StorageOrder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

Value te::emitScaled(TileContext &ctx, Value x, Value factor) {
  auto product = arith::MulFOp::create(ctx.b, ctx.toF32(x), factor);
  product->setAttr(kKeepsSignAttrName, ctx.b.getUnitAttr());
  return product;
}

/// min(max(x, -limit), limit), NaN kept: the conversion's overflow behaviour
/// depends on a mode bit, so the compiler clamps (docs/spec.md).
static Value emitClamp(TileContext &ctx, Value x, double limit) {
  auto &b = ctx.b;
  Value low = arith::MaxNumFOp::create(b, x, ctx.constant(x.getType(), -limit));
  Value both =
      arith::MinNumFOp::create(b, low, ctx.constant(x.getType(), limit));
  Value nan = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
  return arith::SelectOp::create(b, nan, x, both);
}

Value te::emitSaturatingCast(TileContext &ctx, Value x, Type elementType) {
  Value clamped = emitClamp(ctx, x, getLargest(elementType));
  return arith::TruncFOp::create(
      ctx.b, withElementType(x.getType(), elementType), clamped);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

namespace {
/// A value's data as a matrix of bytes (fp4: of packed ones) in the storage's
/// order, and this workgroup's place in it.
struct DataView {
  Value view, row, col;
  LayoutAttr order;
};
} // namespace

static DataView emitDataView(TileContext &ctx, ScaledType type, Value buffer) {
  auto &b = ctx.b;
  Value rows = ctx.rows, cols = ctx.cols, row = ctx.tileRow, col = ctx.tileCol;
  if (type.getScaling().isTransposed()) {
    std::swap(rows, cols);
    std::swap(row, col);
  }
  if (type.isFP4()) {
    Value one = arith::ConstantIndexOp::create(b, 1);
    cols = b.createOrFold<arith::ShRUIOp>(
        b.createOrFold<arith::AddIOp>(cols, one), one);
    col = b.createOrFold<arith::ShRUIOp>(col, one);
  }
  LayoutAttr order = getOrderAttr(type.getContext(), getDataOrder(type));
  return {ctx.viewMatrix(buffer, rows, cols, order), row, col, order};
}

/// Stores bytes (of fp4: packed ones) that are in the storage's orientation.
static void storeBytes(TileContext &ctx, ScaledType type, Value data,
                       Value buffer) {
  DataView target = emitDataView(ctx, type, buffer);
  LinearLayout layout = getLayout(data.getType());
  if (target.order)
    layout = ctx.getStoreLayout(layout.getShape(), 8, target.order);
  else
    layout = layout.widen(type.isFP4() ? ctx.target.fp4StoreBytes
                                       : ctx.target.maxAccessBytes);
  data = ctx.convert(data, layout);
  ctx.store(data, target.view, target.row, target.col, /*divisible=*/1,
            target.order);
}

void te::storeData(TileContext &ctx, ScaledType type, Value data,
                   Value buffer) {
  bool isTransposed = type.getScaling().isTransposed();
  if (isTransposed)
    data = ctx.transpose(data);
  if (isTransposed || ctx.isTransposed) {
    LinearLayout layout = ctx.getStoreLayout(
        getLayout(data.getType()).getShape(), type.getElementTypeBitWidth());
    data =
        type.isFP4() ? packFP4In(ctx, data, layout) : ctx.convert(data, layout);
  }
  storeBytes(ctx, type, data, buffer);
}

LinearLayout te::getStoredLayout(TileContext &ctx, ScaledType type) {
  if (!type.getScaling().isTransposed())
    return ctx.getLoadLayout();
  return ctx.getTransposedLayout(type.getElementTypeBitWidth());
}

Value te::loadBytes(TileContext &ctx, ScaledType type, Value buffer) {
  DataView source = emitDataView(ctx, type, buffer);
  LinearLayout bytes = getStoredLayout(ctx, type);
  if (type.isFP4())
    bytes = bytes.project({1, 2});
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  // Row-major data are read as the load layout has them: lines are whole.
  LinearLayout read =
      source.order ? ctx.getStoreLayout(bytes.getShape(), 8, source.order)
                   : bytes;
  Value tile = ctx.load(source.view, source.row, source.col, element, read,
                        /*divisible=*/1, source.order);
  bool transposed = type.getScaling().isTransposed();
  ctx.setInBounds(tile, transposed ? ctx.wholeCols : ctx.wholeRows,
                  transposed ? ctx.wholeRows : ctx.wholeCols);
  return ctx.convert(tile, bytes);
}

/// Codes in the tensor's orientation (of fp4: unpacked), in the load layout.
static Value loadCodes(TileContext &ctx, ScaledType type, Value buffer) {
  Value tile = loadBytes(ctx, type, buffer);
  if (type.isFP4())
    tile = unpackFP4(ctx, tile, getStoredLayout(ctx, type));
  return type.getScaling().isTransposed()
             ? ctx.convert(ctx.transpose(tile), ctx.getLoadLayout())
             : tile;
}

Value te::loadData(TileContext &ctx, ScaledType type, Value buffer) {
  Value codes = loadCodes(ctx, type, buffer);
  return type.isFP4() ? decodeFP4(ctx, codes) : ctx.toF32(codes);
}

Value te::dropSpareNibble(TileContext &ctx, Value bytes, Value at,
                          Value length) {
  auto &b = ctx.b;
  Value one = arith::ConstantIndexOp::create(b, 1);
  auto half = [&](Value elements) {
    return b.createOrFold<arith::ShRUIOp>(elements, one);
  };
  // Bytes after the last are zeros, as all that is loaded outside of a tensor.
  Value isWhole = ctx.isBefore(getLayout(bytes.getType()), /*dim=*/1, half(at),
                               half(length));
  Value low =
      arith::AndIOp::create(b, bytes, ctx.intConstant(bytes.getType(), 0xF));
  return arith::SelectOp::create(b, isWhole, bytes, low);
}

void te::moveData(TileContext &ctx, ScaledType from, Value source,
                  ScaledType to, Value target) {
  bool transposed = to.getScaling().isTransposed();
  if (from.getScaling().isTransposed() == transposed) {
    Value bytes = loadBytes(ctx, from, source);
    int64_t length = transposed ? ctx.staticRows : ctx.staticCols;
    if (from.isFP4() && (ShapedType::isDynamic(length) || length % 2 != 0))
      bytes =
          dropSpareNibble(ctx, bytes, transposed ? ctx.tileRow : ctx.tileCol,
                          transposed ? ctx.rows : ctx.cols);
    return storeBytes(ctx, to, bytes, target);
  }
  Value codes = loadCodes(ctx, from, source);
  storeData(ctx, to, to.isFP4() && !transposed ? packFP4(ctx, codes) : codes,
            target);
}
