//===- ScheduleChoice.cpp - the default schedule of a region --------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionSchedule.h"
#include "Clusters.h"
#include "ContractionSchedule.h"
#include "GemmSchedule.h"
#include "RowSplit.h"
#include "TilePreferences.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;

namespace {
/// A tile grows so many times at most to hold a unit of the scales' order.
constexpr int64_t kMostGrowth = 4;
/// Rows that one row of partial sums stands for; where a workgroup sweeps
/// its rows, which are those of one tile. Twice as many where workgroups read
/// ahead, and so many a CU are left (measured on sm_90a).
constexpr int64_t kSummedRows = 128, kSweptSummedRows = 32,
                  kManyWorkgroups = 32;
/// The same where a tile holds whole rows, and so one column of workgroups must
/// fill the chip: at least so many, and more while it is still filled; fewer
/// where it is not, as long as those of one result are one byte in so many.
constexpr int64_t kWholeSummedRows = 64, kPartialShare = 20;
/// Of so many tiles that one row is kept in, at the most, half of the waves
/// that a workgroup usually has compute each. Measured on sm_90a.
constexpr int64_t kFewTiles = 3;
/// Bytes that an instruction asks L2 for ahead: usually; of long rows, and at
/// the most of norms that do nothing else and wait once; and at the least of
/// any norm that does nothing else. Measured on sm_90a.
constexpr int64_t kPrefetchBytes = 4096, kLongPrefetchBytes = 16 << 10,
                  kLeastNormBytes = 512;
/// Of norms that do nothing else the rows, longer than this, whose tiles are
/// all waves' work where L2 is asked ahead. Measured on sm_90a.
constexpr int64_t kLongerRow = 8 << 10;
/// Workgroups a CU that go down rows, at the least: one alone has nothing to
/// load while its waves wait for each other (measured on an H200).
constexpr int64_t kLeastResident = 4;
/// A row's tiles are narrower than the row, and kept, where a tile as wide as
/// the row would idle one lane in so many or more.
constexpr int64_t kIdleShare = 8;
} // namespace

/// No wider than the tensor, where its size is known.
static int64_t bound(int64_t wish, int64_t extent) {
  if (ShapedType::isDynamic(extent))
    return wish;
  return std::min<int64_t>(wish,
                           llvm::PowerOf2Ceil(std::max<int64_t>(extent, 1)));
}

/// The largest power of two that divides K.
static int64_t getDivisor(const TileDemand &demand) {
  return int64_t(1) << llvm::countr_zero(
             uint64_t(std::max<int64_t>(demand.cols, 1)));
}

/// Workgroups that the chip holds at once.
static int64_t getResident(const TileDemand &demand, ScheduleAttr schedule,
                           const Target &target) {
  ResourceEstimate resources = estimate(demand, schedule, target);
  int64_t waves =
      target.simdsPerCU * target.occupancy(resources.vgprs, resources.ldsBytes,
                                           schedule.getWaves());
  return std::max<int64_t>(waves / schedule.getWaves(), kLeastResident) *
         target.computeUnits;
}

namespace {
/// A workgroup's tile on its way.
struct Shape {
  int64_t rows, cols, waves, vector;

  ScheduleAttr toSchedule(MLIRContext *context, const Target &target,
                          int64_t rowTiles, int64_t workgroups) const {
    return ScheduleAttr::get(context, target.name, {rows, cols}, waves, vector,
                             SweepKind::None,
                             {.rowTiles = rowTiles, .workgroups = workgroups});
  }
};
} // namespace

