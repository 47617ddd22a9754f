//===- GemmUnit.cpp - what workgroups of a product take -------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GemmUnit.h"

#include "GemmSchedule.h"

#include "te/Target/MMA.h"
#include "te/Target/Timing.h"

#include <cmath>

using namespace mlir;
using namespace mlir::te;

/// A size that is not known.
static constexpr int64_t kUsualSize = 4096;

double te::getSize(int64_t extent) {
  return ShapedType::isDynamic(extent) ? kUsualSize
                                       : std::max<int64_t>(extent, 1);
}

GemmGrid::GemmGrid(const TileDemand &demand, ScheduleAttr schedule)
    : columns(std::ceil(getSize(demand.cols) / schedule.getTile()[1])),
      rows(std::ceil(getSize(demand.rows) / schedule.getTile()[0])),
      pieces(schedule.getMatmul().getSplitK()) {}

GemmGrid GemmGrid::getWhole(ScheduleAttr schedule) const {
  GemmGrid whole = *this;
  whole.pieces = 1;
  whole.rows = schedule.getMatmul().getWholeRows() / schedule.getTile()[0];
  return whole;
}

GemmGrid GemmGrid::getRest(ScheduleAttr schedule) const {
  GemmGrid rest = *this;
  rest.rows -= getWhole(schedule).rows;
  return rest;
}

double te::getOperandBytes(Value operand) {
  return getElementTypeOrSelf(getSource(operand).getType())
             .getIntOrFloatBitWidth() /
         8.;
}

/// Instructions that round an f32 to bf16, where the chip has none for that.
static constexpr double kForRounding = 5.5;

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
    round = kForRounding;
  return decode + scale + round;
}

/// Clocks in which a workgroup's sums become results of so many bytes, on their
/// way through LDS.
static double estimateFinish(const TileDemand &demand, ScheduleAttr schedule,
                             const Target &target, const Timing &timing,
                             double bytes) {
  GemmOp gemm = demand.gemm;
  double elements = double(schedule.getTile()[0]) * schedule.getTile()[1];
  bool isRounded = bytes < 4 && !target.hasBF16Conversions &&
                   getElementTypeOrSelf(gemm.getResult().getType()).isBF16();
  double work = isRounded ? kForRounding : bytes < 4 ? 0.5 : 0;
  return elements * work / target.waveSize * timing.turn /
             std::min<unsigned>(schedule.getWaves(), target.simdsPerCU) +
         elements * bytes / timing.ldsPorts *
             (1.0 / timing.ldsStoreBytes + 1.0 / timing.ldsPortBytes);
}

/// [C] vector instructions of kernels: for an element that is scaled, and for a
/// wave's step beside these (scales, addresses in LDS): where places in LDS are
/// constants of a round, else between all products, and beside single parts (10
/// to 36; fewer where many waves share a step, which this is to tell apart).
static constexpr double kForScaling = 4, kForStepInRound = 2, kForStep = 16,
                        kForLooseStep = 18;

/// What scales elements stands between all products of a step, as the lowering
/// has it (GemmEmitter::spreadsScaling).
static bool spreadsScaling(const TileDemand &demand, const GemmPlan &plan,
                           ScheduleAttr schedule, const Target &target,
                           const Timing &timing, const GemmStep &step) {
  MatmulAttr matmul = schedule.getMatmul();
  double lines = schedule.getTile()[0] + demand.getColumns(schedule),
         each = lines * matmul.getK() / target.waveSize * kForScaling,
         cores = std::min<double>(schedule.getWaves(), target.simdsPerCU);
  return plan.scales == GemmPlan::Scales::Elements && matmul.getStages() > 1 &&
         each * timing.turn <= step.matrix * cores;
}

