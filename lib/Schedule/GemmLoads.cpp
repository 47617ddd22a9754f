//===- GemmLoads.cpp - what a step of a product loads ---------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of each operand: bytes, the lines that they lie in, what L1 has of these from
// the step before, and what no other workgroup of the XCD loads. Then what that
// takes of memory, L2 and the units that ask for it (docs/decisions/0012).
//
//===----------------------------------------------------------------------===//

#include "GemmUnit.h"

#include "GemmSchedule.h"

#include "te/Region/StorageOrder.h"
#include "te/Target/Timing.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::te;

/// The shares of what workgroups load of A and of B that memory serves: what no
/// other workgroup of the same XCD loads too. An XCD has a run of tiles in
/// groups of rows, or workgroups are dealt out in turns.
static std::pair<double, double> getMemoryShares(const GemmGrid &grid,
                                                 int64_t group, unsigned xcds) {
  double mine = std::max(grid.getCount() / xcds, 1.0);
  double all = grid.rows * grid.pieces, lines = std::min(all, mine), columns;
  if (group) {
    double high = std::min({double(group), all, mine});
    columns = std::min(mine / high, grid.columns);
    lines = std::max(mine / grid.columns, high);
  } else {
    columns = std::min(
        grid.columns / std::gcd(int64_t(grid.columns), int64_t(xcds)), mine);
  }
  double pieces = std::min(grid.pieces, std::ceil(lines / grid.rows));
  return {lines / mine, std::min(columns * pieces / mine, 1.0)};
}

namespace {
/// Of one operand.
struct OperandLoads {
  double bytes = 0; // of elements and scales in a step
  double lines = 0; // of cache that they lie in
  double asked = 0; // bytes of lines that L1 does not have
  double share = 0; // of the bytes that memory serves
  // The next step asks for the rest of these lines: elements', scales'.
  bool alongK = false, scalesAlongK = false;
  GemmBurst elements, scales;

  double getLatency(double fromMemory, const Timing &timing) const {
    return timing.l2Latency +
           fromMemory * (timing.getMemoryLatency() - double(timing.l2Latency));
  }
};
} // namespace

/// What a step loads of A and of B, of whose scales so many steps' are read at
/// once. `fetch`: where elements go straight to LDS.
static std::array<OperandLoads, 2>
getOperandLoads(const TileDemand &demand, const GemmPlan &plan,
                ScheduleAttr schedule, const Timing &timing,
                std::array<const std::optional<FetchPlan> *, 2> fetches,
                std::array<int64_t, 2> scaleSteps) {
  constexpr double kLine = kCacheLineBytes;
  GemmOp gemm = demand.gemm;
  double k = schedule.getMatmul().getK();
  std::array<OperandLoads, 2> loads;
  std::array<double, 2> scaleLines = {0, 0}, scaleBytes = {0, 0};
  for (auto [index, factor, kDim, tile, extent] : llvm::enumerate(
           std::array{gemm.getA(), gemm.getB()},
           std::array{gemm.getKDimA(), gemm.getKDimB()},
           std::array{double(schedule.getTile()[0]),
                      double(demand.getColumns(schedule))},
           std::array{getSize(demand.rows), getSize(demand.cols)})) {
    Value operand = getSource(factor);
    auto type = cast<ShapedType>(operand.getType());
    auto scaled = dyn_cast<ScaledType>(type);
    bool kIsLast = int64_t(kDim) == type.getRank() - 1;
    bool alongK = liesAlongK(operand, kDim);
    double outer = std::min(tile, extent), element = getOperandBytes(operand),
           steps = *fetches[index] ? (*fetches[index])->steps : 1,
           run = (alongK ? k * steps : outer) * element;
    // Shuffled bytes of 16 rows lie together.
    if (scaled && getDataOrder(scaled))
      run = std::max(run, kLine);
    OperandLoads &made = loads[index];
    made.bytes = outer * k * element;
    made.lines = made.bytes / std::min(run, kLine);
    made.alongK = alongK;
    made.scalesAlongK = kIsLast;
    made.elements = {made.lines * kLine, made.bytes, 1,
                     alongK ? kLine / std::min(run, kLine) : 1};
    if (!scaled || !scaled.getScaling().isE8M0())
      continue;
    // Of rows along K each lane reads its own.
    scaleBytes[index] = outer * k / plan.block;
    double pitch = getSize(getK(gemm)) / plan.block;
    scaleLines[index] =
        kIsLast ? outer / scaleSteps[index] * std::min(pitch / kLine, 1.0)
                : scaleBytes[index] / std::min<double>(outer, kLine);
  }
  // L1 has the other part of a line when the next step, or the next read of
  // scales, asks for it, or not. Of rows across K no step does: that part is
  // another tile's.
  double ofElements = loads[0].lines + loads[1].lines,
         held = timing.l1Capacity / kLine,
         between = std::max(scaleSteps[0], scaleSteps[1]);
  // Waves are not at the same place: some of what would just fit is gone, and
  // some of what would not is there. [fitted]
  double needed = (ofElements + scaleLines[0] + scaleLines[1]) / held;
  auto getAsked = [&](double bytes, double lines, bool alongK, double between) {
    double gone = alongK ? std::clamp(2 * between * needed - 1.5, 0.0, 1.0) : 1;
    return bytes + gone * (lines * kLine - bytes);
  };
  for (auto [index, made] : llvm::enumerate(loads)) {
    made.asked = getAsked(made.bytes, made.lines, made.alongK, 1) +
                 getAsked(scaleBytes[index], scaleLines[index],
                          made.scalesAlongK, between);
    // Where rows lie along K, their lines are for several steps.
    double group = scaleSteps[index], ofScales = scaleLines[index] * kLine;
    made.scales = {ofScales * group, scaleBytes[index] * group, group,
                   made.scalesAlongK && ofScales > 0
                       ? std::max(ofScales / scaleBytes[index], 1.0)
                       : 1};
    made.bytes += scaleBytes[index];
    made.lines += scaleLines[index];
  }
  return loads;
}

