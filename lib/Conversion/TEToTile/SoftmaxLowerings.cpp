//===- SoftmaxLowerings.cpp - softmax as tile code ------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TileLoweringInterface of te.softmax and te.softmax_bwd, in f32:
//
//   %y = te.softmax %x {scale = s} : ..
// ==>
//   %z = select %seen, %x * s, -inf
//   %m = tile.reduce maxnum %z                  (0 where a row sees nothing)
//   %e = exp(%z - %m); %d = tile.reduce add %e
//   %y = %e * (%d == 0 ? 0 : 1 / %d)
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

static constexpr double kInf = std::numeric_limits<double>::infinity();

/// The keys that each row of a tile sees, i32: a tile of one column.
static Value emitCountSeen(TileContext &ctx, Value input,
                           const LinearLayout &rows) {
  auto &b = ctx.b;
  int64_t rank = cast<ShapedType>(input.getType()).getRank();
  Type i32 = getTileType(b.getI32Type(), b.getContext(), rows);
  auto splat = [&](Value index) {
    return ctx.splat(arith::IndexCastOp::create(b, b.getI32Type(), index), i32);
  };
  Value queries = ctx.getDim(input, rank - 2);
  // There is no row where there are no queries.
  Value divisor =
      arith::MaxUIOp::create(b, queries, arith::ConstantIndexOp::create(b, 1));
  Value first = arith::RemUIOp::create(b, ctx.tileRow, divisor);
  Value row =
      arith::AddIOp::create(b, CoordinateOp::create(b, i32, 0), splat(first));
  Value query = arith::RemUIOp::create(b, row, splat(divisor));
  Value more = arith::SubIOp::create(b, ctx.cols, queries);
  return arith::AddIOp::create(
      b, arith::AddIOp::create(b, query, ctx.intConstant(i32, 1)), splat(more));
}

/// i1: the elements that their rows see; null where these are all.
static Value emitSeen(TileContext &ctx, Value input, bool causal,
                      const LinearLayout &layout) {
  auto &b = ctx.b;
  Value inside;
  if (!ctx.wholeCols)
    inside = ctx.isBefore(layout, /*dim=*/1, ctx.tileCol, ctx.cols);
  if (!causal)
    return inside;
  Type i32 = getTileType(b.getI32Type(), b.getContext(), layout);
  SmallVector<int64_t> row{1, layout.getShape()[1]};
  Value count =
      ctx.broadcast(emitCountSeen(ctx, input, layout.project(row)), layout);
  Value tileCol = arith::IndexCastOp::create(b, b.getI32Type(), ctx.tileCol);
  Value column = arith::AddIOp::create(b, CoordinateOp::create(b, i32, 1),
                                       ctx.splat(tileCol, i32));
  Value seen =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, column, count);
  return inside ? arith::AndIOp::create(b, seen, inside).getResult() : seen;
}

static Value selectSeen(TileContext &ctx, Value seen, Value tile,
                        double other) {
  return seen ? arith::SelectOp::create(ctx.b, seen, tile,
                                        ctx.constant(tile.getType(), other))
                    .getResult()
              : tile;
}

static Value multiply(TileContext &ctx, Value tile, const APFloat &factor) {
  return factor.isExactlyValue(1.0)
             ? tile
             : arith::MulFOp::create(
                   ctx.b, tile,
                   ctx.constant(tile.getType(), factor.convertToDouble()));
}

Value te::emitZeroWhere(TileContext &ctx, Value tile, double value,
                        Value other) {
  auto &b = ctx.b;
  Type type = tile.getType();
  Value isValue = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, tile,
                                        ctx.constant(type, value));
  return arith::SelectOp::create(b, isValue, ctx.constant(type, 0.0), other);
}

Value te::emitInverseSum(TileContext &ctx, Value sum) {
  return emitZeroWhere(
      ctx, sum, 0.0,
      arith::DivFOp::create(ctx.b, ctx.constant(sum.getType(), 1.0), sum));
}

namespace {
struct SoftmaxLowering
    : TileLoweringInterface::ExternalModel<SoftmaxLowering, SoftmaxOp> {
  LogicalResult lowerToTile(Operation *operation, TileContext &ctx) const {
    auto op = cast<SoftmaxOp>(operation);
    auto &b = ctx.b;
    Value x = ctx.toF32(ctx.getTile(op.getInput()));
    LinearLayout layout = getLayout(x.getType());
    Value seen = emitSeen(ctx, op.getInput(), op.getCausal(), layout);
    Value z = selectSeen(ctx, seen, multiply(ctx, x, op.getScale()), -kInf);
    Value most = ctx.reduceRows(ReduceKind::MaxNum, z, -kInf);
    most = emitZeroWhere(ctx, most, -kInf, most);
    Value e = math::ExpOp::create(
        b, arith::SubFOp::create(b, z, ctx.broadcast(most, layout)));
    Value sum = ctx.reduceRows(ReduceKind::Add, e);
    Value y = arith::MulFOp::create(
        b, e, ctx.broadcast(emitInverseSum(ctx, sum), layout));
    if (op.getCausal()) // 0 in rows of NaN too
      y = selectSeen(ctx, seen, y, 0.0);
    ctx.define(op.getResult(),
               ctx.round(y, op.getResult().getType().getElementType()));
    return success();
  }
};

struct SoftmaxBwdLowering
    : TileLoweringInterface::ExternalModel<SoftmaxBwdLowering, SoftmaxBwdOp> {
  LogicalResult lowerToTile(Operation *operation, TileContext &ctx) const {
    auto op = cast<SoftmaxBwdOp>(operation);
    auto &b = ctx.b;
    Value y = ctx.toF32(ctx.getTile(op.getY())),
          grad = ctx.toF32(ctx.getTile(op.getGrad()));
    LinearLayout layout = getLayout(y.getType());
    Value seen = emitSeen(ctx, op.getGrad(), op.getCausal(), layout);
    y = selectSeen(ctx, seen, y, 0.0);
    grad = selectSeen(ctx, seen, grad, 0.0);
    Value sum = ctx.reduceRows(
        ReduceKind::Add,
        arith::MulFOp::create(b, grad, y, arith::FastMathFlags::contract));
    Value less = arith::SubFOp::create(b, grad, ctx.broadcast(sum, layout));
    Value dx = arith::MulFOp::create(b, multiply(ctx, y, op.getScale()), less);
    if (op.getCausal())
      dx = selectSeen(ctx, seen, dx, 0.0);
    ctx.define(op.getDx(),
               ctx.round(dx, op.getDx().getType().getElementType()));
    return success();
  }
};
} // namespace

void te::attachSoftmaxLowerings(MLIRContext *context) {
  SoftmaxOp::attachInterface<SoftmaxLowering>(*context);
  SoftmaxBwdOp::attachInterface<SoftmaxBwdLowering>(*context);
}
