//===- ScheduleRules.cpp - what a schedule must keep to -------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// findViolation: rules H4 to H23 of docs/spec.md.
//
//===----------------------------------------------------------------------===//

#include "AttentionSchedule.h"
#include "BrokenRule.h"
#include "Clusters.h"
#include "ContractionSchedule.h"
#include "GemmSchedule.h"
#include "RowSplit.h"

#include "te/Dialect/Tile/Transforms/Passes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;

/// Tiles of a row that are kept, at the most: each is straight-line code.
static constexpr int64_t kMostKeptTiles = 32;
/// Codes of fp4 in a byte.
static constexpr int64_t kFP4Pair = 2;

/// H13: workgroups that go down the rows.
static std::optional<std::string>
findPersistentViolation(const TileDemand &demand, ScheduleAttr schedule) {
  if (schedule.getGrid().getWorkgroups() == 0)
    return std::nullopt;
  BrokenRule text("H13");
  text << "workgroups = " << schedule.getGrid().getWorkgroups() << ", but ";
  if (schedule.getSweep() != SweepKind::None)
    return text << "with a sweep a workgroup sweeps its rows only; leave "
                   "it out";
  if (demand.dividesGrid)
    return text
           << "this region's workgroups are of several tensors, of several "
              "matrices, or compute whole columns already; leave it out";
  return std::nullopt;
}

/// H10 and H11: what is computed over rows.
static std::optional<std::string> findRowViolation(const TileDemand &demand,
                                                   ScheduleAttr schedule) {
  int64_t cols = schedule.getTile()[1];
  bool isDynamic = ShapedType::isDynamic(demand.cols);
  SweepKind sweep = schedule.getSweep();
  if (sweep == SweepKind::None) {
    if (demand.mixesRows && isDynamic)
      return BrokenRule("H10")
             << "elements are rotated with others of their row, "
                "which one tile holds, but its length is not known; "
                "give the last dimension a static size";
    if (demand.wholeRows && (isDynamic || cols < demand.cols) &&
        schedule.getGrid().getCluster() == 1)
      return BrokenRule("H10")
             << "a tile of " << cols << " columns does not hold a row"
             << (isDynamic ? std::string(" of unknown length")
                           : " of " + std::to_string(demand.cols))
             << ", over which something is computed; make it as wide as "
                "the row, or sweep the row: sweep = "
             << (isDynamic ? "reread" : "keep or reread");
    return std::nullopt;
  }
  if (!demand.wholeRows)
    return BrokenRule("H11")
           << "sweep = " << stringifyEnum(sweep)
           << ", but nothing is computed over rows; leave it out";
  if (demand.mixesRows)
    return BrokenRule("H11")
           << "sweep = " << stringifyEnum(sweep)
           << ", but elements are rotated with others of their row, which "
              "one tile holds; leave it out, and make the tile as wide";
  if (schedule.getGrid().getRowTiles() != 1)
    return BrokenRule("H11")
           << "row_tiles = " << schedule.getGrid().getRowTiles()
           << " with a sweep; sums over rows are those of one tile then, "
              "row_tiles = 1";
  if (sweep == SweepKind::Reread)
    return std::nullopt;
  if (isDynamic)
    return BrokenRule("H11")
           << "sweep = keep, but the length of a row is not known; "
              "use reread";
  if (int64_t tiles = llvm::divideCeil(demand.cols, cols);
      tiles > kMostKeptTiles && schedule.getGrid().getCluster() == 1)
    return BrokenRule("H11")
           << "sweep = keep of " << tiles << " tiles a row; at most "
           << kMostKeptTiles << " are kept: use wider ones, or reread";
  return std::nullopt;
}

