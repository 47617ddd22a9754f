//===- Grouping.cpp - which ops of a block will be one region -------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Grouping.h"
#include "RegionBuilder.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::te;

/// The most ops of a region. It costs nothing to cut where it is reached: a
/// chip does about a hundred f32 operations in the time in which it reads and
/// writes an f32 (gfx942: 163e12 / 2 a second, and 5.3e12 / 8), so that each
/// half is bound by its arithmetic still. What looking at a region costs grows
/// faster than its ops.
static constexpr unsigned kMaxRegionOps = 128;

/// Ops that te-fuse looks at to find company for one, so that its time is
/// linear in the length of any program.
static constexpr unsigned kMaxEffort = 1 << 12;

/// The large tensor that an op's operand is, or is a slice of; null where it is
/// a small one, or a constant.
static Value getTensorRead(OpOperand &operand) {
  Value root = getRoot(operand);
  if (!getMap(operand).isTile() || isImmediate(operand))
    return {};
  Value sliced = getSliceSource(root);
  return sliced ? sliced : root;
}

/// Who computes the tile that an operand is, perhaps with rows for columns.
static Operation *findProducer(OpOperand &operand) {
  Value source = getTransposedSource(operand.get());
  return (source ? source : getRoot(operand)).getDefiningOp();
}

Grouping::Grouping(Block &block, const Target *target)
    : target(target), prologues(findPrologues(block, target)) {
  for (auto [position, op] : llvm::enumerate(block))
    positions[&op] = position;
  for (Operation &op : block)
    if (isRegionOp(&op) && !prologues.ops.contains(&op))
      add(&op);
    else
      place(&op);
}

std::vector<Group> Grouping::takeGroups() {
  llvm::erase_if(groups, [](const Group &group) { return group.ops.empty(); });
  return std::move(groups);
}

/// All ops that are computed together with `op`.
ArrayRef<Operation *> Grouping::getGroup(Operation *const &op) const {
  auto it = groupOf.find(op);
  return it == groupOf.end() ? ArrayRef<Operation *>(op)
                             : ArrayRef<Operation *>(groups[it->second].ops);
}

/// Notes what `ops`, which are computed together, depend on; and so all that
/// depends on them.
void Grouping::place(ArrayRef<Operation *> ops) {
  unsigned last = 0;
  for (Operation *op : ops) {
    last = std::max(last, positions.lookup(op));
    for (Value operand : op->getOperands())
      last = std::max(last, latest.lookup(operand.getDefiningOp()));
  }
  SmallVector<Operation *> work(ops);
  for (Operation *op : ops)
    latest[op] = last;
  while (!work.empty())
    for (Operation *user : work.pop_back_val()->getUsers()) {
      auto it = latest.find(user);
      if (it == latest.end() || it->second >= last)
        continue;
      for (Operation *together : getGroup(user)) {
        latest[together] = last;
        work.push_back(together);
      }
    }
}

/// Groups before number `before` that compute what `op` reads, or read the same
/// large tensor; ops that compute whole columns are one launch, for it costs
/// more than they do.
void Grouping::addTies(Operation *op, unsigned before, Ids &tied) {
  auto add = [&](SmallVector<unsigned> &numbers) {
    llvm::erase_if(numbers, [&](unsigned i) { return groups[i].ops.empty(); });
    for (unsigned number : numbers)
      if (number < before)
        tied.insert(number);
  };
  if (needsWholeColumns(op))
    add(columnOps);
  for (OpOperand &operand : op->getOpOperands()) {
    auto it = groupOf.find(findProducer(operand));
    if (it != groupOf.end() && it->second < before)
      tied.insert(it->second);
    if (Value source = getTensorRead(operand))
      add(readers[source]);
  }
}

