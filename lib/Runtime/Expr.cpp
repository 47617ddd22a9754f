//===- Expr.cpp - sizes as expressions of the dynamic dimensions -*- C++
//-*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Runtime/Expr.h"

#include <algorithm>

using namespace mlir::te::rt;

static constexpr const char *kOverflow = "overflows 64 bits";
static constexpr const char *kBadDivisor = "needs a divisor above zero";

static const char *floorDiv(int64_t a, int64_t b, int64_t &result) {
  if (b <= 0)
    return kBadDivisor;
  result = a / b - (a % b < 0);
  return nullptr;
}

static const char *ceilDiv(int64_t a, int64_t b, int64_t &result) {
  if (b <= 0)
    return kBadDivisor;
  result = a / b + (a % b > 0);
  return nullptr;
}

static const char *multiply(int64_t a, int64_t b, int64_t &result) {
  return __builtin_mul_overflow(a, b, &result) ? kOverflow : nullptr;
}

static constexpr ExprOp kOps[] = {
    {"add",
     [](int64_t a, int64_t b, int64_t &result) -> const char * {
       return __builtin_add_overflow(a, b, &result) ? kOverflow : nullptr;
     }},
    {"sub",
     [](int64_t a, int64_t b, int64_t &result) -> const char * {
       return __builtin_sub_overflow(a, b, &result) ? kOverflow : nullptr;
     }},
    {"mul", multiply},
    {"ceildiv", ceilDiv},
    {"floordiv", floorDiv},
    {"mod",
     [](int64_t a, int64_t b, int64_t &result) -> const char * {
       if (b <= 0)
         return kBadDivisor;
       result = a % b + (a % b < 0 ? b : 0);
       return nullptr;
     }},
    {"roundup",
     [](int64_t a, int64_t b, int64_t &result) -> const char * {
       int64_t quotient;
       if (const char *problem = ceilDiv(a, b, quotient))
         return problem;
       return multiply(quotient, b, result);
     }},
    {"max",
     [](int64_t a, int64_t b, int64_t &result) -> const char * {
       result = std::max(a, b);
       return nullptr;
     }},
    {"min",
     [](int64_t a, int64_t b, int64_t &result) -> const char * {
       result = std::min(a, b);
       return nullptr;
     }},
};

const ExprOp *mlir::te::rt::findExprOp(std::string_view name) {
  for (const ExprOp &op : kOps)
    if (name == op.name)
      return &op;
  return nullptr;
}

std::string mlir::te::rt::listExprOps() {
  std::string text;
  for (const ExprOp &op : kOps)
    text += (text.empty() ? "" : ", ") + std::string(op.name);
  return text;
}

Result<int64_t> Expr::evaluate(std::span<const int64_t> dims) const {
  if (operands.empty())
    return dim >= 0 ? dims[dim] : value;
  Result<int64_t> a = operands[0].evaluate(dims);
  if (!a)
    return a;
  Result<int64_t> b = operands[1].evaluate(dims);
  if (!b)
    return b;
  int64_t result = 0;
  if (const char *problem = op->apply(*a, *b, result))
    return Failure{std::string(op->name) + "(" + std::to_string(*a) + ", " +
                   std::to_string(*b) + ") " + problem};
  return result;
}

std::string Expr::format(std::span<const std::string> dimNames) const {
  if (operands.empty())
    return dim >= 0 ? dimNames[dim] : std::to_string(value);
  return std::string(op->name) + "(" + operands[0].format(dimNames) + ", " +
         operands[1].format(dimNames) + ")";
}
