//===- Toy.cpp - a triangular product -------------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %c = toy.tril_product %a, %b : ..
// ==>
//   %sum = scf.for %i = .. iter_args(%acc = 0) {
//     %p = tile.load %a[..]; %q = tile.load %b[..]
//     tile.mma %p, %q, %acc
//   }
//
// The loop ends at the diagonal of the tile's last row. Steps that meet the
// diagonal have a loop of their own, which masks A.
//
//===----------------------------------------------------------------------===//

#include "Toy.h"

#include "te/Conversion/TEToTile/Products.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;
using namespace mlir::te::toy;

#include "Toy/ToyDialect.cpp.inc"
#define GET_OP_CLASSES
#include "Toy/ToyOps.cpp.inc"

void ToyDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Toy/ToyOps.cpp.inc"
      >();
}

LogicalResult TrilProductOp::verify() {
  ArrayRef<int64_t> a = getA().getType().getShape(),
                    b = getB().getType().getShape(),
                    c = getResult().getType().getShape();
  for (auto [what, found, expected] : {std::tuple("columns of a", a[1], a[0]),
                                       {"rows of b", b[0], a[0]},
                                       {"rows of the result", c[0], a[0]},
                                       {"columns of the result", c[1], b[1]}})
    if (failed(verifyCompatibleShape(found, expected)))
      return emitOpError() << "T1: there are " << found << " " << what
                           << ", but a is M x M, b M x N and the result M x N; "
                              "make them "
                           << expected;
  return success();
}

/// A tile of A that begins in column `k`, with 0 above the diagonal.
static Value emitTril(TileContext &ctx, Value tile, Value k) {
  auto &b = ctx.b;
  Type i32 = withElementType(tile.getType(), b.getI32Type());
  Value ahead = arith::IndexCastOp::create(
      b, b.getI32Type(), arith::SubIOp::create(b, ctx.tileRow, k));
  Value last = arith::AddIOp::create(b, CoordinateOp::create(b, i32, 0),
                                     ctx.splat(ahead, i32));
  Value isBelow = arith::CmpIOp::create(b, arith::CmpIPredicate::sle,
                                        CoordinateOp::create(b, i32, 1), last);
  return arith::SelectOp::create(b, isBelow, tile,
                                 ctx.constant(tile.getType(), 0.0));
}

LogicalResult TrilProductOp::lowerToTile(TileContext &ctx) {
  auto &b = ctx.b;
  int64_t rows = ctx.schedule.getTile()[0], cols = ctx.schedule.getTile()[1],
          step = ctx.schedule.getMatmul().getK();
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value viewA = ctx.viewMatrix(ctx.getBuffers(getA()).data, ctx.rows, ctx.rows),
        viewB = ctx.viewMatrix(ctx.getBuffers(getB()).data, ctx.rows, ctx.cols);
  bool isWhole = ctx.wholeRows && ctx.staticRows % step == 0;
  auto emitStep = [&](Value k, bool isMasked, Value sum) -> Value {
    Value left = emitWideLoad(ctx, viewA, ctx.tileRow, k, {rows, step});
    ctx.setInBounds(left, isWhole, isWhole);
    if (isMasked)
      left = emitTril(ctx, left, k);
    Value right =
        ctx.transpose(emitWideLoad(ctx, viewB, k, ctx.tileCol, {step, cols}));
    return emitProduct(ctx, emitOperand(ctx, left, MMASide::A),
                       emitOperand(ctx, right, MMASide::B), sum);
  };
  // Tiles and steps are powers of two: those in front of the diagonal are
  // whole.
  Value whole = b.createOrFold<arith::DivUIOp>(ctx.tileRow, index(step));
  Value sum = ctx.constant(
      getTileType(b.getF32Type(), getContext(), ctx.getLoadLayout()), 0.0);
  for (bool isMasked : {false, true}) {
    Value first = isMasked ? whole : index(0),
          count = isMasked ? index(llvm::divideCeil(rows, step)) : whole;
    auto loop = ctx.loop(count, sum, [&](Value i, ValueRange carried) {
      Value k = b.createOrFold<arith::MulIOp>(
          b.createOrFold<arith::AddIOp>(first, i), index(step));
      return SmallVector<Value>{emitStep(k, isMasked, carried[0])};
    });
    ctx.markStaged(loop, /*isLong=*/!isMasked);
    sum = loop.getResult(0);
  }
  ctx.define(getResult(),
             ctx.round(sum, getResult().getType().getElementType()));
  return success();
}
