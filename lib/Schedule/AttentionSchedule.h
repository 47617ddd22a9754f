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
/// Instructions for the operands, the most products a cycle first.
SmallVector<const MMA *> getAttentionInstructions(AttentionOp op,
                                                  const Target &target);
/// Lanes load whole vectors of keys and values straight to LDS: rows are a
/// known number apart, each part of a head (a power of two) has a vector for
/// every lane, and LDS transposes what it reads.
bool isDirect(AttentionOp op, int64_t waves, int64_t keys,
              const Target &target);
/// Each wave has as many queries as the instruction has rows.
ScheduleAttr makeAttentionSchedule(MLIRContext *context, AttentionOp op,
                                   const Target &target, const MMA &mma,
                                   int64_t waves, int64_t keys, int64_t stages,
                                   bool isDirect, bool usesPingPong);
/// G2, H14 and H21.
std::optional<std::string> findAttentionViolation(const TileDemand &demand,
                                                  ScheduleAttr schedule,
                                                  const Target &target);
std::string explainAttentionSchedule(const TileDemand &demand,
                                     ScheduleAttr schedule,
                                     const Target &target);

} // namespace mlir::te

#endif // TE_LIB_SCHEDULE_ATTENTIONSCHEDULE_H