/// Of as many bytes a lane as the chip prefers, or as much as scale blocks, the
/// order of scales and lines of what is stored ask for.
static Shape chooseShape(const TileDemand &demand, const Target &target,
                         bool wholeRows) {
  int64_t waves = fillsRows(demand, target) ? kMostTileWaves
                                            : int64_t(target.workgroupWaves);
  int64_t vector = target.maxAccessBytes / demand.inputBytes;
  unsigned widest = std::max(demand.inputBytes, demand.outputBytes);
  int64_t lanes = waves * target.waveSize;
  int64_t bytes =
      wholeRows ? getRowBytes(demand, target) : getTileBytes(demand, target);
  vector = std::clamp<int64_t>(bytes / widest, 1, vector);
  int64_t elements = std::max(lanes * bytes / widest, lanes * vector);
  int64_t minRows =
      std::max({demand.minRows, demand.linesRows, demand.rowsPerWave * waves});
  int64_t minCols = demand.minCols;
  bool fillsBoth = fillsBothLines(demand, target);
  if (fillsBoth)
    minCols = std::max(minCols, bound(kFP4Line, demand.cols));
  if (fillsBoth || (fillsFP4Rows(demand) && !demand.storesFP4ByRows))
    minRows = std::max(minRows, kFP4Line);
  if (demand.unitRows * demand.unitCols <= kMostGrowth * elements) {
    minRows = std::max(minRows, bound(demand.unitRows, demand.rows));
    minCols = std::max(minCols, bound(demand.unitCols, demand.cols));
  }
  int64_t cols = std::min<int64_t>(
      target.waveSize * target.maxAccessBytes / widest, elements / minRows);
  cols = std::max({bound(cols, demand.cols), minCols, vector});
  if (demand.readsHalves && !ShapedType::isDynamic(demand.cols))
    cols = std::min(cols, getDivisor(demand));
  if (fillsRows(demand, target))
    cols = std::max(cols, std::min(elements, getDivisor(demand)));
  if (wholeRows)
    cols = std::max<int64_t>(llvm::PowerOf2Ceil(demand.cols), cols);
  int64_t rows = std::max(elements / cols, minRows);
  rows = std::max({bound(rows, demand.rows), demand.minRows,
                   demand.rowsPerWave * waves, int64_t(1)});
  // Whole rows, and a tile that is larger for a unit of the scales' order, have
  // more waves.
  int64_t most = wholeRows ? target.maxWavesPerWorkgroup : kMostTileWaves;
  while (waves < most && rows * cols > (wholeRows ? 1 : 2) * elements &&
         rows >= demand.rowsPerWave * waves * 2) {
    waves *= 2;
    elements *= 2;
  }
  return {rows, cols, waves, vector};
}

/// So many workgroups a CU there are, and more.
static bool areMany(int64_t workgroups, const Target &target) {
  return workgroups >= kManyWorkgroups * int64_t(target.computeUnits);
}

/// The same of workgroups of so many rows; an unknown number may be many.
static bool mayBeMany(const TileDemand &demand, int64_t rows,
                      const Target &target) {
  return ShapedType::isDynamic(demand.rows) ||
         areMany(demand.rows / rows, target);
}

/// Where nothing is shared by rows, as many waves as a full access of a row
/// keeps busy: each reads its columns of gamma once.
static void spreadRows(MLIRContext *context, const TileDemand &demand,
                       const Target &target, Shape &shape) {
  auto get = [&](int64_t rows, int64_t waves, int64_t workgroups) {
    return Shape{rows, shape.cols, waves, shape.vector}.toSchedule(
        context, target, /*rowTiles=*/1, workgroups);
  };
  int64_t bytes = getRowBytes(demand, target);
  shape.rows =
      bound(std::max<int64_t>(target.waveSize * shape.vector / shape.cols, 1),
            demand.rows);
  unsigned wide = kWideVGPRs *
                  std::max<int64_t>(bytes, target.tileBytesPerLane) /
                  target.tileBytesPerLane;
  while (shape.waves < target.maxWavesPerWorkgroup &&
         estimate(demand, get(shape.rows, shape.waves, 0), target).vgprs > wide)
    shape.waves *= 2;
  // A few workgroups that sum all rows, and do not read ahead: each has in
  // flight what a CU has room for.
  auto getMoreWaves = [&] {
    return std::min<int64_t>(2 * shape.waves, target.maxWavesPerWorkgroup);
  };
  while (
      demand.sumsColumns && !target.prefetchesTiles &&
      bound(2 * shape.rows, demand.rows) > shape.rows &&
      !findViolation(demand, get(2 * shape.rows, getMoreWaves(), 1), target)) {
    shape.rows *= 2;
    shape.waves = getMoreWaves();
  }
}

/// Partial sums are written once for so many rows: a small part of the data.
static bool sumsEnoughRows(const TileDemand &demand, const Target &target,
                           const Shape &shape, int64_t summed,
                           bool isPersistent) {
  bool isKnown = !ShapedType::isDynamic(demand.rows);
  if (isKnown && summed >= demand.rows)
    return true;
  if (!isPersistent) {
    bool isMore =
        target.prefetchesTiles && isKnown && summed < 2 * kSummedRows &&
        !ShapedType::isDynamic(demand.cols) &&
        areMany(demand.rows / (2 * summed) * (demand.cols / shape.cols),
                target);
    return summed >= kSummedRows && !isMore;
  }
  // Partial sums are f32, and written and read.
  bool isSmall = summed * (demand.loadedBytes + demand.outputBytes) >=
                 kPartialShare * 2 * 4;
  int64_t groups = demand.rows / summed;
  if (summed < kWholeSummedRows)
    return isKnown && isSmall && groups <= target.computeUnits;
  return !isKnown || groups / 2 < target.computeUnits;
}

