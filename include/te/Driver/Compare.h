//===- Compare.h - results against the reference -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares buffers element by element. Bits must be equal, with two exceptions:
// any NaN equals any NaN of the format, and bits that the reference marks as
// unspecified are not looked at (decisions 1 and 2).
//
//===----------------------------------------------------------------------===//
#ifndef TE_DRIVER_COMPARE_H
#define TE_DRIVER_COMPARE_H

#include "te/Runtime/HostTensor.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::te {

struct Comparison {
  std::string name;
  rt::DType type;
  std::vector<int64_t> shape; // of the buffer
  int64_t elements = 0, mismatches = 0, unspecified = 0;
  /// Over all elements of which neither is NaN nor Inf; a ulp is a step from
  /// one code of the format to the next. A code that is not a number where the
  /// other is one counts as a mismatch only.
  double worstAbsolute = 0, worstRelative = 0, worstUlps = 0;
  int64_t firstMismatch = -1; // element
  uint32_t found = 0, expected = 0;
};

/// Both have the same type and size.
Comparison compare(std::string name, const rt::HostTensor &found,
                   const rt::HostTensor &reference);

/// A table of them, the first mismatch of each, then PASS or FAIL. Returns
/// whether all passed.
bool printComparisons(llvm::raw_ostream &os,
                      const std::vector<Comparison> &comparisons);

} // namespace mlir::te

#endif // TE_DRIVER_COMPARE_H
