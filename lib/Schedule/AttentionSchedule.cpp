//===- AttentionSchedule.cpp - schedules of te.attention ------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionSchedule.h"
#include "BrokenRule.h"

#include "GemmSchedule.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;

/// VGPRs next to tiles: addresses and bounds of three operands, what is
/// computed over rows, temporaries.
static constexpr unsigned kBaseVGPRs = 58;
/// Keys of a step, at the most: scores of more would take the registers.
static constexpr int64_t kMostKeys = 64;

static int64_t getHeadSize(Value tensor) {
  return cast<ShapedType>(tensor.getType()).getDimSize(AttentionOp::kLastDim);
}

static Type getElement(AttentionOp op) {
  return getElementTypeOrSelf(op.getQ().getType());
}

SmallVector<const MMA *> te::getAttentionInstructions(AttentionOp op,
                                                      const Target &target) {
  Type element = getElement(op);
  return target.amd ? findInstructions(target, element, element,
                                       /*needsScales=*/false)
                    : SmallVector<const MMA *>();
}

ResourceEstimate te::estimateAttention(const TileDemand &demand,
                                       ScheduleAttr schedule,
                                       const Target &target) {
  AttentionOp op = demand.attention;
  int64_t queries = schedule.getTile()[0], size = schedule.getTile()[1],
          keys = schedule.getMatmul().getK(),
          lanes = schedule.getWaves() * target.waveSize,
          bytes = getElement(op).getIntOrFloatBitWidth() / 8;
  // A wave has all keys of a step, of as many columns as are multiplied at
  // once.
  int64_t products = llvm::bit_floor(uint64_t(getHeadSize(op.getQ()))),
          wider = std::max(products, size);
  // Of an operand half is on its way to its products. What goes to LDS through
  // registers is there twice: loaded, and before it is put.
  int64_t ofLane = 4 * queries * (size + keys) / lanes + // O, scores
                   bytes * queries * keys / lanes +      // probabilities
                   bytes * queries * getHeadSize(op.getQ()) / lanes +
                   bytes * keys * wider / target.waveSize / 2;
  if (!schedule.getPipeline().getDirectToLds())
    ofLane += 4 * bytes * keys * wider / lanes;
  ResourceEstimate result;
  result.elementsPerLane = std::max<int64_t>(queries * size / lanes, 1);
  result.vgprs = kBaseVGPRs + llvm::divideCeil(ofLane, 4);
  // What is stored goes through LDS in chunks of two vectors a lane.
  int64_t stored = std::min<int64_t>(queries * size * demand.outputBytes,
                                     2 * target.maxAccessBytes * lanes);
  int64_t stages = schedule.getPipeline().getStages(),
          staged = stages * keys * (getHeadSize(op.getQ()) + size) * bytes;
  result.ldsBytes =
      std::max(stages > 1 ? staged : keys * wider * bytes, stored);
  return result;
}

std::optional<std::string> te::findAttentionViolation(const TileDemand &demand,
                                                      ScheduleAttr schedule,
                                                      const Target &target) {
  AttentionOp op = demand.attention;
  if (!op)
    return std::nullopt;
  SmallVector<const MMA *> instructions = getAttentionInstructions(op, target);
  if (instructions.empty())
    return whyNoProducts("te.attention", target);
  MatmulAttr matmul = schedule.getMatmul();
  if (!matmul)
    return whyNoMatmul("te.attention");
  if (std::optional<std::string> why =
          whyNotInstruction(matmul, instructions, target))
    return why;
  const MMA &mma = *MMA::lookup(matmul.getMma());
  BrokenRule os("H21");
  int64_t queries = schedule.getTile()[0], size = schedule.getTile()[1],
          wanted = llvm::PowerOf2Ceil(getHeadSize(op.getV()));
  if (matmul.getWaves()[1] != 1)
    os << "waves = [" << matmul.getWaves()[0] << ", " << matmul.getWaves()[1]
       << "], but those of a te.attention have queries of their own; use ["
       << schedule.getWaves() << ", 1]";
  else if (queries < matmul.getWaves()[0] * mma.size)
    os << matmul.getWaves()[0] << " waves share " << queries
       << " queries, but each needs " << mma.size << " for " << mma.name
       << "; use fewer waves or a larger tile";
  else if (size != std::max<int64_t>(wanted, mma.size))
    os << "a tile of " << size << " columns, but one has the " << wanted
       << " of a head of v; make it " << std::max<int64_t>(wanted, mma.size);
  else if (matmul.getK() < std::max(mma.size, mma.k))
    os << "a step of " << matmul.getK() << " keys, but " << mma.name
       << " takes " << std::max(mma.size, mma.k) << "; use more";
  else if (schedule.getPipeline().getPingPong() &&
           (schedule.getPipeline().getStages() == 1 ||
            schedule.getWaves() != 2 * int64_t(target.simdsPerCU)))
    os << "ping_pong is for two waves of each of " << target.simdsPerCU
       << " SIMDs and two stages or more; use waves = " << 2 * target.simdsPerCU
       << " and stages = 2, or leave it out";
  else if (dividesWork(schedule))
    os << "split_k, group_m, workgroups, row_tiles and sweep "
          "are not for te.attention yet; leave them out";
  else
    return std::nullopt;
  return os;
}

