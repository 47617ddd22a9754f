//===- Tolerance.cpp - how close a result must be to the reference -*- C++
//-*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Driver/Tolerance.h"
#include "te/Dialect/TE/IR/Elementwise.h"
#include "te/Dialect/TE/IR/TE.h"
#include "te/Reference/Interpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace mlir::te;
using ref::DType;
using rt::Tolerance;

namespace {
struct Bounds {
  double atol, rtol;
};

/// An approximate op: one of its results, or all of them.
struct OpRule {
  StringLiteral op;
  int result;
  StringLiteral rule;
  Bounds f32; // other types have their own bounds
};
} // namespace

static constexpr int kAny = -1;
static constexpr Bounds kF32 = {1e-6, 5e-6}, kF16 = {1e-5, 1e-3},
                        kBF16 = {1e-5, 1e-2}, kExact = {0, 0};

/// The first row that fits counts. Other ops are as good as their operands, but
/// for the approximate ones of Elementwise.def.
static constexpr OpRule kRules[] = {
    {"te.rms_norm", 0, "norm", {5e-7, 5e-6}},
    {"te.layer_norm", 0, "norm", {5e-7, 5e-6}},
    {"te.rms_norm", kAny, "statistic", {1e-6, 5e-5}},
    {"te.layer_norm", kAny, "statistic", {1e-6, 5e-5}},
    {"te.rms_norm_bwd", kAny, "norm gradient", {5e-4, 5e-4}},
    {"te.layer_norm_bwd", kAny, "norm gradient", {5e-4, 5e-4}},
    {"te.activation", kAny, "activation", kF32},
    {"te.gated_activation", kAny, "activation", kF32},
    {"te.activation_bwd", 0, "activation", kF32},
    {"te.gated_activation_bwd", 0, "activation", kF32},
    {"te.activation_bwd", kAny, "sum", {1e-4, 2e-5}},
    {"te.gated_activation_bwd", kAny, "sum", {1e-4, 2e-5}},
    {"te.attention", 0, "attention", kF32},
    {"te.attention", kAny, "statistic", {1e-6, 5e-5}},
    {"te.softmax", kAny, "softmax", kF32},
    {"te.softmax_bwd", kAny, "softmax", kF32},
    {"te.bias_grad", kAny, "sum", {1e-4, 2e-5}},
    {"te.gemm", kAny, "gemm", kF32},
    {"te.rope", kAny, "rope", kF32},
    {"te.rope_bwd", kAny, "rope", kF32},
};
/// Elementwise ops that are approximate.
static constexpr OpRule kMath = {"", kAny, "math", kF32};

static const OpRule *findRule(OpResult result) {
  Operation *op = result.getOwner();
  StringRef name = op->getName().getStringRef();
  for (const OpRule &rule : kRules)
    if (rule.op == name &&
        (rule.result == kAny || rule.result == int(result.getResultNumber())))
      return &rule;
  const ElementwiseOp *elementwise = lookupElementwise(name);
  return elementwise && !elementwise->isExact ? &kMath : nullptr;
}

/// The bounds of a high-precision type; nothing of the others, whose codes are
/// compared.
static Bounds getBounds(Type type, Bounds f32) {
  Type element = getElementTypeOrSelf(type);
  if (isa<ScaledType>(type))
    return kExact;
  if (element.isF32())
    return f32;
  if (element.isF16())
    return kF16;
  return element.isBF16() ? kBF16 : kExact;
}

/// `rule` may be empty: then it adds no name.
static void join(Tolerance &tolerance, StringRef rule, Bounds bounds) {
  if (!rule.empty() &&
      !llvm::is_contained(llvm::split(tolerance.rule, ", "), rule))
    tolerance.rule += (tolerance.rule.empty() ? "" : ", ") + rule.str();
  tolerance.atol = std::max(tolerance.atol, bounds.atol);
  tolerance.rtol = std::max(tolerance.rtol, bounds.rtol);
}

/// The distance from a code to the next one, relative to its value.
static double getStep(Type elementType) {
  DType type = *ref::getDType(elementType);
  return std::ldexp(1.0, -int(ref::getFormat(type).mantissaBits));
}

using Tolerances = DenseMap<Value, Tolerance>;

static Tolerance computeTolerance(OpResult result,
                                  const Tolerances &tolerances) {
  Operation *op = result.getOwner();
  Tolerance tolerance;
  for (Value operand : op->getOperands()) {
    const Tolerance &other = tolerances.at(operand);
    for (StringRef rule : llvm::split(other.rule, ", "))
      join(tolerance, rule, {other.atol, other.rtol});
    tolerance.slack = std::max(tolerance.slack, other.slack);
  }
  Type element = getElementTypeOrSelf(result.getType());
  if (!isa<FloatType>(element))
    return {};
  if (const OpRule *rule = findRule(result))
    join(tolerance, rule->rule, getBounds(result.getType(), rule->f32));
  else if (tolerance.isExact())
    return tolerance;
  else
    join(tolerance, "", getBounds(result.getType(), kF32));
  // Beta is added, and the mean is a sum; rows of approximate values cancel.
  auto bwd = dyn_cast<RmsNormBwdOp>(op);
  auto grad = dyn_cast<BiasGradOp>(op);
  bool isSum = (isa<LayerNormOp>(op) && result.getResultNumber() < 2) ||
               (bwd && bwd.getAdd() && result == bwd.getDx()) ||
               (grad && !tolerances.at(grad.getInput()).isExact());
  if (isSum || isa<arith::AddFOp, arith::SubFOp, GemmOp>(op))
    tolerance.slack = std::max(tolerance.slack, tolerance.rtol);
  if (auto dequantize = dyn_cast<DequantizeOp>(op))
    tolerance.slack =
        std::max(tolerance.slack,
                 getStep(cast<ScaledType>(dequantize.getInput().getType())
                             .getElementType()));
  return tolerance;
}

/// Fills in the values of a block, whose arguments are known.
static void propagate(Block &block, Tolerances &tolerances) {
  for (Operation &op : block.without_terminator()) {
    if (auto fusion = dyn_cast<FusionOp>(op)) {
      Block &body = fusion.getBody().front();
      for (auto [argument, input] :
           llvm::zip_equal(body.getArguments(), fusion.getInputs()))
        tolerances[argument] = Tolerance(tolerances.at(input));
      propagate(body, tolerances);
      for (auto [result, yielded] : llvm::zip_equal(
               fusion.getResults(), body.getTerminator()->getOperands()))
        tolerances[result] = Tolerance(tolerances.at(yielded));
      continue;
    }
    for (OpResult result : op.getResults())
      tolerances[result] = computeTolerance(result, tolerances);
  }
}

std::vector<Tolerance> te::getTolerances(func::FuncOp function) {
  Tolerances tolerances;
  Block &body = function.getBody().front();
  for (Value argument : body.getArguments())
    tolerances[argument] = Tolerance();
  propagate(body, tolerances);
  std::vector<Tolerance> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(tolerances.at(value));
  return results;
}
