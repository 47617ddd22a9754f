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
#include <numeric>

using namespace mlir;
using namespace mlir::te;

/// A size that is not known.
static constexpr int64_t kUsualSize = 4096;

static double getSize(int64_t extent) {
  return ShapedType::isDynamic(extent) ? kUsualSize
                                       : std::max<int64_t>(extent, 1);
}

namespace {
/// The workgroups of a product, which lie as gridX x gridY: pieces of K and
/// tiles down the rows, then tiles along the columns.
struct Grid {
  double columns, rows, pieces;
  double getSize() const { return columns * rows * pieces; }
};
} // namespace

/// The shares of what workgroups load of A and of B that memory serves: what no
/// other workgroup of the same XCD loads too. They are dealt out to XCDs in
/// turns.
static std::pair<double, double> getMemoryShares(const Grid &grid,
                                                 unsigned xcds) {
  double mine = std::max(grid.getSize() / xcds, 1.0);
  double lines = std::min(grid.rows * grid.pieces, mine);
  double columns = std::min(
      grid.columns / std::gcd(int64_t(grid.columns), int64_t(xcds)), mine);
  double pieces = std::min(grid.pieces, std::ceil(lines / grid.rows));
  return {lines / mine, std::min(columns * pieces / mine, 1.0)};
}

/// Clocks of the kernel that adds up pieces and does the rest.
static double estimateSumClocks(const TileDemand &demand, double pieces,
                                const Target &target, const Timing &timing) {
  double elements = getSize(demand.rows) * getSize(demand.cols);
  double bytes =
      elements * (4 * pieces + demand.loadedBytes + demand.outputBytes);
  // Loads are all under way at once; then what there is to store.
  return (timing.getMemoryLatency() + timing.l2Latency) +
         bytes / timing.memoryBandwidth * timing.clockGHz * 1e9 +
         kKernelGap * timing.clockGHz * 1e9;
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
  double pieces = matmul.getSplitK();
  double steps = std::ceil(std::ceil(k / matmul.getK()) / pieces);
  auto tile = schedule.getTile();
  Grid grid = {std::ceil(getSize(demand.cols) / tile[1]),
               std::ceil(getSize(demand.rows) / tile[0]), pieces};
  GemmStep step = estimateGemmStep(demand, plan, schedule, target, *timing);
  double
      bitsA =
          getElementTypeOrSelf(gemm.getA().getType()).getIntOrFloatBitWidth(),
      bitsB =
          getElementTypeOrSelf(gemm.getB().getType()).getIntOrFloatBitWidth();

  // Workgroups of the busiest CU, and of which it holds so many at once.
  double active = std::min<double>(grid.getSize(), target.computeUnits);
  double all = std::ceil(grid.getSize() / target.computeUnits);
  ResourceEstimate resources = estimate(demand, schedule, target);
  double held =
      std::max<double>(target.simdsPerCU *
                           target.occupancy(resources.vgprs, resources.ldsBytes,
                                            schedule.getWaves()) /
                           schedule.getWaves(),
                       1);

  // A step waits for the later of its operands.
  auto [shareA, shareB] = getMemoryShares(grid, timing->xcds);
  double latency = timing->l2Latency +
                   std::max(shareA, shareB) *
                       (timing->getMemoryLatency() - double(timing->l2Latency));
  double fromMemory =
      (shareA * tile[0] * bitsA + shareB * tile[1] * bitsB) * matmul.getK() / 8;
  double outputBytes = pieces > 1 ? 4 : demand.outputBytes;
  double stored = std::min<double>(tile[0], getSize(demand.rows)) * tile[1] *
                  outputBytes / timing->l1Bytes;
  bool isPipelined = matmul.getStages() > 1;
  // What is taken behind a pipeline's barrier hides behind the last part's
  // products, unless there is but one.
  bool hidesTakes = matmul.getK() > MMA::lookup(matmul.getMma())->k;

  // Steps of time that a step's loads have: straight to LDS they are asked for
  // while the last part of the step is multiplied that leaves them its place.
  double parts = double(matmul.getK()) / MMA::lookup(matmul.getMma())->k;
  double ahead = matmul.getDirect() ? matmul.getStages() - 1 - 0.5 / parts : 1;

  // `count` workgroups side by side, from the first load to the last store.
  auto getClocks = [&](double count) {
    double waves = schedule.getWaves(), simds = target.simdsPerCU;
    double matrix = step.matrix * count * std::min(waves, simds) /
                    std::min(waves * count, simds);
    double memory =
        std::max(count * step.memory,
                 count * fromMemory / timing->getMemoryShare(active));
    double busiest = std::max({matrix, memory, count * step.getLds()});
    // One by itself: a step's loads are asked for when those before have come,
    // and go into LDS; a barrier waits for that, and the first read behind it
    // takes as long again. Without a pipeline all of it is one after another.
    double own =
        isPipelined
            ? std::max(step.getClocks() + 2 * timing->ldsLatency +
                           (hidesTakes ? 0 : step.ldsReads),
                       (latency + step.memory + step.ldsWrites) / ahead)
            : step.matrix + step.ldsReads + step.ldsWrites +
                  4 * timing->ldsLatency +
                  std::max(latency - (resources.prefetches ? step.matrix : 0),
                           0.0) +
                  memory / count;
    double each = std::max(busiest, own);
    return timing->getMemoryLatency() + memory + steps * each + count * stored;
  };
  double rounds = std::floor(all / held);
  double clocks = rounds * (rounds > 0 ? getClocks(held) : 0);
  if (double rest = all - rounds * held; rest > 0)
    clocks += getClocks(rest);
  if (pieces > 1)
    clocks += estimateSumClocks(demand, pieces, target, *timing);
  return clocks;
}
