//===- ActivationLowerings.cpp - activations as tile code -----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TileLoweringInterface of the activations: the formulas of
// docs/spec.md, in f32. What is there 0.5 + 0.5 * tanh(u) is written as
// sigmoid(2u), which loses no digits where it is small.
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

namespace {
/// Arithmetic on f32 tiles, as formulas are written.
class Formula {
public:
  Formula(TileContext &ctx, Value tile) : ctx(&ctx), tile(tile) {}
  Value get() const { return tile; }

  Formula operator+(const Formula &y) const {
    return make<arith::AddFOp>(y.tile);
  }
  Formula operator-(const Formula &y) const {
    return make<arith::SubFOp>(y.tile);
  }
  Formula operator*(const Formula &y) const {
    return make<arith::MulFOp>(y.tile);
  }
  Formula operator+(double y) const { return *this + constant(y); }
  Formula operator*(double y) const { return *this * constant(y); }
  Formula constant(double value) const {
    return {*ctx, ctx->constant(tile.getType(), value)};
  }
  /// min and max; a NaN stays.
  Formula atMost(double limit) const {
    return make<arith::MinimumFOp>(constant(limit).tile);
  }
  Formula atLeast(double limit) const {
    return make<arith::MaximumFOp>(constant(limit).tile);
  }
  /// This where `tested` compares with `limit`, else `otherwise`.
  Formula where(arith::CmpFPredicate predicate, const Formula &tested,
                double limit, const Formula &otherwise) const {
    Value is = arith::CmpFOp::create(ctx->b, predicate, tested.tile,
                                     constant(limit).tile);
    return {*ctx, arith::SelectOp::create(ctx->b, is, tile, otherwise.tile)};
  }
  /// 1 / (1 + exp(-x)). An approximate exp and a fast reciprocal are good to
  /// few ulp where the sum is not huge; where it is, the result is 0 or next to
  /// it.
  Formula sigmoid() const {
    auto &b = ctx->b;
    Formula exp(*ctx, math::ExpOp::create(b, arith::NegFOp::create(b, tile),
                                          arith::FastMathFlags::afn));
    return {*ctx, arith::DivFOp::create(b, constant(1.0).tile, (exp + 1.0).tile,
                                        arith::FastMathFlags::afn)};
  }
  Formula tanh() const { return {*ctx, math::TanhOp::create(ctx->b, tile)}; }
  /// The derivative of tanh, 1 - tanh(x)^2.
  Formula tanhDerivative() const {
    Formula twice = *this * 2.0;
    return twice.sigmoid() * (twice * -1.0).sigmoid() * 4.0;
  }

private:
  template <class Op> Formula make(Value other) const {
    return {*ctx, Op::create(ctx->b, tile, other)};
  }
  TileContext *ctx;
  Value tile;
};

/// f(x) and f'(x).
struct Activation {
  Formula (*value)(const Formula &x);
  Formula (*derivative)(const Formula &x);
};

/// Beyond it every derivative below is constant in f32, while x^2 may overflow.
constexpr double kFar = 120.0;

/// x * factor, but 0 where x is -Inf and the factor 0: the limit.
Formula emitGate(const Formula &x, const Formula &factor) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  return x.constant(0.0).where(arith::CmpFPredicate::OEQ, x, -inf, x * factor);
}

Formula gelu(const Formula &x) {
  Formula u = x * (x * x * 0.03567741 + 0.79788456);
  return emitGate(x, (u * 2.0).sigmoid());
}
Formula geluDerivative(const Formula &unbounded) {
  Formula x = unbounded.atMost(kFar).atLeast(-kFar), square = x * x;
  Formula s = (x * (square * 0.044715 + 1.0) * (2 * 0.79788456)).sigmoid();
  Formula inner = square * 0.1070322243 + 0.79788456;
  return x * s * (s.constant(1.0) - s) * inner * 2.0 + s;
}
Formula siluWith(const Formula &x, double alpha) {
  return emitGate(x, (x * alpha).sigmoid());
}
Formula siluDerivativeWith(const Formula &unbounded, double alpha) {
  Formula x = unbounded.atMost(kFar / alpha).atLeast(-kFar / alpha);
  Formula s = (x * alpha).sigmoid();
  return x * alpha * s * (s.constant(1.0) - s) + s;
}
Formula silu(const Formula &x) { return siluWith(x, 1.0); }
Formula siluDerivative(const Formula &x) { return siluDerivativeWith(x, 1.0); }
Formula qgelu(const Formula &x) { return siluWith(x, 1.702); }
Formula qgeluDerivative(const Formula &x) {
  return siluDerivativeWith(x, 1.702);
}
Formula relu(const Formula &x) { return x.atLeast(0.0); }
Formula reluDerivative(const Formula &x) {
  Formula step =
      x.constant(1.0).where(arith::CmpFPredicate::OGT, x, 0.0, x.constant(0.0));
  return x.where(arith::CmpFPredicate::UNO, x, 0.0, step);
}
Formula srelu(const Formula &x) {
  return x.constant(0.0).where(arith::CmpFPredicate::OLE, x, 0.0, x * x);
}
Formula sreluDerivative(const Formula &x) { return (x * 2.0).atLeast(0.0); }
Formula logistic(const Formula &x) { return x.sigmoid(); }
Formula logisticDerivative(const Formula &x) {
  return x.sigmoid() * (x * -1.0).sigmoid();
}

