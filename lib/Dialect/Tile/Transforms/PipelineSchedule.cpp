//===- PipelineSchedule.cpp - what of a loop overlaps ---------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What both kinds of schedule have in common. Constants, and numbers and views
// that follow from the induction variable, are addresses: each stage computes
// its own.
//
//===----------------------------------------------------------------------===//

#include "PipelineSchedule.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::te::tile;

DenseSet<Operation *> te::tile::findLate(scf::ForOp loop) {
  DenseSet<Operation *> late;
  for (Operation &op : loop.getBody()->without_terminator()) {
    bool isLate = false;
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *def = operand.getDefiningOp();
        isLate |= llvm::is_contained(loop.getRegionIterArgs(), operand) ||
                  (def &&
                   (late.contains(def) || (isa<MmaOp>(def) && !isa<MmaOp>(op) &&
                                           def->getBlock() == loop.getBody())));
      }
    });
    if (isLate)
      late.insert(&op);
  }
  return late;
}

std::unique_ptr<PipelineSchedule> PipelineSchedule::create(scf::ForOp loop,
                                                           int64_t slots) {
  DenseSet<Operation *> late = findLate(loop);
  bool hasEarly = false, hasLate = false;
  for (auto mma : loop.getBody()->getOps<MmaOp>())
    (late.contains(mma) ? hasLate : hasEarly) = true;
  return hasEarly == hasLate ? makeAlternatingSchedule(loop, slots)
                             : makeProductSchedule(loop);
}

bool PipelineSchedule::isAddress(Operation *op) {
  return isPure(op) && op->getNumRegions() == 0 && !late.contains(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           Operation *def = operand.getDefiningOp();
           return !def || def->getBlock() != loop.getBody() ||
                  addresses.contains(def);
         });
}

int64_t PipelineSchedule::getStageOfUsers(Operation *op) const {
  int64_t stage = getLastStage();
  for (Operation *user : op->getUsers())
    if (auto it = places.find(getInBody(user)); it != places.end())
      stage = std::min(stage, it->second.stage);
  return stage;
}

/// One for each stage that needs it. They stand before what needs them.
void PipelineSchedule::cloneAddresses() {
  SmallVector<Operation *> all;
  for (Operation &op : loop.getBody()->without_terminator())
    if (addresses.contains(&op))
      all.push_back(&op);
  constexpr int64_t last = std::numeric_limits<int64_t>::max();
  for (Operation *op : llvm::reverse(all)) {
    DenseMap<int64_t, Operation *> ofStage;
    for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
      auto it = places.find(getInBody(use.getOwner()));
      int64_t stage = it == places.end() ? getLastStage() : it->second.stage;
      Operation *&made = ofStage[stage];
      if (!made) {
        made = ofStage.size() == 1 ? op : op->clone();
        if (made != op)
          OpBuilder(op).insert(made);
        places[made] = {stage, last};
      }
      use.set(made->getResult(cast<OpResult>(use.get()).getResultNumber()));
    }
    places.try_emplace(op, Place{getLastStage(), last});
  }
}

/// What an op needs of its own stage stands before it.
void PipelineSchedule::sort() {
  SmallVector<Operation *> ops;
  for (Operation &op : loop.getBody()->without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops)) {
    Place &own = places[op];
    for (Operation *user : op->getUsers())
      if (auto it = places.find(getInBody(user));
          it != places.end() && it->second.stage == own.stage)
        own = std::min(own, it->second);
  }
  llvm::stable_sort(
      ops, [&](Operation *x, Operation *y) { return places[x] < places[y]; });
  int64_t first = 0;
  for (Operation *op : ops)
    first = std::min(first, places[op].stage);
  for (Operation *op : ops)
    order.push_back({op, unsigned(places[op].stage - first)});
}

LogicalResult PipelineSchedule::compute() {
  if (failed(prepare()))
    return failure();
  for (Operation &op : loop.getBody()->without_terminator())
    if (isAddress(&op))
      addresses.insert(&op);
  for (Operation &op : llvm::reverse(loop.getBody()->without_terminator()))
    if (!addresses.contains(&op))
      places[&op] = choose(&op);
  cloneAddresses();
  sort();
  return success();
}
