//===- Trace.h - what waves ran, for models of time -------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch can record some of its workgroups: each wave's instructions in the
// order in which they ran, with what only running them tells (cache lines, LDS
// conflicts), and what the encoding tells of each instruction, once. A model of
// time (lib/CycleModel) needs nothing else of the emulator.
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_TRACE_H
#define TE_EMULATOR_TRACE_H

#include <cstdint>
#include <string>
#include <vector>

namespace mlir::te::emu {

/// What an instruction is issued to. Internal: the wave's own instruction
/// buffer (waits, barriers, s_nop).
enum class Unit : uint8_t {
  Salu,
  Smem,
  Valu,
  Mfma,
  Vmem,
  Lds,
  Branch,
  Internal
};
constexpr unsigned kUnits = 8;

/// What an Internal instruction does to the wave's time.
enum class Control : uint8_t { None, Wait, Barrier, End, Nop, Sleep, Priority };

/// Rows of the vector register file: 0..255 arch, 256..511 acc.
struct TracedRows {
  uint16_t first = 0;
  uint8_t count = 0;
};

/// An instruction that some recorded wave ran.
struct TracedInstruction {
  uint64_t pc = 0;    // in the file's own addresses
  std::string text;   // disassembly
  std::string source; // "file:line:column", or empty
  Unit unit = Unit::Internal;
  Control control = Control::None;
  /// Nop: wait states beyond the first; Sleep: times 64 clocks; Priority.
  uint16_t amount = 0;
  /// Wait: how many operations may be left of each counter.
  uint8_t vmLeft = 0, lgkmLeft = 0;
  /// Issue slots until an instruction can use the result, by LLVM's scheduling
  /// model of the chip.
  uint16_t latency = 1;
  uint8_t passes = 0; // of the matrix core, four clocks each
  uint64_t flops = 0; // of one matrix instruction
  /// Of a vector instruction: flops of a lane, and the most that its kind of
  /// arithmetic does in an issue slot (a packed or plain fused multiply-add).
  uint8_t laneFlops = 0, mostLaneFlops = 0;
  bool toLds = false;   // a load from global memory that lands in LDS
  bool isFlat = false;  // counts in both counters
  int accumulator = -1; // the first row of a matrix instruction's C
  /// Of a matrix instruction: bytes a lane of A, and of the wider of A and B.
  uint8_t firstFactorBytes = 0, widerFactorBytes = 0;
  /// Of a vector instruction: packed f32 and dot products do not run next to a
  /// matrix instruction.
  bool waitsForMatrix = false;
  bool isTranscendental = false;
  bool isAtomic = false; // of device memory
  std::vector<TracedRows> uses, defs;
};

/// One wave-instruction.
struct TraceEvent {
  uint32_t instruction = 0; // index of Trace::instructions
  // Of vector memory: 128-byte lines that the active lanes touched; those of a
  // load that L1 did not have, and those of them that the workgroup had not
  // asked for before (of a sample); 64-byte chunks stored; useful bytes.
  uint8_t lines = 0, missed = 0, fresh = 0, stored = 0;
  uint16_t bytes = 0; // LDS instructions too
  /// Of LDS: rows of banks that the access needs, and cycles beyond them.
  uint16_t ldsRows = 0, ldsConflicts = 0;
  uint8_t lanes = 0; // active, of a vector instruction
};

struct TracedWorkgroup {
  uint64_t workgroup = 0;
  std::vector<std::vector<TraceEvent>> waves;
};

/// What a launch is asked to record.
struct TraceRequest {
  std::vector<uint64_t> workgroups; // in ascending order
  /// L2 caches of the chip; workgroup w asks number w % caches.
  unsigned caches = 1;
  /// Events of one wave: more end the launch with an error.
  uint64_t maxEvents = 1 << 24;
  /// Runs nothing but these workgroups, and in those that share the first L2
  /// cache what leads to the hottest loop and a few iterations of it:
  /// Trace::linesOfMemory is estimated by these. Nothing is computed that way,
  /// and a workgroup that waits for another one may wait for ever (up to
  /// maxEvents).
  bool isSample = false;
};

struct Trace {
  std::vector<TracedInstruction> instructions; // in the order of addresses
  std::vector<TracedWorkgroup> workgroups;     // as requested
  uint64_t gridWorkgroups = 0;
  unsigned wavesPerWorkgroup = 0;
  unsigned registers = 0; // a lane has, arch and acc together
  unsigned ldsBytes = 0;  // of a workgroup, dynamic LDS too
  /// Of the whole launch (or sample): 128-byte lines that loads asked of L2,
  /// and those that no earlier load had asked of the same L2: they come from
  /// memory.
  uint64_t linesOfL2 = 0, linesOfMemory = 0;
  bool isSample = false; // as requested
  /// Of each workgroup of the grid, as measureWork has it; empty: not known.
  /// Whoever asks for the trace fills it.
  std::vector<uint64_t> work;
};

} // namespace mlir::te::emu

#endif // TE_EMULATOR_TRACE_H
