//===- ResourceModel.cpp - what a schedule costs --------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Schedule/ResourceModel.h"

#include "AttentionSchedule.h"
#include "Clusters.h"
#include "ContractionSchedule.h"
#include "GemmSchedule.h"
#include "RowSplit.h"
#include "TilePreferences.h"

#include "te/Dialect/Tile/IR/LinearLayout.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;

namespace {
/// Waves a SIMD of clusters that go down rows, where registers suffice.
constexpr int64_t kClusterWaves = 4;
/// Numbers a row that a cluster's workgroups exchange at once, at the most.
constexpr unsigned kMostTogether = 2;
/// Registers that picking from kept tiles takes.
constexpr unsigned kPickVGPRs = 28;
/// The part of LDS, one in so many, that staged columns take at most.
constexpr int64_t kStagedShare = 2;
/// VGPRs next to the tile: addresses, scales, temporaries of the conversions.
constexpr unsigned kBaseVGPRs = 40;
/// Of which a loop that reads ahead can do without.
constexpr unsigned kSpareVGPRs = 16;
/// Next to those, where the pitch of transposed data is not known.
constexpr unsigned kPitchVGPRs = 4;
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

unsigned te::getCombiningVGPRs(const TileDemand &demand, ScheduleAttr schedule,
                               const Target &target) {
  int64_t splits = schedule.getGrid().getRowSplit();
  if (splits == 1)
    return 0;
  int64_t elements =
      schedule.getTile()[0] * int64_t(llvm::PowerOf2Ceil(splits));
  return kBaseVGPRs +
         llvm::divideCeil(elements, schedule.getWaves() * target.waveSize) *
             (demand.rowNumbers + 1);
}

unsigned te::getMostVGPRs(ScheduleAttr schedule, const Target &target) {
  unsigned perSIMD = llvm::divideCeil(schedule.getWaves(), target.simdsPerCU);
  return std::min(target.vgprsAddressable, target.vgprsPerLane / perSIMD);
}

int64_t te::getScratchBytes(int64_t waves, const Target &target) {
  int64_t workgroups = target.maxWavesPerSIMD * target.simdsPerCU / waves;
  int64_t each = target.ldsBytes / std::max<int64_t>(workgroups, 1);
  return (std::min<int64_t>(each, target.ldsBytesPerWorkgroup) -
          target.ldsReserved) /
         2;
}

int64_t te::getResidentBytes(ScheduleAttr schedule, const Target &target) {
  int64_t residents = schedule.getGrid().getResidents();
  if (residents == 0)
    return 0;
  int64_t fits = target.ldsBytes / (residents + 1) - target.ldsReserved;
  return llvm::alignTo(std::max<int64_t>(fits, 0) + 1, target.maxAccessBytes);
}

ResourceEstimate te::estimate(const TileDemand &demand, ScheduleAttr schedule,
                              const Target &target) {
  if (schedule.getMatmul() && demand.gemm)
    return estimateGemm(getSplitDemand(demand, schedule), schedule, target);
  if (schedule.getMatmul() && demand.attention)
    return estimateAttention(demand, schedule, target);
  if (schedule.getMatmul() && demand.contraction)
    return estimateContraction(demand, schedule, target);
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
  // What is f32 is computed again after an exchange of a cluster's workgroups
  // (but for sums), and results are stored as they are made.
  bool holds = schedule.getGrid().getCluster() > 1 &&
               schedule.getSweep() == SweepKind::None;
  if (holds)
    live = demand.sumsColumns
               ? live - demand.statisticBytes - demand.outputBytes
               : std::max(demand.keptBytes, demand.inputBytes);
  bool inLds = schedule.getGrid().getCluster() > 1 &&
               schedule.getSweep() == SweepKind::Keep;
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
  if (schedule.getGrid().getRowTiles() > 1 ||
      schedule.getGrid().getWorkgroups() > 0)
    bytes += result.elementsPerLane * demand.columnBytes;
  result.vgprs = kBaseVGPRs + llvm::divideCeil(bytes, 4);
  bool loops = schedule.getGrid().getRowTiles() > 1 ||
               schedule.getGrid().getWorkgroups() > 0 ||
               schedule.getSweep() == SweepKind::Reread || inLds;
  unsigned ahead =
      llvm::divideCeil(result.elementsPerLane * demand.loadedBytes, 4);
  unsigned most = getMostVGPRs(schedule, target);
  if (inLds) {
    unsigned share =
        ahead * llvm::divideCeil(getRowTiles(demand, schedule.getTile()[1]),
                                 schedule.getGrid().getCluster());
    result.readsShare = result.vgprs + share <= most + kSpareVGPRs;
  }
  result.prefetches = target.prefetchesTiles && loops && result.vgprs <= most &&
                      result.vgprs + ahead <= most + kSpareVGPRs;
  if (result.prefetches)
    result.vgprs = std::min(result.vgprs + ahead, most);
  result.vgprs =
      std::max(result.vgprs, getCombiningVGPRs(demand, schedule, target));
  // LDS: partial reductions (one f32 a lane and register of the reduced tile),
  // the packed scales, and the whole output tile where it is reordered.
  int64_t lds = 0;
  bool isPacked = schedule.getGrid().getCluster() > 1 && target.hasPackedBF16;
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
  // A kernel that keeps tiles in LDS has one area, others two, used
  // alternately.
  if (int64_t scratch = getScratchBytes(schedule.getWaves(), target);
      !inLds && (schedule.getGrid().getCluster() == 1 || lds <= scratch))
    lds = std::max(lds, 2 * std::min(lds, scratch));
  if (inLds)
    lds += llvm::divideCeil(getRowTiles(demand, schedule.getTile()[1]),
                            schedule.getGrid().getCluster()) *
           elements * demand.keptBytes;
  if (schedule.getGrid().getCluster() > 1)
    lds += 2 * (8 + schedule.getGrid().getCluster() *
                        std::min(kMostTogether, demand.rowNumbers) *
                        schedule.getTile()[0] * 4);
  lds += getStagedColumns(demand, schedule, target) * demand.columnBytes;
  result.ldsBytes = std::max<int64_t>(lds, getResidentBytes(schedule, target));
  return result;
}

int64_t te::getStagedColumns(const TileDemand &demand, ScheduleAttr schedule,
                             const Target &target) {
  int64_t cols = schedule.getTile()[1];
  if (schedule.getSweep() == SweepKind::None || demand.columnBytes == 0 ||
      schedule.getGrid().getRowSplit() > 1 ||
      schedule.getGrid().getCluster() > 1 ||
      ShapedType::isDynamic(demand.cols) ||
      cols >= schedule.getWaves() * target.waveSize * schedule.getVector())
    return 0;
  int64_t row = llvm::PowerOf2Ceil(
      std::max<int64_t>(llvm::alignTo(demand.cols, demand.coverCols), cols));
  return row * demand.columnBytes <= target.ldsBytesPerWorkgroup / kStagedShare
             ? row
             : 0;
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
  // All workgroups that compute tiles of a product one after another are there
  // at once.
  if (int64_t workgroups = schedule.getGrid().getWorkgroups();
      workgroups && schedule.getMatmul())
    return std::max<int64_t>(llvm::divideCeil(workgroups, target.computeUnits) *
                                 schedule.getWaves() / target.simdsPerCU,
                             least);
  // All clusters that walk are there at once, or some begin when others end.
  if (int64_t waves = std::max(kClusterWaves, least);
      schedule.getGrid().getCluster() > 1 &&
      schedule.getGrid().getWorkgroups() > 0 && suffices(waves))
    return waves;
  int64_t bytes = resources.elementsPerLane *
                  std::max(demand.inputBytes, demand.outputBytes);
  bool isLarge = bytes > getTileBytes(demand, target);
  // Of those whose rows LDS holds, of halves whose waves meet for each column,
  // and of large tiles that wait for nothing but memory, as many are there as
  // it has room for. Unknown pitches would spill.
  if ((schedule.getGrid().getCluster() > 1 &&
       schedule.getSweep() == SweepKind::Keep) ||
      (demand.readsHalves && demand.reducesRows) ||
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
  // Small workgroups spread well by themselves, but for clusters, which come
  // whole or not at all.
  bool isAsked = isLarge && (least > 1 || schedule.getGrid().getCluster() > 1);
  return isAsked ? std::optional(2 * least) : std::nullopt;
}