Activation get(ActivationKind kind) {
  switch (kind) {
  case ActivationKind::Gelu:
    return {gelu, geluDerivative};
  case ActivationKind::QGelu:
    return {qgelu, qgeluDerivative};
  case ActivationKind::Silu:
    return {silu, siluDerivative};
  case ActivationKind::Relu:
    return {relu, reluDerivative};
  case ActivationKind::SRelu:
    return {srelu, sreluDerivative};
  }
  return {};
}

/// The gate's function, for kinds that leave the other half as it is.
Activation getGate(GatedKind kind) {
  switch (kind) {
  case GatedKind::Glu:
    return {logistic, logisticDerivative};
  case GatedKind::GeGlu:
    return get(ActivationKind::Gelu);
  case GatedKind::QGeGlu:
    return get(ActivationKind::QGelu);
  case GatedKind::ReGlu:
    return get(ActivationKind::Relu);
  case GatedKind::SReGlu:
    return get(ActivationKind::SRelu);
  case GatedKind::SwiGlu:
    return get(ActivationKind::Silu);
  case GatedKind::ClampedSwiGlu:
  case GatedKind::SiTuGlu:
    break; // emitGated
  }
  return {};
}

/// Both factors of a gated activation and their derivatives, each a function of
/// its own half.
struct Gated {
  Formula gate, up, gateDerivative, upDerivative;
};

template <class Op> Gated emitGated(Op op, const Formula &a, const Formula &b) {
  auto number = [](const APFloat &value) { return value.convertToDouble(); };
  Formula one = a.constant(1.0), zero = a.constant(0.0);
  if (op.getKind() == GatedKind::ClampedSwiGlu) {
    double limit = number(op.getLimit()), alpha = number(op.getAlpha());
    Formula x = a.atMost(limit);
    Formula y = b.atLeast(-limit).atMost(limit) + number(op.getOffset());
    auto above = arith::CmpFPredicate::OGT, below = arith::CmpFPredicate::OLT;
    return {siluWith(x, alpha), y,
            zero.where(above, a, limit, siluDerivativeWith(x, alpha)),
            zero.where(above, b, limit, zero.where(below, b, -limit, one))};
  }
  if (op.getKind() == GatedKind::SiTuGlu) {
    double beta1 = number(op.getBeta1()), beta2 = number(op.getBeta2());
    Formula x = a * (1.0 / beta1), y = b * (1.0 / beta2);
    Formula s = a.sigmoid(), t = x.tanh() * beta1;
    return {t * s, y.tanh() * beta2,
            x.tanhDerivative() * s + t * logisticDerivative(a),
            y.tanhDerivative()};
  }
  Activation gate = getGate(op.getKind());
  return {gate.value(a), b, gate.derivative(a), one};
}
} // namespace

Value te::emitGelu(TileContext &ctx, Value x) {
  return gelu(Formula(ctx, x)).get();
}
Value te::emitGeluDerivative(TileContext &ctx, Value x) {
  return geluDerivative(Formula(ctx, x)).get();
}

/// The scale of each element's row.
template <class Op>
static Formula emitRowScales(TileContext &ctx, Op op, const Formula &like) {
  return {ctx, ctx.broadcast(ctx.loadRows(op.getScales()),
                             getLayout(like.get().getType()))};
}

static Value emitRounded(TileContext &ctx, const Formula &value, Value result) {
  return ctx.round(value.get(), getElementTypeOrSelf(result.getType()));
}