bool te::isDirect(AttentionOp op, int64_t waves, int64_t keys,
                  const Target &target) {
  if (target.amd->directLoadBytes != target.maxAccessBytes ||
      !target.amd->transposedReadBytes)
    return false;
  int64_t vector =
      target.maxAccessBytes * 8 / getElement(op).getIntOrFloatBitWidth();
  return llvm::all_of(std::array{op.getK(), op.getV()}, [&](Value tensor) {
    ArrayRef<int64_t> shape = cast<ShapedType>(tensor.getType()).getShape();
    int64_t leastPart = shape.back() & -shape.back();
    return !ShapedType::isDynamicShape(
               shape.drop_front(op.getSequenceDim() + 1)) &&
           keys * leastPart >= waves * target.waveSize * vector;
  });
}

/// Waves' shares of queries that the busiest CU has; nothing where sizes are
/// not known.
static std::optional<int64_t> countWaves(AttentionOp op, int64_t waves,
                                         const MMA &mma, const Target &target) {
  auto q = cast<ShapedType>(op.getQ().getType());
  if (!q.hasStaticShape())
    return std::nullopt;
  int64_t tiles =
      q.getDimSize(op.getBatchDim()) * q.getDimSize(op.getHeadDim()) *
      llvm::divideCeil(q.getDimSize(op.getSequenceDim()), waves * mma.size);
  return llvm::divideCeil(tiles, int64_t(target.computeUnits)) * waves;
}

/// Rows of its own make a large instruction's results a lane's.
static const MMA &getLargest(ArrayRef<const MMA *> instructions) {
  return **llvm::max_element(instructions, [](const MMA *x, const MMA *y) {
    return x->size < y->size;
  });
}

ScheduleAttr te::makeAttentionSchedule(MLIRContext *context, AttentionOp op,
                                       const Target &target, const MMA &mma,
                                       int64_t waves, int64_t keys,
                                       int64_t stages, bool isDirect,
                                       bool usesPingPong) {
  int64_t size =
      std::max<int64_t>(llvm::PowerOf2Ceil(getHeadSize(op.getV())), mma.size);
  int64_t vector =
      target.maxAccessBytes * 8 / getElement(op).getIntOrFloatBitWidth();
  auto matmul = MatmulAttr::get(context, mma.name, keys, {waves, 1});
  return ScheduleAttr::get(
      context, target.name, {waves * mma.size, size}, vector, matmul,
      PipelineAttr::get(context, stages, isDirect, usesPingPong));
}

ScheduleAttr te::chooseAttentionSchedule(MLIRContext *context,
                                         const TileDemand &demand,
                                         const Target &target) {
  AttentionOp op = demand.attention;
  SmallVector<const MMA *> instructions = getAttentionInstructions(op, target);
  if (instructions.empty()) // findViolation says so
    return ScheduleAttr::get(context, target.name, {1, 1}, 1, 1);
  const MMA &mma = getLargest(instructions);
  auto hasPairs = [&](int64_t waves) {
    return waves == 2 * int64_t(target.simdsPerCU);
  };
  auto make = [&](int64_t waves, int64_t keys, int64_t stages) {
    return makeAttentionSchedule(context, op, target, mma, waves, keys, stages,
                                 isDirect(op, waves, keys, target),
                                 hasPairs(waves));
  };
  auto find = [&](int64_t waves) -> ScheduleAttr {
    // Memory has more time where one workgroup has all of LDS, and what comes
    // takes no registers.
    for (int64_t keys = kMostKeys; keys >= std::max(mma.size, mma.k); keys /= 2)
      for (int64_t stages =
               hasPairs(waves) && isDirect(op, waves, keys, target) ? 3 : 2;
           stages >= 2; --stages)
        if (ScheduleAttr schedule = make(waves, keys, stages);
            !findViolation(demand, schedule, target))
          return schedule;
    return {};
  };
  // Half as many waves where that halves what the busiest CU has: others are
  // idle.
  ScheduleAttr best;
  std::optional<int64_t> fewest;
  for (int64_t waves : {2 * int64_t(target.simdsPerCU),
                        int64_t(target.simdsPerCU), int64_t(2), int64_t(1)}) {
    std::optional<int64_t> count = countWaves(op, waves, mma, target);
    if (best && (!count || 2 * *count > *fewest))
      continue;
    if (ScheduleAttr schedule = find(waves)) {
      best = schedule;
      fewest = count;
    }
  }
  if (best)
    return best;
  return make(1, std::max(mma.size, mma.k), /*stages=*/2);
}

std::string te::explainAttentionSchedule(const TileDemand &demand,
                                         ScheduleAttr schedule,
                                         const Target &target) {
  ResourceEstimate resources = estimate(demand, schedule, target);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << schedule.getTile()[0] << " queries of a head a workgroup, "
     << schedule.getTile()[0] / schedule.getWaves() << " a wave; "
     << schedule.getMatmul().getK() << " keys a step; about " << resources.vgprs
     << " VGPRs and " << resources.ldsBytes << " bytes of LDS";
  return text;
}
