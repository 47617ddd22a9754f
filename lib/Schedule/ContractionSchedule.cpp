//===- ContractionSchedule.cpp - schedules of plain products --------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of the legal schedules the first by the roofline. An op that does not need
// all of K is taken as one that does.
//
//===----------------------------------------------------------------------===//

#include "ContractionSchedule.h"
#include "BrokenRule.h"

#include "GemmSchedule.h"
#include "Roofline.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;

/// VGPRs next to tiles: addresses, bounds, what masks operands.
static constexpr unsigned kBaseVGPRs = 40;

static std::pair<Type, Type> getElements(const Contraction &product) {
  return {getElementTypeOrSelf(product.a.getType()),
          getElementTypeOrSelf(product.b.getType())};
}

/// Instructions for the operands, the most products a cycle first.
static SmallVector<const MMA *> getInstructions(const Contraction &product,
                                                const Target &target) {
  auto [a, b] = getElements(product);
  return target.amd && getMMAFormat(a) && getMMAFormat(b)
             ? findInstructions(target, a, b, /*needsScales=*/false)
             : SmallVector<const MMA *>();
}

/// Bytes of a step's elements of A and of B.
static std::pair<int64_t, int64_t> getStepBytes(const TileDemand &demand,
                                                ScheduleAttr schedule) {
  auto [a, b] = getElements(demand.contraction);
  int64_t k = schedule.getMatmul().getK();
  return {schedule.getTile()[0] * k * getElementBits(a) / 8,
          schedule.getTile()[1] * k * getElementBits(b) / 8};
}

ResourceEstimate te::estimateContraction(const TileDemand &demand,
                                         ScheduleAttr schedule,
                                         const Target &target) {
  MatmulAttr matmul = schedule.getMatmul();
  auto [stepA, stepB] = getStepBytes(demand, schedule);
  int64_t lanes = schedule.getWaves() * target.waveSize,
          elements = schedule.getTile()[0] * schedule.getTile()[1];
  bool isStaged = schedule.getPipeline().getStages() > 1;
  // What one product takes, of all of K that it has; where operands go through
  // LDS step by step, of an instruction's, and the next one's meanwhile.
  int64_t taken =
      (stepA / matmul.getWaves()[0] + stepB / matmul.getWaves()[1]) /
      target.waveSize;
  if (isStaged)
    taken = 2 * taken * MMA::lookup(matmul.getMma())->k / matmul.getK();
  ResourceEstimate result;
  result.elementsPerLane = std::max<int64_t>(elements / lanes, 1);
  // What goes to LDS through registers, as an operand does that is worked on
  // first, is there twice: loaded, and before it is put.
  int64_t inLoop = taken + 2 * (stepA + stepB) / lanes,
          epilogue = result.elementsPerLane * demand.liveBytes;
  result.vgprs = kBaseVGPRs + llvm::divideCeil(4 * result.elementsPerLane +
                                                   std::max(inLoop, epilogue),
                                               4);
  int64_t read = isStaged ? schedule.getPipeline().getStages() * (stepA + stepB)
                          : std::max(stepA, stepB);
  result.ldsBytes = std::max(
      {read, getPassingBytes(schedule, demand.outputBytes, target), lanes * 4});
  return result;
}

std::optional<std::string>
te::findContractionViolation(const TileDemand &demand, ScheduleAttr schedule,
                             const Target &target) {
  if (!demand.contraction)
    return std::nullopt;
  std::string name = demand.contraction.op->getName().getStringRef().str();
  if (!target.amd)
    return whyNoProducts(name, target);
  SmallVector<const MMA *> instructions =
      getInstructions(demand.contraction, target);
  auto [a, b] = getElements(demand.contraction);
  MatmulAttr matmul = schedule.getMatmul();
  if (instructions.empty())
    return BrokenRule("G2")
           << name << " multiplies " << a << " by " << b << ", but "
           << target.name
           << " has no instruction for that; convert one of them";
  if (!matmul)
    return whyNoMatmul(name);
  if (std::optional<std::string> why =
          whyNotInstruction(matmul, instructions, target))
    return why;
  if (std::optional<std::string> why = whyNotTile(schedule, target))
    return why;
  if (dividesWork(schedule))
    return BrokenRule("H22")
           << "split_k, group_m, workgroups, row_tiles and sweep are not for "
           << name << "; leave them out";
  return std::nullopt;
}

