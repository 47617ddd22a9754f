//===- TuningDatabase.h - schedules that te-tune has found ------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A JSON file (docs/tuning.md) that te-tune writes and te-schedule reads. An
// entry is for one region with its types, one target and one compiler.
//
//===----------------------------------------------------------------------===//
#ifndef TE_SCHEDULE_TUNINGDATABASE_H
#define TE_SCHEDULE_TUNINGDATABASE_H

#include "te/Dialect/TE/IR/TE.h"

#include "llvm/Support/Error.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mlir::te {

/// On a region whose schedule is an entry's: the file.
constexpr const char *kTunedAttr = "te.tuned";

/// A schedule that was tried, and the clocks of all sizes together; none where
/// it did not run, and `why` not.
struct TriedSchedule {
  std::string schedule;
  double least = 0; // clocks, by getLeastClocks
  std::optional<double> clocks;
  std::string why;
};

struct TuningEntry {
  std::string key, target, compiler; // what it is for
  std::string region;                // for people
  /// Of dynamic dimensions: what was timed, one after another.
  std::vector<std::map<std::string, int64_t>> sizes;
  std::string how = "cycle model";
  std::string schedule;        // the fastest: #te.schedule<...>
  double clocks = 0;           // its
  std::string defaultSchedule; // te-schedule's own
  double defaultClocks = 0;
  bool isComplete = false;          // nothing is left to try
  std::vector<TriedSchedule> tried; // in that order, the default first
};

struct TuningDatabase {
  std::vector<TuningEntry> entries;

  /// Errors name the file, and the place in it.
  static llvm::Expected<TuningDatabase> load(llvm::StringRef path);
  std::string print() const;
  /// The entry of this region and target; that of `compiler` where there is
  /// one. Null where there is none.
  const TuningEntry *find(llvm::StringRef key, llvm::StringRef target,
                          llvm::StringRef compiler) const;
};

/// The region's ops and types, whatever its names, locations and schedule.
std::string getRegionText(FusionOp fusion);
/// The hash of such a text that entries have.
std::string getRegionKey(llvm::StringRef text);
/// This compiler: te-mlir's and LLVM's versions.
std::string getCompilerVersion();

} // namespace mlir::te

#endif // TE_SCHEDULE_TUNINGDATABASE_H
