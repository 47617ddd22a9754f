//===- RowSplit.cpp - when workgroups share rows --------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/decisions/0015-row-split.md.
//
//===----------------------------------------------------------------------===//

#include "RowSplit.h"

#include "GemmSchedule.h"

#include "te/Target/Timing.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;

namespace {
/// Vector instructions that a pass over a row has for each element, about: a
/// conversion, a product and a sum, and what surrounds them.
constexpr double kInstructions = 10;
/// A kernel that does next to nothing takes as long as so many loads, one after
/// the other.
constexpr double kLeastLoads = 2;
} // namespace

/// Clocks in which one workgroup, alone on its CU, makes a pass over so many
/// elements: what it has in flight is one tile, or as much as the CU can ask
/// for, and nothing is loaded while it computes.
static double getClocks(const TileDemand &demand, ScheduleAttr schedule,
                        double elements, const Target &target,
                        const Timing &timing) {
  double tile = double(schedule.getTile()[0]) * schedule.getTile()[1];
  double perElement = demand.loadedBytes + demand.outputBytes;
  double inFlight = std::min(tile * perElement, double(timing.bytesInFlight));
  double loads = perElement * std::max(timing.getMemoryLatency() / inFlight,
                                       1.0 / timing.l1Bytes);
  double simds = std::min<double>(schedule.getWaves(), target.simdsPerCU);
  double vector =
      kInstructions * timing.issueClocks / (simds * target.waveSize);
  return elements * (loads + vector);
}

ScheduleAttr te::splitRows(const TileDemand &demand, ScheduleAttr whole,
                           ScheduleAttr swept, const Target &target) {
  const Timing *timing = Timing::lookup(target.name);
  if (!timing || !demand.sharesRows || ShapedType::isDynamic(demand.rows) ||
      ShapedType::isDynamic(demand.cols) || demand.rows == 0)
    return nullptr;
  auto getGroups = [&](ScheduleAttr schedule) {
    return int64_t(llvm::divideCeil(
        demand.rows, schedule.getTile()[0] * schedule.getGrid().getRowTiles()));
  };
  int64_t tiles = llvm::divideCeil(demand.cols, swept.getTile()[1]);
  int64_t most =
      std::min<int64_t>(tiles, target.computeUnits / getGroups(swept));
  int64_t cluster = whole.getGrid().getCluster();
  auto get = [&](int64_t splits) {
    return ScheduleAttr::get(swept.getContext(), target.name, swept.getTile(),
                             swept.getWaves(), swept.getVector(),
                             SweepKind::Reread, {.rowSplit = splits});
  };
  // What splits fold is combined in registers, in a tile of a power of two.
  while (most > 1 && getCombiningVGPRs(demand, get(most), target) >
                         getMostVGPRs(swept, target))
    most = llvm::PowerOf2Ceil(most) / 2;
  if (most < 2 || getGroups(whole) * cluster >= int64_t(target.computeUnits))
    return nullptr;
  // Splits of the same number of tiles.
  int64_t splits = llvm::divideCeil(tiles, llvm::divideCeil(tiles, most));
  double cols = demand.cols;
  auto getPass = [&](ScheduleAttr schedule, double columns) {
    int64_t rows =
        std::min(schedule.getTile()[0] * schedule.getGrid().getRowTiles(),
                 std::max(demand.rows, schedule.getTile()[0]));
    return getClocks(demand, schedule, rows * columns, target, *timing);
  };
  unsigned rereads =
      whole.getSweep() == SweepKind::Reread ? demand.rowStatistics : 0;
  double alone = (1 + rereads) * getPass(whole, cols / cluster);
  double pass = getPass(swept, cols / splits);
  double kernel =
      timing->getKernelGap() + kLeastLoads * timing->getMemoryLatency();
  double shared = pass + demand.rowStatistics * (pass + kernel);
  if (shared >= alone)
    return nullptr;
  return get(splits);
}

std::optional<std::string> te::findRowSplitViolation(const TileDemand &demand,
                                                     ScheduleAttr schedule,
                                                     const Target &target) {
  int64_t splits = schedule.getGrid().getRowSplit();
  if (splits == 1)
    return std::nullopt;
  auto because = [&](const llvm::Twine &why) {
    return ("row_split = " + llvm::Twine(splits) + ", but " + why + " (H16)")
        .str();
  };
  if (!demand.sharesRows)
    return because("this region computes nothing over rows, or what one "
                   "workgroup must (dscale, a rotation, several tensors); "
                   "leave it out");
  if (schedule.getSweep() != SweepKind::Reread)
    return because("a row that workgroups share is read again by the next "
                   "kernel; add sweep = reread");
  if (ShapedType::isDynamic(demand.cols))
    return because("the length of a row is not known, and so neither is how "
                   "many tiles a split has; make it static, or leave it out");
  int64_t width = schedule.getTile()[1],
          tiles = std::max<int64_t>(llvm::divideCeil(demand.cols, width), 1);
  if (splits > tiles)
    return because("a row has " + llvm::Twine(tiles) + " tiles of " +
                   llvm::Twine(width) +
                   " columns; use at most as many, or narrower tiles");
  unsigned needed = getCombiningVGPRs(demand, schedule, target),
           most = getMostVGPRs(schedule, target);
  if (needed > most)
    return because("the kernel that combines what they fold needs about " +
                   llvm::Twine(needed) + " VGPRs, and each of its waves has " +
                   llvm::Twine(most) + "; use fewer, or more waves");
  return std::nullopt;
}
