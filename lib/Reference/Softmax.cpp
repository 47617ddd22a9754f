//===- Softmax.cpp - softmax in the reference -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// te.softmax and te.softmax_bwd, in double, each result rounded once.
//
//===----------------------------------------------------------------------===//
#include "Handlers.h"
#include "te/Dialect/TE/IR/TE.h"

#include <cmath>

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::ref;

/// How many elements of row `m` are seen: they are the first ones.
static int64_t countSeen(ArrayRef<int64_t> shape, int64_t m, bool causal) {
  int64_t keys = shape.back();
  if (!causal)
    return keys;
  int64_t queries = shape[shape.size() - 2];
  return std::clamp<int64_t>(m % queries + 1 + keys - queries, 0, keys);
}

namespace {
struct Number {
  double value = 0, bound = 0;
};
} // namespace

/// exp(z - most) of z = scale * x, which f32 rounds, and so does it `most`.
static Number getExponential(Number x, double scale, double most) {
  double z = toF32Range(scale * x.value);
  double bound = std::fabs(scale) * x.bound +
                 std::ldexp(std::fabs(z) + std::fabs(most), -23);
  auto exponential = [](const Triple &at) { return std::exp(at[0]); };
  Triple at = {z - most, 0, 0};
  double value = std::exp(z - most);
  return {value, getApproximateBound(exponential, at, {bound, 0, 0}, value)};
}

/// What the row's exponentials are divided by.
static Number getSum(ArrayRef<Number> row) {
  Number sum;
  double squares = 0;
  for (Number term : row) {
    sum.value += term.value;
    sum.bound += term.bound;
    squares += term.value * term.value;
  }
  sum.bound += getSumBound(squares);
  return sum;
}

/// In place. The largest element is that of those which are numbers.
static void normalizeRow(MutableArrayRef<Number> row, double scale) {
  double most = -HUGE_VAL;
  for (Number x : row)
    most = std::fmax(most, toF32Range(scale * x.value));
  if (most == -HUGE_VAL &&
      llvm::none_of(row, [](Number x) { return std::isnan(x.value); })) {
    llvm::fill(row, Number());
    return;
  }
  for (Number &x : row)
    x = getExponential(x, scale, most);
  Number sum = getSum(row);
  for (Number &x : row) {
    double y = x.value / sum.value;
    x = {y, (x.bound + y * sum.bound) / sum.value};
  }
}

static LogicalResult runSoftmax(Operation *operation, Frame &frame) {
  auto op = cast<SoftmaxOp>(operation);
  std::vector<int64_t> shape = frame.get(op.getInput()).shape;
  Matrix matrix = Matrix::flatten(shape);
  std::vector<double> x = frame.load(op.getInput());
  std::vector<double> bounds = frame.loadBounds(op.getInput());
  double scale = op.getScale().convertToDouble();
  for (int64_t m = 0; m < matrix.rows; ++m) {
    int64_t seen = countSeen(shape, m, op.getCausal());
    std::vector<Number> row(matrix.cols);
    for (int64_t k = 0; k < seen; ++k)
      row[k] = {x[m * matrix.cols + k], bounds[m * matrix.cols + k]};
    normalizeRow(MutableArrayRef(row).take_front(seen), scale);
    for (int64_t k = 0; k < matrix.cols; ++k)
      std::tie(x[m * matrix.cols + k], bounds[m * matrix.cols + k]) =
          std::pair(row[k].value, row[k].bound);
  }
  return frame.store(op->getResult(0), shape, x, bounds);
}

/// In place: `grads` become those of what softmax was applied to.
static void differentiateRow(MutableArrayRef<Number> grads,
                             ArrayRef<Number> row, double scale) {
  std::vector<Number> terms;
  for (auto [grad, y] : llvm::zip_equal(grads, row))
    terms.push_back(
        {grad.value * y.value,
         std::fabs(grad.value) * y.bound + std::fabs(y.value) * grad.bound});
  Number sum = getSum(terms);
  for (auto [grad, y] : llvm::zip_equal(grads, row)) {
    double less = grad.value - sum.value;
    double bound = grad.bound + sum.bound + std::ldexp(std::fabs(less), -24);
    grad = {scale * y.value * less,
            std::fabs(scale) *
                (std::fabs(y.value) * bound + std::fabs(less) * y.bound)};
  }
}

static LogicalResult runSoftmaxBwd(Operation *operation, Frame &frame) {
  auto op = cast<SoftmaxBwdOp>(operation);
  std::vector<int64_t> shape = frame.get(op.getGrad()).shape;
  Matrix matrix = Matrix::flatten(shape);
  std::vector<double> grad = frame.load(op.getGrad()),
                      y = frame.load(op.getY());
  std::vector<double> gradBounds = frame.loadBounds(op.getGrad()),
                      yBounds = frame.loadBounds(op.getY());
  double scale = op.getScale().convertToDouble();
  for (int64_t m = 0; m < matrix.rows; ++m) {
    int64_t seen = countSeen(shape, m, op.getCausal()), first = m * matrix.cols;
    std::vector<Number> grads(matrix.cols), row(seen);
    for (int64_t k = 0; k < seen; ++k) {
      grads[k] = {grad[first + k], gradBounds[first + k]};
      row[k] = {y[first + k], yBounds[first + k]};
    }
    differentiateRow(MutableArrayRef(grads).take_front(seen), row, scale);
    for (int64_t k = 0; k < matrix.cols; ++k)
      std::tie(grad[first + k], gradBounds[first + k]) =
          std::pair(grads[k].value, grads[k].bound);
  }
  return frame.store(op->getResult(0), shape, grad, gradBounds);
}

ArrayRef<HandlerEntry> mlir::te::ref::getSoftmaxHandlers() {
  static constexpr HandlerEntry kHandlers[] = {
      {"te.softmax", runSoftmax},
      {"te.softmax_bwd", runSoftmaxBwd},
  };
  return kHandlers;
}
