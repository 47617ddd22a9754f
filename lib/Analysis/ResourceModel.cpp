//===- ResourceModel.cpp - what a schedule costs --------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Analysis/ResourceModel.h"

#include "Clusters.h"
#include "GemmSchedule.h"
#include "Pieces.h"

#include "te/Dialect/Tile/IR/LinearLayout.h"
#include "te/Target/Timing.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;

namespace {
/// A tile grows so many times at most to hold a unit of the scales' order.
constexpr int64_t kMostGrowth = 4;
/// Waves that a tile which does not hold whole rows has at the most.
constexpr int64_t kMostTileWaves = 8;
/// Rows that one row of partial sums stands for; where a workgroup walks along
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
/// Bytes of a tile that a lane holds, at the most, where elements are rotated:
/// angles are read as well. Measured on sm_90a; by the cycle model on the
/// others.
constexpr int64_t kRotatedBytes = 32;
/// Waves a SIMD of clusters that walk down rows, where registers suffice.
constexpr int64_t kClusterWaves = 4;
/// Numbers a row that a cluster's workgroups exchange at once, at the most.
constexpr unsigned kMostTogether = 2;
/// Rows of a workgroup that normalizes them and does nothing else, at the most.
/// Measured on sm_90a.
constexpr int64_t kMostNormRows = 4;
/// Registers that picking from kept tiles takes.
constexpr unsigned kPickVGPRs = 28;
/// The part of LDS, one in so many, that staged columns take at most.
constexpr int64_t kStagedShare = 2;
/// Workgroups a CU that walk down rows, at the least: one alone has nothing to
/// load while its waves wait for each other (measured on an H200).
constexpr int64_t kLeastResident = 4;
/// Registers a lane from which on a row is better spread over more waves, where
/// lanes hold as much of a row as of another tile; else as many times that.
constexpr unsigned kWideVGPRs = 128;
/// A row's tiles are narrower than the row, and kept, where a tile as wide as
/// the row would idle one lane in so many or more.
constexpr int64_t kIdleShare = 8;
/// VGPRs beside the tile: addresses, scales, temporaries of the conversions.
constexpr unsigned kBaseVGPRs = 40;
/// Beside those, where the pitch of transposed data is not known.
constexpr unsigned kPitchVGPRs = 4;
/// Of which a loop that reads ahead can do without.
constexpr unsigned kSpareVGPRs = 16;
} // namespace

/// LDS of a reduction of f32 blocks of a tile that is loaded as it lies: none
/// where no block is shared by waves.
static int64_t getReductionBytes(ScheduleAttr schedule, const Target &target,
                                 ArrayRef<int64_t> block) {
  auto from = tile::LinearLayout::rowMajor(
      schedule.getTile(), schedule.getVector(), llvm::Log2_32(target.waveSize),
      llvm::Log2_64(schedule.getWaves()));
  tile::LinearLayout to = from.project(block);
  constexpr auto wave = tile::LayoutInput::Wave;
  if (from.getBases(wave) == to.getBases(wave))
    return 0;
  return to.getNumRegisters() * target.waveSize * schedule.getWaves() * 4;
}

unsigned te::getMostVGPRs(ScheduleAttr schedule, const Target &target) {
  unsigned perSIMD = llvm::divideCeil(schedule.getWaves(), target.simdsPerCU);
  return std::min(target.vgprsAddressable, target.vgprsPerLane / perSIMD);
}

int64_t te::getTurnBytes(int64_t waves, const Target &target) {
  int64_t workgroups = target.maxWavesPerSIMD * target.simdsPerCU / waves;
  int64_t each = target.ldsBytes / std::max<int64_t>(workgroups, 1);
  return (std::min<int64_t>(each, target.ldsBytesPerWorkgroup) -
          target.ldsReserved) /
         2;
}

/// Elements of fp4 that fill a line.
constexpr int64_t kFP4Line = 2 * kStoreBytes;

/// Tiles that hold parts of rows fill lines of fp4 data that are stored (K, M),
/// where there are as many rows.
static bool fillsFP4Rows(const TileDemand &demand) {
  return demand.storesFP4ByCols && !demand.wholeRows &&
         (ShapedType::isDynamic(demand.rows) || demand.rows > kFP4Line / 2);
}

