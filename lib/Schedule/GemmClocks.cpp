//===- GemmClocks.cpp - from a workgroup's parts to a CU's clocks ---------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the parts of GemmUnit.cpp take together: the way into the loop, its
// steps, and all workgroups of a CU (docs/decisions/0012).
//
//===----------------------------------------------------------------------===//

#include "GemmUnit.h"

#include "te/Target/MMA.h"
#include "te/Target/Timing.h"

#include <cmath>

using namespace mlir;
using namespace mlir::te;

/// [V] of a taken branch, in LLVM's scheduling model.
static constexpr double kBranchTurns = 8;

/// [fitted] Latencies of LDS that another wave's part hides.
static constexpr double kHiddenLatencies = 2.7;

/// [fitted] What lanes turn beside products may be such a part of these, where
/// one wave hides what the other waits for.
static constexpr double kTurnedShare = 0.15;

/// [fitted] Of what lanes turn on its way through registers, the part that
/// stands between products; of waves that have a SIMD each, which nothing
/// fills.
static constexpr double kTurnedBetween = 0.24, kTurnedBetweenAlone = 0.3;

/// Elements of large tiles, and steps of long loops.
static constexpr double kLargeTile = 16384, kLongLoop = 64;

/// [fitted] Of what a step of a large tile takes beyond its busiest unit (in
/// the logarithm) what sums of powers have too much: through registers, and
/// straight to LDS; there by waves that have a SIMD each, whose steps are two
/// ahead at the most, or more than that, beside stores; and by others in four
/// parts or more.
static constexpr double kExcess = 0.35, kDirectExcess = 0.45,
                        kNearLoneExcess = 0.42, kLoneExcess = 0.55,
                        kPartsExcess = 0.6;

/// [fitted] Clocks in which both waves of a SIMD wait behind a step's barrier
/// for what comes straight to LDS, and clocks of a short part, which hide none
/// of it; so do products of instructions of few rows in one part.
static constexpr double kBothWait = 16, kShortPart = 128;
static constexpr unsigned kFewRows = 16;

/// [fitted] Steps on their way where one is asked for before the one in front
/// of it is waited for.
static constexpr double kEarlySteps = 1.5;

/// [fitted] The power of the sum of what a step takes and what arrives, where
/// waves of several workgroups take turns.
static constexpr double kArrivalInTurns = 7;

/// Units that work side by side: the busiest one's time, and more where others
/// are nearly as busy, as they are not at the same moments. The power is less
/// where they are kept less regularly busy.
static double combine(ArrayRef<double> units, double power = 4) {
  double sum = 0;
  for (double unit : units)
    sum += std::pow(unit, power);
  return std::pow(sum, 1 / power);
}

static bool isLarge(ScheduleAttr schedule) {
  return double(schedule.getTile()[0]) * schedule.getTile()[1] >= kLargeTile;
}

