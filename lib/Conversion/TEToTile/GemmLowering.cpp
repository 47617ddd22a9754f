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
// With two stages or more the loop is a pipeline: GemmPipeline.cpp.
//
// Limits: with one stage LDS holds one operand of one step; tile-prefetch-loads
// reads the next step's into registers meanwhile.
//
//===----------------------------------------------------------------------===//

#include "GemmEmitter.h"
#include "Lowerings.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

/// A block's sum times the scales of both sides.
Value GemmEmitter::emitScaled(ArrayRef<Value> scales, Value partial) {
  if (!left.isE8M0())
    return multiply(multiply(partial, spread(scales[0])), spread(scales[1]));
  return emitScaledBlock(ctx, partial, scales[0], scales[1]);
}

Value GemmEmitter::emitMma(ArrayRef<Value> sides, ArrayRef<Value> scales,
                           Value sum, bool inOrder, int64_t part,
                           int64_t reads) {
  bool areScaled = plan.scales == GemmPlan::Scales::Instruction;
  return MmaOp::create(
      b, type, sides[0], sides[1], sum, areScaled ? scales[0] : Value(),
      areScaled ? scales[1] : Value(),
      MMAAttr::get(b.getContext(), ctx.schedule.getMatmul().getMma()), inOrder,
      /*scale_part=*/areScaled ? part : 0, reads);
}

/// The sum and a step's products; of a block that is scaled, once they are all
/// in one.
Value GemmEmitter::emitSum(Value sum, ArrayRef<Value> scales,
                           function_ref<Value(Value)> addProducts) {
  if (plan.scales != GemmPlan::Scales::Blocks)
    return addProducts(sum);
  Value partial = addProducts(ctx.constant(type, 0.0));
  return arith::AddFOp::create(b, sum, emitScaled(scales, partial));
}

Value GemmEmitter::emitSteps() {
  bool scalesElements = plan.scales == GemmPlan::Scales::Elements;
  SmallVector<Value> start = {ctx.constant(type, 0.0)};
  std::array<GemmOperand::Seen, 2> seen;
  auto forSeen = [&](function_ref<void(Value &)> visit) {
    for (GemmOperand::Seen &each : seen)
      for (Value *value : {&each.scale, &each.element})
        if (*value)
          visit(*value);
  };
  if (scalesElements)
    seen = {left.makeSeen(), right.makeSeen()};
  forSeen([&](Value &value) { start.push_back(value); });
  auto emitStep = [&](Value i, ValueRange carried) -> SmallVector<Value> {
    ValueRange rest = carried.drop_front();
    forSeen([&](Value &value) {
      value = rest.front();
      rest = rest.drop_front();
    });
    Value k = emitK(i);
    SmallVector<Value> elements, scales;
    for (auto [side, ofSide] :
         llvm::zip_equal(std::array{&left, &right}, seen)) {
      Value raw = side->read(Kind::Elements, k);
      if (scalesElements)
        raw = side->scaleElements(
            raw,
            side->getScaleBytes(side->readScaleGroup(k, /*steps=*/1),
                                /*steps=*/1, index(0)),
            ofSide);
      else
        raw = side->finish(Kind::Elements, raw);
      elements.push_back(side->convert(raw));
      if (plan.scales == GemmPlan::Scales::Instruction)
        scales.push_back(side->loadScales(k));
      else if (plan.scales == GemmPlan::Scales::Blocks)
        scales.push_back(side->loadBlockScale(k));
    }
    SmallVector<Value> next = {emitSum(carried.front(), scales, [&](Value sum) {
      return emitMma(elements, scales, sum);
    })};
    forSeen([&](Value &value) { next.push_back(value); });
    return next;
  };
  scf::ForOp loop = ctx.loop(steps, start, emitStep);
  ctx.markPrefetched(loop);
  if (!scalesElements)
    return loop.getResult(0);
  ValueRange results = loop.getResults().drop_front();
  forSeen([&](Value &value) {
    value = results.front();
    results = results.drop_front();
  });
  return emitChecked(loop.getResult(0), seen);
}

Value GemmEmitter::emitChecked(Value sum, ArrayRef<GemmOperand::Seen> seen) {
  return emitCheckedSum(
      ctx, {&left, &right}, seen, sum, steps, [&](Value i) { return emitK(i); },
      [&](ArrayRef<Value> elements, Value held) {
        return emitMma(elements, /*scales=*/{}, held);
      });
}

/// All of K, or this workgroup's piece of it. Pieces are alike but for one
/// unit; a unit is as many steps as a lane reads the scales of at once.
void GemmEmitter::bindSteps() {
  auto divide = [&](Value x, int64_t by) {
    return b.createOrFold<arith::DivUIOp>(
        b.createOrFold<arith::AddIOp>(x, index(by - 1)), index(by));
  };
  steps = divide(ctx.getDim(op.getA(), op.getKDimA()), getStep());
  if (!op.getPieces())
    return;
  int64_t unit = getLongest(makeStreams());
  int64_t pieces = *op.getPieces();
  Value units = divide(steps, unit);
  auto begin = [&](Value piece) {
    Value number = b.createOrFold<arith::DivUIOp>(
        b.createOrFold<arith::MulIOp>(piece, units), index(pieces));
    return b.createOrFold<arith::MulIOp>(number, index(unit));
  };
  std::optional<int64_t> known = getConstantIntValue(units);
  if (known && *known % pieces == 0) {
    steps = index(*known / pieces * unit);
    first = b.createOrFold<arith::MulIOp>(ctx.matrix, steps);
    return;
  }
  first = begin(ctx.matrix);
  Value end = begin(b.createOrFold<arith::AddIOp>(ctx.matrix, index(1)));
  steps = arith::SubIOp::create(b, end, first);
}

Value GemmEmitter::emitProduct() {
  bindSteps();
  Value sum = ctx.schedule.getMatmul().getStages() > 1 ? emitPipelinedSteps()
                                                       : emitSteps();
  if (plan.scales == GemmPlan::Scales::Sum)
    sum = right.scaleSum(left.scaleSum(sum));
  return sum;
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
    if (op->getResult(index) == op.getBiasGrad())
      return Extent::Table;
    return op.getPieces() ? Extent::Pieces : Extent::Tile;
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
    Value v =
        emitGemmEpilogue(ctx, op, GemmEmitter(ctx, op, *plan).emitProduct());
    ctx.define(op.getResult(),
               ctx.round(v, op.getResult().getType().getElementType()));
    return success();
  }
};
} // namespace

void te::attachGemmLowering(MLIRContext *context) {
  GemmOp::attachInterface<GemmLowering>(*context);
}