/// They go both ways: tiles fill lines of both, where lanes then hold no more
/// than twice what they prefer, and registers suffice.
static bool fillsBothLines(const TileDemand &demand, const Target &target) {
  int64_t elements = kFP4Line * kFP4Line / (kMostTileWaves * target.waveSize);
  int64_t widest = std::max(demand.inputBytes, demand.outputBytes);
  return fillsFP4Rows(demand) && demand.storesFP4ByRows &&
         elements * widest <= 2 * target.tileBytesPerLane &&
         elements * demand.liveBytes <= 4 * kWideVGPRs;
}

ResourceEstimate te::estimate(const TileDemand &demand, ScheduleAttr schedule,
                              const Target &target) {
  if (schedule.getMatmul() && demand.gemm)
    return estimateGemm(demand, schedule, target);
  int64_t elements = schedule.getTile()[0] * schedule.getTile()[1];
  int64_t lanes = schedule.getWaves() * target.waveSize;
  ResourceEstimate result;
  result.elementsPerLane = std::max<int64_t>(elements / lanes, 1);
  // What is packed, and two working copies of one vector: in f32, but for fp4
  // of bf16 where the chip computes in that.
  int64_t live = demand.liveBytes;
  int64_t working = demand.inputBytes == 2 && demand.amaxBytes == 2 &&
                            fillsBothLines(demand, target) &&
                            target.hasPackedBF16
                        ? 2
                        : 4;
  // What is f32 is computed again behind an exchange of a cluster's workgroups
  // (but for sums), and results are stored as they are made.
  bool holds =
      schedule.getCluster() > 1 && schedule.getSweep() == SweepKind::None;
  if (holds)
    live = demand.sumsColumns
               ? live - demand.statisticBytes - demand.outputBytes
               : std::max(demand.keptBytes, demand.inputBytes);
  bool inLds =
      schedule.getCluster() > 1 && schedule.getSweep() == SweepKind::Keep;
  if (inLds) // what LDS has is taken when it is read
    live = std::max(demand.keptBytes, demand.inputBytes) + demand.outputBytes;
  int64_t bytes =
      result.elementsPerLane * live + 2 * working * schedule.getVector();
  if (inLds) // of the next tile, too
    bytes += schedule.getVector() * int64_t(demand.columnBytes);
  if (schedule.getSweep() == SweepKind::Keep && !inLds)
    bytes += llvm::divideCeil(demand.cols, schedule.getTile()[1]) *
                 result.elementsPerLane * demand.keptBytes +
             result.elementsPerLane * demand.columnBytes + kPickVGPRs * 4;
  if (schedule.getRowTiles() > 1 || schedule.getWorkgroups() > 0)
    bytes += result.elementsPerLane * demand.columnBytes;
  result.vgprs = kBaseVGPRs + llvm::divideCeil(bytes, 4);
  bool loops = schedule.getRowTiles() > 1 || schedule.getWorkgroups() > 0 ||
               schedule.getSweep() == SweepKind::Reread || inLds;
  unsigned ahead =
      llvm::divideCeil(result.elementsPerLane * demand.loadedBytes, 4);
  unsigned most = getMostVGPRs(schedule, target);
  if (inLds) {
    unsigned share =
        ahead * llvm::divideCeil(getRowTiles(demand, schedule.getTile()[1]),
                                 schedule.getCluster());
    result.readsShare = result.vgprs + share <= most + kSpareVGPRs;
  }
  result.prefetches = target.prefetchesTiles && loops && result.vgprs <= most &&
                      result.vgprs + ahead <= most + kSpareVGPRs;
  if (result.prefetches)
    result.vgprs = std::min(result.vgprs + ahead, most);
  // LDS: partial reductions (one f32 a lane and register of the reduced tile),
  // the packed scales, and the whole output tile where it is reordered.
  int64_t lds = 0;
  bool isPacked = schedule.getCluster() > 1 && target.hasPackedBF16;
  if (demand.reducesRows)
    lds = schedule.getTile()[1] * schedule.getWaves() *
          (isPacked ? demand.amaxBytes : 4);
  if (demand.sumsColumns)
    lds = std::max(
        lds, getReductionBytes(schedule, target, {schedule.getTile()[0], 1}));
  if (demand.wholeRows)
    lds = std::max(
        lds, getReductionBytes(schedule, target, {1, schedule.getTile()[1]}));
  if (demand.reorders)
    lds = std::max(lds,
                   elements * std::min(demand.outputBytes, demand.inputBytes));
  lds = std::max(lds, elements * demand.exchangedBytes);
  lds = std::max<int64_t>(lds, lanes * 4);
  // A kernel that keeps tiles in LDS has one area, others two in turns.
  if (int64_t turn = getTurnBytes(schedule.getWaves(), target);
      !inLds && (schedule.getCluster() == 1 || lds <= turn))
    lds = std::max(lds, 2 * std::min(lds, turn));
  if (inLds)
    lds += llvm::divideCeil(getRowTiles(demand, schedule.getTile()[1]),
                            schedule.getCluster()) *
           elements * demand.keptBytes;
  if (schedule.getCluster() > 1)
    lds += 2 * (8 + schedule.getCluster() *
                        std::min(kMostTogether, demand.rowNumbers) *
                        schedule.getTile()[0] * 4);
  result.ldsBytes =
      lds + getStagedColumns(demand, schedule, target) * demand.columnBytes;
  return result;
}

