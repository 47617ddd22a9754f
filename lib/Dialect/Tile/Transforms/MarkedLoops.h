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
/// the attribute `marker`, with that, and takes it away.
inline LogicalResult
changeMarkedLoops(KernelOp kernel, StringRef marker,
                  function_ref<LogicalResult(scf::ForOp, Attribute)> change) {
  SmallVector<std::pair<scf::ForOp, Attribute>> loops;
  kernel->walk([&](scf::ForOp loop) {
    if (Attribute value = loop->removeAttr(marker))
      loops.push_back({loop, value});
  });
  for (auto [loop, value] : loops)
    if (failed(change(loop, value)))
      return failure();
  return success();
}

} // namespace mlir::te::tile

#endif // TE_LIB_DIALECT_TILE_TRANSFORMS_MARKEDLOOPS_H
