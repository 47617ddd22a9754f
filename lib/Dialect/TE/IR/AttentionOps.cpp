//===- AttentionOps.cpp - verifiers of softmax and attention --------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constraint numbers (C1, ...) are those of docs/spec.md.
//
//===----------------------------------------------------------------------===//
#include "Verifiers.h"

using namespace mlir;
using namespace mlir::te;

/// C1 of the op's values but for the first, whose shape they have.
static LogicalResult verifySoftmaxShape(Operation *op, Value first, Value other,
                                        StringRef what) {
  if (getShape(first).empty())
    return op->emitOpError()
           << "C1: the input has rank 0, and no last dimension to sum over; "
              "give a tensor of rank 1 at least";
  return verifyShape(op, "C1", what, getShape(first), other.getType(),
                     "it has the input's shape");
}

/// C2, C3.
template <typename Op> static LogicalResult verifySoftmax(Op op, Value input) {
  if (!op.getScale().isFinite())
    return op.emitOpError()
           << "C2: scale is " << (op.getScale().isNaN() ? "NaN" : "infinite")
           << "; give a finite one";
  if (op.getCausal() && getShape(input).size() < 2)
    return op.emitOpError()
           << "C3: causal is for queries and keys, the last two dimensions, "
              "but the input has rank "
           << getShape(input).size() << "; give a tensor of rank 2 at least";
  return success();
}

LogicalResult SoftmaxOp::verify() {
  if (failed(verifySoftmaxShape(*this, getInput(), getResult(), "the result")))
    return failure();
  return verifySoftmax(*this, getInput());
}

LogicalResult SoftmaxBwdOp::verify() {
  if (failed(verifySoftmaxShape(*this, getGrad(), getY(), "y")) ||
      failed(verifySoftmaxShape(*this, getGrad(), getDx(), "the result")))
    return failure();
  return verifySoftmax(*this, getGrad());
}
