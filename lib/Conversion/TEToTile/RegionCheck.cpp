//===- RegionCheck.cpp - regions that become one kernel -------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionCheck.h"

using namespace mlir;
using namespace mlir::te;

bool te::isAmax(Value result) {
  Operation *op = result.getDefiningOp();
  return isa_and_present<QuantizeOp, AmaxOp>(op) &&
         !isa<ScaledType>(result.getType());
}

/// F3: each yielded value has a buffer of its own, written by an op of the
/// region.
static LogicalResult verifyYield(YieldOp yield) {
  llvm::SmallDenseSet<Value> seen;
  for (auto [i, value] : llvm::enumerate(yield.getOperands())) {
    if (isa<BlockArgument>(value))
      return yield.emitError()
             << "F3: value #" << i
             << " is an argument of the region, unchanged; yield "
                "what the region's ops compute";
    if (!seen.insert(value).second)
      return yield.emitError() << "F3: value #" << i
                               << " is yielded twice; yield it once and use "
                                  "the region's result twice";
    if (isAmax(value) && i + 1 != yield.getNumOperands())
      return yield.emitError() << "F3: value #" << i
                               << " is an amax; an amax is yielded last, and a "
                                  "region yields at most one";
  }
  return success();
}

/// F4: what stays inside of the region stays in registers: a dequantized
/// tensor.
static LogicalResult verifyValues(TileLoweringInterface op) {
  for (Value operand : op->getOperands()) {
    Operation *producer = operand.getDefiningOp();
    if (isa_and_present<TileLoweringInterface>(producer) &&
        !(isa<DequantizeOp>(producer) && operand == op.getTiledOperand()))
      return op.emitError()
             << "F4: reads a result of '" << producer->getName()
             << "' in its own region, which is complete only when the "
                "kernel ends; put the two into regions of their own";
  }
  for (OpResult result : op->getResults())
    if (!isa<DequantizeOp>(*op) &&
        llvm::none_of(result.getUsers(), llvm::IsaPred<YieldOp>))
      return op.emitError()
             << "F4: result #" << result.getResultNumber()
             << " is written to memory, but not yielded; yield it or "
                "drop it";
  return success();
}

/// The region's argument that an op's tiles come from.
static Value getSource(TileLoweringInterface op) {
  Value source = op.getTiledOperand();
  while (auto dequantize = source.getDefiningOp<DequantizeOp>())
    source = dequantize.getInput();
  return source;
}

LogicalResult te::verifyRegion(FusionOp fusion) {
  TileLoweringInterface lead;
  for (auto op : fusion.getBody().front().getOps<TileLoweringInterface>()) {
    if (failed(verifyValues(op)))
      return failure();
    if (!lead)
      lead = op;
    auto shape = cast<ShapedType>(getSource(op).getType());
    auto leadShape = cast<ShapedType>(getSource(lead).getType());
    if (getSource(op) != getSource(lead) &&
        (!shape.hasStaticShape() || shape.getShape() != leadShape.getShape()))
      return op.emitError()
             << "F5: walks over another tensor than '" << lead->getName()
             << "', of a size that may differ; put the two into "
                "regions of their own";
    if (op.getNoopFlag() != lead.getNoopFlag())
      return op.emitError()
             << "F6: has another noop flag than '" << lead->getName()
             << "'; the ops of a region run, or do not, together";
  }
  return verifyYield(cast<YieldOp>(fusion.getBody().front().getTerminator()));
}
