//===- Timing.h - how long a chip takes -------------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constants of the cycle model, apart from Target.h so that a change
// rebuilds little. Each names its source: [V] read in a published source, [C]
// computed from one, [U] unconfirmed. docs/cycle-model.md lists them. Clocks
// are those of the compute unit; LLVM's own scheduling model gives the latency
// of vector instructions and of branches, the emulator the passes of matrix
// ones.
//
//===----------------------------------------------------------------------===//
#ifndef TE_TARGET_TIMING_H
#define TE_TARGET_TIMING_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace mlir::te {

/// [V] gfx950 Gluon tutorial: what a CU of AMD's chips can have asked of L2 at
/// once. Schedules of memory-bound kernels are chosen by it too (Target.cpp).
constexpr unsigned kBytesInFlight = 32 << 10;

/// [V] ISA documents of gfx942 and gfx950: a line of L1 and of L2, which a load
/// asks for whole; and what a store writes at once.
constexpr unsigned kCacheLineBytes = 128, kStoreBytes = 64;

/// [U] from one kernel's end to the beginning of the next, which waits for it,
/// in seconds. A program's time has it between its kernels, and te-schedule and
/// te-tune weigh a second kernel by it; figures of single kernels do not.
constexpr double kKernelGap = 1e-6;

struct Timing {
  llvm::StringRef chip;
  double peakGHz;  // the clock of datasheets
  double clockGHz; // what figures in seconds assume: peakGHz, or withClock's
  unsigned xcds;   // each with an L2 cache of its own
  unsigned issueClocks; // between two issues of a SIMD; of a wait state too
  unsigned passClocks;  // of a matrix core's pass

  // Issue slots from a matrix instruction's start until its SIMD may start a
  // vector one: `matrixIssueSlots`, one more for each `factorReadBytes` of the
  // wider factor. Packed f32 and dot products: its passes and `matrixEndSlots`,
  // one more where A has `factorReadBytes`. A matrix instruction waits until
  // the vector unit is free.
  unsigned matrixIssueSlots, matrixEndSlots, factorReadBytes;
  unsigned transcendentalSlots; // that one keeps the vector unit busy

  // Matrix results: issue slots beyond the passes until another instruction
  // than a sum into the same registers may read them.
  unsigned matrixResultSlots;

  // LDS: SIMDs share ports evenly, and ports its banks (Target.h), which give a
  // row of all of them a clock.
  unsigned ldsPorts, ldsPortBytes; // that a port's reads bring back a clock
  unsigned ldsStoreBytes;          // that a port's writes take a clock
  unsigned ldsLatency;             // clocks to the first data
  unsigned ldsQueue;               // instructions that wait at a port

  // Vector memory of a CU.
  unsigned addressLanes;         // lanes a clock
  unsigned linesPerClock;        // tags looked up
  unsigned l1Bytes;              // a clock, L1 to registers, and of stores
  unsigned storeBytes;           // a clock, from a CU to L2
  unsigned l1Capacity;           // bytes of it, as the emulator has them
  unsigned memoryQueue;          // instructions that wait for the address unit
  unsigned bytesInFlight;        // most that a CU has asked of L2 at once
  unsigned l1Latency, l2Latency; // clocks, unloaded
  double beyondL2;               // seconds that memory takes longer than L2
  unsigned l2Bytes;              // a clock of one XCD's L2
  unsigned l2Capacity; // bytes of it: named where it matters, not modelled
  double memoryBandwidth, memoryPeak; // bytes a second: achievable, datasheet
  unsigned atomicTimes; // as long as stores of as many bytes do atomics take

  unsigned instructionCache;       // bytes, which two CUs share
  unsigned scalarLatency;          // clocks of a scalar load
  unsigned vmCounter, lgkmCounter; // the most operations that they count

  /// Bytes a clock of a CU that has the same share of its XCD's L2, and of
  /// memory's achievable bandwidth, as \p activeCUs have.
  double getL2Share(unsigned activeCUs) const;
  double getMemoryShare(unsigned activeCUs) const;
  /// Clocks of a load that memory serves, unloaded.
  unsigned getMemoryLatency() const;
  /// Clocks of kKernelGap.
  double getKernelGap() const;
  /// The same chip at a clock of \p gHz, above 0 and up to peakGHz: memory
  /// keeps its seconds, and all else its clocks.
  Timing withClock(double gHz) const;
  /// Of a chip by LLVM's name, or null where nothing is known of it.
  static const Timing *lookup(llvm::StringRef chip);
};

} // namespace mlir::te

#endif // TE_TARGET_TIMING_H
