//===- RowSplit.h - when workgroups share rows ------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_SCHEDULE_ROWSPLIT_H
#define TE_LIB_SCHEDULE_ROWSPLIT_H

#include "te/Schedule/ResourceModel.h"

namespace mlir::te {

/// `swept`, a sweep that reads rows again, with as many splits a row as keep
/// the chip's CUs at work; null where that is not faster than `whole`, the
/// schedule in which a workgroup has its rows to itself, or not possible.
ScheduleAttr splitRows(const TileDemand &demand, ScheduleAttr whole,
                       ScheduleAttr swept, const Target &target);

/// VGPRs with which a kernel combines what the splits of its rows folded, all
/// at once: each number, and the weights. 0 where there is one split.
unsigned getCombiningVGPRs(const TileDemand &demand, ScheduleAttr schedule,
                           const Target &target);

/// H16: why the schedule's splits are not possible.
std::optional<std::string> findRowSplitViolation(const TileDemand &demand,
                                                 ScheduleAttr schedule,
                                                 const Target &target);

} // namespace mlir::te

#endif // TE_LIB_SCHEDULE_ROWSPLIT_H
