//===- LdsAtomic.cpp - DS: atomics on LDS ---------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Access.h"
#include "AtomicOps.h"

namespace mlir::te::emu {

/// Bounds and alignment of each lane's T at its address + `offset`.
template <class T>
static bool addressAtomic(Wave &wave, const Inst &inst, uint32_t offset,
                          LaneAddresses &lanes) {
  lanes.mask = wave.exec();
  const uint32_t *base = wave.row(inst.src[0].number - kFirstVector);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    lanes.address[lane] = base[lane] + offset; // wraps at 32 bits
  if (!checkAligned(wave, lanes, sizeof(T)) ||
      !resolveLds(wave, lanes, sizeof(T), Traffic::Atomic))
    return false;
  countLds(wave, lanes, sizeof(T));
  return true;
}

/// Sets memory to `now(memory, lane)`, lane after lane: the waves of a
/// workgroup share a host thread. `old` gets what was there, word by word.
template <class T, class Now>
static void exchange(const LaneAddresses &lanes, uint32_t (*old)[kLanes],
                     Now now) {
  forLanes(lanes.mask, [&](unsigned lane) {
    T memory;
    std::memcpy(&memory, lanes.host[lane], sizeof(T));
    T value = now(memory, lane);
    std::memcpy(lanes.host[lane], &value, sizeof(T));
    old[0][lane] = uint32_t(memory);
    if constexpr (sizeof(T) == 8)
      old[1][lane] = uint32_t(memory >> 32);
  });
}

template <class T>
static T readData(const Wave &wave, const Inst &inst, unsigned k,
                  unsigned lane) {
  uint64_t bits = wave.vgpr[inst.data[k]][lane];
  if (sizeof(T) == 8)
    bits |= uint64_t(wave.vgpr[inst.data[k] + 1][lane]) << 32;
  return T(bits);
}

/// New value = F(memory, data0, data1).
template <class T, auto F, bool returns>
static void update(Wave &wave, const Inst &inst) {
  ++wave.counters->ldsAccesses;
  LaneAddresses lanes;
  uint32_t old[2][kLanes];
  if (!addressAtomic<T>(wave, inst, inst.offset, lanes))
    return;
  exchange<T>(lanes, old, [&](T memory, unsigned lane) {
    return F(memory, readData<T>(wave, inst, 0, lane),
             readData<T>(wave, inst, 1, lane));
  });
  for (unsigned word = 0; returns && word < sizeof(T) / 4; ++word)
    storeRow(wave, inst.dst + word, old[word], lanes.mask);
}

/// ds_wrxchg2: two places, their offsets in units of the element (times 64).
template <class T, unsigned scale>
static void runExchange2(Wave &wave, const Inst &inst) {
  constexpr unsigned words = sizeof(T) / 4;
  LaneAddresses lanes[2];
  uint32_t old[2 * words][kLanes];
  ++wave.counters->ldsAccesses;
  for (unsigned k = 0; k < 2; ++k) {
    uint32_t offset = (inst.offset >> 8 * k & 0xff) * sizeof(T) * scale;
    if (!addressAtomic<T>(wave, inst, offset, lanes[k]))
      return;
  }
  for (unsigned k = 0; k < 2; ++k)
    exchange<T>(lanes[k], old + k * words, [&](T, unsigned lane) {
      return readData<T>(wave, inst, k, lane);
    });
  for (unsigned word = 0; word < 2 * words; ++word)
    storeRow(wave, inst.dst + word, old[word], lanes[word / words].mask);
}

/// ds_append, ds_consume: the number of active lanes is added to (taken from)
/// the dword at M0 + offset; every lane gets what was there.
template <bool isAppend> static void runAppend(Wave &wave, const Inst &inst) {
  LaneAddresses one; // the first lane speaks for all
  one.mask = 1;
  one.address[0] = (wave.sgpr[kM0] & 0xffff) + inst.offset;
  uint64_t exec = wave.exec();
  ++wave.counters->ldsAccesses;
  if (!checkAligned(wave, one, 4) ||
      !resolveLds(wave, one, 4, Traffic::Atomic) || !one.mask)
    return;
  uint32_t out[kLanes], memory, count = llvm::popcount(exec);
  std::memcpy(&memory, one.host[0], 4);
  std::fill_n(out, kLanes, memory);
  memory = isAppend ? memory + count : memory - count;
  std::memcpy(one.host[0], &memory, 4);
  storeRow(wave, inst.dst, out, exec);
}

template <class T, T (*F)(T, T), bool returns>
static void runAtomic(Wave &wave, const Inst &inst) {
  update<T, [](T old, T data, T) { return F(old, data); }, returns>(wave, inst);
}
/// The compare value comes first here.
template <class T, bool returns>
static void runCompareStore(Wave &wave, const Inst &inst) {
  update<T,
         [](T old, T compare, T data) { return old == compare ? data : old; },
         returns>(wave, inst);
}
template <class T, bool returns>
static void runCompareStoreFloat(Wave &wave, const Inst &inst) {
  update<Bits<T>,
         [](Bits<T> old, Bits<T> compare, Bits<T> data) {
           return fromBits<T>(old) == fromBits<T>(compare) ? data : old;
         },
         returns>(wave, inst);
}
static void runWrap(Wave &wave, const Inst &inst) {
  update<uint32_t,
         [](uint32_t old, uint32_t least, uint32_t more) {
           return old >= least ? old - least : old + more;
         },
         true>(wave, inst);
}
/// Each half of the data is written, without its top bit, where that is set.
static void runConditionalExchange(Wave &wave, const Inst &inst) {
  update<uint64_t,
         [](uint64_t old, uint64_t data, uint64_t) {
           constexpr uint64_t top = 0x8000000080000000;
           uint64_t halves = ((data & top) >> 31) * UINT32_MAX;
           return (old & ~halves) | (data & halves & ~top);
         },
         true>(wave, inst);
}
/// Clears the bits of data0, sets those of data1.
template <class T, bool returns>
static void runMaskOr(Wave &wave, const Inst &inst) {
  update<T, [](T old, T clear, T set) { return T((old & ~clear) | set); },
         returns>(wave, inst);
}

using U = uint32_t;
using W = uint64_t;
using namespace atomics;

#define BOTH(NAME, SUFFIX, T, ...)                                             \
  {"ds_" NAME "_" SUFFIX, runAtomic<T, __VA_ARGS__, false>}, {                 \
    "ds_" NAME "_rtn_" SUFFIX, runAtomic<T, __VA_ARGS__, true>                 \
  }
#define WIDTHS(NAME, KIND, F)                                                  \
  BOTH(NAME, KIND "32", U, F<U>), BOTH(NAME, KIND "64", W, F<W>)

static const Row rows[] = {
    WIDTHS("add", "u", add),
    WIDTHS("sub", "u", sub),
    WIDTHS("rsub", "u", reverseSub),
    WIDTHS("inc", "u", inc),
    WIDTHS("dec", "u", dec),
    WIDTHS("min", "i", minSigned),
    WIDTHS("max", "i", maxSigned),
    WIDTHS("min", "u", minUnsigned),
    WIDTHS("max", "u", maxUnsigned),
    WIDTHS("and", "b", bitAnd),
    WIDTHS("or", "b", bitOr),
    WIDTHS("xor", "b", bitXor),
    BOTH("add", "f32", U, addFloat<float>),
    BOTH("min", "f32", U, extremeFloat<float, false>),
    BOTH("max", "f32", U, extremeFloat<float, true>),
    BOTH("add", "f64", W, addFloat<double>),
    BOTH("min", "f64", W, extremeFloat<double, false>),
    BOTH("max", "f64", W, extremeFloat<double, true>),
    BOTH("pk_add", "f16", U, addHalves),
    BOTH("pk_add", "bf16", U, addBFloats),
    {"ds_wrxchg_rtn_b32", runAtomic<U, swap<U>, true>},
    {"ds_wrxchg_rtn_b64", runAtomic<W, swap<W>, true>},
    {"ds_cmpst_b32", runCompareStore<U, false>},
    {"ds_cmpst_b64", runCompareStore<W, false>},
    {"ds_cmpst_rtn_b32", runCompareStore<U, true>},
    {"ds_cmpst_rtn_b64", runCompareStore<W, true>},
    {"ds_cmpst_f32", runCompareStoreFloat<float, false>},
    {"ds_cmpst_f64", runCompareStoreFloat<double, false>},
    {"ds_cmpst_rtn_f32", runCompareStoreFloat<float, true>},
    {"ds_cmpst_rtn_f64", runCompareStoreFloat<double, true>},
    {"ds_wrap_rtn_b32", runWrap},
    {"ds_condxchg32_rtn_b64", runConditionalExchange},
    {"ds_wrxchg2_rtn_b32", runExchange2<U, 1>},
    {"ds_wrxchg2_rtn_b64", runExchange2<W, 1>},
    {"ds_wrxchg2st64_rtn_b32", runExchange2<U, 64>},
    {"ds_wrxchg2st64_rtn_b64", runExchange2<W, 64>},
    {"ds_append", runAppend<true>},
    {"ds_consume", runAppend<false>},
    {"ds_mskor_b32", runMaskOr<U, false>},
    {"ds_mskor_b64", runMaskOr<W, false>},
    {"ds_mskor_rtn_b32", runMaskOr<U, true>},
    {"ds_mskor_rtn_b64", runMaskOr<W, true>},
};

llvm::ArrayRef<Row> getLdsAtomicRows() { return rows; }

} // namespace mlir::te::emu
