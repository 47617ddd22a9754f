//===- GemmUnit.h - what workgroups of a product take -----------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_SCHEDULE_GEMMUNIT_H
#define TE_LIB_SCHEDULE_GEMMUNIT_H

#include "Bound.h"

#include "te/Schedule/ResourceModel.h"

namespace mlir::te {

/// An extent; one that is not known counts as a usual size.
double getSize(int64_t extent);
/// Bytes of one of an operand's elements.
double getOperandBytes(Value operand);

/// Whether waves that share a SIMD gain by turns (ping_pong).
bool gainsByPingPong(const TileDemand &demand, const GemmPlan &plan,
                     ScheduleAttr schedule, const Target &target);

/// The workgroups of a product, which lie as gridX x gridY: pieces of K and
/// tiles down the rows, then tiles along the columns.
struct GemmGrid {
  double columns, rows, pieces;
  GemmGrid(const TileDemand &demand, ScheduleAttr schedule);
  double getCount() const { return columns * rows * pieces; }
  /// Those of rows that are not cut into pieces, which come first.
  GemmGrid getWhole(ScheduleAttr schedule) const;
  /// Those of the other rows.
  GemmGrid getRest(ScheduleAttr schedule) const;
};

/// What loads of one kind ask of L2 and memory at once, and how often.
struct GemmBurst {
  double bytes = 0;        // of lines that L1 does not have
  double instructions = 0; // of one lane's widest load each
  double steps = 1;        // that they are for
  double asks = 1;         // that lines are for, while L1 keeps them
};

/// What a workgroup's step loads.
struct GemmLoads {
  double addresses = 0;   // clocks of the address unit, L1 and L2
  double fromMemory = 0;  // clocks of memory for the bytes that it serves
  double inFlight = 0;    // clocks that all of it must be on its way
  double transfer = 0;    // clocks of L2 for what lanes ask for
  double latency = 0;     // until it has come, by itself: on average,
  double lastLatency = 0; // and the last of it
  // The same step by step, of A and of B: elements and scales; bytes that
  // memory serves.
  std::array<GemmBurst, 2> elements, scales;
  double usedElements = 0;
  std::array<double, 2> usedScales = {0, 0};

  /// Where so many units are active. `fetches`: how elements of A and of B go
  /// straight to LDS, if they do; `scaleSteps`: whose scales are read at once.
  static GemmLoads get(const TileDemand &demand, const GemmPlan &plan,
                       ScheduleAttr schedule, const Target &target,
                       const Timing &timing,
                       std::array<const std::optional<FetchPlan> *, 2> fetches,
                       std::array<int64_t, 2> scaleSteps, const GemmGrid &grid,
                       double active);

  /// The busiest one.
  double getClocks() const {
    return std::max({addresses, fromMemory, inFlight});
  }
};

/// What workgroups of one CU take, so many of them side by side.
struct GemmUnit {
  ScheduleAttr schedule;
  const Target &target;
  const Timing &timing;
  GemmStep step;
  GemmLoads loads;
  double active;     // units that work
  double parts;      // of a step
  double vector;     // clocks of a step
  double besides;    // share of its products that these do not stand among
  bool spreads;      // these between all products
  double steps;      // of a workgroup
  double finished;   // clocks in which sums become what is stored
  double stored;     // clocks of the stores
  bool prefetches;   // loops of one stage do
  bool fetches;      // both operands straight to LDS
  bool fetchesLate;  // both a step later: steps of one part
  bool knowsSteps;   // how many they are: pieces are alike
  bool readsEarly;   // steps before the one in front of them is waited for
  bool readsAtOnce;  // a part that is multiplied next
  double scaleSteps; // whose scales are read at once; 0: the sum has them
  /// Steps that the tile before is stored beside; 0: each is stored behind its
  /// own.
  double besideStores;

  /// A unit that has workgroups of this grid, of `count` among all.
  static GemmUnit get(const TileDemand &demand, const GemmPlan &plan,
                      ScheduleAttr schedule, const Target &target,
                      const Timing &timing, const GemmGrid &grid, double count,
                      bool prefetches);
  /// From the first load to the last store of so many workgroups, of which the
  /// unit holds some at once.
  double getClocks(double all, double held) const;

private:
  /// Of so many side by side: the way to the first step and from the last one;
  /// a step, whose operands may be there; its products on the busiest SIMD.
  double getStart(double count) const;
  double getStepClocks(double count, bool isThere = false) const;
  /// Of what a step takes beyond its busiest unit, what is too much.
  double getExcess() const;
  /// All steps; of a loop whose operands come straight to LDS.
  double getLoopClocks(double count) const;
  double getFetchingClocks(double count) const;
  double getProducts(double count) const;
  /// What a loop of so many workgroups takes longer, as each stores a tile
  /// beside it.
  double getStoresBeside(double count, double loop) const;
  /// Units but memory are busy at all times.
  bool areRegular(double held) const;
};

} // namespace mlir::te

#endif // TE_LIB_SCHEDULE_GEMMUNIT_H
