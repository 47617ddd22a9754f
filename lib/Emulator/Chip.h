//===- Chip.h - what differs between the chips ------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_CHIP_H
#define TE_EMULATOR_CHIP_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace mlir::te::emu {

/// One row of the table of chips.
struct Chip {
  const char *name;
  uint32_t machine;     // EF_AMDGPU_MACH_* of the ELF's e_flags
  uint32_t ldsBytes;    // a workgroup's most
  uint32_t ldsBanks;    // of four bytes each
  uint32_t vgprGranule; // registers, of arch + acc together
  uint32_t l1Bytes;     // vector data cache of a compute unit
  bool fnuz;            // flavour of the fp8 conversions
};

/// Null where the emulator does not know the chip.
const Chip *findChip(uint32_t machine);
/// "gfx942, gfx950", for messages.
std::string listChips();

} // namespace mlir::te::emu

#endif // TE_EMULATOR_CHIP_H
