//===- GemmUnit.cpp - the parts of what workgroups of a product take ------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GemmUnit.h"

#include "GemmSchedule.h"

#include "te/Target/MMA.h"
#include "te/Target/Timing.h"

#include <cmath>

using namespace mlir;
using namespace mlir::te;

/// A size that is not known.
static constexpr int64_t kUsualSize = 4096;

double te::getSize(int64_t extent) {
  return ShapedType::isDynamic(extent) ? kUsualSize
                                       : std::max<int64_t>(extent, 1);
}

GemmGrid::GemmGrid(const TileDemand &demand, ScheduleAttr schedule)
    : columns(std::ceil(getSize(demand.cols) / schedule.getTile()[1])),
      rows(std::ceil(getSize(demand.rows) / schedule.getTile()[0])),
      pieces(schedule.getMatmul().getSplitK()) {}

GemmGrid GemmGrid::getWhole(ScheduleAttr schedule) const {
  GemmGrid whole = *this;
  whole.pieces = 1;
  whole.rows = schedule.getMatmul().getWholeRows() / schedule.getTile()[0];
  return whole;
}

GemmGrid GemmGrid::getRest(ScheduleAttr schedule) const {
  GemmGrid rest = *this;
  rest.rows -= getWhole(schedule).rows;
  return rest;
}

double te::getOperandBytes(Value operand) {
  return getElementBits(getSource(operand).getType()) / 8.;
}

/// Instructions that round an f32 to bf16, where the chip has none for that.
static constexpr double kForRounding = 5.5;

/// Instructions an element that a prologue makes of another, as kernels have
/// them: codes become f32, which are scaled, and rounded where a scale is no
/// power of two.
static double getPrologueWork(Value source, Type element,
                              const Target &target) {
  auto scaled = dyn_cast<ScaledType>(source.getType());
  double decode = 2, scale = scaled ? 0.5 : 0, round = 0.5;
  if (scaled && scaled.isFP4()) {
    decode = 4;
  } else if (scaled) {
    bool isFNUZ =
        isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(scaled.getElementType());
    decode = isFNUZ == (target.fp8 == FP8Encoding::FNUZ) ? 3 : 8;
  }
  bool isExact = scaled && scaled.getScaling().isE8M0();
  if (element.isBF16() && !isExact && !target.hasBF16Conversions)
    round = kForRounding;
  return decode + scale + round;
}

/// Clocks in which a workgroup's sums become results of so many bytes, on their
/// way through LDS.
static double estimateFinish(const TileDemand &demand, ScheduleAttr schedule,
                             const Target &target, const Timing &timing,
                             double bytes) {
  GemmOp gemm = demand.gemm;
  double elements = double(schedule.getTile()[0]) * schedule.getTile()[1];
  bool isRounded = bytes < 4 && !target.hasBF16Conversions &&
                   getElementTypeOrSelf(gemm.getResult().getType()).isBF16();
  double work = isRounded ? kForRounding : bytes < 4 ? 0.5 : 0;
  return elements * work / target.waveSize * timing.turn /
             std::min<unsigned>(schedule.getWaves(), target.simdsPerCU) +
         elements * bytes / timing.ldsPorts *
             (1.0 / timing.ldsStoreBytes + 1.0 / timing.ldsPortBytes);
}

/// [C] vector instructions of kernels: for an element that is scaled, and for a
/// wave's step beside these (scales, addresses in LDS): where places in LDS are
/// constants of a round, else between all products, and beside single parts (10
/// to 36; fewer where many waves share a step, which this is to tell apart).
static constexpr double kForScaling = 4, kForStepInRound = 2, kForStep = 16,
                        kForLooseStep = 18;

/// What scales elements stands between all products of a step, as
/// tile-distribute has it.
static bool spreadsScaling(const TileDemand &demand, const GemmPlan &plan,
                           ScheduleAttr schedule, const Target &target,
                           const Timing &timing, const GemmStep &step) {
  MatmulAttr matmul = schedule.getMatmul();
  double lines = schedule.getTile()[0] + demand.getColumns(schedule),
         each = lines * matmul.getK() / target.waveSize * kForScaling,
         cores = std::min<double>(schedule.getWaves(), target.simdsPerCU);
  return plan.scales == GemmPlan::Scales::Elements && matmul.getStages() > 1 &&
         each * timing.turn <= step.matrix * cores;
}

