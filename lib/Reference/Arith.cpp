//===- Arith.cpp - elementwise arith and math ops in the reference -*- C++
//-*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op is computed in double and rounded once to its element type: double
// has more than twice the precision of f32, so that rounding in between is
// harmless for + - * / and sqrt and the result is the IEEE one. Integers are
// computed in 64 bits and cut to their width.
//
// What an approximate operand decides (a comparison, an integer) is unspecified
// where the operand's bound reaches across.
//
//===----------------------------------------------------------------------===//
#include "Handlers.h"
#include "te/Dialect/TE/IR/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::ref;

void ref::markUnspecified(HostTensor &result, int64_t index) {
  unsigned bytes = rt::getInfo(result.type).bytes;
  result.unspecified.resize(result.bytes.size());
  std::fill_n(result.unspecified.begin() + index * bytes, bytes, 0xFF);
}

/// The same where it is so in an operand.
static void spreadUnspecified(const HostTensor &operand, int64_t index,
                              HostTensor &result) {
  if (operand.unspecified.empty())
    return;
  unsigned bytes = rt::getInfo(operand.type).bytes;
  auto begin = operand.unspecified.begin() + index * bytes;
  if (std::any_of(begin, begin + bytes, [](uint8_t bits) { return bits; }))
    markUnspecified(result, index);
}

/// The operands of an op, as buffers.
static SmallVector<const HostTensor *> getOperands(Operation *op,
                                                   const Frame &frame) {
  return llvm::map_to_vector(op->getOperands(), [&](Value operand) {
    return &frame.get(operand).buffers[0];
  });
}

/// A tensor for the result, of the shape of the first operand.
static HostTensor makeResult(Operation *op, const Frame &frame) {
  DType type = *getDType(getElementTypeOrSelf(op->getResult(0).getType()));
  return HostTensor::zeros(type, frame.get(op->getOperand(0)).shape);
}

static LogicalResult finish(Operation *op, HostTensor tensor, Frame &frame) {
  std::vector<int64_t> shape = tensor.shape;
  return frame.set(op->getResult(0), {std::move(shape), {std::move(tensor)}});
}

static LogicalResult failOnType(Operation *op) {
  return op->emitError() << "the reference interpreter does not know this op "
                            "on "
                         << op->getResult(0).getType();
}

static bool areFloats(ArrayRef<const HostTensor *> operands) {
  return llvm::all_of(operands, [](const HostTensor *operand) {
    return findFormat(operand->type) != nullptr;
  });
}

static bool isFloatResult(Operation *op) {
  auto type = getDType(getElementTypeOrSelf(op->getResult(0).getType()));
  return type && findFormat(*type);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static Triple loadElements(ArrayRef<const HostTensor *> operands,
                           int64_t index) {
  Triple x = {0, 0, 0};
  for (auto [i, operand] : llvm::enumerate(operands))
    x[i] = loadElement(*operand, index);
  return x;
}

/// How far off each operand's element may be; nothing where all are exact.
static std::optional<Triple> loadBounds(ArrayRef<const HostTensor *> operands,
                                        int64_t index) {
  std::optional<Triple> bounds;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    if (operand->bounds.empty())
      continue;
    if (!bounds)
      bounds = Triple{0, 0, 0};
    (*bounds)[i] = getRoundedBound(*operand, index);
  }
  return bounds;
}

/// An operand that is off reaches a pole, or the end of the domain.
static bool reachesAcross(ElementFunction f, const Triple &x,
                          const Triple &bounds, double y) {
  for (auto [i, bound] : llvm::enumerate(bounds))
    for (double by : {bound, -bound}) {
      Triple moved = x;
      moved[i] += by;
      if (std::isfinite(f(moved)) != std::isfinite(y))
        return true;
    }
  return false;
}

/// An operand that is off by a quarter of a turn reaches all that a function of
/// angles has.
static bool reachesAll(Operation *op, const Triple &bounds) {
  constexpr double kTwoPi = 6.283185307179586;
  StringRef name = op->getName().getStringRef();
  return llvm::is_contained({"math.sin", "math.cos", "math.tan"}, name) &&
         bounds[0] >= kTwoPi / 4;
}

