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
// Where a gated activation reads both halves of the result, or its runs of
// alternate columns, a workgroup has two tiles of B, one of each half, and two
// sums (docs/decisions/0021).
//
// With two stages or more the loop is marked for the passes that make it a
// pipeline (docs/decisions/0034), and an iteration is the steps whose scales
// are read at once.
//
// Limits: with one stage LDS holds one operand of one step; tile-prefetch-loads
// reads the next step's into registers meanwhile.
//
//===----------------------------------------------------------------------===//

#include "GemmScales.h"
#include "Lowerings.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

namespace {
/// Emits the product, or those of one tile of A and several of B.
class GemmEmitter {
public:
  /// `columns`: for each tile of B, the context that has its columns.
  GemmEmitter(TileContext &ctx, MutableArrayRef<TileContext> columns, GemmOp op,
              const GemmPlan &plan)
      : ctx(ctx), b(ctx.b), op(op), plan(plan),
        left(ctx, op, plan, tile::MMASide::A),
        type(tile::getTileType(ctx.b.getF32Type(), ctx.b.getContext(),
                               ctx.getLoadLayout())) {
    for (TileContext &own : columns)
      rights.emplace_back(own, op, plan, tile::MMASide::B);
  }
  SmallVector<Value> emitProducts();

private:
  using Kind = GemmOperand::Kind;
  int64_t countGroup() const;
  void bindSteps();
  void bindRest();
  SmallVector<Value> emitSteps();
  void check(MutableArrayRef<Value> sums, ArrayRef<GemmOperand::Seen> seen);
  /// To each sum, what its tile of B adds: `sides` and `scales` are A's and
  /// each tile of B's.
  void emitMmas(ArrayRef<Value> sides, ArrayRef<Value> scales,
                MutableArrayRef<Value> sums, int64_t part = 0);
  void scaleSums(MutableArrayRef<Value> sums);
  void emitSums(MutableArrayRef<Value> sums, ArrayRef<Value> scales,
                function_ref<void(MutableArrayRef<Value>)> addProducts);
  /// A, and the tiles of B.
  SmallVector<const GemmOperand *> getSides() const {
    SmallVector<const GemmOperand *> sides = {&left};
    for (const GemmOperand &right : rights)
      sides.push_back(&right);
    return sides;
  }
  SmallVector<Value> getZeros() {
    return SmallVector<Value>(rights.size(), ctx.constant(type, 0.0));
  }
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  int64_t getStep() const { return ctx.schedule.getMatmul().getK(); }
  bool isStaged() const { return ctx.schedule.getPipeline().getStages() > 1; }
  /// Where step `i` of the split begins.
  Value emitK(Value i) {
    if (first)
      i = b.createOrFold<arith::AddIOp>(first, i);
    return b.createOrFold<arith::MulIOp>(i, index(getStep()));
  }

  TileContext &ctx;
  ImplicitLocOpBuilder &b;
  GemmOp op;
  const GemmPlan &plan;
  GemmOperand left;
  std::vector<GemmOperand> rights;
  Type type;        // of the accumulators of one tile of B
  Value steps;      // along K, of this workgroup's split
  Value first = {}; // of these; null: 0
};
} // namespace

void GemmEmitter::emitMmas(ArrayRef<Value> sides, ArrayRef<Value> scales,
                           MutableArrayRef<Value> sums, int64_t part) {
  bool areScaled = plan.scales == GemmPlan::Scales::Instruction;
  auto mma = MMAAttr::get(b.getContext(), ctx.schedule.getMatmul().getMma());
  for (auto [i, sum] : llvm::enumerate(sums))
    sum = MmaOp::create(b, type, sides[0], sides[1 + i], sum,
                        areScaled ? scales[0] : Value(),
                        areScaled ? scales[1 + i] : Value(), mma,
                        /*in_order=*/false, areScaled ? part : 0, /*reads=*/0,
                        /*ahead=*/0);
}

/// Steps of an iteration: as many as a lane reads the scales of at once.
int64_t GemmEmitter::countGroup() const {
  int64_t group = 1;
  if (!isStaged())
    return group;
  for (const GemmOperand *side : getSides())
    if (side->scalesElements())
      group = std::max(group, side->getGroupSteps());
    else if (plan.scales == GemmPlan::Scales::Instruction)
      group = std::max(group, side->getScaleSteps());
  return group;
}

