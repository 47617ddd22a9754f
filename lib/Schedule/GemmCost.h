//===- GemmCost.h - how long a te.gemm takes --------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_SCHEDULE_GEMMCOST_H
#define TE_LIB_SCHEDULE_GEMMCOST_H

#include "te/Schedule/ResourceModel.h"

namespace mlir::te {

/// Workgroups that a compute unit holds at once, at the least one.
int64_t countResidents(const TileDemand &demand, const GemmPlan &plan,
                       ScheduleAttr schedule, const Target &target);

/// Clocks of a compute unit until the region's last tile is stored, as
/// te/Target/Timing.h has the chip: the largest of what a step along K asks of
/// the matrix cores, of LDS and of memory, where two stages overlap them, else
/// their sum; the way into the loop and out of it; and all of this for each
/// round of workgroups. A size that is not known counts as 4096.
double estimateGemmClocks(const TileDemand &demand, const GemmPlan &plan,
                          ScheduleAttr schedule, const Target &target);

/// The `group` of #te.matmul with which the CUs of an XCD load the fewest bytes
/// through its L2 at the same time; 0 where the order of tiles does not matter.
int64_t chooseGroup(const TileDemand &demand, ScheduleAttr schedule,
                    const Target &target);

} // namespace mlir::te

#endif // TE_LIB_SCHEDULE_GEMMCOST_H