/// An op of floats, of up to three operands.
template <double (*compute)(const Triple &)>
static LogicalResult runElementwise(Operation *op, Frame &frame) {
  SmallVector<const HostTensor *> operands = getOperands(op, frame);
  if (!areFloats(operands) || !isFloatResult(op))
    return failOnType(op);
  const ElementwiseOp *info = lookupElementwise(op->getName().getStringRef());
  bool isExact = info && info->isExact;
  HostTensor result = makeResult(op, frame);
  for (int64_t i = 0, e = result.getNumUnits(); i < e; ++i) {
    Triple x = loadElements(operands, i);
    double y = compute(x);
    storeElement(result, i, y);
    for (const HostTensor *operand : operands)
      spreadUnspecified(*operand, i, result);
    std::optional<Triple> bounds = loadBounds(operands, i);
    if (isExact && !bounds)
      continue;
    result.bounds.resize(result.getNumUnits());
    Triple moved = bounds.value_or(Triple{0, 0, 0});
    if (bounds &&
        (reachesAll(op, moved) || reachesAcross(compute, x, moved, y)))
      markUnspecified(result, i);
    result.bounds[i] = isExact ? getReach(compute, x, moved, y)
                               : getApproximateBound(compute, x, moved, y);
  }
  return finish(op, std::move(result), frame);
}

// maximumf and minimumf give NaN where either operand is; maxnumf and minnumf
// the other operand. -0 is less than 0.
static double maxnum(double a, double b) {
  return a == b ? (std::signbit(a) ? b : a) : std::fmax(a, b);
}
static double minnum(double a, double b) {
  return a == b ? (std::signbit(a) ? a : b) : std::fmin(a, b);
}
static double maximum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::nan("") : maxnum(a, b);
}
static double minimum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::nan("") : minnum(a, b);
}

static double add(const Triple &x) { return x[0] + x[1]; }
static double subtract(const Triple &x) { return x[0] - x[1]; }
static double multiply(const Triple &x) { return x[0] * x[1]; }
static double divide(const Triple &x) { return x[0] / x[1]; }
static double negate(const Triple &x) { return -x[0]; }
static double same(const Triple &x) { return x[0]; }
static double maximum(const Triple &x) { return maximum(x[0], x[1]); }
static double minimum(const Triple &x) { return minimum(x[0], x[1]); }
static double maxnum(const Triple &x) { return maxnum(x[0], x[1]); }
static double minnum(const Triple &x) { return minnum(x[0], x[1]); }
static double clamp(const Triple &x) {
  return minimum(maximum(x[0], x[1]), x[2]);
}
static double multiplyAdd(const Triple &x) { return x[0] * x[1] + x[2]; }
static double reciprocalRoot(const Triple &x) { return 1 / std::sqrt(x[0]); }
/// Functions of the C library.
template <double (*function)(double)> static double apply(const Triple &x) {
  return function(x[0]);
}
template <double (*function)(double, double)>
static double applyTwo(const Triple &x) {
  return function(x[0], x[1]);
}

/// The sign of a NaN is nobody's: what it gives another number is unspecified.
static LogicalResult runCopySign(Operation *op, Frame &frame) {
  if (failed(runElementwise<applyTwo<std::copysign>>(op, frame)))
    return failure();
  const HostTensor signs = *getOperands(op, frame)[1];
  HostTensor &result = frame.values[op->getResult(0)].buffers[0];
  for (int64_t i = 0, e = result.getNumUnits(); i < e; ++i)
    if (std::isnan(loadElement(signs, i)))
      markUnspecified(result, i);
  return success();
}

//===----------------------------------------------------------------------===//
// Comparisons, integers
//===----------------------------------------------------------------------===//

static int64_t loadInteger(const HostTensor &tensor, int64_t index) {
  switch (tensor.type) {
  case DType::I8:
    return tensor.load<int8_t>(index);
  case DType::I32:
    return tensor.load<int32_t>(index);
  default:
    return tensor.load<int64_t>(index);
  }
}