/// The sums and a step's products; of a block that is scaled, once they are all
/// in one.
void GemmEmitter::emitSums(
    MutableArrayRef<Value> sums, ArrayRef<Value> scales,
    function_ref<void(MutableArrayRef<Value>)> addProducts) {
  if (plan.scales != GemmPlan::Scales::Blocks)
    return addProducts(sums);
  SmallVector<Value> partial = getZeros();
  addProducts(partial);
  for (auto [i, sum] : llvm::enumerate(sums))
    sum = arith::AddFOp::create(
        b, sum, emitScaledBlock(ctx, partial[i], scales[0], scales[1 + i]));
}

SmallVector<Value> GemmEmitter::emitSteps() {
  bool scalesElements = plan.scales == GemmPlan::Scales::Elements;
  SmallVector<const GemmOperand *> sides = getSides();
  SmallVector<Value> start = getZeros();
  SmallVector<GemmOperand::Seen> seen(sides.size());
  auto forSeen = [&](function_ref<void(Value &)> visit) {
    for (GemmOperand::Seen &each : seen)
      for (Value *value : {&each.scale, &each.element})
        if (*value)
          visit(*value);
  };
  if (scalesElements)
    for (auto [side, ofSide] : llvm::zip_equal(sides, seen))
      ofSide = side->makeSeen();
  forSeen([&](Value &value) { start.push_back(value); });
  auto restore = [&](ValueRange carried) {
    carried = carried.drop_front(rights.size());
    forSeen([&](Value &value) {
      value = carried.front();
      carried = carried.drop_front();
    });
  };
  // Scales of several steps are read at once.
  int64_t group = countGroup();
  // Those of all of K, before the loop.
  SmallVector<Value> groups(sides.size()), scales(sides.size());
  for (auto [side, ofGroup] : llvm::zip_equal(sides, groups))
    if (side->scalesElements() && side->getGroupSteps() == 0)
      ofGroup = side->readScaleGroup(emitK(index(0)), /*steps=*/0);
  auto emitStep = [&](Value i, ValueRange carried) -> SmallVector<Value> {
    restore(carried);
    SmallVector<Value> next(carried.take_front(rights.size()));
    for (int64_t number = 0; number < group; ++number) {
      Value k = emitK(b.createOrFold<arith::AddIOp>(
          b.createOrFold<arith::MulIOp>(i, index(group)), index(number)));
      SmallVector<Value> elements;
      for (auto [side, ofSide, ofGroup, scale] :
           llvm::zip_equal(sides, seen, groups, scales)) {
        Value raw =
            side->dropPadding(Kind::Elements, side->read(Kind::Elements, k), k);
        if (side->scalesElements()) {
          int64_t together = std::min(group, side->getGroupSteps());
          if (together && number % together == 0)
            ofGroup = side->readScaleGroup(k, together);
          Value bytes = side->getScaleBytes(
              ofGroup, together, index(together ? number % together : 0));
          raw = scalesElements ? side->scaleElements(raw, bytes, ofSide)
                               : side->dequantize(raw, bytes, k);
        } else {
          raw = side->finish(Kind::Elements, raw);
        }
        elements.push_back(side->convert(raw));
        if (plan.scales == GemmPlan::Scales::Blocks)
          scale = side->loadBlockScale(k, isStaged());
        else if (plan.scales == GemmPlan::Scales::Instruction && !isStaged())
          scale = side->loadScales(k);
        else if (plan.scales == GemmPlan::Scales::Instruction &&
                 number % side->getScaleSteps() == 0)
          scale = side->loadScaleGroup(k, side->getScaleSteps());
      }
      emitSums(next, scales, [&](MutableArrayRef<Value> sums) {
        emitMmas(elements, scales, sums, number);
      });
    }
    forSeen([&](Value &value) { next.push_back(value); });
    return next;
  };
  scf::ForOp loop = ctx.loop(
      b.createOrFold<arith::DivUIOp>(steps, index(group)), start, emitStep);
  if (isStaged())
    ctx.markStaged(loop, /*isLong=*/true);
  else
    ctx.markPrefetched(loop);
  restore(loop.getResults());
  SmallVector<Value> sums(loop.getResults().take_front(rights.size()));
  if (scalesElements)
    check(sums, seen);
  return sums;
}

/// Computes anew what has met scales or elements that bf16 has no room for.
void GemmEmitter::check(MutableArrayRef<Value> sums,
                        ArrayRef<GemmOperand::Seen> seen) {
  for (auto [i, sum] : llvm::enumerate(sums))
    sum = emitCheckedSum(
        ctx, {&left, &rights[i]}, {seen[0], seen[1 + i]}, sum, steps,
        [&](Value step) { return emitK(step); },
        [&](ArrayRef<Value> elements, Value kept) {
          emitMmas(elements, /*scales=*/{}, kept);
          return kept;
        });
}

