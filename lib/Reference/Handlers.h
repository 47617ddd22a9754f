//===- Handlers.h - what the interpreter does for each op -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_REFERENCE_HANDLERS_H
#define TE_LIB_REFERENCE_HANDLERS_H

#include "te/Reference/Interpreter.h"

#include <array>
#include <cmath>

namespace mlir::te::ref {

/// The values known so far of one region.
struct Frame {
  explicit Frame(const InterpreterOptions &options) : options(options) {}

  const InterpreterOptions &options;
  DenseMap<Value, TensorValue> values;

  const TensorValue &get(Value value) const;
  /// Fails where the contents are not what the value's type asks for; `what`
  /// names it in the error.
  LogicalResult set(Value value, const Twine &what, TensorValue contents);
  LogicalResult set(OpResult result, TensorValue contents);

  // Whole tensors as numbers, row-major: for ops that are not computed element
  // by element.
  std::vector<double> load(Value value) const;
  /// How far off each of them may be: zeros for what is exact, or quantized.
  std::vector<double> loadBounds(Value value) const;
  /// Each number rounded once to the result's type. Where a bit of an operand
  /// is unspecified, so is all of the result. `bounds`: see HostTensor.
  LogicalResult store(OpResult result, ArrayRef<int64_t> shape,
                      ArrayRef<double> numbers, ArrayRef<double> bounds = {});
};

/// Marks element `index` of `result` as unspecified.
void markUnspecified(HostTensor &result, int64_t index);
/// Sets an element of a tensor of integers, cut to its width.
void storeInteger(HostTensor &tensor, int64_t index, int64_t value);

/// A number of f32's range: Inf beyond it.
inline double toF32Range(double x) {
  constexpr double most = std::numeric_limits<float>::max();
  return std::fabs(x) > most ? std::copysign(HUGE_VAL, x) : x;
}

/// How far off a sum is of terms that are each off by 5e-6 of themselves (TE
/// semantics 5.1: f32), in either direction: that times the root of the sum of
/// their squares, also where the terms cancel.
inline double getSumBound(double squares) { return 5e-6 * std::sqrt(squares); }

/// How far a sum of `terms` products in f32 may be off, relative to the sum of
/// their magnitudes (docs/spec.md).
inline double getProductBound(int64_t terms) {
  double n = terms;
  return std::ldexp(std::fmin(n + 4, 6 * std::sqrt(n) + 8), -23);
}

// How far off an element of a result may be, where its operands are, or its op
// is approximate.
using Triple = std::array<double, 3>;
using ElementFunction = llvm::function_ref<double(const Triple &)>;
/// How far y = f(x) moves where each operand moves by its bound, one after
/// another.
double getReach(ElementFunction f, const Triple &x, const Triple &bounds,
                double y);
/// The same of an approximate f, which besides is as good as if its operands
/// were off by 5e-6 of themselves (but then by 1e-6 at most), and off by 5e-6
/// of itself.
double getApproximateBound(ElementFunction f, const Triple &x,
                           const Triple &bounds, double y);
/// The bound of an element, rounded to its type where it may be another one.
double getRoundedBound(const HostTensor &tensor, int64_t index);

/// Sums of approximate terms, each rounded once to its result's type.
class Sums {
public:
  explicit Sums(int64_t count) : values(count), squares(count), bounds(count) {}
  /// `bound`: how far off the term may be beyond 5e-6 of itself.
  void add(int64_t index, double term, double bound = 0) {
    values[index] += term;
    squares[index] += term * term;
    bounds[index] += bound;
  }
  /// With the bounds of getSumBound, and of the terms.
  LogicalResult store(OpResult result, ArrayRef<int64_t> shape,
                      Frame &frame) const;

private:
  std::vector<double> values, squares, bounds;
};

/// Runs one op by the handler that the table has for its name; an error at the
/// op where it has none.
LogicalResult interpretOp(Operation *op, Frame &frame);

/// Runs a block; the values of its terminator's operands.
FailureOr<std::vector<TensorValue>> runBlock(Block &block, Frame &frame);

struct HandlerEntry {
  StringLiteral name;
  LogicalResult (*run)(Operation *op, Frame &frame);
};
// One table a file.
ArrayRef<HandlerEntry> getArithHandlers();
ArrayRef<HandlerEntry> getConstantHandlers();
ArrayRef<HandlerEntry> getNormHandlers();
ArrayRef<HandlerEntry> getActivationHandlers();
ArrayRef<HandlerEntry> getGemmHandlers();
ArrayRef<HandlerEntry> getRopeHandlers();
ArrayRef<HandlerEntry> getAttentionHandlers();
ArrayRef<HandlerEntry> getUpdateScaleHandlers();
ArrayRef<HandlerEntry> getPartialHandlers();
ArrayRef<HandlerEntry> getTensorHandlers();

} // namespace mlir::te::ref

#endif // TE_LIB_REFERENCE_HANDLERS_H
