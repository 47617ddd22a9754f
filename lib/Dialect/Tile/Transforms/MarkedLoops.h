//===- MarkedLoops.h - loops that te-to-tile marked for a pass --*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_DIALECT_TILE_TRANSFORMS_MARKEDLOOPS_H
#define TE_LIB_DIALECT_TILE_TRANSFORMS_MARKEDLOOPS_H

#include "te/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::te::tile {

/// Calls `change`, which may replace it, for each loop of the kernel that has
/// the attribute `marker`, and takes that away.
inline LogicalResult
changeMarkedLoops(KernelOp kernel, StringRef marker,
                  function_ref<LogicalResult(scf::ForOp)> change) {
  SmallVector<scf::ForOp> loops;
  kernel->walk([&](scf::ForOp loop) {
    if (loop->removeAttr(marker))
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops)
    if (failed(change(loop)))
      return failure();
  return success();
}

} // namespace mlir::te::tile

#endif // TE_LIB_DIALECT_TILE_TRANSFORMS_MARKEDLOOPS_H
