//===- GemmCost.cpp - how long a te.gemm takes ----------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GemmCost.h"

#include "GemmSchedule.h"
#include "GemmUnit.h"

#include "te/Target/Timing.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::te;

int64_t te::chooseGroup(const TileDemand &demand, ScheduleAttr schedule,
                        const Target &target) {
  const Timing *timing = Timing::lookup(target.name);
  GemmGrid grid(demand, schedule);
  if (schedule.getMatmul().getWholeRows())
    grid = grid.getWhole(schedule);
  GemmOp gemm = demand.gemm;
  if (!timing || grid.columns == 1 || grid.getCount() <= timing->xcds)
    return 0;
  // What one XCD's CUs compute at the same time: longer, L2 does not hold it.
  double together = std::ceil(
      std::min<double>(grid.getCount(), target.computeUnits) / timing->xcds);
  int64_t best = 0;
  double least = 0;
  for (int64_t group = 1; group <= grid.rows * grid.pieces && group <= together;
       group *= 2) {
    double bytes =
        group * schedule.getTile()[0] * getOperandBytes(gemm.getA()) +
        std::ceil(together / group) * demand.getColumns(schedule) *
            getOperandBytes(gemm.getB());
    if (!best || bytes < least) {
      best = group;
      least = bytes;
    }
  }
  return best;
}

/// Elements of the tiles of such a kernel, at the most.
static constexpr double kPassTile = 4096;

/// Clocks of a kernel behind a product, which reads so many bytes of it for
/// each element from a row on, and what the demand says, and writes its
/// results.
static double estimatePassClocks(const TileDemand &demand, double read,
                                 const Target &target, const Timing &timing,
                                 int64_t firstRow = 0) {
  double elements = (getSize(demand.rows) - firstRow) * getSize(demand.cols);
  double bytes = elements * (read + demand.loadedBytes + demand.outputBytes);
  // Tiles are halved until each CU has one, some then two.
  double units = target.computeUnits, tile = kPassTile;
  while (tile > 1 && elements / tile < units)
    tile /= 2;
  double each = elements / tile / units;
  // Arguments; loads are all under way at once; a way through LDS; then what
  // there is to store.
  return timing.getKernelGap() + 2 * timing.scalarLatency +
         timing.getMemoryLatency() + 4 * timing.ldsLatency + timing.l2Latency +
         bytes / timing.memoryBandwidth * timing.clockGHz * 1e9 *
             (each > 1 ? std::ceil(each) / each : 1);
}

/// LLVM counts on no other workgroup: registers that it takes beyond the
/// estimate in loops whose operands come straight to LDS, about (0012); few
/// steps have none.
static constexpr unsigned kDirectVGPRs = 16;

/// Of the last rows' pieces, those that the busiest CU has behind its `ofWhole`
/// whole ones. Workgroups are dealt out to XCDs in turns; of an XCD's CUs those
/// that have fewer whole ones have pieces meanwhile.
static double getBusiestRest(const GemmGrid &whole, const GemmGrid &rest,
                             double ofWhole, const Target &target,
                             const Timing &timing) {
  if (rest.getCount() == 0)
    return 0;
  double units = double(target.computeUnits) / timing.xcds,
         wholes = std::ceil(whole.getCount() / timing.xcds),
         all = std::ceil((whole.getCount() + rest.getCount()) / timing.xcds),
         pieces = rest.pieces * wholes + all - wholes;
  return std::max(std::ceil(pieces / units) - rest.pieces * ofWhole, 1.0);
}

int64_t te::countResidents(const TileDemand &demand, const GemmPlan &plan,
                           ScheduleAttr schedule, const Target &target) {
  MatmulAttr matmul = schedule.getMatmul();
  ResourceEstimate resources = estimate(demand, schedule, target);
  int64_t k = getK(demand.gemm);
  bool isLoop = ShapedType::isDynamic(k) ||
                k > kMostStepsInRound * matmul.getK() * matmul.getSplitK();
  unsigned waves =
      target.simdsPerCU *
      target.occupancy(resources.vgprs +
                           countCopies(demand, plan, schedule, target) +
                           (matmul.getDirect() && isLoop ? kDirectVGPRs : 0),
                       resources.ldsBytes, schedule.getWaves());
  // Of fewer waves than SIMDs LDS may hold less than registers do.
  int64_t inLds =
      target.ldsBytesPerWorkgroup / std::max<int64_t>(resources.ldsBytes, 1);
  return std::max<int64_t>(
      std::min<int64_t>(waves / schedule.getWaves(), inLds), 1);
}

