//===- Simulator.cpp - one compute unit, clock by clock -------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each SIMD has a turn every four clocks. In a turn each of its waves may issue
// one instruction, and each unit takes one: by priority, then the oldest wave
// first. Everything that an instruction waits for is known when it is looked
// at, so that turns in which nothing can issue are skipped.
//
//===----------------------------------------------------------------------===//
#include "SimulatedWave.h"

#include "llvm/ADT/STLExtras.h"

#include <cassert>

namespace mlir::te::cycle {

using emu::Control;
using emu::TracedInstruction;
using emu::TraceEvent;
using emu::Unit;

namespace {

/// A workgroup that is resident.
struct Workgroup {
  size_t index; // of the trace's
  std::vector<unsigned> waves;
  unsigned alive = 0, arrived = 0;
};

struct Simd {
  std::vector<unsigned> waves; // in the order in which they look for a turn
  std::vector<unsigned> slots; // free numbers, for drawings
  unsigned nextSlot = 0;
  uint64_t mfmaFree = 0, valuFree = 0;
};

class ComputeUnit {
public:
  ComputeUnit(const emu::Trace &trace, const Target &target,
              const Timing &timing, const Residency &residency,
              const SimulationOptions &options);
  Simulation run();

private:
  void start(uint64_t now);
  void startWave(Workgroup &workgroup, unsigned number,
                 const std::vector<TraceEvent> &events, uint64_t now);
  bool takeTurn(unsigned simd, uint64_t now);
  Blocked check(SimulatedWave &wave, uint64_t now);
  Blocked checkUnit(SimulatedWave &wave, const TracedInstruction &inst,
                    const TraceEvent &event, uint64_t now);
  void issue(SimulatedWave &wave, uint64_t now);
  void issueInternal(SimulatedWave &wave, const TracedInstruction &inst,
                     uint64_t now);
  void issueMatrix(SimulatedWave &wave, const TracedInstruction &inst,
                   uint64_t now);
  void issueVector(SimulatedWave &wave, const TracedInstruction &inst,
                   uint64_t now);
  void issueMemory(SimulatedWave &wave, const TracedInstruction &inst,
                   const TraceEvent &event, uint64_t now);
  void issueLds(SimulatedWave &wave, const TraceEvent &event, uint64_t now);
  void arrive(SimulatedWave &wave, uint64_t now);
  void release(Workgroup &workgroup, uint64_t now);
  void end(SimulatedWave &wave, uint64_t now);
  void sortWaves(Simd &simd);
  void noteLoop(SimulatedWave &wave, uint64_t now);
  void finishLoop();

  void charge(SimulatedWave &wave, uint64_t until);
  void chargeStall(uint32_t instruction, Stall stall, uint64_t clocks);
  void block(SimulatedWave &wave, uint32_t instruction, uint64_t from,
             uint64_t until, Stall stall);
  void draw(Span::Lane lane, const SimulatedWave &wave, uint32_t instruction,
            uint64_t begin, uint64_t end, Stall stall = Stall::Nop);
  LdsPort &portOf(const SimulatedWave &wave) {
    return ports[wave.simd * ports.size() / simds.size()];
  }
  uint64_t nextTurn(uint64_t now) const { return now + timing.turn; }

