//===- LaunchRange.h - when a launch happens --------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_DRIVER_LAUNCHRANGE_H
#define TE_LIB_DRIVER_LAUNCHRANGE_H

#include "mlir/IR/Value.h"

namespace mlir::te {

/// The values of one size for which host code comes to a block. No size: it
/// always does.
struct LaunchRange {
  Value size;
  int64_t least = 0, most = INT64_MAX;
};

/// Narrows the range to where `condition` is `holds`. Fails on what does not
/// compare an unsigned size with a constant, or on a second size.
LogicalResult narrow(LaunchRange &range, Value condition, bool holds);

} // namespace mlir::te

#endif // TE_LIB_DRIVER_LAUNCHRANGE_H
