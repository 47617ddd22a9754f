//===- NormOps.cpp - verifiers of norms and activations -------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constraint numbers (N1, E2, ...) are those of docs/spec.md.
//
//===----------------------------------------------------------------------===//
#include "Verifiers.h"

using namespace mlir;
using namespace mlir::te;

static std::string formatSize(int64_t size) {
  return ShapedType::isDynamic(size) ? "?" : std::to_string(size);
}

LogicalResult te::verifyShape(Operation *op, StringRef rule, const Twine &what,
                              ArrayRef<int64_t> expected, Type found,
                              const Twine &why) {
  ArrayRef<int64_t> shape = cast<ShapedType>(found).getShape();
  if (shape.size() != expected.size())
    return op->emitOpError()
           << what << " has rank " << shape.size() << ", expected rank "
           << expected.size() << ": " << why << " (" << rule << ")";
  for (auto [axis, sizes] : llvm::enumerate(llvm::zip_equal(expected, shape)))
    if (auto [wanted, size] = sizes; wanted != size)
      return op->emitOpError()
             << "dimension " << axis << " of " << what << " is "
             << formatSize(size) << ", expected " << formatSize(wanted) << ": "
             << why << " (" << rule << ")";
  return success();
}

static LogicalResult verifySame(Operation *op, StringRef rule,
                                const Twine &what, Value input, Value other) {
  return verifyShape(op, rule, what, getShape(input), other.getType(),
                     "it has the input's shape");
}

/// One number a row.
static LogicalResult verifyRows(Operation *op, StringRef rule,
                                const Twine &what, Value input, Value other) {
  return verifyShape(op, rule, what, getShape(input).drop_back(),
                     other.getType(),
                     "it has one number a row, in the shape of the input's "
                     "other dimensions");
}

/// One number a column.
static LogicalResult verifyColumns(Operation *op, StringRef rule,
                                   const Twine &what, Value input,
                                   Value other) {
  return verifyShape(op, rule, what, getShape(input).take_back(),
                     other.getType(),
                     "it has the size of the input's last dimension");
}