/// The tile of one workgroup: with `wholeRows` it holds whole rows.
static ScheduleAttr chooseTile(MLIRContext *context, const TileDemand &demand,
                               const Target &target, bool wholeRows) {
  Shape shape = chooseShape(demand, target, wholeRows);
  bool isPersistent = wholeRows && demand.columnBytes > 0 &&
                      !demand.mixesRows && !demand.dividesGrid &&
                      demand.minRows == 1 && !demand.reducesRows &&
                      demand.linesRows == 1;
  if (isPersistent)
    spreadRows(context, demand, target, shape);
  // No more waves than have a vector to load.
  while (shape.waves > 1 &&
         shape.waves * target.waveSize * shape.vector > shape.rows * shape.cols)
    shape.waves /= 2;
  int64_t rowTiles = 1;
  while (demand.sumsColumns && !demand.wholeColumns &&
         !sumsEnoughRows(demand, target, shape, shape.rows * rowTiles,
                         isPersistent))
    rowTiles *= 2;
  ScheduleAttr persistent = shape.toSchedule(context, target, rowTiles, 1);
  return shape.toSchedule(context, target, rowTiles,
                          isPersistent && target.prefersPersistent
                              ? getResident(demand, persistent, target)
                              : 0);
}

/// Tiles of a workgroup that sweeps along its rows, of the usual size or a
/// fraction of it: as many rows as a scale block or a sum over rows asks for,
/// else one where rows are long, or one a wave where their length is not known.
static ScheduleAttr chooseSweep(MLIRContext *context, const TileDemand &demand,
                                const Target &target, SweepKind sweep,
                                int64_t fraction = 1) {
  TileDemand part = demand;
  part.cols = ShapedType::kDynamic;
  ScheduleAttr tile = chooseTile(context, part, target, /*wholeRows=*/false);
  int64_t waves = tile.getWaves(), vector = tile.getVector();
  int64_t elements = tile.getTile()[0] * tile.getTile()[1] / fraction;
  // Along the rows of a scale block more waves walk, and keep more in flight.
  for (; sweep == SweepKind::Reread && demand.minRows > 1 &&
         waves < kMostTileWaves;
       waves *= 2)
    elements *= 2;
  int64_t rows =
      std::max({demand.minRows, demand.unitRows, demand.rowsPerWave * waves,
                demand.linesRows, demand.sumsColumns ? kSweptSummedRows : 1});
  if (ShapedType::isDynamic(demand.cols))
    rows = std::max(rows, waves);
  int64_t cols = std::max({elements / rows, demand.minCols, vector});
  if (demand.readsHalves)
    cols = std::min(cols, getDivisor(demand));
  return ScheduleAttr::get(context, target.name, {rows, cols}, waves, vector,
                           sweep);
}

/// Tiles of one row that divide it, kept: where whole rows would idle lanes,
/// and tiles are picked from registers for free as loops over them unroll.
static std::optional<ScheduleAttr> chooseDividing(MLIRContext *context,
                                                  const TileDemand &demand,
                                                  const Target &target) {
  int64_t padded = llvm::PowerOf2Ceil(demand.cols);
  int64_t vector = target.maxAccessBytes / demand.inputBytes;
  int64_t preferred = target.workgroupWaves * target.waveSize *
                      getTileBytes(demand, target) /
                      std::max(demand.inputBytes, demand.outputBytes);
  bool idles = (padded - demand.cols) * kIdleShare >= padded;
  int64_t cols = std::min(getDivisor(demand), preferred);
  if (target.hasRegisterIndexing || demand.sumsColumns || !idles ||
      cols < target.waveSize * vector)
    return std::nullopt;
  auto get = [&](int64_t waves) {
    return ScheduleAttr::get(context, target.name, {1, cols}, waves, vector,
                             SweepKind::Keep);
  };
  int64_t waves = std::min<int64_t>(target.workgroupWaves,
                                    cols / (target.waveSize * vector));
  // Fewer waves wait less for each other, where one still holds its share, and
  // there are many workgroups.
  bool isShort = demand.cols <= kFewTiles * cols &&
                 demand.loadedBytes <= demand.inputBytes &&
                 !(isNormAlone(demand) && target.aheadBytes > 0 &&
                   demand.cols * demand.inputBytes > kLongerRow &&
                   mayBeMany(demand, /*rows=*/1, target));
  if (ScheduleAttr few = get(std::max<int64_t>(waves / 2, 1));
      isShort && !findViolation(demand, few, target))
    return few;
  return get(waves);
}

