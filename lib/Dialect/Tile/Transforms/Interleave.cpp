//===- Interleave.cpp - tile-interleave -----------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads of LDS stand among the products before those that need them, so
// that a matrix core does not wait for LDS. Runs after tile-ping-pong:
//   te-opt --pass-pipeline='builtin.module(tile.kernel(tile-interleave))'
//
//   %x = tile.local_load %ring[..]            %x = tile.local_load %ring[..]
//   %s = tile.mma %q, %x, ..       ==>  %s = tile.mma %q, %x, .. {ahead = 8}
//
// The number says so much to tile-distribute; it is of the last product of
// those between two barriers. Where tile-pipeline has what a product multiplies
// taken next to the one before, that order is the machine's too:
//
//   %y = tile.local_load %ring[..]            %y = tile.local_load %ring[..]
//   %s = tile.mma %q, %x, ..       ==>  %s = tile.mma %q, %x, .. in_order
//   %t = tile.mma %q, %y, %s                                  {reads = 4}
//
// Limits: products in loops that read what they multiply from a ring
// themselves; blocks all of whose products have been taken for before.
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/TE/IR/TE.h"
#include "te/Dialect/Tile/IR/RingOrder.h"
#include "te/Dialect/Tile/IR/Tile.h"
#include "te/Dialect/Tile/Transforms/Passes.h"
#include "te/Target/Target.h"
#include "te/Target/Timing.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

namespace mlir::te::tile {
#define GEN_PASS_DEF_INTERLEAVEPASS
#include "te/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::te::tile

/// What is taken from a ring, perhaps transposed on the way.
static LocalLoadOp findLocalLoad(Value operand) {
  Operation *op = operand.getDefiningOp();
  while (isa_and_nonnull<TransposeOp, ConvertLayoutOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return dyn_cast_if_present<LocalLoadOp>(op);
}

/// The product reads an operand from LDS just before.
static bool readsLds(MmaOp op) {
  return llvm::any_of(ValueRange{op.getA(), op.getB()}, [&](Value operand) {
    LocalLoadOp localLoad = findLocalLoad(operand);
    return localLoad && localLoad->getBlock() == op->getBlock();
  });
}

/// Instructions that read a part of a ring's slot.
static int64_t countReads(LocalLoadOp localLoad, const Target &target) {
  auto ring = localLoad.getRing().getDefiningOp<RingOp>();
  return te::tile::countReads(
      ring.getSource().getLayout(), ring.getTarget().getLayout(),
      localLoad.getType().getElementTypeBitWidth() / CHAR_BIT, target);
}

/// Instructions that take as long as LDS does, and as the reads of the waves
/// that multiply at the same time.
static int64_t getDistance(MmaOp op, const Timing &timing) {
  auto getFormat = [](Value tile) {
    return *getMMAFormat(getElementTypeOrSelf(tile.getType()));
  };
  int64_t cycles = op.getIntrinsic().getMMA().getCycles(getFormat(op.getA()),
                                                        getFormat(op.getB()));
  return llvm::divideCeil(2 * timing.ldsLatency, cycles);
}

/// An operand that is taken before another product, or by the iteration
/// before.
static bool isReadAhead(MmaOp op, Value operand) {
  auto getLoop = [](Operation *parent) {
    return dyn_cast_if_present<scf::ForOp>(parent);
  };
  auto argument = dyn_cast<BlockArgument>(operand);
  if (auto loop =
          getLoop(argument ? op->getParentOp() : operand.getDefiningOp())) {
    if (!argument)
      argument = loop.getTiedLoopRegionIterArg(cast<OpResult>(operand));
    OpOperand *yielded = loop.getTiedLoopYieldedValue(argument);
    return yielded && findLocalLoad(yielded->get());
  }
  LocalLoadOp localLoad = argument ? LocalLoadOp() : findLocalLoad(operand);
  if (!localLoad || localLoad->getBlock() != op->getBlock())
    return false;
  for (Operation *before = op->getPrevNode(); before != localLoad;
       before = before->getPrevNode())
    if (isa<MmaOp>(before))
      return true;
  return false;
}

/// What stands before a product whose operands are there is issued among
/// its instructions.
static bool orderProducts(Block &block, const Target &target) {
  SmallVector<MmaOp> products(block.getOps<MmaOp>());
  if (products.empty() || !llvm::all_of(products, [](MmaOp op) {
        return isReadAhead(op, op.getA()) && isReadAhead(op, op.getB());
      }))
    return false;
  int64_t reads = 0;
  for (Operation &op : block) {
    if (auto localLoad = dyn_cast<LocalLoadOp>(op)) {
      reads += countReads(localLoad, target);
      continue;
    }
    auto mma = dyn_cast<MmaOp>(op);
    if (!mma || isa<MmaOp>(op.getNextNode()))
      continue;
    mma.setInOrder(true);
    mma.setReads(std::exchange(reads, 0));
  }
  return true;
}

static void interleave(Block &block, const Timing &timing,
                       const Target &target) {
  if (orderProducts(block, target) || !isa<scf::ForOp>(block.getParentOp()))
    return;
  MmaOp last;
  auto finish = [&] {
    if (last)
      last.setAhead(getDistance(last, timing));
    last = {};
  };
  for (Operation &op : block)
    if (auto mma = dyn_cast<MmaOp>(op)) {
      if (!mma.getInOrder() && readsLds(mma))
        last = mma;
    } else if (isa<AsyncWaitOp, tile::BarrierOp, gpu::BarrierOp>(op) ||
               op.getNumRegions()) {
      finish();
    }
  finish();
}

namespace {
struct InterleavePass : te::tile::impl::InterleavePassBase<InterleavePass> {
  void runOnOperation() override {
    if (isLeftOut(getOperation(), *this))
      return;
    const Timing *timing = Timing::lookup(getOperation().getTarget());
    llvm::Expected<const Target *> target =
        Target::get(getOperation().getTarget());
    if (!target) {
      getOperation().emitError(llvm::toString(target.takeError()));
      return signalPassFailure();
    }
    if (timing)
      getOperation()->walk(
          [&](Block *block) { interleave(*block, *timing, **target); });
  }
};
} // namespace
