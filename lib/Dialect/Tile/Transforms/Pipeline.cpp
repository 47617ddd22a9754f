//===- Pipeline.cpp - tile-pipeline ---------------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Software pipelining: an iteration asks memory for what later ones multiply,
// and multiplies what the next one works on with vectors. Runs behind
// tile-stage-operands, on the same loops:
//   te-opt --pass-pipeline='builtin.module(tile.kernel(tile-pipeline))'
//
//   scf.for %i = 0 to %n ..(%o) {         ..
//     tile.fetch %k[%i, ..], %ring[..]    scf.for %i = 0 to %n ..(%o, %s) {
//     tile.await for %ring                  %p = exp %s
//     %x = tile.take %ring[..]         ==>  tile.await for %ring
//     %s = tile.mma %q, %x, 0               tile.fetch %k[%i + 2, ..], ..
//     %p = exp %s                           %o' = tile.mma %p, .., %o
//     %o' = tile.mma %p, .., %o             %x = tile.take %ring[..]
//   } {tile.staging = ..}                   %s' = tile.mma %q, %x, 0
//                                         }
//
// Which op belongs to which stage follows from what needs what, and from rings:
// a product that needs nothing that the loop carries is a stage in front of
// what is computed from it; a tile.fetch is as many stages in front of the
// tile.take as its ring has other slots, a tile.put one, and what is put is
// loaded one more in front. Upstream's pipeliner does the rest. In the last
// iterations stages that have nothing to do read the first rows once more, so
// that a tile.await finds the number of loads that it counts on.
//
// Limits: loops without branches between their products.
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/Tile/IR/Tile.h"
#include "te/Dialect/Tile/Transforms/Passes.h"

#include "MarkedLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::te::tile;

namespace mlir::te::tile {
#define GEN_PASS_DEF_PIPELINEPASS
#include "te/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::te::tile

namespace {
/// Which stage of the pipeline an op of the body belongs to, and in which order
/// those of all stages stand in an iteration.
class Schedule {
public:
  Schedule(scf::ForOp loop, int64_t slots) : loop(loop), slots(slots) {}
  void compute();
  std::vector<std::pair<Operation *, unsigned>> get() const { return order; }

private:
  /// In an iteration, what comes first: vector work on products of the last
  /// one, a barrier, loads, products, and what works on these. Loads that have
  /// more than an iteration's time stand behind the first of several products.
  enum Rank {
    Address,
    Vector,
    Arrival,
    Departure,
    FirstMatrix,
    Between,
    Matrix,
    Result
  };

  void findLate();
  bool isAddress(Operation *op);
  int64_t getStageOfUsers(Operation *op);
  int64_t chooseStage(Operation *op);
  Rank chooseRank(Operation *op);
  void cloneAddresses();
  void sort();

  scf::ForOp loop;
  int64_t slots;
  DenseSet<Operation *> late, addresses;
  DenseMap<Operation *, int64_t> stages;
  DenseMap<Value, int64_t> takes; // the stage that takes from a ring
  int64_t last = 0;               // the stage of what the loop carries
  Operation *firstProduct = nullptr;
  bool hasSeveral = false; // products
  std::vector<std::pair<Operation *, unsigned>> order;
};
} // namespace

/// What depends on what the loop carries, or works on a product that does not.
void Schedule::findLate() {
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
}

/// Numbers and views that follow from the induction variable: each stage
/// computes its own.
bool Schedule::isAddress(Operation *op) {
  return isPure(op) && op->getNumRegions() == 0 && !late.contains(op) &&
         llvm::none_of(op->getResultTypes(), isTile) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           Operation *def = operand.getDefiningOp();
           return !def || def->getBlock() != loop.getBody() ||
                  addresses.contains(def);
         });
}

int64_t Schedule::getStageOfUsers(Operation *op) {
  int64_t stage = last;
  for (Operation *user : op->getUsers()) {
    Operation *inBody = loop.getBody()->findAncestorOpInBlock(*user);
    if (auto it = stages.find(inBody); it != stages.end())
      stage = std::min(stage, it->second);
  }
  return stage;
}

