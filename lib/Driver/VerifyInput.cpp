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

LogicalResult te::verifyInput(Operation *root) {
  WalkResult result = root->walk(
      [](tensor::ConcatOp op) { return WalkResult(verifyConcat(op)); });
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