void ref::storeInteger(HostTensor &tensor, int64_t index, int64_t value) {
  switch (tensor.type) {
  case DType::I8:
    return tensor.store<int8_t>(index, int8_t(value));
  case DType::I32:
    return tensor.store<int32_t>(index, int32_t(value));
  default:
    return tensor.store<int64_t>(index, value);
  }
}

static uint64_t toUnsigned(const HostTensor &tensor, int64_t value) {
  unsigned bits = 8 * rt::getInfo(tensor.type).bytes;
  return bits == 64 ? value : value & ((uint64_t(1) << bits) - 1);
}

/// `isOrdered`: neither is NaN.
static bool holds(arith::CmpFPredicate predicate, double a, double b) {
  using P = arith::CmpFPredicate;
  bool isOrdered = !std::isnan(a) && !std::isnan(b);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::AlwaysTrue:
    return true;
  case P::ORD:
    return isOrdered;
  case P::UNO:
    return !isOrdered;
  case P::OEQ:
    return a == b;
  case P::UEQ:
    return !isOrdered || a == b;
  case P::ONE:
    return isOrdered && a != b;
  case P::UNE:
    return a != b;
  case P::OGT:
    return a > b;
  case P::UGT:
    return !(a <= b);
  case P::OGE:
    return a >= b;
  case P::UGE:
    return !(a < b);
  case P::OLT:
    return a < b;
  case P::ULT:
    return !(a >= b);
  case P::OLE:
    return a <= b;
  case P::ULE:
    return !(a > b);
  }
  return false;
}

static LogicalResult runCompareFloats(Operation *op, Frame &frame) {
  SmallVector<const HostTensor *> operands = getOperands(op, frame);
  if (!areFloats(operands))
    return failOnType(op);
  arith::CmpFPredicate predicate = cast<arith::CmpFOp>(op).getPredicate();
  HostTensor result = makeResult(op, frame);
  for (int64_t i = 0, e = result.getNumUnits(); i < e; ++i) {
    Triple x = loadElements(operands, i);
    result.store<int8_t>(i, holds(predicate, x[0], x[1]));
    for (const HostTensor *operand : operands)
      spreadUnspecified(*operand, i, result);
    if (std::optional<Triple> bounds = loadBounds(operands, i);
        bounds && std::fabs(x[0] - x[1]) <= (*bounds)[0] + (*bounds)[1])
      markUnspecified(result, i);
  }
  return finish(op, std::move(result), frame);
}

static LogicalResult runSelect(Operation *op, Frame &frame) {
  SmallVector<const HostTensor *> operands = getOperands(op, frame);
  HostTensor result = makeResult(op, frame);
  unsigned bytes = rt::getInfo(result.type).bytes;
  if (operands[0]->getNumUnits() != result.getNumUnits())
    return failOnType(op);
  for (int64_t i = 0, e = result.getNumUnits(); i < e; ++i) {
    const HostTensor &source = *operands[operands[0]->load<int8_t>(i) ? 1 : 2];
    std::copy_n(source.bytes.begin() + i * bytes, bytes,
                result.bytes.begin() + i * bytes);
    spreadUnspecified(*operands[0], i, result);
    spreadUnspecified(source, i, result);
    if (source.bounds.empty())
      continue;
    result.bounds.resize(result.getNumUnits());
    result.bounds[i] = source.bounds[i];
  }
  return finish(op, std::move(result), frame);
}

/// Integers to floats, signed or not.
template <bool isSigned>
static LogicalResult runToFloat(Operation *op, Frame &frame) {
  const HostTensor &input = *getOperands(op, frame)[0];
  if (findFormat(input.type) || !isFloatResult(op))
    return failOnType(op);
  HostTensor result = makeResult(op, frame);
  for (int64_t i = 0, e = result.getNumUnits(); i < e; ++i) {
    int64_t value = loadInteger(input, i);
    // Once, from 64 bits to f32.
    storeElement(result, i,
                 isSigned ? float(value) : float(toUnsigned(input, value)));
    spreadUnspecified(input, i, result);
  }
  return finish(op, std::move(result), frame);
}

