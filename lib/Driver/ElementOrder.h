//===- ElementOrder.h - large tiles element by element ----------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_DRIVER_ELEMENTORDER_H
#define TE_LIB_DRIVER_ELEMENTORDER_H

#include "llvm/IR/PassManager.h"

namespace mlir::te {

/// A kernel computes one op after another, each of all elements of its tile.
/// Where these nearly fill the registers, no room is left for what is between
/// two ops: this takes vectors apart, and computes each value where it is read
/// first.
struct ElementOrderPass : llvm::PassInfoMixin<ElementOrderPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace mlir::te

#endif // TE_LIB_DRIVER_ELEMENTORDER_H
