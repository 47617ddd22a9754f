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
// What no kernel computes as it stands is made of other ops first (Prepare.h).
//
// A gated activation of a te.gemm's result joins its region where the estimates
// of schedules say that one kernel is faster: more rows, no need of pieces.
//
// A te.dequantize or a cast that only a te.gemm reads is a prologue of its
// region where that takes less than a kernel (Prologues.h).
//
// Slices and reshapes are copied into the regions that read them, as views.
// So is a te.permute of two dimensions: ops behind it work on the tiles of the
// others, turned. Ops that read slices of one tensor, or make parts of one, are
// one region of several parts; so are all te.update_scale that do not depend on
// each other.
//
// Limits: blocks of a function one by one; ops that only share a small operand
// (a scale, a gamma) stay apart.
//
//===----------------------------------------------------------------------===//

#include "Prepare.h"
#include "Prologues.h"

#include "te/Dialect/TE/Transforms/Passes.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

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
  Grouping(Block &block, const Target *target)
      : target(target), prologues(findPrologues(block, target)) {}
  void add(Operation *op);
  void wrap(StringRef function, unsigned &next);

private:
  bool isTied(const Group &group, Operation *op) const;
  std::optional<std::string> whyApart(ArrayRef<Operation *> ops) const;

  const Target *target; // null: limits are not looked at
  std::vector<Group> groups;
  Prologues prologues;
};
} // namespace

/// The large tensor that an op's operand is, or is a slice of; null where it is
/// a small one, or a constant.
static Value getTensorRead(OpOperand &operand) {
  Value root = getRoot(operand);
  if (getExtent(operand) != Extent::Tile || isImmediate(operand))
    return {};
  Value sliced = getSliceSource(root);
  return sliced ? sliced : root;
}

/// Who computes the tile that an operand is, perhaps with rows for columns.
static Operation *findProducer(OpOperand &operand) {
  Value source = getTurnedSource(operand.get());
  return (source ? source : getRoot(operand)).getDefiningOp();
}

/// True where `op` reads what the group computes, or the same large tensor; ops
/// that walk down columns are one launch, for it costs more than they do.
bool Grouping::isTied(const Group &group, Operation *op) const {
  if (needsWholeColumns(op) && llvm::any_of(group.ops, needsWholeColumns))
    return true;
  for (OpOperand &operand : op->getOpOperands()) {
    Operation *producer = findProducer(operand);
    if (producer && llvm::is_contained(group.ops, producer))
      return true;
    Value source = getTensorRead(operand);
    for (Operation *other : group.ops)
      for (OpOperand &theirs : other->getOpOperands())
        if (source && getTensorRead(theirs) == source)
          return true;
  }
  return false;
}

/// An op outside of `ops` that depends on one of them, and on which one
/// depends: null where there is none. Of another group all ops are computed
/// together.
static Operation *findBetween(ArrayRef<Operation *> ops,
                              ArrayRef<Group> groups) {
  llvm::SmallPtrSet<Operation *, 16> inside(llvm::from_range, ops), seen;
  auto getGroup = [&](Operation *const &op) -> ArrayRef<Operation *> {
    auto it = llvm::find_if(groups, [&](const Group &group) {
      return llvm::is_contained(group.ops, op);
    });
    return it == groups.end() ? ArrayRef<Operation *>(op)
                              : ArrayRef<Operation *>(it->ops);
  };
  SmallVector<std::pair<Operation *, Operation *>> work; // op, where it began
  auto push = [&](Operation *op, Operation *began) {
    for (OpOperand &operand : op->getOpOperands()) {
      // From inside to inside, perhaps reshaped or turned: not between.
      Operation *root = findProducer(operand);
      Operation *producer = operand.get().getDefiningOp();
      if (producer && !(inside.contains(root) && !began))
        work.push_back({producer, began ? began : producer});
    }
  };
  for (Operation *op : ops)
    push(op, nullptr);
  while (!work.empty()) {
    auto [op, began] = work.pop_back_val();
    if (inside.contains(op))
      return began;
    for (Operation *together : getGroup(op))
      if (seen.insert(together).second)
        push(together, began);
  }
  return nullptr;
}

