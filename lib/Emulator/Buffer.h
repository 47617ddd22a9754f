//===- Buffer.h - MUBUF addresses and their range check ---------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_BUFFER_H
#define TE_EMULATOR_BUFFER_H

#include "Access.h"

namespace mlir::te::emu {

/// The lanes of a buffer access. What lies beyond the resource's range is left
/// out: `valid` has the bytes of each lane that are inside, from its first.
struct BufferLanes {
  LaneAddresses lanes; // mask: lanes with any valid byte
  uint8_t valid[kLanes];
};

/// False after failing the wave.
bool addressBuffer(Wave &wave, const Inst &inst, unsigned bytes,
                   Traffic traffic, BufferLanes &out);

} // namespace mlir::te::emu

#endif // TE_EMULATOR_BUFFER_H