double te::estimateGemmClocks(const TileDemand &ofRegion, const GemmPlan &plan,
                              ScheduleAttr schedule, const Target &target) {
  TileDemand demand = getPieceDemand(ofRegion, schedule);
  const Timing *timing = Timing::lookup(target.name);
  if (!timing)
    return 0;
  MatmulAttr matmul = schedule.getMatmul();
  ResourceEstimate resources = estimate(demand, schedule, target);
  double held = countResidents(demand, plan, schedule, target);
  if (int64_t workgroups = schedule.getWorkgroups())
    held = std::min(held, std::ceil(double(workgroups) / target.computeUnits));
  GemmGrid grid(demand, schedule), whole = grid.getWhole(schedule),
                                   rest = grid.getRest(schedule);
  double count = whole.getCount() + rest.getCount();
  auto getClocks = [&](const GemmGrid &part, double all) {
    if (all <= 0)
      return 0.0;
    GemmUnit unit = GemmUnit::get(demand, plan, schedule, target, *timing, part,
                                  count, resources.prefetches);
    return unit.getClocks(all, held);
  };
  // The busiest one has so many workgroups, and holds some of them at once.
  double ofWhole = std::ceil(whole.getCount() / target.computeUnits),
         ofRest = getBusiestRest(whole, rest, ofWhole, target, *timing),
         clocks = getClocks(whole, ofWhole) + getClocks(rest, ofRest);
  if (int64_t pieces = matmul.getSplitK(); pieces > 1)
    clocks += estimatePassClocks(demand, 4 * pieces, target, *timing,
                                 matmul.getWholeRows());
  return clocks;
}

/// The product's clocks in a kernel of these ops.
static double estimateKernel(ArrayRef<Operation *> ops, const GemmPlan &plan,
                             const Target &target) {
  TileDemand demand = getTileDemand(ops);
  return estimateGemmClocks(
      demand, plan, chooseSchedule(ops.front()->getContext(), demand, target),
      target);
}

/// What two kernels take less than one, in words; by so much at the least.
static std::optional<std::string> compareClocks(double together, double apart,
                                                double margin = 1) {
  if (together <= margin * apart)
    return std::nullopt;
  return llvm::formatv("one kernel would take about {0:f0} clocks, two {1:f0}",
                       together, apart);
}

std::optional<std::string> te::findPrologueLoss(FusionOp fusion, GemmOp plain,
                                                const Target &target) {
  const Timing *timing = Timing::lookup(target.name);
  SmallVector<Operation *> ops = getRegionOps(fusion);
  TileDemand demand = getTileDemand(ops);
  std::string why;
  std::optional<GemmPlan> plan = planGemm(demand.gemm, target, why),
                          ofPlain = planGemm(plain, target, why);
  if (!plan)
    return why;
  if (std::optional<std::string> violation = findViolation(
          demand, chooseSchedule(fusion.getContext(), demand, target), target))
    return violation;
  if (!ofPlain || !timing)
    return std::nullopt;
  TileDemand ofProduct = getTileDemand(plain.getOperation());
  double apart = estimateGemmClocks(
      ofProduct, *ofPlain,
      chooseSchedule(fusion.getContext(), ofProduct, target), target);
  for (Operation &op : fusion.getBody().front())
    if (isPrologue(&op))
      apart +=
          estimatePassClocks(getTileDemand(&op), /*read=*/0, target, *timing);
  // [fitted] Estimates of kernels that convert have more too much.
  constexpr double kMargin = 1.065;
  return compareClocks(estimateKernel(ops, *plan, target), apart, kMargin);
}

std::optional<std::string> te::findGateLoss(ArrayRef<Operation *> ops,
                                            const Target &target) {
  GatedActivationOp gate = findGate(ops);
  const Timing *timing = Timing::lookup(target.name);
  std::string why;
  std::optional<GemmPlan> plan =
      gate ? planGemm(findGemm(ops), target, why) : std::nullopt;
  if (!plan || !timing)
    return std::nullopt;
  SmallVector<Operation *> others(ops);
  llvm::erase(others, gate);
  Operation *pass = gate;
  return compareClocks(
      estimateKernel(ops, *plan, target),
      estimateKernel(others, *plan, target) +
          estimatePassClocks(getTileDemand(pass), /*read=*/0, target, *timing));
}
