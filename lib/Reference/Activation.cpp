//===- Activation.cpp - activations in the reference -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// te.activation, te.gated_activation and their gradients (docs/spec.md), in
// double on the values of the operands, each result rounded once to
// its type. f(x) and f'(x) are rounded to f32 before they are multiplied, so
// that what underflows there is 0 in a product with Inf as well. At Inf a
// function is its limit, and NaN in gives NaN out.
//
//===----------------------------------------------------------------------===//
#include "Activation.h"
#include "Handlers.h"
#include "te/Dialect/TE/IR/TE.h"

#include <cmath>

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::ref;

//===----------------------------------------------------------------------===//
// The functions and their derivatives
//===----------------------------------------------------------------------===//

static double sigmoid(double x) { return float(1 / (1 + std::exp(-x))); }

/// x * sigmoid(alpha * x), alpha > 0.
static double swish(double x, double alpha) {
  return std::isinf(x) ? std::fmax(x, 0) : x * sigmoid(alpha * x);
}
static double swishDerivative(double x, double alpha) {
  if (std::isinf(x))
    return x > 0;
  double s = sigmoid(alpha * x);
  return alpha * x * s * (1 - s) + s;
}

// With s = 0.5 * (1 + tanh(u)) = sigmoid(2u), which keeps its digits where tanh
// is next to -1; 1 - tanh(u)^2 = 4 * s * (1 - s).
double mlir::te::ref::gelu(double x) {
  if (std::isinf(x))
    return std::fmax(x, 0);
  return x * sigmoid(2 * x * (0.79788456 + 0.03567741 * x * x));
}
double mlir::te::ref::geluDerivative(double x) {
  double u = 0.79788456 * x * (1 + 0.044715 * x * x);
  if (std::fabs(u) > 1000) // far out, where x^2 may be Inf
    return u > 0;
  double slope = 0.79788456 + 0.1070322243 * x * x;
  return 2 * x * sigmoid(2 * u) * sigmoid(-2 * u) * slope + sigmoid(2 * u);
}

static double qgelu(double x) { return swish(x, 1.702); }
static double qgeluDerivative(double x) { return swishDerivative(x, 1.702); }
static double silu(double x) { return swish(x, 1); }
static double siluDerivative(double x) { return swishDerivative(x, 1); }
static double relu(double x) { return x <= 0 ? 0 : x; }
static double reluDerivative(double x) {
  return std::isnan(x) ? x : double(x > 0);
}
static double srelu(double x) { return x <= 0 ? 0 : x * x; }
static double sreluDerivative(double x) { return x <= 0 ? 0 : 2 * x; }
static double sigmoidDerivative(double x) { return sigmoid(x) * sigmoid(-x); }

namespace {
struct Function {
  double (*value)(double);
  double (*derivative)(double);
};
} // namespace

static Function getFunction(ActivationKind kind) {
  switch (kind) {
  case ActivationKind::Gelu:
    return {gelu, geluDerivative};
  case ActivationKind::QGelu:
    return {qgelu, qgeluDerivative};
  case ActivationKind::Silu:
    return {silu, siluDerivative};
  case ActivationKind::Relu:
    return {relu, reluDerivative};
  case ActivationKind::SRelu:
    break;
  }
  return {srelu, sreluDerivative};
}

/// The gate's function, of the kinds that have no parameter.
static Function getGate(GatedKind kind) {
  switch (kind) {
  case GatedKind::GeGlu:
    return {gelu, geluDerivative};
  case GatedKind::QGeGlu:
    return {qgelu, qgeluDerivative};
  case GatedKind::ReGlu:
    return {relu, reluDerivative};
  case GatedKind::SReGlu:
    return {srelu, sreluDerivative};
  case GatedKind::SwiGlu:
    return {silu, siluDerivative};
  default:
    return {sigmoid, sigmoidDerivative};
  }
}

namespace {
/// What a gated activation makes of a and b: f(a) * up(b).
struct Gated {
  double f, df, up, dup;
};
} // namespace

template <typename Op> static Gated getClamped(Op op, double a, double b) {
  double limit = op.getLimit().convertToFloat();
  double alpha = op.getAlpha().convertToFloat();
  double inA = a > limit ? limit : a;
  double inB = b > limit ? limit : b < -limit ? -limit : b;
  return {swish(inA, alpha), a > limit ? 0 : swishDerivative(inA, alpha),
          inB + op.getOffset().convertToFloat(),
          double(!(std::fabs(b) > limit))};
}

