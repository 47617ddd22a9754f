//===- Compare.cpp - results against what is expected -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Runtime/Compare.h"
#include "te/Runtime/Formats.h"
#include "te/Runtime/Text.h"

#include <algorithm>
#include <cmath>

using namespace mlir::te::rt;

Judge::Judge(std::string name, const HostTensor &found,
             const HostTensor &reference, const Tolerance &tolerance)
    : isNumeric(isFloat(reference.type)) {
  result.name = std::move(name);
  result.type = reference.type;
  result.shape = found.shape;
  result.tolerance = tolerance;
  result.elements = ElementReader(reference).getCount();
}

void Judge::add(Verdict verdict, int64_t index, uint64_t found,
                uint64_t expected) {
  if (isNumeric && std::isnan(decode(result.type, found)) &&
      std::isnan(decode(result.type, expected)))
    return;
  if (isNumeric && found != expected)
    addError(found, expected);
  result.differences += found != expected;
  if (verdict == Verdict::Same)
    return;
  int64_t &count =
      verdict == Verdict::Outlier ? result.outliers : result.mismatches;
  Place &first = verdict == Verdict::Outlier ? firstOutlier : firstMismatch;
  if (count++ == 0)
    first = {index, uint32_t(found), uint32_t(expected)};
}

void Judge::addError(uint32_t found, uint32_t expected) {
  double a = decode(result.type, found), b = decode(result.type, expected);
  if (!std::isfinite(a) || !std::isfinite(b))
    return;
  double error = std::fabs(a - b);
  result.worstAbsolute = std::max(result.worstAbsolute, error);
  if (b != 0)
    result.worstRelative = std::max(result.worstRelative, error / std::fabs(b));
  double ulps =
      std::fabs(getRank(result.type, found) - getRank(result.type, expected));
  result.worstUlps = std::max(result.worstUlps, ulps);
}

Comparison Judge::finish() {
  int64_t allowed = std::max<int64_t>(1, kOutliers * result.elements);
  if (result.outliers > allowed) {
    result.mismatches += result.outliers;
    result.outliers = 0;
    if (firstMismatch.index < 0)
      firstMismatch = firstOutlier;
  }
  result.firstMismatch = firstMismatch.index;
  result.found = firstMismatch.found;
  result.expected = firstMismatch.expected;
  return std::move(result);
}

/// The largest finite |value| of a buffer of floats that are not packed.
static double getLargest(const HostTensor &tensor) {
  double largest = 0;
  ElementReader reader(tensor);
  for (int64_t i = 0, e = reader.getCount(); i < e; ++i)
    if (double value = std::fabs(decode(tensor.type, reader.getCode(i)));
        std::isfinite(value))
      largest = std::max(largest, value);
  return largest;
}

/// What is approximate and below f32's least normal number may be 0, and in f16
/// a denormal number may be the next one.
static double getLeast(DType type) {
  return type == DType::F16 ? 0x1p-24 : 0x1p-126;
}

/// Of values that are not equal. An Inf or NaN is near nothing else.
static Verdict judge(DType type, uint32_t foundCode, uint32_t expectedCode,
                     double largest, std::optional<double> bound,
                     const Tolerance &tolerance) {
  double found = decode(type, foundCode), expected = decode(type, expectedCode);
  double error = std::fabs(found - expected);
  if (!std::isfinite(error))
    return Verdict::Mismatch;
  // Without a bound of the element's own, atol is for values around 1, and less
  // for smaller ones.
  double relative = tolerance.rtol * std::fabs(expected);
  double allowed =
      bound ? *bound + relative
            : std::max(tolerance.atol * std::min(1.0, largest), relative);
  if (error <= getLeast(type) + allowed)
    return Verdict::Same;
  double steps =
      std::fabs(getRank(type, foundCode) - getRank(type, expectedCode));
  return error <= tolerance.slack * largest || steps <= tolerance.steps
             ? Verdict::Outlier
             : Verdict::Mismatch;
}

Comparison mlir::te::rt::compare(std::string name, const HostTensor &found,
                                 const HostTensor &reference,
                                 const Tolerance &tolerance) {
  Judge result(std::move(name), found, reference, tolerance);
  ElementReader readFound{found}, readReference{reference};
  bool isExact = tolerance.isExact() || !isFloat(reference.type);
  double largest = isExact ? 0 : getLargest(reference);
  for (int64_t i = 0, e = readReference.getCount(); i < e; ++i) {
    if (readReference.isUnspecified(i)) {
      result.addUnspecified();
      continue;
    }
    uint64_t a = readFound.getCode(i), b = readReference.getCode(i);
    if (a != b)
      result.add(isExact ? Verdict::Mismatch
                         : judge(reference.type, a, b, largest,
                                 reference.bounds.empty()
                                     ? std::nullopt
                                     : std::optional(reference.bounds[i]),
                                 tolerance),
                 i, a, b);
  }
  return result.finish();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::string mlir::te::rt::format(const Tolerance &tolerance) {
  if (tolerance.isExact())
    return "exact";
  std::string text = printText("%s (%g, %g", tolerance.rule.c_str(),
                               tolerance.atol, tolerance.rtol);
  if (tolerance.slack > 0)
    text += printText(", %g", tolerance.slack);
  return text + ")";
}

/// "[3, 17]", from a position among the elements.
static std::string formatIndex(const Comparison &comparison) {
  int64_t position = comparison.firstMismatch;
  std::string text;
  for (size_t axis = comparison.shape.size(); axis-- > 0;) {
    int64_t size = comparison.shape[axis];
    if (axis + 1 == comparison.shape.size() &&
        comparison.type == DType::F4E2M1FN)
      size *= 2;
    text = std::to_string(position % size) + (text.empty() ? "" : ", ") + text;
    position /= size;
  }
  return "[" + text + "]";
}

static std::string formatCode(DType type, uint32_t code) {
  std::string text = printText("0x%x", code);
  if (isFloat(type))
    text += printText(" (%.6g)", decode(type, code));
  return text;
}

bool mlir::te::rt::isPass(const std::vector<Comparison> &comparisons) {
  return std::all_of(comparisons.begin(), comparisons.end(),
                     [](const Comparison &c) { return c.mismatches == 0; });
}

std::string
mlir::te::rt::formatComparisons(const std::vector<Comparison> &comparisons) {
  std::string text =
      printText("%-20s %-12s %-16s %10s %10s %10s %10s %10s  %s\n", "result",
                "type", "shape", "elements", "mismatches", "max abs", "max rel",
                "max ulp", "rule");
  for (const Comparison &c : comparisons) {
    text += printText("%-20s %-12s %-16s %10lld %10lld %10.3g %10.3g %10.3g  "
                      "%s\n",
                      c.name.c_str(), getInfo(c.type).name,
                      formatShape(c.shape).c_str(), (long long)c.elements,
                      (long long)c.mismatches, c.worstAbsolute, c.worstRelative,
                      c.worstUlps, format(c.tolerance).c_str());
    if (c.unspecified)
      text += "  " + std::to_string(c.unspecified) +
              " elements are unspecified, and not compared\n";
    if (c.outliers)
      text += "  " + std::to_string(c.outliers) +
              " elements are off by a step, which the rule allows\n";
    if (c.mismatches)
      text += "  first mismatch at " + formatIndex(c) + ": found " +
              formatCode(c.type, c.found) + ", expected " +
              formatCode(c.type, c.expected) + "\n";
  }
  return text + (isPass(comparisons) ? "PASS\n" : "FAIL\n");
}
