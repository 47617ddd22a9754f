//===- GemmCost.cpp - how long a te.gemm takes ----------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GemmCost.h"

#include "Bound.h"

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
  GemmStep step = estimateGemmStep(demand, plan, schedule, target, *timing);
  // A barrier waits for what was put into LDS, and the first read behind it
  // takes as long again; a conversion through LDS has two barriers, and one for
  // each operand follows the other. What is taken behind a pipeline's barrier
  // hides behind the last part's products, unless there is but one.
  bool isPipelined = matmul.getStages() > 1;
  bool hidesTakes = matmul.getK() > MMA::lookup(matmul.getMma())->k;
  double latency = 2 * timing->ldsLatency;
  double each = isPipelined ? step.getClocks() + latency +
                                  (hidesTakes ? 0 : step.ldsReads)
                            : step.matrix + step.memory + step.ldsReads +
                                  step.ldsWrites + 4 * latency;
  double stored =
      double(tile[0]) * tile[1] * demand.outputBytes / timing->l1Bytes;
  double workgroup =
      timing->getMemoryLatency() + step.memory + steps * each + stored;
  return std::ceil(tiles / target.computeUnits) * workgroup;
}