template <typename Op> static Gated getSiTu(Op op, double a, double b) {
  double beta1 = op.getBeta1().convertToFloat();
  double beta2 = op.getBeta2().convertToFloat();
  double t = std::tanh(a / beta1), s = sigmoid(a), u = std::tanh(b / beta2);
  double slopeA = 1 / std::pow(std::cosh(a / beta1), 2);
  double slopeB = 1 / std::pow(std::cosh(b / beta2), 2);
  return {beta1 * t * s, slopeA * s + beta1 * t * sigmoidDerivative(a),
          beta2 * u, slopeB};
}

template <typename Op> static Gated computeGated(Op op, double a, double b) {
  Gated gated;
  if (op.getKind() == GatedKind::ClampedSwiGlu) {
    gated = getClamped(op, a, b);
  } else if (op.getKind() == GatedKind::SiTuGlu) {
    gated = getSiTu(op, a, b);
  } else {
    Function gate = getGate(op.getKind());
    gated = {gate.value(a), gate.derivative(a), b, 1};
  }
  return {float(gated.f), float(gated.df), float(gated.up), float(gated.dup)};
}

//===----------------------------------------------------------------------===//
// The ops
//===----------------------------------------------------------------------===//

/// All is f32: each product is rounded, from left to right.
static double multiply(std::initializer_list<double> factors) {
  float product = 1;
  for (double factor : factors)
    product *= float(factor);
  return product;
}

/// The factor of each row: 1 without scales.
static std::vector<double> loadScales(Value scales, int64_t rows,
                                      const Frame &frame) {
  return scales ? frame.load(scales) : std::vector<double>(rows, 1.0);
}

/// Where a gate and its partner stand in a row of 2H elements.
static std::pair<int64_t, int64_t> getPair(int64_t column, int64_t half,
                                           int64_t interleave) {
  if (interleave == 0)
    return {column, half + column};
  int64_t a = column / interleave * 2 * interleave + column % interleave;
  return {a, a + interleave};
}

static LogicalResult runActivation(Operation *operation, Frame &frame) {
  auto op = cast<ActivationOp>(operation);
  std::vector<int64_t> shape = frame.get(op.getInput()).shape;
  Matrix matrix = Matrix::flatten(shape);
  std::vector<double> x = frame.load(op.getInput());
  std::vector<double> bounds = frame.loadBounds(op.getInput());
  std::vector<double> scales = loadScales(op.getScales(), matrix.rows, frame);
  Function function = getFunction(op.getKind());
  for (auto [i, value] : llvm::enumerate(x)) {
    auto compute = [&](const Triple &at) {
      return multiply({function.value(at[0]), scales[i / matrix.cols]});
    };
    Triple at = {value, 0, 0};
    value = compute(at);
    bounds[i] = getApproximateBound(compute, at, {bounds[i], 0, 0}, value);
  }
  return frame.store(op->getResult(0), shape, x, bounds);
}

static LogicalResult runGatedActivation(Operation *operation, Frame &frame) {
  auto op = cast<GatedActivationOp>(operation);
  std::vector<int64_t> shape = frame.get(op.getInput()).shape;
  shape.back() /= 2;
  Matrix matrix = Matrix::flatten(shape);
  std::vector<double> x = frame.load(op.getInput());
  std::vector<double> inputs = frame.loadBounds(op.getInput());
  std::vector<double> scales = loadScales(op.getScales(), matrix.rows, frame);
  std::vector<double> y(matrix.rows * matrix.cols), bounds(y.size());
  for (int64_t m = 0; m < matrix.rows; ++m)
    for (int64_t k = 0; k < matrix.cols; ++k) {
      auto [a, b] = getPair(k, matrix.cols, op.getInterleave());
      int64_t row = m * 2 * matrix.cols, i = m * matrix.cols + k;
      auto compute = [&](const Triple &at) {
        Gated gated = computeGated(op, at[0], at[1]);
        return multiply({gated.f, gated.up, scales[m]});
      };
      Triple at = {x[row + a], x[row + b], 0};
      y[i] = compute(at);
      bounds[i] = getApproximateBound(
          compute, at, {inputs[row + a], inputs[row + b], 0}, y[i]);
    }
  return frame.store(op->getResult(0), shape, y, bounds);
}

namespace {
/// A gradient, each element with its bound.
struct Gradient {
  explicit Gradient(int64_t count) : values(count), bounds(count) {}
  std::vector<double> values, bounds;
  void set(int64_t index, ElementFunction f, const Triple &x,
           const Triple &operands) {
    values[index] = f(x);
    bounds[index] = getApproximateBound(f, x, operands, values[index]);
  }
};
} // namespace