int64_t te::getStagedColumns(const TileDemand &demand, ScheduleAttr schedule,
                             const Target &target) {
  int64_t cols = schedule.getTile()[1];
  if (schedule.getSweep() == SweepKind::None || demand.columnBytes == 0 ||
      schedule.getPieces() > 1 || schedule.getCluster() > 1 ||
      ShapedType::isDynamic(demand.cols) ||
      cols >= schedule.getWaves() * target.waveSize * schedule.getVector())
    return 0;
  int64_t row = llvm::PowerOf2Ceil(
      std::max<int64_t>(llvm::alignTo(demand.cols, demand.coverCols), cols));
  return row * demand.columnBytes <= target.ldsBytesPerWorkgroup / kStagedShare
             ? row
             : 0;
}

/// Bytes of a tile that a lane holds by preference, of the wider of input and
/// output.
static int64_t getTileBytes(const TileDemand &demand, const Target &target) {
  if (demand.readsHalves) // which a lane holds both of
    return demand.reducesRows ? target.halvesBytesPerLane
                              : target.tileBytesPerLane / 2;
  if (demand.mixesRows)
    return std::min<int64_t>(target.tileBytesPerLane, kRotatedBytes);
  // Waves that wait for each other are better few.
  if (demand.sharesRows && demand.minRows == 1 && !demand.sumsColumns)
    return target.freeBytesPerLane;
  if (demand.wholeRows || demand.unitRows > 1 || fillsBothLines(demand, target))
    return target.tileBytesPerLane;
  int64_t widest = std::max(demand.inputBytes, demand.outputBytes);
  return std::max<int64_t>(target.tileBytesPerLane,
                           target.freeBytesPerLane * widest /
                               std::max<int64_t>(demand.loadedBytes, widest));
}

