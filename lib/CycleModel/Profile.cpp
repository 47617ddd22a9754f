//===- Profile.cpp - from a compute unit to the grid ----------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/CycleModel/CycleModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <numeric>

namespace mlir::te::cycle {

static double divide(double a, double b) { return b > 0 ? a / b : 0; }

static double sumWork(const emu::Trace &trace,
                      llvm::ArrayRef<emu::TracedWorkgroup> workgroups) {
  double sum = 0;
  for (const emu::TracedWorkgroup &each : workgroups)
    sum += trace.work.empty() ? 1 : trace.work[each.workgroup];
  return sum;
}

/// Simulations of a launch. Where workgroups share a compute unit, or few loads
/// come from memory, one may take 5 % longer than another, and up to 15.
/// Four tell whether it is so here.
static constexpr unsigned kDraws = 16, kFirstDraws = 4;
static constexpr double kAlike = 0.002;

/// The busiest compute unit runs the first, some in the middle and the last of
/// its workgroups; what is between is done at the pace of all these but the
/// first generation and the last.
static double extrapolate(const Profile &profile, const Simulation &cu,
                          const emu::Trace &trace) {
  llvm::ArrayRef<emu::TracedWorkgroup> simulated = trace.workgroups;
  uint64_t held = profile.residency.workgroups;
  if (simulated.size() == profile.busiestUnit.workgroups.size())
    return cu.clocks;
  if (simulated.size() <= 2 * held)
    return cu.clocks * profile.busiestUnit.work / profile.simulatedWork;
  std::vector<uint64_t> ends = cu.workgroupEnds;
  llvm::sort(ends);
  uint64_t last = ends.size() - held;
  double steady = double(ends[last - 1] - ends[held - 1]) /
                  sumWork(trace, simulated.slice(held, last - held));
  return cu.clocks +
         (profile.busiestUnit.work - profile.simulatedWork) * steady;
}

/// Draws, and the one that is nearest to their mean.
static void simulateDraws(Profile &made, const emu::Trace &trace,
                          const SimulationOptions &options) {
  auto simulateOne = [&](unsigned draw, size_t maxSpans) {
    return simulate(trace, *made.target, made.timing, made.residency,
                    {maxSpans, draw});
  };
  std::vector<Simulation> draws;
  std::vector<double> clocks;
  auto areAlike = [&] {
    auto [least, most] = std::minmax_element(clocks.begin(), clocks.end());
    made.leastGridClocks = *least;
    made.mostGridClocks = *most;
    return *most - *least <= kAlike * *most;
  };
  do {
    draws.push_back(simulateOne(draws.size(), 0));
    clocks.push_back(extrapolate(made, draws.back(), trace));
  } while (clocks.size() < kFirstDraws ||
           (!areAlike() && clocks.size() < kDraws));
  made.draws = draws.size();
  made.gridClocks =
      std::accumulate(clocks.begin(), clocks.end(), 0.) / made.draws;
  auto nearest = llvm::min_element(clocks, [&](double a, double b) {
    return std::abs(a - made.gridClocks) < std::abs(b - made.gridClocks);
  });
  unsigned draw = nearest - clocks.begin();
  made.cu = options.maxSpans ? simulateOne(draw, options.maxSpans)
                             : std::move(draws[draw]);
}

Profile makeProfile(llvm::StringRef kernel, const emu::Trace &trace,
                    const Target &target, const Timing &timing,
                    const SimulationOptions &options) {
  Profile made;
  made.kernel = kernel.str();
  made.target = &target;
  made.timing = timing;
  made.residency = getResidency(target, trace.registers, trace.ldsBytes,
                                trace.wavesPerWorkgroup, trace.gridWorkgroups);
  made.gridWorkgroups = trace.gridWorkgroups;
  made.wavesPerWorkgroup = trace.wavesPerWorkgroup;
  made.registers = trace.registers;
  made.ldsBytes = trace.ldsBytes;
  made.instructions = trace.instructions;
  made.askedOfL2 = trace.linesOfL2 * kCacheLineBytes;
  made.askedFirst = trace.linesOfMemory * kCacheLineBytes;
  made.isSample = trace.isSample;
  uint64_t units = target.computeUnits, held = made.residency.workgroups;
  made.activeCUs = std::min(units, std::max<uint64_t>(1, trace.gridWorkgroups));
  made.busiestUnit =
      findBusiestUnit(target, timing, held, trace.gridWorkgroups, trace.work);
  made.batches = double(made.busiestUnit.workgroups.size()) / held;
  made.simulatedWork = sumWork(trace, trace.workgroups);
  simulateDraws(made, trace, options);
  for (auto [begin, end] :
       llvm::zip_equal(made.cu.workgroupBegins, made.cu.workgroupEnds))
    made.workgroupClocks += double(end - begin) / made.cu.workgroupEnds.size();
  return made;
}

double Profile::seconds() const { return gridClocks / (timing.clockGHz * 1e9); }

double Profile::mfmaShare() const {
  return divide(cu.mfmaClocks, double(cu.clocks) * target->simdsPerCU);
}
double Profile::loopMfmaShare() const {
  // What is issued counts as a whole, the end of the last one after the loop.
  return std::min(
      divide(cu.loopMfmaClocks, double(cu.loopClocks) * target->simdsPerCU),
      1.0);
}
double Profile::valuShare() const {
  return divide(cu.valuClocks, double(cu.clocks) * target->simdsPerCU);
}
double Profile::ldsShare() const {
  return divide(std::max(cu.ldsBankClocks * timing.ldsPorts,
                         std::max(cu.ldsReadClocks, cu.ldsWriteClocks)),
                double(cu.clocks) * timing.ldsPorts);
}

double Profile::addressShare() const {
  return divide(cu.addressClocks, cu.clocks);
}

Profile::Busiest Profile::busiest() const {
  const Busiest units[] = {{"MFMA", mfmaShare()},
                           {"VALU", valuShare()},
                           {"LDS", ldsShare()},
                           {"vector memory addresses", addressShare()},
                           {"memory bandwidth", memoryShare()}};
  return *llvm::max_element(units, [](const Busiest &a, const Busiest &b) {
    return a.share < b.share;
  });
}

double Profile::bytesPerSecond() const {
  return divide(double(cu.memoryBytes), cu.clocks) * timing.clockGHz * 1e9 *
         activeCUs;
}
double Profile::memoryShare() const {
  return divide(bytesPerSecond(), timing.memoryBandwidth);
}

std::optional<Profile::Roofline> Profile::roofline() const {
  bool isMatrix = cu.flops > 0;
  double flops = isMatrix ? cu.flops : cu.vectorFlops;
  if (flops == 0)
    return std::nullopt;
  Roofline made;
  made.unit = isMatrix ? "matrix" : "vector";
  made.flopsPerByte = divide(flops, cu.memoryBytes);
  double work = busiestUnit.work * busiestUnit.fill * target->computeUnits;
  made.flopsPerSecond = divide(flops / simulatedWork * work, seconds());
  double clocks =
      isMatrix ? double(cu.mfmaClocks) : cu.vectorSlots * timing.issueClocks;
  made.peak = divide(flops, clocks) * target->simdsPerCU * timing.clockGHz *
              1e9 * target->computeUnits;
  made.memoryRoof = made.flopsPerByte * timing.memoryBandwidth;
  return made;
}

std::optional<double> Profile::footprintOfL2() const {
  if (isSample)
    return std::nullopt;
  return divide(askedFirst, std::min<uint64_t>(timing.xcds, gridWorkgroups));
}
bool Profile::exceedsL2() const {
  return footprintOfL2().value_or(0) > timing.l2Capacity &&
         askedFirst < askedOfL2;
}

uint64_t Profile::loopBytes() const {
  constexpr uint64_t kBranchBytes = 4;
  return cu.loop ? instructions[cu.loop->last].pc -
                       instructions[cu.loop->first].pc + kBranchBytes
                 : 0;
}

std::optional<Stall> Profile::largestStall() const {
  auto most = llvm::max_element(cu.stalls);
  if (!*most)
    return std::nullopt;
  return Stall(most - cu.stalls.begin());
}

std::vector<size_t> Profile::getMostStalled(size_t count) const {
  std::vector<size_t> order;
  for (size_t i = 0; i < instructions.size(); ++i)
    if (cu.instructionTimes[i].getStalled())
      order.push_back(i);
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::pair(cu.instructionTimes[b].getStalled(), a) <
           std::pair(cu.instructionTimes[a].getStalled(), b);
  });
  order.resize(std::min(order.size(), count));
  return order;
}

} // namespace mlir::te::cycle
