//===- Lds.cpp - DS: loads, stores and exchanges --------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LoadStore.h"

namespace mlir::te::emu {

/// LDS offsets of the active lanes; counts and bounds-checks the access.
static bool addressLds(Wave &wave, const Inst &inst, uint32_t offset,
                       unsigned bytes, Traffic traffic, LaneAddresses &lanes) {
  lanes.mask = wave.exec();
  const uint32_t *base = wave.row(inst.src[0].number - kFirstVector);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    lanes.address[lane] = base[lane] + offset; // wraps at 32 bits
  if (!resolveLds(wave, lanes, bytes, traffic))
    return false;
  countLds(wave, lanes, bytes);
  return true;
}

static void countAccess(Wave &wave) { ++wave.counters->ldsAccesses; }

template <LoadKind kind> static void runRead(Wave &wave, const Inst &inst) {
  LaneAddresses lanes;
  countAccess(wave);
  if (addressLds(wave, inst, inst.offset, loadBytes(kind), Traffic::Load,
                 lanes))
    loadLanes<kind>(wave, inst.dst, lanes);
}

template <unsigned bytes, bool high = false>
static void runWrite(Wave &wave, const Inst &inst) {
  LaneAddresses lanes;
  countAccess(wave);
  if (addressLds(wave, inst, inst.offset, bytes, Traffic::Store, lanes))
    storeLanes<bytes, high>(wave, inst.data[0], lanes);
}

/// ds_read2, ds_write2: two offsets in units of the element (times 64).
template <LoadKind kind, unsigned scale>
static void runRead2(Wave &wave, const Inst &inst) {
  constexpr unsigned bytes = loadBytes(kind);
  LaneAddresses first, second;
  countAccess(wave);
  uint32_t low = (inst.offset & 0xff) * bytes * scale;
  uint32_t high = (inst.offset >> 8 & 0xff) * bytes * scale;
  // Both addresses are taken before the destination may overwrite them.
  if (!addressLds(wave, inst, low, bytes, Traffic::Load, first) ||
      !addressLds(wave, inst, high, bytes, Traffic::Load, second))
    return;
  loadLanes<kind>(wave, inst.dst, first);
  loadLanes<kind>(wave, inst.dst + bytes / 4, second);
}
template <unsigned bytes, unsigned scale>
static void runWrite2(Wave &wave, const Inst &inst) {
  LaneAddresses lanes;
  countAccess(wave);
  uint32_t low = (inst.offset & 0xff) * bytes * scale;
  uint32_t high = (inst.offset >> 8 & 0xff) * bytes * scale;
  if (!addressLds(wave, inst, low, bytes, Traffic::Store, lanes))
    return;
  storeLanes<bytes>(wave, inst.data[0], lanes);
  if (addressLds(wave, inst, high, bytes, Traffic::Store, lanes))
    storeLanes<bytes>(wave, inst.data[1], lanes);
}

/// ds_read_addtid, ds_write_addtid: M0 + offset + 4 * lane.
static bool addressByLane(Wave &wave, const Inst &inst, Traffic traffic,
                          LaneAddresses &lanes) {
  countAccess(wave);
  lanes.mask = wave.exec();
  for (unsigned lane = 0; lane < kLanes; ++lane)
    lanes.address[lane] = (wave.sgpr[kM0] & 0xffff) + inst.offset + lane * 4;
  if (!resolveLds(wave, lanes, 4, traffic))
    return false;
  countLds(wave, lanes, 4);
  return true;
}
static void runReadByLane(Wave &wave, const Inst &inst) {
  LaneAddresses lanes;
  if (addressByLane(wave, inst, Traffic::Load, lanes))
    loadLanes<LoadKind::B32>(wave, inst.dst, lanes);
}
static void runWriteByLane(Wave &wave, const Inst &inst) {
  LaneAddresses lanes;
  if (addressByLane(wave, inst, Traffic::Store, lanes))
    storeLanes<4>(wave, inst.data[0], lanes);
}

/// Lanes of a transposing read, which reads for others too: one that the
/// sanitizer has refused reads zeros.
static bool addressTransposed(Wave &wave, const Inst &inst, unsigned bytes,
                              LaneAddresses &lanes) {
  static const uint8_t zeros[16] = {};
  countAccess(wave);
  if (wave.exec() != ~uint64_t(0)) {
    wave.fail("a transposing read needs all 64 lanes");
    return false;
  }
  if (!addressLds(wave, inst, inst.offset, bytes, Traffic::Load, lanes))
    return false;
  forLanes(~lanes.mask, [&](unsigned lane) {
    lanes.host[lane] = const_cast<uint8_t *>(zeros);
  });
  return true;
}

/// ds_read_b64_tr: within 16 lanes, lane l's element k is element l % n of what
/// lane (k * 16 / n + l / n) addressed, of n elements a lane.
template <class T> static void runTranspose(Wave &wave, const Inst &inst) {
  constexpr unsigned n = 8 / sizeof(T);
  LaneAddresses lanes;
  if (!addressTransposed(wave, inst, 8, lanes))
    return;
  uint64_t out[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    T elements[n];
    unsigned group = lane & ~15, l = lane & 15;
    for (unsigned k = 0; k < n; ++k)
      std::memcpy(&elements[k],
                  lanes.host[group + k * (16 / n) + l / n] + l % n * sizeof(T),
                  sizeof(T));
    std::memcpy(&out[lane], elements, 8);
  }
  storeRow64(wave, inst.dst, out, ~uint64_t(0));
}

/// Likewise with sixteen elements of four or six bits a lane: lane l's element
/// k is element l of lane k.
template <unsigned width>
static void runTransposeBits(Wave &wave, const Inst &inst) {
  constexpr unsigned words = width * 16 / 32;
  LaneAddresses lanes;
  if (!addressTransposed(wave, inst, words * 4, lanes))
    return;
  uint32_t in[kLanes][words + 1] = {}, out[words + 1][kLanes] = {};
  for (unsigned lane = 0; lane < kLanes; ++lane)
    std::memcpy(in[lane], lanes.host[lane], words * 4);
  auto wordOf = [](unsigned element) { return element * width / 32; };
  auto shiftOf = [](unsigned element) { return element * width % 32; };
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned k = 0, l = lane & 15; k < 16; ++k) {
      const uint32_t *from = &in[(lane & ~15) + k][wordOf(l)];
      uint64_t bits = uint64_t(from[1]) << 32 | from[0];
      bits = (bits >> shiftOf(l) & ((1u << width) - 1)) << shiftOf(k);
      out[wordOf(k)][lane] |= uint32_t(bits);
      out[wordOf(k) + 1][lane] |= uint32_t(bits >> 32);
    }
  for (unsigned word = 0; word < words; ++word)
    storeRow(wave, inst.dst + word, out[word], ~uint64_t(0));
}

