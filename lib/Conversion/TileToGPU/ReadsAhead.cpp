//===- ReadsAhead.cpp - reads of LDS that products wait for ---------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many reads of LDS each matrix instruction needs, of products whose reads
// are issued ahead (`ahead` of tile.mma); Mma.cpp moves them there.
//
//===----------------------------------------------------------------------===//

#include "Distribution.h"

#include "te/Dialect/Tile/IR/MMALayout.h"
#include "te/Dialect/Tile/IR/RingOrder.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

/// Reads of LDS for an operand of a product, by this product first.
static int64_t countReads(Value operand, const Target &target,
                          DenseSet<Operation *> &seen) {
  Operation *op = operand.getDefiningOp();
  while (isa_and_nonnull<TransposeOp, ConvertLayoutOp>(op))
    op = op->getOperand(0).getDefiningOp();
  auto load = dyn_cast_if_present<LocalLoadOp>(op);
  if (!load || !seen.insert(load).second)
    return 0;
  auto ring = load.getRing().getDefiningOp<RingOp>();
  return te::tile::countReads(
      ring.getSource().getLayout(), ring.getTarget().getLayout(),
      getElementBytes(ring.getRing().getType()), target);
}

SmallVector<int64_t> te::getReadsOfRun(MmaOp last, const Target &target) {
  SmallVector<MmaOp> run;
  for (Operation *op = last; op; op = op->getPrevNode()) {
    auto mma = dyn_cast<MmaOp>(op);
    if (mma && (mma == last || !mma.getAhead()))
      run.push_back(mma);
    else if (mma || op->getNumRegions() ||
             isa<AsyncWaitOp, tile::BarrierOp, gpu::BarrierOp>(op))
      break;
  }
  SmallVector<int64_t> reads;
  DenseSet<Operation *> seen;
  for (MmaOp op : llvm::reverse(run)) {
    const MMA &mma = op.getIntrinsic().getMMA();
    MMAWaves waves = getMMAWaves(getLayout(op.getType()));
    int64_t products = op.getType().getNumElements() /
                       (waves.rows * waves.cols * mma.size * mma.size) *
                       (getOperandDepth(op.getA().getType()) / mma.k);
    int64_t all = countReads(op.getA(), target, seen) +
                  countReads(op.getB(), target, seen);
    for (int64_t i = 0; i < products; ++i)
      reads.push_back(all * (i + 1) / products - all * i / products);
  }
  return reads;
}