/// Clocks of the vector units in a step of one workgroup: partial sums that are
/// scaled, operands that are converted or scaled, or turned so that K is in one
/// register. `ofStep`: instructions of a wave that scales elements, beside
/// that.
static double estimateVectorClocks(const TileDemand &demand,
                                   const GemmPlan &plan, ScheduleAttr schedule,
                                   const Target &target, const Timing &timing,
                                   double ofStep) {
  // Instructions an element.
  constexpr double kForSum = 5, kForConversion = 16, kForTurn = 2;
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
  if (plan.scales == GemmPlan::Scales::Elements)
    work += ofStep * schedule.getWaves() * target.waveSize;
  return work / target.waveSize * timing.turn /
         std::min<unsigned>(schedule.getWaves(), target.simdsPerCU);
}

/// [V] of a taken branch, in LLVM's scheduling model.
static constexpr double kBranchTurns = 8;

/// Units that work side by side: the busiest one's time, and more where others
/// are nearly as busy, as they are not at the same moments. The power is less
/// where they are kept less regularly busy.
static double combine(ArrayRef<double> units, double power = 4) {
  double sum = 0;
  for (double unit : units)
    sum += std::pow(unit, power);
  return std::pow(sum, 1 / power);
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

double GemmUnit::getProducts(double count) const {
  double waves = schedule.getWaves(), simds = target.simdsPerCU;
  return step.matrix * std::min(waves, simds) / waves *
         std::ceil(waves * count / simds);
}

double GemmUnit::getStart(double count) const {
  double memory = count * loads.getClocks(),
         waves = count * schedule.getWaves(),
         ahead = schedule.getMatmul().getStages() - 1;
  // Arguments, and the last store.
  double outside = 2 * timing.scalarLatency + timing.l2Latency;
  // The first loads, their way into the loop, and scales, which go through
  // registers.
  if (!fetches)
    return outside + timing.getMemoryLatency() + memory +
           4 * timing.ldsLatency +
           (scaleSteps > 0 ? timing.getMemoryLatency() : 0);
  // A wave asks for all steps that are ahead, then the next wave does: the last
  // one's first step, or its scales, which come behind all of these, begin the
  // loop. Behind that what was asked for again comes, from L1.
  double asked = scaleSteps > 0 ? ahead * memory
                                : (ahead * (waves - 1) + 1) / waves * memory;
  return outside + asked + timing.getMemoryLatency() + 8 * timing.ldsLatency +
         count * loads.addresses + timing.l1Latency;
}

double GemmUnit::getStepClocks(double count, bool isThere) const {
  MatmulAttr matmul = schedule.getMatmul();
  double waves = schedule.getWaves(), simds = target.simdsPerCU;
  double memory = count * (isThere ? loads.addresses : loads.getClocks());
  bool isPipelined = matmul.getStages() > 1, isLone = waves <= simds;
  // Waves on few SIMDs have the ports of these alone.
  double ports = std::max(timing.ldsPorts * std::min(waves / simds, 1.0), 1.0);
  double reads = step.ldsReads * timing.ldsPorts / ports,
         writes = step.ldsWrites * timing.ldsPorts / ports;
  // A barrier waits for what was put into LDS, and the first read behind it
  // takes as long again; what is taken behind a pipeline's barrier hides behind
  // the last part's, unless there is but one. Straight to LDS all is there a
  // step earlier.
  double waiting = isPipelined ? 2 * timing.ldsLatency + (parts > 1 ? 0 : reads)
                               : 4 * timing.ldsLatency;
  if (fetches)
    waiting = 0;
  // Where sums take few registers, a part is asked for when the one before has
  // been multiplied; else while it is.
  else if (isPipelined && readsAtOnce)
    waiting += parts * timing.ldsLatency;
  // A wave that has its SIMD for itself does not multiply while it reads.
  if (waves * count <= simds && !fetches)
    waiting += step.ldsReads / 2;
  double products = getProducts(count), each = products / count;
  // But where steps are far enough ahead (0012) it reads each part of one while
  // the part before is multiplied.
  double ofWave = step.matrix * simds / std::max(waves, simds), ahead = 0;
  if (isLone && fetches && matmul.getStages() >= 4) {
    ahead = parts * combine({ofWave / parts,
                             reads / parts + double(timing.ldsLatency)});
    // Of one part the first reads stand behind the step's barrier.
    if (parts == 1)
      ahead += timing.ldsLatency;
    if (count == 1)
      waiting = ahead - each;
  }
  // Others' products hide that.
  // Where several scale elements, these are kept less regularly busy.
  bool shareScaling = count > 1 && isPipelined && (besides > 0 || spreads);
  double busiest = combine({std::max(products, each + waiting),
                            vector * products / step.matrix + each * besides,
                            memory, count * step.getLds()},
                           /*power=*/shareScaling ? 3 : 4);
  // One by itself, without a pipeline: all of it is one after another, but what
  // the products hide of the next step's loads. Several fill one another's
  // gaps, less so where waves scale elements, which they do at the same time.
  if (!isPipelined) {
    double work = step.matrix + vector + reads + writes + waiting;
    if (isThere)
      return combine({busiest, work});
    double come = loads.getClocks(), alone = work + loads.latency + come;
    // Each wave asks for its part of the next step when its own of this one has
    // come, while others' are under way; the first one's turn comes again when
    // these have come, too, and have been worked on.
    if (prefetches)
      alone = work + std::max(loads.latency + come / waves - step.matrix,
                              come * (waves - 1) / waves);
    return combine({busiest, alone}, /*power=*/besides > 0 ? 2 : 6);
  }
  // A step's loads are asked for when those before have come and go into LDS,
  // half of it while the other operand's still come; where waves share a SIMD
  // and their products take longer than L2, among these.
  // Of two parts the first one waits for all of them, which come in order: for
  // what memory serves, too.
  bool waitsForAll = parts <= 2 && !isLone && scaleSteps == 0 && !spreads;
  // Of waves that share a SIMD, or that scale elements between all products,
  // one asks for more behind its own part, while others work on theirs.
  double hidden = vector - vector * simds / std::max(waves, simds);
  if (!isLone && ofWave > timing.l2Latency && !spreads)
    hidden = std::max(hidden, step.matrix / 2);
  double arrival = (waitsForAll ? loads.lastLatency : loads.latency) + vector -
                   hidden + loads.transfer + writes / 2;
  // Straight to LDS they are asked for, by and by, while the last part of the
  // step is multiplied that leaves them its place. An operand that takes the
  // other way is waited for a step later, and so is what was asked before it.
  if (fetches)
    arrival = (loads.lastLatency + loads.transfer + writes / 2) /
                  (matmul.getStages() - 1 - 0.5 / parts) +
              vector;
  // Scales are put into LDS as many steps after they are read.
  if (scaleSteps > 0)
    arrival = std::max(arrival, (fetches ? loads.lastLatency : loads.latency) /
                                    scaleSteps);
  if (isThere)
    arrival = 0;
  // Each part is read before it is multiplied; what comes by way of registers
  // is worked on and written by the same waves.
  double taken = parts * timing.ldsLatency + ofWave;
  if (ahead > 0)
    taken = ahead;
  else if (isLone)
    taken += fetches ? reads : reads + writes + vector;
  // What comes straight to LDS, steps ahead, holds large parts up less.
  // [fitted]
  double power = fetches && !isLone && ofWave > timing.l2Latency ? 4.5 : 4;
  double clocks = std::max(combine({busiest, arrival}, power), taken);
  // Rounds of one step each: branches, and a read that is not asked for before.
  if (!knowsSteps)
    clocks += 2 * kBranchTurns * timing.turn + timing.ldsLatency;
  return clocks;
}

double GemmUnit::getLoopClocks(double count) const {
  // In a pipeline workgroups wait for the same unit, and advance alike. What
  // was asked for before the loop is there, but for the last of it.
  if (int64_t stages = schedule.getMatmul().getStages(); stages > 1) {
    double there = fetches ? std::min<double>(steps, stages - 2) : 0,
           whenThere = getStepClocks(count, /*isThere=*/true),
           clocks = there * whenThere + (steps - there) * getStepClocks(count);
    // Through registers all that was asked for is waited for: what lies behind
    // the last step, too, where that is not known. [fitted]
    if (!knowsSteps && !fetches)
      clocks += getStepClocks(count) / 2;
    // Where memory takes longer than all else, it matters what is asked when:
    // the loop begins with the scales, which come behind all else, so that
    // memory has nothing left to bring.
    return fetches && scaleSteps > 0 && count * loads.fromMemory > whenThere
               ? std::max(clocks, getFetchingClocks(count))
               : clocks;
  }
  // Else the oldest goes first, what it leaves is the next one's, and the last
  // is alone in the end. Loops that prefetch wait for nothing in their last
  // step: the first one's loads are those of the way into the loop.
  double last = prefetches ? 1 : 0;
  SmallVector<double> left(size_t(count), steps - last), shares;
  double clocks = last * getStepClocks(1, /*isThere=*/true), rate = 0;
  for (double some = 1; some <= count; ++some) {
    double all = std::max(some / getStepClocks(some), rate);
    shares.push_back(all - rate);
    rate = all;
  }
  while (!left.empty()) {
    double next = left.front() / shares.front();
    for (auto [mine, share] : llvm::zip(left, shares))
      if (share > 0)
        next = std::min(next, mine / share);
    for (auto [mine, share] : llvm::zip(left, shares))
      mine -= next * share;
    llvm::erase_if(left, [&](double mine) { return mine <= 1e-6 * steps; });
    clocks += next;
  }
  return clocks;
}

/// [fitted] Of many workgroups, how far what they take is from what units take
/// if all are at different places, to what rounds take in which all are at the
/// same: in the logarithm.
static constexpr double kMeeting = 0.64;

double GemmUnit::getClocks(double all, double held) const {
  auto getTogether = [&](double count) {
    return getStart(count) + getLoopClocks(count) + count * (finished + stored);
  };
  double rounds = std::floor(all / held), last = all - rounds * held,
         inRounds = (rounds > 0 ? rounds * getTogether(held) : 0) +
                    (last > 0 ? getTogether(last) : 0);
  if (all <= held || held == 1)
    return inRounds;
  // Others store and begin while one is in its loop.
  double waves = schedule.getWaves(), simds = target.simdsPerCU,
         alone = getTogether(1) / held;
  SmallVector<double> units = {
      steps * step.matrix * std::min(waves, simds) / simds,
      steps * vector + finished, steps * loads.fromMemory + stored,
      steps * std::max(loads.addresses, loads.inFlight), steps * step.getLds()};
  // In more than three rounds they come apart; where steps go through
  // registers, if waves share SIMDs. Else one by itself takes as long as
  // several.
  double some = inRounds;
  if (all > 3 * held && (fetches || waves > simds)) {
    double apart = std::max(getStart(1) + all * combine(units), all * alone);
    some = std::min(
        std::pow(inRounds, kMeeting) * std::pow(apart, 1 - kMeeting), inRounds);
  }
  if (!fetches)
    return some;
  // Those behind a single round find the unit as empty as the first did; later
  // the ones of a round come to their ends at different times.
  units.push_back(alone);
  double each = combine(units, /*power=*/3), ofLast = each;
  if (rounds == 1 && last > 0) {
    units.back() *= held / last;
    ofLast = combine(units, /*power=*/3);
  }
  return std::min(some, getStart(1) + (all - last) * each + last * ofLast);
}

/// Sums are few that take such a part of a lane's registers.
static constexpr double kFewSums = 8;

GemmUnit GemmUnit::get(const TileDemand &demand, const GemmPlan &plan,
                       ScheduleAttr schedule, const Target &target,
                       const Timing &timing, const GemmGrid &grid, double count,
                       bool prefetches) {
  MatmulAttr matmul = schedule.getMatmul();
  GemmOp gemm = demand.gemm;
  double active = std::min<double>(count, target.computeUnits);
  std::optional<FetchPlan> fetchA, fetchB;
  if (matmul.getDirect()) {
    fetchA = planFetch(gemm, plan, tile::MMASide::A, schedule, target);
    fetchB = planFetch(gemm, plan, tile::MMASide::B, schedule, target);
  }
  auto scaleSteps = getScaleSteps(demand, plan, schedule, target);

  double rows = schedule.getTile()[0],
         width = grid.pieces > 1 ? 4 : demand.outputBytes;
  // Whole pieces of lines, of which a wave may have less.
  double stored = std::min(rows, getSize(demand.rows)) * schedule.getTile()[1] *
                  width / timing.getMemoryShare(active) *
                  std::max(kStoreBytes * matmul.getWaves()[1] /
                               (schedule.getTile()[1] * width),
                           1.0);
  double parts = double(matmul.getK()) / MMA::lookup(matmul.getMma())->k;
  bool isRest = grid.pieces > 1 && matmul.getWholeRows();
  double together =
      std::max({scaleSteps[0], scaleSteps[1], fetchA ? fetchA->steps : 1,
                fetchB ? fetchB->steps : 1});
  // As many for each piece, which are runs of steps that are read at once.
  double steps = std::ceil(getSize(getK(gemm)) / matmul.getK()),
         runs = std::ceil(steps / together);
  bool knowsSteps = matmul.getSplitK() == 1 ||
                    (!ShapedType::isDynamic(getK(gemm)) &&
                     std::fmod(isRest ? steps : runs, matmul.getSplitK()) == 0);
  // Elements are scaled, or dequantized, beside one part's products for each
  // side, in all waves at once.
  bool scalesElements =
      plan.scales == GemmPlan::Scales::Elements || hasPrologue(gemm);
  GemmStep step = estimateGemmStep(demand, plan, schedule, target, timing);
  bool spreads = spreadsScaling(demand, plan, schedule, target, timing, step);
  bool inRounds =
      spreads && knowsSteps && scalesInRounds(gemm, plan) &&
      std::fmod(steps / matmul.getSplitK(), matmul.getStages()) == 0;
  double ofStep = inRounds  ? kForStepInRound
                  : spreads ? kForStep
                            : kForLooseStep,
         vector = estimateVectorClocks(demand, plan, schedule, target, timing,
                                       ofStep);
  double besides =
      scalesElements && !spreads ? 1 - (parts > 2 ? 2 : 1) / parts : 0;
  bool scalesProducts = plan.scales == GemmPlan::Scales::Instruction;
  bool readsAtOnce = rows * demand.getColumns(schedule) * kFewSums <=
                     double(getMostVGPRs(schedule, target)) * target.waveSize *
                         schedule.getWaves();
  return {.schedule = schedule,
          .target = target,
          .timing = timing,
          .step = step,
          .loads = GemmLoads::get(demand, plan, schedule, target, timing,
                                  {&fetchA, &fetchB}, scaleSteps, grid, active),
          .active = active,
          .parts = parts,
          .vector = vector,
          .besides = besides,
          .spreads = spreads,
          .steps = getPieceSteps(getSize(getK(gemm)), schedule, grid.pieces,
                                 isRest ? 1 : together),
          .finished = estimateFinish(demand, schedule, target, timing, width),
          .stored = stored,
          .prefetches = prefetches,
          .fetches = fetchA && fetchB,
          .fetchesLate = parts == 1 && matmul.getStages() > 3 && fetchA &&
                         fetchB && fetchA->hidesMemory && fetchB->hidesMemory,
          .knowsSteps = knowsSteps,
          .readsAtOnce = readsAtOnce,
          .scaleSteps = scalesProducts
                            ? double(std::min(scaleSteps[0], scaleSteps[1]))
                            : 0};
}