/// All of K, or this workgroup's split of it. Splits are alike but for one
/// unit; a unit is as many steps as a lane reads the scales of at once.
void GemmEmitter::bindSteps() {
  auto divide = [&](Value x, int64_t by) {
    return b.createOrFold<arith::DivUIOp>(
        b.createOrFold<arith::AddIOp>(x, index(by - 1)), index(by));
  };
  steps = divide(ctx.getDim(getSource(op.getA()), op.getKDimA()), getStep());
  if (op.getRest()) // H17: splits are alike
    return bindRest();
  if (!op.getSplitK())
    return;
  int64_t unit = countGroup(), splits = *op.getSplitK();
  Value units = divide(steps, unit);
  auto begin = [&](Value split) {
    Value number = b.createOrFold<arith::DivUIOp>(
        b.createOrFold<arith::MulIOp>(split, units), index(splits));
    return b.createOrFold<arith::MulIOp>(number, index(unit));
  };
  std::optional<int64_t> known = getConstantIntValue(units);
  if (known && *known % splits == 0) {
    steps = index(*known / splits * unit);
    first = b.createOrFold<arith::MulIOp>(ctx.matrix, steps);
    return;
  }
  first = begin(ctx.matrix);
  Value end = begin(b.createOrFold<arith::AddIOp>(ctx.matrix, index(1)));
  steps = arith::SubIOp::create(b, end, first);
}

/// All of K, or a split of it where this workgroup makes one.
void GemmEmitter::bindRest() {
  Value ofSplit = index(*getConstantIntValue(steps) / op.countSplits());
  first = b.createOrFold<arith::MulIOp>(ctx.split, ofSplit);
  steps = arith::SelectOp::create(b, ctx.isWhole, steps, ofSplit);
}

/// Where this workgroup makes a split, it stores the sums as they are; what
/// follows is for the other workgroups.
static void emitSplit(TileContext &ctx, GemmOp op, Value sums) {
  auto &b = ctx.b;
  auto branch = scf::IfOp::create(b, ctx.isWhole, /*withElseRegion=*/true);
  b.setInsertionPoint(branch.elseYield());
  TileContext last = ctx;
  last.matrix = ctx.split;
  last.setFirstRow(op.getRest());
  last.storeWide(sums, last.viewMatrix(ctx.getBuffers(op.getRest()).data,
                                       last.rows, last.cols));
  b.setInsertionPoint(branch.thenYield());
}

/// Sums times scales that are for all of K; of no products they are 0, whatever
/// the scales.
void GemmEmitter::scaleSums(MutableArrayRef<Value> sums) {
  Value k = ctx.getDim(getSource(op.getA()), op.getKDimA());
  Value isEmpty;
  if (!getConstantIntValue(k))
    isEmpty = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, k, index(0));
  for (auto [right, sum] : llvm::zip_equal(rights, sums)) {
    sum = emitScaledBlock(ctx, sum, left.loadSumScale(), right.loadSumScale());
    if (isEmpty)
      sum = arith::SelectOp::create(
          b, ctx.splat(isEmpty, withElementType(type, b.getI1Type())),
          ctx.constant(type, 0.0), sum);
  }
}

SmallVector<Value> GemmEmitter::emitProducts() {
  if (getConstantIntValue(ctx.getDim(getSource(op.getA()), op.getKDimA())) == 0)
    return getZeros();
  bindSteps();
  SmallVector<Value> sums = emitSteps();
  if (plan.scales == GemmPlan::Scales::Sum)
    scaleSums(sums);
  return sums;
}

namespace {
struct GemmLowering
    : TileLoweringInterface::ExternalModel<GemmLowering, GemmOp> {
  LogicalResult lowerToTile(Operation *operation, TileContext &ctx) const {
    auto op = cast<GemmOp>(operation);
    std::string why;
    std::optional<GemmPlan> plan = planGemm(op, ctx.target, why);
    if (!plan)
      return op.emitError() << why;
    if (!ctx.schedule.getMatmul())
      return op.emitError("the region's schedule does not say how te.gemm "
                          "is computed; run te-schedule (H14)");
    std::vector<TileContext> columns = getProductColumns(ctx, op);
    SmallVector<Value> results =
        GemmEmitter(ctx, columns, op, *plan).emitProducts();
    if (op.getRest())
      emitSplit(ctx, op, results.front());
    for (auto [own, result] : llvm::zip_equal(columns, results))
      result = ctx.round(emitGemmEpilogue(own, op, result),
                         op.getResult().getType().getElementType());
    defineProduct(ctx, op, results);
    return success();
  }
};
} // namespace

void te::attachGemmLowering(MLIRContext *context) {
  GemmOp::attachInterface<GemmLowering>(*context);
}
