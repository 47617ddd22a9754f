//===- RowVariants.h - kernels for ranges of rows ---------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_DIALECT_TE_TRANSFORMS_ROWVARIANTS_H
#define TE_LIB_DIALECT_TE_TRANSFORMS_ROWVARIANTS_H

#include "te/Dialect/TE/IR/TE.h"

#include <optional>

namespace mlir::te {

/// A region's schedule for some numbers of rows.
struct RowVariant {
  int64_t most; // rows; INT64_MAX: all that the ones before it leave
  ScheduleAttr schedule;
  StringAttr tuned; // which database has it, and where: kTunedAttr; or null
};

/// True where a region has one number of rows, which types do not tell.
bool hasUnknownRows(FusionOp fusion);

/// Replaces the region by one for each variant, in branches by its number of
/// rows. Variants are in the order of their ranges, and the last has no end.
void emitVariants(FusionOp fusion, llvm::ArrayRef<RowVariant> variants);

} // namespace mlir::te

#endif // TE_LIB_DIALECT_TE_TRANSFORMS_ROWVARIANTS_H
