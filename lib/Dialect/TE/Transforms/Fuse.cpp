//===- Fuse.cpp - te-fuse -------------------------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gathers ops into te.fusion regions: one region is one kernel. First pass of
// the pipeline:  te-opt
// --pass-pipeline='builtin.module(func.func(te-fuse{target=gfx950}))'
//
//   %n, %r = te.rms_norm %x, %g ...
//   %q = te.quantize %n : ...
// ==>
//   %q = te.fusion "f_0" (%a = %x, %b = %g : ...) -> (...) {
//     %n, %r = te.rms_norm %a, %b ...
//     %0 = te.quantize %n : ...
//     te.yield %0 : ...
//   }
//
// Ops come in the order of the program; each joins the regions that it shares
// a tile with, a producer's or one that reads the same tensor, as long as the
// rules of a region hold (te/Analysis/Region.h), nothing between depends on
// it, and a schedule fits. Values are the unfused program's, for each op rounds
// as its types say.
//
// Current scaling needs the whole tensor's amax before the first element is
// cast: that is a kernel of its own, or part of its producer's.
//
//   %q, %m = te.quantize %x : ...
// ==>
//   %m = te.amax %x : ...
//   %q = te.quantize %x amax(%m : tensor<f32>) : ...
//
// A te.transpose or te.relayout of what te.quantize makes becomes a result of
// that op (its canonicalizations).
//
// Limits: blocks of a function one by one; ops that only share a small operand
// (a scale, a gamma) stay apart.
//
//===----------------------------------------------------------------------===//

#include "te/Analysis/ResourceModel.h"
#include "te/Dialect/TE/Transforms/Passes.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::te;

namespace mlir::te {
#define GEN_PASS_DEF_FUSEPASS
#include "te/Dialect/TE/Transforms/Passes.h.inc"
} // namespace mlir::te

namespace {
/// Ops that will be one region, in the order of the program.
struct Group {
  SmallVector<Operation *> ops;
  SmallVector<std::string> apart; // why others that it is tied to are not here
};

/// The groups of one block.
class Grouping {
public:
  explicit Grouping(const Target *target) : target(target) {}
  void add(Operation *op);
  void wrap(StringRef function, unsigned &next);

private:
  bool isTied(const Group &group, Operation *op) const;
  std::optional<std::string> whyApart(ArrayRef<Operation *> ops) const;

  const Target *target; // null: limits are not looked at
  std::vector<Group> groups;
};
} // namespace

/// True where `op` reads what the group computes, or the same large tensor.
bool Grouping::isTied(const Group &group, Operation *op) const {
  for (OpOperand &operand : op->getOpOperands()) {
    Operation *producer = operand.get().getDefiningOp();
    if (producer && llvm::is_contained(group.ops, producer))
      return true;
    if (getExtent(operand) != Extent::Tile ||
        (producer && isSplatConstant(producer)))
      continue;
    for (Operation *other : group.ops)
      for (OpOperand &theirs : other->getOpOperands())
        if (theirs.get() == operand.get() && getExtent(theirs) == Extent::Tile)
          return true;
  }
  return false;
}

/// An op outside of `ops` that depends on one of them, and on which one
/// depends: null where there is none.
static Operation *findBetween(ArrayRef<Operation *> ops) {
  llvm::SmallPtrSet<Operation *, 16> inside(llvm::from_range, ops), seen;
  SmallVector<std::pair<Operation *, Operation *>> work; // op, where it began
  auto push = [&](Operation *op, Operation *began) {
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        if (!(inside.contains(producer) && !began))
          work.push_back({producer, began ? began : producer});
  };
  for (Operation *op : ops)
    push(op, nullptr);
  while (!work.empty()) {
    auto [op, began] = work.pop_back_val();
    if (inside.contains(op))
      return began;
    if (seen.insert(op).second)
      push(op, began);
  }
  return nullptr;
}

/// Why the chip can't run the ops as one kernel.
static std::optional<std::string> whyTooLarge(ArrayRef<Operation *> ops,
                                              const Target &target) {
  TileDemand demand = getTileDemand(ops);
  return findViolation(
      demand, chooseSchedule(ops.front()->getContext(), demand, target),
      target);
}

std::optional<std::string> Grouping::whyApart(ArrayRef<Operation *> ops) const {
  if (std::optional<Conflict> conflict = findConflict(ops))
    return conflict->why;
  if (Operation *between = findBetween(ops))
    return ("'" + between->getName().getStringRef() +
            "', which is not in the region, comes between")
        .str();
  return target ? whyTooLarge(ops, *target) : std::nullopt;
}

