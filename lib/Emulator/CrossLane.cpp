//===- CrossLane.cpp - VALU: lane reads and writes, swaps, acc registers --===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Lanes.h"

namespace mlir::te::emu {

using U = uint32_t;
using W = uint64_t;

/// v_readfirstlane: the first active lane's value; lane 0's where none is
/// active.
static void runReadFirst(Wave &wave, const Inst &inst) {
  if (inst.src[0].number < kFirstVector) {
    wave.sgpr[inst.dst] = readScalar32(wave, inst, 0);
    return;
  }
  W exec = wave.exec();
  unsigned lane = exec ? llvm::countr_zero(exec) : 0;
  wave.sgpr[inst.dst] = wave.row(inst.src[0].number - kFirstVector)[lane];
}
static void runReadLane(Wave &wave, const Inst &inst) {
  unsigned lane = readScalar32(wave, inst, 1) & 63;
  wave.sgpr[inst.dst] = inst.src[0].number < kFirstVector
                            ? readScalar32(wave, inst, 0)
                            : wave.row(inst.src[0].number - kFirstVector)[lane];
}
/// EXEC does not matter.
static void runWriteLane(Wave &wave, const Inst &inst) {
  unsigned lane = readScalar32(wave, inst, 1) & 63;
  wave.row(inst.dst)[lane] = readScalar32(wave, inst, 0);
}

/// False, and a fault, where the source is a scalar: nothing can be written
/// there.
static bool checkVectorSource(Wave &wave, const Inst &inst) {
  if (inst.src[0].number >= kFirstVector)
    return true;
  wave.fail("the source of a swap has to be a vector register");
  return false;
}

static void runSwap(Wave &wave, const Inst &inst) {
  if (!checkVectorSource(wave, inst))
    return;
  U *a = wave.row(inst.dst), *b = wave.row(inst.src[0].number - kFirstVector);
  forLanes(wave.exec(), [&](unsigned lane) { std::swap(a[lane], b[lane]); });
}

/// v_permlane16_swap, v_permlane32_swap: odd rows of `size` lanes of the
/// destination trade places with even rows of the source. Both lanes have to be
/// active.
template <unsigned size> static void runRowSwap(Wave &wave, const Inst &inst) {
  if (!checkVectorSource(wave, inst))
    return;
  U *a = wave.row(inst.dst), *b = wave.row(inst.src[0].number - kFirstVector);
  W exec = wave.exec();
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (lane & size || !(exec >> lane & 1) || !(exec >> (lane + size) & 1))
      continue;
    std::swap(a[lane + size], b[lane]);
  }
}

/// v_mbcnt: set bits of the mask below the lane (of one half of the wave), plus
/// S1.
template <bool high> static void runCountBelow(Wave &wave, const Inst &inst) {
  U buffer0[kLanes], buffer1[kLanes], out[kLanes];
  beginLanes(wave, inst);
  const U *masks = readLanes<U>(wave, inst, 0, buffer0);
  const U *base = readLanes<U>(wave, inst, 1, buffer1);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    W below = (W(1) << lane) - 1;
    U mask = masks[lane] & U(high ? below >> 32 : below);
    out[lane] = base[lane] + llvm::popcount(mask);
  }
  writeLanes<U>(wave, inst, out);
}

static const Row rows[] = {
    {"v_readfirstlane_b32", runReadFirst, kScalarDst},
    {"v_readlane_b32", runReadLane, kScalarDst},
    {"v_writelane_b32", runWriteLane},
    {"v_swap_b32", runSwap},
    {"v_permlane16_swap_b32", runRowSwap<16>},
    {"v_permlane32_swap_b32", runRowSwap<32>},
    {"v_mbcnt_lo_u32_b32", runCountBelow<false>},
    {"v_mbcnt_hi_u32_b32", runCountBelow<true>},
    {"v_accvgpr_read_b32", lanes<[](U a) { return a; }>, kAccSrc},
    {"v_accvgpr_write_b32", lanes<[](U a) { return a; }>, kAccDst},
    {"v_accvgpr_mov_b32", lanes<[](U a) { return a; }>, kAccSrc | kAccDst},
};

llvm::ArrayRef<Row> getCrossLaneRows() { return rows; }

} // namespace mlir::te::emu