/// Clocks of the vector units in a step of one workgroup: partial sums that are
/// scaled, operands that are converted or scaled, or turned so that K is in one
/// register. `ofStep`: instructions of a wave that scales elements, beside
/// that.
static double estimateVectorClocks(const TileDemand &demand,
                                   const GemmPlan &plan, ScheduleAttr schedule,
                                   const Target &target, const Timing &timing,
                                   double ofStep) {
  // Instructions an element. v_perm_b32 makes a register of two: of 2 x 2
  // elements of two bytes two turn all, of 4 x 4 of one byte eight. [C]
  constexpr double kForSum = 5, kForConversion = 16, kForTurn = 0.5;
  double forConversion =
      plan.scales == GemmPlan::Scales::Elements ? kForScaling : kForConversion;
  GemmOp gemm = demand.gemm;
  double rows = schedule.getTile()[0], cols = demand.getColumns(schedule),
         k = schedule.getMatmul().getK();
  auto getForOperand = [&](tile::MMASide side, Value factor, unsigned kDim,
                           Type element) {
    Value operand = getSource(factor);
    auto type = cast<ShapedType>(operand.getType());
    bool isTurned = !liesAlongK(operand, kDim) &&
                    !(schedule.getMatmul().getDirect() &&
                      planFetch(gemm, plan, side, schedule, target));
    double work = operand != factor ? getPrologueWork(operand, element, target)
                  : element != type.getElementType() ? forConversion
                                                     : 0;
    return work + (isTurned ? kForTurn : 0);
  };
  double work =
      rows * k *
          getForOperand(tile::MMASide::A, gemm.getA(), gemm.getKDimA(),
                        plan.a) +
      cols * k *
          getForOperand(tile::MMASide::B, gemm.getB(), gemm.getKDimB(), plan.b);
  if (plan.scales == GemmPlan::Scales::Blocks)
    work += rows * cols * kForSum;
  if (plan.scales == GemmPlan::Scales::Elements)
    work += ofStep * schedule.getWaves() * target.waveSize;
  return work / target.waveSize * timing.turn /
         std::min<unsigned>(schedule.getWaves(), target.simdsPerCU);
}

/// Waves that take turns are at different parts of a step, so that some
/// multiply while one scales elements: where a SIMD has many, and a step as
/// well. [fitted]
static bool areApart(ScheduleAttr schedule, double parts,
                     const Target &target) {
  constexpr double manyWaves = 4, manyParts = 8;
  return schedule.getWaves() >= manyWaves * target.simdsPerCU &&
         parts >= manyParts;
}

/// Stores of a workgroup, behind its loop, take longer than all its products,
/// and another one fits into LDS: by turns the loops of both would end
/// together, and none would multiply while the other stores.
static bool storesBesideOthers(const TileDemand &demand, ScheduleAttr schedule,
                               const Target &target, const Timing &timing,
                               const GemmStep &step) {
  double steps = std::ceil(getSize(getK(demand.gemm)) /
                           schedule.getMatmul().getK()),
         stored = double(schedule.getTile()[0]) * schedule.getTile()[1] *
                  demand.outputBytes /
                  timing.getMemoryShare(target.computeUnits);
  return schedule.getWorkgroups() == 0 && stored > steps * step.matrix &&
         2 * estimateGemm(demand, schedule, target).ldsBytes <=
             target.ldsBytesPerWorkgroup;
}

