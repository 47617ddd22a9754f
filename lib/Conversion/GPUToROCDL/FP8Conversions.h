//===- FP8Conversions.h - fp8 conversions of a chip -------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_GPUTOROCDL_FP8CONVERSIONS_H
#define TE_LIB_CONVERSION_GPUTOROCDL_FP8CONVERSIONS_H

#include "te/Conversion/Passes.h"
#include "te/Target/Target.h"

namespace mlir::te {
/// Patterns for arith.truncf, extf and scaling_truncf on vectors of 8-bit
/// floats.
void populateFP8Patterns(RewritePatternSet &patterns, const Target &target);
} // namespace mlir::te

#endif // TE_LIB_CONVERSION_GPUTOROCDL_FP8CONVERSIONS_H
