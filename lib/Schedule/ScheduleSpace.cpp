//===- ScheduleSpace.cpp - the schedules that te-tune tries ---------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Schedule/ScheduleSpace.h"

#include "AttentionSchedule.h"
#include "Clusters.h"
#include "ContractionSchedule.h"
#include "GemmSchedule.h"
#include "Roofline.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;

namespace {
/// What can be chosen of a schedule.
struct Point {
  int64_t rows = 0, cols = 0, vector = 0;
  int64_t waves = 0; // without a te.gemm
  int64_t mma = 0;   // number of the plan's instruction
  int64_t wavesM = 0, wavesN = 0, k = 0, stages = 0, direct = 0, pingPong = 0;
};
/// The values of one of them, the inner ones last.
struct Axis {
  int64_t Point::*field;
  SmallVector<int64_t> values;
};
} // namespace

static SmallVector<int64_t> powersOfTwo(int64_t from, int64_t to) {
  SmallVector<int64_t> values;
  for (int64_t value = from; value <= to; value *= 2)
    values.push_back(value);
  return values;
}

/// A field of the schedule that is to be searched has its line here, and one in
/// getDistance.
static SmallVector<Axis> getAxes(const GemmPlan &plan, ScheduleAttr base,
                                 const Target &target) {
  static constexpr int64_t kLeastTile = 16, kMostTile = 256;
  static constexpr int64_t kLeastStep = 32, kMostStep = 256; // bytes of a row
  int64_t widest = std::max(getElementBits(plan.a), getElementBits(plan.b));
  int64_t waves = target.maxWavesPerWorkgroup;
  SmallVector<int64_t> steps = powersOfTwo(kLeastStep, kMostStep);
  for (int64_t &step : steps)
    step = step * 8 / widest;
  if (plan.scales == GemmPlan::Scales::Blocks)
    steps = {plan.block};
  return {
      {&Point::mma,
       llvm::to_vector(llvm::seq<int64_t>(0, plan.instructions.size()))},
      {&Point::rows, powersOfTwo(kLeastTile, kMostTile)},
      {&Point::cols, powersOfTwo(kLeastTile, kMostTile)},
      {&Point::wavesM, powersOfTwo(1, waves)},
      {&Point::wavesN, powersOfTwo(1, waves)},
      {&Point::k, steps},
      {&Point::stages, {1, 2, 3, 4}},
      {&Point::direct, {0, 1}},
      {&Point::pingPong, {0, 1}},
      // Such kernels load as the layouts of the operands have it.
      {&Point::vector, {base.getVector()}},
  };
}

static SmallVector<Axis> getAxes(ScheduleAttr base, const Target &target) {
  static constexpr int64_t kFactor = 8;
  auto around = [](int64_t size) {
    return powersOfTwo(std::max<int64_t>(size / kFactor, 1), size * kFactor);
  };
  return {
      {&Point::rows, around(base.getTile()[0])},
      {&Point::cols, around(base.getTile()[1])},
      {&Point::waves, powersOfTwo(1, target.maxWavesPerWorkgroup)},
      {&Point::vector, powersOfTwo(1, base.getVector())},
  };
}

/// Of a te.attention: keys of a step in `k`.
static SmallVector<Axis> getAxes(ArrayRef<const MMA *> instructions,
                                 const Target &target) {
  static constexpr int64_t kLeastKeys = 16, kMostKeys = 128;
  return {
      {&Point::mma,
       llvm::to_vector(llvm::seq<int64_t>(0, instructions.size()))},
      {&Point::waves, powersOfTwo(1, target.maxWavesPerWorkgroup)},
      {&Point::k, powersOfTwo(kLeastKeys, kMostKeys)},
      {&Point::stages, {1, 2, 3}},
      {&Point::direct, {0, 1}},
      {&Point::pingPong, {0, 1}},
  };
}

/// What a matmul may say (H14).
static bool isMatmul(const Point &p, const MMA &mma) {
  return p.k >= mma.k && (p.direct ? p.stages >= 2 : p.stages <= 2) &&
         !(p.pingPong && (p.stages == 1 || p.k == mma.k));
}

static void forEachPoint(ArrayRef<Axis> axes, Point &point,
                         function_ref<void(const Point &)> body) {
  if (axes.empty())
    return body(point);
  for (int64_t value : axes.front().values) {
    point.*axes.front().field = value;
    forEachPoint(axes.drop_front(), point, body);
  }
}

