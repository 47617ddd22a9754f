//===- AlternatingSchedule.cpp - products and vector work alternate ------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product that needs nothing that the loop carries is a stage before
// what is computed from it; a tile.async_copy is as many stages before the
// tile.local_load as its ring has other slots, a tile.local_store one, and what
// is stored is loaded one more in front.
//
//   %o' = .. exp(%s) ..     vector work on the products of the last iteration
//   tile.async_wait              a barrier
//   tile.async_copy ..           loads
//   tile.mma ..             products
//
//===----------------------------------------------------------------------===//

#include "PipelineSchedule.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::te::tile;

namespace {
class AlternatingSchedule : public PipelineSchedule {
public:
  AlternatingSchedule(scf::ForOp loop, int64_t slots);
  int64_t countCopies() const override { return slots; }
  bool mayPeel() const override { return false; }

protected:
  Place choose(Operation *op) override;
  int64_t getLastStage() const override { return last; }

private:
  /// In an iteration, what comes first: vector work on products of the last
  /// one, a barrier, loads, products, and what works on these. Loads that have
  /// more than an iteration's time stand after the first of several products.
  enum Rank {
    Vector,
    Arrival,
    Departure,
    FirstMatrix,
    Between,
    Matrix,
    Result
  };

  void findResults();
  int64_t chooseStage(Operation *op);
  Rank chooseRank(Operation *op);

  int64_t slots;
  DenseSet<Operation *> results;
  DenseMap<Value, int64_t> localLoads; // the stage that reads from a ring
  int64_t last = 0;                    // the stage of what the loop carries
};
} // namespace

AlternatingSchedule::AlternatingSchedule(scf::ForOp loop, int64_t slots)
    : PipelineSchedule(loop), slots(slots) {
  late = findLate(loop);
  findResults();
  bool hasEarly = false, hasLate = false;
  for (auto mma : loop.getBody()->getOps<MmaOp>()) {
    (late.contains(mma) ? hasLate : hasEarly) = true;
    products.push_back(mma);
  }
  last = hasEarly && hasLate;
}

/// What works on products of its own stage, or on what is taken for one.
void AlternatingSchedule::findResults() {
  for (Operation &op : loop.getBody()->without_terminator())
    if (!isa<MmaOp>(op) && llvm::any_of(op.getOperands(), [&](Value operand) {
          Operation *def = operand.getDefiningOp();
          return def && late.contains(def) == late.contains(&op) &&
                 (isa<MmaOp, LocalLoadOp>(def) || results.contains(def));
        }))
      results.insert(&op);
}

int64_t AlternatingSchedule::chooseStage(Operation *op) {
  auto getSlots = [](Value ring) {
    return cast<MemRefType>(ring.getType()).getDimSize(0);
  };
  auto getLoaded = [&](Value ring) {
    auto it = localLoads.find(ring);
    return it == localLoads.end() ? last : it->second;
  };
  if (auto copy = dyn_cast<AsyncCopyOp>(op))
    return getLoaded(copy.getRing()) - getSlots(copy.getRing()) + 1;
  if (auto localStore = dyn_cast<LocalStoreOp>(op))
    return getLoaded(localStore.getRing()) - 1;
  if (isa<AsyncWaitOp>(op)) { // before what is taken after it
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
      if (auto localLoad = dyn_cast<LocalLoadOp>(next))
        return getLoaded(localLoad.getRing());
    return last;
  }
  if (late.contains(op))
    return last;
  if (isa<MmaOp>(op))
    return 0;
  int64_t stage = getStageOfUsers(op);
  if (auto localLoad = dyn_cast<LocalLoadOp>(op)) {
    auto [it, isNew] = localLoads.try_emplace(localLoad.getRing(), stage);
    it->second = std::min(it->second, stage);
  }
  return isa<LoadOp>(op) ? stage - 1 : stage;
}

AlternatingSchedule::Rank AlternatingSchedule::chooseRank(Operation *op) {
  if (isa<AsyncWaitOp>(op))
    return Arrival;
  if (isa<AsyncCopyOp, LocalStoreOp, LoadOp>(op))
    return slots > 2 && products.size() > 1 ? Between : Departure;
  if (!products.empty() && op == products.front())
    return FirstMatrix;
  if (isa<MmaOp, LocalLoadOp>(op))
    return Matrix;
  return results.contains(op) ? Result : Vector;
}

AlternatingSchedule::Place AlternatingSchedule::choose(Operation *op) {
  return {chooseStage(op), 0, chooseRank(op)};
}

std::unique_ptr<PipelineSchedule>
te::tile::makeAlternatingSchedule(scf::ForOp loop, int64_t slots) {
  return std::make_unique<AlternatingSchedule>(loop, slots);
}
