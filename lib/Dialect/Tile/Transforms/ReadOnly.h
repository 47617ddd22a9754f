//===- ReadOnly.h - buffers that a kernel only reads ------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_DIALECT_TILE_TRANSFORMS_READONLY_H
#define TE_LIB_DIALECT_TILE_TRANSFORMS_READONLY_H

#include "te/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::te::tile {

/// True for a view of an argument of the kernel, all of whose views are only
/// read.
inline bool isReadOnly(Value view) {
  while (auto cast = view.getDefiningOp<memref::ReinterpretCastOp>())
    view = cast.getSource();
  if (!isa<BlockArgument>(view))
    return false;
  SmallVector<Value> views{view};
  while (!views.empty())
    for (Operation *user : views.pop_back_val().getUsers()) {
      if (auto cast = dyn_cast<memref::ReinterpretCastOp>(user))
        views.push_back(cast);
      else if (!isa<LoadOp, AsyncCopyOp, PrefetchOp, memref::LoadOp>(user))
        return false;
    }
  return true;
}

} // namespace mlir::te::tile

#endif // TE_LIB_DIALECT_TILE_TRANSFORMS_READONLY_H