SmallVector<ScheduleAttr> te::listSchedules(MLIRContext *context,
                                            const TileDemand &demand,
                                            const Target &target) {
  ScheduleAttr base = chooseSchedule(context, demand, target);
  SmallVector<ScheduleAttr> schedules = {base};
  auto makeRows = [&](const Point &p) {
    Grid grid = base.getGrid().toGrid();
    if (grid.cluster > 1 && base.getSweep() == SweepKind::None)
      grid.cluster = getRowTiles(demand, p.cols);
    return ScheduleAttr::get(context, target.name, {p.rows, p.cols}, p.waves,
                             std::min(p.vector, p.cols), base.getSweep(), grid);
  };

  auto add = [&](ScheduleAttr schedule) {
    if (schedule != base && !findViolation(demand, schedule, target))
      schedules.push_back(schedule);
  };
  if (demand.contraction) {
    for (ScheduleAttr schedule :
         listContractionSchedules(context, demand, target))
      if (schedule != base)
        schedules.push_back(schedule);
    return schedules;
  }
  Point point;
  if (AttentionOp op = demand.attention) {
    SmallVector<const MMA *> instructions =
        getAttentionInstructions(op, target);
    forEachPoint(getAxes(instructions, target), point, [&](const Point &p) {
      const MMA &mma = *instructions[p.mma];
      if (isMatmul(p, mma) && (!p.direct || isDirect(op, p.waves, p.k, target)))
        add(makeAttentionSchedule(context, op, target, mma, p.waves, p.k,
                                  p.stages, p.direct != 0, p.pingPong != 0));
    });
    return schedules;
  }
  if (!demand.gemm) {
    forEachPoint(getAxes(base, target), point,
                 [&](const Point &p) { add(makeRows(p)); });
    return schedules;
  }
  std::string why;
  std::optional<GemmPlan> plan = planGemm(demand.gemm, target, why);
  if (!plan)
    return schedules;
  forEachPoint(getAxes(*plan, base, target), point, [&](const Point &p) {
    const MMA &mma = *plan->instructions[p.mma];
    int64_t waves = p.wavesM * p.wavesN;
    if (waves > target.maxWavesPerWorkgroup || !isMatmul(p, mma))
      return;
    auto whole = ScheduleAttr::get(
        context, target.name, {p.rows, p.cols}, std::min(p.vector, p.cols),
        MatmulAttr::get(context, mma.name, p.k, {p.wavesM, p.wavesN}),
        PipelineAttr::get(context, p.stages, p.direct != 0, p.pingPong != 0));

    if (findViolation(demand, whole, target))
      return;
    for (Split split : listAllSplits(demand, *plan, whole, target))
      add(withSplit(demand, whole, split, target));
  });
  return schedules;
}

int64_t te::getDistance(ScheduleAttr a, ScheduleAttr b) {
  auto getSizes = [](ScheduleAttr schedule) -> SmallVector<int64_t> {
    SmallVector<int64_t> sizes = {schedule.getTile()[0], schedule.getTile()[1],
                                  schedule.getVector()};
    MatmulAttr matmul = schedule.getMatmul();
    if (!matmul) {
      sizes.push_back(schedule.getWaves());
      return sizes;
    }
    sizes.append({matmul.getWaves()[0], matmul.getWaves()[1], matmul.getK(),
                  schedule.getPipeline().getStages(),
                  1 + schedule.getPipeline().getDirectToLds(),
                  1 + schedule.getPipeline().getPingPong(),
                  MMA::lookup(matmul.getMma())->size,
                  schedule.getGrid().getSplitK(),
                  1 + (schedule.getGrid().getWorkgroups() > 0)});
    return sizes;
  };
  int64_t distance = 0;
  for (auto [x, y] : llvm::zip_equal(getSizes(a), getSizes(b)))
    distance += std::abs(int64_t(llvm::Log2_64(x)) - int64_t(llvm::Log2_64(y)));
  return distance;
}

double te::getLeastClocks(const TileDemand &demand, ScheduleAttr schedule,
                          const Target &target) {
  std::optional<Roofline> roofline = getRoofline(demand, schedule, target);
  return roofline ? roofline->getLeastClocks() : 0;
}
