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
// harmless for + - * / and sqrt and the result is the IEEE one.
//
//===----------------------------------------------------------------------===//
#include "Handlers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::ref;

/// Marks element `index` of `result` as unspecified where it is so in an
/// operand.
static void spreadUnspecified(const HostTensor &operand, int64_t index,
                              HostTensor &result) {
  if (operand.unspecified.empty())
    return;
  unsigned from = rt::getInfo(operand.type).bytes;
  unsigned to = rt::getInfo(result.type).bytes;
  auto begin = operand.unspecified.begin() + index * from;
  if (std::all_of(begin, begin + from, [](uint8_t bits) { return bits == 0; }))
    return;
  result.unspecified.resize(result.bytes.size());
  std::fill_n(result.unspecified.begin() + index * to, to, 0xFF);
}

static double add(double a, double b) { return a + b; }
static double subtract(double a, double b) { return a - b; }
static double multiply(double a, double b) { return a * b; }
static double divide(double a, double b) { return a / b; }
static double negate(double a, double) { return -a; }
static double same(double a, double) { return a; }

/// How far off a sum of what is off so far may be, or what is of the other
/// sign or type; nothing where neither operand is.
static void addBounds(const HostTensor &a, const HostTensor *b,
                      HostTensor &result) {
  for (const HostTensor *operand : {&a, b}) {
    if (!operand || operand->bounds.empty())
      continue;
    result.bounds.resize(result.getNumUnits());
    for (auto [bound, more] : llvm::zip_equal(result.bounds, operand->bounds))
      bound += more;
  }
}

/// An op of one or two operands; a unary function ignores its second argument.
template <double (*compute)(double, double)>
static LogicalResult runElementwise(Operation *op, Frame &frame) {
  auto type = getDType(getElementTypeOrSelf(op->getResult(0).getType()));
  auto &a = frame.get(op->getOperand(0));
  auto &b = frame.get(op->getOperand(op->getNumOperands() - 1));
  if (!type || !findFormat(*type) || !findFormat(a.buffers[0].type))
    return op->emitError() << "the reference interpreter does not know this op "
                              "on "
                           << op->getResult(0).getType();
  HostTensor result = HostTensor::zeros(*type, a.shape);
  for (int64_t i = 0, e = result.getNumUnits(); i < e; ++i) {
    storeElement(
        result, i,
        compute(loadElement(a.buffers[0], i), loadElement(b.buffers[0], i)));
    spreadUnspecified(a.buffers[0], i, result);
    spreadUnspecified(b.buffers[0], i, result);
  }
  if constexpr (compute == add || compute == subtract || compute == negate ||
                compute == same)
    addBounds(a.buffers[0], op->getNumOperands() > 1 ? &b.buffers[0] : nullptr,
              result);
  std::vector<int64_t> shape = a.shape;
  return frame.set(op->getResult(0), {std::move(shape), {std::move(result)}});
}

/// Tensors of floats, and an index.
static LogicalResult runConstant(Operation *op, Frame &frame) {
  Attribute value = cast<arith::ConstantOp>(op).getValue();
  Type type = op->getResult(0).getType();
  if (auto number = dyn_cast<IntegerAttr>(value); number && type.isIndex()) {
    HostTensor index = HostTensor::zeros(DType::I64, {});
    index.store<int64_t>(0, number.getInt());
    return frame.set(op->getResult(0), {{}, {std::move(index)}});
  }
  auto tensorType = dyn_cast<RankedTensorType>(type);
  auto elements = dyn_cast<DenseElementsAttr>(value);
  auto dtype =
      tensorType ? getDType(tensorType.getElementType()) : std::nullopt;
  if (!elements || !dtype || !findFormat(*dtype))
    return op->emitError() << "the reference interpreter knows constants that "
                              "are tensors of floats, or an index";
  std::vector<int64_t> shape = tensorType.getShape().vec();
  HostTensor tensor = HostTensor::zeros(*dtype, shape);
  int64_t index = 0;
  for (const APFloat &element : elements.getValues<APFloat>())
    storeCode(tensor, index++, element.bitcastToAPInt().getZExtValue());
  return frame.set(op->getResult(0), {std::move(shape), {std::move(tensor)}});
}

// maximumf and minimumf give NaN where either operand is; maxnumf and minnumf
// the other operand, as fmax does.
static double maximum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::nan("") : std::fmax(a, b);
}
static double minimum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::nan("") : std::fmin(a, b);
}

static double maxnum(double a, double b) { return std::fmax(a, b); }
static double minnum(double a, double b) { return std::fmin(a, b); }
static double power(double a, double b) { return std::pow(a, b); }
static double reciprocalRoot(double a, double) { return 1 / std::sqrt(a); }
/// A function of the C library.
template <double (*function)(double)> static double apply(double a, double) {
  return function(a);
}

/// Index arithmetic: where slices begin, and how long they are.
template <int64_t (*compute)(int64_t, int64_t)>
static LogicalResult runIndex(Operation *op, Frame &frame) {
  if (!op->getResult(0).getType().isIndex())
    return op->emitError() << "the reference interpreter does not know this op "
                              "on "
                           << op->getResult(0).getType();
  auto number = [&](unsigned i) {
    return frame.get(op->getOperand(i)).buffers[0].load<int64_t>(0);
  };
  HostTensor result = HostTensor::zeros(DType::I64, {});
  result.store<int64_t>(0, compute(number(0), number(1)));
  return frame.set(op->getResult(0), {{}, {std::move(result)}});
}

static int64_t addIndex(int64_t a, int64_t b) { return a + b; }
static int64_t subtractIndex(int64_t a, int64_t b) { return a - b; }
static int64_t multiplyIndex(int64_t a, int64_t b) { return a * b; }

ArrayRef<HandlerEntry> mlir::te::ref::getArithHandlers() {
  static constexpr HandlerEntry kHandlers[] = {
      {"arith.constant", runConstant},
      {"arith.addi", runIndex<addIndex>},
      {"arith.subi", runIndex<subtractIndex>},
      {"arith.muli", runIndex<multiplyIndex>},
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
      {"math.absf", runElementwise<apply<std::fabs>>},
      {"math.ceil", runElementwise<apply<std::ceil>>},
      {"math.cos", runElementwise<apply<std::cos>>},
      {"math.erf", runElementwise<apply<std::erf>>},
      {"math.exp", runElementwise<apply<std::exp>>},
      {"math.exp2", runElementwise<apply<std::exp2>>},
      {"math.expm1", runElementwise<apply<std::expm1>>},
      {"math.floor", runElementwise<apply<std::floor>>},
      {"math.log", runElementwise<apply<std::log>>},
      {"math.log1p", runElementwise<apply<std::log1p>>},
      {"math.log2", runElementwise<apply<std::log2>>},
      {"math.powf", runElementwise<power>},
      {"math.rsqrt", runElementwise<reciprocalRoot>},
      {"math.sin", runElementwise<apply<std::sin>>},
      {"math.sqrt", runElementwise<apply<std::sqrt>>},
      {"math.tanh", runElementwise<apply<std::tanh>>},
  };
  return kHandlers;
}
