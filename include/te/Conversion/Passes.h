//===- Passes.h - passes from one level to the next -------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_CONVERSION_PASSES_H
#define TE_CONVERSION_PASSES_H

#include "te/Conversion/Names.h"

#include "mlir/Pass/Pass.h"

namespace mlir::te {
#define GEN_PASS_DECL
#include "te/Conversion/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "te/Conversion/Passes.h.inc"

/// Attaches TileLoweringInterface to the te ops.
void registerTileLowerings(DialectRegistry &registry);
} // namespace mlir::te

#endif // TE_CONVERSION_PASSES_H
