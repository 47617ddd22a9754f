//===- Profile.h - figures of each instruction ------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A profiled launch counts into one MemoryCounters an instruction: runWave
// points Wave::counters there before each one runs, so that whatever counts
// needs not know. The plain path has no part in this.
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_PROFILE_H
#define TE_EMULATOR_PROFILE_H

#include "Access.h"
#include "te/Emulator/Emulator.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::te::emu {

/// The model of a compute unit's vector data cache: one workgroup at a time has
/// it for itself, empty at first. It holds the lines that were loaded last,
/// first in, first out.
class LineCache {
public:
  static constexpr uint64_t kLineBytes = 128;

  explicit LineCache(uint64_t bytes) : capacity(bytes / kLineBytes) {}
  void clear();
  /// Loads line number `line`: whether that asks L2, and, of a sample, whether
  /// the workgroup does so for the first time.
  struct Asked {
    bool isMiss = false, isFresh = false;
  };
  Asked load(uint64_t line);

  /// The lines that each of a chip's L2 caches was asked for, where a launch is
  /// recorded: a bit a cache.
  struct Reach {
    llvm::DenseMap<uint64_t, uint32_t> caches;
    uint64_t asked = 0, fresh = 0;
    unsigned cache = 0; // of the running workgroup
  };
  Reach *reach = nullptr;
  /// The launch is a sample: sums of products are 0, as those of the elements
  /// that nobody gives are.
  bool isSample = false;

private:
  uint64_t capacity;
  uint64_t loaded = 0;                     // lines, ever
  llvm::DenseMap<uint64_t, uint64_t> when; // a line's number among those
  llvm::DenseSet<uint64_t> asked;          // lines, of a sample
};

/// Counts what the plain path does not, of one vector memory instruction.
void profileGlobal(Wave &wave, const LaneAddresses &lanes, unsigned bytes,
                   Traffic traffic);

/// What the threads of a launch counted, by words of the text segment.
struct ProfileTable {
  std::vector<uint64_t> counts;
  std::vector<MemoryCounters> memory;

  void add(llvm::ArrayRef<uint64_t> counts,
           llvm::ArrayRef<MemoryCounters> memory);
};

/// Adds `from` to `to`.
void addCounters(MemoryCounters &to, const MemoryCounters &from);

/// The code that `entry` reaches, and whatever ran, with its figures.
std::vector<ProfiledInstruction> makeProfile(Program &program, uint32_t entry,
                                             uint64_t textBegin,
                                             const ProfileTable &table);

} // namespace mlir::te::emu

#endif // TE_EMULATOR_PROFILE_H
