//===- LdsAtomic.cpp - DS: atomics on LDS ---------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Access.h"
#include "AtomicOps.h"

namespace mlir::te::emu {

/// New value = F(memory, data0, data1), lane after lane: the waves of a
/// workgroup share a host thread.
template <class T, auto F, bool returns>
static void update(Wave &wave, const Inst &inst) {
  ++wave.counters->ldsAccesses;
  LaneAddresses lanes;
  lanes.mask = wave.exec();
  const uint32_t *base = wave.row(inst.src[0].number - kFirstVector);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    lanes.address[lane] = base[lane] + uint32_t(inst.offset); // wraps
  if (!checkAligned(wave, lanes, sizeof(T)) ||
      !resolveLds(wave, lanes, sizeof(T), Traffic::Atomic))
    return;
  countLds(wave, lanes, sizeof(T));
  uint32_t old[2][kLanes];
  forLanes(lanes.mask, [&](unsigned lane) {
    T memory, data[2];
    std::memcpy(&memory, lanes.host[lane], sizeof(T));
    for (unsigned k = 0; k < 2; ++k) {
      uint64_t bits = wave.vgpr[inst.data[k]][lane];
      if (sizeof(T) == 8)
        bits |= uint64_t(wave.vgpr[inst.data[k] + 1][lane]) << 32;
      data[k] = T(bits);
    }
    T now = F(memory, data[0], data[1]);
    std::memcpy(lanes.host[lane], &now, sizeof(T));
    old[0][lane] = uint32_t(memory);
    old[1][lane] = uint32_t(uint64_t(memory) >> 32);
  });
  for (unsigned word = 0; returns && word < sizeof(T) / 4; ++word)
    storeRow(wave, inst.dst + word, old[word], lanes.mask);
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
    {"ds_mskor_b32", runMaskOr<U, false>},
    {"ds_mskor_b64", runMaskOr<W, false>},
    {"ds_mskor_rtn_b32", runMaskOr<U, true>},
    {"ds_mskor_rtn_b64", runMaskOr<W, true>},
};

llvm::ArrayRef<Row> getLdsAtomicRows() { return rows; }

} // namespace mlir::te::emu
