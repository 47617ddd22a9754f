//===- Roofline.cpp - the least time of a product's kernel ----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Roofline.h"

#include "ProductWork.h"

#include "te/Target/MMA.h"

#include <cmath>

using namespace mlir;
using namespace mlir::te;

StringRef UnitClocks::getBound() const {
  double most = getMost();
  return most == matrix   ? "the matrix cores"
         : most == vector ? "the vector units"
         : most == lds    ? "LDS"
         : most == l2     ? "L2"
                          : "memory";
}

/// How long loads take, on average, of the operand that memory serves more of:
/// they come in order, so that one that memory serves holds up the others.
static double getLatency(const ProductWork &work, const Timing &timing) {
  double share = std::max(work.operands[0].share, work.operands[1].share);
  return timing.l2Latency +
         share * (double(timing.getMemoryLatency()) - timing.l2Latency);
}

/// Of one workgroup's step, and of what follows the last one.
static UnitClocks getStepClocks(const ProductWork &work, ScheduleAttr schedule,
                                double active, const Target &target,
                                const Timing &timing) {
  const MMA &mma = *MMA::lookup(schedule.getMatmul().getMma());
  double simds = target.simdsPerCU, ports = timing.ldsPorts;
  UnitClocks step;
  step.matrix = work.products *
                mma.getCycles(*getMMAFormat(work.a), *getMMAFormat(work.b)) /
                simds;
  // A compute unit has asked for so much at once at the most.
  double rate = std::min(timing.getL2Share(unsigned(active)),
                         timing.bytesInFlight / getLatency(work, timing));
  double reads = 0, writes = 0, direct = 0, instructions = work.sums;
  for (const OperandWork &operand : work.operands) {
    step.l2 += operand.asked / rate;
    step.memory +=
        operand.share * operand.bytes / timing.getMemoryShare(unsigned(active));
    reads += operand.inLds * operand.readers;
    (operand.isDirect ? direct : writes) += operand.inLds;
    instructions += operand.work;
  }
  step.lds = std::max(reads / (ports * timing.ldsPortBytes) +
                          writes / (ports * timing.ldsStoreBytes),
                      (reads + writes + direct) / (target.ldsBanks * 4));
  step.vector = instructions * timing.issueClocks / simds;
  return step;
}

static UnitClocks getFinishClocks(const ProductWork &work, double active,
                                  const Target &target, const Timing &timing) {
  UnitClocks finish;
  double moved = work.written + work.read;
  finish.memory = moved / timing.getMemoryShare(unsigned(active));
  finish.l2 = std::max(work.written / timing.storeBytes,
                       moved / timing.getL2Share(unsigned(active)));
  finish.vector = work.scales * timing.issueClocks / target.simdsPerCU;
  // Sums become rows on their way through LDS.
  finish.lds = work.written / timing.ldsPorts *
               (1. / timing.ldsStoreBytes + 1. / timing.ldsPortBytes);
  return finish;
}

/// The loads of both operands go straight to LDS.
static bool isDirect(const ProductWork &work) {
  return work.operands[0].isDirect && work.operands[1].isDirect;
}

/// Clocks of a step where `many` are on their way at once, each of which needs
/// the units for so long, and waits as long as `delay` next to: a closed
/// network of queues by mean value analysis (Reiser and Lavenberg, JACM 27,
/// 1980). One takes the sum; many take as long as the busiest unit.
static double getClocksOfEach(ArrayRef<double> units, double delay,
                              double many) {
  SmallVector<double> queues(units.size()), waits(units.size());
  double each = 0;
  for (double count = 1; count <= many; ++count) {
    double all = delay;
    for (auto [unit, queue, wait] : llvm::zip_equal(units, queues, waits))
      all += wait = unit * (1 + queue);
    for (auto [queue, wait] : llvm::zip_equal(queues, waits))
      queue = count * wait / all;
    each = all / count;
  }
  return each;
}

/// What a step waits for LDS, but in queues: for what was written to it, and
/// the first wave's first read. That is hidden where waves alternate, or LDS
/// has the step early.
static double getLdsWait(const ProductWork &work, const UnitClocks &step,
                         ScheduleAttr schedule, double sharing,
                         const Timing &timing) {
  MatmulAttr matmul = schedule.getMatmul();
  double instructions = double(matmul.getK()) / MMA::lookup(matmul.getMma())->k;
  if (schedule.getPipeline().getStages() == 1)
    return step.lds + 2 * timing.ldsLatency;
  if (schedule.getPipeline().getPingPong() ||
      (isDirect(work) && schedule.getPipeline().getStages() > 2))
    return 0;
  return timing.ldsLatency + step.lds / (instructions * sharing);
}

