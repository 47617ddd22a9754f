//===- Prologues.h - operands that a te.gemm converts -----------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_DIALECT_TE_TRANSFORMS_PROLOGUES_H
#define TE_LIB_DIALECT_TE_TRANSFORMS_PROLOGUES_H

#include "te/Schedule/ResourceModel.h"

namespace mlir::te {

/// The conversions of te.gemms' operands (isConversion) that their kernels are
/// to compute, and why others stay kernels of their own.
struct Prologues {
  llvm::SmallSetVector<Operation *, 4> ops;
  DenseMap<Operation *, std::string> losses;
};

/// Those of a block: each where the estimates of schedules say that a kernel
/// which converts what it reads takes less than two. Without a target all are.
/// What another op of the block makes is converted where it is made, and a
/// slice where it is copied.
Prologues findPrologues(Block &block, const Target *target);

} // namespace mlir::te

#endif // TE_LIB_DIALECT_TE_TRANSFORMS_PROLOGUES_H
