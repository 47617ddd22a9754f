//===- HostCode.h - what functions of the host may do -----------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_DRIVER_HOSTCODE_H
#define TE_LIB_DRIVER_HOSTCODE_H

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

/// True for an op whose result is the buffer of its operand.
bool isReshape(Operation *op);
/// The value whose buffer this one is in.
Value getBufferOwner(Value value);

/// Kernels compute all that is a tensor; the host computes sizes. An error
/// where an op of host code does anything else.
LogicalResult verifyHostOp(Operation *op);

} // namespace mlir::te

#endif // TE_LIB_DRIVER_HOSTCODE_H