/// Why the chip can't run the ops as one kernel, or is faster with two.
static std::optional<std::string> whyTwo(ArrayRef<Operation *> ops,
                                         const Target &target) {
  TileDemand demand = getTileDemand(ops);
  if (std::optional<std::string> violation = findViolation(
          demand, chooseSchedule(ops.front()->getContext(), demand, target),
          target))
    return violation;
  return ops.back() == findGate(ops) ? findGateLoss(ops, target) : std::nullopt;
}

std::optional<std::string> Grouping::whyApart(ArrayRef<Operation *> ops) const {
  if (std::optional<Conflict> conflict = findConflict(ops))
    return conflict->why;
  if (Operation *between = findBetween(ops, groups))
    return ("'" + between->getName().getStringRef() +
            "', which is not in the region, comes between")
        .str();
  return target ? whyTwo(ops, *target) : std::nullopt;
}

void Grouping::add(Operation *op) {
  if (prologues.ops.contains(op))
    return;
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
      Operation *last = group.ops.back();
      std::string loss = prologues.losses.lookup(last);
      merged.apart.push_back(("not with '" + last->getName().getStringRef() +
                              "': " + (loss.empty() ? *why : loss))
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

/// The tensor that an operand is, or that it is a part of or turns, in the
/// shape that it has there, and without reshapes.
static std::pair<Value, Value> getWhole(Value value) {
  Value source = getSliceSource(value);
  if (!source)
    return {value, getTileRoot(value)};
  Value whole;
  for (; value != source; value = value.getDefiningOp()->getOperand(0))
    if (isa<tensor::ExtractSliceOp, PermuteOp>(value.getDefiningOp()))
      whole = value.getDefiningOp()->getOperand(0);
  return {whole, source};
}

namespace {
/// What a group needs from outside, and gives.
struct Surroundings {
  Surroundings(const Group &group, const Prologues &prologues)
      : ops(group.ops), prologues(prologues) {
    llvm::SmallDenseMap<Value, Value> readAs;
    for (Operation *op : group.ops)
      for (OpOperand &operand : op->getOpOperands()) {
        auto [tensor, root] = getWhole(operand.get());
        if (getExtent(operand) == Extent::Tile &&
            readAs.try_emplace(root, tensor).first->second != tensor)
          reshaped.insert(root);
      }
    for (Operation *op : group.ops)
      for (OpOperand &operand : op->getOpOperands())
        read(operand.get(),
             readsTiles(operand) ? getRoot(operand) : operand.get());
    for (Operation *op : group.ops)
      for (OpResult result : op->getResults())
        if (isReadOutside(result))
          yielded.push_back(result);
    llvm::stable_sort(yielded,
                      [](Value a, Value b) { return isAmax(a) < isAmax(b); });
  }

  bool isInside(Operation *op) const {
    return op && (llvm::is_contained(ops, op) || copied.contains(op));
  }

  ArrayRef<Operation *> ops;
  const Prologues &prologues;
  SetVector<Value> inputs;
  SetVector<Operation *> copied; // constants, views and prologues
  SmallVector<Value> yielded;

private:
  llvm::SmallDenseSet<Value> reshaped; // read in several shapes

  /// A reshape of a whole buffer is a buffer; other views, and what is between
  /// two ops of the group or makes one tensor of two, go into the region.
  void read(Value value, Value root) {
    Operation *producer = value.getDefiningOp();
    if (isInside(producer))
      return;
    bool isCopied = isa_and_present<arith::ConstantOp>(producer);
    Value source = getSliceSource(value);
    bool isCopiedView =
        producer && isView(producer) &&
        (source || isInside(root.getDefiningOp()) || reshaped.contains(root));
    if (isCopiedView || prologues.ops.contains(producer)) {
      isCopied = true;
      for (Value operand : producer->getOperands())
        read(operand, source ? source : root);
    }
    if (isCopied)
      copied.insert(producer);
    else
      inputs.insert(value);
  }
  bool isReadOutside(Value value) const {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      return copied.contains(user) ? isReadOutside(user->getResult(0))
                                   : !isInside(user);
    });
  }
};
} // namespace

static void eraseWithViews(Operation *op) {
  for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
    eraseWithViews(user);
  op->erase();
}