/// Floats to integers, toward zero.
template <bool isSigned>
static LogicalResult runToInteger(Operation *op, Frame &frame) {
  SmallVector<const HostTensor *> operands = getOperands(op, frame);
  if (!areFloats(operands) || isFloatResult(op))
    return failOnType(op);
  HostTensor result = makeResult(op, frame);
  int bits = 8 * rt::getInfo(result.type).bytes;
  double least = isSigned ? -std::ldexp(1, bits - 1) : 0;
  double end = std::ldexp(1, isSigned ? bits - 1 : bits);
  for (int64_t i = 0, e = result.getNumUnits(); i < e; ++i) {
    double x = std::trunc(loadElement(*operands[0], i));
    bool fits = x >= least && x < end;
    if (fits)
      storeInteger(result, i, isSigned ? int64_t(x) : int64_t(uint64_t(x)));
    spreadUnspecified(*operands[0], i, result);
    double value = loadElement(*operands[0], i);
    double bound = loadBounds(operands, i).value_or(Triple{0, 0, 0})[0];
    if (!fits || std::trunc(value - bound) != std::trunc(value + bound))
      markUnspecified(result, i);
  }
  return finish(op, std::move(result), frame);
}

/// An op of two integers: of tensors, or of an index (where slices begin, and
/// how long they are).
template <int64_t (*compute)(int64_t, int64_t), bool isSigned = true>
static LogicalResult runIntegers(Operation *op, Frame &frame) {
  SmallVector<const HostTensor *> operands = getOperands(op, frame);
  if (findFormat(operands[0]->type) || isFloatResult(op))
    return failOnType(op);
  HostTensor result = makeResult(op, frame);
  for (int64_t i = 0, e = result.getNumUnits(); i < e; ++i) {
    int64_t a = loadInteger(*operands[0], i), b = loadInteger(*operands[1], i);
    if (!isSigned) {
      a = toUnsigned(result, a);
      b = toUnsigned(result, b);
    }
    storeInteger(result, i, compute(a, b));
    for (const HostTensor *operand : operands)
      spreadUnspecified(*operand, i, result);
  }
  return finish(op, std::move(result), frame);
}

// Modulo 2^64: signed overflow is not defined.
static int64_t addIntegers(int64_t a, int64_t b) {
  return uint64_t(a) + uint64_t(b);
}
static int64_t subtractIntegers(int64_t a, int64_t b) {
  return uint64_t(a) - uint64_t(b);
}
static int64_t multiplyIntegers(int64_t a, int64_t b) {
  return uint64_t(a) * uint64_t(b);
}
static int64_t andIntegers(int64_t a, int64_t b) { return a & b; }
static int64_t orIntegers(int64_t a, int64_t b) { return a | b; }
static int64_t xorIntegers(int64_t a, int64_t b) { return a ^ b; }
static int64_t maxSigned(int64_t a, int64_t b) { return std::max(a, b); }
static int64_t minSigned(int64_t a, int64_t b) { return std::min(a, b); }
static int64_t maxUnsigned(int64_t a, int64_t b) {
  return std::max<uint64_t>(a, b);
}
static int64_t minUnsigned(int64_t a, int64_t b) {
  return std::min<uint64_t>(a, b);
}

static LogicalResult runCompareIntegers(Operation *op, Frame &frame) {
  SmallVector<const HostTensor *> operands = getOperands(op, frame);
  arith::CmpIPredicate predicate = cast<arith::CmpIOp>(op).getPredicate();
  if (findFormat(operands[0]->type))
    return failOnType(op);
  HostTensor result = makeResult(op, frame);
  for (int64_t i = 0, e = result.getNumUnits(); i < e; ++i) {
    APInt a(64, loadInteger(*operands[0], i), /*isSigned=*/true),
        b(64, loadInteger(*operands[1], i), /*isSigned=*/true);
    result.store<int8_t>(i, arith::applyCmpPredicate(predicate, a, b));
    for (const HostTensor *operand : operands)
      spreadUnspecified(*operand, i, result);
  }
  return finish(op, std::move(result), frame);
}