/// An op outside of `ops` that depends on one of them, and on which one
/// depends. Of another group all ops are computed together.
std::optional<std::string> Grouping::whyBetween(ArrayRef<Operation *> ops) {
  llvm::SmallPtrSet<Operation *, 16> inside(llvm::from_range, ops), seen;
  unsigned first = positions.lookup(ops.front());
  SmallVector<std::pair<Operation *, Operation *>> work; // op, where it began
  auto push = [&](Operation *op, Operation *began) {
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *producer = operand.get().getDefiningOp();
      if (!producer || latest.lookup(producer) < first)
        continue;
      // From inside to inside, perhaps reshaped or transposed: not between.
      if (began || !inside.contains(findProducer(operand)))
        work.push_back({producer, began ? began : producer});
    }
  };
  for (Operation *op : ops)
    push(op, nullptr);
  while (!work.empty()) {
    auto [op, began] = work.pop_back_val();
    if (inside.contains(op))
      return ("'" + began->getName().getStringRef() +
              "', which is not in the region, comes between")
          .str();
    ++numSearched;
    if (++effort > kMaxEffort)
      return "too many ops may come between, more than " +
             std::to_string(kMaxEffort);
    for (Operation *together : getGroup(op))
      if (seen.insert(together).second)
        push(together, began);
  }
  return std::nullopt;
}

/// Why the chip can't run the ops as one kernel, or is faster with two.
static std::optional<std::string> whyTwo(ArrayRef<Operation *> ops,
                                         const Target &target) {
  TileDemand demand = getTileDemand(ops);
  if (std::optional<std::string> violation = findViolation(
          demand, chooseSchedule(ops.front()->getContext(), demand, target),
          target))
    return violation;
  return findEpilogueLoss(ops, target);
}

std::optional<std::string> Grouping::whyNotFused(ArrayRef<Operation *> ops) {
  if (ops.size() > kMaxRegionOps)
    return "a region has at most " + std::to_string(kMaxRegionOps) + " ops";
  effort += ops.size();
  numTried += ops.size();
  if (std::optional<Conflict> conflict = findConflict(ops))
    return conflict->why;
  if (std::optional<std::string> between = whyBetween(ops))
    return between;
  if (!target)
    return std::nullopt;
  if (!findGemm(ops))
    return whyTwo(ops, *target);
  // A te.gemm has many schedules to choose from; equal layers ask once.
  OpBuilder detached(ops.front()->getContext());
  return answers.get(buildRegion(detached, ops, "trial", prologues).fusion,
                     [&] { return whyTwo(ops, *target); });
}

void Grouping::add(Operation *op) {
  effort = 0;
  Builder builder(op->getContext());
  Group merged{{op}, {}};
  Ids tied;
  addTies(op, groups.size(), tied);
  while (!tied.empty() && effort <= kMaxEffort) {
    unsigned number = *tied.begin();
    tied.erase(tied.begin());
    Group &group = groups[number];
    SmallVector<Operation *> together;
    std::merge(group.ops.begin(), group.ops.end(), merged.ops.begin(),
               merged.ops.end(), std::back_inserter(together),
               [&](Operation *a, Operation *b) {
                 return positions.lookup(a) < positions.lookup(b);
               });
    if (std::optional<std::string> why = whyNotFused(together)) {
      Operation *last = group.ops.back();
      std::string loss = prologues.losses.lookup(last);
      merged.notFused.insert(
          builder.getStringAttr("not with '" + last->getName().getStringRef() +
                                "': " + (loss.empty() ? *why : loss)));
      continue;
    }
    for (Operation *taken : group.ops)
      addTies(taken, number, tied);
    merged.ops = std::move(together);
    merged.notFused.insert_range(group.notFused);
    group = Group();
  }
  unsigned number = groups.size();
  auto enter = [&](SmallVector<unsigned> &numbers) {
    if (numbers.empty() || numbers.back() != number)
      numbers.push_back(number);
  };
  for (Operation *member : merged.ops) {
    groupOf[member] = number;
    if (needsWholeColumns(member))
      enter(columnOps);
    for (OpOperand &operand : member->getOpOperands())
      if (Value source = getTensorRead(operand))
        enter(readers[source]);
  }
  groups.push_back(std::move(merged));
  place(groups.back().ops);
}