/// Parts of a concat that the group does not compute are copied by it.
static void addCopies(Group &group) {
  for (Operation *op : SmallVector<Operation *>(group.ops))
    for (OpOperand &operand : op->getOpOperands()) {
      Value root = getRoot(operand);
      if (getExtent(operand) != Extent::Parts ||
          llvm::is_contained(group.ops, root.getDefiningOp()))
        continue;
      SmallVector<Operation *> reshapes;
      for (Value value = operand.get(); value != root;
           value = reshapes.back()->getOperand(0))
        reshapes.push_back(value.getDefiningOp());
      OpBuilder builder(op);
      auto copy = CopyOp::create(builder, op->getLoc(), root);
      IRMapping mapping;
      mapping.map(root, copy.getResult());
      for (Operation *reshape : llvm::reverse(reshapes))
        builder.clone(*reshape, mapping);
      operand.set(mapping.lookup(operand.get()));
      group.ops.insert(llvm::find(group.ops, op), copy);
    }
}

/// Moves the ops of `group` into a region, which stands where the last one did.
static void wrap(Group &group, StringRef kernel, const Prologues &prologues) {
  addCopies(group);
  OpBuilder builder(group.ops.back());
  Surroundings region(group, prologues);
  auto fusion = FusionOp::create(
      builder, group.ops.back()->getLoc(),
      TypeRange(ValueRange(region.yielded)), region.inputs.getArrayRef(),
      /*inits=*/ValueRange(), kernel, ScheduleAttr(), ArrayAttr());
  if (!group.apart.empty())
    fusion.setApartAttr(builder.getStrArrayAttr(
        SmallVector<StringRef>(group.apart.begin(), group.apart.end())));
  Block &body = fusion.getBody().emplaceBlock();
  IRMapping mapping;
  for (Value input : region.inputs)
    mapping.map(input, body.addArgument(input.getType(), input.getLoc()));
  builder.setInsertionPointToEnd(&body);
  SmallVector<Operation *> all(region.copied.getArrayRef());
  llvm::append_range(all, group.ops);
  llvm::sort(all,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : all)
    builder.clone(*op, mapping);
  YieldOp::create(builder, fusion.getLoc(),
                  llvm::map_to_vector(region.yielded, [&](Value value) {
                    return mapping.lookup(value);
                  }));
  for (auto [value, result] :
       llvm::zip_equal(region.yielded, fusion.getResults()))
    value.replaceAllUsesWith(result);
  for (Operation *op : llvm::reverse(group.ops))
    eraseWithViews(op);
}

/// Constants of a region that are not immediates become its arguments.
static void hoistConstants(FusionOp fusion) {
  Block &body = fusion.getBody().front();
  OpBuilder builder(fusion);
  for (auto constant :
       llvm::make_early_inc_range(body.getOps<arith::ConstantOp>())) {
    Value argument;
    for (OpOperand &use : llvm::make_early_inc_range(constant->getUses())) {
      if (!isa<ShapedType>(constant.getType()) || isImmediate(use))
        continue;
      if (!argument) {
        fusion.getInputsMutable().append(
            builder.clone(*constant)->getResult(0));
        argument = body.addArgument(constant.getType(), constant.getLoc());
      }
      use.set(argument);
    }
    if (constant->use_empty())
      constant.erase();
  }
}

void Grouping::wrap(StringRef function, unsigned &next) {
  for (Group &group : groups)
    ::wrap(group, (function + "_" + Twine(next++)).str(), prologues);
  for (Operation *op : prologues.ops)
    op->erase();
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
    func.walk(hoistConstants); // of regions that someone wrote
    prepare(func);
    unsigned next = llvm::range_size(func.getOps<FusionOp>());
    for (Block &block : func.getBody()) {
      Grouping grouping(block, chip);
      for (Operation &op : block)
        if (isRegionOp(&op))
          grouping.add(&op);
      grouping.wrap(func.getSymName(), next);
      // A region stands where its last op did; who reads a result of an earlier
      // one comes after it.
      sortTopologically(&block);
    }
    func.walk(hoistConstants);
    dropDead(func); // regions have copies
  }
};
} // namespace
