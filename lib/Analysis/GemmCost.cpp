//===- GemmCost.cpp - how long a te.gemm takes ----------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GemmCost.h"

#include "te/Target/MMA.h"
#include "te/Target/Timing.h"

#include <cmath>

using namespace mlir;
using namespace mlir::te;

/// A size that is not known.
static constexpr int64_t kUsualSize = 4096;

static double getSize(int64_t extent) {
  return ShapedType::isDynamic(extent) ? kUsualSize
                                       : std::max<int64_t>(extent, 1);
}

namespace {
/// What a workgroup asks of its compute unit, in clocks.
struct StepClocks {
  double matrix, lds, memory;
  double overlapped() const { return std::max({matrix, lds, memory}); }
  double inTurn() const { return matrix + lds + memory; }
};
} // namespace

static int64_t getBits(Type type) {
  return getElementTypeOrSelf(type).getIntOrFloatBitWidth();
}

static StepClocks getStepClocks(const TileDemand &demand, const GemmPlan &plan,
                                ScheduleAttr schedule, const Target &target,
                                const Timing &timing) {
  MatmulAttr matmul = schedule.getMatmul();
  const MMA &mma = *MMA::lookup(matmul.getMma());
  double rows = schedule.getTile()[0], cols = schedule.getTile()[1],
         k = matmul.getK();
  unsigned busy = std::min<unsigned>(schedule.getWaves(), target.simdsPerCU);
  double products = double(mma.size) * mma.size * mma.k;
  double a = rows * k * getBits(plan.a) / 8, b = cols * k * getBits(plan.b) / 8;
  GemmOp gemm = demand.gemm;
  double loaded = (rows * getBits(gemm.getA().getType()) +
                   cols * getBits(gemm.getB().getType())) *
                  k / 8;
  // Each wave reads its rows and columns; what loads ask of memory must also
  // have been under way for the latency.
  double moved = a + b + a * matmul.getWaves()[1] + b * matmul.getWaves()[0];
  double perClock = std::min<double>(
      timing.l1Bytes, double(timing.bytesInFlight) / timing.l2Latency);
  return {rows * cols * k / products *
              mma.getCycles(*getMMAFormat(plan.a), *getMMAFormat(plan.b)) /
              busy,
          moved / (timing.ldsPorts * timing.ldsPortBytes), loaded / perClock};
}

double te::estimateGemmClocks(const TileDemand &demand, const GemmPlan &plan,
                              ScheduleAttr schedule, const Target &target) {
  const Timing *timing = Timing::lookup(target.name);
  if (!timing)
    return 0;
  MatmulAttr matmul = schedule.getMatmul();
  GemmOp gemm = demand.gemm;
  double k = getSize(
      cast<ShapedType>(gemm.getA().getType()).getDimSize(gemm.getKDimA()));
  double steps = std::ceil(k / matmul.getK());
  auto tile = schedule.getTile();
  double tiles = std::ceil(getSize(demand.rows) / tile[0]) *
                 std::ceil(getSize(demand.cols) / tile[1]);
  StepClocks step = getStepClocks(demand, plan, schedule, target, *timing);
  // A barrier waits for what was put into LDS; a conversion through LDS has two
  // barriers, and one for each operand follows the other.
  bool overlaps = matmul.getStages() > 1;
  double each = overlaps ? step.overlapped() + timing->ldsLatency
                         : step.inTurn() + 4 * timing->ldsLatency;
  double stored =
      double(tile[0]) * tile[1] * demand.outputBytes / timing->l1Bytes;
  double workgroup =
      timing->memoryLatency + step.memory + steps * each + stored;
  return std::ceil(tiles / target.computeUnits) * workgroup;
}
