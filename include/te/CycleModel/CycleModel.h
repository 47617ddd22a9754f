//===- CycleModel.h - where a kernel's time goes ----------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Simulates one compute unit, clock by clock, from what the emulator has
// recorded of its workgroups (te/Emulator/Trace.h), with the constants of
// te/Target/Timing.h. docs/cycle-model.md says what is modelled and what is
// not. It depends on the emulator's trace and LLVM's support library only.
//
// Clocks are the compute unit's. Results are the same on every run.
//
//===----------------------------------------------------------------------===//
#ifndef TE_CYCLEMODEL_CYCLEMODEL_H
#define TE_CYCLEMODEL_CYCLEMODEL_H

#include "te/Emulator/Trace.h"
#include "te/Target/Target.h"
#include "te/Target/Timing.h"

#include "llvm/Support/JSON.h"

#include <array>
#include <optional>

namespace mlir::te::cycle {

/// Why a resident wave does not issue.
enum class Stall : uint8_t {
  MfmaBusy,        // another instruction has the matrix core
  MfmaDependency,  // a result of the matrix core
  ValuBusy,        // another instruction has the vector unit
  ValuDependency,  // a result of the vector unit
  LdsLatency,      // s_waitcnt, or too many operations, for LDS
  LdsBandwidth,    // LDS gives other waves theirs
  LdsConflict,     // likewise, and bank conflicts are half of that
  AddressUnit,     // vector memory: the lines of one access after another
  InFlight,        // the CU has asked for as many bytes as it can
  L1Latency,       // s_waitcnt for a load that L1 has,
  L2Latency,       // that L2 has,
  MemoryLatency,   // or that memory has
  L2Bandwidth,     // the CU's share of L2
  MemoryBandwidth, // the CU's share of memory
  StoreLatency,    // s_waitcnt for a store
  ScalarLatency,   // s_waitcnt for a scalar load
  Barrier,         // other waves of the workgroup
  Branch,          // a branch that is taken
  Nop,             // s_nop, s_sleep
  Arbitration,     // another wave issued to the same unit in this clock
};
constexpr unsigned kStalls = 20;
/// "MFMA busy", for people; "mfma_busy", for JSON.
llvm::StringRef getStallName(Stall stall);
llvm::StringRef getStallKey(Stall stall);
/// A sentence on what a kernel with this largest stall may change.
llvm::StringRef getStallRemedy(Stall stall);

using StallClocks = std::array<uint64_t, kStalls>;

/// How many workgroups a compute unit holds at once.
struct Residency {
  unsigned workgroups = 1;
  unsigned wavesPerSIMD = 1; // rounded up
  const char *limit = "";    // "registers", "LDS", "wave slots", "grid"
};
Residency getResidency(const Target &target, unsigned registers,
                       unsigned ldsBytes, unsigned wavesPerWorkgroup,
                       uint64_t gridWorkgroups);

/// The compute unit that has most to do.
struct BusiestUnit {
  std::vector<uint64_t> workgroups; // in ascending order
  uint64_t work = 0;                // of all of them
  double fill = 0; // of all units, the mean work / this one's: the tail
};
/// XCDs get workgroups round-robin, and of their units the one that first has a
/// place for it, of `residency` places each. `work`: of each workgroup
/// (emu::measureWork); empty: they are alike.
BusiestUnit findBusiestUnit(const Target &target, const Timing &timing,
                            unsigned residency, uint64_t gridWorkgroups,
                            llvm::ArrayRef<uint64_t> work);

/// Which workgroups the busiest compute unit runs, as far as they are recorded:
/// all, or the first, one in the middle and the last generations.
emu::TraceRequest chooseWorkgroups(const Target &target, const Timing &timing,
                                   unsigned registers, unsigned ldsBytes,
                                   unsigned wavesPerWorkgroup,
                                   uint64_t gridWorkgroups,
                                   llvm::ArrayRef<uint64_t> work);

/// Clocks of one instruction, of all waves together.
struct InstructionTime {
  uint64_t executions = 0, issue = 0;
  StallClocks stalls{};
  uint64_t getStalled() const;
};

/// A loop of the kernel: instructions first..last of the trace. Where an
/// iteration multiplies and stores, it is a tile of a product, of so many
/// matrix instructions; else 0.
struct Loop {
  uint32_t first = 0, last = 0;
  uint64_t productsOfTile = 0;
};

/// The innermost loop that has the most work, or none.
std::optional<Loop> findLoop(const emu::Trace &trace);

/// Something that lasted, for drawings.
struct Span {
  enum Lane : uint8_t { Issue, Stalled, Mfma, Valu, Lds, Memory } lane;
  Stall stall;               // of Stalled
  uint16_t simd, slot, wave; // wave: of the simulation, in order of start
  uint32_t instruction;
  uint64_t begin, end;
};

struct SimulationOptions {
  size_t maxSpans = 0; // recorded for drawings
  /// What no launch repeats: how soon a workgroup starts where there is room
  /// for it, and which loads memory serves (of 0: at once, and each load that
  /// is due).
  unsigned draw = 0;
};

/// What the simulated compute unit did.
struct Simulation {
  uint64_t clocks = 0; // until the last wave has ended and its stores are done
  uint64_t instructions = 0, waves = 0;
  std::vector<uint64_t> workgroupBegins, workgroupEnds; // as in the trace
  std::vector<InstructionTime> instructionTimes; // as Trace::instructions
  uint64_t residentClocks = 0, issueClocks = 0;  // of all waves
  StallClocks stalls{};
  uint64_t mfmaClocks = 0, valuClocks = 0;           // busy, all SIMDs together
  uint64_t ldsBankClocks = 0, ldsConflictClocks = 0; // of its banks
  uint64_t ldsReadClocks = 0, ldsWriteClocks = 0;    // all ports together
  uint64_t addressClocks = 0;
  uint64_t flops = 0; // of matrix instructions
  /// Of vector instructions, and the clocks of a SIMD that they need at the
  /// peak of their kind of arithmetic.
  uint64_t vectorFlops = 0;
  double vectorSlots = 0;
  uint64_t usefulBytes = 0, ldsBytes = 0, l2Bytes = 0, memoryBytes = 0;
  /// The steady state of the loop: from the first wave's second iteration on
  /// until the first wave leaves; without a loop, of the middle half of each
  /// wave's matrix instructions; 0 where there is none.
  std::optional<Loop> loop;
  uint64_t loopClocks = 0, loopMfmaClocks = 0, loopIterations = 0;
  std::vector<Span> spans;
};

/// `residency` workgroups at a time, in the trace's order.
Simulation simulate(const emu::Trace &trace, const Target &target,
                    const Timing &timing, const Residency &residency,
                    const SimulationOptions &options = {});

/// The whole launch, extrapolated from its busiest compute unit, which is
/// simulated once for each of several draws (SimulationOptions).
struct Profile {
  std::string kernel;
  const Target *target = nullptr;
  Timing timing = {};
  Residency residency;
  Simulation cu; // of the draw that is nearest to the mean
  uint64_t gridWorkgroups = 0;
  unsigned wavesPerWorkgroup = 0, registers = 0, ldsBytes = 0;
  BusiestUnit busiestUnit;  // the one that is simulated
  double simulatedWork = 0; // of its work
  unsigned activeCUs = 0;
  /// Of the launch: bytes that loads asked of L2, and those of them that an
  /// XCD's L2 was asked for the first time.
  uint64_t askedOfL2 = 0, askedFirst = 0;
  bool isSample = false;      // a part of the grid ran
  double batches = 0;         // workgroups of the busiest unit / residency
  double workgroupClocks = 0; // mean of a workgroup
  double gridClocks = 0;      // the tail included; the mean of all draws
  double leastGridClocks = 0, mostGridClocks = 0; // of a draw
  unsigned draws = 0;
  std::vector<emu::TracedInstruction> instructions;

