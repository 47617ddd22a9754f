//===- Pipeline.cpp - tile-pipeline ---------------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Software pipelining: an iteration asks memory for what later ones multiply,
// and multiplies what the next one works on with vectors. Runs after
// tile-stage-operands, on the same loops:
//   te-opt --pass-pipeline='builtin.module(tile.kernel(tile-pipeline))'
//
//   scf.for %i = 0 to %n ..(%o) {         ..
//     tile.async_copy %k[%i, ..], %ring[..]    scf.for %i = 0 to %n ..(%o, %s)
//     { tile.async_wait for %ring                  %p = exp %s %x =
//     tile.local_load %ring[..]         ==>  tile.async_wait for %ring %s =
//     tile.mma %q, %x, 0               tile.async_copy %k[%i + 2, ..], .. %p =
//     exp %s                           %o' = tile.mma %p, .., %o %o' = tile.mma
//     %p, .., %o             %x = tile.local_load %ring[..]
//   } {tile.staging = ..}                   %s' = tile.mma %q, %x, 0
//                                         }
//
// Which op belongs to which stage follows from what needs what, and from rings:
// ProductSchedule.cpp, AlternatingSchedule.cpp. Upstream's pipeliner does the
// rest. The last iterations stand after the loop where their number is known
// and they are short; else stages that have nothing to do read the first rows
// once more, so that a tile.async_wait finds the number of loads that it counts
// on.
//
// Limits: loops without branches between their products.
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/Tile/IR/Tile.h"
#include "te/Dialect/Tile/Transforms/Passes.h"

#include "MarkedLoops.h"
#include "PipelineSchedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::te::tile;

