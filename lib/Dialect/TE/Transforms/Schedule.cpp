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

#include "mlir/AsmParser/AsmParser.h"

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

  /// The database's entry for the region; null where it has none by this
  /// compiler, which is told once where another one made it.
  const TuningEntry *findTuned(FusionOp fusion, const Target &chip) {
    if (!database)
      return nullptr;
    std::string compiler = getCompilerVersion();
    const TuningEntry *entry = database->find(
        getRegionKey(getRegionText(fusion)), chip.name, compiler);
    if (!entry || entry->compiler == compiler)
      return entry;
    if (!std::exchange(isStaleTold, true))
      fusion.emitWarning()
          << "tuning database " << tuningDb << ": its schedule for this region "
          << "is by " << entry->compiler << ", and this is " << compiler
          << ", which chooses by itself; run te-tune again (told once)";
    return nullptr;
  }

  /// The schedule of an entry, which fits; null, and an error, else.
  ScheduleAttr readTuned(FusionOp fusion, const TuningEntry &entry,
                         const TileDemand &demand, const Target &chip) {
    std::string why;
    ScheduleAttr schedule;
    {
      ScopedDiagnosticHandler handler(
          &getContext(), [&](Diagnostic &found) { why = found.str(); });
      schedule = dyn_cast_or_null<ScheduleAttr>(
          parseAttribute(entry.schedule, &getContext()));
    }
    if (!schedule && why.empty())
      why = "it is no #te.schedule";
    if (schedule)
      why = findViolation(demand, schedule, chip).value_or("");
    if (why.empty())
      return schedule;
    fusion.emitError() << "tuning database " << tuningDb << ": its schedule "
                       << entry.schedule << " for this region: " << why
                       << "; run te-tune again, or leave the entry out";
    return nullptr;
  }

  LogicalResult schedule(FusionOp fusion, const Target &chip) {
    if (failed(verifyEncoding(fusion, chip)))
      return failure();
    TileDemand demand = getTileDemand(getRegionOps(fusion));
    ScheduleAttr schedule = fusion.getScheduleAttr();
    if (schedule) {
      ++numKept;
    } else if (const TuningEntry *entry = findTuned(fusion, chip)) {
      schedule = readTuned(fusion, *entry, demand, chip);
      if (!schedule)
        return failure();
      fusion.setScheduleAttr(schedule);
      fusion->setAttr(kTunedAttr, StringAttr::get(&getContext(), tuningDb));
      ++numTuned;
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
    if (!tuningDb.empty() && !database) {
      auto loaded = TuningDatabase::load(tuningDb);
      if (!loaded) {
        getOperation().emitError(llvm::toString(loaded.takeError()));
        return signalPassFailure();
      }
      database = std::make_shared<TuningDatabase>(std::move(*loaded));
    }
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

  std::shared_ptr<const TuningDatabase> database; // once it is read
  bool isStaleTold = false;
};
} // namespace