//===----------------------------------------------------------------------===//
// Exchanges through the LDS crossbar: no memory
//===----------------------------------------------------------------------===//

/// ds_swizzle_b32: the lane that `lane` reads.
static unsigned swizzleLane(uint32_t pattern, unsigned lane) {
  if (pattern >= 0xe000) { // FFT: bit reversal within 32
    unsigned mask = pattern & 31;
    unsigned in =
        (llvm::reverseBits(uint32_t(lane & 31)) >> 27) >> llvm::popcount(mask);
    return (lane & 32) | in | (lane & mask);
  }
  if (pattern >= 0xc000) { // rotate within 32
    unsigned amount = pattern >> 5 & 31, mask = pattern & 31;
    int shift = pattern >> 10 & 1 ? -int(amount) : int(amount);
    unsigned in = lane & 31;
    return (lane & 32) | (in & mask) | ((in + shift) & ~mask & 31);
  }
  if (pattern & 0x8000) // permutation within 4
    return (lane & ~3) | (pattern >> (lane & 3) * 2 & 3);
  unsigned in = lane & 31; // and, or, xor within 32
  in = ((in & (pattern & 31)) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31);
  return (lane & 32) | in;
}

static void runSwizzle(Wave &wave, const Inst &inst) {
  uint64_t exec = wave.exec();
  uint32_t out[kLanes];
  const uint32_t *in = wave.row(inst.src[0].number - kFirstVector);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    unsigned from = swizzleLane(inst.offset, lane);
    out[lane] = exec >> from & 1 ? in[from] : 0;
  }
  storeRow(wave, inst.dst, out, exec);
}

