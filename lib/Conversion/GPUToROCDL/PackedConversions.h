//===- PackedConversions.h - AMD's conversions of narrow floats -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_GPUTOROCDL_PACKEDCONVERSIONS_H
#define TE_LIB_CONVERSION_GPUTOROCDL_PACKEDCONVERSIONS_H

#include "../GPUCommon/FP8Conversions.h"

namespace mlir::te {
/// Patterns for arith.truncf, extf and scaling_truncf on vectors of 8-bit and
/// 4-bit floats, and for what rounds to bf16 where the target has no
/// instruction for that.
void populatePackedConversionPatterns(RewritePatternSet &patterns,
                                      const Target &target);
} // namespace mlir::te

#endif // TE_LIB_CONVERSION_GPUTOROCDL_PACKEDCONVERSIONS_H