bool te::gainsByPingPong(const TileDemand &demand, const GemmPlan &plan,
                         ScheduleAttr schedule, const Target &target) {
  using Scales = GemmPlan::Scales;
  MatmulAttr matmul = schedule.getMatmul();
  const Timing *timing = Timing::lookup(target.name);
  double parts = double(matmul.getK()) / MMA::lookup(matmul.getMma())->k,
         sharing = double(schedule.getWaves()) / target.simdsPerCU;
  // What scales elements or sums is beside the other wave's products as it is;
  // scales through LDS are waited for beside elements through registers.
  if (!timing || matmul.getStages() == 1 || parts == 1 || sharing <= 1 ||
      plan.scales == Scales::Blocks || hasPrologue(demand.gemm) ||
      (plan.scales == Scales::Instruction && !matmul.getDirect()))
    return false;
  if (plan.scales == Scales::Elements)
    return areApart(schedule, parts, target);
  GemmStep step = estimateGemmStep(demand, plan, schedule, target, *timing);
  if (storesBesideOthers(demand, schedule, target, *timing, step))
    return false;
  // LDS has nothing to do beside the last part in front of a barrier, but for
  // what that part has asked for.
  double ofPart = parts * sharing,
         idle = std::max(
             (step.matrix - step.ldsReads) / ofPart - timing->ldsLatency, 0.0);
  return step.getLds() + idle <= step.matrix;
}

/// Steps whose scales of blocks are read at once, of each side; 1 where there
/// are none.
static std::array<int64_t, 2> getScaleSteps(const TileDemand &demand,
                                            const GemmPlan &plan,
                                            ScheduleAttr schedule,
                                            const Target &target) {
  using Scales = GemmPlan::Scales;
  constexpr int64_t kWordBytes = 4; // a lane's, or one scale of f32
  GemmOp gemm = demand.gemm;
  MatmulAttr matmul = schedule.getMatmul();
  std::array<int64_t, 2> sides = {1, 1};
  if (plan.scales == Scales::None || plan.scales == Scales::Sum)
    return sides;
  int64_t ofStep = std::max<int64_t>(matmul.getK() / plan.block, 1);
  for (auto [steps, outer, operand] :
       llvm::zip_equal(sides, schedule.getTile(),
                       std::array<Value, 2>{gemm.getA(), gemm.getB()})) {
    auto scaled = dyn_cast<ScaledType>(getSource(operand).getType());
    if (plan.scales == Scales::Elements &&
        !(scaled && scaled.getScaling().isE8M0()))
      continue;
    int64_t bytes = plan.scales == Scales::Elements
                        ? kWordBytes
                        : getScaleBytes(plan, outer, schedule, target),
            each = plan.scales == Scales::Blocks ? kWordBytes : 1;
    steps = getWholeSteps(std::max<int64_t>(bytes / each / ofStep, 1),
                          getK(gemm), matmul.getK(), matmul.getSplitK());
  }
  return sides;
}

/// Elements that are scaled go through registers in so few steps that these
/// have no loop (tile-unroll).
static bool mayReadEarly(const GemmPlan &plan, GemmOp gemm,
                         ScheduleAttr schedule, const GemmStep &step,
                         double steps) {
  return plan.scales == GemmPlan::Scales::Elements &&
         !ShapedType::isDynamic(getK(gemm)) && steps <= kMostStepsInRound &&
         steps * step.products <= kMostProductsAlone * schedule.getWaves();
}

/// Steps of the longest piece of K: pieces are whole runs of steps that are
/// read at once.
static double getPieceSteps(double k, ScheduleAttr schedule, double pieces,
                            double together) {
  double steps = std::ceil(k / schedule.getMatmul().getK());
  return std::min(std::ceil(std::ceil(steps / together) / pieces) * together,
                  steps);
}

/// Steps beside which the tile before is stored: all, or a part of a loop's
/// (tile-unroll). Not that more steps than a round have a loop (0012).
static double countBesideStores(ScheduleAttr schedule, double steps,
                                const GemmStep &step) {
  auto getMost = [&](bool areAll) {
    return std::floor(getMostBesideStores(schedule.getMatmul(), areAll) *
                      schedule.getWaves() / step.products);
  };
  if (steps <= getMost(/*areAll=*/true))
    return steps;
  return std::max(
      std::min(getMost(/*areAll=*/false), std::floor(steps / kPartsOfTile)),
      1.0);
}

/// Sums are few that take such a part of a lane's registers.
static constexpr double kFewSums = 8;

