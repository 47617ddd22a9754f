//===- Gemm.cpp - matrix products in the reference --------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// te.gemm (docs/spec.md): the values that the
// operands stand for, multiplied and summed in double, then the epilogue in the
// order of docs/spec.md, each result rounded once. Inf and NaN go their natural
// way. Results know how far a sum in f32 may be off.
//
//===----------------------------------------------------------------------===//
#include "Activation.h"
#include "Handlers.h"
#include "te/Dialect/TE/IR/TE.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::ref;

/// The values that an operand stands for, row-major in its logical shape.
static FailureOr<std::vector<double>> loadValues(Value operand,
                                                 const Frame &frame) {
  auto type = dyn_cast<ScaledType>(operand.getType());
  if (!type)
    return frame.load(operand);
  const TensorValue &value = frame.get(operand);
  auto numbers = getValues({value.buffers[0], value.buffers[1]},
                           *getDType(type.getElementType()),
                           ref::getScaling(type.getScaling()), value.shape);
  if (!numbers)
    return emitError(operand.getLoc()) << llvm::toString(numbers.takeError());
  return std::move(*numbers);
}

/// True where a scale in f32 is Inf: a kernel may multiply a sum by it, whose
/// terms are Inf or NaN each (docs/spec.md).
static bool hasInfiniteScale(Value operand, const Frame &frame) {
  auto type = dyn_cast<ScaledType>(operand.getType());
  if (!type || type.getScaling().isE8M0())
    return false;
  const HostTensor &scales = frame.get(operand).buffers[1];
  for (int64_t i = 0, e = scales.getNumUnits(); i < e; ++i)
    if (std::isinf(loadElement(scales, i)))
      return true;
  return false;
}

/// With E8M0 scales an element's value may be taken to a multiple of this where
/// it is so small, as a denormal number is by a chip that has none: kernels
/// multiply by the scale before they sum (docs/spec.md).
static constexpr double kLeastElement = 0x1p-121;

/// How far each element of an operand may be off: what sums add up, times the
/// other side's.
static std::vector<double>
loadElementBounds(Value operand, ArrayRef<double> values, const Frame &frame) {
  auto type = dyn_cast<ScaledType>(operand.getType());
  if (!type)
    return frame.loadBounds(operand);
  std::vector<double> bounds(values.size());
  if (!type.getScaling().isE8M0())
    return bounds;
  // From here on the three bits of a code's fraction, at most, are kept.
  constexpr double kLeastExact = 8 * kLeastElement;
  for (auto [bound, value] : llvm::zip_equal(bounds, values))
    if (std::fabs(value) < kLeastExact)
      bound = std::fmin(std::fabs(value), kLeastElement);
  return bounds;
}

namespace {
/// Sizes of the product: `count` pairs of matrices.
struct Sizes {
  int64_t count = 1, m = 1, n = 1, k = 1;
};

/// One side's matrices, each row what one row (or column) of D is made from.
struct Rows {
  std::vector<double> values;
  int64_t length;
  ArrayRef<double> get(int64_t row) const {
    return ArrayRef(values).slice(row * length, length);
  }
};
} // namespace

/// `outer` x K of each matrix: as it is, or exchanged.
static Rows makeRows(std::vector<double> values, int64_t count, int64_t outer,
                     int64_t k, bool exchanged) {
  if (!exchanged)
    return {std::move(values), k};
  Rows rows{std::vector<double>(values.size()), k};
  for (int64_t i = 0; i < count; ++i)
    for (int64_t row = 0; row < outer; ++row)
      for (int64_t col = 0; col < k; ++col)
        rows.values[(i * outer + row) * k + col] =
            values[(i * k + col) * outer + row];
  return rows;
}

static Sizes getSizes(GemmOp op, ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  Sizes sizes;
  sizes.m = a[op.getMDim()];
  sizes.n = b[op.getNDim()];
  sizes.k = a[op.getKDimA()];
  for (int64_t size : a.drop_back(2))
    (op.isBatched() ? sizes.count : sizes.m) *= size;
  return sizes;
}

/// The largest slope of gelu and of gelu', rounded up: what an activation makes
/// of an error.
static constexpr double kLargestSlope = 1.13;

/// Stores a result, some of which is unspecified: where the magnitudes of
/// finite products add up to more than f32 holds, as their order decides
/// whether the sum is finite, Inf or NaN; and where a scale in f32 is Inf.
static LogicalResult storeSums(OpResult result, ArrayRef<int64_t> shape,
                               ArrayRef<double> numbers,
                               ArrayRef<double> bounds,
                               ArrayRef<bool> overflows, Frame &frame) {
  if (failed(frame.store(result, shape, numbers, bounds)))
    return failure();
  for (auto [i, overflow] : llvm::enumerate(overflows))
    if (overflow)
      markUnspecified(frame.values[result].buffers[0], i);
  return success();
}

