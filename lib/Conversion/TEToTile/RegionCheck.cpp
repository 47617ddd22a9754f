//===- RegionCheck.cpp - regions that become one kernel -------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionCheck.h"

#include "te/Region/Region.h"

using namespace mlir;
using namespace mlir::te;

/// F3: each yielded value has a buffer of its own, written by an op of the
/// region.
static LogicalResult verifyYield(YieldOp yield) {
  llvm::SmallDenseSet<Value> seen;
  for (auto [i, value] : llvm::enumerate(yield.getOperands())) {
    if (isa<BlockArgument>(value))
      return yield.emitError()
             << "value #" << i
             << " is an argument of the region, unchanged; yield "
                "what the region's ops compute (F3)";
    if (isView(value.getDefiningOp()))
      return yield.emitError()
             << "value #" << i
             << " is a view of something else; yield a te.copy of it (F3)";
    if (!seen.insert(value).second)
      return yield.emitError() << "value #" << i
                               << " is yielded twice; yield it once and use "
                                  "the region's result twice (F3)";
    if (isAmax(value) && i + 1 != yield.getNumOperands())
      return yield.emitError() << "value #" << i
                               << " is an amax; an amax is yielded last, and a "
                                  "region yields at most one (F3)";
  }
  return success();
}

/// F3: what is not a tile is a buffer: an argument of the region.
static LogicalResult verifyOperands(Operation *op) {
  for (OpOperand &operand : op->getOpOperands()) {
    Operation *view = operand.get().getDefiningOp();
    if (isa_and_present<arith::ConstantOp>(view) &&
        isa<ShapedType>(operand.get().getType()) && !isImmediate(operand))
      return op->emitError()
             << "operand #" << operand.getOperandNumber()
             << " is a constant that its kernel reads from memory; define it "
                "outside of te.fusion and give it as an argument (te-fuse "
                "does) (F3)";
    if (view && isView(view) && (!readsTiles(operand) || needsWholeColumns(op)))
      return op->emitError()
             << "operand #" << operand.getOperandNumber()
             << " is a view made inside of the region, but no tile; make it "
                "outside and give it as an argument (F3)";
  }
  return success();
}

LogicalResult te::verifyRegion(FusionOp fusion) {
  SmallVector<Operation *> ops = getRegionOps(fusion);
  for (Operation *op : ops)
    if (!isRegionOp(op))
      return op->emitError()
             << "'" << op->getName()
             << "' has no tile lowering; keep it out of te.fusion";
  if (ops.empty())
    return fusion.emitError("te.fusion holds no op that computes; remove it");
  if (std::optional<Conflict> conflict = findConflict(ops))
    return conflict->op->emitError() << conflict->why;
  for (Operation &op : fusion.getBody().front().without_terminator())
    if (failed(verifyOperands(&op)))
      return failure();
  return verifyYield(cast<YieldOp>(fusion.getBody().front().getTerminator()));
}
