//===- NormLowerings.cpp - norms as tile code -----------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TileLoweringInterface of the norms, and of te.bias_grad. A tile holds whole
// rows; all is f32 and rounded once, as docs/spec.md
// says.
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"
#include "RowSweep.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

namespace {
/// A product that is summed, in one step where the chip has that.
Value emitSummand(TileContext &ctx, Value x, Value y) {
  return arith::MulFOp::create(ctx.b, x, y, arith::FastMathFlags::contract);
}

/// The mean of each row of an f32 tile that is 0 outside of the tensor, or of
/// its products with another one. Shares of it are summed: the sum of large
/// elements might overflow.
Value emitRowMean(TileContext &ctx, Value tile, Value other = {}) {
  Value share = ctx.splat(ctx.getRowShare(), tile.getType());
  if (!other)
    return ctx.reduceRows(ReduceKind::Add, emitSummand(ctx, tile, share));
  return ctx.reduceRows(
      ReduceKind::Add,
      emitSummand(ctx, arith::MulFOp::create(ctx.b, tile, share), other));
}

/// 1 / sqrt(x + epsilon), correctly rounded but for the double step.
Value emitInverseRoot(TileContext &ctx, Value x, const APFloat &epsilon) {
  auto &b = ctx.b;
  Value sum = arith::AddFOp::create(
      b, x, ctx.constant(x.getType(), epsilon.convertToDouble()));
  return arith::DivFOp::create(b, ctx.constant(x.getType(), 1.0),
                               math::SqrtOp::create(b, sum));
}

/// g of each element: gamma, or gamma + 1.
Value emitGamma(TileContext &ctx, Value gamma, bool zeroCentered,
                const LinearLayout &layout) {
  Value g = ctx.toF32(ctx.loadColumns(gamma));
  if (zeroCentered)
    g = arith::AddFOp::create(ctx.b, g, ctx.constant(g.getType(), 1.0));
  return ctx.broadcast(g, layout);
}

/// The result: x * rsigma * g, x less its mean where it has one, and beta.
template <class Op>
void defineNormed(TileContext &ctx, Op op, Value x, Value rsigma, Value beta) {
  auto &b = ctx.b;
  LinearLayout layout = getLayout(x.getType());
  Value y = arith::MulFOp::create(b, x, ctx.broadcast(rsigma, layout));
  Value gamma =
      emitGamma(ctx, op.getGamma(), op.getZeroCenteredGamma(), layout);
  if (beta)
    y = math::FmaOp::create(
        b, y, gamma, ctx.broadcast(ctx.toF32(ctx.loadColumns(beta)), layout));
  else
    y = arith::MulFOp::create(b, y, gamma);
  ctx.define(op.getResult(),
             ctx.round(y, getElementTypeOrSelf(op.getResult().getType())));
}

struct RmsNormLowering
    : TileLoweringInterface::ExternalModel<RmsNormLowering, RmsNormOp> {
  LogicalResult lowerToTile(Operation *operation, TileContext &ctx) const {
    auto op = cast<RmsNormOp>(operation);
    Value x = ctx.toF32(ctx.getZeroPaddedTile(op.getInput()));
    Value mean = emitRowMean(ctx, x, x);
    Value rsigma = emitInverseRoot(ctx, mean, op.getEpsilon());
    ctx.defineRows(op.getRsigma(), rsigma);
    defineNormed(ctx, op, x, rsigma, Value());
    return success();
  }
};

struct LayerNormLowering
    : TileLoweringInterface::ExternalModel<LayerNormLowering, LayerNormOp> {
  LogicalResult lowerToTile(Operation *operation, TileContext &ctx) const {
    auto op = cast<LayerNormOp>(operation);
    auto &b = ctx.b;
    Value x = ctx.toF32(ctx.getZeroPaddedTile(op.getInput()));
    bool isReread = ctx.sweep && !ctx.sweep->keeps();
    Moments moments = isReread ? ctx.sweep->getMoments(x) : emitMoments(ctx, x);
    auto less = [&](Value tile, Value row) -> Value {
      return arith::SubFOp::create(
          b, tile, ctx.broadcast(row, getLayout(tile.getType())));
    };
    Value centred = less(less(x, moments.center), moments.rest);
    Value rsigma = emitInverseRoot(ctx, moments.squares, op.getEpsilon());
    ctx.defineRows(op.getMu(),
                   arith::AddFOp::create(b, moments.center, moments.rest));
    ctx.defineRows(op.getRsigma(), rsigma);
    defineNormed(ctx, op, centred, rsigma, op.getBeta());
    return success();
  }
};

/// Both gradients: te.rms_norm has neither mu nor the mean of dyh; `add` is
/// null where nothing is added to dx.
template <class Op>
void emitNormBwd(TileContext &ctx, Op op, Value mu, Value add, Value dbeta) {
  auto &b = ctx.b;
  Value x = ctx.toF32(ctx.getZeroPaddedTile(op.getInput()));
  Value dy = ctx.toF32(ctx.getZeroPaddedTile(op.getGrad()));
  LinearLayout layout = getLayout(x.getType());
  auto row = [&](Value tile) { return ctx.broadcast(tile, layout); };
  auto multiply = [&](Value a, Value c) -> Value {
    return arith::MulFOp::create(b, a, c);
  };
  Value rsigma = row(ctx.loadRows(op.getRsigma()));
  if (mu)
    x = arith::SubFOp::create(b, x, row(ctx.loadRows(mu)));
  Value xh = multiply(x, rsigma);
  Value dyh = multiply(
      dy, emitGamma(ctx, op.getGamma(), op.getZeroCenteredGamma(), layout));
  Value inner = dyh;
  if (mu)
    inner = arith::SubFOp::create(b, inner, row(emitRowMean(ctx, dyh)));
  Value dot = row(arith::NegFOp::create(b, emitRowMean(ctx, dyh, xh)));
  inner = math::FmaOp::create(b, xh, dot, inner);
  ctx.addToColumns(op.getDgamma(), emitSummand(ctx, dy, xh));
  if (dbeta)
    ctx.addToColumns(dbeta, dy);
  Value dx =
      add ? math::FmaOp::create(b, rsigma, inner, ctx.toF32(ctx.getTile(add)))
                .getResult()
          : multiply(rsigma, inner);
  ctx.define(op.getDx(),
             ctx.round(dx, getElementTypeOrSelf(op.getDx().getType())));
}

struct RmsNormBwdLowering
    : TileLoweringInterface::ExternalModel<RmsNormBwdLowering, RmsNormBwdOp> {
  LogicalResult lowerToTile(Operation *operation, TileContext &ctx) const {
    auto op = cast<RmsNormBwdOp>(operation);
    emitNormBwd(ctx, op, Value(), op.getAdd(), Value());
    return success();
  }
};

struct LayerNormBwdLowering
    : TileLoweringInterface::ExternalModel<LayerNormBwdLowering,
                                           LayerNormBwdOp> {
  LogicalResult lowerToTile(Operation *operation, TileContext &ctx) const {
    auto op = cast<LayerNormBwdOp>(operation);
    emitNormBwd(ctx, op, op.getMu(), Value(), op.getDbeta());
    return success();
  }
};

struct BiasAddLowering
    : TileLoweringInterface::ExternalModel<BiasAddLowering, BiasAddOp> {
  LogicalResult lowerToTile(Operation *operation, TileContext &ctx) const {
    auto op = cast<BiasAddOp>(operation);
    Value x = ctx.toF32(ctx.getTile(op.getInput()));
    Value bias = ctx.broadcast(ctx.toF32(ctx.loadColumns(op.getBias())),
                               getLayout(x.getType()));
    ctx.define(op.getResult(),
               ctx.round(arith::AddFOp::create(ctx.b, x, bias),
                         getElementTypeOrSelf(op.getResult().getType())));
    return success();
  }
};

struct BiasGradLowering
    : TileLoweringInterface::ExternalModel<BiasGradLowering, BiasGradOp> {
  LogicalResult lowerToTile(Operation *operation, TileContext &ctx) const {
    auto op = cast<BiasGradOp>(operation);
    ctx.addToColumns(op.getResult(),
                     ctx.toF32(ctx.getZeroPaddedTile(op.getInput())));
    return success();
  }
};
} // namespace

void te::attachNormLowerings(MLIRContext *context) {
  RmsNormOp::attachInterface<RmsNormLowering>(*context);
  LayerNormOp::attachInterface<LayerNormLowering>(*context);
  RmsNormBwdOp::attachInterface<RmsNormBwdLowering>(*context);
  LayerNormBwdOp::attachInterface<LayerNormBwdLowering>(*context);
  BiasAddOp::attachInterface<BiasAddLowering>(*context);
  BiasGradOp::attachInterface<BiasGradLowering>(*context);
}
