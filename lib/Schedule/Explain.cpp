//===- Explain.cpp - schedules in words -----------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionSchedule.h"
#include "ContractionSchedule.h"
#include "GemmSchedule.h"
#include "Roofline.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace mlir::te;

/// What the tile's columns are of a row, which a cluster's workgroups share.
static void explainShare(llvm::raw_ostream &os, ScheduleAttr schedule) {
  if (schedule.getSweep() == SweepKind::None) {
    os << "are a workgroup's part of a row, which "
       << schedule.getGrid().getCluster()
       << " of a cluster hold together, as the registers of one do not: what "
          "is computed over the row goes between them, and it is read once";
    return;
  }
  os << "are what a wave reads in consecutive accesses, of a row that "
     << schedule.getGrid().getCluster()
     << " workgroups of a cluster share, as the registers of one do not hold "
        "it: what is computed over the row goes between them, and each "
     << (schedule.getSweep() == SweepKind::Keep
             ? "keeps its tiles in LDS meanwhile"
             : "reads its tiles a second time for the results");
}

/// The same of a row that a workgroup has to itself, or in splits.
static void explainColumns(llvm::raw_ostream &os, const TileDemand &demand,
                           ScheduleAttr schedule) {
  bool isWhole = !ShapedType::isDynamic(demand.cols) &&
                 schedule.getTile()[1] >= demand.cols;
  os << (isWhole ? "hold a whole row"
                 : "are what a wave reads in consecutive accesses");
  if (schedule.getSweep() == SweepKind::Keep)
    os << ", of a row that does not fit one tile: the tiles of a row are read "
          "once and stay in registers for what follows the first sweep";
  else if (schedule.getGrid().getRowSplit() > 1)
    os << ", of a row that " << schedule.getGrid().getRowSplit()
       << " workgroups share, as there are too few rows for the chip: a kernel "
          "before this one computes what is computed over its splits, and it "
          "is read a second time for the results";
  else if (schedule.getSweep() == SweepKind::Reread)
    os << ", of a row that the registers of a workgroup do not hold: it is "
          "read a second time for the results";
}

static void explainRows(llvm::raw_ostream &os, const TileDemand &demand,
                        ScheduleAttr schedule, int64_t elementsPerLane) {
  int64_t rows = schedule.getTile()[0];
  os << "; " << rows << " rows ";
  if (demand.linesRows > 1)
    os << "fill a line of what lies transposed";
  else if (rows == demand.minRows && rows > 1)
    os << "hold one scale block";
  else
    os << "give a lane " << elementsPerLane << " elements";
}

/// What a product's kernel is bound by, in words; or nothing.
static std::string explainRoofline(const TileDemand &demand,
                                   ScheduleAttr schedule,
                                   const Target &target) {
  std::optional<Roofline> roofline = getRoofline(demand, schedule, target);
  if (!roofline || roofline->workgroups.empty())
    return "";
  const WorkgroupClocks &clocks = roofline->workgroups.front();
  const UnitClocks &step = clocks.step;
  return llvm::formatv(
      "; a step takes {0:f0} clocks of the matrix cores, {1:f0} of the vector "
      "units, {2:f0} of LDS, {3:f0} of L2 and {4:f0} of memory, {5:f0} with "
      "{6:f0} {10} at once: bound by {7}; about {8:f0} clocks in all, "
      "{9:f0} at the least",
      step.matrix, step.vector, step.lds, step.l2, step.memory,
      clocks.getStepClocks(step, clocks.together), clocks.together,
      step.getBound(), roofline->getClocks(), roofline->getLeastClocks(),
      clocks.together == 1 ? "workgroup" : "workgroups");
}

/// The same of rows: bytes that a compute unit's workgroups have in flight, as
/// many as it can ask for at the most, and those that hide memory's latency at
/// its share of the bandwidth.
static std::string explainFlight(const TileDemand &demand,
                                 ScheduleAttr schedule, const Target &target) {
  const Timing *timing = Timing::lookup(target.name);
  if (!timing)
    return "";
  ResourceEstimate resources = estimate(demand, schedule, target);
  int64_t waves = target.simdsPerCU * target.occupancy(resources.vgprs,
                                                       resources.ldsBytes,
                                                       schedule.getWaves()),
          workgroups = std::max<int64_t>(waves / schedule.getWaves(), 1),
          asked =
              std::min<int64_t>(workgroups * schedule.getTile()[0] *
                                    schedule.getTile()[1] * demand.loadedBytes,
                                timing->bytesInFlight),
          needed = std::ceil(timing->getMemoryLatency() *
                             timing->getMemoryShare(target.computeUnits));
  return llvm::formatv(
      "; {0} workgroups a CU ask for {1} bytes, where {2} hide memory's "
      "latency at its share of the bandwidth",
      workgroups, asked, needed);
}

std::string te::explainSchedule(const TileDemand &demand, ScheduleAttr schedule,
                                const Target &target) {
  if (demand.gemm && schedule.getMatmul()) {
    TileDemand product = getSplitDemand(demand, schedule);
    return explainGemmSchedule(product, schedule, target) +
           explainRoofline(demand, schedule, target);
  }
  if (demand.attention && schedule.getMatmul())
    return explainAttentionSchedule(demand, schedule, target);
  if (demand.contraction && schedule.getMatmul())
    return explainContractionSchedule(schedule) +
           explainRoofline(demand, schedule, target);
  std::string text;
  llvm::raw_string_ostream os(text);
  int64_t rows = schedule.getTile()[0], cols = schedule.getTile()[1];
  ResourceEstimate resources = estimate(demand, schedule, target);
  os << schedule.getVector() << " elements of " << demand.inputBytes
     << " bytes fill a lane's " << target.maxAccessBytes << "-byte access; "
     << cols << " columns ";
  if (schedule.getGrid().getCluster() > 1)
    explainShare(os, schedule);
  else
    explainColumns(os, demand, schedule);
  if (int64_t workgroups = schedule.getGrid().getWorkgroups())
    os << "; " << workgroups
       << " workgroups fill the chip, and go down the rows with what is read "
          "once a column in registers";
  explainRows(os, demand, schedule, resources.elementsPerLane);
  os << "; " << rows * cols * demand.inputBytes
     << " bytes in flight a workgroup";
  if (resources.prefetches)
    os << ", and the next tile's";
  if (int64_t distance = schedule.getGrid().getL2PrefetchDistance();
      distance > 0)
    os << "; L2 is asked for what the workgroup " << distance
       << " further on reads, as this one waits for its rows";
  if (schedule.getGrid().getResidents() > 0)
    os << "; a compute unit holds at most " << schedule.getGrid().getResidents()
       << " workgroups at once, by their LDS";
  os << explainFlight(demand, schedule, target);
  return text;
}
