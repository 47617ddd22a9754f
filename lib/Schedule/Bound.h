//===- Bound.h - what bounds a schedule's kernel ----------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Estimates with the constants of the cycle model (te/Target/Timing.h), before
// there is code: rates alone, neither latencies nor conflicts. `te-run
// --profile` says what became of them.
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_SCHEDULE_BOUND_H
#define TE_LIB_SCHEDULE_BOUND_H

#include "te/Schedule/ResourceModel.h"

namespace mlir::te {

struct Timing;

/// Clocks of one workgroup's step along K, of each unit of a CU by itself:
/// matrix cores, loads, and LDS's ports and banks.
struct GemmStep {
  double products = 0; // matrix instructions of all waves
  double matrix = 0, memory = 0, ldsReads = 0, ldsWrites = 0, ldsBanks = 0;

  double getLds() const { return std::max({ldsReads, ldsWrites, ldsBanks}); }
  /// Of the busiest unit.
  double getClocks() const { return std::max({matrix, memory, getLds()}); }
  llvm::StringRef getBound() const;
};
/// `loaded`: bytes from memory, of operands that the instruction takes as `a`
/// and `b`, for so many columns of a tile.
GemmStep estimateStep(ScheduleAttr schedule, int64_t columns, Type a, Type b,
                      double loaded, const Target &target,
                      const Timing &timing);
GemmStep estimateGemmStep(const TileDemand &demand, const GemmPlan &plan,
                          ScheduleAttr schedule, const Target &target,
                          const Timing &timing);

/// Bytes that a CU's workgroups have in flight, as many as it can ask for at
/// the most, and those that hide memory's latency at its share of the
/// bandwidth.
struct FlightEstimate {
  int64_t workgroups = 1, asked = 0, needed = 0;
};
std::optional<FlightEstimate> estimateFlight(const TileDemand &demand,
                                             ScheduleAttr schedule,
                                             const Target &target);

/// A clause of explainSchedule, or nothing.
std::string explainBound(const TileDemand &demand, ScheduleAttr schedule,
                         const Target &target);

} // namespace mlir::te

#endif // TE_LIB_SCHEDULE_BOUND_H
