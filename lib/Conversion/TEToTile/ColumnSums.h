//===- ColumnSums.h - sums over all rows, in two stages ---------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// dgamma, dbeta, dbias: a workgroup sums the rows of all its tiles in registers
// and writes one row of partial sums; a second, small kernel adds these up. The
// order is always the same.
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_TETOTILE_COLUMNSUMS_H
#define TE_LIB_CONVERSION_TETOTILE_COLUMNSUMS_H

#include "te/Conversion/TEToTile/TileContext.h"

namespace mlir::te {

/// Tiles side by side whose columns such a sum has numbers for.
unsigned getHalves(OpResult sum);
/// The yielded results that are sums over all rows.
SmallVector<OpResult> getColumnSums(FusionOp fusion);

/// What the first kernel writes for a result of N columns: partial sums,
/// tensor<? x N x f32>.
RankedTensorType getPartialType(OpResult sum);

/// Emits `body` for each tile of the schedule's group of row tiles number
/// `group` and, where it bounds the workgroups, of those groups of all `groups`
/// that follow at that distance. The sums that it adds to the context are then
/// written as row `group` of the partial sums.
LogicalResult emitRowTiles(TileContext &ctx, ArrayRef<OpResult> sums,
                           Value group, Value groups,
                           function_ref<LogicalResult()> body);

/// The same for ops that were lowered for one tile: sums start at 0, and are
/// written as row `group` afterwards.
void seedColumnSums(TileContext &ctx, ArrayRef<OpResult> sums);
void storeColumnSums(TileContext &ctx, ArrayRef<OpResult> sums, Value group);

/// The kernel that adds up the partial sums of results of one width: pointers
/// to the partial sums, to the results, the number of partial rows, the width.
tile::KernelOp emitFinishKernel(ImplicitLocOpBuilder &b, StringRef name,
                                const Target &target, ScheduleAttr schedule,
                                ArrayRef<OpResult> sums);
/// Its schedule: a cache line of each row a workgroup, so that many work.
ScheduleAttr chooseFinishSchedule(ArrayRef<OpResult> sums,
                                  const Target &target);

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_TETOTILE_COLUMNSUMS_H