static WorkgroupClocks getWorkgroups(const ProductWork &work,
                                     ScheduleAttr schedule, double count,
                                     double active, const Target &target,
                                     const Timing &timing) {
  WorkgroupClocks made;
  made.step = getStepClocks(work, schedule, active, target, timing);
  made.finish = getFinishClocks(work, active, target, timing);
  made.steps = work.steps;
  made.latency = getLatency(work, timing);
  made.count = count;
  made.together = std::min<double>(work.residents, count);
  // Arguments, the first operands and their way through LDS; the last store,
  // and what it is added to.
  made.start = 2 * timing.scalarLatency + timing.getMemoryLatency() +
               made.step.getMost() + 2 * timing.ldsLatency;
  made.end = 2 * timing.ldsLatency + timing.l2Latency +
             (work.read > 0 ? timing.getMemoryLatency() : 0);
  double waves = schedule.getWaves(), simds = target.simdsPerCU;
  made.waves = waves;
  made.sharing = std::max(waves / simds, 1.0);
  made.alone = simds / std::min(waves, simds);
  made.ldsWait = getLdsWait(work, made.step, schedule, made.sharing, timing);
  // Of one stage registers hold the next step's operands, if anything does; on
  // the way to LDS they hold those of one more.
  int64_t stages = schedule.getPipeline().getStages();
  double together =
      std::max(work.operands[0].copySteps, work.operands[1].copySteps);
  made.isSerial = stages == 1;
  made.ahead = isDirect(work) ? std::max(stages - together, 1.0) : 1;
  made.room = stages == 1      ? 1 + work.prefetches
              : isDirect(work) ? 1 + made.ahead
                               : 3;
  made.scalesAhead = work.scaleSteps / 2;
  made.overlapsStores = schedule.getGrid().getWorkgroups() > 0;
  return made;
}

double WorkgroupClocks::getStepClocks(const UnitClocks &step,
                                      double some) const {
  // What lanes work on is next to the products of other waves of the SIMD,
  // which a workgroup of few waves does not have all of.
  auto getProducts = [&](double workgroups) {
    return getClocksOfEach({step.matrix, step.vector}, 0,
                           std::floor(workgroups * sharing));
  };
  double own = alone * getProducts(1) + ldsWait,
         loads = std::max(step.l2, step.memory),
         products = std::max(getProducts(some), alone * getProducts(1) / some);
  // A pipeline's reads of LDS are scheduled among its products; without one
  // they are another workgroup's at best.
  SmallVector<double> units = {loads,
                               std::max({products, step.lds, own / some})};
  if (isSerial)
    units = {loads, products, step.lds};
  // A wave's own loads are under way for so many steps.
  return std::max({some * getClocksOfEach(units, latency, some * room), own,
                   (latency + loads / waves) / ahead, latency / scalesAhead});
}

double WorkgroupClocks::getClocks() const {
  if (count <= 0)
    return 0;
  // Stores are among other workgroups' steps, or the next tile's.
  double separate = start + end +
                    count / together * steps *
                        getStepClocks(step + finish * (1 / steps), together);
  if (overlapsStores)
    return separate + (finish * together).getMost();
  auto getRound = [&](double some) {
    return start + steps * getStepClocks(step, some) +
           (finish * some).getMost() + end;
  };
  double batches = std::floor(count / together),
         rest = count - batches * together,
         inBatches =
             batches * getRound(together) + (rest > 0 ? getRound(rest) : 0);
  // Workgroups of a compute unit begin at the same time. Whether they drift
  // apart later is chance.
  return together < 2 || batches < 2 || separate > inBatches
             ? inBatches
             : (inBatches + separate) / 2;
}

double Roofline::getClocks() const {
  double clocks = secondKernel;
  for (const WorkgroupClocks &kernel : workgroups)
    clocks += kernel.getClocks();
  return clocks;
}

UnitClocks Roofline::getWork() const {
  UnitClocks work;
  for (const WorkgroupClocks &clocks : workgroups)
    work = work + clocks.getWork();
  return work;
}

double Roofline::getEvenClocks() const {
  UnitClocks work;
  for (const WorkgroupClocks &clocks : workgroups)
    work = work + (clocks.step * clocks.steps + clocks.finish) * clocks.even;
  return work.getMost();
}

std::optional<Roofline> te::getRoofline(const TileDemand &ofRegion,
                                        ScheduleAttr schedule,
                                        const Target &target) {
  const Timing *timing = Timing::lookup(target.name);
  MatmulAttr matmul = schedule.getMatmul();
  if (!timing || !matmul || !ofRegion.hasProduct())
    return std::nullopt;
  TileDemand demand = getSplitDemand(ofRegion, schedule);
  ProductGrid grid(demand, schedule), whole = grid.getWhole(schedule),
                                      rest = grid.getRest(schedule);
  double all = whole.getCount() + rest.getCount(),
         active = std::min<double>(all, target.computeUnits);
  Roofline made;
  for (const ProductGrid &tiles : {whole, rest}) {
    if (tiles.getCount() <= 0)
      continue;
    std::optional<ProductWork> work =
        getProductWork(demand, schedule, tiles, target, *timing);
    if (!work)
      return std::nullopt;
    double even = tiles.getCount() / target.computeUnits;
    made.workgroups.push_back(getWorkgroups(*work, schedule, std::ceil(even),
                                            active, target, *timing));
    made.workgroups.back().even = even;
  }
  if (int64_t splits = schedule.getGrid().getSplitK(); splits > 1)
    made.secondKernel = getPassClocks(demand, 4 * splits, target, *timing,
                                      schedule.getGrid().getWholeRows());
  return made;
}

double te::getPassClocks(const TileDemand &demand, double read,
                         const Target &target, const Timing &timing,
                         int64_t firstRow) {
  double elements = (getSize(demand.rows) - firstRow) * getSize(demand.cols),
         bytes = elements * (read + demand.loadedBytes + demand.storedBytes);
  return timing.getKernelGap() + 2 * timing.scalarLatency +
         timing.getMemoryLatency() + timing.l2Latency +
         bytes / timing.memoryBandwidth * timing.clockGHz * 1e9;
}
