//===- Compare.h - results against the reference -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares results element by element, each by its tolerance. Where that is
// exact, bits must be equal, with two exceptions that hold everywhere: any NaN
// equals any NaN of the format, and bits that the reference marks as
// unspecified are not looked at (decisions 1 and 2).
//
//===----------------------------------------------------------------------===//
#ifndef TE_DRIVER_COMPARE_H
#define TE_DRIVER_COMPARE_H

#include "te/Driver/Tolerance.h"
#include "te/Reference/Quantize.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::te {

struct Comparison {
  std::string name;
  rt::DType type;
  std::vector<int64_t> shape; // of the buffer
  Tolerance tolerance;
  /// Mismatches are beyond the tolerance; outliers are those that it allows.
  int64_t elements = 0, mismatches = 0, outliers = 0, unspecified = 0;
  /// Over all elements of which neither is NaN nor Inf; a ulp is a step from
  /// one code of the format to the next. A code that is not a number where the
  /// other is one counts as a mismatch only.
  double worstAbsolute = 0, worstRelative = 0, worstUlps = 0;
  int64_t firstMismatch = -1; // element
  uint32_t found = 0, expected = 0;
};

/// Both have the same type and size. Codes of a quantized tensor have an exact
/// tolerance here: see compareScaled.
Comparison compare(std::string name, const rt::HostTensor &found,
                   const rt::HostTensor &reference,
                   const Tolerance &tolerance = {});

/// The data and the scales of a quantized tensor of logical `shape`, whose
/// values before quantization have that tolerance: buffers of the same types
/// and sizes in both. Codes and scales may be one step apart in outliers; where
/// a block's scale is, its elements are compared by the values that they stand
/// for, to a step of the coarser code.
std::pair<Comparison, Comparison>
compareScaled(const std::string &name, const ref::ScaledTensor &found,
              const ref::ScaledTensor &reference, const ref::Scaling &scaling,
              llvm::ArrayRef<int64_t> shape, const Tolerance &tolerance);

/// A table of them, the first mismatch of each, then PASS or FAIL. Returns
/// whether all passed.
bool printComparisons(llvm::raw_ostream &os,
                      const std::vector<Comparison> &comparisons);

} // namespace mlir::te

#endif // TE_DRIVER_COMPARE_H
