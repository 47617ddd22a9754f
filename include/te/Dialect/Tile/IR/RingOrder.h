//===- RingOrder.h - how tiles lie in a ring of LDS -------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_DIALECT_TILE_IR_RINGORDER_H
#define TE_DIALECT_TILE_IR_RINGORDER_H

#include "te/Dialect/Tile/IR/LinearLayout.h"
#include "te/Target/Target.h"

namespace mlir::te::tile {

/// The order of a tile.ring's slots, and how parts of them are read.
struct RingOrder {
  SharedLayout shared;
  /// Who reads which element of a part, in a slot's coordinates. Where the
  /// instruction transposes what it reads, not who has it then.
  LinearLayout reads;
  bool transposes;
};

/// Of tiles that are put as `source` and taken as `target` says, whose shape is
/// a part of the source's. Where the chip has reads that transpose, and lanes
/// want elements of a column that lie in rows, these are used.
RingOrder getRingOrder(const LinearLayout &source, const LinearLayout &target,
                       int64_t elementBytes, const Target &chip);

/// Instructions of a lane that take a part of a slot.
int64_t countReads(const LinearLayout &source, const LinearLayout &target,
                   int64_t elementBytes, const Target &chip);

} // namespace mlir::te::tile

#endif // TE_DIALECT_TILE_IR_RINGORDER_H
