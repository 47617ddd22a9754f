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

#include <cmath>

using namespace mlir;
using namespace mlir::te;

/// C1 of the op's values but for the first, whose shape they have.
static LogicalResult verifySoftmaxShape(Operation *op, Value first, Value other,
                                        StringRef what) {
  if (getShape(first).empty())
    return op->emitOpError()
           << "the input has rank 0, and no last dimension to sum over; "
              "give a tensor of rank 1 at least (C1)";
  return verifyShape(op, "C1", what, getShape(first), other.getType(),
                     "it has the input's shape");
}

/// C2, C3.
template <typename Op> static LogicalResult verifySoftmax(Op op, Value input) {
  if (!op.getScale().isFinite())
    return op.emitOpError()
           << "scale is " << (op.getScale().isNaN() ? "NaN" : "infinite")
           << "; give a finite one (C2)";
  if (op.getCausal() && getShape(input).size() < 2)
    return op.emitOpError()
           << "causal is for queries and keys, the last two dimensions, "
              "but the input has rank "
           << getShape(input).size()
           << "; give a tensor of rank 2 at least (C3)";
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

//===----------------------------------------------------------------------===//
// AttentionOp
//===----------------------------------------------------------------------===//

double AttentionOp::getScaleOrDefault() {
  if (getScale())
    return getScale()->convertToDouble();
  // As f32, which the kernel multiplies by.
  return float(1 / std::sqrt(double(getShape(getQ())[kLastDim])));
}

/// K1.
static LogicalResult verifyRanks(AttentionOp op) {
  for (auto [name, value] :
       {std::pair("q", op.getQ()), {"k", op.getK()}, {"v", op.getV()}})
    if (size_t rank = getShape(value).size(); rank != 4)
      return op.emitOpError()
             << name << " has rank " << rank
             << ", expected 4: batch, sequence, head and its elements (K1)";
  return success();
}

/// Two sizes that are one; dynamic ones agree when the program runs.
static LogicalResult verifyEqual(AttentionOp op, StringRef rule, StringRef what,
                                 int64_t a, StringRef nameA, int64_t b,
                                 StringRef nameB) {
  if (a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b))
    return success();
  return op.emitOpError() << nameA << " has " << a << " " << what << " and "
                          << nameB << " " << b << "; give both as many ("
                          << rule << ")";
}

/// K2, K3.
static LogicalResult verifySizes(AttentionOp op) {
  ArrayRef<int64_t> q = getShape(op.getQ()), k = getShape(op.getK()),
                    v = getShape(op.getV());
  unsigned batch = op.getBatchDim(), sequence = op.getSequenceDim(),
           head = op.getHeadDim(), last = AttentionOp::kLastDim;
  if (failed(verifyEqual(op, "K2", "batches", q[batch], "q", k[batch], "k")) ||
      failed(verifyEqual(op, "K2", "batches", q[batch], "q", v[batch], "v")) ||
      failed(
          verifyEqual(op, "K2", "keys", k[sequence], "k", v[sequence], "v")) ||
      failed(verifyEqual(op, "K2", "heads", k[head], "k", v[head], "v")))
    return failure();
  for (auto [name, heads] : {std::pair("q", q[head]), {"k", k[head]}})
    if (ShapedType::isDynamic(heads) || heads == 0)
      return op.emitOpError()
             << "the number of heads of " << name << " is "
             << (heads ? "not known" : "0") << "; give it a static size (K2)";
  if (q[head] % k[head] != 0)
    return op.emitOpError() << "q has " << q[head] << " heads and k " << k[head]
                            << ", but each head of k is for as many of q; give "
                               "q a multiple (K2)";
  for (auto [name, size] :
       {std::pair("q", q[last]), {"k", k[last]}, {"v", v[last]}})
    if (ShapedType::isDynamic(size) || size == 0)
      return op.emitOpError()
             << "the size of a head of " << name << " is "
             << (size ? "not known" : "0") << "; give it a static size (K3)";
  return verifyEqual(op, "K3", "elements a head", q[last], "q", k[last], "k");
}

/// K4.
static LogicalResult verifyResults(AttentionOp op) {
  ArrayRef<int64_t> q = getShape(op.getQ());
  SmallVector<int64_t> o(q);
  o.back() = getShape(op.getV()).back();
  if (failed(verifyShape(op, "K4", "the result", o, op.getResult().getType(),
                         "it has q's shape, and heads of v's size")))
    return failure();
  return verifyShape(
      op, "K4", "lse",
      {q[op.getBatchDim()], q[op.getHeadDim()], q[op.getSequenceDim()]},
      op.getLse().getType(), "it is (batch, head, query)");
}

LogicalResult AttentionOp::verify() {
  if (failed(verifyRanks(*this)) || failed(verifySizes(*this)) ||
      failed(verifyResults(*this)))
    return failure();
  Type element = getElementTypeOrSelf(getQ().getType());
  for (auto [name, value] : {std::pair("k", getK()), {"v", getV()}})
    if (Type other = getElementTypeOrSelf(value.getType()); other != element)
      return emitOpError() << "q has elements of " << element << " and " << name
                           << " of " << other
                           << "; convert one of them (arith.truncf) (K5)";
  if (element.isF32())
    return emitOpError()
           << "q, k and v are f32, whose products matrix instructions do "
              "not have; convert them to bf16 or f16 (K5)";
  if (getScale() && !getScale()->isFinite())
    return emitOpError() << "scale is "
                         << (getScale()->isNaN() ? "NaN" : "infinite")
                         << "; give a finite one, or leave it out (K6)";
  return success();
}