int64_t Schedule::chooseStage(Operation *op) {
  auto getSlots = [](Value ring) {
    return cast<MemRefType>(ring.getType()).getDimSize(0);
  };
  auto getTaken = [&](Value ring) {
    auto it = takes.find(ring);
    return it == takes.end() ? last : it->second;
  };
  if (auto fetch = dyn_cast<FetchOp>(op))
    return getTaken(fetch.getRing()) - getSlots(fetch.getRing()) + 1;
  if (auto put = dyn_cast<PutOp>(op))
    return getTaken(put.getRing()) - 1;
  if (isa<AwaitOp>(op)) { // in front of what is taken behind it
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
      if (auto take = dyn_cast<TakeOp>(next))
        return getTaken(take.getRing());
    return last;
  }
  if (late.contains(op))
    return last;
  if (isa<MmaOp>(op))
    return 0;
  int64_t stage = getStageOfUsers(op);
  if (auto take = dyn_cast<TakeOp>(op)) {
    auto [it, isNew] = takes.try_emplace(take.getRing(), stage);
    it->second = std::min(it->second, stage);
  }
  return isa<LoadOp>(op) ? stage - 1 : stage;
}

/// One for each stage that needs it.
void Schedule::cloneAddresses() {
  SmallVector<Operation *> all;
  for (Operation &op : loop.getBody()->without_terminator())
    if (addresses.contains(&op))
      all.push_back(&op);
  for (Operation *op : llvm::reverse(all)) {
    DenseMap<int64_t, Operation *> ofStage;
    for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
      Operation *user = loop.getBody()->findAncestorOpInBlock(*use.getOwner());
      auto it = stages.find(user);
      int64_t stage = it == stages.end() ? last : it->second;
      Operation *&made = ofStage[stage];
      if (!made) {
        made = ofStage.size() == 1 ? op : op->clone();
        if (made != op)
          OpBuilder(op).insert(made);
        stages[made] = stage;
        addresses.insert(made);
      }
      use.set(made->getResult(cast<OpResult>(use.get()).getResultNumber()));
    }
    stages.try_emplace(op, last);
  }
}

Schedule::Rank Schedule::chooseRank(Operation *op) {
  if (addresses.contains(op))
    return Address;
  if (isa<AwaitOp>(op))
    return Arrival;
  if (isa<FetchOp, PutOp, LoadOp>(op))
    return slots > 2 && hasSeveral ? Between : Departure;
  if (op == firstProduct)
    return FirstMatrix;
  return isa<MmaOp, TakeOp>(op) ? Matrix : Vector;
}

/// What an op needs of its own stage stands in front of it.
void Schedule::sort() {
  DenseMap<Operation *, Rank> ranks;
  SmallVector<Operation *> ops;
  for (Operation &op : loop.getBody()->without_terminator()) {
    Rank rank = chooseRank(&op);
    for (Value operand : op.getOperands())
      if (auto it = ranks.find(operand.getDefiningOp());
          rank == Vector && it != ranks.end() && it->second >= FirstMatrix &&
          stages[it->first] == stages[&op])
        rank = Result;
    ranks[&op] = rank;
    ops.push_back(&op);
  }
  for (Operation *op : llvm::reverse(ops))
    for (Operation *user : op->getUsers()) {
      auto it = ranks.find(loop.getBody()->findAncestorOpInBlock(*user));
      if (it != ranks.end() && stages[it->first] == stages[op])
        ranks[op] = std::min(ranks[op], it->second);
    }
  llvm::stable_sort(
      ops, [&](Operation *x, Operation *y) { return ranks[x] < ranks[y]; });
  int64_t first = 0;
  for (Operation *op : ops)
    first = std::min(first, stages[op]);
  for (Operation *op : ops)
    order.push_back({op, unsigned(stages[op] - first)});
}

