//===- RowSplits.cpp - rows that several workgroups share -----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowSplits.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

void RowSplits::begin(Value split, ValueRange buffers) {
  this->split = split;
  this->buffers.assign(buffers.begin(), buffers.end());
  nextSlot = 0;
}

void RowSplits::postpone(unsigned number) {
  places.resize(std::max<size_t>(places.size(), number + 1));
}

bool RowSplits::end() {
  slots.push_back(nextSlot);
  return llvm::all_of(places, [](const auto &place) { return bool(place); });
}

RankedTensorType RowSplits::getPartialType(MLIRContext *context,
                                           int64_t rows) const {
  return RankedTensorType::get({slots.back(), rows, count},
                               Float32Type::get(context));
}

std::pair<Value, Value> RowSplits::getChunks(TileContext &ctx,
                                             Value chunks) const {
  auto &b = ctx.b;
  Value each = arith::ConstantIndexOp::create(b, chunksEach);
  Value from =
      arith::MinUIOp::create(b, arith::MulIOp::create(b, split, each), chunks);
  Value to =
      arith::MinUIOp::create(b, arith::AddIOp::create(b, from, each), chunks);
  return {from, to};
}

/// The elements of split `number` (i32, a tile or scalar): f32.
static Value emitSize(TileContext &ctx, Value number, int64_t each) {
  auto &b = ctx.b;
  Type i32 = number.getType();
  Value left = arith::SubIOp::create(
      b, ctx.intConstant(i32, ctx.staticCols),
      arith::MulIOp::create(b, number, ctx.intConstant(i32, each)));
  left = arith::MaxSIOp::create(b, left, ctx.intConstant(i32, 0));
  left = arith::MinSIOp::create(b, left, ctx.intConstant(i32, each));
  return arith::SIToFPOp::create(b, withElementType(i32, b.getF32Type()), left);
}

Value RowSplits::getSize(TileContext &ctx) const {
  return emitSize(ctx,
                  arith::IndexCastOp::create(ctx.b, ctx.b.getI32Type(), split),
                  elementsEach);
}

Value RowSplits::getSizes(TileContext &ctx, Type type) const {
  Type i32 = withElementType(type, ctx.b.getI32Type());
  return emitSize(ctx, CoordinateOp::create(ctx.b, i32, /*dimension=*/1),
                  elementsEach);
}

/// Rows x splits.
Value RowSplits::viewPartial(TileContext &ctx, unsigned kernel,
                             unsigned slot) const {
  auto &b = ctx.b;
  Value offset = b.createOrFold<arith::MulIOp>(
      ctx.rows, arith::ConstantIndexOp::create(b, slot * count));
  return ctx.view(buffers[kernel], ctx.rows, b.getIndexAttr(count),
                  /*stride=*/{}, offset);
}

SmallVector<Value> RowSplits::loadPartials(TileContext &ctx, unsigned number,
                                           unsigned numPartials) const {
  auto &b = ctx.b;
  LinearLayout layout = LinearLayout::rowMajor(
      {ctx.schedule.getTile()[0], int64_t(llvm::PowerOf2Ceil(count))},
      /*vector=*/1, llvm::Log2_32(ctx.target.waveSize),
      llvm::Log2_64(ctx.schedule.getWaves()));
  Value zero = arith::ConstantIndexOp::create(b, 0);
  SmallVector<Value> tiles;
  auto [kernel, first] = *places[number];
  for (unsigned i = 0; i < numPartials; ++i)
    tiles.push_back(ctx.load(viewPartial(ctx, kernel, first + i), ctx.tileRow,
                             zero, b.getF32Type(), layout));
  return tiles;
}

void RowSplits::storePartials(TileContext &ctx, unsigned number,
                              ValueRange partials) {
  unsigned kernel = slots.size();
  postpone(number);
  places[number] = Place{kernel, nextSlot};
  llvm::SaveAndRestore stores(ctx.stores, true);
  for (Value partial : partials)
    ctx.store(partial, viewPartial(ctx, kernel, nextSlot++), ctx.tileRow,
              split);
}
