//===- Norm.cpp - norms in the reference -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// te.rms_norm, te.layer_norm and their gradients (TE semantics section 3.4), in
// double on the values of the operands, each result rounded once to its type.
// Where a term of a mean leaves f32's range it is Inf. The mean of an empty row
// is NaN; a sum over no rows is 0.
//
//===----------------------------------------------------------------------===//
#include "Handlers.h"
#include "te/Dialect/TE/IR/TE.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::ref;

/// A number of f32's range: Inf beyond it.
static double toF32Range(double x) {
  constexpr double most = std::numeric_limits<float>::max();
  return std::fabs(x) > most ? std::copysign(HUGE_VAL, x) : x;
}

/// gamma, or gamma + 1.
static std::vector<double> loadGamma(Value gamma, bool isZeroCentered,
                                     const Frame &frame) {
  std::vector<double> g = frame.load(gamma);
  if (isZeroCentered)
    for (double &value : g)
      value += 1;
  return g;
}

/// The shape of a statistic: one number a row (decision 25).
static ArrayRef<int64_t> getRowShape(const TensorValue &x) {
  return ArrayRef<int64_t>(x.shape).drop_back();
}

static double getMean(ArrayRef<double> row) {
  double sum = 0;
  for (double value : row)
    sum += value;
  return sum / row.size();
}

/// 1 / sqrt(mean((x - mu)^2) + epsilon).
static double getRsigma(ArrayRef<double> row, double mu, double epsilon) {
  double sum = 0;
  for (double value : row)
    sum += toF32Range((value - mu) * (value - mu));
  return 1 / std::sqrt(sum / row.size() + epsilon);
}

/// How far a mean of `row` in f32 may be off: each sum by half an ulp, as many
/// of them as decision 27 counts.
static double getMeanBound(ArrayRef<double> row) {
  double n = row.size(), magnitude = 0;
  for (double x : row)
    magnitude += std::fabs(x) / n;
  return std::ldexp(std::fmin(n, 6 * std::sqrt(n) + 8), -24) * magnitude;
}

/// Both norms: `beta` and `muResult` are null for te.rms_norm, whose mu is 0.
/// Where the elements of a row differ by little, what mu is off by is much of
/// their distance from it: results have a bound of their own.
template <typename Op>
static LogicalResult normalize(Op op, Value beta, OpResult muResult,
                               Frame &frame) {
  const TensorValue input = frame.get(op.getInput());
  Matrix matrix = Matrix::flatten(input.shape);
  std::vector<double> x = frame.load(op.getInput());
  std::vector<double> g =
      loadGamma(op.getGamma(), op.getZeroCenteredGamma(), frame);
  std::vector<double> b(matrix.cols);
  if (beta)
    b = frame.load(beta);
  double epsilon = op.getEpsilon().convertToFloat();
  std::vector<double> y(x.size()), mus(matrix.rows), rsigmas(matrix.rows);
  std::vector<double> bounds(x.size()), muBounds(matrix.rows);
  for (int64_t m = 0; m < matrix.rows; ++m) {
    auto row = ArrayRef(x).slice(m * matrix.cols, matrix.cols);
    mus[m] = muResult ? getMean(row) : 0;
    rsigmas[m] = getRsigma(row, mus[m], epsilon);
    muBounds[m] = muResult ? getMeanBound(row) : 0;
    for (int64_t k = 0; k < matrix.cols; ++k) {
      y[m * matrix.cols + k] = (row[k] - mus[m]) * rsigmas[m] * g[k] + b[k];
      bounds[m * matrix.cols + k] = muBounds[m] * rsigmas[m] * std::fabs(g[k]);
    }
  }
  if (muResult &&
      failed(frame.store(muResult, getRowShape(input), mus, muBounds)))
    return failure();
  return failure(
      failed(frame.store(op->getResult(0), input.shape, y, bounds)) ||
      failed(
          frame.store(op->getResults().back(), getRowShape(input), rsigmas)));
}

static LogicalResult runRmsNorm(Operation *op, Frame &frame) {
  return normalize(cast<RmsNormOp>(op), {}, {}, frame);
}

