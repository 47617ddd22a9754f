//===- SharedScratch.cpp - who uses which area of LDS when ----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes from wave to wave is written to LDS, and read after a barrier. The
// next one may write there when all have read: after another barrier, unless
// it takes another area and all waves have met since that one was read. Where
// two areas alternate, one barrier each does for both.
//
//===----------------------------------------------------------------------===//

#include "Distribution.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

namespace {
/// Bit i: waves may still read area i.
using AreasInUse = unsigned;

class ScratchAssigner {
public:
  ScratchAssigner(KernelState &state, int64_t areaBytes, unsigned areas)
      : state(state), areaBytes(areaBytes), areas(areas) {}
  /// From what is in use before a block to what is in use after it.
  AreasInUse visit(Block &block, AreasInUse used);

private:
  AreasInUse visitRegions(Operation &op, AreasInUse used);
  AreasInUse visit(Operation *op, AreasInUse used);

  KernelState &state;
  int64_t areaBytes;
  unsigned areas;
};
} // namespace

AreasInUse ScratchAssigner::visit(Operation *op, AreasInUse used) {
  unsigned area = 0;
  for (unsigned other : llvm::reverse(llvm::seq(areas)))
    if (!(used >> other & 1))
      area = other;
  bool waits = used >> area & 1;
  state.scratch[op] = {area * areaBytes, waits};
  auto convert = dyn_cast<ConvertLayoutOp>(op);
  bool meets = waits || !convert ||
               crossesWaves(getLayout(convert.getInput().getType()),
                            getLayout(convert.getType()));
  return (meets ? 0 : used) | 1u << area;
}

/// Of ops that are no loops too: one iteration more finds nothing new.
AreasInUse ScratchAssigner::visitRegions(Operation &op, AreasInUse used) {
  for (AreasInUse before = used;;) {
    AreasInUse behind = before;
    for (Region &region : op.getRegions())
      for (Block &block : region)
        behind |= visit(block, before);
    if (behind == before)
      return behind;
    before = behind;
  }
}

AreasInUse ScratchAssigner::visit(Block &block, AreasInUse used) {
  for (Operation &op : block)
    if (getLdsBytes(&op, *state.target, state.waves) > 0)
      used = visit(&op, used);
    else if (op.getNumRegions() > 0)
      used = visitRegions(op, used);
  return used;
}

void te::assignScratch(Block &block, KernelState &state, int64_t areaBytes,
                       unsigned areas) {
  ScratchAssigner(state, areaBytes, areas).visit(block, /*used=*/0);
}

bool te::passesLds(Operation *op, const KernelState &state) {
  return state.throughLds.contains(op) ||
         getLdsBytes(op, *state.target, state.waves) > 0;
}

void te::meetEarly(ConvertLayoutOp op, KernelState &state) {
  Operation *last = op->getPrevNode();
  while (last && !last->getNumRegions() && !passesLds(last, state) &&
         !isa<gpu::BarrierOp, LocalLoadOp, LocalStoreOp, AsyncCopyOp,
              AsyncWaitOp, MmaOp>(last))
    last = last->getPrevNode();
  if (!last)
    return;
  state.scratch[op].waits = false;
  if (isa<gpu::BarrierOp>(last))
    return;
  OpBuilder b(op->getContext());
  b.setInsertionPointAfter(last);
  gpu::BarrierOp::create(b, op.getLoc());
  // Else LLVM puts it where it likes.
  FenceOp::create(b, op.getLoc());
}
