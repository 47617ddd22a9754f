//===- ScalarMemory.cpp - SMEM: loads, stores, atomics, the clock ---------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "AtomicOps.h"
#include "WaveShadow.h"

namespace mlir::te::emu {

static uint64_t scalarOffset(const Wave &wave, const Inst &inst) {
  uint64_t offset = int64_t(inst.offset);
  if (inst.hasSaddr)
    offset += wave.sgpr[inst.src[1].number];
  return offset;
}

/// The host bytes of [address, address + bytes), or null after a fault.
static uint8_t *findBytes(Wave &wave, uint64_t address, unsigned bytes,
                          Traffic traffic) {
  static constexpr const char *names[] = {"a scalar load", "a scalar store",
                                          "a scalar atomic"};
  uint8_t *host = findHost(wave, address, bytes);
  if (!host)
    failAccess(wave, names[unsigned(traffic)], -1, address, bytes);
  else if (LLVM_UNLIKELY(wave.shadow))
    wave.shadow->observeScalar(address, host, bytes, traffic);
  return host;
}

/// The host bytes of an access, or null: after a fault, or where the buffer
/// resource's range ends before. The low two bits of the address are ignored.
static uint8_t *findScalar(Wave &wave, const Inst &inst, unsigned bytes,
                           Traffic traffic) {
  uint64_t address =
      wave.scalar64(inst.src[0].number) + scalarOffset(wave, inst);
  if (LLVM_UNLIKELY(wave.shadow && address & 3))
    wave.shadow->reportAccess(
        Defect::Misaligned, -1,
        "a scalar access at 0x" + llvm::Twine::utohexstr(address) +
            ", which is not a multiple of four: the low bits are ignored");
  return findBytes(wave, address & ~uint64_t(3), bytes, traffic);
}
static uint8_t *findBuffer(Wave &wave, const Inst &inst, unsigned first,
                           unsigned bytes, Traffic traffic) {
  const uint32_t *resource = &wave.sgpr[inst.src[0].number];
  uint64_t base = (uint64_t(resource[1] & 0xffff) << 32 | resource[0]);
  uint64_t stride = resource[1] >> 16 & 0x3fff;
  uint64_t range = uint64_t(resource[2]) * (stride ? stride : 1);
  uint64_t offset = (scalarOffset(wave, inst) & ~uint64_t(3)) + first;
  if (offset + bytes <= range)
    return findBytes(wave, base + offset, bytes, traffic);
  if (wave.shadow)
    wave.shadow->observeZero();
  return nullptr;
}

template <unsigned dwords> static void runLoad(Wave &wave, const Inst &inst) {
  const uint8_t *host = findScalar(wave, inst, dwords * 4, Traffic::Load);
  if (!host)
    return;
  std::memcpy(&wave.sgpr[inst.dst], host, dwords * 4);
  wave.counters->scalarLoadBytes += dwords * 4;
}

/// s_buffer_load: what lies beyond the resource's range reads 0.
template <unsigned dwords>
static void runBufferLoad(Wave &wave, const Inst &inst) {
  for (unsigned i = 0; i < dwords && wave.stop != Stop::Fault; ++i) {
    uint32_t value = 0;
    if (const uint8_t *host = findBuffer(wave, inst, i * 4, 4, Traffic::Load))
      std::memcpy(&value, host, 4);
    wave.sgpr[inst.dst + i] = value;
  }
  wave.counters->scalarLoadBytes += dwords * 4;
}

template <unsigned dwords> static void runStore(Wave &wave, const Inst &inst) {
  if (uint8_t *host = findScalar(wave, inst, dwords * 4, Traffic::Store))
    std::memcpy(host, &wave.sgpr[inst.dst], dwords * 4);
}
template <unsigned dwords>
static void runBufferStore(Wave &wave, const Inst &inst) {
  for (unsigned i = 0; i < dwords && wave.stop != Stop::Fault; ++i)
    if (uint8_t *host = findBuffer(wave, inst, i * 4, 4, Traffic::Store))
      std::memcpy(host, &wave.sgpr[inst.dst + i], 4);
}

/// New value = F(memory, data); the data's registers get the old one with glc.
/// A compare value lies after the data.
template <class T, auto F, bool isBuffer>
static void runAtomic(Wave &wave, const Inst &inst) {
  uint8_t *host = isBuffer
                      ? findBuffer(wave, inst, 0, sizeof(T), Traffic::Atomic)
                      : findScalar(wave, inst, sizeof(T), Traffic::Atomic);
  if (!host)
    return;
  if (reinterpret_cast<uintptr_t>(host) % sizeof(T))
    return wave.fail("a scalar atomic at an address that is not a multiple of "
                     "its size");
  T data[2];
  std::memcpy(data, &wave.sgpr[inst.dst], sizeof(data));
  T old = atomics::updateShared<T>(
      host, [&](T memory) { return F(memory, data[0], data[1]); });
  if (inst.glc)
    std::memcpy(&wave.sgpr[inst.dst], &old, sizeof(T));
}

/// A clock that is the same on every run: the wave's instructions in the slices
/// that it has run, and one for each reading.
static void runClock(Wave &wave, const Inst &inst) {
  wave.setScalar64(inst.dst, ++wave.clock);
}

static void runNothing(Wave &, const Inst &) {}

using U = uint32_t;
using W = uint64_t;

template <class T, T (*F)(T, T)> static T withoutCompare(T old, T data, T) {
  return F(old, data);
}
template <class T> static T compareSwap(T old, T data, T compare) {
  return old == compare ? data : old;
}

#define EVERYWHERE(NAME, T, ...)                                               \
  {"s_atomic_" NAME, runAtomic<T, __VA_ARGS__, false>}, {                      \
    "s_buffer_atomic_" NAME, runAtomic<T, __VA_ARGS__, true>                   \
  }
#define ATOMIC(NAME, F)                                                        \
  EVERYWHERE(NAME, U, withoutCompare<U, atomics::F<U>>),                       \
      EVERYWHERE(NAME "_x2", W, withoutCompare<W, atomics::F<W>>)

static const Row rows[] = {
    {"s_load_dword", runLoad<1>},
    {"s_load_dwordx2", runLoad<2>},
    {"s_load_dwordx4", runLoad<4>},
    {"s_load_dwordx8", runLoad<8>},
    {"s_load_dwordx16", runLoad<16>},
    {"s_buffer_load_dword", runBufferLoad<1>},
    {"s_buffer_load_dwordx2", runBufferLoad<2>},
    {"s_buffer_load_dwordx4", runBufferLoad<4>},
    {"s_buffer_load_dwordx8", runBufferLoad<8>},
    {"s_buffer_load_dwordx16", runBufferLoad<16>},
    {"s_store_dword", runStore<1>},
    {"s_store_dwordx2", runStore<2>},
    {"s_store_dwordx4", runStore<4>},
    {"s_buffer_store_dword", runBufferStore<1>},
    {"s_buffer_store_dwordx2", runBufferStore<2>},
    {"s_buffer_store_dwordx4", runBufferStore<4>},
    ATOMIC("swap", swap),
    ATOMIC("add", add),
    ATOMIC("sub", sub),
    ATOMIC("smin", minSigned),
    ATOMIC("umin", minUnsigned),
    ATOMIC("smax", maxSigned),
    ATOMIC("umax", maxUnsigned),
    ATOMIC("and", bitAnd),
    ATOMIC("or", bitOr),
    ATOMIC("xor", bitXor),
    ATOMIC("inc", inc),
    ATOMIC("dec", dec),
    EVERYWHERE("cmpswap", U, compareSwap<U>),
    EVERYWHERE("cmpswap_x2", W, compareSwap<W>),
    {"s_memtime", runClock},
    {"s_memrealtime", runClock},
    // Caches and translations are not modelled.
    {"s_atc_probe", runNothing},
    {"s_atc_probe_buffer", runNothing},
    {"s_dcache_discard_x2", runNothing},
    {"s_dcache_inv", runNothing},
    {"s_dcache_inv_vol", runNothing},
    {"s_dcache_wb", runNothing},
    {"s_dcache_wb_vol", runNothing},
    {"s_dcache_discard", runNothing},
};

llvm::ArrayRef<Row> getScalarMemoryRows() { return rows; }

} // namespace mlir::te::emu
