//===- CountLoads.cpp - tile-count-loads ----------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory answers in order, so a wait is for all but the last accesses that were
// asked for. How many these are at the least, after the last tile that a
// tile.async_wait needs, this pass writes down: tiles that may be on their way
// (`pending`) or are of other rings, loads and stores. Runs last on the tile
// level, when nothing moves any more:
//   te-opt --pass-pipeline='builtin.module(tile.kernel(tile-count-loads))'
//
//   tile.async_copy .. %ring[0]             tile.async_copy .. %ring[0]
//   %s = tile.load ..             ==>  %s = tile.load ..
//   tile.async_wait for %ring               tile.async_wait for %ring
//   {outstanding = 4}
//
// Of several ways to an op, through a loop and past it, the one with the fewest
// counts. A backend may move loads and stores between two fences or products
// `in_order`: what stands so next to the tile.async_wait, or next to what it
// waits for, does not count.
//
// Limits: what stands in other branches counts for nothing.
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/Tile/IR/RingOrder.h"
#include "te/Dialect/Tile/IR/Tile.h"
#include "te/Dialect/Tile/Transforms/Passes.h"
#include "te/Target/Target.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

namespace mlir::te::tile {
#define GEN_PASS_DEF_COUNTLOADSPASS
#include "te/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::te::tile

/// Instructions that a load is at the least: those that mask columns may be
/// fewer, and those that follow an order may be joined.
static int64_t countInstructions(LoadOp load, const Target &target) {
  // Rows that are an unknown number apart are not read by way of a buffer, and
  // LLVM takes other loads out of a loop that they do not change in.
  auto view = cast<MemRefType>(load.getView().getType());
  if (ShapedType::isDynamic(view.getStridesAndOffset().first.front()) ||
      !load.getColumnsInBounds())
    return 0;
  LinearLayout layout = getLayout(load.getType());
  // What all lanes read alike may come by a scalar load, which no wait counts.
  if (llvm::all_of(layout.getBases(LayoutInput::Lane),
                   [](int64_t basis) { return basis == 0; }))
    return 0;
  if (std::optional<LayoutAttr> order = load.getOrder())
    layout = layout.place(order->getLayout());
  int64_t most = target.maxAccessBytes * 8 /
                 load.getType().getElementType().getIntOrFloatBitWidth(),
          count =
              layout.getNumRegisters() / std::min(layout.getContiguity(), most);
  return load.getOrder() && count > 1 ? 0 : count;
}

namespace {
/// One way back from a tile.async_wait, to the last tile that it waits for.
class WayBack {
public:
  WayBack(AsyncWaitOp wait, const Target &target)
      : target(target), waves(wait->getParentOfType<KernelOp>().getWaves()) {
    for (auto [i, ring] : llvm::enumerate(wait.getRings()))
      pending[ring] = wait.countPending(i);
  }
  /// Accesses on the way that has fewest, from before `op` on.
  int64_t count(Operation *op);

private:
  int64_t countFrom(Block *block) {
    return block->empty() ? 0 : countAfter(&block->back());
  }
  /// From after `op` on.
  int64_t countAfter(Operation *op);
  int64_t countFrom(scf::ForOp loop);
  /// There is a tile of the rings.
  bool fills(Operation *op) const {
    return op
        ->walk([&](AsyncCopyOp copy) {
          return pending.contains(copy.getRing()) ? WalkResult::interrupt()
                                                  : WalkResult::advance();
        })
        .wasInterrupted();
  }

  const Target &target;
  int64_t waves;                        // of the workgroup
  DenseMap<Value, int64_t> pending;     // that the way has not met
  DenseSet<Operation *> entered;        // loops, through their end
  DenseMap<Operation *, int64_t> ahead; // iterations, where they are known
  int64_t here = 0;                     // before the last fence or product
  bool isNextTo = true;                 // none since the tile.async_wait
};
} // namespace

/// From the loop's end on.
int64_t WayBack::countFrom(scf::ForOp loop) {
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (trips && !trips->isZero() && fills(loop)) {
    ahead[loop] = trips->getSExtValue() - 1;
    return countFrom(loop.getBody());
  }
  // It may have no iteration.
  WayBack past = *this;
  entered.insert(loop);
  return std::min(countFrom(loop.getBody()), past.count(loop));
}

int64_t WayBack::countAfter(Operation *op) {
  if (auto copy = dyn_cast<AsyncCopyOp>(op)) {
    auto ring = pending.find(copy.getRing());
    if (ring != pending.end() && ring->second-- == 0)
      return 0;
    auto of = copy.getRing().getDefiningOp<RingOp>();
    return countAsyncCopies(of.getSource().getLayout(),
                            of.getRing().getType().getElementTypeBitWidth() /
                                CHAR_BIT,
                            waves, target) +
           count(op);
  }
  auto loop = dyn_cast<scf::ForOp>(op);
  if (loop && !entered.contains(loop))
    return countFrom(loop);
  if (!loop && op->getNumRegions() && fills(op))
    return 0;
  auto mma = dyn_cast<MmaOp>(op);
  if (isa<FenceOp>(op) || (mma && mma.getInOrder())) {
    int64_t between = std::exchange(here, 0);
    if (!std::exchange(isNextTo, false))
      return between + count(op);
  } else if (auto load = dyn_cast<LoadOp>(op)) {
    here += countInstructions(load, target);
  } else if (auto store = dyn_cast<StoreOp>(op)) {
    here += store.countAccesses();
  }
  return count(op);
}

int64_t WayBack::count(Operation *op) {
  if (Operation *before = op->getPrevNode())
    return countAfter(before);
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  if (!loop)
    return isa<KernelOp>(op->getParentOp()) ? 0 : count(op->getParentOp());
  if (auto left = ahead.find(loop); left != ahead.end())
    return left->second-- > 0 ? countFrom(loop.getBody()) : count(loop);
  WayBack before = *this;
  int64_t entering = before.count(loop);
  return entered.insert(loop).second
             ? std::min(entering, countFrom(loop.getBody()))
             : entering;
}

/// Loads that nothing needs: a backend drops them.
static void eraseDead(KernelOp kernel) {
  SmallVector<Operation *> ops;
  kernel->walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
}

namespace {
struct CountLoadsPass : te::tile::impl::CountLoadsPassBase<CountLoadsPass> {
  void runOnOperation() override {
    if (isLeftOut(getOperation(), *this))
      return;
    KernelOp kernel = getOperation();
    llvm::Expected<const Target *> target = Target::get(kernel.getTarget());
    if (!target) {
      kernel.emitError(llvm::toString(target.takeError()));
      return signalPassFailure();
    }
    eraseDead(kernel);
    if (!(*target)->amd) // they wait for groups of copies
      return;
    kernel->walk([&](AsyncWaitOp wait) {
      if (!wait.getRings().empty())
        wait.setOutstanding(WayBack(wait, **target).count(wait));
    });
  }
};
} // namespace
