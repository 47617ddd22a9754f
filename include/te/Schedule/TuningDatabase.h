//===- TuningDatabase.h - schedules that te-tune has found ------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A JSON file (docs/tuning.md) that te-tune writes and te-schedule reads, of
// one target. An entry has the fastest known schedule of a region by its ops,
// formats and sizes. share/schedules/CHIP.json is part of the compiler.
//
//===----------------------------------------------------------------------===//
#ifndef TE_SCHEDULE_TUNINGDATABASE_H
#define TE_SCHEDULE_TUNINGDATABASE_H

#include "te/Schedule/ResourceModel.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mlir::te {

/// On a region whose schedule is from an entry: which one, in words.
constexpr const char *kTunedAttr = "te.tuned";

/// What entries are found by.
struct RegionSignature {
  std::string product; // its line of `ops`, or nothing
  std::string ops;     // with types and attributes, without sizes
  /// Rows and columns, and K of a product; -1 where one is not known.
  std::vector<int64_t> sizes;
  /// Of a region for a range of its rows, or K: the least and the most, the
  /// last range's the least alone.
  std::vector<int64_t> range = {};
};
RegionSignature getSignature(FusionOp fusion);

/// Sizes in words: "16 x ? x 4096".
std::string printSizes(ArrayRef<int64_t> sizes);
/// A range in words: "17 to 128 rows", or "K from 17 to 128", whichever of a
/// signature's sizes is not known.
std::string printRange(ArrayRef<int64_t> sizes, ArrayRef<int64_t> range);
/// Sizes of dynamic dimensions, by their names.
llvm::json::Value toJSON(ArrayRef<std::map<std::string, int64_t>> sizes);

/// How a time was obtained that no GPU has measured.
constexpr const char *kModelled = "cycle model";

struct TuningEntry {
  std::vector<int64_t> sizes;
  std::vector<int64_t> range; // as RegionSignature's
  std::string schedule;       // #te.schedule<...>
  /// Its time for all sizes in `timed` together, by the chip's clock at its
  /// peak; nanoseconds on a chip without a cycle model.
  double clocks = 0;
  std::string how = kModelled; // or which GPU measured it
  /// Of dynamic dimensions: what was timed, one after another.
  std::vector<std::map<std::string, int64_t>> timed;
};

/// The entries of regions of the same ops.
struct TuningGroup {
  std::string product, ops;
  std::vector<TuningEntry> entries;
};

/// An entry for other sizes, or of a region with other ops next to its product.
struct NearEntry {
  const TuningEntry *entry;
  double distance; // doublings of sizes in all, and one more for other ops
};

struct TuningDatabase {
  std::string name; // of its file, for messages
  std::string target;
  std::vector<TuningGroup> groups;

  /// Errors name the file, and the place in it.
  static llvm::Expected<TuningDatabase> load(llvm::StringRef path);
  static llvm::Expected<TuningDatabase> parse(llvm::StringRef text,
                                              llvm::StringRef name);
  /// The compiler's own for this target; null where there is none, or where it
  /// has nothing for the region's ops or product. Its text is searched for
  /// these first: it takes as long to parse as a small kernel to compile.
  static const TuningDatabase *getShipped(llvm::StringRef target,
                                          const RegionSignature &region);

  std::string print() const;
  /// The entry for just this region, or for a range that includes its own; or
  /// null.
  const TuningEntry *find(const RegionSignature &region) const;
  /// Those of the same product, the nearest first, up to a distance.
  std::vector<NearEntry> findNear(const RegionSignature &region,
                                  double most) const;
  /// Takes an entry's place, or adds it.
  void insert(const RegionSignature &region, const TuningEntry &entry);
  /// True where an entry with this time takes the other one's place: it is
  /// faster by the same measure, or measured on a GPU, and the other is not.
  static bool isBetter(const TuningEntry &entry, const TuningEntry &old);
  /// Takes over what is new or better; says what, line by line.
  std::vector<std::string> merge(const TuningDatabase &other);
};

/// A region's schedule by a database.
struct TunedSchedule {
  ScheduleAttr schedule;
  std::string source; // the file and the entry, in words; or nothing, where the
                      // roofline's own choice is faster
};
/// That of the region's entry, or the first by the roofline of near ones and
/// its own choice, corrected by what was measured. None where the database has
/// nothing near that is legal. `warn`: of an entry that is not.
std::optional<TunedSchedule>
chooseTuned(MLIRContext *context, const TileDemand &demand,
            const RegionSignature &region, const TuningDatabase &database,
            const Target &target, function_ref<void(const std::string &)> warn);

} // namespace mlir::te

#endif // TE_SCHEDULE_TUNINGDATABASE_H
