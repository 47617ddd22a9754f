//===- ExpLog.h - exponentials and logarithms -------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_GPUTONVVM_EXPLOG_H
#define TE_LIB_CONVERSION_GPUTONVVM_EXPLOG_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::te {

/// Patterns for math.exp, log, log2 and log10 of f32 (scalars and vectors) in
/// arith, math.fma and math.exp2, to 4 ulp; denormals, Inf and NaN as they
/// should be.
void populateExpLogPatterns(RewritePatternSet &patterns);

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_GPUTONVVM_EXPLOG_H
