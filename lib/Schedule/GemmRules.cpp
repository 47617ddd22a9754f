//===- GemmRules.cpp - what a schedule of a te.gemm must keep to ----------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BrokenRule.h"
#include "GemmSchedule.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;

/// No workgroup holds more along any side: estimates stay in their range.
static constexpr int64_t kMostSize = 1024;

/// H17, of splits that are not made yet, or of the last rows.
static std::optional<std::string> findSplitViolation(const TileDemand &demand,
                                                     ScheduleAttr schedule) {
  GemmOp gemm = demand.gemm;
  GridAttr grid = schedule.getGrid();
  MatmulAttr matmul = schedule.getMatmul();
  ArrayRef<int64_t> tile = schedule.getTile();
  int64_t splits = grid.getSplitK(), whole = grid.getWholeRows(),
          k = getK(gemm), steps = llvm::divideCeil(k, matmul.getK());
  Value rest = gemm.getRest();
  if (!rest && (splits == 1 || gemm.getSplitK()))
    return std::nullopt;
  BrokenRule os("H17");
  os << "split_k = " << splits << ", but ";
  if (rest &&
      (splits != gemm.countSplits() ||
       whole != demand.rows - cast<ShapedType>(rest.getType()).getDimSize(1)))
    os << "te.gemm makes " << gemm.countSplits() << " splits of its last "
       << cast<ShapedType>(rest.getType()).getDimSize(1)
       << " rows; whole_rows are the others, and split_k is as many: leave "
          "both to te-split-k";
  else if (gemm.isBatched())
    os << "matrices are multiplied in pairs, which are many workgroups "
          "already; leave it out";
  else if (demand.products > 1)
    os << "halves of the result are read together, which whole_rows has not; "
          "leave it out";
  else if (!ShapedType::isDynamic(k) && steps < splits)
    os << "K = " << k << " has " << steps << " steps of " << matmul.getK()
       << ", and a split has one at least; use fewer splits, or a smaller k";
  else if (!whole)
    return std::nullopt;
  else if (!areSizesKnown(demand) || ShapedType::isDynamic(k))
    os << "whole_rows = " << whole
       << " needs M, N and K to be known; leave it out";
  else if (whole % tile[0] != 0 || whole >= demand.rows)
    os << "whole_rows = " << whole << " are no whole tiles of " << tile[0]
       << " rows, or not fewer than the " << demand.rows
       << " of the result; change it";
  else if (k % (matmul.getK() * splits) != 0)
    os << "whole_rows = " << whole
       << " needs splits that are alike, and K = " << k
       << " is not a multiple of " << splits << " times " << matmul.getK()
       << "; use another split_k";
  else
    return std::nullopt;
  return os;
}

std::string te::whyNoMatmul(StringRef op) {
  return ("the region has a " + op +
          ", and the schedule does not say how it is computed: add matmul = "
          "<..>, or leave the schedule to te-schedule (H14)")
      .str();
}

bool te::dividesWork(ScheduleAttr schedule) {
  return schedule.getGrid().getSplitK() != 1 ||
         schedule.getGrid().getGroupM() != 0 ||
         schedule.getGrid().getWorkgroups() != 0 ||
         schedule.getGrid().getRowTiles() != 1 ||
         schedule.getSweep() != SweepKind::None;
}

std::optional<std::string>
te::whyNotInstruction(MatmulAttr matmul, ArrayRef<const MMA *> instructions,
                      const Target &target) {
  if (llvm::any_of(instructions, [&](const MMA *mma) {
        return mma->name == matmul.getMma();
      }))
    return std::nullopt;
  auto names =
      llvm::map_range(instructions, [](const MMA *mma) { return mma->name; });
  return (llvm::Twine(matmul.getMma()) + " on " + target.name +
          " is not for these operands; use " + llvm::join(names, " or ") +
          " (H14)")
      .str();
}

