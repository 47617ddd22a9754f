//===- Spin.h - the sanitizer: waves that loop for ever -----*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_SPIN_H
#define TE_EMULATOR_SPIN_H

#include "Wave.h"

namespace mlir::te::emu {

/// A wave that comes back to the same state, and its loop's first instruction.
struct SpinningWave {
  Wave *wave = nullptr;
  const Inst *loop = nullptr;
};

/// A wave of a workgroup in which every wave has ended, waits at a barrier or
/// spins; or one that faults while it is watched (Stop::Fault), with the
/// instruction; none where that is not so. Runs the waves on a little to see.
SpinningWave findStuck(llvm::ArrayRef<std::unique_ptr<Wave>> waves,
                       uint64_t *counts);

/// Launch.cpp: runs `wave` until it stops, `budget` instructions at most;
/// returns the last one.
const Inst *runWave(Wave &wave, uint64_t *counts, uint64_t &budget);

} // namespace mlir::te::emu

#endif // TE_EMULATOR_SPIN_H
