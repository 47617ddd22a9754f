//===- RegionCheck.h - regions that become one kernel -----------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the lowering takes a region to be. te-fuse makes such regions; those
// that a user writes are checked, as each rule broken would be a wrong kernel.
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_TETOTILE_REGIONCHECK_H
#define TE_LIB_CONVERSION_TETOTILE_REGIONCHECK_H

#include "te/Dialect/TE/IR/TE.h"
#include "te/Dialect/Tile/IR/Tile.h"

namespace mlir::te {

/// Checks rules F3 to F9 of docs/spec.md; the error is on the op that breaks
/// one.
LogicalResult verifyRegion(FusionOp fusion);

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_TETOTILE_REGIONCHECK_H
