//===- Tolerance.h - how close a result must be to the reference -*- C++
//-*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A result is exact, or its tolerance follows from the ops after it: what
// computes sums or transcendental functions is approximate, with bounds in
// Transformer Engine's own tests. docs/spec.md says
// the rules.
//
//===----------------------------------------------------------------------===//
#ifndef TE_DRIVER_TOLERANCE_H
#define TE_DRIVER_TOLERANCE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "te/Runtime/Compare.h"

namespace mlir::te {

/// The tolerance of each result of a te-level function of one block.
std::vector<rt::Tolerance> getTolerances(func::FuncOp function);

} // namespace mlir::te

#endif // TE_DRIVER_TOLERANCE_H
