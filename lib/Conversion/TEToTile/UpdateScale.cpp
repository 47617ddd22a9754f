//===- UpdateScale.cpp - delayed scaling's update as tile code ------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TileLoweringInterface of te.update_scale: the history is an L x S matrix (a
// history of one tensor: L x 1), and a workgroup goes down the L steps of its
// columns, one tensor each. The reference's names: docs/spec.md.
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"
#include "Scales.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

namespace {
struct UpdateScaleLowering
    : TileLoweringInterface::ExternalModel<UpdateScaleLowering, UpdateScaleOp> {
  /// One tile of the new history, whose rows below are `next`.
  Value emitRolled(TileContext &ctx, Value next, Value last) const {
    auto &b = ctx.b;
    Type f32 = next.getType(), i32 = withElementType(f32, b.getI32Type());
    auto isRow = [&](Value row) -> Value {
      Value inTile = arith::IndexCastOp::create(
          b, b.getI32Type(), arith::SubIOp::create(b, row, ctx.tileRow));
      return arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                   CoordinateOp::create(b, i32, 0),
                                   ctx.splat(inTile, i32));
    };
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value one = arith::ConstantIndexOp::create(b, 1);
    Value rolled = arith::SelectOp::create(
        b, isRow(arith::SubIOp::create(b, ctx.rows, one)), last, next);
    return arith::SelectOp::create(b, isRow(zero), ctx.constant(f32, 0.0),
                                   rolled);
  }

  /// This tile of the history as it was: read where a column of the wave's part
  /// keeps it.
  Value emitKept(TileContext &ctx, Value from, Value rolls, Type f32) const {
    auto &b = ctx.b;
    Value keeps =
        arith::XOrIOp::create(b, rolls, ctx.intConstant(rolls.getType(), 1));
    auto branch = scf::IfOp::create(b, TypeRange(f32),
                                    ReduceOrOp::create(b, b.getI1Type(), keeps),
                                    /*else=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, ctx.load(from, ctx.tileRow, ctx.tileCol,
                                     b.getF32Type(), getLayout(f32)));
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, ctx.constant(f32, 0.0));
    return branch.getResult(0);
  }

  /// Writes the new history; gives the largest of history[1], ..., and 0.
  Value emitHistory(TileContext &ctx, UpdateScaleOp op, Value last,
                    Value rolls) const {
    auto &b = ctx.b;
    LinearLayout layout = ctx.getLoadLayout();
    Type f32 = getTileType(b.getF32Type(), b.getContext(), layout);
    Value from =
        ctx.view(ctx.getBuffers(op.getHistory()).data, ctx.rows, ctx.cols);
    Value one = arith::ConstantIndexOp::create(b, 1);
    Value start = ctx.constant(f32, 0.0);
    Value most =
        ctx.forEachRowTile(
               start,
               [&](ValueRange carried) {
                 Value below = arith::AddIOp::create(b, ctx.tileRow, one);
                 Value next =
                     ctx.load(from, below, ctx.tileCol, b.getF32Type(), layout);
                 if (ctx.hasBuffers(op.getNewHistory())) {
                   Value rolled =
                       emitRolled(ctx, next, ctx.broadcast(last, layout));
                   Value value = arith::SelectOp::create(
                       b, ctx.broadcast(rolls, layout), rolled,
                       emitKept(ctx, from, rolls, f32));
                   ctx.store(value,
                             ctx.view(ctx.getBuffers(op.getNewHistory()).data,
                                      ctx.rows, ctx.cols),
                             ctx.tileRow, ctx.tileCol);
                 }
                 return SmallVector<Value>{
                     arith::MaxNumFOp::create(b, carried.front(), next)};
               })
            .front();
    return ctx.reduce(ReduceKind::MaxNum, most, {layout.getShape()[0], 1});
  }

  Value emitScale(TileContext &ctx, UpdateScaleOp op, Value amax,
                  Value rolls) const {
    auto &b = ctx.b;
    Type f32 = amax.getType();
    auto compare = [&](arith::CmpFPredicate predicate, double limit) {
      return arith::CmpFOp::create(b, predicate, amax,
                                   ctx.constant(f32, limit));
    };
    Value isUsable = arith::AndIOp::create(
        b, rolls,
        arith::AndIOp::create(
            b, compare(arith::CmpFPredicate::OGT, 0.0),
            compare(arith::CmpFPredicate::OLT,
                    std::numeric_limits<double>::infinity())));
    double largest =
        std::ldexp(getLargest(op.getElement()), -int(op.getMargin()));
    Value scale = arith::DivFOp::create(b, ctx.constant(f32, largest), amax);
    scale = arith::MinNumFOp::create(
        b, scale, ctx.constant(f32, std::numeric_limits<float>::max()));
    return arith::SelectOp::create(b, isUsable, scale,
                                   ctx.loadColumns(op.getScale()));
  }

  LogicalResult lowerToTile(Operation *operation, TileContext &ctx) const {
    auto op = cast<UpdateScaleOp>(operation);
    auto &b = ctx.b;
    Value last = ctx.loadColumns(op.getHistory()); // row 0
    Value zero = ctx.constant(last.getType(), 0.0);
    auto isSet = [&](Value amax) {
      return arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, amax, zero);
    };
    if (op.getAmax()) {
      Value given = ctx.loadColumns(op.getAmax());
      last = arith::SelectOp::create(b, isSet(given), given, last);
    }
    Value rolls = isSet(last);
    Value amax = emitHistory(ctx, op, last, rolls);
    amax = op.getAlgorithm() == AmaxAlgorithm::Max
               ? Value(arith::MaxNumFOp::create(b, amax, last))
               : last;
    Value scale = emitScale(ctx, op, amax, rolls);
    auto define = [&](Value result, Value value) {
      if (result && ctx.hasBuffers(result))
        ctx.storeColumns(value, ctx.getBuffers(result).data);
    };
    define(op.getNewScale(), scale);
    if (op.getScaleInv())
      define(
          op.getScaleInv(),
          arith::DivFOp::create(b, ctx.constant(scale.getType(), 1.0), scale));
    return success();
  }
};
} // namespace

void te::attachUpdateScaleLowering(MLIRContext *context) {
  UpdateScaleOp::attachInterface<UpdateScaleLowering>(*context);
}
