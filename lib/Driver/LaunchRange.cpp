//===- LaunchRange.cpp - when a launch happens ----------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LaunchRange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::te;

LogicalResult te::narrow(LaunchRange &range, Value condition, bool holds) {
  using Predicate = arith::CmpIPredicate;
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  std::optional<int64_t> bound =
      compare ? getConstantIntValue(compare.getRhs()) : std::nullopt;
  if (!bound || *bound < 0 || (range.size && range.size != compare.getLhs()))
    return failure();
  range.size = compare.getLhs();
  Predicate predicate = compare.getPredicate();
  if (!holds)
    predicate = arith::invertPredicate(predicate);
  switch (predicate) {
  case Predicate::ult:
    range.most = std::min(range.most, *bound - 1);
    return success();
  case Predicate::ule:
    range.most = std::min(range.most, *bound);
    return success();
  case Predicate::ugt:
    range.least = std::max(range.least, *bound + 1);
    return success();
  case Predicate::uge:
    range.least = std::max(range.least, *bound);
    return success();
  default:
    return failure();
  }
}
