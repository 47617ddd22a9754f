//===- RowSweep.h - rows that a tile does not hold whole --------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A workgroup sweeps its rows, tile after tile, as often as needed: what
// an op computes over each row (TileContext::reduceRows) is folded in one sweep
// and known in the next; the last sweep writes the results. Ops are lowered
// once for each sweep, by the same code as where a tile holds whole rows, and
// what a sweep does not need is dropped.
//
// Where the schedule says `keep`, the tiles that sweeps begin with are loaded
// first, all of them, and stay in registers; with `reread` each sweep loads
// them again. Workgroups of a cluster have a share of the row's tiles each, and
// exchange what they fold; those they keep are in LDS, where the first sweep
// stores them. Several workgroups may share a row (RowSplits.h): a kernel has
// one of the sweeps then.
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_TETOTILE_ROWSWEEP_H
#define TE_LIB_CONVERSION_TETOTILE_ROWSWEEP_H

#include "Moments.h"
#include "RowSplits.h"

namespace mlir::te {

class RowSweep {
public:
  using Body = function_ref<LogicalResult(ArrayRef<Operation *>)>;

  /// `ops` is the region, `chunks` how many tiles a row has (an index; a
  /// constant where the schedule keeps them). `splits` is null where one
  /// workgroup sweeps a row.
  RowSweep(TileContext &ctx, ArrayRef<Operation *> ops, Value chunks,
           RowSplits *splits);

  /// Emits all sweeps for the workgroup's rows from ctx.tileRow; `body` lowers
  /// ops for the tile at ctx.tileCol. `sums` are written as row `group`.
  LogicalResult run(ArrayRef<OpResult> sums, Value group, Body body);

  /// What TileContext hands on.
  Value reduce(tile::ReduceKind kind, Value tile, double start);
  Moments getMoments(Value tile);
  void defineRowSum(Value tensor, Value tile);
  /// The columns of a tensor of one number a column, from LDS; null where they
  /// are not staged.
  Value getStaged(Value tensor) const { return staged.lookup(tensor); }
  /// True for a value whose tile an earlier sweep kept.
  bool isKept(Value tensor) const {
    return kept.contains(tensor) || rings.contains(tensor);
  }
  /// True where tiles are read once.
  bool keeps() const;

private:
  /// Something that is carried from tile to tile.
  struct Fold {
    std::optional<unsigned> index; // of what it computes
    SmallVector<Type> types;       // of what is carried
    double start = 0;              // of all of it
    std::function<SmallVector<Value>(ValueRange)> update;
    std::function<SmallVector<Value>(ValueRange)> finish;
    /// Of a split of the row (one column each), and what those of all splits,
    /// tiles of rows x splits, are combined to.
    unsigned numPartials = 1;
    std::function<SmallVector<Value>(ValueRange)> finishSplit;
    std::function<SmallVector<Value>(ValueRange)> merge;
  };

  SmallVector<Value> fold(unsigned numResults, Value input, Fold fold);
  SmallVector<Value> merge(unsigned number, const Fold &fold);
  bool isUnknown(Value value) const;
  void moveTo(Value chunk);
  LogicalResult emitTile(ArrayRef<Operation *> ops, Body body, Value chunk);
  void stage();
  LogicalResult keep(Body body);
  tile::RingOp makeRing(RankedTensorType type);
  void copyAhead();
  void storeTiles();
  LogicalResult emitLoop(ArrayRef<Operation *> ops, Body body,
                         function_ref<void()> begin, function_ref<void()> end,
                         bool backwards = false);
  LogicalResult unroll();
  SmallVector<Value> update(ValueRange carried);
  void finish(ValueRange carried);
  SmallVector<Value> getStarts();
  Type getRowType() const;
  Value reduceRow(tile::ReduceKind kind, Value tile);
  Value reduceSplits(tile::ReduceKind kind, Value tile);

  TileContext &ctx;
  ArrayRef<Operation *> ops;
  RowSplits *splits;
  Value first, last; // the tiles that the workgroup sweeps: [first, last)
  Value before;      // so many tiles of the row are other workgroups'
  int64_t share = 0; // of a cluster: so many tiles at the most
  Value chunk;
  Operation *loop = nullptr;                       // of this sweep
  llvm::MapVector<Value, SmallVector<Value>> kept; // tiles of each value
  /// Tiles of each value in LDS, and their type.
  llvm::MapVector<Value, std::pair<Value, Type>> rings;
  llvm::DenseMap<Value, Value> staged; // views of LDS
  unsigned next = 0; // number of the next reduction of this sweep
  SmallVector<SmallVector<Value>> known; // results of reductions, by number
  SmallVector<Fold> folds;               // of this sweep
  llvm::SmallPtrSet<Operation *, 8> placeholders;
};

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_TETOTILE_ROWSWEEP_H
