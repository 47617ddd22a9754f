//===- Variants.h - kernels for ranges of a size -----------------*- C++
//-*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_DIALECT_TE_TRANSFORMS_VARIANTS_H
#define TE_LIB_DIALECT_TE_TRANSFORMS_VARIANTS_H

#include "te/Dialect/TE/IR/TE.h"

#include <optional>

namespace mlir::te {

/// A region's schedule for a range of the size that types do not tell
/// (getRangedSize).
struct Variant {
  int64_t most; // its end; INT64_MAX: all that the ones before it leave
  ScheduleAttr schedule;
  StringAttr tuned; // which database has it, and where: kTunedAttr; or null
};

/// True where there can be variants: a size is unknown, and there is one of it.
bool hasRangedSize(FusionOp fusion);

/// Replaces the region by one for each variant, in branches by its size.
/// Variants are in the order of their ranges, and the last has no end.
void emitVariants(FusionOp fusion, llvm::ArrayRef<Variant> variants);

} // namespace mlir::te

#endif // TE_LIB_DIALECT_TE_TRANSFORMS_VARIANTS_H
