//===- Issue.cpp - which waves may issue, and what it takes ---------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ComputeUnit.h"

#include "llvm/ADT/STLExtras.h"

namespace mlir::te::cycle {

using emu::Control;
using emu::TracedInstruction;
using emu::TraceEvent;
using emu::Unit;

//===----------------------------------------------------------------------===//
// May it issue?
//===----------------------------------------------------------------------===//

Blocked ComputeUnit::checkUnit(SimulatedWave &wave,
                               const TracedInstruction &inst, uint64_t now) {
  Simd &simd = simds[wave.simd];
  switch (inst.unit) {
  case Unit::Mfma:
    return simd.mfmaFree >= simd.valuFree
               ? Blocked{Stall::MfmaBusy, simd.mfmaFree}
               : Blocked{Stall::ValuBusy, simd.valuFree};
  case Unit::Valu: {
    uint64_t matrix = inst.waitsForMatrix ? simd.afterMatrix : simd.withMatrix;
    return simd.valuFree >= matrix ? Blocked{Stall::ValuBusy, simd.valuFree}
                                   : Blocked{Stall::MfmaBusy, matrix};
  }
  case Unit::Lds: {
    Blocked full = wave.checkCounter(wave.lgkm, timing.lgkmCounter - 1);
    Blocked queue = portOf(wave).whenFree(now);
    return full.until > queue.until ? full : queue;
  }
  case Unit::Vmem: {
    Blocked full = wave.checkCounter(wave.vm, timing.vmCounter - 1);
    return full.until > now ? full : memory.whenFree(now);
  }
  case Unit::Smem:
    return wave.checkCounter(wave.lgkm, timing.lgkmCounter - 1);
  default:
    return {};
  }
}

Blocked ComputeUnit::check(SimulatedWave &wave, uint64_t now) {
  const TracedInstruction &inst =
      trace.instructions[wave.current().instruction];
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
  return checkUnit(wave, inst, now);
}

/// The waves that look for an issue slot: by priority, then matrix instructions
/// before others, then the oldest wave first.
llvm::SmallVector<unsigned, 16> ComputeUnit::orderWaves(const Simd &simd,
                                                        uint64_t now) {
  llvm::SmallVector<unsigned, 16> order;
  size_t matrix = 0; // after those of this priority
  for (unsigned id : simd.waves) {
    const SimulatedWave &wave = *waves[id];
    if (wave.wake > now)
      continue;
    if (!order.empty() && waves[order.back()]->priority != wave.priority)
      matrix = order.size();
    if (trace.instructions[wave.current().instruction].unit == Unit::Mfma)
      order.insert(order.begin() + matrix++, id);
    else
      order.push_back(id);
  }
  return order;
}

bool ComputeUnit::tryIssue(unsigned number, uint64_t now) {
  Simd &simd = simds[number];
  std::array<bool, emu::kUnits> usedUnits{};
  bool hasIssued = false, mustSort = false;
  // Waves may end, and others start, meanwhile.
  for (unsigned id : orderWaves(simd, now)) {
    SimulatedWave &wave = *waves[id];
    const TracedInstruction &inst =
        trace.instructions[wave.current().instruction];
    Blocked blocked = check(wave, now);
    bool isTaken = usedUnits[size_t(inst.unit)] && inst.unit != Unit::Internal;
    if (blocked.until <= now && isTaken)
      blocked = {inst.unit == Unit::Mfma   ? Stall::MfmaBusy
                 : inst.unit == Unit::Valu ? Stall::ValuBusy
                                           : Stall::Arbitration,
                 nextSlot(now)};
    if (blocked.until > now) {
      if (!wave.isSameStall(blocked)) {
        charge(wave, now);
        wave.setStall(blocked);
      }
      wave.wake = blocked.until;
      continue;
    }
    charge(wave, now);
    usedUnits[size_t(inst.unit)] = hasIssued = true;
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
  time.issue += timing.issueClocks;
  result.issueClocks += timing.issueClocks;
  ++result.instructions;
  draw(Span::Issue, wave, number, now, nextSlot(now));
  if (result.loop && number == result.loop->first)
    noteLoop(wave, now);
  if (wave.products && inst.unit == Unit::Mfma)
    noteProduct(wave, now);
  wave.wake = wave.stalledSince = nextSlot(now);
  switch (inst.unit) {
  case Unit::Mfma:
    issueMatrix(wave, inst, now);
    break;
  case Unit::Valu:
    issueVector(wave, inst, event, now);
    break;
  case Unit::Vmem:
    issueMemory(wave, inst, event, now);
    break;
  case Unit::Lds:
    issueLds(wave, inst, event, now);
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
      block(wave, number, nextSlot(now),
            now + inst.latency * timing.issueClocks, Stall::Branch);
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
  uint64_t after = nextSlot(now);
  switch (inst.control) {
  case Control::Nop: // what compilers put before matrix results
    return block(wave, number, after, after + inst.amount * timing.issueClocks,
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
  Simd &simd = simds[wave.simd];
  simd.mfmaFree = now + clocks;
  auto countReads = [&](unsigned bytes) {
    return bytes / timing.factorReadBytes;
  };
  simd.withMatrix =
      now + timing.issueClocks *
                (timing.matrixIssueSlots + countReads(inst.widerFactorBytes));
  simd.afterMatrix =
      now + clocks +
      timing.issueClocks * (timing.matrixEndSlots +
                            std::min(countReads(inst.firstFactorBytes), 1u));
  result.mfmaClocks += clocks;
  result.flops += inst.flops;
  wave.define(inst, Stall::MfmaDependency,
              now + clocks + timing.matrixResultSlots * timing.issueClocks,
              now + clocks);
  draw(Span::Mfma, wave, wave.current().instruction, now, now + clocks);
}

void ComputeUnit::issueVector(SimulatedWave &wave,
                              const TracedInstruction &inst,
                              const TraceEvent &event, uint64_t now) {
  uint64_t clocks =
      timing.issueClocks *
      (inst.isTranscendental ? timing.transcendentalSlots : inst.latency);
  simds[wave.simd].valuFree = now + clocks;
  result.valuClocks += clocks;
  if (uint64_t flops = event.lanes * inst.laneFlops) {
    result.vectorFlops += flops;
    result.vectorSlots += double(flops) / (inst.mostLaneFlops * waveSize);
  }
  wave.define(inst, Stall::ValuDependency, now + clocks, now + clocks);
  draw(Span::Valu, wave, wave.current().instruction, now, now + clocks);
}

void ComputeUnit::issueMemory(SimulatedWave &wave,
                              const TracedInstruction &inst,
                              const TraceEvent &event, uint64_t now) {
  Operation made = event.stored ? memory.store(now, event, inst.isAtomic)
                                : memory.load(now, event);
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

void ComputeUnit::issueLds(SimulatedWave &wave, const TracedInstruction &inst,
                           const TraceEvent &event, uint64_t now) {
  // What brings nothing back brings data in.
  Operation made = portOf(wave).issue(now, event, inst.defs.empty());
  result.ldsBytes += event.bytes;
  wave.lgkm.push_back(made);
  draw(Span::Lds, wave, wave.current().instruction, made.begin, made.end);
}

} // namespace mlir::te::cycle
