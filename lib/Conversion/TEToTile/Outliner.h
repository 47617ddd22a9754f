//===- Outliner.h - one region to a kernel and launches -------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What te-to-tile makes of one te.fusion: a tile.kernel (OutlineKernel.cpp),
// and host code that launches it (OutlineLaunch.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_TETOTILE_OUTLINER_H
#define TE_LIB_CONVERSION_TETOTILE_OUTLINER_H

#include "RowSplits.h"

#include "te/Conversion/TEToTile/TileContext.h"
#include "te/Region/Region.h"

namespace mlir::te {

/// What the tiles of a region must cover: M and K rounded up to the padding
/// that results store, and at least one tile along an extent where a result has
/// elements without it.
struct Cover {
  int64_t rowMultiple = 1, colMultiple = 1;
  bool needsRow = false, needsCol = false;
};

/// Ops that iterate over one extent.
struct Subkernel {
  SmallVector<Operation *> ops;
  Anchor anchor;
  Cover cover;

  /// A workgroup computes all rows of its columns. Among several subkernels,
  /// the workgroups of this one lie along its columns.
  bool computesColumns() const { return llvm::any_of(ops, needsWholeColumns); }
};

/// The kernels of a region, which equal ones launch too.
struct RegionKernels {
  struct Kernel {
    tile::KernelOp op;
    /// Sizes that lowerings asked for, arguments of the kernel after the
    /// others: an argument of the region, and its dimension. An index has the
    /// dimension -1.
    SmallVector<std::pair<unsigned, int64_t>> sizes;
    RankedTensorType partial; // what it writes, unless it is the last one
  };
  SmallVector<Kernel> kernels;           // in the order of their launches
  tile::KernelOp zero;                   // sets an amax to 0
  SmallVector<tile::KernelOp, 2> finish; // add up partial sums
};

/// One fusion on its way to a kernel and its launches.
struct Outliner {
  FusionOp fusion;
  const Target &target;
  SymbolTable &symbols;
  SmallVector<Operation *> ops;
  SmallVector<Subkernel> subkernels;
  Value noop;
  SmallVector<OpResult> sums; // yielded: over all rows
  int64_t firstRow = 0;       // that is computed
  RegionKernels &made;
  /// Of the kernel that is made: RegionKernels::Kernel::sizes.
  llvm::MapVector<std::pair<Value, int64_t>, Value> dims = {};
  Block *body = nullptr; // of the kernel
  /// Where workgroups share rows: the state from kernel to kernel, a kernel's
  /// split, and what the kernels before it wrote, in host code.
  std::optional<RowSplits> splits = {};
  Value split = {};
  SmallVector<Value> partials = {};