/// H18: rows that the workgroups of a cluster hold together.
static std::optional<std::string> findClusterViolation(const TileDemand &demand,
                                                       ScheduleAttr schedule,
                                                       const Target &target) {
  int64_t cluster = schedule.getGrid().getCluster(),
          width = schedule.getTile()[1];
  if (cluster == 1)
    return std::nullopt;
  BrokenRule text("H18");
  text << "cluster = " << cluster << ", but ";
  if (target.maxClusterWorkgroups == 1)
    return text << "workgroups of " << target.name
                << " form no clusters; leave it out";
  if (cluster > int64_t(target.maxClusterWorkgroups))
    return text << "a cluster has at most " << target.maxClusterWorkgroups
                << " workgroups on " << target.name << "; use wider tiles";
  if (schedule.getGrid().getRowSplit() > 1)
    return text << "workgroups that share rows by row_split run by themselves; "
                   "leave one of them out";
  if (!canFormClusters(demand))
    return text << "this region computes nothing over rows, or its workgroups "
                   "are of several tensors or matrices, or it rotates "
                   "elements of a row, or reads halves of a wide result; "
                   "leave it out";
  if (ShapedType::isDynamic(demand.cols))
    return text << "the length of a row is not known, and so neither is how "
                   "many tiles it has; make it static, or leave it out";
  int64_t tiles = getRowTiles(demand, width);
  if (schedule.getSweep() != SweepKind::None) {
    int64_t each = llvm::divideCeil(tiles, cluster);
    if ((cluster - 1) * each < tiles)
      return std::nullopt;
    return text << "of " << tiles << (tiles == 1 ? " tile" : " tiles")
                << " of a row, " << each << " for a workgroup, none is left "
                << "for the last; use fewer workgroups, or narrower tiles";
  }
  if (cluster != tiles)
    return text << "a row of " << demand.cols << " has " << tiles
                << (tiles == 1 ? " tile of " : " tiles of ") << width
                << " columns, one for each workgroup; "
                << (tiles == 1 ? "leave it out" : "make them as many");
  return std::nullopt;
}

/// H19: what a workgroup asks L2 for another one.
static std::optional<std::string>
findPrefetchViolation(const TileDemand &demand, ScheduleAttr schedule,
                      const Target &target) {

  GridAttr grid = schedule.getGrid();
  if (grid.getL2PrefetchDistance() == 0)
    return std::nullopt;
  BrokenRule text("H19");
  text << "l2_prefetch_bytes = " << grid.getL2PrefetchBytes() << ", but ";
  if (target.l2PrefetchBytes == 0)
    return text << target.name
                << " has no instruction that asks L2 for so much; leave it out";
  if (grid.getL2PrefetchBytes() % target.l2PrefetchBytes != 0)
    return text << target.name << " asks for a multiple of "
                << target.l2PrefetchBytes << " bytes; round it";
  bool hasRows = schedule.getSweep() != SweepKind::None ||
                 schedule.getTile()[1] >= demand.cols;
  if (!hasRows || demand.hasProduct() || demand.dividesGrid ||
      grid.getCluster() > 1 || grid.getRowSplit() > 1 ||
      grid.getWorkgroups() > 0 || grid.getRowTiles() > 1)
    return text
           << "that is for workgroups that have one tile's rows to "
              "themselves, with a tile as wide or a sweep: no te.gemm, "
              "several tensors or matrices, cluster, row_split, workgroups "
              "or row_tiles; leave it out";
  if (ShapedType::isDynamic(demand.cols) ||
      demand.cols * demand.inputBytes % target.l2PrefetchBytes != 0)
    return text << "rows whose length is not known, or no multiple of "
                << target.l2PrefetchBytes
                << " bytes, begin where it cannot; leave it out";
  return std::nullopt;
}

/// H20: how many workgroups a compute unit holds.
static std::optional<std::string>
findResidentsViolation(const TileDemand &demand, ScheduleAttr schedule) {
  if (schedule.getGrid().getResidents() == 0 ||
      (demand.wholeRows && !demand.hasProduct() && schedule.getWaves() > 1 &&
       schedule.getGrid().getCluster() == 1 &&
       schedule.getGrid().getRowSplit() == 1 &&
       schedule.getGrid().getWorkgroups() == 0))
    return std::nullopt;
  return BrokenRule("H20")
         << "residents = " << schedule.getGrid().getResidents()
         << ", but that is for workgroups of several waves that wait "
            "for rows of their own: no te.gemm, cluster, row_split or "
            "workgroups; leave it out";
}

/// H23: passes that are left out.
static std::optional<std::string> findPassViolation(ScheduleAttr schedule) {
  SmallVector<StringRef> known = tile::getOptionalPasses();

  if (!schedule.getWithout())
    return std::nullopt;
  for (StringRef name : schedule.getWithout().getAsValueRange<StringAttr>())
    if (!llvm::is_contained(known, name))
      return BrokenRule("H23")
             << "without names '" << name
             << "', which is no pass that a kernel can do without; these "
                "are "
             << llvm::join(known, ", ");
  return std::nullopt;
}

