//===- Attention.cpp - softmax, attention in the reference -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// te.softmax, te.softmax_bwd and te.attention, in double, each result rounded
// once; bounds say how far off a kernel may be, which sums products in f32 and
// rounds probabilities to the operands' type.
//
//===----------------------------------------------------------------------===//
#include "Handlers.h"
#include "te/Dialect/TE/IR/TE.h"

#include "llvm/Support/Parallel.h"

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

//===----------------------------------------------------------------------===//
// te.attention
//===----------------------------------------------------------------------===//

namespace {
/// Where the elements of a tensor of heads stand.
struct Heads {
  Heads(AttentionOp op, Value value, const Frame &frame)
      : values(frame.load(value)), bounds(frame.loadBounds(value)) {
    ArrayRef<int64_t> shape = frame.get(value).shape;
    unsigned dims[] = {op.getBatchDim(), op.getSequenceDim(), op.getHeadDim()};
    batches = shape[dims[0]];
    sequence = shape[dims[1]];
    heads = shape[dims[2]];
    size = shape[AttentionOp::kLastDim];
    for (auto [dim, stride] : llvm::zip_equal(dims, strides))
      stride = ShapedType::getNumElements(shape.drop_front(dim + 1));
  }
  int64_t getStart(int64_t b, int64_t s, int64_t h) const {
    return b * strides[0] + s * strides[1] + h * strides[2];
  }
  std::vector<double> values, bounds;
  int64_t batches, sequence, heads, size;
  std::array<int64_t, 3> strides; // of batch, token and head
};

/// One query's row of O, and its lse.
struct Attended {
  std::vector<Number> row;
  Number lse;
};
} // namespace

static Number dot(const Heads &x, int64_t atX, const Heads &y, int64_t atY) {
  Number sum;
  double magnitude = 0;
  for (int64_t i = 0; i < x.size; ++i) {
    double a = x.values[atX + i], b = y.values[atY + i];
    sum.value += a * b;
    magnitude += std::fabs(a * b);
    sum.bound +=
        std::fabs(a) * y.bounds[atY + i] + std::fabs(b) * x.bounds[atX + i];
  }
  sum.bound += getProductBound(x.size) * magnitude;
  return sum;
}

/// Of query (b, i, h), which sees the first `seen` keys.
static Attended attend(AttentionOp op, const Heads &q, const Heads &k,
                       const Heads &v, int64_t b, int64_t i, int64_t h,
                       int64_t seen) {
  int64_t ofKeys = h / (q.heads / k.heads);
  double scale = op.getScaleOrDefault(), most = -HUGE_VAL;
  std::vector<Number> row(seen);
  for (int64_t j = 0; j < seen; ++j) {
    row[j] = dot(q, q.getStart(b, i, h), k, k.getStart(b, j, ofKeys));
    most = std::fmax(most, toF32Range(scale * row[j].value));
  }
  Attended result{std::vector<Number>(v.size), {-HUGE_VAL, 0}};
  if (most == -HUGE_VAL &&
      llvm::none_of(row, [](Number z) { return std::isnan(z.value); }))
    return result;
  for (Number &z : row)
    z = getExponential(z, scale, most);
  Number sum = getSum(row);
  result.lse = {most + std::log(sum.value),
                sum.bound / sum.value + std::ldexp(std::fabs(most), -22)};
  // What rounding a probability may take from it.
  double unit =
      getElementTypeOrSelf(op.getQ().getType()).isBF16() ? 0x1p-8 : 0x1p-11;
  double relative = sum.bound / sum.value;
  for (int64_t d = 0; d < v.size; ++d) {
    Number &o = result.row[d];
    double magnitude = 0;
    for (int64_t j = 0; j < seen; ++j) {
      int64_t at = v.getStart(b, j, ofKeys) + d;
      double p = row[j].value / sum.value, value = v.values[at];
      o.value += p * value;
      o.bound += (row[j].bound / sum.value + p * (unit + relative)) *
                     std::fabs(value) +
                 p * v.bounds[at];
      magnitude += std::fabs(p * value);
    }
    o.bound += getProductBound(seen) * magnitude;
  }
  return result;
}

/// Whether a column of v has Inf or NaN after the keys that are seen: kernels
/// multiply them by 0.
static bool holdsSpecials(const Heads &v, int64_t b, int64_t seen, int64_t h,
                          int64_t column) {
  for (int64_t j = seen; j < v.sequence; ++j)
    if (!std::isfinite(v.values[v.getStart(b, j, h) + column]))
      return true;
  return false;
}

static LogicalResult runAttention(Operation *operation, Frame &frame) {
  auto op = cast<AttentionOp>(operation);
  Heads q(op, op.getQ(), frame), k(op, op.getK(), frame),
      v(op, op.getV(), frame);
  for (const Heads *keys : {&k, &v})
    if (keys->batches != q.batches || keys->sequence != k.sequence)
      return op.emitError()
             << "q has " << q.batches << " batches, k " << k.batches << " of "
             << k.sequence << " keys and v " << v.batches << " of "
             << v.sequence << "; they agree (K2)";
  std::vector<int64_t> shape = frame.get(op.getQ()).shape;
  shape.back() = v.size;
  int64_t rows = q.batches * q.heads * q.sequence;
  std::vector<double> o(rows * v.size), bounds(o.size()), lse(rows),
      lseBounds(rows);
  std::vector<char> isOpen(o.size()); // several threads write it
  llvm::parallelFor(0, rows, [&](size_t index) {
    int64_t i = index % q.sequence, h = index / q.sequence % q.heads,
            b = index / q.sequence / q.heads;
    int64_t seen = countSeen({q.sequence, k.sequence}, i, op.getCausal());
    Attended attended = attend(op, q, k, v, b, i, h, seen);
    lse[index] = attended.lse.value;
    lseBounds[index] = attended.lse.bound;
    // q's rows have another length.
    int64_t start = q.getStart(b, i, h) / q.size * v.size;
    for (auto [d, number] : llvm::enumerate(attended.row)) {
      std::tie(o[start + d], bounds[start + d]) =
          std::pair(number.value, number.bound);
      isOpen[start + d] = holdsSpecials(v, b, seen, h / (q.heads / k.heads), d);
    }
  });
  if (failed(frame.store(op->getResult(0), shape, o, bounds)))
    return failure();
  for (auto [i, open] : llvm::enumerate(isOpen))
    if (open)
      markUnspecified(frame.values[op->getResult(0)].buffers[0], i);
  return frame.store(op->getResult(1), {q.batches, q.heads, q.sequence}, lse,
                     lseBounds);
}

ArrayRef<HandlerEntry> mlir::te::ref::getAttentionHandlers() {
  static constexpr HandlerEntry kHandlers[] = {
      {"te.attention", runAttention},
      {"te.softmax", runSoftmax},
      {"te.softmax_bwd", runSoftmaxBwd},
  };
  return kHandlers;
}
