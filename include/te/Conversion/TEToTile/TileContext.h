//===- TileContext.h - what a te op sees of its kernel ----------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of the lowering of one te.fusion to one tile.kernel: where the
// region's values are (a tile in registers, a scalar, buffers in global
// memory), the tile of this workgroup, and small builders that keep the
// lowerings readable.
//
//===----------------------------------------------------------------------===//
#ifndef TE_CONVERSION_TETOTILE_TILECONTEXT_H
#define TE_CONVERSION_TETOTILE_TILECONTEXT_H

#include "te/Conversion/Names.h"
#include "te/Dialect/TE/IR/TE.h"
#include "te/Dialect/Tile/IR/Tile.h"
#include "te/Target/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::te {

class RowSweep;

/// What a buffer's elements are in memory: bytes for E8M0, two fp4 codes, i1.
Type getStoredType(Type element);

class TileContext {
public:
  /// Global buffers of a value: data, and scales where it is a !te.scaled.
  struct Buffers {
    Value data, scales;
  };

  TileContext(ImplicitLocOpBuilder &builder, const Target &target,
              ScheduleAttr schedule)
      : b(builder), target(target), schedule(schedule) {}

  ImplicitLocOpBuilder &b;
  const Target &target;
  ScheduleAttr schedule;
  Value rows, cols;               // M and K, index
  int64_t staticRows, staticCols; // the same where known, else kDynamic
  Value tileRow, tileCol;         // this workgroup's first element, index
  Value shardLength;              // of a run of elements, index
  Value matrix;   // which matrix this workgroup's tile is of, index; null: the
                  // tensor is one
  Value matrices; // how many there are, where a lowering asks
  /// Where a te.gemm's last rows are cut into splits of K: whether this
  /// workgroup's are others (i1), and which split it makes (index; else 0).
  Value isWhole, split;
  bool wholeRows = false,
       wholeCols = false; // every tile of this code is whole
  int64_t rowRun = 0;     // rows in memory lie in runs (tile.load)
  Value firstWorkgroup;   // i1: workgroup (0, 0), at its first tile

  /// A size of a value of the region, index: a constant, or an argument of the
  /// kernel. Of an index of the region (dimension -1): its value.
  std::function<Value(Value, int64_t)> getDim;

  /// Where tiles do not hold whole rows, what sweeps them (RowSweep.h).
  RowSweep *sweep = nullptr;
  /// Loops over tiles read one ahead (tile-prefetch-loads).
  bool prefetches = false;
  /// Ops write their results: false in sweeps that only look at the rows.
  bool stores = true;

  /// f32 tiles whose columns will be summed over all rows, by result and half
  /// (of a WideColumn): what lowerings add to.
  using ColumnSum = std::pair<Value, unsigned>;
  llvm::DenseMap<ColumnSum, Value> columnSums;
  void addToColumns(Value result, Value tile, unsigned second = 0) {
    if (auto it = columnSums.find({result, second}); it != columnSums.end())
      it->second = arith::AddFOp::create(b, it->second, tile,
                                         arith::FastMathFlags::contract);
  }

  /// What an op sees that computes on tiles with rows for columns: M and K have
  /// changed places, and nothing has a tile yet.
  TileContext getTransposed() const;
  bool isTransposed = false;

  void bindBuffers(Value value, Buffers buffers) { bound[value] = buffers; }
  bool hasBuffers(Value value) const { return bound.contains(value); }
  Buffers getBuffers(Value value) const { return bound.lookup(value); }

  /// The layout in which tiles of the region's operands are loaded; with a
  /// te.gemm, that of its result; or the one that is set.
  tile::LinearLayout getLoadLayout() const;
  std::optional<tile::LinearLayout> loadLayout;
  /// The layout of the widest stores of a tile: a row-major order of 16 bytes a
  /// lane, or where memory has an order of its own (see tile.store) that one.
  tile::LinearLayout getStoreLayout(ArrayRef<int64_t> shape,
                                    unsigned elementBits,
                                    tile::LayoutAttr order = {}) const;

  /// That of a tile that is loaded with rows for columns: lanes share what is
  /// done with it.
  tile::LinearLayout getTransposedLayout(unsigned elementBits) const;