/// dx, and the sums over it that the op has results for.
template <typename Op>
static LogicalResult storeGradients(Op op, const Gradient &dx,
                                    const Sums &dscale, Frame &frame) {
  std::vector<int64_t> shape = frame.get(op.getInput()).shape;
  int64_t cols = Matrix::flatten(shape).cols;
  Sums dbias(cols);
  for (auto [i, value] : llvm::enumerate(dx.values))
    dbias.add(i % cols, value, dx.bounds[i]);
  auto rowShape = ArrayRef(shape).drop_back();
  auto dbiasResult = dyn_cast_or_null<OpResult>(op.getDbias());
  auto dscaleResult = dyn_cast_or_null<OpResult>(op.getDscale());
  if (dbiasResult && failed(dbias.store(dbiasResult, {cols}, frame)))
    return failure();
  if (dscaleResult && failed(dscale.store(dscaleResult, rowShape, frame)))
    return failure();
  return frame.store(op->getResult(0), shape, dx.values, dx.bounds);
}

static LogicalResult runActivationBwd(Operation *operation, Frame &frame) {
  auto op = cast<ActivationBwdOp>(operation);
  Matrix matrix = Matrix::flatten(frame.get(op.getInput()).shape);
  std::vector<double> x = frame.load(op.getInput());
  std::vector<double> grad = frame.load(op.getGrad());
  std::vector<double> inputs = frame.loadBounds(op.getInput());
  std::vector<double> grads = frame.loadBounds(op.getGrad());
  std::vector<double> scales = loadScales(op.getScales(), matrix.rows, frame);
  Function function = getFunction(op.getKind());
  Gradient dx(x.size());
  Sums dscale(matrix.rows);
  for (size_t i = 0; i < x.size(); ++i) {
    int64_t row = i / matrix.cols;
    Triple at = {x[i], grad[i], 0}, operands = {inputs[i], grads[i], 0};
    dx.set(
        i,
        [&](const Triple &at) {
          return multiply({function.derivative(at[0]), at[1], scales[row]});
        },
        at, operands);
    auto term = [&](const Triple &at) {
      return multiply({function.value(at[0]), at[1]});
    };
    double value = term(at);
    dscale.add(row, value, getApproximateBound(term, at, operands, value));
  }
  return storeGradients(op, dx, dscale, frame);
}

static LogicalResult runGatedActivationBwd(Operation *operation, Frame &frame) {
  auto op = cast<GatedActivationBwdOp>(operation);
  Matrix matrix = Matrix::flatten(frame.get(op.getGrad()).shape);
  std::vector<double> x = frame.load(op.getInput());
  std::vector<double> grad = frame.load(op.getGrad());
  std::vector<double> inputs = frame.loadBounds(op.getInput());
  std::vector<double> grads = frame.loadBounds(op.getGrad());
  std::vector<double> scales = loadScales(op.getScales(), matrix.rows, frame);
  Gradient dx(x.size());
  Sums dscale(matrix.rows);
  for (int64_t m = 0; m < matrix.rows; ++m)
    for (int64_t k = 0; k < matrix.cols; ++k) {
      auto [a, b] = getPair(k, matrix.cols, op.getInterleave());
      int64_t row = m * 2 * matrix.cols, i = m * matrix.cols + k;
      Triple at = {x[row + a], x[row + b], grad[i]};
      Triple operands = {inputs[row + a], inputs[row + b], grads[i]};
      dx.set(
          row + a,
          [&](const Triple &at) {
            Gated gated = computeGated(op, at[0], at[1]);
            return multiply({gated.df, at[2], gated.up, scales[m]});
          },
          at, operands);
      dx.set(
          row + b,
          [&](const Triple &at) {
            Gated gated = computeGated(op, at[0], at[1]);
            return multiply({gated.f, at[2], gated.dup, scales[m]});
          },
          at, operands);
      auto term = [&](const Triple &at) {
        Gated gated = computeGated(op, at[0], at[1]);
        return multiply({gated.f, gated.up, at[2]});
      };
      double value = term(at);
      dscale.add(m, value, getApproximateBound(term, at, operands, value));
    }
  return storeGradients(op, dx, dscale, frame);
}

ArrayRef<HandlerEntry> mlir::te::ref::getActivationHandlers() {
  static constexpr HandlerEntry kHandlers[] = {
      {"te.activation", runActivation},
      {"te.gated_activation", runGatedActivation},
      {"te.activation_bwd", runActivationBwd},
      {"te.gated_activation_bwd", runGatedActivationBwd},
  };
  return kHandlers;
}
