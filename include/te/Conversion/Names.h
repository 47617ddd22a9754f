//===- Names.h - names that passes below the te level agree on --*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_CONVERSION_NAMES_H
#define TE_CONVERSION_NAMES_H

#include "llvm/ADT/StringRef.h"

namespace mlir::te {
/// The name of the gpu.module that holds every kernel of a program.
inline constexpr llvm::StringLiteral kKernelModule = "kernels";

/// On an arith.mulf whose right factor is positive: its result has the signs of
/// its left one.
inline constexpr llvm::StringLiteral kKeepsSignAttrName = "tile.keeps_sign";

/// On a kernel: bytes of LDS that its launches give it (i64), as they are more
/// than it can declare.
inline constexpr llvm::StringLiteral kDynamicLdsAttrName = "te.dynamic_lds";

/// On an arith.constant of host code (string): the symbol of its data in the
/// code object (te-embed-constants).
inline constexpr llvm::StringLiteral kSymbolAttrName = "te.symbol";

/// On a kernel of one tile (unit): what it loads is to be under way at once,
/// before anything is computed of it.
inline constexpr llvm::StringLiteral kLoadsFirstAttrName = "te.loads_first";

/// On a kernel (unit; of LLVM's functions a string): its loop says where vector
/// instructions stand, so it is not scheduled again after register allocation.
inline constexpr llvm::StringLiteral kKeepsOrderAttrName = "te.keeps_order";
} // namespace mlir::te

#endif // TE_CONVERSION_NAMES_H
