//===- Bound.cpp - what bounds a schedule's kernel ------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bound.h"

#include "GemmCost.h"
#include "GemmSchedule.h"

#include "te/Target/Timing.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;

//===----------------------------------------------------------------------===//
// te.gemm
//===----------------------------------------------------------------------===//

llvm::StringRef GemmStep::getBound() const {
  double most = getClocks();
  return most == matrix ? "the matrix cores" : most == memory ? "L2" : "LDS";
}

GemmStep te::estimateStep(ScheduleAttr schedule, int64_t columns, Type typeA,
                          Type typeB, double loaded, const Target &target,
                          const Timing &timing) {
  MatmulAttr matmul = schedule.getMatmul();
  const MMA &mma = *MMA::lookup(matmul.getMma());
  double rows = schedule.getTile()[0], cols = columns, k = matmul.getK();
  double products = rows * cols * k / (double(mma.size) * mma.size * mma.k);
  // In LDS operands are what the instruction takes; each wave reads its rows of
  // A and its columns of B.
  double a = rows * k * getElementBits(typeA) / 8,
         b = cols * k * getElementBits(typeB) / 8;
  double read = a * matmul.getWaves()[1] + b * matmul.getWaves()[0];
  GemmStep step;
  step.products = products;
  step.matrix = products *
                mma.getCycles(*getMMAFormat(typeA), *getMMAFormat(typeB)) /
                std::min<unsigned>(schedule.getWaves(), target.simdsPerCU);
  // What loads ask for must also have been under way for the latency.
  step.memory =
      loaded / std::min(timing.getL2Share(target.computeUnits),
                        double(timing.bytesInFlight) / timing.l2Latency);
  step.ldsReads = read / (timing.ldsPorts * timing.ldsPortBytes);
  step.ldsWrites = (a + b) / (timing.ldsPorts * timing.ldsStoreBytes);
  step.ldsBanks = (a + b + read) / (target.ldsBanks * 4);
  return step;
}

GemmStep te::estimateGemmStep(const TileDemand &demand, const GemmPlan &plan,
                              ScheduleAttr schedule, const Target &target,
                              const Timing &timing) {
  GemmOp gemm = demand.gemm;
  int64_t cols = demand.getColumns(schedule);
  double bits =
      schedule.getTile()[0] * getElementBits(getSource(gemm.getA()).getType()) +
      cols * getElementBits(getSource(gemm.getB()).getType());
  return estimateStep(schedule, cols, plan.a, plan.b,
                      bits * schedule.getMatmul().getK() / 8, target, timing);
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
  const Timing *timing = Timing::lookup(target.name);
  if (!timing)
    return "";
  if (demand.gemm) {
    std::string why;
    std::optional<GemmPlan> plan = planGemm(demand.gemm, target, why);
    if (!plan || !schedule.getMatmul())
      return "";
    GemmStep step = estimateGemmStep(demand, *plan, schedule, target, *timing);
    return llvm::formatv("; a step takes {0:f0} clocks of the matrix cores, "
                         "{1:f0} of L2 and {2:f0} of LDS: bound by {3}, {4:f0} "
                         "% of the matrix cores' peak; about {5:f0} clocks in "
                         "all",
                         step.matrix, step.memory, step.getLds(),
                         step.getBound(), 100 * step.matrix / step.getClocks(),
                         estimateGemmClocks(demand, *plan, schedule, target));
  }
  if (std::optional<FlightEstimate> flight =
          estimateFlight(demand, schedule, target))
    return llvm::formatv(
        "; {0} workgroups a CU ask for {1} bytes, where {2} hide "
        "memory's latency at its share of the bandwidth",
        flight->workgroups, flight->asked, flight->needed);
  return "";
}