static LogicalResult runGemm(Operation *operation, Frame &frame) {
  auto op = cast<GemmOp>(operation);
  if (op.getSplitK())
    return op.emitError("split_k is a schedule's choice; the "
                        "reference has none (X9)");
  std::vector<int64_t> shapeA = frame.get(op.getA()).shape,
                       shapeB = frame.get(op.getB()).shape;
  Sizes sizes = getSizes(op, shapeA, shapeB);
  auto a = loadValues(op.getA(), frame), b = loadValues(op.getB(), frame);
  if (failed(a) || failed(b))
    return failure();
  auto biasGrad = dyn_cast_or_null<OpResult>(op.getBiasGrad());
  if (biasGrad) {
    int64_t cols = shapeA.back();
    std::vector<double> sums(cols), bounds(cols);
    double relative = cols ? getProductBound(a->size() / cols) : 0;
    for (auto [i, value] : llvm::enumerate(*a)) {
      sums[i % cols] += value;
      bounds[i % cols] += relative * std::fabs(value);
    }
    if (failed(frame.store(biasGrad, {cols}, sums, bounds)))
      return failure();
  }
  Rows leftBounds = makeRows(loadElementBounds(op.getA(), *a, frame),
                             sizes.count, sizes.m, sizes.k, op.getTransposeA()),
       rightBounds =
           makeRows(loadElementBounds(op.getB(), *b, frame), sizes.count,
                    sizes.n, sizes.k, !op.getTransposeB());
  Rows left = makeRows(std::move(*a), sizes.count, sizes.m, sizes.k,
                       op.getTransposeA()),
       right = makeRows(std::move(*b), sizes.count, sizes.n, sizes.k,
                        !op.getTransposeB());
  auto load = [&](Value value) {
    return value ? frame.load(value) : std::vector<double>();
  };
  std::vector<double> bias = load(op.getBias()), z = load(op.getDgelu()), c;
  double alpha = op.getAlpha().convertToFloat(), beta = op.getBetaOrOne();
  if (op.getAccumulate() && beta != 0)
    c = frame.load(op.getAccumulate());
  bool isInfinite =
      hasInfiniteScale(op.getA(), frame) || hasInfiniteScale(op.getB(), frame);
  double relative = getProductBound(sizes.k);
  int64_t elements = sizes.count * sizes.m * sizes.n;
  std::vector<double> d(elements), aux(elements), bounds(elements);
  SmallVector<bool> overflows(elements);
  for (int64_t i = 0; i < elements; ++i) {
    int64_t col = i % sizes.n, row = i / sizes.n,
            matrix = sizes.m ? row / sizes.m : 0;
    ArrayRef<double> x = left.get(row), y = right.get(matrix * sizes.n + col);
    double sum = 0, magnitude = 0, reach = 0, finite = 0;
    ArrayRef<double> xBounds = leftBounds.get(row),
                     yBounds = rightBounds.get(matrix * sizes.n + col);
    for (auto [p, q, pBound, qBound] :
         llvm::zip_equal(x, y, xBounds, yBounds)) {
      sum += p * q;
      magnitude += std::fabs(p * q);
      finite += std::isfinite(p * q) ? std::fabs(p * q) : 0;
      reach += std::fabs(p) * qBound + std::fabs(q) * pBound;
    }
    // An Inf next to them does not decide either: they may add up to its like.
    overflows[i] =
        (finite > std::numeric_limits<float>::max() && !std::isnan(sum)) ||
        (isInfinite && !std::isfinite(magnitude));
    double v = alpha * sum;
    magnitude *= std::fabs(alpha);
    reach *= std::fabs(alpha);
    if (op.getBias()) {
      v += bias[col];
      magnitude += std::fabs(bias[col]);
    }
    aux[i] = v;
    if (op.getGelu())
      v = gelu(v);
    if (op.getDgelu())
      v *= geluDerivative(z[i]);
    if (op.getGelu() || op.getDgelu()) {
      magnitude *= kLargestSlope;
      reach *= kLargestSlope;
    }
    if (!c.empty()) {
      v += beta * c[i];
      magnitude += std::fabs(beta * c[i]);
    }
    d[i] = v;
    bounds[i] = relative * magnitude + reach;
  }
  std::vector<int64_t> shape(shapeA.begin(), shapeA.end() - 2);
  shape.push_back(shapeA[op.getMDim()]);
  shape.push_back(sizes.n);
  auto result = cast<OpResult>(op.getResult());
  auto auxResult = dyn_cast_or_null<OpResult>(op.getAux());
  return failure(
      failed(storeSums(result, shape, d, bounds, overflows, frame)) ||
      (auxResult &&
       failed(storeSums(auxResult, shape, aux, bounds, overflows, frame))));
}

ArrayRef<HandlerEntry> mlir::te::ref::getGemmHandlers() {
  static constexpr HandlerEntry kHandlers[] = {{"te.gemm", runGemm}};
  return kHandlers;
}