static LogicalResult runLayerNorm(Operation *operation, Frame &frame) {
  auto op = cast<LayerNormOp>(operation);
  return normalize(op, op.getBeta(), op->getResult(1), frame);
}

/// Both gradients: `muOperand` and `dbeta` are null for te.rms_norm_bwd, whose
/// formula has neither mu nor mean(dyh); `add` may be.
template <typename Op>
static LogicalResult differentiate(Op op, Value muOperand, Value add,
                                   OpResult dbeta, Frame &frame) {
  const TensorValue input = frame.get(op.getInput());
  Matrix matrix = Matrix::flatten(input.shape);
  std::vector<double> x = frame.load(op.getInput());
  std::vector<double> dy = frame.load(op.getGrad());
  std::vector<double> g =
      loadGamma(op.getGamma(), op.getZeroCenteredGamma(), frame);
  std::vector<double> rsigma = frame.load(op.getRsigma());
  std::vector<double> mu(matrix.rows);
  if (muOperand)
    mu = frame.load(muOperand);
  std::vector<double> dx(x.size()), dgammas(matrix.cols), dbetas(matrix.cols);
  std::vector<double> added;
  if (add)
    added = frame.load(add);
  for (int64_t m = 0; m < matrix.rows; ++m) {
    int64_t row = m * matrix.cols;
    double sum = 0, dot = 0; // of dyh, of dyh * xh
    for (int64_t k = 0; k < matrix.cols; ++k) {
      double xh = (x[row + k] - mu[m]) * rsigma[m];
      double dyh = toF32Range(dy[row + k] * g[k]);
      sum += dyh;
      dot += toF32Range(dyh * xh);
      dgammas[k] += dy[row + k] * xh;
      dbetas[k] += dy[row + k];
    }
    double mean = muOperand ? sum / matrix.cols : 0;
    double meanDot = dot / matrix.cols;
    for (int64_t k = 0; k < matrix.cols; ++k) {
      double xh = (x[row + k] - mu[m]) * rsigma[m];
      dx[row + k] = rsigma[m] * (dy[row + k] * g[k] - mean - xh * meanDot);
      if (add)
        dx[row + k] += added[row + k];
    }
  }
  if (dbeta && failed(frame.store(dbeta, {matrix.cols}, dbetas)))
    return failure();
  return failure(failed(frame.store(op->getResult(0), input.shape, dx)) ||
                 failed(frame.store(op->getResult(1), {matrix.cols}, dgammas)));
}

static LogicalResult runRmsNormBwd(Operation *op, Frame &frame) {
  auto bwd = cast<RmsNormBwdOp>(op);
  return differentiate(bwd, {}, bwd.getAdd(), {}, frame);
}

static LogicalResult runLayerNormBwd(Operation *operation, Frame &frame) {
  auto op = cast<LayerNormBwdOp>(operation);
  return differentiate(op, op.getMu(), {}, op->getResult(2), frame);
}

static LogicalResult runBiasAdd(Operation *operation, Frame &frame) {
  auto op = cast<BiasAddOp>(operation);
  std::vector<double> bias = frame.load(op.getBias()),
                      values = frame.load(op.getInput());
  // An f32 sum, exactly: a result of 16 bits shows its rounding.
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(values[i] + bias[i % bias.size()]);
  return frame.store(op->getResult(0), frame.get(op.getInput()).shape, values);
}

static LogicalResult runBiasGrad(Operation *operation, Frame &frame) {
  auto op = cast<BiasGradOp>(operation);
  int64_t cols = Matrix::flatten(frame.get(op.getInput()).shape).cols;
  Sums sums(cols);
  for (auto [i, value] : llvm::enumerate(frame.load(op.getInput())))
    sums.add(i % cols, value);
  return sums.store(op->getResult(0), {cols}, frame);
}

ArrayRef<HandlerEntry> mlir::te::ref::getNormHandlers() {
  static constexpr HandlerEntry kHandlers[] = {
      {"te.rms_norm", runRmsNorm},
      {"te.layer_norm", runLayerNorm},
      {"te.rms_norm_bwd", runRmsNormBwd},
      {"te.layer_norm_bwd", runLayerNormBwd},
      {"te.bias_add", runBiasAdd},
      {"te.bias_grad", runBiasGrad},
  };
  return kHandlers;
}
