//===- LoadStore.h - moves lanes between memory and vector rows -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_LOADSTORE_H
#define TE_EMULATOR_LOADSTORE_H

#include "WaveShadow.h"

namespace mlir::te::emu {

/// What a load reads, and where it goes: Low and High fill half a register and
/// keep the other half.
enum class LoadKind : uint8_t {
  U8,
  I8,
  U16,
  I16,
  B32,
  B64,
  B96,
  B128,
  U8Low,
  I8Low,
  B16Low,
  U8High,
  I8High,
  B16High,
};

constexpr unsigned loadBytes(LoadKind kind) {
  switch (kind) {
  case LoadKind::U8:
  case LoadKind::I8:
  case LoadKind::U8Low:
  case LoadKind::I8Low:
  case LoadKind::U8High:
  case LoadKind::I8High:
    return 1;
  case LoadKind::U16:
  case LoadKind::I16:
  case LoadKind::B16Low:
  case LoadKind::B16High:
    return 2;
  case LoadKind::B32:
    return 4;
  case LoadKind::B64:
    return 8;
  case LoadKind::B96:
    return 12;
  case LoadKind::B128:
    return 16;
  }
  return 0;
}

/// The register that a load of at most four bytes leaves, given its old value.
template <LoadKind kind>
inline uint32_t loadSmall(const uint8_t *host, uint32_t old) {
  uint32_t raw = 0;
  std::memcpy(&raw, host, loadBytes(kind) < 4 ? loadBytes(kind) : 4);
  switch (kind) {
  case LoadKind::I8:
    return uint32_t(int8_t(raw));
  case LoadKind::I16:
    return uint32_t(int16_t(raw));
  case LoadKind::U8Low:
  case LoadKind::B16Low:
    return (old & 0xffff0000) | raw;
  case LoadKind::I8Low:
    return (old & 0xffff0000) | uint16_t(int8_t(raw));
  case LoadKind::U8High:
  case LoadKind::B16High:
    return (old & 0xffff) | raw << 16;
  case LoadKind::I8High:
    return (old & 0xffff) | uint32_t(int8_t(raw)) << 16;
  default:
    return raw;
  }
}

template <LoadKind kind>
inline void loadLanes(Wave &wave, unsigned row, const LaneAddresses &lanes) {
  constexpr unsigned dwords = (loadBytes(kind) + 3) / 4;
  if constexpr (dwords == 1) {
    uint32_t *to = wave.row(row);
    forLanes(lanes.mask, [&](unsigned lane) {
      to[lane] = loadSmall<kind>(lanes.host[lane], to[lane]);
    });
  } else {
    forLanes(lanes.mask, [&](unsigned lane) {
      uint32_t words[dwords];
      std::memcpy(words, lanes.host[lane], sizeof(words));
      for (unsigned i = 0; i < dwords; ++i)
        wave.vgpr[row + i][lane] = words[i];
    });
  }
}

template <unsigned bytes, bool high = false>
inline void storeLanes(Wave &wave, unsigned row, const LaneAddresses &lanes) {
  constexpr unsigned dwords = (bytes + 3) / 4;
  forLanes(lanes.mask, [&](unsigned lane) {
    uint32_t words[dwords];
    for (unsigned i = 0; i < dwords; ++i)
      words[i] = wave.vgpr[row + i][lane];
    if (high)
      words[0] >>= 16;
    std::memcpy(lanes.host[lane], words, bytes);
  });
}

/// Loads that land in LDS: M0 + offset + lane * size. Twelve-byte elements
/// stand sixteen apart (unconfirmed: see docs/emulator.md).
template <LoadKind kind>
inline void loadToLds(Wave &wave, int32_t offset, const LaneAddresses &lanes) {
  constexpr unsigned bytes = loadBytes(kind) < 4 ? 4 : loadBytes(kind);
  constexpr unsigned stride = bytes == 12 ? 16 : bytes;
  LaneAddresses to;
  to.mask = lanes.mask;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    to.address[lane] =
        uint64_t(wave.sgpr[kM0]) + int64_t(offset) + lane * stride;
  uint8_t data[kLanes][16];
  forLanes(lanes.mask, [&](unsigned lane) {
    if constexpr (bytes == 4) {
      uint32_t value = loadSmall<kind>(lanes.host[lane], 0);
      std::memcpy(data[lane], &value, 4);
    } else {
      std::memcpy(data[lane], lanes.host[lane], bytes);
    }
  });
  if (LLVM_UNLIKELY(wave.shadow))
    wave.shadow->setDirect(data);
  if (!resolveLds(wave, to, bytes, Traffic::Direct))
    return;
  forLanes(to.mask, [&](unsigned lane) {
    std::memcpy(to.host[lane], data[lane], bytes);
  });
}

} // namespace mlir::te::emu

#endif // TE_EMULATOR_LOADSTORE_H