static bool hasFewRows(MatmulAttr matmul) {
  return MMA::lookup(matmul.getMma())->size == kFewRows;
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

double GemmUnit::getExcess() const {
  bool scales = scaleSteps > 0;
  if (!isLarge(schedule) || besides > 0 || spreads)
    return 0;
  if (!fetches)
    return scales || steps >= kLongLoop ? kExcess : 0;
  int64_t stages = schedule.getMatmul().getStages();
  // Scales are waited for where they are few places ahead.
  if (scales)
    return stages < 4 ? 0 : kDirectExcess;
  if (schedule.getWaves() <= target.simdsPerCU)
    return stages < 4         ? kNearLoneExcess
           : besideStores > 0 ? kLoneExcess
                              : kDirectExcess;
  return parts < 4 ? kDirectExcess : kPartsExcess;
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
  // Of waves that share a SIMD, whose operands go through registers as they
  // are, one multiplies while the other waits for LDS, if that takes no longer;
  // where they take turns, lanes may turn some.
  double ofWave = step.matrix * simds / std::max(waves, simds), ahead = 0;
  bool hides =
      isPipelined && !isLone && !fetches && scaleSteps == 0 &&
      vector <= (matmul.getPingPong() ? kTurnedShare * step.matrix : 0);
  if (fetches)
    waiting = 0;
  // Where sums take few registers, a part is asked for when the one before has
  // been multiplied; else while it is.
  else if (isPipelined && readsAtOnce)
    waiting +=
        parts *
        (hides ? std::max(kHiddenLatencies * timing.ldsLatency - ofWave / parts,
                          0.0)
               : timing.ldsLatency);
  // A wave that has its SIMD for itself does not multiply while it reads.
  if (waves * count <= simds && !fetches)
    waiting += step.ldsReads / 2;
  double products = getProducts(count), each = products / count;
  // But where steps are far enough ahead (0012) it reads each part of one while
  // the part before is multiplied.
  if (isLone && fetches && matmul.getStages() >= 4) {
    ahead = parts * combine({ofWave / parts,
                             reads / parts + double(timing.ldsLatency)});
    // Of one part the first reads stand behind the step's barrier.
    if (parts == 1)
      ahead += timing.ldsLatency;
    if (count == 1)
      waiting = ahead - each;
  }
  // Others' products hide that. Units of several that scale elements are kept
  // less regularly busy: of small tiles, and by instructions of few rows.
  bool scales = besides > 0 || spreads,
       shareScaling = count > 1 && isPipelined && scales &&
                      (!isLarge(schedule) || hasFewRows(matmul));
  // LDS is regular, unlike memory: of waves that share SIMDs, some read while
  // others multiply, where all that comes is theirs to write; the more so where
  // one hides what the other waits for, or they take turns, in which addresses
  // are as regular. [fitted]
  double work = std::max(products, each + waiting), lds = count * step.getLds();
  if (isPipelined && !fetches && !scales)
    work += (isLone ? kTurnedBetweenAlone : kTurnedBetween) * count * vector;
  bool takesTurns = hides && matmul.getPingPong();
  double regular = takesTurns ? 20 : hides ? 7 : 5;
  if (waves * count > simds && !fetches && !scales)
    work = combine({work, std::exchange(lds, 0)}, regular);
  if (takesTurns && loads.addresses >= loads.getClocks())
    work = combine({work, std::exchange(memory, 0)}, regular);
  double busiest = combine(
      {work, vector * products / step.matrix + each * besides, memory, lds},
      /*power=*/shareScaling ? 3 : 4);
  // One by itself, without a pipeline: all of it is one after another, but what
  // the products hide of the next step's loads. Several fill one another's
  // gaps, less so where waves scale elements, which they do at the same time.
  if (!isPipelined) {
    double serial = step.matrix + vector + reads + writes + waiting;
    if (isThere)
      return combine({busiest, serial});
    double come = loads.getClocks(), alone = serial + loads.latency + come;
    // Each wave asks for its part of the next step when its own of this one has
    // come, while others' are under way; the first one's turn comes again when
    // these have come, too, and have been worked on.
    if (prefetches)
      alone = serial + std::max(loads.latency + come / waves - step.matrix,
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
  double coming =
             (waitsForAll ? loads.lastLatency : loads.latency) + loads.transfer,
         arrival = coming / (readsEarly ? kEarlySteps : 1) + vector - hidden +
                   writes / 2;
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
  // Each part is read before it is multiplied. Of waves that have a SIMD each
  // other workgroups' products hide what they work on and write, which come by
  // way of registers, but where stores stand beside all steps.
  double taken = parts * timing.ldsLatency + ofWave;
  if (ahead > 0)
    taken = ahead;
  else if (isLone && fetches)
    taken += reads;
  else if (isLone && besideStores == steps)
    taken += reads + writes + vector;
  // What comes straight to LDS holds less up: waves that have a SIMD each, and,
  // two steps ahead or more, most where a small part is all of a step. [fitted]
  double power = 4;
  if (fetches && waves == simds)
    power = 6;
  else if (fetches && matmul.getStages() > 2 && !isLone)
    power = ofWave > timing.l2Latency || parts > 1 ? 5 : 8;
  // Where waves of several workgroups take turns, and addresses take as long as
  // the products, all that arrives is among these.
  if (takesTurns && count > 1 && vector == 0 && steps >= kLongLoop &&
      count * loads.addresses >= products)
    power = kArrivalInTurns;
  double clocks = std::max(combine({busiest, arrival}, power), taken);
  // Units of large tiles are more regular than that.
  double least =
      std::max({products, count * vector, count * step.getLds(),
                count * (isThere ? loads.addresses : loads.getClocks())});
  if (clocks > least)
    clocks *= std::pow(least / clocks, getExcess());
  bool isShort =
      ofWave <= parts * kShortPart || (parts == 1 && hasFewRows(matmul));
  if (fetches && !isLone && isShort)
    clocks += kBothWait;
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
/// [fitted] The same of waves that take turns, in long loops; in shorter ones,
/// and where vector units work on operands.
static constexpr double kMeetingInTurns = 0.3, kMeetingInFewTurns = 0.8;

/// [fitted] The power of what stores and the steps beside them take.
static constexpr double kStoresPower = 8;

/// [fitted] What memory has not taken of stores beside their own steps, so many
/// times as long as these, it takes beside the others, if that many stay.
static constexpr double kStoresBeside = 1.3, kLeastOthers = 8;

/// [fitted] So many workgroups of a CU keep its units regularly busy, where
/// memory, which is not regular, takes such a part of the products' time.
static constexpr double kManyWorkgroups = 3, kLittleMemory = 0.25;

/// [fitted] Of the way into the loop, what tiles behind the first one take:
/// straight to LDS, and through registers.
static constexpr double kNextStart = 0.3, kNextStartByRegisters = 0.5;

double GemmUnit::getStoresBeside(double count, double loop) const {
  double beside = besideStores / steps * loop,
         memory = count * (stored + besideStores * loads.fromMemory),
         others = loop - beside;
  if (steps - besideStores >= kLeastOthers)
    memory = std::min(
        memory, std::max(kStoresBeside * beside,
                         count * (stored + steps * loads.fromMemory) - others));
  return combine({beside, memory}, kStoresPower) - beside;
}

bool GemmUnit::areRegular(double held) const {
  return fetches && held >= kManyWorkgroups &&
         schedule.getWaves() <= target.simdsPerCU &&
         schedule.getMatmul().getStages() >= 4 && scaleSteps == 0 &&
         besideStores == 0 && loads.fromMemory < kLittleMemory * step.matrix;
}

double GemmUnit::getClocks(double all, double held) const {
  // Stores stand behind a tile's own loop, or beside the next one's last steps.
  double startShare = besideStores == 0 ? 1
                      : fetches         ? kNextStart
                                        : kNextStartByRegisters;
  auto getTogether = [&](double count, bool isFirst = false) {
    double loop = getLoopClocks(count);
    if (besideStores > 0 && !isFirst)
      loop += getStoresBeside(count, loop);
    return startShare * getStart(count) + loop +
           count * (finished + (besideStores > 0 ? 0 : stored));
  };
  double rounds = std::floor(all / held), last = all - rounds * held,
         inRounds = getTogether(std::min(all, held), /*isFirst=*/true);
  if (rounds > 0)
    inRounds +=
        (rounds - 1) * getTogether(held) + (last > 0 ? getTogether(last) : 0);
  // The first ones' way, and the last ones' stores, behind all.
  double first = std::min(all, held);
  inRounds += (1 - startShare) * getStart(first);
  if (besideStores > 0)
    inRounds += (last > 0 ? last : first) * stored;
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
    bool takesTurns = !fetches && schedule.getMatmul().getPingPong();
    double meeting = takesTurns && steps >= kLongLoop ? kMeetingInTurns
                     : takesTurns || vector > 0       ? kMeetingInFewTurns
                                                      : kMeeting;
    some = std::min(std::pow(inRounds, meeting) * std::pow(apart, 1 - meeting),
                    inRounds);
  }
  if (!fetches)
    return some;
  // Of regular units the busiest one counts, and memory.
  if (areRegular(held))
    units = {*llvm::max_element(units), steps * loads.fromMemory + stored};
  // Those behind a single round find the unit as empty as the first did; later
  // the ones of a round come to their ends at different times.
  units.push_back(alone);
  // Nearly all is asked for at once where steps are few, in front of products:
  // units are busy for one workgroup after another. So are they, less so, where
  // steps without a loop stand beside stores. [fitted]
  bool isFew = steps <= schedule.getMatmul().getStages() + 1;
  double power = isFew                   ? 8
                 : besideStores == steps ? 5
                                         : 3,
         each = combine(units, power), ofLast = each;
  if (rounds == 1 && last > 0) {
    units.back() *= held / last;
    ofLast = combine(units, power);
  }
  return std::min(some, getStart(1) + (all - last) * each + last * ofLast);
}
