//===- Simulator.cpp - one compute unit, clock by clock -------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each SIMD has an issue slot every four clocks. In it each of its waves may
// issue one instruction, and each unit takes one: by priority, then the oldest
// wave first. Everything that an instruction waits for is known when it is
// looked at, so that slots in which nothing can issue are skipped.
//
//===----------------------------------------------------------------------===//
#include "ComputeUnit.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

namespace mlir::te::cycle {

using emu::TraceEvent;

static unsigned countActive(const emu::Trace &trace, const Target &target) {
  return std::clamp<uint64_t>(trace.gridWorkgroups, 1, target.computeUnits);
}

/// Turns in which a workgroup starts, of any draw but the first.
static constexpr unsigned kStartSlots = 4;

/// Half of a load; of other draws any part, all of them evenly.
static double getDue(unsigned draw) {
  constexpr double kGoldenRatio = 1.6180339887498949;
  double part = 0.5 + draw * kGoldenRatio;
  return 1 - (part - std::floor(part));
}

static double shareOfMemory(const emu::Trace &trace) {
  return trace.linesOfL2 ? double(trace.linesOfMemory) / trace.linesOfL2 : 1;
}

ComputeUnit::ComputeUnit(const emu::Trace &trace, const Target &target,
                         const Timing &timing, const Residency &residency,
                         const SimulationOptions &options)
    : trace(trace), timing(timing), options(options),
      held(residency.workgroups), waveSize(target.waveSize),
      simds(target.simdsPerCU), banks{target.ldsBanks * 4},
      ports(timing.ldsPorts, LdsPort(timing, banks)),
      memory(timing, countActive(trace, target), shareOfMemory(trace),
             getDue(options.draw)),
      random(options.draw) {
  result.instructionTimes.resize(trace.instructions.size());
  result.workgroupBegins.resize(trace.workgroups.size());
  result.workgroupEnds.resize(trace.workgroups.size());
  result.loop = findLoop(trace);
}

//===----------------------------------------------------------------------===//
// Workgroups
//===----------------------------------------------------------------------===//

/// Fills the compute unit up.
void ComputeUnit::start(uint64_t now) {
  while (resident < held && nextWorkgroup < trace.workgroups.size()) {
    const emu::TracedWorkgroup &traced = trace.workgroups[nextWorkgroup];
    uint64_t begin = now;
    if (options.draw)
      begin += random() % (kStartSlots * timing.issueClocks);
    result.workgroupBegins[nextWorkgroup] = begin;
    unsigned number = workgroups.size();
    workgroups.push_back({nextWorkgroup++, {}, 0, 0});
    ++resident;
    for (const auto &events : traced.waves)
      startWave(workgroups[number], number, events, begin);
  }
}

void ComputeUnit::startWave(Workgroup &workgroup, unsigned number,
                            const std::vector<TraceEvent> &events,
                            uint64_t now) {
  auto wave = std::make_unique<SimulatedWave>(events);
  wave->id = waves.size();
  wave->workgroup = number;
  wave->simd = nextSimd++ % simds.size();
  Simd &simd = simds[wave->simd];
  if (simd.slots.empty())
    simd.slots.push_back(simd.nextSlot++);
  wave->slot = simd.slots.back();
  simd.slots.pop_back();
  wave->wake = wave->stalledSince = wave->started = now;
  wave->setStall({Stall::Arbitration, now});
  // The first generation's, where there is no loop.
  if (result.loop)
    wave->products = result.loop->productsOfTile;
  else if (workgroup.index < held)
    wave->products = llvm::count_if(events, [&](const TraceEvent &event) {
      return trace.instructions[event.instruction].unit == emu::Unit::Mfma;
    });
  workgroup.waves.push_back(wave->id);
  ++workgroup.alive;
  simd.waves.push_back(wave->id);
  waves.push_back(std::move(wave));
  sortWaves(simd);
}

void ComputeUnit::sortWaves(Simd &simd) {
  llvm::sort(simd.waves, [&](unsigned a, unsigned b) {
    return std::pair(-waves[a]->priority, a) <
           std::pair(-waves[b]->priority, b);
  });
}

void ComputeUnit::end(SimulatedWave &wave, uint64_t now) {
  uint64_t last = nextSlot(now);
  result.residentClocks += last - wave.started;
  Simd &simd = simds[wave.simd];
  llvm::erase(simd.waves, wave.id);
  simd.slots.push_back(wave.slot);
  wave.isDone = true;
  result.clocks = std::max({result.clocks, last, wave.getLastMemory()});
  Workgroup &workgroup = workgroups[wave.workgroup];
  if (--workgroup.alive) {
    if (workgroup.arrived == workgroup.alive)
      release(workgroup, now);
    return;
  }
  result.workgroupEnds[workgroup.index] = last;
  --resident;
  start(last);
}

void ComputeUnit::arrive(SimulatedWave &wave, uint64_t now) {
  Workgroup &workgroup = workgroups[wave.workgroup];
  wave.isAtBarrier = true;
  wave.stall = {Stall::Barrier, SimulatedWave::kNever, nullptr};
  wave.stalledAt = wave.current().instruction;
  wave.wake = SimulatedWave::kNever;
  if (++workgroup.arrived == workgroup.alive)
    release(workgroup, now);
}

void ComputeUnit::release(Workgroup &workgroup, uint64_t now) {
  if (!workgroup.arrived)
    return;
  workgroup.arrived = 0;
  for (unsigned id : workgroup.waves) {
    SimulatedWave &wave = *waves[id];
    if (!wave.isAtBarrier)
      continue;
    wave.isAtBarrier = false;
    wave.wake = nextSlot(now);
  }
}

//===----------------------------------------------------------------------===//
// The clocks of stalled waves
//===----------------------------------------------------------------------===//

void ComputeUnit::draw(Span::Lane lane, const SimulatedWave &wave,
                       uint32_t instruction, uint64_t begin, uint64_t end,
                       Stall stall) {
  if (result.spans.size() < options.maxSpans && begin < end)
    result.spans.push_back({lane, stall, wave.simd, wave.slot,
                            uint16_t(wave.id), instruction, begin, end});
}

void ComputeUnit::chargeStall(uint32_t instruction, Stall stall,
                              uint64_t clocks) {
  result.stalls[size_t(stall)] += clocks;
  result.instructionTimes[instruction].stalls[size_t(stall)] += clocks;
}

/// Ends what the wave has been waiting for.
void ComputeUnit::charge(SimulatedWave &wave, uint64_t until) {
  uint64_t clocks = until - std::min(wave.stalledSince, until);
  wave.stalledSince = until;
  if (!clocks)
    return;
  const Blocked &stall = wave.stall;
  draw(Span::Stalled, wave, wave.stalledAt, until - clocks, until,
       stall.operation ? stall.operation->parts[0].stall : stall.stall);
  if (!stall.operation)
    return chargeStall(wave.stalledAt, stall.stall, clocks);
  // The wait's end is the operation's: its last parts were waited for.
  for (const Operation::Part &part : stall.operation->parts) {
    uint64_t share = std::min(clocks, part.clocks);
    chargeStall(wave.stalledAt, part.stall, share);
    clocks -= share;
  }
  chargeStall(wave.stalledAt, stall.operation->parts[0].stall, clocks);
}

/// A stall whose length is known.
void ComputeUnit::block(SimulatedWave &wave, uint32_t instruction,
                        uint64_t from, uint64_t until, Stall stall) {
  if (until <= from)
    return;
  draw(Span::Stalled, wave, instruction, from, until, stall);
  chargeStall(instruction, stall, until - from);
  wave.setStall({stall, until});
  wave.wake = wave.stalledSince = until;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// The first generation's waves meet the head of the loop: in another
/// iteration, or from elsewhere.
void ComputeUnit::noteLoop(SimulatedWave &wave, uint64_t now) {
  if (workgroups[wave.workgroup].index >= held)
    return;
  uint32_t from = wave.previous();
  bool isEntry = from < result.loop->first || from > result.loop->last;
  if (isEntry || wave.visits.empty() || result.loop->productsOfTile)
    wave.visits.emplace_back();
  if (result.loop->productsOfTile)
    wave.issuedProducts = 0;
  else
    wave.visits.back().push_back({now, result.mfmaClocks});
}

/// Without a loop: a wave begins the middle half of its matrix instructions, or
/// of a tile's, or ends it.
void ComputeUnit::noteProduct(SimulatedWave &wave, uint64_t now) {
  if (!result.loop && wave.visits.empty())
    wave.visits.emplace_back();
  uint64_t issued = ++wave.issuedProducts;
  if (!wave.visits.empty() &&
      (issued == wave.products / 4 || issued == wave.products * 3 / 4))
    wave.visits.back().push_back({now, result.mfmaClocks});
}

/// Iterations whose mean is a steady state.
static constexpr uint64_t kLeastIterationsOfLoop = 3;

/// From when every wave is in its second iteration until the first one leaves,
/// of the first times that they come to the loop: in later ones what was stored
/// after it before is still under way. Where waves run after one another there
/// is no such time: from the first second iteration until the last wave leaves.
/// Without a loop likewise of the middle halves, of each tile.
void ComputeUnit::finishLoop() {
  size_t visits = 0;
  for (auto &wave : waves)
    visits = std::max(visits, wave->visits.size());
  for (size_t visit = 0;
       visit < visits && result.loopIterations < kLeastIterationsOfLoop;
       ++visit)
    finishVisit(visit);
}

void ComputeUnit::finishVisit(size_t visit) {
  using Iteration = SimulatedWave::Iteration;
  bool hasIterations = result.loop && !result.loop->productsOfTile;
  std::vector<Iteration> begins, ends;
  uint64_t count = 0;
  for (auto &wave : waves) {
    if (visit >= wave->visits.size() ||
        wave->visits[visit].size() < (hasIterations ? 3 : 2))
      continue;
    const std::vector<Iteration> &iterations = wave->visits[visit];
    begins.push_back(iterations[hasIterations ? 1 : 0]);
    ends.push_back(iterations.back());
    count = iterations.size() - 2;
  }
  if (begins.empty())
    return;
  auto isEarlier = [](const Iteration &a, const Iteration &b) {
    return a.clock < b.clock;
  };
  Iteration begin = *llvm::max_element(begins, isEarlier);
  Iteration end = *llvm::min_element(ends, isEarlier);
  if (end.clock <= begin.clock) {
    if (visit > 0) // the first one's, if there is no such time
      return;
    begin = *llvm::min_element(begins, isEarlier);
    end = *llvm::max_element(ends, isEarlier);
  }
  result.loopIterations += count;
  result.loopClocks += end.clock - begin.clock;
  result.loopMfmaClocks += end.mfmaClocks - begin.mfmaClocks;
}

Simulation ComputeUnit::run() {
  start(0);
  for (uint64_t round = 0; resident;) {
    bool hasIssued = false;
    for (unsigned simd = 0; simd < simds.size(); ++simd)
      hasIssued |= tryIssue(simd, round * timing.issueClocks + simd);
    ++round;
    if (hasIssued)
      continue;
    uint64_t next = SimulatedWave::kNever;
    for (const Simd &simd : simds)
      for (unsigned id : simd.waves)
        next = std::min(next, waves[id]->wake);
    if (next == SimulatedWave::kNever)
      break; // waves at a barrier that nobody releases: the trace is cut off
    round = std::max(round, next / timing.issueClocks);
  }
  for (LdsPort &port : ports) {
    result.ldsReadClocks += port.reads;
    result.ldsWriteClocks += port.writes;
  }
  result.ldsBankClocks = banks.busy;
  result.ldsConflictClocks = banks.conflicts;
  result.addressClocks = memory.addressBusy;
  result.l2Bytes = memory.l2Bytes;
  result.memoryBytes = memory.memoryBytes;
  result.waves = waves.size();
  finishLoop();
  return std::move(result);
}

Simulation simulate(const emu::Trace &trace, const Target &target,
                    const Timing &timing, const Residency &residency,
                    const SimulationOptions &options) {
  return ComputeUnit(trace, target, timing, residency, options).run();
}

} // namespace mlir::te::cycle
