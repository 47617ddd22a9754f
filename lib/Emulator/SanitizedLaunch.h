//===- SanitizedLaunch.h - what a launch's waves share to find defects ----===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_SANITIZEDLAUNCH_H
#define TE_EMULATOR_SANITIZEDLAUNCH_H

#include "Dispatch.h"
#include "Shadow.h"
#include "te/Emulator/Sanitizer.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallSet.h"

namespace mlir::te::emu {

/// A wave at a moment of its workgroup's time.
struct Moment {
  uint32_t workgroup = 0, wave = 0, epoch = 0;
};

/// Which workgroups wait for which through atomics on global memory: a release
/// is an atomic after a write-back, an acquire one before an invalidation.
/// Thread-safe.
class SyncTable {
public:
  void release(uint64_t address, Moment by);
  void acquire(uint64_t address, Moment by);
  /// True where what `before` did is ordered before what `now` does.
  bool isOrdered(Moment before, Moment now) const;
  bool isEmpty() const { return empty.load(std::memory_order_relaxed); }

private:
  struct Acquire {
    uint64_t address;
    size_t releases; // that had happened
    Moment by;
  };
  bool reaches(Moment before, Moment now,
               llvm::SmallSet<uint32_t, 8> &seen) const;

  mutable std::mutex mutex;
  std::atomic<bool> empty{true};
  llvm::DenseMap<uint64_t, std::vector<Moment>> releases;
  llvm::DenseMap<uint32_t, std::vector<Acquire>> acquires; // by workgroup
};

/// Of the workgroup that a thread runs.
struct WorkgroupShadow {
  explicit WorkgroupShadow(uint64_t ldsBytes) : lds(ldsBytes) {}
  Shadow lds;
  uint32_t workgroup = 0, epoch = 0;
};

class SanitizedLaunch {
public:
  SanitizedLaunch(Sanitizer &sanitizer, const Dispatch &dispatch);

  /// What a report names next to the running instruction.
  struct Side {
    uint32_t word = Cell::kUnknownPc;
    int wave = -1;
    int64_t workgroup = -1;
  };
  void report(Defect kind, const Wave &wave, const Inst &inst, int lane,
              const llvm::Twine &message,
              std::optional<Side> other = std::nullopt);
  const Dispatch &getDispatch() const { return dispatch; }
  SyncTable sync;
  std::mutex storeMutex; // kept while a store to global memory runs

private:
  SanitizerPlace describe(const Side &side) const;
  uint64_t addressOf(uint32_t word) const;

  Sanitizer &sanitizer;
  const Dispatch &dispatch;
  unsigned number; // among the sanitizer's launches
};

} // namespace mlir::te::emu

#endif // TE_EMULATOR_SANITIZEDLAUNCH_H
