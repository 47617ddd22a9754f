//===- ScheduleSpace.h - the schedules that te-tune tries -------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_SCHEDULE_SCHEDULESPACE_H
#define TE_SCHEDULE_SCHEDULESPACE_H

#include "te/Schedule/ResourceModel.h"

namespace mlir::te {

/// Every schedule of a region that findViolation lets pass, the default first,
/// each once. Without a te.gemm: tiles up to eight times as large or small as
/// the default's, waves, vectors.
SmallVector<ScheduleAttr> listSchedules(MLIRContext *context,
                                        const TileDemand &demand,
                                        const Target &target);

/// How many steps lead from one to the other: twice or half a size is one.
int64_t getDistance(ScheduleAttr a, ScheduleAttr b);

/// Clocks that a kernel with this schedule takes at the least by the roofline:
/// what the busiest unit of the busiest CU does (docs/roofline.md). 0 without a
/// product.
double getLeastClocks(const TileDemand &demand, ScheduleAttr schedule,
                      const Target &target);

} // namespace mlir::te

#endif // TE_SCHEDULE_SCHEDULESPACE_H
