//===- ContractionSchedule.h - schedules of plain products ------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the functions of ResourceModel.h ask where an op of the region is a
// product by its maps (te/Region/Region.h, Contraction): its sizes and elements
// say all that is needed.
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_SCHEDULE_CONTRACTIONSCHEDULE_H
#define TE_LIB_SCHEDULE_CONTRACTIONSCHEDULE_H

#include "te/Schedule/ResourceModel.h"

namespace mlir::te {

ResourceEstimate estimateContraction(const TileDemand &demand,
                                     ScheduleAttr schedule,
                                     const Target &target);
/// The fastest by a roofline.
ScheduleAttr chooseContractionSchedule(MLIRContext *context,
                                       const TileDemand &demand,
                                       const Target &target);
/// What te-tune tries: the schedules that are legal.
SmallVector<ScheduleAttr> listContractionSchedules(MLIRContext *context,
                                                   const TileDemand &demand,
                                                   const Target &target);
/// G2, H14, H15 and H22.
std::optional<std::string> findContractionViolation(const TileDemand &demand,
                                                    ScheduleAttr schedule,
                                                    const Target &target);
std::string explainContractionSchedule(ScheduleAttr schedule);

} // namespace mlir::te

#endif // TE_LIB_SCHEDULE_CONTRACTIONSCHEDULE_H
