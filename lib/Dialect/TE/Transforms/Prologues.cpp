//===- Prologues.cpp - operands that a te.gemm converts -------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prologues.h"

#include "te/Region/SharedKernels.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::te;

/// The region of a te.gemm and a conversion, to be judged; detached.
static FusionOp makeTrial(GemmOp gemm, Operation *conversion) {
  OpBuilder builder(gemm.getContext());
  SetVector<Value> inputs(llvm::from_range, conversion->getOperands());
  for (Value operand : gemm->getOperands())
    if (operand.getDefiningOp() != conversion)
      inputs.insert(operand);
  auto trial = FusionOp::create(builder, gemm.getLoc(), gemm->getResultTypes(),
                                inputs.getArrayRef(), /*inits=*/ValueRange(),
                                /*kernel=*/"trial", ScheduleAttr(), ArrayAttr(),
                                DenseI64ArrayAttr());
  Block &body = trial.getBody().emplaceBlock();
  IRMapping mapping;
  for (Value input : inputs)
    mapping.map(input, body.addArgument(input.getType(), input.getLoc()));
  builder.setInsertionPointToEnd(&body);
  builder.clone(*conversion, mapping);
  Operation *product = builder.clone(*gemm, mapping);
  YieldOp::create(builder, gemm.getLoc(), product->getResults());
  return trial;
}

Prologues te::findPrologues(Block &block, const Target *target) {
  Prologues result;
  RegionAnswers answers;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!isConversion(&op) || isTileValue(getTileRoot(op.getOperand(0))) ||
        getSliceSource(op.getOperand(0)))
      continue;
    auto gemm = cast<GemmOp>(*op.user_begin());
    if (gemm->getBlock() != &block)
      continue;
    std::optional<std::string> loss;
    if (target) {
      FusionOp trial = makeTrial(gemm, &op);
      loss = answers.get(
          trial, [&] { return findPrologueLoss(trial, gemm, *target); });
    }
    if (loss)
      result.losses[&op] = *loss;
    else
      result.ops.insert(&op);
  }
  return result;
}