/// Norms and sums over rows need a last dimension.
static LogicalResult verifyRank(Operation *op, StringRef rule, Value input) {
  if (!getShape(input).empty())
    return success();
  return op->emitOpError() << rule
                           << ": the input has rank 0, but the op works on its "
                              "last dimension; give it one";
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

static LogicalResult verifyEpsilon(Operation *op, const APFloat &epsilon) {
  if (epsilon.isFinite() && !(epsilon.isNegative() && epsilon.isNonZero()))
    return success();
  return op->emitOpError() << "epsilon is " << epsilon.convertToFloat()
                           << "; it is added to a mean of squares, and is "
                              "finite and not negative (N3)";
}

LogicalResult RmsNormOp::verify() {
  Value x = getInput();
  return failure(
      failed(verifyRank(*this, "N1", x)) ||
      failed(verifySame(*this, "N1", "the result", x, getResult())) ||
      failed(verifyRows(*this, "N1", "rsigma", x, getRsigma())) ||
      failed(verifyColumns(*this, "N2", "gamma", x, getGamma())) ||
      failed(verifyEpsilon(*this, getEpsilon())));
}

LogicalResult LayerNormOp::verify() {
  Value x = getInput();
  return failure(
      failed(verifyRank(*this, "N1", x)) ||
      failed(verifySame(*this, "N1", "the result", x, getResult())) ||
      failed(verifyRows(*this, "N1", "mu", x, getMu())) ||
      failed(verifyRows(*this, "N1", "rsigma", x, getRsigma())) ||
      failed(verifyColumns(*this, "N2", "gamma", x, getGamma())) ||
      failed(verifyColumns(*this, "N2", "beta", x, getBeta())) ||
      failed(verifyEpsilon(*this, getEpsilon())));
}

LogicalResult BiasAddOp::verify() {
  return failure(
      failed(verifyRank(*this, "N1", getInput())) ||
      failed(verifyColumns(*this, "N2", "the bias", getInput(), getBias())));
}

LogicalResult BiasGradOp::verify() {
  return failure(failed(verifyRank(*this, "N1", getInput())) ||
                 failed(verifyColumns(*this, "N2", "the result", getInput(),
                                      getResult())));
}

/// What the gradients of both norms have.
template <typename Op> static LogicalResult verifyNormBwd(Op op) {
  Value x = op.getInput();
  return failure(
      failed(verifyRank(op, "N1", x)) ||
      failed(verifySame(op, "N1", "the gradient", x, op.getGrad())) ||
      failed(verifySame(op, "N1", "dx", x, op.getDx())) ||
      failed(verifyRows(op, "N1", "rsigma", x, op.getRsigma())) ||
      failed(verifyColumns(op, "N2", "gamma", x, op.getGamma())) ||
      failed(verifyColumns(op, "N2", "dgamma", x, op.getDgamma())));
}

LogicalResult RmsNormBwdOp::verify() {
  return failure(failed(verifyNormBwd(*this)) ||
                 (getAdd() && failed(verifySame(*this, "N1", "add", getInput(),
                                                getAdd()))));
}

LogicalResult LayerNormBwdOp::verify() {
  return failure(
      failed(verifyNormBwd(*this)) ||
      failed(verifyRows(*this, "N1", "mu", getInput(), getMu())) ||
      failed(verifyColumns(*this, "N2", "dbeta", getInput(), getDbeta())));
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

/// E2, where there are scales.
template <typename Op> static LogicalResult verifyScales(Op op) {
  Value scales = op.getScales();
  if (!scales)
    return success();
  return failure(failed(verifyRank(op, "E2", op.getInput())) ||
                 failed(verifyRows(op, "E2", "scales", op.getInput(), scales)));
}

/// E1: `half`, the type of `what`, has half of the input's last dimension.
static LogicalResult verifyHalf(Operation *op, const Twine &what, Value input,
                                Value half) {
  if (failed(verifyRank(op, "E1", input)))
    return failure();
  auto shape = llvm::to_vector(getShape(input));
  int64_t &last = shape.back();
  if (!ShapedType::isDynamic(last) && last % 2 != 0)
    return op->emitOpError()
           << "the input's last dimension is " << last
           << "; it holds two halves, a and b, and is even (E1)";
  if (!ShapedType::isDynamic(last))
    last /= 2;
  return verifyShape(op, "E1", what, shape, half.getType(),
                     "it has the input's shape, with half of its last "
                     "dimension");
}

/// E3. `half` is the forward result's last dimension.
template <typename Op>
static LogicalResult verifyParameters(Op op, int64_t half) {
  int64_t interleave = op.getInterleave();
  if (interleave < 0 || (interleave > 0 && !ShapedType::isDynamic(half) &&
                         half % interleave != 0))
    return op.emitOpError() << "interleave is " << interleave
                            << "; a and b alternate in runs of that many "
                               "columns, so it divides "
                            << formatSize(half) << ", or is 0: a, then b (E3)";
  auto wrong = [&](StringRef name, const APFloat &value, StringRef rule) {
    return op.emitOpError() << name << " is " << value.convertToFloat()
                            << "; it is " << rule << " (E3)";
  };
  APFloat limit = op.getLimit(), alpha = op.getAlpha();
  if (!limit.isFinite() || (limit.isNegative() && limit.isNonZero()))
    return wrong("limit", limit, "finite and not negative");
  if (!alpha.isFinite() || alpha.isNegative() || alpha.isZero())
    return wrong("alpha", alpha, "finite and positive");
  if (!op.getOffset().isFinite())
    return wrong("offset", op.getOffset(), "finite");
  for (auto [name, beta] :
       {std::pair("beta1", op.getBeta1()), std::pair("beta2", op.getBeta2())})
    if (!beta.isFinite() || beta.isZero())
      return wrong(name, beta, "finite and not zero");
  return success();
}

/// E4, and the shape of dx.
template <typename Op> static LogicalResult verifyGradients(Op op) {
  Value x = op.getInput();
  if (failed(verifySame(op, "E1", "dx", x, op.getDx())))
    return failure();
  if (Value dbias = op.getDbias();
      dbias && (failed(verifyRank(op, "E4", x)) ||
                failed(verifyColumns(op, "E4", "dbias", x, dbias))))
    return failure();
  Value dscale = op.getDscale();
  if (!dscale)
    return success();
  if (!op.getScales())
    return op.emitOpError() << "dscale is the gradient of scales, and there "
                               "are none; add scales(..) or drop dscale (E4)";
  return verifyRows(op, "E4", "dscale", x, dscale);
}

LogicalResult ActivationOp::verify() {
  return failure(
      failed(verifySame(*this, "E1", "the result", getInput(), getResult())) ||
      failed(verifyScales(*this)));
}

LogicalResult GatedActivationOp::verify() {
  return failure(
      failed(verifyHalf(*this, "the result", getInput(), getResult())) ||
      failed(verifyScales(*this)) ||
      failed(verifyParameters(*this, getShape(getResult()).back())));
}

LogicalResult ActivationBwdOp::verify() {
  return failure(
      failed(verifySame(*this, "E1", "the gradient", getInput(), getGrad())) ||
      failed(verifyScales(*this)) || failed(verifyGradients(*this)));
}

LogicalResult GatedActivationBwdOp::verify() {
  return failure(
      failed(verifyHalf(*this, "the gradient", getInput(), getGrad())) ||
      failed(verifyScales(*this)) ||
      failed(verifyParameters(*this, getShape(getGrad()).back())) ||
      failed(verifyGradients(*this)));
}
