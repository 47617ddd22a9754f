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
// Current scaling needs the whole tensor's amax before the first element is
// cast: that is a kernel of its own.
//
//   %q, %m = te.quantize %x : ...
// ==>
//   %m = te.amax %x : ...
//   %q = te.quantize %x amax(%m : tensor<f32>) : ...
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

static bool isPerTensor(OpResult result) {
  return cast<ScaledType>(result.getType()).getScaling().getGranularity() ==
         Granularity::Tensor;
}

/// True where a result's scale needs the amax of the whole tensor, which no
/// operand gives.
static bool needsAmax(QuantizeOp op) {
  return !op.getScale() && !op.getAmax() &&
         llvm::any_of(op.getScaledResults(), isPerTensor);
}

/// Gives current scaling its amax; what the op itself gave as one is the same.
/// Results of other schemes need none: they keep an op of their own.
static void splitCurrentScaling(QuantizeOp op) {
  OpBuilder builder(op);
  auto scalar = RankedTensorType::get({}, builder.getF32Type());
  Value amax =
      AmaxOp::create(builder, op.getLoc(), scalar, op.getInput(), op.getNoop());
  for (bool perTensor : {true, false}) {
    SmallVector<OpResult> results =
        llvm::filter_to_vector(op.getScaledResults(), [&](OpResult result) {
          return isPerTensor(result) == perTensor;
        });
    if (results.empty())
      continue;
    SmallVector<Type> types = llvm::map_to_vector(
        results, [](OpResult result) { return result.getType(); });
    auto cast = QuantizeOp::create(
        builder, op.getLoc(), types, op.getInput(), op.getScale(),
        perTensor ? amax : Value(), op.getNoop(), op.getRng(), op.getHadamard(),
        op.getSignMaskAttr(), op.getStochastic(), op.getEpsilonAttr());
    for (auto [before, after] : llvm::zip_equal(results, cast.getResults()))
      before.replaceAllUsesWith(after);
  }
  if (OpResult result = op.getAmaxResult())
    result.replaceAllUsesWith(amax);
  op.erase();
}

namespace {
struct FusePass : te::impl::FusePassBase<FusePass> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    SmallVector<QuantizeOp> current;
    func.walk([&](QuantizeOp op) {
      if (needsAmax(op) && !op->getParentOfType<FusionOp>())
        current.push_back(op);
    });
    llvm::for_each(current, splitCurrentScaling);
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
