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

/// Of tiles that are stored as `source` and loaded as `target` says, whose
/// shape is a part of the source's. Where the chip has reads that transpose,
/// and lanes want elements of a column that lie in rows, these are used.
RingOrder getRingOrder(const LinearLayout &source, const LinearLayout &target,
                       int64_t elementBytes, const Target &chip);

/// Instructions of a lane that load a slice of a slot.
int64_t countReads(const LinearLayout &source, const LinearLayout &target,
                   int64_t elementBytes, const Target &chip);

/// Instructions of a wave that copy a tile into a slot (tile.async_copy).
int64_t countAsyncCopies(const LinearLayout &source, int64_t elementBytes,
                         int64_t waves, const Target &chip);

/// How lanes read a tile where it goes straight to LDS as it lies in memory, by
/// the chip's widest loads, and is loaded as `loaded` says. Its rows are
/// `rowBytes` apart, one after the other, or in the order `stored`. Nothing
/// where lanes cannot: offsets are of 32 bits, all lanes take part, and where
/// what is multiplied lies along columns (`isTransposed`) reads of LDS
/// transpose it.
std::optional<LinearLayout>
getAsyncCopyLayout(llvm::ArrayRef<int64_t> shape, int64_t rowBytes,
                   const std::optional<LinearLayout> &stored,
                   const LinearLayout &loaded, bool isTransposed,
                   int64_t elementBytes, int64_t waves, const Target &chip);

} // namespace mlir::te::tile

#endif // TE_DIALECT_TILE_IR_RINGORDER_H
