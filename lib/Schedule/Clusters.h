//===- Clusters.h - rows that a cluster's workgroups hold -------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/decisions/0026-clusters.md.
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_SCHEDULE_CLUSTERS_H
#define TE_LIB_SCHEDULE_CLUSTERS_H

#include "te/Schedule/ResourceModel.h"

namespace mlir::te {

/// What is computed over a row can be put together from its tiles, which are
/// those of one row of workgroups.
bool canFormClusters(const TileDemand &demand);

/// Tiles of so many columns that a row of known length has, what results pad it
/// with included.
int64_t getRowTiles(const TileDemand &demand, int64_t width);

/// The schedule in which they share rows, sweep them as `sweep` does, and
/// keep their tiles in LDS; null where none is worth it.
ScheduleAttr shareSweep(const TileDemand &demand, ScheduleAttr sweep,
                        const Target &target);

/// The schedule in which the workgroups of a cluster hold rows together; null
/// where none is possible.
ScheduleAttr chooseCluster(MLIRContext *context, const TileDemand &demand,
                           const Target &target);

} // namespace mlir::te

#endif // TE_LIB_SCHEDULE_CLUSTERS_H
