//===- GemmCost.cpp - how long a te.gemm takes ----------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GemmCost.h"

#include "Bound.h"
#include "GemmSchedule.h"

#include "te/Target/MMA.h"

#include "te/Target/Timing.h"

#include "llvm/Support/FormatVariadic.h"

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
  Grid(const TileDemand &demand, ScheduleAttr schedule)
      : columns(std::ceil(getSize(demand.cols) / schedule.getTile()[1])),
        rows(std::ceil(getSize(demand.rows) / schedule.getTile()[0])),
        pieces(schedule.getMatmul().getSplitK()) {}
  double getCount() const { return columns * rows * pieces; }
  /// Those of rows that are not cut into pieces, which come first.
  Grid getWhole(ScheduleAttr schedule) const {
    Grid whole = *this;
    whole.pieces = 1;
    whole.rows = schedule.getMatmul().getWholeRows() / schedule.getTile()[0];
    return whole;
  }
  /// Those of the other rows.
  Grid getRest(ScheduleAttr schedule) const {
    Grid rest = *this;
    rest.rows -= getWhole(schedule).rows;
    return rest;
  }
};
} // namespace

/// The shares of what workgroups load of A and of B that memory serves: what no
/// other workgroup of the same XCD loads too. An XCD has a run of tiles in
/// groups of rows, or workgroups are dealt out in turns.
static std::pair<double, double> getMemoryShares(const Grid &grid,
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

static double getOperandBytes(Value operand) {
  return getElementTypeOrSelf(getSource(operand).getType())
             .getIntOrFloatBitWidth() /
         8.;
}

int64_t te::chooseGroup(const TileDemand &demand, ScheduleAttr schedule,
                        const Target &target) {
  const Timing *timing = Timing::lookup(target.name);
  Grid grid(demand, schedule);
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

/// Clocks of a kernel behind a product, which reads so many bytes of it for
/// each element from a row on, and what the demand says, and writes its
/// results.
static double estimatePassClocks(const TileDemand &demand, double read,
                                 const Timing &timing, int64_t firstRow = 0) {
  double elements = (getSize(demand.rows) - firstRow) * getSize(demand.cols);
  double bytes = elements * (read + demand.loadedBytes + demand.outputBytes);
  // Loads are all under way at once; then what there is to store.
  return (timing.getMemoryLatency() + timing.l2Latency) +
         bytes / timing.memoryBandwidth * timing.clockGHz * 1e9 +
         kKernelGap * timing.clockGHz * 1e9;
}

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
    round = 5.5;
  return decode + scale + round;
}

/// Clocks of the vector units in a step of one workgroup: partial sums that are
/// scaled, operands that are converted or scaled, or turned so that K is in one
/// register.
static double estimateVectorClocks(const TileDemand &demand,
                                   const GemmPlan &plan, ScheduleAttr schedule,
                                   const Target &target, const Timing &timing) {
  // Instructions an element.
  constexpr double kForSum = 5, kForConversion = 16, kForScaling = 3.75,
                   kForTurn = 2;
  double forConversion =
      plan.scales == GemmPlan::Scales::Elements ? kForScaling : kForConversion;
  GemmOp gemm = demand.gemm;
  double rows = schedule.getTile()[0], cols = demand.getColumns(schedule),
         k = schedule.getMatmul().getK();
  auto getForOperand = [&](tile::MMASide side, Value factor, unsigned kDim,
                           Type element) {
    Value operand = getSource(factor);
    auto type = cast<ShapedType>(operand.getType());
    auto scaled = dyn_cast<ScaledType>(type);
    bool kIsLast = (int64_t(kDim) == type.getRank() - 1) !=
                   (scaled && scaled.getScaling().isTransposed());
    bool isTurned =
        !kIsLast && !(schedule.getMatmul().getDirect() &&
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
  // Scales, and addresses in LDS: what small tiles have in each step too.
  constexpr double kForStep = 36;
  if (plan.scales == GemmPlan::Scales::Elements)
    work += kForStep * schedule.getWaves() * target.waveSize;
  return work / target.waveSize * timing.turn /
         std::min<unsigned>(schedule.getWaves(), target.simdsPerCU);
}

/// Units that work side by side: the busiest one's time, and more where others
/// are nearly as busy, as they are not at the same moments.
static double combine(ArrayRef<double> units) {
  double sum = 0;
  for (double unit : units)
    sum += unit * unit * unit * unit;
  return std::sqrt(std::sqrt(sum));
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

/// Steps of the longest piece of K: pieces are whole runs of steps that are
/// read at once.
static double getPieceSteps(double k, ScheduleAttr schedule, double pieces,
                            double together) {
  double steps = std::ceil(k / schedule.getMatmul().getK());
  return std::min(std::ceil(std::ceil(steps / together) / pieces) * together,
                  steps);
}

namespace {
/// What workgroups of one CU take, so many of them side by side.
struct ComputeUnit {
  ScheduleAttr schedule;
  const Target &target;
  const Timing &timing;
  GemmStep step;
  double parts;      // of a step
  double vector;     // clocks of a step
  double besides;    // share of its products that these do not stand among
  double steps;      // of a workgroup
  double latency;    // of a step's loads
  double fromMemory; // clocks of a step's bytes that memory serves
  double inFlight;   // clocks that all of them must have been on their way
  double stored;     // clocks of the stores
  bool prefetches;   // loops of one stage do
  bool fetches;      // both operands straight to LDS
  double scaleSteps; // whose scales are read at once; 0: the sum has them

  /// From the first load to the last store.
  double getClocks(double count) const;
};
} // namespace

double ComputeUnit::getClocks(double count) const {
  MatmulAttr matmul = schedule.getMatmul();
  double waves = schedule.getWaves(), simds = target.simdsPerCU;
  double each = std::min(waves, simds) / std::min(waves * count, simds);
  double memory = count * std::max({step.memory, fromMemory, inFlight});
  // A barrier waits for what was put into LDS, and the first read behind it
  // takes as long again, unless others' products hide it; what is taken behind
  // a pipeline's barrier hides behind the last part's, unless there is but one.
  bool isPipelined = matmul.getStages() > 1;
  bool hidesTakes = parts > 1 || matmul.getDirect();
  double waiting =
      isPipelined ? 2 * timing.ldsLatency + (hidesTakes ? 0 : step.ldsReads)
                  : 4 * timing.ldsLatency;
  // A wave that has its SIMD for itself does not multiply while it reads.
  if (waves * count <= simds)
    waiting += step.ldsReads / 2;
  double products = step.matrix * each;
  double busiest = combine({products * count + count * waiting,
                            vector * count * each + products * besides, memory,
                            count * step.getLds()});
  // Arguments, the first load, its way into the loop; the last store's.
  double start = 2 * timing.scalarLatency + timing.getMemoryLatency() + memory +
                 4 * timing.ldsLatency + timing.l2Latency;
  auto getAll = [&](double ofStep) {
    return start + steps * ofStep + count * stored;
  };
  // One by itself, without a pipeline: all of it is one after another.
  if (!isPipelined)
    return getAll(std::max(
        busiest, step.matrix + vector + step.ldsReads + step.ldsWrites +
                     waiting +
                     std::max(latency - (prefetches ? step.matrix : 0), 0.0) +
                     memory / count));
  // A step's loads are asked for when those before have come and go into LDS,
  // half of it while the other operand's still come; where waves share a SIMD
  // and their products take longer than L2, among these.
  double arrival = latency + vector + step.memory + step.ldsWrites / 2;
  double ofWave = step.matrix * simds / std::max(waves, simds);
  if (waves > simds && ofWave > timing.l2Latency)
    arrival -= step.matrix / 2;
  // Straight to LDS they are asked for, by and by, while the last part of the
  // step is multiplied that leaves them its place. An operand that takes the
  // other way is waited for a step later, and so is what was asked before it.
  if (fetches)
    arrival = (latency + step.memory + step.ldsWrites / 2) /
                  (matmul.getStages() - 1 - 0.5 / parts) +
              vector;
  // Scales are put into LDS as many steps after they are read.
  if (scaleSteps > 0)
    arrival = std::max(arrival, latency / scaleSteps);
  // Each part is read before it is multiplied.
  double taken =
      parts * timing.ldsLatency + ofWave + (waves > simds ? 0 : step.ldsReads);
  return getAll(std::max(combine({busiest, arrival}), taken));
}

/// A unit that has workgroups of this grid, of so many among all.
static ComputeUnit makeUnit(const TileDemand &demand, const GemmPlan &plan,
                            ScheduleAttr schedule, const Target &target,
                            const Timing &timing, const Grid &grid,
                            double count, bool prefetches) {
  MatmulAttr matmul = schedule.getMatmul();
  GemmOp gemm = demand.gemm;
  double k = getSize(getK(gemm));
  double pieces = grid.pieces, rows = schedule.getTile()[0],
         cols = demand.getColumns(schedule);
  double active = std::min<double>(count, target.computeUnits);

  // A step waits for the later of its operands.
  auto [shareA, shareB] = getMemoryShares(grid, matmul.getGroup(), timing.xcds);
  auto getLatency = [&](double share) {
    return timing.l2Latency +
           share * (timing.getMemoryLatency() - double(timing.l2Latency));
  };
  double latency = getLatency(std::max(shareA, shareB));
  double fromA = rows * matmul.getK() * getOperandBytes(gemm.getA()),
         fromB = cols * matmul.getK() * getOperandBytes(gemm.getB());
  double fromMemory =
      (shareA * fromA + shareB * fromB) / timing.getMemoryShare(active);
  double inFlight = (fromA * getLatency(shareA) + fromB * getLatency(shareB)) /
                    timing.bytesInFlight;
  double stored = std::min(rows, getSize(demand.rows)) * schedule.getTile()[1] *
                  (pieces > 1 ? 4 : demand.outputBytes);
  // Beside whole tiles pieces are as large, of fewer steps: what they store is
  // not hidden.
  bool isRest = pieces > 1 && matmul.getWholeRows();
  stored /= isRest ? timing.getMemoryShare(active) : double(timing.l1Bytes);
  double parts = double(matmul.getK()) / MMA::lookup(matmul.getMma())->k;
  std::optional<FetchPlan> fetchA, fetchB;
  if (matmul.getDirect()) {
    fetchA = planFetch(gemm, plan, tile::MMASide::A, schedule, target);
    fetchB = planFetch(gemm, plan, tile::MMASide::B, schedule, target);
  }
  auto [scalesA, scalesB] = getScaleSteps(demand, plan, schedule, target);
  double together = std::max({scalesA, scalesB, fetchA ? fetchA->steps : 1,
                              fetchB ? fetchB->steps : 1});
  // Elements are scaled, or dequantized, beside one part's products for each
  // side, in all waves at once.
  bool scalesElements =
      plan.scales == GemmPlan::Scales::Elements || hasPrologue(gemm);
  return {schedule,
          target,
          timing,
          estimateGemmStep(demand, plan, schedule, target, timing),
          parts,
          estimateVectorClocks(demand, plan, schedule, target, timing),
          scalesElements ? 1 - (parts > 2 ? 2 : 1) / parts : 0,
          getPieceSteps(k, schedule, pieces, isRest ? 1 : together),
          latency,
          fromMemory,
          inFlight,
          stored,
          prefetches,
          fetchA && fetchB,
          plan.scales == GemmPlan::Scales::Instruction
              ? double(std::min(scalesA, scalesB))
              : 0};
}

double te::estimateGemmClocks(const TileDemand &demand, const GemmPlan &plan,
                              ScheduleAttr schedule, const Target &target) {
  const Timing *timing = Timing::lookup(target.name);
  if (!timing)
    return 0;
  MatmulAttr matmul = schedule.getMatmul();
  ResourceEstimate resources = estimate(demand, schedule, target);
  unsigned waves =
      target.simdsPerCU * target.occupancy(resources.vgprs, resources.ldsBytes,
                                           schedule.getWaves());
  // Of fewer waves than SIMDs LDS may hold less than registers do.
  int64_t inLds =
      target.ldsBytesPerWorkgroup / std::max<int64_t>(resources.ldsBytes, 1);
  double held = std::max<int64_t>(
      std::min<int64_t>(waves / schedule.getWaves(), inLds), 1);
  Grid grid(demand, schedule), whole = grid.getWhole(schedule),
                               rest = grid.getRest(schedule);
  double count = whole.getCount() + rest.getCount();
  auto getClocks = [&](const Grid &part, double all) {
    if (all <= 0)
      return 0.0;
    ComputeUnit unit = makeUnit(demand, plan, schedule, target, *timing, part,
                                count, resources.prefetches);
    double rounds = std::floor(all / held), last = all - rounds * held;
    return (rounds > 0 ? rounds * unit.getClocks(held) : 0) +
           (last > 0 ? unit.getClocks(last) : 0);
  };
  // The busiest one has so many workgroups, and holds some of them at once.
  auto getBusiest = [&](double workgroups) {
    return std::ceil(workgroups / target.computeUnits);
  };
  double ofWhole = getBusiest(whole.getCount());
  double clocks =
      getClocks(whole, ofWhole) + getClocks(rest, getBusiest(count) - ofWhole);
  if (int64_t pieces = matmul.getSplitK(); pieces > 1)
    clocks +=
        estimatePassClocks(demand, 4 * pieces, *timing, matmul.getWholeRows());
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

/// What two kernels take less than one, in words.
static std::optional<std::string> compareClocks(double together, double apart) {
  if (together <= apart)
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
  double apart = estimateKernel(plain.getOperation(), *ofPlain, target);
  for (Operation &op : fusion.getBody().front())
    if (isPrologue(&op))
      apart += estimatePassClocks(getTileDemand(&op), /*read=*/0, *timing);
  return compareClocks(estimateKernel(ops, *plan, target), apart);
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
          estimatePassClocks(getTileDemand(pass), /*read=*/0, *timing));
}