ArrayRef<HandlerEntry> mlir::te::ref::getArithHandlers() {
  static constexpr HandlerEntry kHandlers[] = {
      {"arith.addf", runElementwise<add>},
      {"arith.subf", runElementwise<subtract>},
      {"arith.mulf", runElementwise<multiply>},
      {"arith.divf", runElementwise<divide>},
      {"arith.negf", runElementwise<negate>},
      {"arith.extf", runElementwise<same>},
      {"arith.truncf", runElementwise<same>},
      {"arith.maximumf", runElementwise<maximum>},
      {"arith.minimumf", runElementwise<minimum>},
      {"arith.maxnumf", runElementwise<maxnum>},
      {"arith.minnumf", runElementwise<minnum>},
      {"arith.cmpf", runCompareFloats},
      {"arith.select", runSelect},
      {"arith.sitofp", runToFloat<true>},
      {"arith.uitofp", runToFloat<false>},
      {"arith.fptosi", runToInteger<true>},
      {"arith.fptoui", runToInteger<false>},
      {"arith.addi", runIntegers<addIntegers>},
      {"arith.subi", runIntegers<subtractIntegers>},
      {"arith.muli", runIntegers<multiplyIntegers>},
      {"arith.andi", runIntegers<andIntegers>},
      {"arith.ori", runIntegers<orIntegers>},
      {"arith.xori", runIntegers<xorIntegers>},
      {"arith.maxsi", runIntegers<maxSigned>},
      {"arith.minsi", runIntegers<minSigned>},
      {"arith.maxui", runIntegers<maxUnsigned, false>},
      {"arith.minui", runIntegers<minUnsigned, false>},
      {"arith.cmpi", runCompareIntegers},
      {"math.absf", runElementwise<apply<std::fabs>>},
      {"math.acos", runElementwise<apply<std::acos>>},
      {"math.acosh", runElementwise<apply<std::acosh>>},
      {"math.asin", runElementwise<apply<std::asin>>},
      {"math.asinh", runElementwise<apply<std::asinh>>},
      {"math.atan", runElementwise<apply<std::atan>>},
      {"math.atan2", runElementwise<applyTwo<std::atan2>>},
      {"math.atanh", runElementwise<apply<std::atanh>>},
      {"math.cbrt", runElementwise<apply<std::cbrt>>},
      {"math.ceil", runElementwise<apply<std::ceil>>},
      {"math.clampf", runElementwise<clamp>},
      {"math.copysign", runCopySign},
      {"math.cos", runElementwise<apply<std::cos>>},
      {"math.cosh", runElementwise<apply<std::cosh>>},
      {"math.erf", runElementwise<apply<std::erf>>},
      {"math.erfc", runElementwise<apply<std::erfc>>},
      {"math.exp", runElementwise<apply<std::exp>>},
      {"math.exp2", runElementwise<apply<std::exp2>>},
      {"math.expm1", runElementwise<apply<std::expm1>>},
      {"math.floor", runElementwise<apply<std::floor>>},
      {"math.fma", runElementwise<multiplyAdd>},
      {"math.log", runElementwise<apply<std::log>>},
      {"math.log10", runElementwise<apply<std::log10>>},
      {"math.log1p", runElementwise<apply<std::log1p>>},
      {"math.log2", runElementwise<apply<std::log2>>},
      {"math.powf", runElementwise<applyTwo<std::pow>>},
      {"math.round", runElementwise<apply<std::round>>},
      {"math.roundeven", runElementwise<apply<std::nearbyint>>},
      {"math.rsqrt", runElementwise<reciprocalRoot>},
      {"math.sin", runElementwise<apply<std::sin>>},
      {"math.sinh", runElementwise<apply<std::sinh>>},
      {"math.sqrt", runElementwise<apply<std::sqrt>>},
      {"math.tan", runElementwise<apply<std::tan>>},
      {"math.tanh", runElementwise<apply<std::tanh>>},
      {"math.trunc", runElementwise<apply<std::trunc>>},
  };
  return kHandlers;
}
