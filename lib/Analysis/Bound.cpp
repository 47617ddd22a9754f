//===- Bound.cpp - what bounds a schedule's kernel ------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bound.h"

#include "te/Target/Timing.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;

//===----------------------------------------------------------------------===//
// te.gemm
//===----------------------------------------------------------------------===//

double GemmStep::getClocks() const {
  return std::max({matrix, l2, ldsReads, ldsWrites});
}

llvm::StringRef GemmStep::getBound() const {
  double most = getClocks();
  return most == matrix     ? "the matrix cores"
         : most == l2       ? "L2"
         : most == ldsReads ? "reads of LDS"
                            : "writes to LDS";
}

static int64_t getBits(Type type) {
  return getElementTypeOrSelf(type).getIntOrFloatBitWidth();
}

std::optional<GemmStep> te::estimateGemmStep(const TileDemand &demand,
                                             ScheduleAttr schedule,
                                             const Target &target) {
  const Timing *timing = Timing::lookup(target.name);
  MatmulAttr matmul = schedule.getMatmul();
  std::string why;
  std::optional<GemmPlan> plan;
  if (timing && matmul && demand.gemm)
    plan = planGemm(demand.gemm, target, why);
  const MMA *mma = plan ? MMA::lookup(matmul.getMma()) : nullptr;
  if (!mma)
    return std::nullopt;
  GemmOp gemm = demand.gemm;
  int64_t rows = schedule.getTile()[0], cols = schedule.getTile()[1];
  int64_t k = matmul.getK(), across = matmul.getWaves()[0],
          along = matmul.getWaves()[1];
  double products =
      double(rows) * cols * k / (double(mma->size) * mma->size * mma->k);
  auto bytes = [&](int64_t lines, Type type) {
    return double(lines * k * getBits(type)) / 8;
  };
  // In LDS operands are what the instruction takes; each wave reads its rows of
  // A and its columns of B.
  double a = bytes(rows, plan->a), b = bytes(cols, plan->b);
  GemmStep step;
  step.matrix = products /
                std::min<int64_t>(across * along, target.simdsPerCU) *
                mma->getCycles(*getMMAFormat(plan->a), *getMMAFormat(plan->b));
  step.l2 = (bytes(rows, gemm.getA().getType()) +
             bytes(cols, gemm.getB().getType())) /
            timing->getL2Share(target.computeUnits);
  step.ldsReads =
      (along * a + across * b) / (timing->ldsPorts * timing->ldsPortBytes);
  step.ldsWrites = (a + b) / (timing->ldsPorts * timing->ldsStoreBytes);
  return step;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

std::optional<FlightEstimate> te::estimateFlight(const TileDemand &demand,
                                                 ScheduleAttr schedule,
                                                 const Target &target) {
  const Timing *timing = Timing::lookup(target.name);
  if (!timing)
    return std::nullopt;
  ResourceEstimate resources = estimate(demand, schedule, target);
  int64_t waves =
      target.simdsPerCU * target.occupancy(resources.vgprs, resources.ldsBytes,
                                           schedule.getWaves());
  FlightEstimate made;
  made.workgroups = std::max<int64_t>(waves / schedule.getWaves(), 1);
  made.asked = std::min<int64_t>(made.workgroups * schedule.getTile()[0] *
                                     schedule.getTile()[1] * demand.loadedBytes,
                                 timing->bytesInFlight);
  made.needed = std::ceil(timing->getMemoryLatency() *
                          timing->getMemoryShare(target.computeUnits));
  return made;
}

std::string te::explainBound(const TileDemand &demand, ScheduleAttr schedule,
                             const Target &target) {
  if (std::optional<GemmStep> step = estimateGemmStep(demand, schedule, target))
    return llvm::formatv(
        "; a step takes {0:f0} clocks of the matrix cores, {1:f0} of L2, "
        "{2:f0} "
        "of reads of LDS and {3:f0} of writes: bound by {4}, {5:f0} % of the "
        "matrix cores' peak",
        step->matrix, step->l2, step->ldsReads, step->ldsWrites,
        step->getBound(), 100 * step->matrix / step->getClocks());
  if (std::optional<FlightEstimate> flight =
          estimateFlight(demand, schedule, target))
    return llvm::formatv(
        "; {0} workgroups a CU ask for {1} bytes, where {2} hide "
        "memory's latency at its share of the bandwidth",
        flight->workgroups, flight->asked, flight->needed);
  return "";
}