std::optional<std::string> te::findViolation(const TileDemand &ofRegion,
                                             ScheduleAttr schedule,
                                             const Target &target) {
  TileDemand demand = getSplitDemand(ofRegion, schedule);
  int64_t rows = schedule.getTile()[0], cols = schedule.getTile()[1];
  if (schedule.getTarget() != target.name)
    return BrokenRule("H4")
           << "the schedule is for " << schedule.getTarget()
           << " but the target is " << target.name
           << "; drop it, or compile for " << schedule.getTarget();
  if (schedule.getWaves() > target.maxWavesPerWorkgroup)
    return BrokenRule("H5") << schedule.getWaves() << " waves exceed the "
                            << target.maxWavesPerWorkgroup
                            << " that a workgroup has on " << target.name;
  if (std::optional<std::string> why = findPassViolation(schedule))
    return why;
  if (std::optional<std::string> why =
          findGemmViolation(demand, schedule, target))
    return why;
  if (std::optional<std::string> why =
          findAttentionViolation(demand, schedule, target))
    return why;
  if (std::optional<std::string> why =
          findContractionViolation(demand, schedule, target))
    return why;
  if (!demand.hasProduct() &&
      schedule.getVector() * demand.inputBytes > target.maxAccessBytes)
    return BrokenRule("H6")
           << "a vector of " << schedule.getVector() << " elements is "
           << schedule.getVector() * demand.inputBytes
           << " bytes; a lane moves at most " << target.maxAccessBytes
           << " at once";
  if (!demand.hasProduct() && demand.storesFP4ByRows &&
      schedule.getVector() < kFP4Pair)
    return BrokenRule("H6")
           << "vector = " << schedule.getVector()
           << ", but a byte has the fp4 codes of two neighbours in a "
              "row; a lane loads at least "
           << kFP4Pair;
  if (rows < demand.minRows || cols < demand.minCols)
    return BrokenRule("H7")
           << "a tile of " << rows << " x " << cols
           << " is smaller than a scale block; this region needs at least "
           << demand.minRows << " x " << demand.minCols;
  if (int64_t group = rows * schedule.getGrid().getRowTiles();
      demand.firstRow % group != 0)
    return BrokenRule("H17") << "what is computed begins with row "
                             << demand.firstRow << ", inside of the " << group
                             << " rows of a workgroup; give it fewer";
  if (std::optional<std::string> why =
          findClusterViolation(demand, schedule, target))
    return why;
  if (std::optional<std::string> why =
          findPrefetchViolation(demand, schedule, target))
    return why;
  if (std::optional<std::string> why = findResidentsViolation(demand, schedule))
    return why;
  if (std::optional<std::string> why = findRowViolation(demand, schedule))
    return why;
  if (std::optional<std::string> why =
          findPersistentViolation(demand, schedule))
    return why;
  if (std::optional<std::string> why =
          findRowSplitViolation(demand, schedule, target))
    return why;
  if (demand.readsHalves && demand.cols % cols != 0)
    return BrokenRule("H12")
           << "tiles of " << cols << " columns do not divide the halves of "
           << demand.cols
           << " columns that the region reads; make them narrower";
  if (rows < demand.rowsPerWave * schedule.getWaves())
    return BrokenRule("H7")
           << schedule.getWaves() << " waves share " << rows
           << " rows, but a columnwise hadamard mixes " << demand.rowsPerWave
           << " rows inside of a wave; use a taller tile or fewer "
              "waves";
  ResourceEstimate resources = estimate(demand, schedule, target);
  if (resources.ldsBytes > target.ldsBytesPerWorkgroup)
    return BrokenRule("H8") << "the tile needs " << resources.ldsBytes
                            << " bytes of LDS, but a workgroup has "
                            << target.ldsBytesPerWorkgroup << " on "
                            << target.name << "; use a smaller tile";
  unsigned vgprs = getMostVGPRs(schedule, target);
  if (resources.vgprs > vgprs)
    return BrokenRule("H9")
           << resources.elementsPerLane << " elements a lane need about "
           << resources.vgprs << " VGPRs, but each of " << schedule.getWaves()
           << " waves has " << vgprs << "; use a smaller tile or more waves";
  return std::nullopt;
}

LogicalResult te::verifySchedule(function_ref<InFlightDiagnostic()> emitError,
                                 const TileDemand &demand,
                                 ScheduleAttr schedule, const Target &target) {
  if (std::optional<std::string> why = findViolation(demand, schedule, target))
    return emitError() << *why;
  return success();
}
