//===- VerifyProgram.h - what a whole program keeps to ----------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_DIALECT_TE_TRANSFORMS_VERIFYPROGRAM_H
#define TE_LIB_DIALECT_TE_TRANSFORMS_VERIFYPROGRAM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::te {

/// Rules of the te level that no op can check by itself: A3 and A4 (names), M2
/// (how large a tensor is), M3 (slices by constants).
LogicalResult verifyProgram(func::FuncOp func);

} // namespace mlir::te

#endif // TE_LIB_DIALECT_TE_TRANSFORMS_VERIFYPROGRAM_H