/// Calls `visit` with the schedules that are legal, large tiles first.
static void forEachSchedule(MLIRContext *context, const TileDemand &demand,
                            const Target &target,
                            function_ref<void(ScheduleAttr)> visit) {
  auto [a, b] = getElements(demand.contraction);
  int64_t bits = std::max(getElementBits(a), getElementBits(b)),
          simds = target.simdsPerCU;
  bool copiesToLds = target.amd->directLoadBytes == target.maxAccessBytes;
  auto make = [&](const MMA &mma, std::array<int64_t, 2> tile, int64_t k,
                  int64_t mostWaves, int64_t stages) {
    std::array<int64_t, 2> waves = chooseWaves(tile, mma, mostWaves);
    int64_t count = waves[0] * waves[1];
    bool usesPingPong = stages > 1 && count > simds && k > mma.k;
    auto matmul = MatmulAttr::get(context, mma.name, k, waves);
    auto pipeline = PipelineAttr::get(context, stages,
                                      stages > 1 && copiesToLds, usesPingPong);
    int64_t vector =
        std::min<int64_t>(target.maxAccessBytes * 8 / bits, tile[1]);
    auto schedule =
        ScheduleAttr::get(context, target.name, tile, vector, matmul, pipeline);
    if (!findViolation(demand, schedule, target))
      visit(schedule);
  };
  SmallVector<int64_t> stages = {2, 1};
  if (copiesToLds) // with three, memory has two steps' time
    stages.insert(stages.begin(), 3);
  for (const MMA *mma : getInstructions(demand.contraction, target))
    for (int64_t cols :
         listSizes(demand.cols, std::max<int64_t>(demand.minCols, mma->size)))
      for (int64_t rows :
           listSizes(demand.rows, std::max<int64_t>(demand.minRows, mma->size)))
        // Rows of whole cache lines, or of half ones.
        for (int64_t bytes : {kCacheLineBytes, kCacheLineBytes / 2})
          for (int64_t waves : {2 * simds, simds})
            for (int64_t count : stages)
              make(*mma, {rows, cols},
                   std::max<int64_t>(bytes * 8 / bits, mma->k), waves, count);
}

SmallVector<ScheduleAttr> te::listContractionSchedules(MLIRContext *context,
                                                       const TileDemand &demand,
                                                       const Target &target) {
  SmallVector<ScheduleAttr> schedules;
  forEachSchedule(context, demand, target, [&](ScheduleAttr schedule) {
    if (!llvm::is_contained(schedules, schedule))
      schedules.push_back(schedule);
  });
  return schedules;
}

ScheduleAttr te::chooseContractionSchedule(MLIRContext *context,
                                           const TileDemand &demand,
                                           const Target &target) {
  // findViolation says of this one why there is none.
  auto best = ScheduleAttr::get(context, target.name, {1, 1}, 1, 1);
  if (!target.amd || !Timing::lookup(target.name))
    return best;
  double least = std::numeric_limits<double>::infinity();
  forEachSchedule(context, demand, target, [&](ScheduleAttr schedule) {
    double clocks = getRoofline(demand, schedule, target)->getClocks();
    if (clocks >= least)
      return;
    least = clocks;
    best = schedule;
  });
  return best;
}

std::string te::explainContractionSchedule(ScheduleAttr schedule) {
  MatmulAttr matmul = schedule.getMatmul();
  return llvm::formatv("{0} takes the operands; a step sums {1} elements; {2} "
                       "x {3} waves hold a tile of {4} x {5}",
                       matmul.getMma(), matmul.getK(), matmul.getWaves()[0],
                       matmul.getWaves()[1], schedule.getTile()[0],
                       schedule.getTile()[1]);
}