std::optional<int64_t> te::getWavesPerSIMD(const TileDemand &demand,
                                           ScheduleAttr schedule,
                                           const Target &target) {
  ResourceEstimate resources = estimate(demand, schedule, target);
  int64_t least = llvm::divideCeil(schedule.getWaves(), target.simdsPerCU);
  // Pitches of what is stored (K, M) are numbers of their own.
  if (demand.linesRows > 1 && ShapedType::isDynamic(demand.rows))
    resources.vgprs += kPitchVGPRs;
  auto suffices = [&](int64_t waves) {
    return resources.vgprs <= target.vgprsPerLane / waves + kSpareVGPRs;
  };
  // All clusters that walk are there at once, or some begin when others end.
  if (int64_t waves = std::max(kClusterWaves, least);
      schedule.getCluster() > 1 && schedule.getWorkgroups() > 0 &&
      suffices(waves))
    return waves;
  int64_t bytes = resources.elementsPerLane *
                  std::max(demand.inputBytes, demand.outputBytes);
  bool isLarge = bytes > getTileBytes(demand, target);
  // Of those whose rows LDS holds, and of large tiles that wait for nothing but
  // memory, as many are there as it has room for. Unknown pitches would spill.
  if ((schedule.getCluster() > 1 && schedule.getSweep() == SweepKind::Keep) ||
      (isLarge && fillsBothLines(demand, target) &&
       !ShapedType::isDynamic(demand.cols)))
    for (int64_t workgroups =
             target.ldsBytes / (resources.ldsBytes + target.ldsReserved);
         workgroups > 1; --workgroups)
      if (suffices(least * workgroups))
        return least * workgroups;
  int64_t most = target.occupancy(resources.vgprs, resources.ldsBytes,
                                  schedule.getWaves());
  if (most < 2 * least)
    return least;
  return isLarge ? std::optional(2 * least) : std::nullopt;
}

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

/// The tile of one workgroup: with `wholeRows` it holds whole rows.
static ScheduleAttr chooseTile(MLIRContext *context, const TileDemand &demand,
                               const Target &target, bool wholeRows) {
  int64_t waves = target.workgroupWaves;
  int64_t vector = target.maxAccessBytes / demand.inputBytes;
  unsigned widest = std::max(demand.inputBytes, demand.outputBytes);
  int64_t lanes = waves * target.waveSize;
  int64_t bytes = getTileBytes(demand, target);
  int64_t elements = lanes * bytes / widest;
  vector = std::clamp<int64_t>(bytes / widest, 1, vector);
  elements = std::max(elements, lanes * vector);
  int64_t minRows = std::max(demand.minRows, demand.linesRows);
  minRows = std::max(minRows, demand.rowsPerWave * waves);
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
  if (wholeRows)
    cols = std::max<int64_t>(llvm::PowerOf2Ceil(demand.cols), cols);
  int64_t rows = std::max(elements / cols, minRows);
  rows = std::max({bound(rows, demand.rows), demand.minRows,
                   demand.rowsPerWave * waves, int64_t(1)});
  while (wholeRows && waves < target.maxWavesPerWorkgroup &&
         rows * cols > elements && rows >= demand.rowsPerWave * waves * 2) {
    waves *= 2;
    elements *= 2;
  }
  // A tile that is larger for a unit of the scales' order has more waves.
  for (; !wholeRows && waves < kMostTileWaves && rows * cols > 2 * elements &&
         rows >= demand.rowsPerWave * waves * 2;
       waves *= 2)
    elements *= 2;
  // Where nothing is shared by rows, as many waves as a full access of a row
  // keeps busy: each reads its columns of gamma once.
  bool walks = wholeRows && demand.columnBytes > 0 && !demand.mixesRows &&
               !demand.dividesGrid && demand.minRows == 1 &&
               !demand.reducesRows && demand.linesRows == 1;
  if (walks) {
    rows = std::max<int64_t>(target.waveSize * vector / cols, 1);
    rows = bound(rows, demand.rows);
    auto get = [&](int64_t rows, int64_t waves, int64_t workgroups) {
      return ScheduleAttr::get(context, target.name, {rows, cols}, waves,
                               vector, /*row_tiles=*/1, workgroups,
                               SweepKind::None, /*pieces=*/1, /*cluster=*/1,
                               MatmulAttr());
    };
    unsigned wide =
        kWideVGPRs * getTileBytes(demand, target) / target.tileBytesPerLane;
    while (waves < target.maxWavesPerWorkgroup &&
           estimate(demand, get(rows, waves, 0), target).vgprs > wide)
      waves *= 2;
    // Of norms alone, workgroups are larger where many are left.
    int64_t full = kMostTileWaves * target.waveSize * bytes / (widest * cols);
    bool isAlone = demand.rowStatistics == 1 &&
                   demand.outputBytes >= demand.inputBytes &&
                   demand.loadedBytes == demand.inputBytes;
    if (isAlone && !target.walksRows && full > rows && full <= kMostNormRows &&
        demand.rows / full >= kManyWorkgroups * int64_t(target.computeUnits) &&
        !findViolation(demand, get(full, kMostTileWaves, 0), target)) {
      rows = full;
      waves = kMostTileWaves;
    }
    // A few workgroups that sum all rows, and do not read ahead: each has in
    // flight what a CU has room for.
    auto getMoreWaves = [&] {
      return std::min<int64_t>(2 * waves, target.maxWavesPerWorkgroup);
    };
    while (demand.sumsColumns && !target.prefetchesTiles &&
           bound(2 * rows, demand.rows) > rows &&
           !findViolation(demand, get(2 * rows, getMoreWaves(), 1), target)) {
      rows *= 2;
      waves = getMoreWaves();
    }
  }
  // No more waves than have a vector to load.
  while (waves > 1 && waves * target.waveSize * vector > rows * cols)
    waves /= 2;
  // Partial sums are written once for so many rows: a small part of the data.
  int64_t rowTiles = 1;
  bool isKnown = !ShapedType::isDynamic(demand.rows);
  auto isGrown = [&] {
    int64_t summed = rows * rowTiles;
    if (isKnown && summed >= demand.rows)
      return true;
    if (!walks) {
      bool isMore = target.prefetchesTiles && isKnown &&
                    summed < 2 * kSummedRows &&
                    !ShapedType::isDynamic(demand.cols) &&
                    demand.rows / (2 * summed) * (demand.cols / cols) >=
                        kManyWorkgroups * target.computeUnits;
      return summed >= kSummedRows && !isMore;
    }
    // Partial sums are f32, and written and read.
    bool isSmall = summed * (demand.loadedBytes + demand.outputBytes) >=
                   kPartialShare * 2 * 4;
    int64_t groups = demand.rows / summed;
    if (summed < kWholeSummedRows)
      return isKnown && isSmall && groups <= target.computeUnits;
    return !isKnown || groups / 2 < target.computeUnits;
  };
  while (demand.sumsColumns && !demand.wholeColumns && !isGrown())
    rowTiles *= 2;
  auto schedule = [&](int64_t workgroups) {
    return ScheduleAttr::get(context, target.name, {rows, cols}, waves, vector,
                             rowTiles, workgroups, SweepKind::None,
                             /*pieces=*/1, /*cluster=*/1, MatmulAttr());
  };
  return schedule(
      walks && target.walksRows ? getResident(demand, schedule(1), target) : 0);
}

