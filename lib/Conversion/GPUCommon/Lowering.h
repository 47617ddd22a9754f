//===- Lowering.h - from gpu to a backend's dialect -------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What lower-to-rocdl and lower-to-nvvm share: which kernels they take, math
// that no GPU has instructions for, and upstream's conversions to LLVM.
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_GPUCOMMON_LOWERING_H
#define TE_LIB_CONVERSION_GPUCOMMON_LOWERING_H

#include "te/Conversion/Names.h"
#include "te/Dialect/Tile/IR/Tile.h"
#include "te/Target/Target.h"

#include "mlir/Conversion/LLVMCommon/LoweringOptions.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"

namespace mlir::te {

/// The chip that a kernel is for, of this backend; else an error at the kernel.
FailureOr<const Target *> getKernelTarget(gpu::GPUFuncOp func,
                                          BackendKind backend);

/// Calls `lower` for each module of kernels with the chip of its first one.
LogicalResult forEachKernelModule(
    ModuleOp program, BackendKind backend,
    function_ref<LogicalResult(gpu::GPUModuleOp, const Target &)> lower);

/// Slices of vectors become shuffles, which the LLVM dialect has.
void expandVectorSlices(gpu::GPUModuleOp module);

/// Functions of math that no GPU has instructions for, by others, in f32.
/// `own` are patterns for what this backend lacks beyond.
LogicalResult expandMath(gpu::GPUModuleOp module,
                         function_ref<void(RewritePatternSet &)> own = {});

/// Kernel arguments as bare pointers, index as 64 bits.
LowerToLLVMOptions getLoweringOptions(MLIRContext *context);

/// Structured control flow, cf, arith, math, vector and memref, in one go.
void populateLoweringPatterns(const LLVMTypeConverter &types,
                              RewritePatternSet &patterns);

/// Applies the patterns to a whole module, and removes casts that cancel out.
LogicalResult convertModule(gpu::GPUModuleOp module, ConversionTarget &legal,
                            RewritePatternSet &&patterns);

/// An error at each call, or op that the backend would make one of: there is no
/// library to link.
LogicalResult checkNoCalls(gpu::GPUModuleOp module,
                           function_ref<bool(Operation *)> isLibraryCall,
                           StringRef pass);

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_GPUCOMMON_LOWERING_H
