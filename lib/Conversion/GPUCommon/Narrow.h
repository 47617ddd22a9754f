//===- Narrow.h - numbers of less than a word -------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_GPUCOMMON_NARROW_H
#define TE_LIB_CONVERSION_GPUCOMMON_NARROW_H

#include "te/Target/Target.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::te {

/// Patterns for vectors of i16 and i8: arith.trunci from one to the other, and
/// shifts.
void populateNarrowPatterns(RewritePatternSet &patterns, BackendKind backend);

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_GPUCOMMON_NARROW_H
