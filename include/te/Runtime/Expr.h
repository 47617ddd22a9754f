//===- Expr.h - sizes as expressions of the dynamic dimensions -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The manifest's integer expressions: 128, "M", ["ceildiv", "K", 32].
//
//===----------------------------------------------------------------------===//
#ifndef TE_RUNTIME_EXPR_H
#define TE_RUNTIME_EXPR_H

#include "te/Runtime/Result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mlir::te::rt {

/// A two-operand operation on 64-bit integers. `apply` returns what went wrong,
/// or null.
struct ExprOp {
  const char *name;
  const char *(*apply)(int64_t a, int64_t b, int64_t &result);
};

/// Null where the language has no such operation.
const ExprOp *findExprOp(std::string_view name);
/// "add, sub, mul, ...", for messages.
std::string listExprOps();

struct Expr {
  /// An operation where there are operands; else a dimension, where dim >= 0;
  /// else a constant.
  const ExprOp *op = nullptr;
  int dim = -1; // index into the entry's dimensions
  int64_t value = 0;
  std::vector<Expr> operands;

  /// Fails on overflow, and on a divisor that is not positive.
  Result<int64_t> evaluate(std::span<const int64_t> dims) const;
  std::string format(std::span<const std::string> dimNames) const;
};

} // namespace mlir::te::rt

#endif // TE_RUNTIME_EXPR_H
