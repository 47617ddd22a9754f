//===- Interleave.cpp - tile-interleave -----------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads of LDS stand among the products in front of those that need them, so
// that a matrix core does not wait for LDS. Runs behind tile-ping-pong:
//   te-opt --pass-pipeline='builtin.module(tile.kernel(tile-interleave))'
//
//   %x = tile.take %ring[..]            %x = tile.take %ring[..]
//   %s = tile.mma %q, %x, ..       ==>  %s = tile.mma %q, %x, .. {ahead = 8}
//
// The number says so much to tile-distribute; it is of the last product of
// those between two barriers.
//
// Limits: products in loops that take what they multiply from a ring
// themselves, and are not `in_order`.
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/TE/IR/TE.h"
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

/// The product reads an operand from LDS just before.
static bool readsLds(MmaOp op) {
  return llvm::any_of(ValueRange{op.getA(), op.getB()}, [&](Value operand) {
    while (auto move = operand.getDefiningOp())
      if (isa<TransposeOp, ConvertLayoutOp>(move))
        operand = move->getOperand(0);
      else
        return isa<TakeOp>(move) && move->getBlock() == op->getBlock();
    return false;
  });
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

static void interleave(Block &block, const Timing &timing) {
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
    } else if (isa<AwaitOp, tile::BarrierOp, gpu::BarrierOp>(op) ||
               op.getNumRegions()) {
      finish();
    }
  finish();
}

namespace {
struct InterleavePass : te::tile::impl::InterleavePassBase<InterleavePass> {
  void runOnOperation() override {
    const Timing *timing = Timing::lookup(getOperation().getTarget());
    if (!timing)
      return;
    getOperation()->walk(
        [&](scf::ForOp loop) { interleave(*loop.getBody(), *timing); });
  }
};
} // namespace
