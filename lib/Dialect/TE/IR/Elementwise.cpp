//===- Elementwise.cpp - arith and math ops of the language ---------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/TE/IR/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::te;

static constexpr ElementwiseOp kOps[] = {
#define TE_ELEMENTWISE(NAME, TYPES, EXACT, MEANING)                            \
  {NAME, ElementwiseTypes::TYPES, EXACT, MEANING},
#include "te/Dialect/TE/IR/Elementwise.def"
};

ArrayRef<ElementwiseOp> te::getElementwiseOps() { return kOps; }

const ElementwiseOp *te::lookupElementwise(StringRef name) {
  auto it = llvm::find_if(
      kOps, [&](const ElementwiseOp &op) { return op.name == name; });
  return it == std::end(kOps) ? nullptr : it;
}

static bool isFloat(Type type) {
  return type.isF32() || type.isF16() || type.isBF16();
}
static bool isFp8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type, Float8E4M3FNUZType,
             Float8E5M2FNUZType>(type);
}
static bool isInteger(Type type) {
  return type.isSignlessInteger(8) || type.isSignlessInteger(32) ||
         type.isSignlessInteger(64);
}

static constexpr StringLiteral kFloats = "f32, f16 or bf16";
static constexpr StringLiteral kIntegers = "i8, i32 or i64";

/// What the elements of an operand of such an op are; empty where `type` is
/// one.
static std::string whyNotOperand(ElementwiseTypes types, unsigned index,
                                 Type type) {
  switch (types) {
  case ElementwiseTypes::Floats:
  case ElementwiseTypes::Narrowing:
  case ElementwiseTypes::Comparison:
  case ElementwiseTypes::FloatsToIntegers:
    return isFloat(type) ? "" : kFloats.str();
  case ElementwiseTypes::Widening:
    return isFloat(type) || isFp8(type) ? "" : (kFloats + ", or fp8").str();
  case ElementwiseTypes::Choice:
    if (index == 0)
      return type.isInteger(1) ? "" : "i1";
    return isFloat(type) || isInteger(type)
               ? ""
               : (kFloats + ", " + kIntegers).str();
  case ElementwiseTypes::Bits:
    return isInteger(type) || type.isInteger(1) ? ""
                                                : ("i1, " + kIntegers).str();
  case ElementwiseTypes::Integers:
  case ElementwiseTypes::IntegersToFloats:
  case ElementwiseTypes::IntegerComparison:
    return isInteger(type) ? "" : kIntegers.str();
  }
  return "";
}

static std::string whyNotResult(ElementwiseTypes types, Type type) {
  switch (types) {
  case ElementwiseTypes::Narrowing:
    return isFloat(type) || isFp8(type) ? "" : (kFloats + ", or fp8").str();
  case ElementwiseTypes::IntegersToFloats:
    return type.isF32() ? "" : "f32";
  case ElementwiseTypes::Widening:
    return isFloat(type) ? "" : kFloats.str();
  case ElementwiseTypes::FloatsToIntegers:
    return isInteger(type) ? "" : kIntegers.str();
  default: // an operand's type, or i1
    return "";
  }
}

static bool isTensor(Type type) { return isa<TensorType>(type); }

std::optional<std::string> te::whyNotElementwise(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  if ((dialect != "arith" && dialect != "math") || isa<arith::ConstantOp>(op) ||
      (llvm::none_of(op->getOperandTypes(), isTensor) &&
       llvm::none_of(op->getResultTypes(), isTensor)))
    return std::nullopt;
  std::string name = ("'" + op->getName().getStringRef() + "'").str();
  const ElementwiseOp *info = lookupElementwise(op->getName().getStringRef());
  if (!info)
    return name + " on tensors is not part of the te language; "
                  "docs/reference/elementwise.md lists the ops that are (L1)";
  auto text = [](Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return text;
  };
  for (auto [i, type] : llvm::enumerate(op->getOperandTypes())) {
    if (!isTensor(type))
      return "operand #" + std::to_string(i) + " of " + name + " is " +
             text(type) +
             ", but another one is a tensor; make all of them "
             "tensors of one shape (L1)";
    std::string wanted =
        whyNotOperand(info->types, i, getElementTypeOrSelf(type));
    if (!wanted.empty())
      return "operand #" + std::to_string(i) + " of " + name + " is " +
             text(type) + ", but takes elements of " + wanted + " (L1)";
  }
  Type result = op->getResult(0).getType();
  std::string wanted = whyNotResult(info->types, getElementTypeOrSelf(result));
  if (!wanted.empty())
    return "the result of " + name + " is " + text(result) +
           ", but has elements of " + wanted + " (L1)";
  auto mode = op->getAttrOfType<arith::RoundingModeAttr>("roundingmode");
  if (mode && mode.getValue() != arith::RoundingMode::to_nearest_even)
    return name + " asks for rounding " +
           stringifyRoundingMode(mode.getValue()).str() +
           ", but kernels round to nearest even; leave the mode out, or round "
           "by other ops (math.trunc, math.floor) (L1)";
  return std::nullopt;
}
