//===- SearchLog.h - what te-tune has tried ---------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Next to the database FILE lies FILE.tried: every schedule that was tried,
// with its clocks, so that a search goes on where it was interrupted. Only
// te-tune reads it.
//
//===----------------------------------------------------------------------===//
#ifndef TE_TOOLS_TE_TUNE_SEARCHLOG_H
#define TE_TOOLS_TE_TUNE_SEARCHLOG_H

#include "te/Dialect/TE/IR/TE.h"

#include "llvm/Support/Error.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mlir::te {

/// A schedule that was tried, and the clocks of all sizes together; none where
/// it did not run, and `why` not.
struct TriedSchedule {
  std::string schedule;
  double least = 0; // clocks, by getLeastClocks
  std::optional<double> clocks;
  std::string why;
};

/// The search for one region with its types, one target and one compiler.
struct SearchRecord {
  std::string key, target, compiler;
  std::string region; // for people
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

struct SearchLog {
  std::vector<SearchRecord> records;

  /// Errors name the file, and the place in it.
  static llvm::Expected<SearchLog> load(llvm::StringRef path);
  std::string print() const;
};

/// The region's ops and types, whatever its names, locations and schedule.
std::string getRegionText(FusionOp fusion);
/// The hash of such a text that records have.
std::string getRegionKey(llvm::StringRef text);
/// This compiler: te-mlir's and LLVM's versions.
std::string getCompilerVersion();

} // namespace mlir::te

#endif // TE_TOOLS_TE_TUNE_SEARCHLOG_H