GemmUnit GemmUnit::get(const TileDemand &demand, const GemmPlan &plan,
                       ScheduleAttr schedule, const Target &target,
                       const Timing &timing, const GemmGrid &grid, double count,
                       bool prefetches) {
  MatmulAttr matmul = schedule.getMatmul();
  GemmOp gemm = demand.gemm;
  double active = std::min<double>(count, target.computeUnits);
  std::optional<FetchPlan> fetchA, fetchB;
  if (matmul.getDirect()) {
    fetchA = planFetch(gemm, plan, tile::MMASide::A, schedule, target);
    fetchB = planFetch(gemm, plan, tile::MMASide::B, schedule, target);
  }
  auto scaleSteps = getScaleSteps(demand, plan, schedule, target);

  double rows = schedule.getTile()[0],
         width = grid.pieces > 1 ? 4 : demand.outputBytes;
  // Whole pieces of lines, of which a wave may have less.
  double stored = std::min(rows, getSize(demand.rows)) * schedule.getTile()[1] *
                  width / timing.getMemoryShare(active) *
                  std::max(kStoreBytes * matmul.getWaves()[1] /
                               (schedule.getTile()[1] * width),
                           1.0);
  double parts = double(matmul.getK()) / MMA::lookup(matmul.getMma())->k;
  bool isRest = grid.pieces > 1 && matmul.getWholeRows();
  double together =
      std::max({scaleSteps[0], scaleSteps[1], fetchA ? fetchA->steps : 1,
                fetchB ? fetchB->steps : 1});
  // As many for each piece, which are runs of steps that are read at once.
  double steps = std::ceil(getSize(getK(gemm)) / matmul.getK()),
         runs = std::ceil(steps / together);
  bool knowsSteps = matmul.getSplitK() == 1 ||
                    (!ShapedType::isDynamic(getK(gemm)) &&
                     std::fmod(isRest ? steps : runs, matmul.getSplitK()) == 0);
  // Elements are scaled, or dequantized, beside one part's products for each
  // side, in all waves at once, but where many take turns.
  bool scalesElements =
      (plan.scales == GemmPlan::Scales::Elements || hasPrologue(gemm)) &&
      !(matmul.getPingPong() && areApart(schedule, parts, target));
  GemmStep step = estimateGemmStep(demand, plan, schedule, target, timing);
  bool spreads = spreadsScaling(demand, plan, schedule, target, timing, step);
  bool inRounds =
      spreads && knowsSteps && scalesInRounds(gemm, plan) &&
      std::fmod(steps / matmul.getSplitK(), matmul.getStages()) == 0;
  double ofStep = inRounds  ? kForStepInRound
                  : spreads ? kForStep
                            : kForLooseStep,
         vector = estimateVectorClocks(demand, plan, schedule, target, timing,
                                       ofStep);
  double besides =
      scalesElements && !spreads ? 1 - (parts > 2 ? 2 : 1) / parts : 0;
  bool scalesProducts = plan.scales == GemmPlan::Scales::Instruction;
  bool readsAtOnce = rows * demand.getColumns(schedule) * kFewSums <=
                     double(getMostVGPRs(schedule, target)) * target.waveSize *
                         schedule.getWaves();
  return {.schedule = schedule,
          .target = target,
          .timing = timing,
          .step = step,
          .loads = GemmLoads::get(demand, plan, schedule, target, timing,
                                  {&fetchA, &fetchB}, scaleSteps, grid, active),
          .active = active,
          .parts = parts,
          .vector = vector,
          .besides = besides,
          .spreads = spreads,
          .steps = getPieceSteps(getSize(getK(gemm)), schedule, grid.pieces,
                                 isRest ? 1 : together),
          .finished = estimateFinish(demand, schedule, target, timing, width),
          .stored = stored,
          .prefetches = prefetches,
          .fetches = fetchA && fetchB,
          .fetchesLate = parts == 1 && matmul.getStages() > 3 && fetchA &&
                         fetchB && fetchA->hidesMemory && fetchB->hidesMemory,
          .knowsSteps = knowsSteps,
          .readsEarly = knowsSteps && mayReadEarly(plan, gemm, schedule, step,
                                                   steps / matmul.getSplitK()),
          .readsAtOnce = readsAtOnce,
          .scaleSteps = scalesProducts
                            ? double(std::min(scaleSteps[0], scaleSteps[1]))
                            : 0,
          .besideStores = schedule.getWorkgroups() > 0
                              ? countBesideStores(schedule, steps, step)
                              : 0};
}
