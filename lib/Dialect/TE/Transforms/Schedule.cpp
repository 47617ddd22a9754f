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
//   te.fusion "f_0" (...) -> (...) attributes {schedule = #te.schedule<"gfx950",
//     tile = [32, 512], waves = 4, vector = 8>} { ... }
//
// Limits: the choice is analytical (te/Analysis/ResourceModel.h); nothing is timed.
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

/// G1: per-tensor, per-row and 128-block FP8 use the encoding that the chip computes
/// with; MX formats are OCP everywhere and are emulated exactly where need be.
static LogicalResult verifyEncoding(FusionOp fusion, const Target &target) {
  Block &body = fusion.getBody().front();
  auto check = [&](Type type) -> LogicalResult {
    auto scaled = dyn_cast<ScaledType>(type);
    if (!scaled || scaled.getScaling().isE8M0())
      return success();
    bool fnuz = isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(scaled.getElementType());
    if (fnuz == (target.fp8 == FP8Encoding::FNUZ))
      return success();
    bool e4m3 = isa<Float8E4M3FNUZType, Float8E4M3FNType>(scaled.getElementType());
    StringRef remedy = fnuz ? (e4m3 ? "f8E4M3FN" : "f8E5M2")
                            : (e4m3 ? "f8E4M3FNUZ" : "f8E5M2FNUZ");
    return fusion.emitError()
           << "G1: " << target.name << " computes with "
           << (fnuz ? "OCP" : "FNUZ") << " fp8, but " << scaled << " holds "
           << scaled.getElementType() << "; use " << remedy
           << ", or compile for a target with " << (fnuz ? "FNUZ" : "OCP") << " fp8";
  };
  for (Type type : llvm::concat<const Type>(body.getArgumentTypes(),
                                            fusion.getResultTypes()))
    if (failed(check(type)))
      return failure();
  return success();
}

namespace {
struct SchedulePass : te::impl::SchedulePassBase<SchedulePass> {
  using SchedulePassBase::SchedulePassBase;

  LogicalResult schedule(FusionOp fusion, const Target &chip) {
    if (failed(verifyEncoding(fusion, chip)))
      return failure();
    TileDemand demand = getTileDemand(fusion);
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