namespace mlir::te::tile {
#define GEN_PASS_DEF_PIPELINEPASS
#include "te/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::te::tile

/// Where the iteration that a stage works for does not exist it reads what
/// there is, from the first row or column on; others compute what nothing
/// needs.
static Operation *readInside(RewriterBase &b, Operation *op, Value exists) {
  auto replace = [&](OpOperand &place) {
    // Others are the same in all iterations.
    if (place.get().getParentBlock() != op->getBlock())
      return;
    b.setInsertionPoint(op);
    Value zero = arith::ConstantIndexOp::create(b, op->getLoc(), 0);
    Value inside =
        arith::SelectOp::create(b, op->getLoc(), exists, place.get(), zero);
    b.modifyOpInPlace(op, [&] { place.set(inside); });
  };
  if (auto copy = dyn_cast<AsyncCopyOp>(op)) {
    replace(copy.getRowMutable());
    replace(copy.getColumnMutable());
  } else if (auto load = dyn_cast<LoadOp>(op)) {
    replace(load.getRowMutable());
    replace(load.getColumnMutable());
  }
  return op;
}

/// One barrier for those that stand together.
static void mergeMeetings(SmallVectorImpl<AsyncWaitOp> &waits,
                          RewriterBase &b) {
  SmallVector<AsyncWaitOp> kept;
  auto isAddress = [](Operation *op) {
    return isPure(op) && llvm::none_of(op->getResultTypes(), isTile);
  };
  for (AsyncWaitOp wait : waits) {
    Operation *before = wait->getPrevNode();
    while (before && isAddress(before))
      before = before->getPrevNode();
    if (kept.empty() || before != kept.back()) {
      kept.push_back(wait);
      continue;
    }
    AsyncWaitOp first = kept.back();
    b.modifyOpInPlace(first, [&] {
      SmallVector<int64_t> pending(first.getPending());
      llvm::append_range(pending, wait.getPending());
      first.getRingsMutable().append(wait.getRings());
      first.setPending(pending);
    });
    b.eraseOp(wait);
  }
  waits = kept;
}

/// What works on the loads of the next interval from barrier to barrier does
/// not come before these have had this one's last products to arrive.
static void fenceIntervals(scf::ForOp loop, RewriterBase &b) {
  if (loop.getBody()->getOps<OptimizationBarrierOp>().empty())
    return;
  bool isDue = false;
  SmallVector<Operation *> ends;
  for (Operation &op : *loop.getBody()) {
    isDue |= isa<AsyncWaitOp>(op);
    if (isa<MmaOp>(op) && std::exchange(isDue, false))
      ends.push_back(&op);
  }
  for (Operation *op : ends) {
    b.setInsertionPointAfter(op);
    FenceOp::create(b, op->getLoc());
  }
}

/// After the loop as many tiles of a ring are on their way as are awaited
/// later.
static void limitPending(ArrayRef<AsyncWaitOp> waits) {
  DenseMap<Value, int64_t> later;
  for (AsyncWaitOp wait : llvm::reverse(waits)) {
    SmallVector<int64_t> pending(wait.getPending());
    for (auto [tiles, ring] : llvm::zip(pending, wait.getRings()))
      tiles = std::min(tiles, later[ring]++);
    if (llvm::all_of(pending, [](int64_t tiles) { return tiles == 0; }))
      pending.clear();
    wait.setPending(pending);
  }
}

/// Before the loop memory is asked for everything before something that
/// has come is worked on: between two meetings of waves, what follows from
/// loads stands last.
static void askFirst(Operation *first, scf::ForOp loop) {
  DenseSet<Operation *> late;
  SmallVector<Operation *> moved;
  Block::iterator next = first->getIterator();
  while (true) {
    Operation *op = &*next++;
    bool isEnd = op == loop;
    if (isEnd || isa<AsyncWaitOp>(op)) {
      for (Operation *each : moved)
        each->moveBefore(op);
      moved.clear();
      late.clear();
    }
    if (isEnd)
      return;
    bool isLate = llvm::any_of(op->getOperands(), [&](Value operand) {
      return late.contains(operand.getDefiningOp());
    });
    if (isLate && !isa<AsyncWaitOp>(op))
      moved.push_back(op);
    if (isLate || isa<LoadOp>(op))
      late.insert(op);
  }
}

static LogicalResult pipeline(scf::ForOp loop, Attribute marker) {
  auto staging = dyn_cast<StagingAttr>(marker);
  if (!staging)
    return loop.emitError("tile.staging = ")
           << marker << " is no #tile.staging<slots = ..>";
  // Of each ring so many tiles may be on their way: the next one is awaited.
  for (auto wait : loop.getBody()->getOps<AsyncWaitOp>())
    wait.setPending(
        llvm::map_to_vector(wait.getRings(), [](Value ring) -> int64_t {
          return cast<MemRefType>(ring.getType()).getDimSize(0) - 2;
        }));
  std::unique_ptr<PipelineSchedule> schedule =
      PipelineSchedule::create(loop, staging.getSlots());
  if (failed(schedule->compute()))
    return failure();
  auto order = schedule->get();
  SmallVector<AsyncWaitOp> before, behind;
  SmallVector<Operation *> fences; // before these
  Operation *access = nullptr;     // of memory, the last one before the loop
  Operation *first = nullptr;      // before the loop
  scf::PipeliningOption options;
  options.getScheduleFn = [&](scf::ForOp, auto &stages) { stages = order; };
  options.supportDynamicLoops = true;
  options.peelEpilogue = schedule->mayPeel();
  options.predicateFn = readInside;
  options.annotateFn = [&](Operation *op, auto part, unsigned) {
    using Part = scf::PipeliningOption::PipelinerPart;
    if (part == Part::Prologue && !first)
      first = op;
    if (part == Part::Prologue && isa<LoadOp, AsyncCopyOp>(op)) {
      // Waits count on their order.
      if (access && isa<LoadOp>(access) != isa<LoadOp>(op))
        fences.push_back(op);
      access = op;
    }
    auto wait = dyn_cast<AsyncWaitOp>(op);
    if (!wait || part == Part::Kernel)
      return;
    (part == Part::Prologue ? before : behind).push_back(wait);
  };
  IRRewriter b(loop.getContext());
  b.setInsertionPoint(loop);
  Attribute pingPong = loop->removeAttr(PingPongMarker);
  std::optional<APInt> count = loop.getStaticTripCount();
  FailureOr<scf::ForOp> pipelined = scf::pipelineForLoop(b, loop, options);
  if (failed(pipelined))
    return loop.emitError("tile-pipeline: the loop's stages do not overlap: a "
                          "value that it carries is not computed in it");
  b.setInsertionPoint(*pipelined);
  if (options.peelEpilogue) // a constant: tile-unroll asks for it
    pipelined->setUpperBound(arith::ConstantIndexOp::create(
        b, pipelined->getLoc(),
        count->getSExtValue() - schedule->countAhead()));
  if (first)
    askFirst(first, *pipelined);
  for (Operation *op : fences) {
    b.setInsertionPoint(op);
    FenceOp::create(b, op->getLoc());
  }
  SmallVector<AsyncWaitOp> inside(pipelined->getBody()->getOps<AsyncWaitOp>());
  for (SmallVector<AsyncWaitOp> *waits : {&before, &inside, &behind})
    mergeMeetings(*waits, b);
  limitPending(behind);
  fenceIntervals(*pipelined, b);
  if (pingPong)
    (*pipelined)->setAttr(PingPongMarker, pingPong);
  if (staging.getUnroll())
    (*pipelined)
        ->setAttr(UnrollMarker, b.getI64IntegerAttr(schedule->countCopies()));
  return success();
}

namespace {
struct PipelinePass : te::tile::impl::PipelinePassBase<PipelinePass> {
  void runOnOperation() override {
    if (isLeftOut(getOperation(), *this))
      return;
    if (failed(changeMarkedLoops(getOperation(), StagingMarker, pipeline)))
      return signalPassFailure();
  }
};
} // namespace
