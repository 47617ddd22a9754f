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

#include <chrono>
#include <set>

namespace mlir::te {

/// How much may be tried in one call: so many schedules, or until then.
struct Budget {
  std::optional<int64_t> schedules;
  std::optional<std::chrono::steady_clock::time_point> until;

  bool isSpent() const {
    return (schedules && *schedules <= 0) ||
           (until && std::chrono::steady_clock::now() >= *until);
  }
};

class Search {
public:
  /// Results go to `path` after each schedule.
  Search(TuningDatabase &database, std::string path, const Target &target,
         std::vector<Sizes> sizes, Budget budget)
      : database(database), path(std::move(path)), target(target),
        sizes(std::move(sizes)), budget(budget) {}

  /// Tunes the regions whose schedule the user left open.
  /// Failures are told: as diagnostics, or here on the standard error.
  LogicalResult tune(ModuleOp module);
  /// Regions that tune() has looked at.
  unsigned getRegions() const { return regions; }
  /// A name among the sizes that no function had, or an empty string.
  std::string getUnusedName() const;

private:
  LogicalResult tune(const TunedRegion &region);
  TuningEntry &startEntry(const TunedRegion &region);
  LogicalResult tryAll(const TunedRegion &region, TuningEntry &entry);
  LogicalResult save() const;
  void summarize(const TunedRegion &region, const TuningEntry &entry) const;

  TuningDatabase &database;
  std::string path;
  const Target &target;
  std::vector<Sizes> sizes;
  Budget budget;
  Progress progress;
  unsigned regions = 0;
  std::set<std::string> dims; // of the functions
};

} // namespace mlir::te

#endif // TE_TOOLS_TE_TUNE_SEARCH_H
