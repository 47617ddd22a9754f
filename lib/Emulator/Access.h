//===- Access.h - device memory as an instruction sees it -------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_ACCESS_H
#define TE_EMULATOR_ACCESS_H

#include "Lanes.h"

namespace mlir::te::emu {

/// The host bytes of [address, address + bytes), or null.
inline uint8_t *findHost(Wave &wave, uint64_t address, uint64_t bytes) {
  const Allocation *found = wave.recent;
  if (LLVM_UNLIKELY(!found || !found->contains(address, bytes))) {
    found = wave.launch->memory->find(address, bytes);
    if (!found)
      return nullptr;
    wave.recent = found;
  }
  return found->host + (address - found->begin);
}

/// Fails the wave: an access that no allocation holds.
void failAccess(Wave &wave, const char *what, int lane, uint64_t address,
                uint64_t bytes);

/// What the active lanes of a vector memory instruction address.
struct LaneAddresses {
  uint64_t mask = 0; // lanes that take part
  uint8_t *host[kLanes];
  uint64_t address[kLanes];
};

enum class Traffic : uint8_t { Load, Store, Atomic };

/// Finds the host bytes of every lane of `lanes.mask` (`bytes` each); false
/// after failing the wave.
bool resolve(Wave &wave, LaneAddresses &lanes, unsigned bytes, Traffic traffic);
/// Counts one vector memory instruction.
void countGlobal(Wave &wave, const LaneAddresses &lanes, unsigned bytes,
                 Traffic traffic);
/// Fills `lanes` for a FLAT-encoded instruction, apertures included.
bool addressFlat(Wave &wave, const Inst &inst, unsigned bytes, Traffic traffic,
                 LaneAddresses &lanes);
/// Fails where [offset, offset + bytes) is not inside the workgroup's LDS.
bool checkLds(Wave &wave, unsigned lane, uint64_t offset, unsigned bytes);
/// Counts one LDS access: `offsets` of the lanes in `mask`, `bytes` each.
void countLds(Wave &wave, const uint32_t *offsets, uint64_t mask,
              unsigned bytes);

} // namespace mlir::te::emu

#endif // TE_EMULATOR_ACCESS_H
