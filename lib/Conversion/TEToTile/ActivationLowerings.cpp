//===- ActivationLowerings.cpp - activations as tile code -----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TileLoweringInterface of the activations: the formulas of section 3.5 of
// spec/te_semantics.md, in f32. tanh is written as a logistic function, which
// loses no digits where the result is small:
//   0.5 + 0.5 * tanh(u) = sigmoid(2u).
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"

#include "mlir/Dialect/Math/IR/Math.h"

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
  /// This where it is greater than `limit` (or `value`), else `otherwise`.
  Formula where(arith::CmpFPredicate predicate, double limit,
                const Formula &otherwise, const Formula &tested) const {
    Value is = arith::CmpFOp::create(ctx->b, predicate, tested.tile,
                                     constant(limit).tile);
    return {*ctx,
            arith::SelectOp::create(ctx->b, is, tile, otherwise.tile)};
  }
  /// 1 / (1 + exp(-x)). The quotient may be one ulp off.
  Formula sigmoid() const {
    auto &b = ctx->b;
    Value exp = math::ExpOp::create(b, arith::NegFOp::create(b, tile));
    Value sum = arith::AddFOp::create(b, exp, constant(1.0).tile);
    return {*ctx, arith::DivFOp::create(b, constant(1.0).tile, sum,
                                        arith::FastMathFlags::afn)};
  }
  /// 2 * sigmoid(2x) - 1, within a few ulps of 1.
  Formula tanh() const {
    return (*this * 2.0).sigmoid() * 2.0 + -1.0;
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
constexpr double kFar = 100.0;

Formula gelu(const Formula &x) {
  Formula u = x * (x * x * 0.03567741 + 0.79788456);
  return x * (u * 2.0).sigmoid();
}
Formula geluDerivative(const Formula &unbounded) {
  Formula x = unbounded.atMost(kFar).atLeast(-kFar), square = x * x;
  Formula s = (x * (square * 0.044715 + 1.0) * (2 * 0.79788456)).sigmoid();
  Formula inner = square * 0.1070322243 + 0.79788456;
  return x * s * (s.constant(1.0) - s) * inner * 2.0 + s;
}
Formula siluWith(const Formula &x, double alpha) {
  return x * (x * alpha).sigmoid();
}
Formula siluDerivativeWith(const Formula &x, double alpha) {
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
  return x.constant(1.0).where(arith::CmpFPredicate::OGT, 0.0,
                               x.constant(0.0), x);
}
Formula srelu(const Formula &x) {
  return (x * x).where(arith::CmpFPredicate::OGT, 0.0, x.constant(0.0), x);
}
Formula sreluDerivative(const Formula &x) { return (x * 2.0).atLeast(0.0); }
Formula logistic(const Formula &x) { return x.sigmoid(); }
Formula logisticDerivative(const Formula &x) {
  Formula s = x.sigmoid();
  return s * (s.constant(1.0) - s);
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

template <class Op>
Gated emitGated(Op op, const Formula &a, const Formula &b) {
  auto number = [](const APFloat &value) { return value.convertToDouble(); };
  Formula one = a.constant(1.0), zero = a.constant(0.0);
  if (op.getKind() == GatedKind::ClampedSwiGlu) {
    double limit = number(op.getLimit()), alpha = number(op.getAlpha());
    Formula x = a.atMost(limit);
    Formula y = b.atLeast(-limit).atMost(limit) + number(op.getOffset());
    auto within = arith::CmpFPredicate::OLE;
    Formula low = one.where(arith::CmpFPredicate::OGE, -limit, zero, b);
    return {siluWith(x, alpha), y,
            siluDerivativeWith(x, alpha).where(within, limit, zero, a),
            low.where(within, limit, zero, b)};
  }
  if (op.getKind() == GatedKind::SiTuGlu) {
    double beta1 = number(op.getBeta1()), beta2 = number(op.getBeta2());
    Formula s = a.sigmoid(), t = (a * (1.0 / beta1)).tanh();
    Formula u = (b * (1.0 / beta2)).tanh();
    Formula ds = s * (one - s);
    return {t * beta1 * s, u * beta2, (one - t * t) * s + t * beta1 * ds,
            one - u * u};
  }
  Activation gate = getGate(op.getKind());
  return {gate.value(a), b, gate.derivative(a), one};
}
} // namespace

/// The scale of each element's row, or 1.
template <class Op>
static Formula emitRowScales(TileContext &ctx, Op op, const Formula &like) {
  if (!op.getScales())
    return like.constant(1.0);
  return {ctx, ctx.broadcast(ctx.loadRows(op.getScales()),
                             getLayout(like.get().getType()))};
}

static Value emitRounded(TileContext &ctx, const Formula &value, Value result) {
  return ctx.round(value.get(), getElementTypeOrSelf(result.getType()));
}

/// An interleaved input has no two halves to load yet.
template <class Op> static LogicalResult verifyInterleave(Op op) {
  if (op.getInterleave() == 0)
    return success();
  return op.emitError() << op->getName() << " with interleave = "
                        << op.getInterleave()
                        << " has no kernel yet; its semantics run with te-run "
                           "--device=reference";
}

template <class Op> static LogicalResult verifyNoSums(Op op, TileContext &ctx) {
  for (Value sum : {Value(op.getDbias()), Value(op.getDscale())})
    if (sum && ctx.hasBuffers(sum))
      return op.emitError()
             << op->getName()
             << " with dbias or dscale has no kernel yet; its semantics run "
                "with te-run --device=reference";
  return success();
}

namespace {
struct ActivationLowering
    : TileLoweringInterface::ExternalModel<ActivationLowering, ActivationOp> {
  Extent getOperandExtent(Operation *, unsigned index) const {
    return index == 0 ? Extent::Tile : Extent::Row;
  }
  Extent getResultExtent(Operation *, unsigned) const { return Extent::Tile; }
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
  Extent getOperandExtent(Operation *, unsigned index) const {
    return index == 0 ? Extent::Wide : Extent::Row;
  }
  Extent getResultExtent(Operation *, unsigned) const { return Extent::Tile; }
  LogicalResult lowerToTile(Operation *operation, TileContext &ctx) const {
    auto op = cast<GatedActivationOp>(operation);
    if (failed(verifyInterleave(op)))
      return failure();
    Formula a(ctx, ctx.toF32(ctx.loadHalf(op.getInput(), false)));
    Formula b(ctx, ctx.toF32(ctx.loadHalf(op.getInput(), true)));
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
  Extent getOperandExtent(Operation *, unsigned index) const {
    return index < 2 ? Extent::Tile : Extent::Row;
  }
  Extent getResultExtent(Operation *op, unsigned index) const {
    Value result = op->getResult(index);
    auto bwd = cast<ActivationBwdOp>(op);
    return result == bwd.getDx()      ? Extent::Tile
           : result == bwd.getDbias() ? Extent::Column
                                      : Extent::Row;
  }
  LogicalResult lowerToTile(Operation *operation, TileContext &ctx) const {
    auto op = cast<ActivationBwdOp>(operation);
    if (failed(verifyNoSums(op, ctx)))
      return failure();
    Formula grad(ctx, ctx.toF32(ctx.getTile(op.getGrad())));
    Formula x(ctx, ctx.toF32(ctx.getTile(op.getInput())));
    Formula dx = grad * get(op.getKind()).derivative(x);
    if (op.getScales())
      dx = dx * emitRowScales(ctx, op, dx);
    ctx.define(op.getDx(), emitRounded(ctx, dx, op.getDx()));
    return success();
  }
};

struct GatedActivationBwdLowering
    : TileLoweringInterface::ExternalModel<GatedActivationBwdLowering,
                                           GatedActivationBwdOp> {
  Extent getOperandExtent(Operation *, unsigned index) const {
    return index == 0   ? Extent::Tile
           : index == 1 ? Extent::Wide
                        : Extent::Row;
  }
  Extent getResultExtent(Operation *op, unsigned index) const {
    Value result = op->getResult(index);
    auto bwd = cast<GatedActivationBwdOp>(op);
    return result == bwd.getDx()      ? Extent::Wide
           : result == bwd.getDbias() ? Extent::Column
                                      : Extent::Row;
  }
  LogicalResult lowerToTile(Operation *operation, TileContext &ctx) const {
    auto op = cast<GatedActivationBwdOp>(operation);
    if (failed(verifyInterleave(op)) || failed(verifyNoSums(op, ctx)))
      return failure();
    Formula grad(ctx, ctx.toF32(ctx.getTile(op.getGrad())));
    Formula a(ctx, ctx.toF32(ctx.loadHalf(op.getInput(), false)));
    Formula b(ctx, ctx.toF32(ctx.loadHalf(op.getInput(), true)));
    Gated gated = emitGated(op, a, b);
    if (op.getScales())
      grad = grad * emitRowScales(ctx, op, grad);
    Formula da = gated.gateDerivative * grad * gated.up;
    Formula db = gated.upDerivative * grad * gated.gate;
    if (!ctx.hasBuffers(op.getDx()))
      return success();
    Value buffer = ctx.getBuffers(op.getDx()).data;
    ctx.storeWide(emitRounded(ctx, da, op.getDx()),
                  ctx.viewHalf(buffer, false));
    ctx.storeWide(emitRounded(ctx, db, op.getDx()),
                  ctx.viewHalf(buffer, true));
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
