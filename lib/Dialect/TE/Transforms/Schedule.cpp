//===- Schedule.cpp - te-schedule -----------------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sets or checks the schedule of each region, after te-fuse:
//   te-opt --te-schedule=target=gfx950
//
//   te.fusion "f_0" (...) -> (...) { ... }
// ==>
//   te.fusion "f_0" (...) -> (...) attributes {schedule =
//   #te.schedule<"gfx950",
//     tile = [32, 512], waves = 4, vector = 8>} { ... }
//
// Limits: the choice is analytical (te/Analysis/ResourceModel.h); nothing is
// timed.
//
//===----------------------------------------------------------------------===//

#include "te/Analysis/ResourceModel.h"
#include "te/Dialect/TE/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::te;

namespace mlir::te {
#define GEN_PASS_DEF_SCHEDULEPASS
#include "te/Dialect/TE/Transforms/Passes.h.inc"
} // namespace mlir::te

/// G1: FNUZ codes need a chip that converts them. OCP codes do not: where the
/// chip converts FNUZ they are emulated exactly (te-gpu-to-amdgpu).
static LogicalResult verifyEncoding(FusionOp fusion, const Target &target) {
  if (target.fp8 == FP8Encoding::FNUZ)
    return success();
  for (Type type : llvm::concat<const Type>(fusion.getOperandTypes(),
                                            fusion.getResultTypes())) {
    Type element = getElementTypeOrSelf(type);
    bool e4m3 = isa<Float8E4M3FNUZType>(element);
    if (e4m3 || isa<Float8E5M2FNUZType>(element))
      return fusion.emitError()
             << "G1: " << target.name << " computes with OCP fp8, but " << type
             << " holds " << element << "; use "
             << (e4m3 ? "f8E4M3FN" : "f8E5M2")
             << ", or compile for a chip with FNUZ fp8";
  }
  return success();
}

namespace {
struct SchedulePass : te::impl::SchedulePassBase<SchedulePass> {
  using SchedulePassBase::SchedulePassBase;

  LogicalResult schedule(FusionOp fusion, const Target &chip) {
    if (failed(verifyEncoding(fusion, chip)))
      return failure();
    TileDemand demand = getTileDemand(getRegionOps(fusion));
    ScheduleAttr schedule = fusion.getScheduleAttr();
    if (schedule)
      ++numKept;
    else {
      schedule = chooseSchedule(&getContext(), demand, chip);
      fusion.setScheduleAttr(schedule);
      ++numChosen;
    }
    return verifySchedule([&] { return fusion.emitError(); }, demand, schedule,
                          chip);
  }

  void runOnOperation() override {
    llvm::Expected<const Target *> chip = Target::get(target);
    if (!chip) {
      getOperation().emitError(llvm::toString(chip.takeError()));
      return signalPassFailure();
    }
    WalkResult result = getOperation().walk([&](FusionOp fusion) {
      return succeeded(schedule(fusion, **chip)) ? WalkResult::advance()
                                                 : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
