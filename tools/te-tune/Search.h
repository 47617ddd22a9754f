//===- Search.h - te-tune: the search ---------------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_TOOLS_TE_TUNE_SEARCH_H
#define TE_TOOLS_TE_TUNE_SEARCH_H

#include "Measure.h"
#include "Progress.h"

#include "te/Driver/Compile.h"

#include <chrono>
#include <set>

namespace mlir::te {

/// How much may be tried in one call: so many schedules a region, or until
/// then.
struct Budget {
  std::optional<int64_t> schedules;
  std::optional<std::chrono::steady_clock::time_point> until;

  bool isSpent(int64_t tried) const {
    return (schedules && tried >= *schedules) ||
           (until && std::chrono::steady_clock::now() >= *until);
  }
};

class Search {
public:
  /// Results go to `path` after each schedule. `records`: schedules that the
  /// user wrote are timed, and kept if they are the fastest. `explains`: what
  /// is found is told with its reasons.
  Search(TuningDatabase &database, SearchLog &log, std::string path,
         const Target &target, const Meter &meter, std::vector<Sizes> sizes,
         Budget budget, ScheduleOptions schedules, bool records, bool explains)
      : database(database), log(log), path(std::move(path)), target(target),
        meter(meter), sizes(std::move(sizes)), budget(budget),
        schedules(std::move(schedules)), records(records), explains(explains) {}

  /// The file of the log next to a database's.
  static std::string getLogPath(llvm::StringRef path) {
    return (path + ".tried").str();
  }

  /// Tunes the regions whose schedule the user left open.
  /// Failures are told: as diagnostics, or here on the standard error.
  LogicalResult tune(ModuleOp module);
  /// Regions that tune() has looked at.
  unsigned getRegions() const { return regions; }
  /// A name among the sizes that no function had, or an empty string.
  std::string getUnusedName() const;

private:
  LogicalResult tune(const TunedRegion &region);
  SearchRecord &startEntry(const TunedRegion &region);
  LogicalResult tryAll(const TunedRegion &region, SearchRecord &entry);
  LogicalResult save() const;
  void summarize(const TunedRegion &region, const SearchRecord &entry) const;
  void explain(const TunedRegion &region, const SearchRecord &entry) const;
  LogicalResult keepLaunched(ModuleOp module, std::vector<TunedRegion> &found);

  /// Puts the fastest into the database, unless that has a faster one; true
  /// where this changes it.
  bool publish(const TunedRegion &region, const SearchRecord &record);

  TuningDatabase &database;
  SearchLog &log;
  std::string path;
  const Target &target;
  const Meter &meter;
  std::vector<Sizes> sizes;
  Budget budget;
  ScheduleOptions schedules;
  bool records, explains;
  Progress progress;
  unsigned regions = 0;
  std::set<std::string> dims; // of the functions
};

} // namespace mlir::te

#endif // TE_TOOLS_TE_TUNE_SEARCH_H
