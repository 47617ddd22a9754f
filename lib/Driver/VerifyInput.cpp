//===- VerifyInput.cpp - IR that someone wrote ----------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some of upstream's verifiers crash on what they should refuse. Input is
// parsed without them; what they take for granted is checked here, then they
// run.
//
//===----------------------------------------------------------------------===//

#include "te/Driver/Compile.h"
#include "te/Driver/Register.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::te;

/// tensor.concat: its verifier indexes shapes by `dim` before it looks at it.
static LogicalResult verifyConcat(tensor::ConcatOp op) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  int64_t dim = op.getDim();
  if (!type || (dim >= 0 && dim < type.getRank()))
    return success();
  return op.emitError() << "concatenates along dimension " << dim << " of "
                        << type << ", which has dimensions 0 to "
                        << type.getRank() - 1;
}

/// Reshapes: upstream's verifier takes 4294967296 for 0.
static LogicalResult verifyGroups(Operation *op, ArrayAttr groups) {
  int64_t next = 0;
  for (auto group : groups.getAsRange<ArrayAttr>())
    for (auto index : group.getAsRange<IntegerAttr>())
      if (int64_t dim = index.getInt(); dim != next++)
        return op->emitError()
               << "has dimension " << dim << " in its groups where " << next - 1
               << " is next; they have all dimensions, in order";
  return success();
}

LogicalResult te::verifyInput(Operation *root) {
  WalkResult result = root->walk([](Operation *op) {
    return llvm::TypeSwitch<Operation *, WalkResult>(op)
        .Case([](tensor::ConcatOp op) { return verifyConcat(op); })
        .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
            [](auto op) { return verifyGroups(op, op.getReassociation()); })
        .Default(success());
  });
  return failure(result.wasInterrupted() || failed(verify(root)));
}

OwningOpRef<ModuleOp>
te::parseModule(const std::shared_ptr<llvm::SourceMgr> &sources,
                MLIRContext &context) {
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  auto module = parseSourceFile<ModuleOp>(sources, config);
  if (!module || failed(verifyInput(*module)))
    return {};
  return module;
}
