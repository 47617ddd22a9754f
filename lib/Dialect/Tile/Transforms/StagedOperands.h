//===- StagedOperands.h - tiles on their way to products --------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tile-stage-operands sends through LDS.
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_DIALECT_TILE_TRANSFORMS_STAGEDOPERANDS_H
#define TE_LIB_DIALECT_TILE_TRANSFORMS_STAGEDOPERANDS_H

#include "te/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::te::tile {

/// A tile on its way from memory to the lanes that multiply it: `tile`, perhaps
/// transposed, converted.
struct StagedOperand {
  ConvertLayoutOp convert;
  Value tile;
  bool isTransposed;
  bool areScales; // or the like: not multiplied
};

/// Those of the loop, in groups: the tiles of a group lie one after the other
/// in memory.
std::vector<std::vector<StagedOperand>> findStagedOperands(scf::ForOp loop);

/// The load that a tile comes from, if it is one; through what works on it, in
/// a branch too.
LoadOp findLoad(Value tile);

} // namespace mlir::te::tile

#endif // TE_LIB_DIALECT_TILE_TRANSFORMS_STAGEDOPERANDS_H
