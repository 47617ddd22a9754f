//===- ScalarMemory.cpp - SMEM: scalar loads ------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "WaveShadow.h"

namespace mlir::te::emu {

static uint64_t scalarOffset(const Wave &wave, const Inst &inst) {
  uint64_t offset = int64_t(inst.offset);
  if (inst.hasSaddr)
    offset += wave.sgpr[inst.src[1].number];
  return offset;
}

template <unsigned dwords> static void runLoad(Wave &wave, const Inst &inst) {
  // The hardware ignores the low two bits of the address.
  uint64_t address =
      (wave.scalar64(inst.src[0].number) + scalarOffset(wave, inst)) &
      ~uint64_t(3);
  const uint8_t *host = findHost(wave, address, dwords * 4);
  if (!host)
    return failAccess(wave, "a scalar load", -1, address, dwords * 4);
  if (LLVM_UNLIKELY(wave.shadow))
    wave.shadow->observeScalar(address, host, dwords * 4);
  std::memcpy(&wave.sgpr[inst.dst], host, dwords * 4);
  wave.counters->scalarLoadBytes += dwords * 4;
}

/// s_buffer_load: what lies beyond the resource's range reads 0.
template <unsigned dwords>
static void runBufferLoad(Wave &wave, const Inst &inst) {
  const uint32_t *resource = &wave.sgpr[inst.src[0].number];
  uint64_t base = (uint64_t(resource[1] & 0xffff) << 32 | resource[0]);
  uint64_t stride = resource[1] >> 16 & 0x3fff;
  uint64_t range = uint64_t(resource[2]) * (stride ? stride : 1);
  uint64_t offset = scalarOffset(wave, inst) & ~uint64_t(3);
  for (unsigned i = 0; i < dwords; ++i, offset += 4) {
    uint32_t value = 0;
    if (offset + 4 <= range) {
      const uint8_t *host = findHost(wave, base + offset, 4);
      if (!host)
        return failAccess(wave, "a scalar buffer load", -1, base + offset, 4);
      if (LLVM_UNLIKELY(wave.shadow))
        wave.shadow->observeScalar(base + offset, host, 4);
      std::memcpy(&value, host, 4);
    } else if (wave.shadow) {
      wave.shadow->observeZero();
    }
    wave.sgpr[inst.dst + i] = value;
  }
  wave.counters->scalarLoadBytes += dwords * 4;
}

static void runNothing(Wave &, const Inst &) {}

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
    {"s_dcache_inv", runNothing},
    {"s_dcache_inv_vol", runNothing},
    {"s_dcache_wb", runNothing},
    {"s_dcache_wb_vol", runNothing},
    {"s_dcache_discard", runNothing},
};

llvm::ArrayRef<Row> getScalarMemoryRows() { return rows; }

} // namespace mlir::te::emu
