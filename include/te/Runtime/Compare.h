//===- Compare.h - results against what is expected -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares results element by element, each by its tolerance. Where that is
// exact, bits must be equal, with two exceptions that hold everywhere: any NaN
// equals any NaN of the format, and bits that are marked as unspecified are not
// looked at.
//
//===----------------------------------------------------------------------===//
#ifndef TE_RUNTIME_COMPARE_H
#define TE_RUNTIME_COMPARE_H

#include "te/Runtime/HostTensor.h"

namespace mlir::te::rt {

struct Tolerance {
  /// The approximate ops after the value, "norm, activation"; empty: exact.
  std::string rule;
  /// An element is off where it differs from the reference r by more than
  /// rtol * |r| and its bound (HostTensor) together; where it has none, by more
  /// than rtol * |r| and by more than atol * min(1, the largest |r|).
  double atol = 0, rtol = 0;
  /// kOutliers of the elements may be off by up to slack * the largest |r|: 0
  /// unless the value is a sum of rounded approximate values, which may cancel,
  /// or was quantized on the way.
  double slack = 0;
  /// kOutliers of the elements may be so many codes of their format apart: 1
  /// for codes and scales of approximate values.
  int steps = 0;

  bool isExact() const { return rule.empty(); }
};

/// The share of a buffer's elements that may be outliers, but one at least:
/// codes of quantized data and scales that differ by one step, and what
/// Tolerance::slack is for.
constexpr double kOutliers = 1e-3;

/// "exact", or "norm (1e-05, 0.01)": the ops, atol and rtol, then slack.
std::string format(const Tolerance &tolerance);

struct Comparison {
  std::string name;
  DType type;
  std::vector<int64_t> shape; // of the buffer
  Tolerance tolerance;
  /// Mismatches are beyond the tolerance; outliers are those that it allows.
  int64_t elements = 0, mismatches = 0, outliers = 0, unspecified = 0;
  int64_t differences = 0; // elements whose bits differ, but for those of NaNs
  /// Over all elements of which neither is NaN nor Inf; a ulp is a step from
  /// one code of the format to the next. A code that is not a number where the
  /// other is one counts as a mismatch only.
  double worstAbsolute = 0, worstRelative = 0, worstUlps = 0;
  int64_t firstMismatch = -1; // element
  uint32_t found = 0, expected = 0;
};

/// What is to be said about one element.
enum class Verdict { Same, Outlier, Mismatch };

/// Gathers verdicts into a Comparison. More outliers than are allowed are
/// mismatches.
class Judge {
public:
  Judge(std::string name, const HostTensor &found, const HostTensor &reference,
        const Tolerance &tolerance);
  void addUnspecified() { ++result.unspecified; }
  /// `index` is the element's place in the buffer.
  void add(Verdict verdict, int64_t index, uint64_t found, uint64_t expected);
  Comparison finish();

private:
  void addError(uint32_t found, uint32_t expected);

  struct Place {
    int64_t index = -1;
    uint32_t found = 0, expected = 0;
  };
  bool isNumeric;
  Comparison result;
  Place firstOutlier, firstMismatch;
};

/// Both have the same type and size.
Comparison compare(std::string name, const HostTensor &found,
                   const HostTensor &reference,
                   const Tolerance &tolerance = {});

/// True where there is no mismatch.
bool isPass(const std::vector<Comparison> &comparisons);

/// A table of them, the first mismatch of each, then PASS or FAIL.
std::string formatComparisons(const std::vector<Comparison> &comparisons);

} // namespace mlir::te::rt

#endif // TE_RUNTIME_COMPARE_H
