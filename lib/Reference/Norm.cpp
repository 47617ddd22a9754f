//===- Norm.cpp - norms in the reference -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// te.rms_norm, te.layer_norm and their gradients (docs/spec.md), in
// double on the values of the operands, each result rounded once to its type.
// A mean beyond f32's range is Inf; that of an empty row is NaN, a sum over no
// rows 0.
//
//===----------------------------------------------------------------------===//
#include "Handlers.h"
#include "te/Dialect/TE/IR/TE.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::ref;

/// gamma, or gamma + 1.
static std::vector<double> loadGamma(Value gamma, bool isZeroCentered,
                                     const Frame &frame) {
  std::vector<double> g = frame.load(gamma);
  if (isZeroCentered)
    for (double &value : g)
      value += 1;
  return g;
}

/// The shape of a statistic: one number a row.
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
    sum += (value - mu) * (value - mu);
  return 1 / std::sqrt(toF32Range(sum / row.size()) + epsilon);
}

/// How far the mean of what elements of `row` are from `mu` may be off in f32:
/// each sum by half an ulp, as many of them as it has terms.
static double getMeanBound(ArrayRef<double> row, double mu) {
  double n = row.size(), magnitude = 0;
  for (double x : row)
    magnitude += std::fabs(x - mu) / n;
  return std::ldexp(std::fmin(n, 6 * std::sqrt(n) + 8), -24) * magnitude;
}

/// Where elements of a row are off by `bounds`: how far that moves its mean,
/// and rsigma relative to itself.
static std::pair<double, double> getRowReach(ArrayRef<double> row, double mu,
                                             ArrayRef<double> bounds) {
  double sum = 0, dot = 0, squares = 0;
  for (auto [x, bound] : llvm::zip_equal(row, bounds)) {
    sum += bound;
    dot += std::fabs(x - mu) * bound;
    squares += (x - mu) * (x - mu);
  }
  return {row.empty() ? 0 : sum / row.size(), squares > 0 ? dot / squares : 0};
}

/// Both norms: `beta` and `muResult` are null for te.rms_norm, whose mu is 0.
/// Results have bounds of their own: what the mean is off by, and beta, which
/// may cancel what it is added to.
template <typename Op>
static LogicalResult normalize(Op op, Value beta, OpResult muResult,
                               Frame &frame) {
  const TensorValue input = frame.get(op.getInput());
  Matrix matrix = Matrix::flatten(input.shape);
  std::vector<double> x = frame.load(op.getInput());
  std::vector<double> inputs = frame.loadBounds(op.getInput());
  std::vector<double> g =
      loadGamma(op.getGamma(), op.getZeroCenteredGamma(), frame);
  std::vector<double> b(matrix.cols);
  if (beta)
    b = frame.load(beta);
  double epsilon = op.getEpsilon().convertToFloat();
  std::vector<double> y(x.size()), mus(matrix.rows), rsigmas(matrix.rows);
  std::vector<double> bounds(x.size()), muBounds(matrix.rows),
      rsigmaBounds(matrix.rows);
  for (int64_t m = 0; m < matrix.rows; ++m) {
    auto row = ArrayRef(x).slice(m * matrix.cols, matrix.cols);
    auto rowBounds = ArrayRef(inputs).slice(m * matrix.cols, matrix.cols);
    mus[m] = muResult ? getMean(row) : 0;
    rsigmas[m] = getRsigma(row, mus[m], epsilon);
    auto [meanReach, relative] = getRowReach(row, mus[m], rowBounds);
    double meanBound = muResult ? getMeanBound(row, mus[m]) + meanReach : 0;
    muBounds[m] = meanBound + std::ldexp(std::fabs(mus[m]), -24);
    rsigmaBounds[m] = relative * rsigmas[m];
    for (int64_t k = 0; k < matrix.cols; ++k) {
      double normed = (row[k] - mus[m]) * rsigmas[m] * g[k];
      int64_t i = m * matrix.cols + k;
      y[i] = normed + b[k];
      bounds[i] = (meanBound + rowBounds[k]) * rsigmas[m] * std::fabs(g[k]) +
                  relative * std::fabs(normed) +
                  getSumBound(b[k] != 0 ? normed * normed + b[k] * b[k] : 0);
    }
  }
  if (muResult) {
    if (failed(frame.store(muResult, getRowShape(input), mus, muBounds)))
      return failure();
    // Inf or NaN, which depends on the order of distances from it.
    for (auto [m, value] : llvm::enumerate(mus))
      if (std::isinf(value))
        markUnspecified(frame.values[muResult].buffers[0], m);
  }
  return failure(
      failed(frame.store(op->getResult(0), input.shape, y, bounds)) ||
      failed(frame.store(op->getResults().back(), getRowShape(input), rsigmas,
                         rsigmaBounds)));
}

static LogicalResult runRmsNorm(Operation *op, Frame &frame) {
  return normalize(cast<RmsNormOp>(op), {}, {}, frame);
}

static LogicalResult runLayerNorm(Operation *operation, Frame &frame) {
  auto op = cast<LayerNormOp>(operation);
  return normalize(op, op.getBeta(), op->getResult(1), frame);
}

namespace {
/// What the gradients of a norm are computed from.
struct NormOperands {
  std::vector<double> x, dy, g, rsigma, mu, added;
  std::vector<double> xBounds, dyBounds, addedBounds;
};
} // namespace

