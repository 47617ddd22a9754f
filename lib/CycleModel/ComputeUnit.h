//===- ComputeUnit.h - one compute unit, clock by clock ---------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_CYCLEMODEL_COMPUTEUNIT_H
#define TE_CYCLEMODEL_COMPUTEUNIT_H

#include "SimulatedWave.h"

#include <random>

namespace mlir::te::cycle {

/// A workgroup that is resident.
struct Workgroup {
  size_t index; // of the trace's
  std::vector<unsigned> waves;
  unsigned alive = 0, arrived = 0;
};

struct Simd {
  std::vector<unsigned>
      waves; // in the order in which they look for an issue slot
  std::vector<unsigned> slots; // free numbers, for drawings
  unsigned nextSlot = 0;
  uint64_t mfmaFree = 0, valuFree = 0;
  // When the last matrix instruction lets a vector one start, and one that does
  // not run next to it.
  uint64_t withMatrix = 0, afterMatrix = 0;
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
                 const std::vector<emu::TraceEvent> &events, uint64_t now);
  llvm::SmallVector<unsigned, 16> orderWaves(const Simd &simd, uint64_t now);
  bool tryIssue(unsigned simd, uint64_t now);
  Blocked check(SimulatedWave &wave, uint64_t now);
  Blocked checkUnit(SimulatedWave &wave, const emu::TracedInstruction &inst,
                    uint64_t now);
  void issue(SimulatedWave &wave, uint64_t now);
  void issueInternal(SimulatedWave &wave, const emu::TracedInstruction &inst,
                     uint64_t now);
  void issueMatrix(SimulatedWave &wave, const emu::TracedInstruction &inst,
                   uint64_t now);
  void issueVector(SimulatedWave &wave, const emu::TracedInstruction &inst,
                   const emu::TraceEvent &event, uint64_t now);
  void issueMemory(SimulatedWave &wave, const emu::TracedInstruction &inst,
                   const emu::TraceEvent &event, uint64_t now);
  void issueLds(SimulatedWave &wave, const emu::TracedInstruction &inst,
                const emu::TraceEvent &event, uint64_t now);
  void arrive(SimulatedWave &wave, uint64_t now);
  void release(Workgroup &workgroup, uint64_t now);
  void end(SimulatedWave &wave, uint64_t now);
  void sortWaves(Simd &simd);
  void noteLoop(SimulatedWave &wave, uint64_t now);
  void noteProduct(SimulatedWave &wave, uint64_t now);
  void finishLoop();
  void finishVisit(size_t visit);

  void charge(SimulatedWave &wave, uint64_t until);
  void chargeStall(uint32_t instruction, Stall stall, uint64_t clocks);
  void block(SimulatedWave &wave, uint32_t instruction, uint64_t from,
             uint64_t until, Stall stall);
  void draw(Span::Lane lane, const SimulatedWave &wave, uint32_t instruction,
            uint64_t begin, uint64_t end, Stall stall = Stall::Nop);
  LdsPort &portOf(const SimulatedWave &wave) {
    return ports[wave.simd * ports.size() / simds.size()];
  }
  uint64_t nextSlot(uint64_t now) const { return now + timing.issueClocks; }

  const emu::Trace &trace;
  const Timing &timing;
  const SimulationOptions &options;
  unsigned held; // workgroups at once
  unsigned waveSize;
  std::vector<Simd> simds;
  LdsBanks banks;
  std::vector<LdsPort> ports;
  MemoryPath memory;
  std::vector<std::unique_ptr<SimulatedWave>> waves; // all there were
  std::vector<Workgroup> workgroups;
  size_t nextWorkgroup = 0, resident = 0, nextSimd = 0;
  std::mt19937_64 random;
  Simulation result;
};

} // namespace mlir::te::cycle

#endif // TE_CYCLEMODEL_COMPUTEUNIT_H
