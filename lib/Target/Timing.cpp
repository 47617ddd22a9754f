//===- Timing.cpp - how long the chips take -------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Target/Timing.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir::te;

/// What the two chips share; what differs follows below.
static constexpr Timing kCommon = {
    .chip = "",
    .clockGHz = 0,
    .xcds = 8, // [V] product pages
    // [V] a thread trace on gfx942 shows 44 clocks for 11 wait states; GCN's
    // four SIMDs take turns.
    .turn = 4,
    .passClocks = 4, // [V] matrix instruction calculator
    .matrixResultTurns = 0,
    .ldsPorts = 0,
    .ldsPortBytes = 64, // see below
    // [V] "about 50 to 70 clocks" to the first data (gfx950 Gluon tutorial).
    .ldsLatency = 60,
    .ldsQueue = 8, // [U]
    // [U] 16 lanes a clock, so that a wave's addresses take one turn.
    .addressLanes = 16,
    .linesPerClock = 1, // [U] of 128 bytes
    // [V] measured on gfx942: 64 bytes a clock and CU, L1 or L2 hit.
    .l1Bytes = 64,
    .memoryQueue = 8, // [U]
    .bytesInFlight = kBytesInFlight,
    .l1Latency = 120,     // [U]
    .l2Latency = 300,     // [U]
    .memoryLatency = 800, // [U]
    .l2Bytes = 2048,      // [V] CDNA 3 white paper: 16 channels of 128
    .memoryBandwidth = 0,
    .memoryPeak = 0,
    .scalarLatency = 120, // [U] a hit in the scalar cache
    .vmCounter = 63,      // [V] the counters' fields in the ISA
    .lgkmCounter = 15,
};

static constexpr Timing make(llvm::StringRef chip, double clockGHz,
                             unsigned matrixResultTurns, unsigned ldsPorts,
                             double bandwidth, double peak) {
  Timing timing = kCommon;
  timing.chip = chip;
  timing.clockGHz = clockGHz;
  timing.matrixResultTurns = matrixResultTurns;
  timing.ldsPorts = ldsPorts;
  timing.memoryBandwidth = bandwidth;
  timing.memoryPeak = peak;
  return timing;
}

// Clocks [V]. Matrix results [V]: LLVM's hazard table has passes + 3 wait
// states between, one more on gfx950. LDS: 128 and 256 bytes a clock and CU [C,
// V]. On gfx942 two ports of 64, one a pair of SIMDs [V, measured]; on gfx950
// four [C: one ds_read_b128 per 16 clocks and SIMD]. Achievable bandwidth [V,
// second-hand]: the middle of "4.0 to 4.3", and "about 6.5" TB/s.
static constexpr Timing kTimings[] = {
    make("gfx942", 2.1, 4, 2, 4.15e12, 5.3e12),
    make("gfx950", 2.4, 5, 4, 6.5e12, 8.0e12),
};

const Timing *Timing::lookup(llvm::StringRef chip) {
  const Timing *found = llvm::find_if(
      kTimings, [&](const Timing &timing) { return timing.chip == chip; });
  return found == std::end(kTimings) ? nullptr : found;
}
