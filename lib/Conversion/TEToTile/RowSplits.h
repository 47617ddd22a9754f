//===- RowSplits.h - rows that several workgroups share ---------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a schedule says `row_split`, each workgroup sweeps a run of its row's
// tiles (RowSweep.h). What is computed over rows takes kernels of its own: each
// writes one f32 a row and split for every reduction that it can fold, the next
// one reads those of a row and combines them, in the order of the splits.
// The last kernel writes the results.
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_TETOTILE_ROWSPLITS_H
#define TE_LIB_CONVERSION_TETOTILE_ROWSPLITS_H

#include "te/Conversion/TEToTile/TileContext.h"

namespace mlir::te {

class RowSplits {
public:
  /// A row of `chunks` tiles of `width` columns each, shared by `count`
  /// workgroups.
  RowSplits(int64_t count, int64_t chunks, int64_t width)
      : count(count), chunksEach(llvm::divideCeil(chunks, count)),
        elementsEach(chunksEach * width) {}

  /// Begins a kernel, whose workgroup has split `split`. `buffers` are the
  /// partial results: those of the kernels before it, then, unless all
  /// reductions are known and it is the last, its own.
  void begin(Value split, ValueRange buffers);
  bool isLast() const { return buffers.size() == slots.size(); }

  /// [from, to): the workgroup's tiles, of `chunks`.
  std::pair<Value, Value> getChunks(TileContext &ctx, Value chunks) const;
  /// Elements of this split that are in the tensor, f32.
  Value getSize(TileContext &ctx) const;
  /// The same of each split, in an f32 tile as loadPartials gives.
  Value getSizes(TileContext &ctx, Type type) const;

  /// Whether an earlier kernel folded reduction `number`; its `numPartials`
  /// partial results, each a tile of rows x splits, 0 beyond the last split.
  bool isFolded(unsigned number) const {
    return number < places.size() && places[number];
  }
  SmallVector<Value> loadPartials(TileContext &ctx, unsigned number,
                                  unsigned numPartials) const;
  /// Writes the partial results, tiles of one column, of reduction `number`.
  void storePartials(TileContext &ctx, unsigned number, ValueRange partials);
  /// Reduction `number` waits for a later kernel.
  void postpone(unsigned number);
  /// Ends a kernel: true where all reductions are folded.
  bool end();
  /// What the kernel before wrote: tensor<partial results x M x splits x f32>.
  RankedTensorType getPartialType(MLIRContext *context, int64_t rows) const;

private:
  Value viewPartial(TileContext &ctx, unsigned kernel, unsigned slot) const;

  struct Place {
    unsigned kernel, slot;
  };
  int64_t count, chunksEach, elementsEach;
  SmallVector<std::optional<Place>> places; // of each reduction's first result
  SmallVector<unsigned> slots;              // that each kernel wrote
  unsigned nextSlot = 0;                    // of this kernel
  Value split;
  SmallVector<Value> buffers;
};

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_TETOTILE_ROWSPLITS_H