/// A tile that there are not enough registers for, with fewer columns, and then
/// rows, until there are, or lanes hold what they prefer, or it is the least
/// that scale blocks ask for.
static ScheduleAttr shrink(const TileDemand &demand, ScheduleAttr schedule,
                           const Target &target) {
  int64_t rows = schedule.getTile()[0], cols = schedule.getTile()[1];
  int64_t leastRows = std::max(demand.minRows,
                               demand.rowsPerWave * schedule.getWaves()),
          leastCols = std::max(demand.minCols, schedule.getVector());
  int64_t least = schedule.getWaves() * target.waveSize *
                  target.tileBytesPerLane /
                  std::max(demand.inputBytes, demand.outputBytes);
  while (rows * cols > least && findViolation(demand, schedule, target)) {
    if (cols / 2 >= leastCols)
      cols /= 2;
    else if (rows / 2 >= leastRows)
      rows /= 2;
    else
      break;
    schedule = schedule.withTile({rows, cols});
  }
  return schedule;
}

/// The schedule in which each workgroup has its rows to itself.
static ScheduleAttr chooseAlone(MLIRContext *context, const TileDemand &demand,
                                const Target &target) {
  auto fits = [&](ScheduleAttr schedule) {
    return !findViolation(demand, schedule, target);
  };
  bool known = !ShapedType::isDynamic(demand.cols);
  ScheduleAttr whole =
      chooseTile(context, demand, target, demand.wholeRows && known);
  if (!demand.wholeRows || demand.mixesRows)
    return fits(whole) ? whole : shrink(demand, whole, target);
  if (known && demand.keptBytes > 0)
    if (std::optional<ScheduleAttr> dividing =
            chooseDividing(context, demand, target);
        dividing && fits(*dividing))
      return *dividing;
  // Workgroups that sum all rows: small ones hide each other's waiting.
  if (demand.sumsColumns)
    if (ScheduleAttr cluster = chooseCluster(context, demand, target))
      return cluster;
  if (fits(whole))
    return whole;
  for (int64_t fraction : {1, 2}) {
    ScheduleAttr kept =
        chooseSweep(context, demand, target, SweepKind::Keep, fraction);
    if (demand.keptBytes > 0 && fits(kept))
      return kept;
  }
  if (ScheduleAttr cluster = chooseCluster(context, demand, target))
    return cluster;
  ScheduleAttr reread = chooseSweep(context, demand, target, SweepKind::Reread);
  ScheduleAttr shared = shareSweep(demand, reread, target);
  return shared ? shared : reread;
}

/// With what L2 is asked for meanwhile, where workgroups wait for their rows,
/// and many follow. Not where fp4 is computed, or scales that lie column by
/// column, or a third thing is waited for, which take longer than memory does,
/// nor where tiles of a row are kept while it is quantized.
static ScheduleAttr askAhead(const TileDemand &demand, ScheduleAttr schedule,
                             const Target &target) {
  int64_t rows = schedule.getTile()[0];
  bool isAlone = isNormAlone(demand),
       readsOnce = demand.loadedBytes == demand.inputBytes,
       waits = demand.rowStatistics > 0 && !demand.mixesRows &&
               demand.cols > 0 && !demand.storesFP4ByRows &&
               (isAlone || !readsOnce ||
                (schedule.getSweep() == SweepKind::None &&
                 !demand.scalesByCols && demand.rowWaits <= 2));
  if (!waits || target.aheadBytes == 0 || !mayBeMany(demand, rows, target))
    return schedule;
  int64_t row = demand.cols * demand.inputBytes;
  bool isLong = readsOnce && row % kLongPrefetchBytes == 0;
  int64_t ahead = target.aheadBytes * target.computeUnits /
                  (rows * demand.cols * demand.loadedBytes);
  if (isAlone || isLong) // one a CU, or two
    ahead = std::max<int64_t>(ahead, target.computeUnits * (isAlone ? 1 : 2));
  bool isWhole = isLong || (isAlone && demand.rowWaits == 1);
  int64_t bytes =
      std::min(row & -row, isWhole ? kLongPrefetchBytes : kPrefetchBytes);
  if (bytes < (isAlone ? kLeastNormBytes : kPrefetchBytes))
    return schedule;
  Grid grid = schedule.getGrid().toGrid();
  grid.l2PrefetchDistance = std::max<int64_t>(ahead, 1);
  grid.l2PrefetchBytes = bytes;
  ScheduleAttr asking = schedule.withGrid(grid);
  return findViolation(demand, asking, target) ? schedule : asking;
}

ScheduleAttr te::chooseSchedule(MLIRContext *context, const TileDemand &demand,
                                const Target &target) {
  if (demand.gemm)
    return chooseGemmSchedule(context, demand, target);
  if (demand.attention)
    return chooseAttentionSchedule(context, demand, target);
  if (demand.contraction)
    return chooseContractionSchedule(context, demand, target);
  ScheduleAttr alone = chooseAlone(context, demand, target);
  alone = askAhead(demand, alone, target);
  if (!demand.sharesRows)
    return alone;
  ScheduleAttr shared = splitRows(
      demand, alone, chooseSweep(context, demand, target, SweepKind::Reread),
      target);
  return shared && !findViolation(demand, shared, target) ? shared : alone;
}
