//===- Explain.cpp - schedules in words -----------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionSchedule.h"
#include "Bound.h"
#include "ContractionSchedule.h"
#include "GemmSchedule.h"

using namespace mlir;
using namespace mlir::te;

/// What the tile's columns are of a row, which a cluster's workgroups share.
static void explainShare(llvm::raw_ostream &os, ScheduleAttr schedule) {
  if (schedule.getSweep() == SweepKind::None) {
    os << "are a workgroup's part of a row, which " << schedule.getCluster()
       << " of a cluster hold together, as the registers of one do not: what "
          "is computed over the row goes between them, and it is read once";
    return;
  }
  os << "are what a wave reads in consecutive accesses, of a row that "
     << schedule.getCluster()
     << " workgroups of a cluster share, as the registers of one do not hold "
        "it: what is computed over the row goes between them, and each "
     << (schedule.getSweep() == SweepKind::Keep
             ? "keeps its tiles in LDS meanwhile"
             : "reads its tiles a second time for the results");
}

/// The same of a row that a workgroup has to itself, or in pieces.
static void explainColumns(llvm::raw_ostream &os, const TileDemand &demand,
                           ScheduleAttr schedule) {
  bool isWhole = !ShapedType::isDynamic(demand.cols) &&
                 schedule.getTile()[1] >= demand.cols;
  os << (isWhole ? "hold a whole row"
                 : "are what a wave reads in consecutive accesses");
  if (schedule.getSweep() == SweepKind::Keep)
    os << ", of a row that does not fit one tile: the tiles of a row are read "
          "once and stay in registers for what follows the first sweep";
  else if (schedule.getPieces() > 1)
    os << ", of a row that " << schedule.getPieces()
       << " workgroups share, as there are too few rows for the chip: a kernel "
          "before this one computes what is computed over its pieces, and it "
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

std::string te::explainSchedule(const TileDemand &demand, ScheduleAttr schedule,
                                const Target &target) {
  if (demand.gemm && schedule.getMatmul()) {
    TileDemand product = getPieceDemand(demand, schedule);
    return explainGemmSchedule(product, schedule, target) +
           explainBound(product, schedule, target);
  }
  if (demand.attention && schedule.getMatmul())
    return explainAttentionSchedule(demand, schedule, target);
  if (demand.contraction && schedule.getMatmul())
    return explainContractionSchedule(demand, schedule, target);
  std::string text;
  llvm::raw_string_ostream os(text);
  int64_t rows = schedule.getTile()[0], cols = schedule.getTile()[1];
  ResourceEstimate resources = estimate(demand, schedule, target);
  os << schedule.getVector() << " elements of " << demand.inputBytes
     << " bytes fill a lane's " << target.maxAccessBytes << "-byte access; "
     << cols << " columns ";
  if (schedule.getCluster() > 1)
    explainShare(os, schedule);
  else
    explainColumns(os, demand, schedule);
  if (int64_t workgroups = schedule.getWorkgroups())
    os << "; " << workgroups
       << " workgroups fill the chip, and walk down the rows with what is read "
          "once a column in registers";
  explainRows(os, demand, schedule, resources.elementsPerLane);
  os << "; " << rows * cols * demand.inputBytes
     << " bytes in flight a workgroup";
  if (resources.prefetches)
    os << ", and the next tile's";
  if (ArrayRef<int64_t> prefetch = schedule.getL2Prefetch(); !prefetch.empty())
    os << "; L2 is asked for what the workgroup " << prefetch[0]
       << " further on reads, as this one waits for its rows";
  if (schedule.getResidents() > 0)
    os << "; a compute unit holds at most " << schedule.getResidents()
       << " workgroups at once, by their LDS";
  os << explainBound(demand, schedule, target);
  return text;
}
