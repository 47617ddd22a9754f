//===- Passes.h - passes from one level to the next -------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_CONVERSION_PASSES_H
#define TE_CONVERSION_PASSES_H

#include "te/Dialect/TE/IR/TE.h"
#include "te/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::te {
#define GEN_PASS_DECL
#include "te/Conversion/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "te/Conversion/Passes.h.inc"

/// Attaches TileLoweringInterface to the te ops.
void registerTileLowerings(DialectRegistry &registry);

/// The name of the gpu.module that holds every kernel of a program.
inline constexpr StringLiteral kKernelModule = "kernels";

/// On an arith.mulf whose right factor is positive: its result has the signs of
/// its left one.
inline constexpr StringLiteral kKeepsSignAttrName = "tile.keeps_sign";

/// On a kernel: bytes of LDS that its launches give it (i64), as they are more
/// than it can declare.
inline constexpr StringLiteral kDynamicLdsAttrName = "te.dynamic_lds";

/// On an arith.constant of host code (string): the symbol of its data in the
/// code object (te-embed-constants).
inline constexpr StringLiteral kSymbolAttrName = "te.symbol";

/// On a kernel of one tile (unit): what it loads is to be under way at once,
/// before anything is computed of it.
inline constexpr StringLiteral kLoadsFirstAttrName = "te.loads_first";

/// On a kernel (unit; of LLVM's functions a string): its loop says where vector
/// instructions stand, so it is not scheduled again behind register allocation.
inline constexpr StringLiteral kKeepsOrderAttrName = "te.keeps_order";
} // namespace mlir::te

#endif // TE_CONVERSION_PASSES_H