  double seconds() const; // of the grid, at the timing's clock
  double mfmaShare() const, loopMfmaShare() const, valuShare() const;
  /// loopMfmaShare is of a loop's iterations, not of code without one.
  bool hasSteadyLoop() const {
    return cu.loop && !cu.loop->productsOfTile && cu.loopClocks;
  }
  double addressShare() const; // of the address unit's time
  double ldsShare() const; // of the time of LDS's banks, of its ports' reads or
                           // of their writes, whichever is most
  double memoryShare() const;    // of the CU's share of achievable bandwidth
  double bytesPerSecond() const; // of memory, the chip
  /// Where the launch is under the roofs of memory and of arithmetic: matrix
  /// instructions, or vector ones where there are no others.
  struct Roofline {
    llvm::StringRef unit;  // "matrix", "vector"
    double flopsPerByte;   // of memory; 0 where none is moved
    double flopsPerSecond; // the chip
    double peak;           // the chip's, at the mix of instructions that ran
    double memoryRoof; // flops a second at the achievable bandwidth; 0: none
    bool isMemoryBound() const { return memoryRoof > 0 && memoryRoof < peak; }
    double roof() const { return isMemoryBound() ? memoryRoof : peak; }
  };
  /// None where no floating-point operation ran.
  std::optional<Roofline> roofline() const;
  /// The unit that is busy for the largest share of the time. Where a kernel
  /// keeps two busy, waves may wait for the other one longer.
  struct Busiest {
    llvm::StringRef unit; // "memory bandwidth"
    double share;
  };
  Busiest busiest() const;
  /// Different bytes that an XCD's L2 is asked for, on average; more than it
  /// holds, and asked for again: some of what comes from it here does not. Not
  /// known from a sample of the grid.
  std::optional<double> footprintOfL2() const;
  bool exceedsL2() const;
  /// Of the loop's code, 0 where there is none.
  uint64_t loopBytes() const;
  /// The reason with the most clocks, or none where no wave ever waited.
  std::optional<Stall> largestStall() const;
  /// The instructions that waves waited longest at, longest first: their
  /// numbers, \p count at most.
  std::vector<size_t> getMostStalled(size_t count) const;

  llvm::json::Object toJSON() const;
};

Profile makeProfile(llvm::StringRef kernel, const emu::Trace &trace,
                    const Target &target, const Timing &timing,
                    const SimulationOptions &options = {});

void printText(llvm::raw_ostream &os, const Profile &profile);
/// A trace for Perfetto (Chrome's JSON): a track a wave, and lanes of MFMA,
/// VALU, LDS and memory; one clock is one microsecond there.
void printTrace(llvm::raw_ostream &os, llvm::ArrayRef<Profile> profiles);
/// A page of its own, with the roofline and the loop's timeline as SVG.
void printHtml(llvm::raw_ostream &os, llvm::ArrayRef<Profile> profiles);
/// Columns side by side, a column a name.
void printComparison(llvm::raw_ostream &os, llvm::ArrayRef<std::string> names,
                     llvm::ArrayRef<Profile> profiles);

} // namespace mlir::te::cycle

#endif // TE_CYCLEMODEL_CYCLEMODEL_H