void Schedule::compute() {
  findLate();
  bool hasEarly = false, hasLate = false;
  for (auto mma : loop.getBody()->getOps<MmaOp>()) {
    (late.contains(mma) ? hasLate : hasEarly) = true;
    hasSeveral |= firstProduct != nullptr;
    if (!firstProduct)
      firstProduct = mma;
  }
  last = hasEarly && hasLate;
  for (Operation &op : loop.getBody()->without_terminator())
    if (isAddress(&op))
      addresses.insert(&op);
  for (Operation &op : llvm::reverse(loop.getBody()->without_terminator()))
    if (!addresses.contains(&op))
      stages[&op] = chooseStage(&op);
  cloneAddresses();
  sort();
}

/// Where the iteration that a stage works for does not exist it reads the first
/// rows; others compute what nothing needs.
static Operation *readInside(RewriterBase &b, Operation *op, Value exists) {
  auto replaceRow = [&](auto access) {
    b.setInsertionPoint(op);
    Value zero = arith::ConstantIndexOp::create(b, op->getLoc(), 0);
    Value row =
        arith::SelectOp::create(b, op->getLoc(), exists, access.getRow(), zero);
    b.modifyOpInPlace(op, [&] { access.getRowMutable().assign(row); });
  };
  if (auto fetch = dyn_cast<FetchOp>(op))
    replaceRow(fetch);
  else if (auto load = dyn_cast<LoadOp>(op))
    replaceRow(load);
  return op;
}

/// One barrier for all that stand together.
static void mergeMeetings(scf::ForOp loop, RewriterBase &b) {
  AwaitOp first;
  for (Operation &op : llvm::make_early_inc_range(*loop.getBody())) {
    auto await = dyn_cast<AwaitOp>(op);
    if (!await) {
      if (first && !isPure(&op))
        break;
      continue;
    }
    if (!first) {
      first = await;
      continue;
    }
    b.modifyOpInPlace(first, [&] {
      first.setPending(std::max(first.getPending(), await.getPending()));
      first.getRingsMutable().append(await.getRings());
    });
    b.eraseOp(await);
  }
}

static LogicalResult pipeline(scf::ForOp loop, Attribute marker) {
  auto staging = dyn_cast<StagingAttr>(marker);
  if (!staging)
    return loop.emitError("tile.staging = ")
           << marker << " is no #tile.staging<slots = ..>";
  // Of each ring so many tiles may be on their way: the next one is awaited.
  for (auto await : loop.getBody()->getOps<AwaitOp>())
    for (Value ring : await.getRings())
      await.setPending(cast<MemRefType>(ring.getType()).getDimSize(0) - 2);
  Schedule schedule(loop, staging.getSlots());
  schedule.compute();
  scf::PipeliningOption options;
  options.getScheduleFn = [&](scf::ForOp, auto &order) {
    order = schedule.get();
  };
  options.supportDynamicLoops = true;
  options.peelEpilogue = false;
  options.predicateFn = readInside;
  IRRewriter b(loop.getContext());
  b.setInsertionPoint(loop);
  Attribute pingPong = loop->removeAttr(PingPongMarker);
  FailureOr<scf::ForOp> pipelined = scf::pipelineForLoop(b, loop, options);
  if (failed(pipelined))
    return loop.emitError("tile-pipeline: the loop's stages do not overlap: a "
                          "value that it carries is not computed in it");
  mergeMeetings(*pipelined, b);
  if (pingPong)
    (*pipelined)->setAttr(PingPongMarker, pingPong);
  if (staging.getUnroll())
    (*pipelined)
        ->setAttr(UnrollMarker, b.getI64IntegerAttr(staging.getSlots()));
  return success();
}

namespace {
struct PipelinePass : te::tile::impl::PipelinePassBase<PipelinePass> {
  void runOnOperation() override {
    if (failed(changeMarkedLoops(getOperation(), StagingMarker, pipeline)))
      return signalPassFailure();
  }
};
} // namespace
