//===- Fuse.cpp - te-fuse -------------------------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gathers te ops into te.fusion regions: one region is one kernel. First pass
// of the pipeline:  te-opt --te-fuse
//
//   %q = te.quantize %x : ...
// ==>
//   %q = te.fusion "f_0" (%a = %x : ...) -> (...) {
//     %0 = te.quantize %a : ...
//     te.yield %0 : ...
//   }
//
// Limits: one op a region. Several results of one op already share one read;
// sharing between ops starts with the first op that produces a high-precision
// tensor.
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/TE/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::te;

namespace mlir::te {
#define GEN_PASS_DEF_FUSEPASS
#include "te/Dialect/TE/Transforms/Passes.h.inc"
} // namespace mlir::te

/// Moves `op` into a region of its own.
static void wrap(Operation *op, StringRef kernel) {
  OpBuilder builder(op);
  SetVector<Value> inputs(llvm::from_range, op->getOperands());
  auto fusion = FusionOp::create(builder, op->getLoc(), op->getResultTypes(),
                                 inputs.getArrayRef(), kernel, ScheduleAttr());
  Block &body = fusion.getBody().emplaceBlock();
  IRMapping mapping;
  for (Value input : inputs)
    mapping.map(input, body.addArgument(input.getType(), input.getLoc()));
  builder.setInsertionPointToEnd(&body);
  Operation *inner = builder.clone(*op, mapping);
  YieldOp::create(builder, op->getLoc(), inner->getResults());
  op->replaceAllUsesWith(fusion.getResults());
  op->erase();
}

namespace {
struct FusePass : te::impl::FusePassBase<FusePass> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    SmallVector<Operation *> ops;
    func.walk([&](Operation *op) {
      if (isa<TileLoweringInterface>(op) && !op->getParentOfType<FusionOp>())
        ops.push_back(op);
    });
    unsigned next = llvm::range_size(func.getOps<FusionOp>());
    for (Operation *op : ops)
      wrap(op, (func.getSymName() + "_" + Twine(next++)).str());
  }
};
} // namespace