std::optional<std::string> te::whyNotTile(ScheduleAttr schedule,
                                          const Target &target) {
  MatmulAttr matmul = schedule.getMatmul();
  const MMA &mma = *MMA::lookup(matmul.getMma());
  for (int64_t size :
       {schedule.getTile()[0], schedule.getTile()[1], matmul.getK()})
    if (size > kMostSize)
      return BrokenRule("H15")
             << "a tile of " << schedule.getTile()[0] << " x "
             << schedule.getTile()[1] << " and k = " << matmul.getK()
             << "; each is at most " << kMostSize;
  for (unsigned dim : {0, 1})
    if (schedule.getTile()[dim] < matmul.getWaves()[dim] * mma.size)
      return BrokenRule("H15")
             << matmul.getWaves()[dim] << " waves share "
             << schedule.getTile()[dim] << (dim ? " columns" : " rows")
             << " of the tile, but each needs " << mma.size << " for "
             << mma.name << "; use fewer waves or a larger tile";
  if (schedule.getPipeline().getPingPong() &&
      schedule.getWaves() <= target.simdsPerCU)
    return BrokenRule("H15")
           << "ping_pong is for waves that share a SIMD, but a CU of "
           << target.name << " has one for each of the " << schedule.getWaves()
           << " waves; use more waves, or leave out ping_pong";
  return std::nullopt;
}

std::optional<std::string> te::findGemmViolation(const TileDemand &demand,
                                                 ScheduleAttr schedule,
                                                 const Target &target) {
  MatmulAttr matmul = schedule.getMatmul();
  if (!demand.gemm) {
    if (!matmul || demand.attention || demand.contraction)
      return std::nullopt;
    return BrokenRule("H14")
           << "the schedule has a matmul, but the region neither a te.gemm nor "
              "a te.attention; leave it out";
  }
  std::string text;
  std::optional<GemmPlan> plan = planGemm(demand.gemm, target, text);
  if (!plan)
    return text;
  if (!matmul)
    return whyNoMatmul("te.gemm");
  if (std::optional<std::string> why =
          whyNotInstruction(matmul, plan->instructions, target))
    return why;
  if (std::optional<std::string> why = whyNotTile(schedule, target))
    return why;
  bool isOneBlock = plan->scales == GemmPlan::Scales::Blocks;
  if (isOneBlock ? matmul.getK() != plan->block
                 : plan->scales == GemmPlan::Scales::Elements &&
                       matmul.getK() < plan->block)
    return BrokenRule("H15")
           << "a step sums " << matmul.getK()
           << " elements of K, but a scale is for " << plan->block
           << "; use k = " << plan->block << (isOneBlock ? "" : " or more");
  GemmOp gemm = demand.gemm;
  if (schedule.getPipeline().getStages() > 1 && getK(gemm) == 0)
    return BrokenRule("H15") << "K = 0 cannot be pipelined, as no step is the "
                                "first; use stages = 1";
  if (schedule.getPipeline().getDirectToLds() &&
      llvm::none_of(std::array{tile::MMASide::A, tile::MMASide::B},
                    [&](tile::MMASide side) {
                      return planAsyncCopy(gemm, *plan, side, schedule, target)
                          .has_value();
                    }))
    return BrokenRule("H15")
           << "no operand can go straight to LDS: on " << target.name
           << " a lane loads " << target.amd->directLoadBytes
           << " bytes there, of an operand whose rows in memory are whole "
              "steps along K"
           << (target.amd->transposedReadBytes ? ", or whole tiles across it"
                                               : "")
           << ", which is not converted, and whose step fills all waves; leave "
              "out direct_to_lds";
  if (std::optional<std::string> why = findSplitViolation(demand, schedule))
    return why;
  if (schedule.getGrid().getWorkgroups() != 0 &&
      (schedule.getGrid().getSplitK() > 1 || gemm.isBatched()))
    return BrokenRule("H15")
           << "workgroups = " << schedule.getGrid().getWorkgroups()
           << " compute one tile after the other, of one matrix and all of K; "
              "leave out workgroups"
           << (gemm.isBatched() ? "" : " or split_k");
  if (schedule.getSweep() != SweepKind::None ||
      schedule.getGrid().getRowTiles() != 1)
    return BrokenRule("H15")
           << "workgroups of a te.gemm have one tile at a time; leave out "
              "row_tiles and sweep";
  return std::nullopt;
}
