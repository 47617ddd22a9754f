//===- Interpreter.cpp - runs te functions on host tensors -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Reference/Interpreter.h"
#include "Handlers.h"
#include "te/Dialect/TE/IR/TE.h"

#include <cmath>

using namespace mlir;
using namespace mlir::te;
using ref::TensorValue;

const TensorValue &ref::Frame::get(Value value) const {
  auto it = values.find(value);
  assert(it != values.end() && "SSA: a definition dominates its uses");
  return it->second;
}

/// `found` has the buffers that `expected` has, and takes their shapes. A guard
/// against callers, and against an interpreter and a type that disagree.
static LogicalResult matchBuffers(Location loc, const Twine &what,
                                  const TensorValue &expected,
                                  TensorValue &found) {
  if (found.buffers.size() != expected.buffers.size())
    return emitError(loc) << what << " has " << found.buffers.size()
                          << " buffers, expected " << expected.buffers.size();
  for (auto [a, b] : llvm::zip_equal(found.buffers, expected.buffers)) {
    if (a.type != b.type || a.bytes.size() != b.bytes.size())
      return emitError(loc)
             << what << " has " << a.bytes.size() << " bytes of "
             << rt::getInfo(a.type).name << ", expected " << b.bytes.size()
             << " of " << rt::getInfo(b.type).name;
    a.shape = b.shape;
  }
  return success();
}

LogicalResult ref::Frame::set(Value value, const Twine &what,
                              TensorValue contents) {
  auto expected = makeValue(value.getLoc(), value.getType(), contents.shape, 0);
  if (failed(expected) ||
      failed(matchBuffers(value.getLoc(), what, *expected, contents)))
    return failure();
  values[value] = std::move(contents);
  return success();
}

LogicalResult ref::Frame::set(OpResult result, TensorValue contents) {
  return set(result, "result #" + Twine(result.getResultNumber()),
             std::move(contents));
}

std::vector<double> ref::Frame::load(Value value) const {
  const HostTensor &tensor = get(value).buffers[0];
  std::vector<double> numbers(tensor.getNumUnits());
  for (auto [i, number] : llvm::enumerate(numbers))
    number = loadElement(tensor, i);
  return numbers;
}

std::vector<double> ref::Frame::loadBounds(Value value) const {
  const HostTensor &tensor = get(value).buffers[0];
  std::vector<double> bounds(tensor.getNumUnits());
  if (!tensor.bounds.empty())
    for (auto [i, bound] : llvm::enumerate(bounds))
      bound = getRoundedBound(tensor, i);
  return bounds;
}

static bool hasUnspecified(const TensorValue &value) {
  return llvm::any_of(value.buffers, [](const ref::HostTensor &buffer) {
    return llvm::any_of(buffer.unspecified, [](uint8_t bits) { return bits; });
  });
}

LogicalResult ref::Frame::store(OpResult result, ArrayRef<int64_t> shape,
                                ArrayRef<double> numbers,
                                ArrayRef<double> bounds) {
  DType type = *getDType(getElementTypeOrSelf(result.getType()));
  HostTensor tensor = HostTensor::zeros(type, shape.vec());
  assert(tensor.getNumUnits() == int64_t(numbers.size()) && "a number each");
  for (auto [i, number] : llvm::enumerate(numbers))
    storeElement(tensor, i, number);
  tensor.bounds = bounds.vec();
  // Next to Inf and NaN a bound says nothing.
  for (double &bound : tensor.bounds)
    bound = std::isfinite(bound) ? bound : 0;
  if (llvm::any_of(result.getOwner()->getOperands(),
                   [&](Value operand) { return hasUnspecified(get(operand)); }))
    tensor.unspecified.assign(tensor.bytes.size(), 0xFF);
  return set(result, {shape.vec(), {std::move(tensor)}});
}

/// Of f32 (docs/spec.md).
static constexpr double kRelative = 5e-6, kAbsolute = 1e-6;
static constexpr double kLeastNormal = 0x1p-126;

double ref::getReach(ElementFunction f, const Triple &x, const Triple &bounds,
                     double y) {
  double sum = 0, atOnce = 0;
  // Beyond f's domain, or where it is infinite, no bound helps.
  auto getDistance = [&](const Triple &moved) {
    double distance = std::fabs(f(moved) - y);
    return std::isfinite(distance) ? distance : 0;
  };
  for (auto [i, bound] : llvm::enumerate(bounds)) {
    if (bound == 0)
      continue;
    double most = 0;
    for (double by : {bound, -bound}) {
      Triple moved = x;
      moved[i] += by;
      most = std::max(most, getDistance(moved));
    }
    sum += most;
  }
  // What changes only where several operands do, as a product of zeros.
  if (llvm::count_if(bounds, [](double bound) { return bound != 0; }) > 1)
    for (unsigned signs = 0; signs < 1u << bounds.size(); ++signs) {
      Triple moved = x;
      for (auto [i, bound] : llvm::enumerate(bounds))
        moved[i] += signs >> i & 1 ? -bound : bound;
      atOnce = std::max(atOnce, getDistance(moved));
    }
  return std::max(sum, atOnce);
}

double ref::getApproximateBound(ElementFunction f, const Triple &x,
                                const Triple &bounds, double y) {
  Triple own;
  for (auto [bound, operand] : llvm::zip_equal(own, x))
    bound = kRelative * std::fabs(operand);
  double bound = std::min(kAbsolute, getReach(f, x, own, y));
  if (std::isfinite(y))
    bound += kRelative * std::fabs(y);
  // A factor of f may be below the normal numbers, and be 0.
  for (double operand : x)
    bound += kLeastNormal * std::fabs(operand);
  bound += getReach(f, x, bounds, y);
  return std::isfinite(bound) ? bound : 0;
}

double ref::getRoundedBound(const HostTensor &tensor, int64_t index) {
  double value = std::fabs(loadElement(tensor, index));
  double ulp = std::ldexp(1, -int(getFormat(tensor.type).mantissaBits));
  return tensor.bounds[index] + (std::isfinite(value) ? ulp * value : 0);
}

LogicalResult ref::Sums::store(OpResult result, ArrayRef<int64_t> shape,
                               Frame &frame) const {
  std::vector<double> sums(bounds);
  for (auto [sum, square] : llvm::zip_equal(sums, squares))
    sum += getSumBound(square);
  return frame.store(result, shape, values, sums);
}

/// Runs the ops of a block up to its terminator, whose operands are returned.
FailureOr<std::vector<TensorValue>> ref::runBlock(Block &block, Frame &frame) {
  for (Operation &op : block.without_terminator())
    if (failed(interpretOp(&op, frame)))
      return failure();
  std::vector<TensorValue> results;
  for (Value operand : block.getTerminator()->getOperands())
    results.push_back(frame.get(operand));
  return results;
}

FailureOr<std::vector<TensorValue>>
ref::interpret(func::FuncOp function, ArrayRef<TensorValue> arguments,
               const InterpreterOptions &options) {
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return function.emitError()
           << "the reference interpreter runs functions of one block";
  Block &body = function.getBody().front();
  if (arguments.size() != body.getNumArguments())
    return function.emitError() << "takes " << body.getNumArguments()
                                << " arguments, found " << arguments.size();
  Frame frame(options);
  for (auto [argument, value] :
       llvm::zip_equal(body.getArguments(), arguments)) {
    if (failed(frame.set(argument,
                         "argument #" + Twine(argument.getArgNumber()), value)))
      return failure();
  }
  return runBlock(body, frame);
}