/// A lane's value goes to the lane that it names; the highest lane wins, and
/// nobody's target reads 0.
static void runPermute(Wave &wave, const Inst &inst) {
  uint64_t exec = wave.exec();
  uint32_t out[kLanes] = {};
  const uint32_t *to = wave.row(inst.src[0].number - kFirstVector);
  const uint32_t *in = wave.row(inst.data[0]);
  forLanes(exec, [&](unsigned lane) {
    out[(to[lane] + inst.offset) >> 2 & 63] = in[lane];
  });
  storeRow(wave, inst.dst, out, exec);
}
/// A lane reads the lane that it names; a switched-off one gives 0.
static void runBackPermute(Wave &wave, const Inst &inst) {
  uint64_t exec = wave.exec();
  uint32_t out[kLanes];
  const uint32_t *from = wave.row(inst.src[0].number - kFirstVector);
  const uint32_t *in = wave.row(inst.data[0]);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    unsigned source = (from[lane] + inst.offset) >> 2 & 63;
    out[lane] = exec >> source & 1 ? in[source] : 0;
  }
  storeRow(wave, inst.dst, out, exec);
}

static void runNothing(Wave &, const Inst &) {}

using enum LoadKind;

static const Row rows[] = {
    {"ds_read_u8", runRead<U8>},
    {"ds_read_i8", runRead<I8>},
    {"ds_read_u16", runRead<U16>},
    {"ds_read_i16", runRead<I16>},
    {"ds_read_u8_d16", runRead<U8Low>},
    {"ds_read_i8_d16", runRead<I8Low>},
    {"ds_read_u16_d16", runRead<B16Low>},
    {"ds_read_u8_d16_hi", runRead<U8High>},
    {"ds_read_i8_d16_hi", runRead<I8High>},
    {"ds_read_u16_d16_hi", runRead<B16High>},
    {"ds_read_b32", runRead<B32>},
    {"ds_read_b64", runRead<B64>},
    {"ds_read_b96", runRead<B96>},
    {"ds_read_b128", runRead<B128>},
    {"ds_read2_b32", runRead2<B32, 1>},
    {"ds_read2_b64", runRead2<B64, 1>},
    {"ds_read2st64_b32", runRead2<B32, 64>},
    {"ds_read2st64_b64", runRead2<B64, 64>},
    {"ds_write_b8", runWrite<1>},
    {"ds_write_b16", runWrite<2>},
    {"ds_write_b8_d16_hi", runWrite<1, true>},
    {"ds_write_b16_d16_hi", runWrite<2, true>},
    {"ds_write_b32", runWrite<4>},
    {"ds_write_b64", runWrite<8>},
    {"ds_write_b96", runWrite<12>},
    {"ds_write_b128", runWrite<16>},
    {"ds_write2_b32", runWrite2<4, 1>},
    {"ds_write2_b64", runWrite2<8, 1>},
    {"ds_write2st64_b32", runWrite2<4, 64>},
    {"ds_write2st64_b64", runWrite2<8, 64>},
    {"ds_read_addtid_b32", runReadByLane},
    {"ds_write_addtid_b32", runWriteByLane},
    {"ds_read_b64_tr_b16", runTranspose<uint16_t>},
    {"ds_read_b64_tr_b8", runTranspose<uint8_t>},
    {"ds_read_b64_tr_b4", runTransposeBits<4>},
    {"ds_read_b96_tr_b6", runTransposeBits<6>},
    {"ds_swizzle_b32", runSwizzle},
    {"ds_permute_b32", runPermute},
    {"ds_bpermute_b32", runBackPermute},
    {"ds_nop", runNothing},
};

llvm::ArrayRef<Row> getLdsRows() { return rows; }

} // namespace mlir::te::emu
