//===- Contraction.cpp - products that ops say by their maps --------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Region/Contraction.h"

#include "te/Region/Region.h"

using namespace mlir;
using namespace mlir::te;

/// The iterators of a matrix of numbers; empty for any other value.
static StringRef getIterators(OpOperand &operand) {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type || type.getRank() != 2)
    return {};
  return getMap(operand).getIterators(2).value_or("");
}

/// The iterator of a matrix that is not `outer`; nothing where none is `outer`.
static std::optional<char> getOther(StringRef iterators, char outer) {
  if (!iterators.contains(outer))
    return std::nullopt;
  return iterators[iterators.front() == outer];
}

static Contraction getContraction(Operation *op) {
  if (!isa<IterationSpaceInterface>(op) || isa<GemmOp>(op) ||
      op->getNumResults() == 0 || !getMap(op->getResult(0)).isTile())
    return {};
  for (OpOperand &a : op->getOpOperands())
    for (OpOperand &b : op->getOpOperands()) {
      StringRef ofA = getIterators(a), ofB = getIterators(b);
      std::optional<char> k = getOther(ofA, 'm');
      if (k && k != 'n' && k == getOther(ofB, 'n'))
        return {op, a.get(), b.get(), unsigned(ofA.find(*k)),
                unsigned(ofB.find(*k))};
    }
  return {};
}

Contraction te::findContraction(ArrayRef<Operation *> ops) {
  for (Operation *op : ops)
    if (Contraction contraction = getContraction(op))
      return contraction;
  return {};
}

Operation *te::findProduct(ArrayRef<Operation *> ops) {
  if (GemmOp gemm = findGemm(ops))
    return gemm;
  return findContraction(ops).op;
}