/// A half of a gated activation's input, in f32.
template <class Op>
static Formula getHalf(TileContext &ctx, Op op, bool second) {
  auto interleave = int64_t(op.getInterleave());
  return {ctx, ctx.toF32(ctx.getHalf(op.getInput(), {second, interleave}))};
}

/// dscale: the sum of each row of a product.
static void defineRowSums(TileContext &ctx, Value dscale,
                          const Formula &product) {
  ctx.defineRowSum(dscale, ctx.padWithZeros(product.get()));
}

namespace {
struct ActivationLowering
    : TileLoweringInterface::ExternalModel<ActivationLowering, ActivationOp> {
  LogicalResult lowerToTile(Operation *operation, TileContext &ctx) const {
    auto op = cast<ActivationOp>(operation);
    Formula x(ctx, ctx.toF32(ctx.getTile(op.getInput())));
    Formula y = get(op.getKind()).value(x);
    if (op.getScales())
      y = y * emitRowScales(ctx, op, y);
    ctx.define(op.getResult(), emitRounded(ctx, y, op.getResult()));
    return success();
  }
};

struct GatedActivationLowering
    : TileLoweringInterface::ExternalModel<GatedActivationLowering,
                                           GatedActivationOp> {
  LogicalResult lowerToTile(Operation *operation, TileContext &ctx) const {
    auto op = cast<GatedActivationOp>(operation);
    Formula a = getHalf(ctx, op, false), b = getHalf(ctx, op, true);
    Gated gated = emitGated(op, a, b);
    Formula y = gated.gate * gated.up;
    if (op.getScales())
      y = y * emitRowScales(ctx, op, y);
    ctx.define(op.getResult(), emitRounded(ctx, y, op.getResult()));
    return success();
  }
};

struct ActivationBwdLowering
    : TileLoweringInterface::ExternalModel<ActivationBwdLowering,
                                           ActivationBwdOp> {
  LogicalResult lowerToTile(Operation *operation, TileContext &ctx) const {
    auto op = cast<ActivationBwdOp>(operation);
    Formula grad(ctx, ctx.toF32(ctx.getTile(op.getGrad())));
    Formula x(ctx, ctx.toF32(ctx.getTile(op.getInput())));
    Formula dx = get(op.getKind()).derivative(x) * grad;
    if (op.getScales())
      dx = dx * emitRowScales(ctx, op, dx);
    if (op.getDbias())
      ctx.addToColumns(op.getDbias(), dx.get());
    if (op.getDscale())
      defineRowSums(ctx, op.getDscale(), get(op.getKind()).value(x) * grad);
    ctx.define(op.getDx(), emitRounded(ctx, dx, op.getDx()));
    return success();
  }
};

struct GatedActivationBwdLowering
    : TileLoweringInterface::ExternalModel<GatedActivationBwdLowering,
                                           GatedActivationBwdOp> {
  LogicalResult lowerToTile(Operation *operation, TileContext &ctx) const {
    auto op = cast<GatedActivationBwdOp>(operation);
    Formula grad(ctx, ctx.toF32(ctx.getTile(op.getGrad())));
    Formula a = getHalf(ctx, op, false), b = getHalf(ctx, op, true);
    Gated gated = emitGated(op, a, b);
    Formula da = gated.gateDerivative * grad * gated.up;
    Formula db = gated.gate * grad * gated.upDerivative;
    if (op.getScales()) {
      Formula scales = emitRowScales(ctx, op, grad);
      da = da * scales;
      db = db * scales;
    }
    if (op.getDbias()) {
      ctx.addToColumns(op.getDbias(), da.get());
      ctx.addToColumns(op.getDbias(), db.get(), /*second=*/1);
    }
    if (op.getDscale())
      defineRowSums(ctx, op.getDscale(), gated.gate * gated.up * grad);
    ctx.defineWide(op.getDx(), emitRounded(ctx, da, op.getDx()),
                   emitRounded(ctx, db, op.getDx()),
                   int64_t(op.getInterleave()));
    return success();
  }
};
} // namespace

void te::attachActivationLowerings(MLIRContext *context) {
  ActivationOp::attachInterface<ActivationLowering>(*context);
  GatedActivationOp::attachInterface<GatedActivationLowering>(*context);
  ActivationBwdOp::attachInterface<ActivationBwdLowering>(*context);
  GatedActivationBwdOp::attachInterface<GatedActivationBwdLowering>(*context);
}
