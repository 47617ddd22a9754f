//===- Timing.cpp - how long the chips take -------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Target/Timing.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

using namespace mlir::te;

/// What the two chips share; what differs follows below.
static constexpr Timing kCommon = {
    .chip = "",
    .peakGHz = 0,
    .clockGHz = 0,
    .xcds = 8, // [V] product pages
    // [V] a thread trace on gfx942 shows 44 clocks for 11 wait states; GCN's
    // four SIMDs alternate.
    .issueClocks = 4,
    .passClocks = 4, // [V] matrix instruction calculator
    // [V] LLVM issue 233721, from thread traces on MI308X and MI350X. Of
    // tingqli/pyhip's measurements on gfx942 they give each row.
    .matrixIssueSlots = 1,
    .matrixEndSlots = 2,
    .factorReadBytes = 16,
    .transcendentalSlots = 0,
    .matrixResultSlots = 0,
    // [V] AMD's HIP documentation, and a measurement on gfx942: pairs of SIMDs
    // share a port.
    .ldsPorts = 2,
    .ldsPortBytes = 0,
    .ldsStoreBytes = 0,
    .ldsLatency = 0,
    .ldsQueue = 8, // [V] gfx950 Gluon tutorial
    // [U] 16 lanes a clock, so that a wave's addresses take one issue slot.
    .addressLanes = 16,
    .linesPerClock = 1, // [U] of 128 bytes
    // [V] measured on gfx942: 64 bytes a clock and CU, L1 or L2 hit.
    .l1Bytes = 64,
    // [C] stores of 80 CUs at 1.42 GHz: 3.1 to 3.4 TB/s are 27 to 30. It is not
    // memory's: copies of all CUs, half of them stores, reach 4.18 TB/s (AMD's
    // threshold for BabelStream on MI300X). gfx950: the same [U].
    .storeBytes = 28,
    .l1Capacity = 32 << 10, // [V] CDNA 3 white paper
    .memoryQueue = 12,      // [V] "about 12 entries" (gfx950 Gluon tutorial)
    .bytesInFlight = kBytesInFlight,
    // [V] pointer chases on a gfx942 at 1.42 GHz: 100 clocks, 291, and 438 ns,
    // 233 of which lie beyond L2 [C], where another clock counts.
    .l1Latency = 100,
    .l2Latency = 291,
    .beyondL2 = 233e-9,
    .l2Bytes = 2048,       // [V] CDNA 3 white paper: 16 channels of 128
    .l2Capacity = 4 << 20, // [V] the same
    .memoryBandwidth = 0,
    .memoryPeak = 0,
    // [V] tingqli/pyhip, on both chips: packed bf16 atomics have a quarter of
    // the bandwidth of stores.
    .atomicTimes = 4,
    .instructionCache = 64 << 10, // [V] CDNA 3 white paper
    .scalarLatency = 120,         // [U] a hit in the scalar cache
    .vmCounter = 63,              // [V] the counters' fields in the ISA
    .lgkmCounter = 15,
};

static constexpr Timing make(llvm::StringRef chip, double peakGHz,
                             unsigned transcendentalSlots,
                             unsigned matrixResultSlots, unsigned ldsPortBytes,
                             unsigned ldsStoreBytes, unsigned ldsLatency,
                             double bandwidth, double peak) {
  Timing timing = kCommon;
  timing.chip = chip;
  timing.peakGHz = timing.clockGHz = peakGHz;
  timing.transcendentalSlots = transcendentalSlots;
  timing.matrixResultSlots = matrixResultSlots;
  timing.ldsPortBytes = ldsPortBytes;
  timing.ldsStoreBytes = ldsStoreBytes;
  timing.ldsLatency = ldsLatency;
  timing.memoryBandwidth = bandwidth;
  timing.memoryPeak = peak;
  return timing;
}

// Clocks [V]. Transcendental functions: LLVM's scheduling model has four issue
// slots, as measured on gfx942 [V]; gfx950 has twice that rate (CDNA 4 white
// paper) [V]. Matrix results [V]: LLVM's hazard table has passes + 3 wait
// states between, one more on gfx950.
// LDS reads: 64 and 128 bytes a clock and port [V: measured on gfx942; the
// gfx950 Gluon tutorial and its measurement, 8 clocks for ds_read_b128 of one
// wave]. Writes: measured on a gfx942 with all waves, 84 bytes a clock and CU
// for ds_write_b64 and b128 where reads got 126 [V]; gfx950: in proportion [U].
// LDS latency: a chase of ds_read_b32 takes 32 clocks on gfx942 [V], 4 of them
// its row; gfx950: "about 50 to 70 clocks" to the first data [V], of which
// ds_read_b128 takes 8.
// Achievable bandwidth [V, second-hand]: the middle of "4.0 to 4.3", and "about
// 6.5" TB/s.
static constexpr Timing kTimings[] = {
    make("gfx942", 2.1, 4, 4, 64, 42, 28, 4.15e12, 5.3e12),
    make("gfx950", 2.4, 2, 5, 128, 84, 52, 6.5e12, 8.0e12),
};

double Timing::getL2Share(unsigned activeCUs) const {
  double perXcd = std::ceil(double(activeCUs) / xcds);
  return std::min<double>(l1Bytes, l2Bytes / perXcd);
}

double Timing::getMemoryShare(unsigned activeCUs) const {
  return std::min(getL2Share(activeCUs),
                  memoryBandwidth / (clockGHz * 1e9) / activeCUs);
}

unsigned Timing::getMemoryLatency() const {
  return l2Latency + unsigned(beyondL2 * clockGHz * 1e9);
}

Timing Timing::withClock(double gHz) const {
  Timing timing = *this;
  timing.clockGHz = gHz;
  return timing;
}

double Timing::getKernelGap() const { return kKernelGap * clockGHz * 1e9; }

const Timing *Timing::lookup(llvm::StringRef chip) {
  const Timing *found = llvm::find_if(
      kTimings, [&](const Timing &timing) { return timing.chip == chip; });
  return found == std::end(kTimings) ? nullptr : found;
}