GemmLoads GemmLoads::get(
    const TileDemand &demand, const GemmPlan &plan, ScheduleAttr schedule,
    const Target &target, const Timing &timing,
    std::array<const std::optional<FetchPlan> *, 2> fetches,
    std::array<int64_t, 2> scaleSteps, const GemmGrid &grid, double active) {
  std::array<OperandLoads, 2> operands =
      getOperandLoads(demand, plan, schedule, timing, fetches, scaleSteps);
  std::tie(operands[0].share, operands[1].share) =
      getMemoryShares(grid, schedule.getMatmul().getGroup(), timing.xcds);
  double bytes = 0, lines = 0, asked = 0;
  GemmLoads loads;
  for (const OperandLoads &each : operands) {
    bytes += each.bytes;
    lines += each.lines;
    asked += each.asked;
    loads.fromMemory += each.share * each.bytes / timing.getMemoryShare(active);
    loads.inFlight +=
        each.asked * each.getLatency(each.share, timing) / timing.bytesInFlight;
    // They come in order: one that memory serves holds up the others.
    double instructions =
        each.bytes / (target.maxAccessBytes * target.waveSize);
    loads.latency =
        std::max(loads.latency, each.getLatency(each.share, timing));
    loads.lastLatency = std::max(
        loads.lastLatency,
        each.getLatency(std::min(each.share * std::max(instructions, 1.0), 1.0),
                        timing));
  }
  double ofL2 = timing.getL2Share(unsigned(active));
  loads.transfer = bytes / ofL2;
  for (auto [index, each] : llvm::enumerate(operands)) {
    double ofScales = each.scales.instructions / each.scales.steps;
    loads.usedElements += each.share * (each.bytes - ofScales);
    loads.usedScales[index] = each.share * ofScales;
    loads.elements[index] = each.elements;
    loads.scales[index] = each.scales;
    for (GemmBurst *burst : {&loads.elements[index], &loads.scales[index]})
      burst->instructions /= target.maxAccessBytes * target.waveSize;
  }
  loads.addresses =
      std::max({loads.transfer, lines / timing.linesPerClock, asked / ofL2});
  return loads;
}
