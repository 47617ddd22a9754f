//===- AttentionSchedule.h - schedules of te.attention ----------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the functions of ResourceModel.h ask where the region has a
// te.attention: tiles are queries x elements of a head, `matmul` has the
// instruction, the keys of a step (k), and waves that have queries of their
// own.
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_SCHEDULE_ATTENTIONSCHEDULE_H
#define TE_LIB_SCHEDULE_ATTENTIONSCHEDULE_H

#include "te/Schedule/ResourceModel.h"

namespace mlir::te {

ResourceEstimate estimateAttention(const TileDemand &demand,
                                   ScheduleAttr schedule, const Target &target);
/// Queries that fill the chip, and keys as registers leave room for.
ScheduleAttr chooseAttentionSchedule(MLIRContext *context,
                                     const TileDemand &demand,
                                     const Target &target);
/// What te-tune tries: the schedules that are legal, of each instruction.
SmallVector<ScheduleAttr> listAttentionSchedules(MLIRContext *context,
                                                 const TileDemand &demand,
                                                 const Target &target);
/// G2, H14 and H21.
std::optional<std::string> findAttentionViolation(const TileDemand &demand,
                                                  ScheduleAttr schedule,
                                                  const Target &target);
std::string explainAttentionSchedule(const TileDemand &demand,
                                     ScheduleAttr schedule,
                                     const Target &target);

} // namespace mlir::te

#endif // TE_LIB_SCHEDULE_ATTENTIONSCHEDULE_H
