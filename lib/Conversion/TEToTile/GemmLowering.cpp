//===- GemmLowering.cpp - te.gemm as tile code ----------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TileLoweringInterface of te.gemm: a loop over steps along K, each of which
// loads a tile of A and one of B and adds their product to the accumulators,
// then the epilogue of docs/spec.md on these. Operands are zero outside of
// their tensors, so ragged M, N and K need no other care.
//
//   %y = te.gemm %a, %b transpose_b bias(%v : ..) : ..
// ==>
//   %sum = scf.for %i = .. iter_args(%acc = 0) {
//     %p = tile.load %a[..]; %p' = tile.convert_layout %p
//     %q = tile.load %b[..]; %q' = tile.convert_layout %q
//     tile.mma %p', %q', %acc
//   }
//   arith on the result's layout
//
// Where scales change along K inside of a sum that the instruction does not
// scale, each block's partial sum is multiplied by both, and added in f32.
//
// Limits: LDS holds one step; tile-prefetch-loads reads the next one's operands
// into registers meanwhile.
//
//===----------------------------------------------------------------------===//

#include "GemmOperand.h"
#include "Lowerings.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

namespace {
/// 2^(byte - 127) as two factors, whose exponents differ by at most one: a
/// product of two scales leaves f32's range only where the scaled sum does.
struct SplitScale {
  Value first, second;
};

/// Emits the product.
class GemmEmitter {
public:
  GemmEmitter(TileContext &ctx, GemmOp op, const GemmPlan &plan)
      : ctx(ctx), b(ctx.b), op(op), plan(plan), left(ctx, op, plan, MMASide::A),
        right(ctx, op, plan, MMASide::B),
        type(getTileType(ctx.b.getF32Type(), ctx.b.getContext(),
                         ctx.getLoadLayout())) {}
  Value emitProduct();
  Value emitEpilogue(Value product);

private:
  Value emitStep(Value k, Value sum);
  Value emitMma(Value k, Value sum);
  Value emitScaled(Value k, Value partial);
  SplitScale emitSplit(Value bytes, bool roundsUp);
  Value multiply(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value spread(Value line) { return ctx.broadcast(line, getLayout(type)); }

  TileContext &ctx;
  ImplicitLocOpBuilder &b;
  GemmOp op;
  const GemmPlan &plan;
  GemmOperand left, right;
  Type type; // of the accumulators
};
} // namespace

SplitScale GemmEmitter::emitSplit(Value bytes, bool roundsUp) {
  Type i32 = withElementType(bytes.getType(), b.getI32Type());
  auto constant = [&](int64_t value) { return ctx.intConstant(i32, value); };
  Value byte = arith::ExtUIOp::create(b, i32, bytes);
  // byte - 127 is the sum of its halves, one rounded up and one down.
  Value exponent = arith::SubIOp::create(b, byte, constant(127));
  Value up = arith::ShRSIOp::create(
      b, arith::AddIOp::create(b, exponent, constant(1)), constant(1));
  Value down = arith::ShRSIOp::create(b, exponent, constant(1));
  auto power = [&](Value half) {
    Value bits = arith::ShLIOp::create(
        b, arith::AddIOp::create(b, half, constant(127)), constant(23));
    return ctx.cast(bits, b.getF32Type());
  };
  Value first = power(roundsUp ? up : down),
        second = power(roundsUp ? down : up);
  Value isNaN =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, byte, constant(255));
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  first = arith::SelectOp::create(b, isNaN, ctx.constant(first.getType(), nan),
                                  first);
  return {first, second};
}

/// A block's sum times the scales of both sides.
Value GemmEmitter::emitScaled(Value k, Value partial) {
  Value a = left.loadBlockScale(k), c = right.loadBlockScale(k);
  if (!left.isE8M0())
    return multiply(multiply(partial, spread(a)), spread(c));
  SplitScale splitA = emitSplit(a, /*roundsUp=*/true),
             splitB = emitSplit(c, /*roundsUp=*/false);
  Value first = multiply(spread(splitA.first), spread(splitB.first)),
        second = multiply(spread(splitA.second), spread(splitB.second));
  return multiply(multiply(partial, first), second);
}

