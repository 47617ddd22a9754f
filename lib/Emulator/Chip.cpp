//===- Chip.cpp - the table of chips --------------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Chip.h"

#include "llvm/BinaryFormat/ELF.h"

namespace mlir::te::emu {

static constexpr Chip chips[] = {
    {"gfx942", llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX942, 64 << 10, 32, 8,
     32 << 10, true},
    {"gfx950", llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX950, 160 << 10, 64, 8,
     32 << 10, false},
};

const Chip *findChip(uint32_t machine) {
  for (const Chip &chip : chips)
    if (chip.machine == machine)
      return &chip;
  return nullptr;
}

std::string listChips() {
  std::string names;
  for (const Chip &chip : chips)
    names += (names.empty() ? "" : ", ") + std::string(chip.name);
  return names;
}

} // namespace mlir::te::emu