/// Tiles of a workgroup that walks along its rows, of the usual size or a
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
                           /*row_tiles=*/1, /*workgroups=*/0, sweep,
                           /*pieces=*/1, /*cluster=*/1, MatmulAttr());
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
                             /*row_tiles=*/1, /*workgroups=*/0, SweepKind::Keep,
                             /*pieces=*/1, /*cluster=*/1, MatmulAttr());
  };
  int64_t waves = std::min<int64_t>(target.workgroupWaves,
                                    cols / (target.waveSize * vector));
  // Fewer waves wait less for each other, where one still holds its share.
  bool isShort = demand.cols <= kFewTiles * cols &&
                 demand.loadedBytes <= demand.inputBytes;
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
    schedule = ScheduleAttr::get(
        schedule.getContext(), target.name, {rows, cols}, schedule.getWaves(),
        schedule.getVector(), schedule.getRowTiles(), schedule.getWorkgroups(),
        schedule.getSweep(), schedule.getPieces(), schedule.getCluster(),
        schedule.getMatmul());
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

ScheduleAttr te::chooseSchedule(MLIRContext *context, const TileDemand &demand,
                                const Target &target) {
  if (demand.gemm)
    return chooseGemmSchedule(context, demand, target);
  ScheduleAttr alone = chooseAlone(context, demand, target);
  if (!demand.sharesRows)
    return alone;
  ScheduleAttr shared = sharePieces(
      demand, alone, chooseSweep(context, demand, target, SweepKind::Reread),
      target);
  return shared && !findViolation(demand, shared, target) ? shared : alone;
}