Value GemmEmitter::emitMma(Value k, Value sum) {
  Value a = left.load(k), c = right.load(k), scaleA, scaleB;
  if (plan.scales == GemmPlan::Scales::Instruction) {
    scaleA = left.loadScales(k);
    scaleB = right.loadScales(k);
  }
  return MmaOp::create(
      b, type, a, c, sum, scaleA, scaleB,
      MMAAttr::get(b.getContext(), ctx.schedule.getMatmul().getMma()));
}

Value GemmEmitter::emitStep(Value k, Value sum) {
  if (plan.scales != GemmPlan::Scales::Blocks)
    return emitMma(k, sum);
  Value partial = emitMma(k, ctx.constant(type, 0.0));
  return arith::AddFOp::create(b, sum, emitScaled(k, partial));
}

Value GemmEmitter::emitProduct() {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  int64_t step = ctx.schedule.getMatmul().getK();
  Value k = ctx.getDim(op.getA(), op.getKDimA());
  Value steps = b.createOrFold<arith::DivUIOp>(
      b.createOrFold<arith::AddIOp>(k, constant(step - 1)), constant(step));
  Value sum = ctx.loop(steps, ctx.constant(type, 0.0),
                       [&](Value i, ValueRange carried) -> SmallVector<Value> {
                         Value at = arith::MulIOp::create(b, i, constant(step));
                         return {emitStep(at, carried.front())};
                       })
                  .front();
  if (plan.scales == GemmPlan::Scales::Sum)
    sum = right.scaleSum(left.scaleSum(sum));
  return sum;
}

/// v in the order of decision 18; `aux` is written on the way.
Value GemmEmitter::emitEpilogue(Value v) {
  auto scale = [&](Value x, double factor) {
    return factor == 1.0 ? x : multiply(x, ctx.constant(type, factor));
  };
  auto add = [&](Value x, Value y) -> Value {
    return arith::AddFOp::create(b, x, y);
  };
  v = scale(v, op.getAlpha().convertToDouble());
  if (op.getBias())
    v = add(v, spread(ctx.toF32(ctx.loadColumns(op.getBias()))));
  if (Value aux = op.getAux(); aux && !aux.use_empty())
    ctx.define(aux, ctx.round(v, getElementTypeOrSelf(aux.getType())));
  if (op.getGelu())
    v = emitGelu(ctx, v);
  if (op.getDgelu())
    v = multiply(
        v, emitGeluDerivative(ctx, ctx.toF32(ctx.getTile(op.getDgelu()))));
  if (op.getAccumulate() && op.getBetaOrOne() != 0)
    v = add(v, scale(ctx.toF32(ctx.getTile(op.getAccumulate())),
                     op.getBetaOrOne()));
  return v;
}

namespace {
struct GemmLowering
    : TileLoweringInterface::ExternalModel<GemmLowering, GemmOp> {
  Extent getOperandExtent(Operation *operation, unsigned index) const {
    auto op = cast<GemmOp>(operation);
    auto is = [&](OperandRange group) {
      unsigned first = group.getBeginOperandIndex();
      return index >= first && index < first + group.size();
    };
    if (index < 2)
      return Extent::Table;
    return is(op.getODSOperands(2)) ? Extent::Column : Extent::Tile;
  }
  Extent getResultExtent(Operation *operation, unsigned index) const {
    auto op = cast<GemmOp>(operation);
    return op->getResult(index) == op.getBiasGrad() ? Extent::Table
                                                    : Extent::Tile;
  }
  LogicalResult lowerToTile(Operation *operation, TileContext &ctx) const {
    auto op = cast<GemmOp>(operation);
    std::string why;
    std::optional<GemmPlan> plan = planGemm(op, ctx.target, why);
    if (!plan)
      return op.emitError() << why;
    if (!ctx.schedule.getMatmul())
      return op.emitError("H14: the region's schedule does not say how te.gemm "
                          "is computed; run te-schedule");
    GemmEmitter emitter(ctx, op, *plan);
    Value v = emitter.emitEpilogue(emitter.emitProduct());
    ctx.define(op.getResult(),
               ctx.round(v, op.getResult().getType().getElementType()));
    return success();
  }
};
} // namespace

void te::attachGemmLowering(MLIRContext *context) {
  GemmOp::attachInterface<GemmLowering>(*context);
}