  LogicalResult emitKernels();
  void emitLaunches();
  LogicalResult emitPartialKernels();
  LogicalResult emitKernel(bool isLast);
  unsigned bindArguments(TileContext &ctx, bool isLast);
  void emitLaunch(const RegionKernels::Kernel &kernel);
  void emitPartialLaunch(ImplicitLocOpBuilder &b,
                         const RegionKernels::Kernel &kernel, Value gridX,
                         Value gridY, Value rows, ValueRange inputs,
                         ValueRange sizes);
  void bindExtents(TileContext &ctx, const Subkernel &subkernel,
                   unsigned &next);
  LogicalResult emitBody(TileContext &ctx, ArrayRef<Operation *> ops);
  LogicalResult emitTiles(TileContext &ctx, const Subkernel &subkernel,
                          Value group);
  bool hasEdge(const TileContext &ctx, const Subkernel &subkernel);
  LogicalResult emitAtEdge(TileContext &ctx, const Subkernel &subkernel,
                           Value group);
  LogicalResult emitSubkernel(TileContext ctx, const Subkernel &subkernel,
                              Value x, Value group, unsigned &next);
  std::pair<Value, Value> emitColumn(TileContext &ctx,
                                     const Subkernel &subkernel, Value group);
  std::pair<Value, Value>
  emitOrder(TileContext &ctx, const Subkernel &subkernel, Value x, Value y);
  bool orders();
  std::pair<Value, Value>
  emitRestOrder(TileContext &ctx, const Subkernel &subkernel, Value x, Value y);
  LogicalResult emitSubkernels(const TileContext &common, Value x, Value group,
                               unsigned next);
  SmallVector<Type> getLaunchTypes();
  SmallVector<Value> emitSizes(ImplicitLocOpBuilder &b, Value groups);
  tile::LaunchOp emitZero(ImplicitLocOpBuilder &b, Type amax);
  SmallVector<Value> emitFinish(ImplicitLocOpBuilder &b, ValueRange partial,
                                Value groups, Value cols);
  /// True where one column of tiles covers the region: the grid has one
  /// dimension then, of which every chip has room for the most.
  bool hasOneColumn() {
    ScheduleAttr schedule = fusion.getScheduleAttr();
    if (subkernels.size() > 1 || schedule.getSweep() != SweepKind::None)
      return schedule.getGrid().getRowSplit() == 1;
    int64_t cols = subkernels.front().anchor.getExtents().second;
    int64_t multiple =
        std::max(subkernels.front().cover.colMultiple, schedule.getTile()[1]);
    return !ShapedType::isDynamic(cols) && cols > 0 &&
           llvm::alignTo(cols, multiple) == uint64_t(schedule.getTile()[1]);
  }
  /// The schedule's `workgroups` add up the rows of several tiles: there is a
  /// loop over these for the sums to go around. Otherwise each tile is on its
  /// own, and tile-persistent-workgroups makes the loop.
  bool sumsGroups() {
    ScheduleAttr schedule = fusion.getScheduleAttr();
    return schedule.getGrid().getWorkgroups() > 0 && !schedule.getMatmul();
  }
  /// Rows that one workgroup computes.
  int64_t getGroupRows() {
    ScheduleAttr schedule = fusion.getScheduleAttr();
    return schedule.getTile()[0] * schedule.getGrid().getRowTiles();
  }
  /// Tiles down the rows of a te.gemm whose other rows are cut into splits.
  int64_t getWholeGroups() {
    return fusion.getScheduleAttr().getGrid().getWholeRows() / getGroupRows();
  }
  Value getHostValue(Value inner) {
    auto argument = dyn_cast_if_present<BlockArgument>(inner);
    return argument ? fusion.getInputs()[argument.getArgNumber()] : Value();
  }
  ValueRange getYielded() {
    return fusion.getBody().front().getTerminator()->getOperands();
  }
  Value emitKernelDim(ImplicitLocOpBuilder &b, Value inner, int64_t i);
  Value emitHostDim(ImplicitLocOpBuilder &b, Value inner, int64_t i);
  Value emitGroups(ImplicitLocOpBuilder &b, const Subkernel &subkernel,
                   Value rows);
  Value emitGroupCount(ImplicitLocOpBuilder &b, const Subkernel &subkernel,
                       Value rows);
  std::pair<Value, Value> emitPlace(ImplicitLocOpBuilder &b);
  SmallVector<bool> getDynamic();
};

/// Pointers to global memory of a value's buffers: data, then scales.
void addPointerTypes(Type type, SmallVectorImpl<Type> &types);

/// Of a kernel with tile.cluster_reduce: fewer of them, and fewer registers
/// meanwhile (Exchanges.cpp).
void finishExchanges(tile::KernelOp kernel);

/// The number of tiles along one extent, which cover a multiple of so many
/// elements; in host code or a kernel's.
Value emitTileCount(ImplicitLocOpBuilder &b, Value extent, int64_t multiple,
                    int64_t tile, bool atLeastOne);

/// Calls `body` where the flag, if there is one, does not say noop.
void emitUnlessNoop(ImplicitLocOpBuilder &b, Value flagBuffer,
                    function_ref<void()> body);

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_TETOTILE_OUTLINER_H
