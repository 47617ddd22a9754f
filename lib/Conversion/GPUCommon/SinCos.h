//===- SinCos.h - sine and cosine by instructions ---------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_GPUCOMMON_SINCOS_H
#define TE_LIB_CONVERSION_GPUCOMMON_SINCOS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::te {

/// math.sin and math.cos of f32 (scalars and vectors) in arith and math.fma,
/// to 2 ulp at any finite angle; of Inf and NaN they are NaN.
void expandSinCos(gpu::GPUModuleOp module);

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_GPUCOMMON_SINCOS_H
