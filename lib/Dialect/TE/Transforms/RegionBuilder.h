//===- RegionBuilder.h - ops as a te.fusion region --------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_DIALECT_TE_TRANSFORMS_REGIONBUILDER_H
#define TE_LIB_DIALECT_TE_TRANSFORMS_REGIONBUILDER_H

#include "Prologues.h"

namespace mlir::te {

/// A te.fusion that computes copies of `ops`, which stand in the order of their
/// block, and of the constants, views and prologues that go into the region;
/// and the values, in the order of its results, that it computes for others.
struct BuiltRegion {
  FusionOp fusion;
  SmallVector<Value> yielded;
};
BuiltRegion buildRegion(OpBuilder &builder, ArrayRef<Operation *> ops,
                        StringRef kernel, const Prologues &prologues);

} // namespace mlir::te

#endif // TE_LIB_DIALECT_TE_TRANSFORMS_REGIONBUILDER_H
