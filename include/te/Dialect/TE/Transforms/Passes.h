//===- Passes.h - passes on the te level ------------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_DIALECT_TE_TRANSFORMS_PASSES_H
#define TE_DIALECT_TE_TRANSFORMS_PASSES_H

#include "te/Dialect/TE/IR/TE.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::te {
/// On an op (string): what te-raise-attention made it of.
constexpr const char *kRaisedAttr = "te.raised";

#define GEN_PASS_DECL
#include "te/Dialect/TE/Transforms/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "te/Dialect/TE/Transforms/Passes.h.inc"
} // namespace mlir::te

#endif // TE_DIALECT_TE_TRANSFORMS_PASSES_H
