//===- Clusters.cpp - rows that a cluster's workgroups hold ---------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Clusters.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;

namespace {
/// Measured on an H200 (docs/decisions/0026-clusters.md). Bytes of an element
/// that are worth a cluster where they would be read twice: of fewer, waiting
/// for each other takes as long.
constexpr unsigned kWorthBytes = 4;
/// Of a tile of many rows: waves, and bytes that a lane holds.
constexpr int64_t kBlockWaves = 16, kBlockLaneBytes = 128;
/// The same where workgroups go down the rows and sum them: fewest waves.
constexpr int64_t kPersistentWaves = 2, kPersistentLaneBytes = 32;
/// Workgroups a CU of those that keep their share in LDS: while one reads,
/// others compute; and at the least.
constexpr int64_t kSharingWorkgroups = 3, kFewestWorkgroups = 2;
/// Clusters do not fill a chip to the last CU: of so many parts one is left.
constexpr int64_t kUnfilledShare = 8;
} // namespace

bool te::canFormClusters(const TileDemand &demand) {
  return demand.wholeRows && !demand.mixesRows && !demand.dividesGrid &&
         !demand.readsHalves && !demand.hasProduct();
}

int64_t te::getRowTiles(const TileDemand &demand, int64_t width) {
  int64_t unit = std::max(demand.coverCols, width);
  return std::max<int64_t>(llvm::alignTo(demand.cols, unit) / width, 1);
}

/// `sweep` by a cluster whose workgroups keep tiles of `rows` rows and as many
/// elements in LDS; null where it has no room for two of them a CU.
static ScheduleAttr shareTiles(const TileDemand &demand, ScheduleAttr sweep,
                               int64_t rows, const Target &target) {
  int64_t cols = sweep.getTile()[0] * sweep.getTile()[1] / rows;
  int64_t tiles = getRowTiles(demand, cols);
  ScheduleAttr largest;
  for (int64_t most = 2; most <= int64_t(target.maxClusterWorkgroups); ++most) {
    int64_t share = llvm::divideCeil(tiles, most);
    auto schedule =
        ScheduleAttr::get(sweep.getContext(), target.name, {rows, cols},
                          sweep.getWaves(), sweep.getVector(), SweepKind::Keep,
                          {.rowTiles = sweep.getGrid().getRowTiles(),
                           .workgroups = sweep.getGrid().getWorkgroups(),
                           .cluster = int64_t(llvm::divideCeil(tiles, share))});
    if (schedule.getGrid().getCluster() == 1 ||
        findViolation(demand, schedule, target))
      continue;
    int64_t together =
        target.ldsBytes /
        (estimate(demand, schedule, target).ldsBytes + target.ldsReserved);
    if (together >= kSharingWorkgroups)
      return schedule;
    if (together >= kFewestWorkgroups)
      largest = schedule;
  }
  return largest;
}

ScheduleAttr te::shareSweep(const TileDemand &demand, ScheduleAttr sweep,
                            const Target &target) {
  if (target.maxClusterWorkgroups < 2 || !canFormClusters(demand) ||
      ShapedType::isDynamic(demand.cols) || demand.minRows == 1)
    return nullptr;
  // Few rows: fewer workgroups have room for them, even if they are less than a
  // line of what is stored (K, M); not where that is a few bytes of fp4.
  int64_t rows = sweep.getTile()[0];
  int64_t fewest = std::max(
      {demand.minRows, demand.unitRows, demand.rowsPerWave * sweep.getWaves()});
  if (!demand.storesFP4ByCols && fewest < rows)
    if (ScheduleAttr few = shareTiles(demand, sweep, fewest, target))
      return few;
  return shareTiles(demand, sweep, rows, target);
}

ScheduleAttr te::chooseCluster(MLIRContext *context, const TileDemand &demand,
                               const Target &target) {
  if (target.maxClusterWorkgroups < 2 || !canFormClusters(demand) ||
      ShapedType::isDynamic(demand.cols) || demand.loadedBytes < kWorthBytes)
    return nullptr;
  int64_t rows = std::max({demand.minRows, demand.unitRows, demand.linesRows});
  bool sumsDown = rows == 1 && demand.sumsColumns;
  int64_t waves = sumsDown ? kPersistentWaves : kBlockWaves,
          laneBytes = sumsDown ? kPersistentLaneBytes : kBlockLaneBytes;
  auto getWidth = [&] {
    return waves * target.waveSize * laneBytes / demand.inputBytes / rows;
  };
  while (sumsDown && waves < kBlockWaves &&
         getRowTiles(demand, getWidth()) > int64_t(target.maxClusterWorkgroups))
    waves *= 2;
  int64_t width = getWidth(),
          vector = target.maxAccessBytes / demand.inputBytes;
  if (rows > width || demand.rowsPerWave * waves > rows)
    return nullptr;
  auto get = [&](int64_t workgroups) {
    return ScheduleAttr::get(
        context, target.name, {rows, width}, waves, vector, SweepKind::None,
        {.workgroups = workgroups, .cluster = getRowTiles(demand, width)});
  };
  ScheduleAttr schedule = get(0);
  if (sumsDown) {
    ResourceEstimate resources = estimate(demand, get(1), target);
    int64_t perSIMD = getWavesPerSIMD(demand, get(1), target)
                          .value_or(target.occupancy(
                              resources.vgprs, resources.ldsBytes, waves));
    int64_t resident =
        target.computeUnits * target.simdsPerCU * perSIMD / waves;
    schedule = get(std::max<int64_t>((resident - resident / kUnfilledShare) /
                                         schedule.getGrid().getCluster(),
                                     1));
  }
  return schedule.getGrid().getCluster() > 1 &&
                 !findViolation(demand, schedule, target)
             ? schedule
             : nullptr;
}
