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
// With tuning-db=FILE, a region that the file has takes its schedule from
// there, and says so:
//   attributes {schedule = ..., te.tuned = "FILE"}
//
// Limits: the choice is analytical (te/Schedule/ResourceModel.h); nothing is
// timed.
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/TE/Transforms/Passes.h"
#include "te/Region/SharedKernels.h"
#include "te/Schedule/ResourceModel.h"
#include "te/Schedule/TuningDatabase.h"

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

  /// The region's schedule by the user's database, or the compiler's own.
  std::optional<TunedSchedule>
  findTuned(FusionOp fusion, const TileDemand &demand, const Target &chip) {
    RegionSignature region = getSignature(getRegionOps(fusion), demand);
    auto warn = [&](const std::string &what) { fusion.emitWarning() << what; };
    const TuningDatabase *shipped =
        useShipped ? TuningDatabase::getShipped(chip.name) : nullptr;
    std::optional<TunedSchedule> found;
    for (const TuningDatabase *each : {database.get(), shipped}) {
      if (!each)
        continue;
      std::optional<TunedSchedule> tuned =
          chooseTuned(&getContext(), demand, region, *each, chip, warn);
      if (tuned && !tuned->source.empty())
        return tuned;
      if (tuned)
        found = tuned;
    }
    return found;
  }

  LogicalResult schedule(FusionOp fusion, const Target &chip) {
    if (failed(verifyEncoding(fusion, chip)))
      return failure();
    TileDemand demand = getTileDemand(getRegionOps(fusion));
    ScheduleAttr schedule = fusion.getScheduleAttr();
    if (schedule) {
      ++numKept;
    } else if (std::optional<TunedSchedule> tuned =
                   findTuned(fusion, demand, chip)) {
      schedule = tuned->schedule;
      fusion.setScheduleAttr(schedule);
      if (tuned->source.empty()) {
        ++numChosen;
      } else {
        fusion->setAttr(kTunedAttr,
                        StringAttr::get(&getContext(), tuned->source));
        ++numTuned;
      }
    } else {
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
    if (!tuningDb.empty() && !database && failed(loadDatabase(**chip)))
      return signalPassFailure();
    for (SmallVector<FusionOp> &equal : groupByKernel(getOperation())) {
      FusionOp first = equal.front();
      if (failed(schedule(first, **chip)))
        return signalPassFailure();
      for (FusionOp fusion : llvm::drop_begin(equal)) {
        fusion.setScheduleAttr(first.getScheduleAttr());
        fusion->setDiscardableAttrs(first->getDiscardableAttrDictionary());
      }
    }
  }

  LogicalResult loadDatabase(const Target &chip) {
    llvm::Expected<TuningDatabase> loaded = TuningDatabase::load(tuningDb);
    if (!loaded)
      return getOperation().emitError(llvm::toString(loaded.takeError()));
    if (loaded->target != chip.name)
      return getOperation().emitError()
             << "tuning database " << tuningDb << ": its schedules are for "
             << loaded->target << ", not for " << chip.name
             << "; run te-tune with --target=" << chip.name;
    database = std::make_shared<TuningDatabase>(std::move(*loaded));
    return success();
  }

  std::shared_ptr<const TuningDatabase> database; // once it is read
};
} // namespace