  /// This workgroup's tile of a high-precision tensor: in registers, or loaded.
  Value getTile(Value tensor);
  /// To and from the elements that memory has.
  Value fromStored(Value tile, Type elementType);
  Value toStored(Value tile);
  bool isDefined(Value tensor) const { return tiles.contains(tensor); }
  /// Something could not be lowered, which an error told.
  bool hasFailed = false;
  /// The same, 0 outside of the tensor: what a reduction reads.
  Value getZeroPaddedTile(Value tensor);
  /// The same in the rows of the tensor; others may hold anything.
  Value getColumnPaddedTile(Value tensor);
  /// The region's ops read `tensor` from here on; stored where it is yielded.
  void define(Value tensor, Value tile);
  /// The region's ops read this tile as `tensor`.
  void setTile(Value tensor, Value tile) { tiles[tensor] = tile; }
  /// No tensor has a tile any more: ops are lowered anew, for another one.
  void forgetTiles() { tiles.clear(); }
  /// Half of a tensor of 2K columns: left or right, or with `interleave`
  /// alternate runs of so many columns. A view (null `rows`: of M), and this
  /// workgroup's tile: in registers, or loaded.
  struct Half {
    bool second = false;
    int64_t interleave = 0;
  };
  /// This workgroup's columns, of a tensor that is twice as wide: those of the
  /// half, which begin at `tileCol` in memory, among its `cols`.
  struct HalfColumns {
    Half half;
    Value tileCol, cols; // as there is one half alone
  };
  std::optional<HalfColumns> halfColumns;
  Value viewHalf(Value buffer, Half half, OpFoldResult rows = {});
  Value getHalf(Value tensor, Half half);
  void storeHalf(Value tile, Value tensor, Half half);
  /// The tiles of both halves of a wide result, stored where it is yielded;
  /// then, for ops of the region that read it, calls `body` for each half: its
  /// tile is that of the tensor, of 2K columns, meanwhile.
  void defineWide(Value tensor, Value first, Value second, int64_t interleave);
  LogicalResult forEachHalf(Value tensor, function_ref<LogicalResult()> body);
  /// This workgroup's part of a tensor with one number a row (a tile of one
  /// column), or one a column (of one row).
  Value loadRows(Value tensor);
  Value loadRowsOf(Value buffer);
  Value loadColumns(Value tensor);
  Value loadColumnsOf(Value buffer);
  /// A gather: the rows of a view that `rows` (i32, one a row of the tile)
  /// names, from column 0 on; zero where the view has no such row.
  Value loadRowsAt(Value view, Value rows, const tile::LinearLayout &layout);
  /// Stores such a tile where the tensor is yielded.
  void defineRows(Value tensor, Value tile);
  void storeRows(Value tile, Value buffer);
  void storeColumns(Value tile, Value buffer);
  /// The value of a rank-0 f32 operand.
  Value getScalar(Value tensor);
  /// A row-major view of a buffer with the given sizes; rows are `stride` apart
  /// (null: `cols`), the first at `offset` (null: 0).
  Value view(Value buffer, OpFoldResult rows, OpFoldResult cols,
             OpFoldResult stride = {}, OpFoldResult offset = {});
  /// A view of a matrix of these sizes, in whole units of `order` where there
  /// is one: this workgroup's, where a buffer holds many.
  Value viewMatrix(Value buffer, OpFoldResult rows, OpFoldResult cols,
                   tile::LayoutAttr order = {});
  /// From here on rows are those of `lastRows`, S x R x N: the last ones of
  /// this matrix, or all.
  void setFirstRow(Value lastRows);
  /// Loads or stores a tile at [row, col] of a `rows x cols` view, whose row
  /// length is a multiple of `divisible` (a power of two).
  Value load(Value view, Value row, Value col, Type elementType,
             const tile::LinearLayout &layout, int64_t divisible = 1,
             tile::LayoutAttr order = {}, int64_t interleave = 0);
  /// What is known of a tile that load() gave: its rows, or its columns, are
  /// inside of the view in every workgroup.
  void setInBounds(Value tile, bool rows, bool cols);
  void store(Value tile, Value view, Value row, Value col,
             int64_t divisible = 1, tile::LayoutAttr order = {},
             int64_t interleave = 0);
  /// This workgroup's part of a shard, a run of the M x K elements that begins
  /// with number `start`: 0 outside of it, and nothing stored there.
  Value loadShard(Value tensor, Value start);
  void storeShard(Value tile, Value buffer, Value start);
  /// This workgroup's tile of a matrix; where `rows` is not null, of the rows
  /// that it names (i32, one a row of the tile; -1: none).
  Value load(Value view, Value rows, Type elementType,
             const tile::LinearLayout &layout);
  void store(Value tile, Value view, Value rows);
  /// The tile as the widest stores want it.
  Value toStoreLayout(Value tile);
  /// Stores this workgroup's tile in the widest accesses.
  void storeWide(Value tile, Value view, int64_t interleave = 0);
  /// i1 elements: where a tile that begins at `offset` along `dim` lies before
  /// `extent`.
  Value isBefore(const tile::LinearLayout &layout, unsigned dim, Value offset,
                 Value extent);
  /// i1 elements: where a tile at [row, col] lies inside of `rows x cols`.
  Value isInside(const tile::LinearLayout &layout, Value row, Value col,
                 Value rows, Value cols);
  void markPrefetched(scf::ForOp loop);
  /// Where the schedule has two stages or more. `isLong`: most of the time goes
  /// to this loop.
  void markStaged(scf::ForOp loop, bool isLong);
  /// For i in [0, count): `body(i, carried)` gives what is carried on.
  scf::ForOp loop(Value count, ValueRange start,
                  function_ref<SmallVector<Value>(Value, ValueRange)> body);
  /// The same for each tile of this workgroup's columns, from the first row to
  /// the last: tileRow is its own meanwhile.
  SmallVector<Value>
  forEachRowTile(ValueRange start,
                 function_ref<SmallVector<Value>(ValueRange)> body);
  /// Runs `body` in workgroup (0, 0) only.
  void inFirstWorkgroup(function_ref<void()> body);