/// dx of row `m`. Its terms may cancel: each is off by 5e-6 of itself, and as
/// the operands are.
static void differentiateRow(const NormOperands &in, int64_t m, int64_t cols,
                             bool hasMean, MutableArrayRef<double> dx,
                             MutableArrayRef<double> bounds) {
  double sum = 0, dot = 0;           // of dyh, of dyh * xh
  double sizes = 0, dotSizes = 0;    // of their magnitudes
  double sumReach = 0, dotReach = 0; // of what the operands are off by
  double rsigma = in.rsigma[m], scale = std::fabs(rsigma); // as it is given
  auto getNormed = [&](int64_t k) {
    return (in.x[m * cols + k] - in.mu[m]) * rsigma;
  };
  for (int64_t k = 0; k < cols; ++k) {
    int64_t i = m * cols + k;
    double xh = getNormed(k), dyh = toF32Range(in.dy[i] * in.g[k]);
    double reach = in.dyBounds[i] * std::fabs(in.g[k]);
    sum += dyh / cols;
    dot += toF32Range(dyh * xh) / cols;
    sizes += std::fabs(dyh) / cols;
    dotSizes += std::fabs(dyh * xh) / cols;
    sumReach += reach / cols;
    dotReach +=
        (reach * std::fabs(xh) + std::fabs(dyh) * in.xBounds[i] * scale) / cols;
  }
  if (!hasMean)
    sum = sizes = sumReach = 0;
  for (int64_t k = 0; k < cols; ++k) {
    int64_t i = m * cols + k;
    double xh = getNormed(k), dyh = in.dy[i] * in.g[k];
    dx[k] = rsigma * (dyh - sum - xh * dot);
    double terms = std::fabs(dyh) + sizes + std::fabs(xh) * dotSizes;
    double reach = in.dyBounds[i] * std::fabs(in.g[k]) + sumReach +
                   std::fabs(xh) * dotReach +
                   in.xBounds[i] * scale * std::fabs(dot);
    bounds[k] = scale * (5e-6 * terms + reach);
    if (in.added.empty())
      continue;
    dx[k] += in.added[i];
    bounds[k] += 5e-6 * std::fabs(in.added[i]) + in.addedBounds[i];
  }
}

/// Both gradients: `muOperand` and `dbeta` are null for te.rms_norm_bwd, whose
/// formula has neither mu nor mean(dyh); `add` may be.
template <typename Op>
static LogicalResult differentiate(Op op, Value muOperand, Value add,
                                   OpResult dbeta, Frame &frame) {
  const TensorValue input = frame.get(op.getInput());
  Matrix matrix = Matrix::flatten(input.shape);
  NormOperands in;
  in.x = frame.load(op.getInput());
  in.xBounds = frame.loadBounds(op.getInput());
  in.dy = frame.load(op.getGrad());
  in.dyBounds = frame.loadBounds(op.getGrad());
  in.g = loadGamma(op.getGamma(), op.getZeroCenteredGamma(), frame);
  in.rsigma = frame.load(op.getRsigma());
  in.mu.resize(matrix.rows);
  if (muOperand)
    in.mu = frame.load(muOperand);
  if (add) {
    in.added = frame.load(add);
    in.addedBounds = frame.loadBounds(add);
  }
  std::vector<double> dx(in.x.size()), bounds(in.x.size());
  Sums dgammas(matrix.cols), dbetas(matrix.cols);
  for (int64_t m = 0; m < matrix.rows; ++m) {
    int64_t row = m * matrix.cols;
    differentiateRow(in, m, matrix.cols, bool(muOperand),
                     MutableArrayRef(dx).slice(row, matrix.cols),
                     MutableArrayRef(bounds).slice(row, matrix.cols));
    for (int64_t k = 0; k < matrix.cols; ++k) {
      double dy = in.dy[row + k],
             xh = (in.x[row + k] - in.mu[m]) * in.rsigma[m];
      dgammas.add(k, dy * xh,
                  in.dyBounds[row + k] * std::fabs(xh) +
                      std::fabs(dy * in.rsigma[m]) * in.xBounds[row + k]);
      dbetas.add(k, dy, in.dyBounds[row + k]);
    }
  }
  if (dbeta && failed(dbetas.store(dbeta, {matrix.cols}, frame)))
    return failure();
  return failure(
      failed(frame.store(op->getResult(0), input.shape, dx, bounds)) ||
      failed(dgammas.store(op->getResult(1), {matrix.cols}, frame)));
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
  std::vector<double> bounds, biasBounds = frame.loadBounds(op.getBias());
  const HostTensor &input = frame.get(op.getInput()).buffers[0];
  if (!input.bounds.empty() ||
      !frame.get(op.getBias()).buffers[0].bounds.empty()) {
    bounds = frame.loadBounds(op.getInput());
    for (auto [i, bound] : llvm::enumerate(bounds))
      bound += biasBounds[i % bias.size()];
  }
  return frame.store(op->getResult(0), frame.get(op.getInput()).shape, values,
                     bounds);
}

static LogicalResult runBiasGrad(Operation *operation, Frame &frame) {
  auto op = cast<BiasGradOp>(operation);
  int64_t cols = Matrix::flatten(frame.get(op.getInput()).shape).cols;
  Sums sums(cols);
  std::vector<double> bounds = frame.loadBounds(op.getInput());
  for (auto [i, value] : llvm::enumerate(frame.load(op.getInput())))
    sums.add(i % cols, value, bounds[i]);
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
