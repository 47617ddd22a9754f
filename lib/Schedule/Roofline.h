//===- Roofline.h - the least time of a product's kernel --------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a step of a schedule asks of each unit of a compute unit, whole tiles
// and rounds, and latencies that nothing hides: docs/roofline.md. Its constants
// are those of te/Target/Timing.h, each with a source. It ranks schedules where
// no database has one, prunes te-tune, tells te-fuse whether one kernel is
// faster than two, and is what --explain prints.
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_SCHEDULE_ROOFLINE_H
#define TE_LIB_SCHEDULE_ROOFLINE_H

#include "te/Schedule/ResourceModel.h"
#include "te/Target/Timing.h"

#include <cmath>

namespace mlir::te {

/// Clocks in which each unit of a compute unit does some work by itself.
struct UnitClocks {
  double matrix = 0, vector = 0, lds = 0, l2 = 0, memory = 0;

  double getMost() const { return std::max({matrix, vector, lds, l2, memory}); }
  double getSum() const { return matrix + vector + lds + l2 + memory; }
  /// The busiest unit, in words.
  llvm::StringRef getBound() const;
  UnitClocks operator*(double times) const {
    return {matrix * times, vector * times, lds * times, l2 * times,
            memory * times};
  }
  UnitClocks operator+(const UnitClocks &other) const {
    return {matrix + other.matrix, vector + other.vector, lds + other.lds,
            l2 + other.l2, memory + other.memory};
  }
};

/// Workgroups of one kind: those of a product, or of its rows that are cut into
/// splits of K.
struct WorkgroupClocks {
  UnitClocks step, finish; // of one step; of what follows the last one
  double steps = 1;
  double count = 0;      // of the busiest compute unit, one after another
  double even = 0;       // the same if all had as many, in parts of one
  double together = 1;   // of which it holds so many at once
  double start = 0;      // until a workgroup's first operands are there
  double sharing = 1;    // waves of a SIMD, as long as there are several
  double alone = 1;      // SIMDs for each that has waves
  double ldsWait = 0;    // of a step for LDS, next to its queue
  double latency = 0;    // of its loads
  double waves = 1;      // that share a step's loads
  double ahead = 1;      // steps for which these are under way
  double room = 1;       // steps that are on their way at once
  bool isSerial = false; // each by itself
  double scalesAhead =
      INFINITY;                // steps before which their scales are asked for
  double end = 0;              // latencies after the last step
  bool overlapsStores = false; // a tile's are among the next one's steps

  double getClocks() const;
  /// Of one step of each of so many workgroups, side by side.
  double getStepClocks(const UnitClocks &step, double some) const;
  /// What the units are asked for in all.
  UnitClocks getWork() const { return (step * steps + finish) * count; }
};

struct Roofline {
  SmallVector<WorkgroupClocks, 2> workgroups;
  double secondKernel = 0; // that adds up splits of K

  double getClocks() const;
  /// What the units are asked for, but for the second kernel.
  UnitClocks getWork() const;
  /// Of the busiest unit: nothing waits.
  double getLeastClocks() const { return getWork().getMost(); }
  /// The same if all compute units had as much to do.
  double getEvenClocks() const;
};

/// Of a region with a te.gemm or another product; none where the target has no
/// Timing, or no instruction for it.
std::optional<Roofline> getRoofline(const TileDemand &demand,
                                    ScheduleAttr schedule,
                                    const Target &target);

/// Clocks of a kernel without a product: from the end of the kernel before it,
/// one way through memory, and its bytes, `read` for each element next to what
/// the demand says, from a row on.
double getPassClocks(const TileDemand &demand, double read,
                     const Target &target, const Timing &timing,
                     int64_t firstRow = 0);

} // namespace mlir::te

#endif // TE_LIB_SCHEDULE_ROOFLINE_H
