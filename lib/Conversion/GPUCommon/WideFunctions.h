//===- WideFunctions.h - functions of f32 that are computed in f64 -*- C++ -*-//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_GPUCOMMON_WIDEFUNCTIONS_H
#define TE_LIB_CONVERSION_GPUCOMMON_WIDEFUNCTIONS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::te {

/// Patterns of math ops on f32 (or vectors of it) that no chip has an
/// instruction for, and of math.tan and math.clampf.
void populateWideFunctionPatterns(RewritePatternSet &patterns);

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_GPUCOMMON_WIDEFUNCTIONS_H
