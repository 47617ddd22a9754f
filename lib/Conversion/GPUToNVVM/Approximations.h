//===- Approximations.h - what afn allows -----------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_GPUTONVVM_APPROXIMATIONS_H
#define TE_LIB_CONVERSION_GPUTONVVM_APPROXIMATIONS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::te {

/// Patterns for math.exp and arith.divf of f32 (scalars and vectors) with the
/// fast-math flag afn: the chip's ex2 and rcp, which take denormals for 0.
/// PTX ISA, ex2.approx and rcp.approx: 2 ulp of the power, 1 of the reciprocal.
void populateApproximationPatterns(RewritePatternSet &patterns);

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_GPUTONVVM_APPROXIMATIONS_H