void Grouping::add(Operation *op) {
  Group merged{{op}, {}};
  for (Group &group : llvm::reverse(groups)) {
    if (!isTied(group, op) && !llvm::any_of(merged.ops, [&](Operation *o) {
          return isTied(group, o);
        }))
      continue;
    SmallVector<Operation *> together(group.ops);
    llvm::append_range(together, merged.ops);
    llvm::sort(together, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    if (std::optional<std::string> why = whyApart(together)) {
      merged.apart.push_back(("not with '" +
                              group.ops.back()->getName().getStringRef() +
                              "': " + *why)
                                 .str());
      continue;
    }
    merged.ops = std::move(together);
    llvm::append_range(merged.apart, group.apart);
    group.ops.clear();
  }
  llvm::erase_if(groups, [](const Group &group) { return group.ops.empty(); });
  groups.push_back(std::move(merged));
}

/// Moves the ops of `group` into a region, which stands where the last one did.
static void wrap(const Group &group, StringRef kernel) {
  OpBuilder builder(group.ops.back());
  SetVector<Value> inputs, outputs;
  SetVector<Operation *> constants;
  auto isInside = [&](Operation *op) {
    return op && llvm::is_contained(group.ops, op);
  };
  for (Operation *op : group.ops) {
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (producer && isSplatConstant(producer))
        constants.insert(producer);
      else if (!isInside(producer))
        inputs.insert(operand);
    }
    for (OpResult result : op->getResults())
      if (!llvm::all_of(result.getUsers(), isInside))
        outputs.insert(result);
  }
  SmallVector<Value> yielded = outputs.takeVector();
  llvm::stable_sort(yielded,
                    [](Value a, Value b) { return isAmax(a) < isAmax(b); });
  auto fusion = FusionOp::create(
      builder, group.ops.back()->getLoc(), TypeRange(ValueRange(yielded)),
      inputs.getArrayRef(), kernel, ScheduleAttr(), ArrayAttr());
  if (!group.apart.empty())
    fusion.setApartAttr(builder.getStrArrayAttr(
        SmallVector<StringRef>(group.apart.begin(), group.apart.end())));
  Block &body = fusion.getBody().emplaceBlock();
  IRMapping mapping;
  for (Value input : inputs)
    mapping.map(input, body.addArgument(input.getType(), input.getLoc()));
  builder.setInsertionPointToEnd(&body);
  for (Operation *constant : constants)
    builder.clone(*constant, mapping);
  for (Operation *op : group.ops)
    builder.clone(*op, mapping);
  YieldOp::create(builder, fusion.getLoc(),
                  llvm::map_to_vector(yielded, [&](Value value) {
                    return mapping.lookup(value);
                  }));
  for (auto [value, result] : llvm::zip_equal(yielded, fusion.getResults()))
    value.replaceAllUsesWith(result);
  for (Operation *op : llvm::reverse(group.ops))
    op->erase();
}

void Grouping::wrap(StringRef function, unsigned &next) {
  for (const Group &group : groups)
    ::wrap(group, (function + "_" + Twine(next++)).str());
}

static SmallVector<OpResult> getResults(QuantizeOp op,
                                        Granularity granularity) {
  return llvm::filter_to_vector(op.getScaledResults(), [&](OpResult result) {
    return cast<ScaledType>(result.getType()).getScaling().getGranularity() ==
           granularity;
  });
}

/// True where a result's scale needs the amax of the whole tensor, which no
/// operand gives.
static bool needsAmax(QuantizeOp op) {
  return !op.getScale() && !op.getAmax() &&
         !getResults(op, Granularity::Tensor).empty();
}

/// One op for each granularity among the results, so that no scheme is held to
/// another's tile (they share a region where one fits all). The amax is an op
/// too: what current scaling is computed from.
static void split(QuantizeOp op) {
  OpBuilder builder(op);
  auto scalar = RankedTensorType::get({}, builder.getF32Type());
  bool isCurrent = needsAmax(op);
  OpResult given = op.getAmaxResult();
  Value amax;
  if (isCurrent || given)
    amax = AmaxOp::create(builder, op.getLoc(), scalar, op.getInput(),
                          op.getNoop());
  for (Granularity granularity :
       {Granularity::Tensor, Granularity::Row, Granularity::Block}) {
    SmallVector<OpResult> results = getResults(op, granularity);
    if (results.empty())
      continue;
    SmallVector<Type> types = llvm::map_to_vector(
        results, [](OpResult result) { return result.getType(); });
    bool takesAmax = isCurrent && granularity == Granularity::Tensor;
    auto part = QuantizeOp::create(
        builder, op.getLoc(), types, op.getInput(), op.getScale(),
        takesAmax ? amax : Value(), op.getNoop(), op.getRng(), op.getHadamard(),
        op.getSignMaskAttr(), op.getStochastic(), op.getEpsilonAttr());
    for (auto [before, after] : llvm::zip_equal(results, part.getResults()))
      before.replaceAllUsesWith(after);
  }
  if (given)
    given.replaceAllUsesWith(amax);
  op.erase();
}

namespace {
struct FusePass : te::impl::FusePassBase<FusePass> {
  using FusePassBase::FusePassBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    const Target *chip = nullptr;
    if (!target.empty()) {
      llvm::Expected<const Target *> found = Target::get(target);
      if (!found) {
        func.emitError(llvm::toString(found.takeError()));
        return signalPassFailure();
      }
      chip = *found;
    }
    RewritePatternSet orders(&getContext());
    TransposeDataOp::getCanonicalizationPatterns(orders, &getContext());
    RelayoutOp::getCanonicalizationPatterns(orders, &getContext());
    walkAndApplyPatterns(func, std::move(orders));
    SmallVector<QuantizeOp> mixed;
    func.walk([&](QuantizeOp op) {
      bool hasRows = !getResults(op, Granularity::Row).empty(),
           hasBlocks = !getResults(op, Granularity::Block).empty();
      if ((needsAmax(op) || (hasRows && hasBlocks)) &&
          !op->getParentOfType<FusionOp>())
        mixed.push_back(op);
    });
    llvm::for_each(mixed, split);
    unsigned next = llvm::range_size(func.getOps<FusionOp>());
    for (Block &block : func.getBody()) {
      Grouping grouping(chip);
      for (Operation &op : block)
        if (isRegionOp(&op))
          grouping.add(&op);
      grouping.wrap(func.getSymName(), next);
      // A region stands where its last op did; who reads a result of an earlier
      // one comes after it.
      sortTopologically(&block);
      dropDeadConstants(block);
    }
  }

  static void dropDeadConstants(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block))
      if (op.use_empty() && isSplatConstant(&op))
        op.erase();
  }
};
} // namespace
