//===- Tolerance.h - how close a result must be to the reference -*- C++
//-*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A result is exact, or its tolerance follows from the ops behind it: what
// computes sums or transcendental functions is approximate, with bounds in
// Transformer Engine's own tests (TE semantics, section 5). docs/spec.md says
// the rules.
//
//===----------------------------------------------------------------------===//
#ifndef TE_DRIVER_TOLERANCE_H
#define TE_DRIVER_TOLERANCE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::te {

struct Tolerance {
  /// The approximate ops behind the value, "norm, activation"; empty: exact.
  std::string rule;
  /// An element is off where it differs from the reference r by more than
  /// atol, and by more than rtol * |r|.
  double atol = 0, rtol = 0;
  /// kOutliers of the elements may be off by up to slack * the largest |r|: 0
  /// unless the value is a sum of rounded approximate values, which may cancel,
  /// or was quantized on the way.
  double slack = 0;

  bool isExact() const { return rule.empty(); }
};

/// The share of a buffer's elements that may be outliers, but one at least:
/// codes of quantized data and scales that differ by one step, and what
/// Tolerance::slack is for.
constexpr double kOutliers = 1e-3;

/// "exact", or "norm (1e-05, 0.01)": the ops, atol and rtol, then slack.
std::string format(const Tolerance &tolerance);

/// The tolerance of each result of a te-level function of one block.
std::vector<Tolerance> getTolerances(func::FuncOp function);

} // namespace mlir::te

#endif // TE_DRIVER_TOLERANCE_H
