//===- Products.h - how long products are -----------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_DIALECT_TILE_TRANSFORMS_PRODUCTS_H
#define TE_LIB_DIALECT_TILE_TRANSFORMS_PRODUCTS_H

#include "te/Dialect/TE/IR/TE.h"
#include "te/Dialect/Tile/IR/MMALayout.h"
#include "te/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::te::tile {

/// Matrix instructions of each wave in an iteration of the loop: code without a
/// loop that has many takes long to compile.
inline int64_t countInstructions(scf::ForOp loop) {
  int64_t count = 0;
  for (auto mma : loop.getBody()->getOps<MmaOp>()) {
    count +=
        countInstructions(mma.getIntrinsic().getMMA(), getLayout(mma.getType()),
                          getOperandDepth(mma.getA().getType()));
  }
  return count;
}

} // namespace mlir::te::tile

#endif // TE_LIB_DIALECT_TILE_TRANSFORMS_PRODUCTS_H