  const emu::Trace &trace;
  const Timing &timing;
  const SimulationOptions &options;
  unsigned held; // workgroups at once
  std::vector<Simd> simds;
  std::vector<LdsPort> ports;
  MemoryPath memory;
  std::vector<std::unique_ptr<SimulatedWave>> waves; // all there were
  std::vector<Workgroup> workgroups;
  size_t nextWorkgroup = 0, resident = 0, nextSimd = 0;
  Simulation result;
};

} // namespace

static unsigned countActive(const emu::Trace &trace, const Target &target) {
  return std::clamp<uint64_t>(trace.gridWorkgroups, 1, target.computeUnits);
}

static double shareOfMemory(const emu::Trace &trace) {
  return trace.linesOfL2 ? double(trace.linesOfMemory) / trace.linesOfL2 : 1;
}

ComputeUnit::ComputeUnit(const emu::Trace &trace, const Target &target,
                         const Timing &timing, const Residency &residency,
                         const SimulationOptions &options)
    : trace(trace), timing(timing), options(options),
      held(residency.workgroups), simds(target.simdsPerCU),
      ports(timing.ldsPorts, LdsPort(timing, target.ldsBanks)),
      memory(timing, countActive(trace, target), shareOfMemory(trace)) {
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
    result.workgroupBegins[nextWorkgroup] = now;
    unsigned number = workgroups.size();
    workgroups.push_back({nextWorkgroup++, {}, 0, 0});
    ++resident;
    for (const auto &events : traced.waves)
      startWave(workgroups[number], number, events, now);
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
  uint64_t last = nextTurn(now);
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
    wave.wake = nextTurn(now);
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
// May it issue?
//===----------------------------------------------------------------------===//

Blocked ComputeUnit::checkUnit(SimulatedWave &wave,
                               const TracedInstruction &inst,
                               const TraceEvent &event, uint64_t now) {
  Simd &simd = simds[wave.simd];
  switch (inst.unit) {
  case Unit::Mfma:
    return {Stall::MfmaBusy, simd.mfmaFree};
  case Unit::Valu:
    return {Stall::ValuBusy, simd.valuFree};
  case Unit::Lds: {
    LdsPort &port = portOf(wave);
    Blocked full = wave.checkCounter(wave.lgkm, timing.lgkmCounter - 1);
    Stall stall = port.conflicts * 2 >= port.busy ? Stall::LdsConflict
                                                  : Stall::LdsBandwidth;
    Blocked queue = {stall, port.whenFree(now)};
    return full.until > queue.until ? full : queue;
  }
  case Unit::Vmem: {
    Blocked full = wave.checkCounter(wave.vm, timing.vmCounter - 1);
    if (full.until > now)
      return full;
    Blocked queue = {Stall::AddressUnit, memory.whenFree(now)};
    if (queue.until > now)
      return queue;
    return memory.whenRoom(now, event);
  }
  case Unit::Smem:
    return wave.checkCounter(wave.lgkm, timing.lgkmCounter - 1);
  default:
    return {};
  }
}

Blocked ComputeUnit::check(SimulatedWave &wave, uint64_t now) {
  const TraceEvent &event = wave.current();
  const TracedInstruction &inst = trace.instructions[event.instruction];
  if (inst.control == Control::Wait) {
    wave.retire(now);
    return wave.checkWait(inst);
  }
  Blocked registers = wave.checkRegisters(inst, now);
  if (registers.until > now)
    return registers;
  if (inst.unit == Unit::Lds || inst.unit == Unit::Vmem ||
      inst.unit == Unit::Smem)
    wave.retire(now);
  return checkUnit(wave, inst, event, now);
}

bool ComputeUnit::takeTurn(unsigned number, uint64_t now) {
  Simd &simd = simds[number];
  std::array<bool, emu::kUnits> taken{};
  bool hasIssued = false, mustSort = false;
  // Waves may end, and others start, meanwhile.
  llvm::SmallVector<unsigned, 16> order(simd.waves.begin(), simd.waves.end());
  for (unsigned id : order) {
    SimulatedWave &wave = *waves[id];
    if (wave.wake > now)
      continue;
    const TracedInstruction &inst =
        trace.instructions[wave.current().instruction];
    Blocked blocked = check(wave, now);
    bool isTaken = taken[size_t(inst.unit)] && inst.unit != Unit::Internal;
    if (blocked.until <= now && isTaken)
      blocked = {inst.unit == Unit::Mfma   ? Stall::MfmaBusy
                 : inst.unit == Unit::Valu ? Stall::ValuBusy
                                           : Stall::Arbitration,
                 nextTurn(now)};
    if (blocked.until > now) {
      if (!wave.isSameStall(blocked)) {
        charge(wave, now);
        wave.setStall(blocked);
      }
      wave.wake = blocked.until;
      continue;
    }
    charge(wave, now);
    taken[size_t(inst.unit)] = hasIssued = true;
    mustSort |= inst.control == Control::Priority;
    issue(wave, now);
  }
  if (mustSort)
    sortWaves(simd);
  return hasIssued;
}

//===----------------------------------------------------------------------===//
// It issues
//===----------------------------------------------------------------------===//

void ComputeUnit::issue(SimulatedWave &wave, uint64_t now) {
  const TraceEvent &event = wave.current();
  uint32_t number = event.instruction;
  const TracedInstruction &inst = trace.instructions[number];
  InstructionTime &time = result.instructionTimes[number];
  ++time.executions;
  time.issue += timing.turn;
  result.issueClocks += timing.turn;
  ++result.instructions;
  draw(Span::Issue, wave, number, now, nextTurn(now));
  if (result.loop && number == result.loop->first)
    noteLoop(wave, now);
  wave.wake = wave.stalledSince = nextTurn(now);
  switch (inst.unit) {
  case Unit::Mfma:
    issueMatrix(wave, inst, now);
    break;
  case Unit::Valu:
    issueVector(wave, inst, now);
    break;
  case Unit::Vmem:
    issueMemory(wave, inst, event, now);
    break;
  case Unit::Lds:
    issueLds(wave, event, now);
    break;
  case Unit::Smem: {
    Operation made;
    made.begin = now;
    made.done = made.end = now + timing.scalarLatency;
    made.parts[0] = {Stall::ScalarLatency, timing.scalarLatency};
    wave.lgkm.push_back(made);
    break;
  }
  case Unit::Branch:
    if (wave.isJump())
      block(wave, number, nextTurn(now), now + inst.latency * timing.turn,
            Stall::Branch);
    break;
  case Unit::Internal:
    issueInternal(wave, inst, now);
    break;
  case Unit::Salu:
    break;
  }
  ++wave.next;
}

void ComputeUnit::issueInternal(SimulatedWave &wave,
                                const TracedInstruction &inst, uint64_t now) {
  uint32_t number = wave.current().instruction;
  uint64_t after = nextTurn(now);
  switch (inst.control) {
  case Control::Nop: // what compilers put in front of matrix results
    return block(wave, number, after, after + inst.amount * timing.turn,
                 wave.getLastMatrix() > after ? Stall::MfmaDependency
                                              : Stall::Nop);
  case Control::Sleep:
    return block(wave, number, after, after + inst.amount * 64, Stall::Nop);
  case Control::Priority:
    wave.priority = inst.amount;
    return;
  case Control::Barrier:
    return arrive(wave, now);
  case Control::End:
    return end(wave, now);
  case Control::Wait:
  case Control::None:
    return;
  }
}

void ComputeUnit::issueMatrix(SimulatedWave &wave,
                              const TracedInstruction &inst, uint64_t now) {
  uint64_t clocks = inst.passes * timing.passClocks;
  simds[wave.simd].mfmaFree = now + clocks;
  result.mfmaClocks += clocks;
  result.flops += inst.flops;
  wave.define(inst, Stall::MfmaDependency,
              now + clocks + timing.matrixResultTurns * timing.turn,
              now + clocks);
  draw(Span::Mfma, wave, wave.current().instruction, now, now + clocks);
}

void ComputeUnit::issueVector(SimulatedWave &wave,
                              const TracedInstruction &inst, uint64_t now) {
  uint64_t clocks = inst.latency * timing.turn;
  simds[wave.simd].valuFree = now + clocks;
  result.valuClocks += clocks;
  wave.define(inst, Stall::ValuDependency, now + clocks, now + clocks);
  draw(Span::Valu, wave, wave.current().instruction, now, now + clocks);
}

void ComputeUnit::issueMemory(SimulatedWave &wave,
                              const TracedInstruction &inst,
                              const TraceEvent &event, uint64_t now) {
  Operation made =
      event.stored ? memory.store(now, event) : memory.load(now, event);
  result.usefulBytes += event.bytes;
  if (inst.toLds && event.bytes)
    made.done = portOf(wave).write(made.done, event.bytes);
  draw(Span::Memory, wave, wave.current().instruction, made.begin, made.done);
  // They come back in order.
  if (!wave.vm.empty() && wave.vm.back().done > made.done) {
    made.done = wave.vm.back().done;
    made.parts = wave.vm.back().parts;
  }
  wave.vm.push_back(made);
  if (inst.isFlat)
    wave.lgkm.push_back(made);
}

void ComputeUnit::issueLds(SimulatedWave &wave, const TraceEvent &event,
                           uint64_t now) {
  Operation made = portOf(wave).issue(now, event);
  result.ldsBytes += event.bytes;
  wave.lgkm.push_back(made);
  draw(Span::Lds, wave, wave.current().instruction, made.begin, made.end);
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// The first generation's waves meet the head of the loop.
void ComputeUnit::noteLoop(SimulatedWave &wave, uint64_t now) {
  if (workgroups[wave.workgroup].index < held)
    wave.rounds.push_back({now, result.mfmaClocks});
}

/// From when every wave is in its second round until the first one leaves.
/// Where waves run after one another there is no such time: from the first
/// second round until the last wave leaves.
void ComputeUnit::finishLoop() {
  using Round = SimulatedWave::Round;
  std::vector<Round> begins, ends;
  for (auto &wave : waves) {
    if (wave->rounds.size() < 3)
      continue;
    begins.push_back(wave->rounds[1]);
    ends.push_back(wave->rounds.back());
    result.loopRounds = wave->rounds.size() - 2;
  }
  if (begins.empty())
    return;
  auto isEarlier = [](const Round &a, const Round &b) {
    return a.clock < b.clock;
  };
  Round begin = *llvm::max_element(begins, isEarlier);
  Round end = *llvm::min_element(ends, isEarlier);
  if (end.clock <= begin.clock) {
    begin = *llvm::min_element(begins, isEarlier);
    end = *llvm::max_element(ends, isEarlier);
  }
  result.loopClocks = end.clock - begin.clock;
  result.loopMfmaClocks = end.mfmaClocks - begin.mfmaClocks;
}

Simulation ComputeUnit::run() {
  start(0);
  for (uint64_t round = 0; resident;) {
    bool hasIssued = false;
    for (unsigned simd = 0; simd < simds.size(); ++simd)
      hasIssued |= takeTurn(simd, round * timing.turn + simd);
    ++round;
    if (hasIssued)
      continue;
    uint64_t next = SimulatedWave::kNever;
    for (const Simd &simd : simds)
      for (unsigned id : simd.waves)
        next = std::min(next, waves[id]->wake);
    if (next == SimulatedWave::kNever)
      break; // waves at a barrier that nobody releases: the trace is cut off
    round = std::max(round, next / timing.turn);
  }
  for (LdsPort &port : ports) {
    result.ldsClocks += port.busy;
    result.ldsConflictClocks += port.conflicts;
  }
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
