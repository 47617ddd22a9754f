//===- Access.h - device memory as an instruction sees it -------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_ACCESS_H
#define TE_EMULATOR_ACCESS_H

#include "Lanes.h"
#include "te/Emulator/Sanitizer.h"

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

/// An access that no allocation holds: fails the wave, or tells the sanitizer.
void failAccess(Wave &wave, const char *what, int lane, uint64_t address,
                uint64_t bytes);

/// What the active lanes of a vector memory instruction address.
struct LaneAddresses {
  uint64_t mask = 0; // lanes that take part
  uint8_t *host[kLanes];
  uint64_t address[kLanes];
};

/// Direct: a store of what the same instruction has loaded.
enum class Traffic : uint8_t { Load, Store, Atomic, Direct };

/// Refuses a lane's access. Under the sanitizer that is a report, the lane is
/// left out, and true says to go on; else the wave has failed.
bool refuse(Wave &wave, LaneAddresses &lanes, unsigned lane, Defect kind,
            const llvm::Twine &message);

/// Finds the host bytes of every lane of `lanes.mask` (`bytes` each); false
/// after failing the wave.
bool resolve(Wave &wave, LaneAddresses &lanes, unsigned bytes, Traffic traffic);
/// Likewise in LDS, where `lanes.address` has offsets; not counted.
bool resolveLds(Wave &wave, LaneAddresses &lanes, unsigned bytes,
                Traffic traffic);
/// Refuses lanes of an atomic whose address is no multiple of `bytes`.
bool checkAligned(Wave &wave, LaneAddresses &lanes, unsigned bytes);
/// The numbers of the distinct lines of `lineBytes` (a power of two) that the
/// active lanes' bytes lie in, upwards.
using LineNumbers = llvm::SmallVector<uint64_t, 2 * kLanes>;
LineNumbers findLines(const LaneAddresses &lanes, unsigned bytes,
                      uint64_t lineBytes);
/// How many 64-byte lines those are.
uint64_t countLines(const LaneAddresses &lanes, unsigned bytes);
/// Counts one vector memory instruction.
void countGlobal(Wave &wave, const LaneAddresses &lanes, unsigned bytes,
                 Traffic traffic);
/// Fills `lanes` for a FLAT-encoded instruction, apertures included.
bool addressFlat(Wave &wave, const Inst &inst, unsigned bytes, Traffic traffic,
                 LaneAddresses &lanes);
/// Counts one LDS access of `bytes` by each lane.
void countLds(Wave &wave, const LaneAddresses &lanes, unsigned bytes);

} // namespace mlir::te::emu

#endif // TE_EMULATOR_ACCESS_H