  // Elementwise builders on tiles; the first two and the cast on scalars too.
  Value constant(Type tileType, double value);
  /// A tile of one value.
  Value constant(TypedAttr value, const tile::LinearLayout &layout);
  Value intConstant(Type tileType, int64_t value);
  Value splat(Value scalar, Type tileType);
  Value toF32(Value tile);
  Value round(Value tile, Type elementType); // from f32
  Value cast(Value tile, Type elementType);  // bitcast of the elements
  Value reduce(tile::ReduceKind kind, Value tile, ArrayRef<int64_t> block);
  /// Blocks that waves share are dealt out to all lanes, where each would have
  /// several: what is done with them is done once.
  Value reduceSpread(tile::ReduceKind kind, Value tile,
                     ArrayRef<int64_t> block);
  /// Of a tile of any float: f32, or bf16 where the target computes two of that
  /// at once; spread like that.
  Value reduceAmax(Value tile, ArrayRef<int64_t> block);
  /// The sum or the maximum of each row of the tensor that an f32 tile is part
  /// of, in one column; `tile` is neutral outside of the tensor. Of no elements
  /// it may be `start`, from which a sweep begins.
  Value reduceRows(tile::ReduceKind kind, Value tile, double start = 0);
  /// One number a row of all workgroups of a cluster, from each one's.
  Value exchange(tile::ReduceKind kind, Value rows);
  /// The sums of each row as a result that the region's ops do not read.
  void defineRowSum(Value tensor, Value tile);
  /// 1 / K, f32.
  Value getRowShare();
  /// The tile with 0 outside of the tensor; where columns are whole, of what
  /// is computed over each row too.
  Value padWithZeros(Value tile);
  Value broadcast(Value tile, const tile::LinearLayout &layout);
  Value transpose(Value tile);
  Value convert(Value tile, const tile::LinearLayout &layout);

private:
  Value viewShard(Value buffer, Value start);
  std::pair<bool, bool> isInBounds(Value row, Value col, Value view,
                                   Type tile) const;

  llvm::DenseMap<Value, Buffers> bound;
  llvm::DenseMap<Value, Value> tiles;
  llvm::DenseMap<Value, std::pair<Value, Value>> wideTiles;
};

/// A tile's type with other elements, layout kept; of a scalar `elementType`.
Type withElementType(Type tileType, Type elementType);

} // namespace mlir::te

#endif // TE_CONVERSION_TETOTILE_TILECONTEXT_H
