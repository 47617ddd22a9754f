//===- Atomic.cpp - FLAT, GLOBAL and BUFFER atomics -----------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workgroups run on several host threads, so that these are host atomics.
//
//===----------------------------------------------------------------------===//
#include "AtomicOps.h"
#include "Buffer.h"

namespace mlir::te::emu {

static bool addressAtomic(Wave &wave, const Inst &inst, unsigned bytes,
                          LaneAddresses &lanes) {
  if (inst.format != Format::Mubuf)
    return addressFlat(wave, inst, bytes, Traffic::Atomic, lanes);
  BufferLanes buffer;
  if (!addressBuffer(wave, inst, bytes, Traffic::Atomic, buffer))
    return false;
  lanes = buffer.lanes;
  forLanes(buffer.lanes.mask, [&](unsigned lane) {
    if (buffer.valid[lane] != bytes)
      lanes.mask &= ~(uint64_t(1) << lane);
  });
  return true;
}

template <class T> static T readData(Wave &wave, unsigned row, unsigned lane) {
  uint64_t value = wave.vgpr[row][lane];
  if (sizeof(T) == 8)
    value |= uint64_t(wave.vgpr[row + 1][lane]) << 32;
  return T(value);
}
template <class T>
static void writeData(Wave &wave, unsigned row, unsigned lane, T value) {
  wave.vgpr[row][lane] = uint32_t(value);
  if constexpr (sizeof(T) == 8)
    wave.vgpr[row + 1][lane] = uint32_t(value >> 32);
}

/// New value = F(memory, data, compare); lanes act in ascending order.
template <class T, auto F>
static void update(Wave &wave, const Inst &inst, unsigned dataRows) {
  LaneAddresses lanes;
  if (!addressAtomic(wave, inst, sizeof(T), lanes) ||
      !checkAligned(wave, lanes, sizeof(T)))
    return;
  for (uint64_t mask = lanes.mask; mask; mask &= mask - 1) {
    unsigned lane = llvm::countr_zero(mask);
    T data = readData<T>(wave, inst.data[0], lane);
    T compare = readData<T>(wave, inst.data[0] + dataRows, lane);
    T old = atomics::updateShared<T>(
        lanes.host[lane], [&](T memory) { return F(memory, data, compare); });
    if (inst.glc)
      writeData<T>(wave, inst.dst, lane, old);
  }
}
template <class T, T (*F)(T, T)>
static void runAtomic(Wave &wave, const Inst &inst) {
  update<T, [](T old, T data, T) { return F(old, data); }>(wave, inst, 0);
}
template <class T> static void runCompareSwap(Wave &wave, const Inst &inst) {
  update<T, [](T old, T data, T compare) {
    return old == compare ? data : old;
  }>(wave, inst, sizeof(T) / 4);
}

using U = uint32_t;
using W = uint64_t;
using namespace atomics;

#define EVERYWHERE(NAME, ...)                                                  \
  {"flat_atomic_" NAME, __VA_ARGS__}, {"global_atomic_" NAME, __VA_ARGS__}, {  \
    "buffer_atomic_" NAME, __VA_ARGS__                                         \
  }
#define INTEGER(NAME, F)                                                       \
  EVERYWHERE(NAME, runAtomic<U, F<U>>),                                        \
      EVERYWHERE(NAME "_x2", runAtomic<W, F<W>>)

static const Row rows[] = {
    INTEGER("swap", swap),
    INTEGER("add", add),
    INTEGER("sub", sub),
    INTEGER("smin", minSigned),
    INTEGER("umin", minUnsigned),
    INTEGER("smax", maxSigned),
    INTEGER("umax", maxUnsigned),
    INTEGER("and", bitAnd),
    INTEGER("or", bitOr),
    INTEGER("xor", bitXor),
    INTEGER("inc", inc),
    INTEGER("dec", dec),
    EVERYWHERE("cmpswap", runCompareSwap<U>),
    EVERYWHERE("cmpswap_x2", runCompareSwap<W>),
    EVERYWHERE("add_f32", runAtomic<U, addFloat<float>>),
    EVERYWHERE("add_f64", runAtomic<W, addFloat<double>>),
    EVERYWHERE("min_f64", runAtomic<W, extremeFloat<double, false>>),
    EVERYWHERE("max_f64", runAtomic<W, extremeFloat<double, true>>),
    EVERYWHERE("pk_add_f16", runAtomic<U, addHalves>),
    EVERYWHERE("pk_add_bf16", runAtomic<U, addBFloats>),
};

llvm::ArrayRef<Row> getAtomicRows() { return rows; }

} // namespace mlir::te::emu
