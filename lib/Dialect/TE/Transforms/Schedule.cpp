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
// With ranges=16,128, a region whose number of rows (or, where they tell that,
// K of its product) types do not tell becomes one for each range where
// schedules differ, in branches by that number:
//   %y = te.fusion "f_0" ...
// ==>
//   %few = arith.cmpi ule, %rows, %c16
//   %y = scf.if %few {
//     %a = te.fusion "f_0_rows16" ... attributes {range = [0, 16], ...}
//     scf.yield %a
//   } else {
//     %b = te.fusion "f_0" ... attributes {range = [17], ...}
//     scf.yield %b
//   }
//
// Limits: the choice is analytical (te/Schedule/ResourceModel.h); nothing is
// timed.
//
//===----------------------------------------------------------------------===//

#include "Variants.h"

#include "te/Dialect/TE/Transforms/Passes.h"
#include "te/Region/SharedKernels.h"
#include "te/Schedule/ResourceModel.h"
#include "te/Schedule/TuningDatabase.h"

#include "llvm/ADT/ScopeExit.h"

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
      return fusion.emitError() << target.name << " computes with OCP fp8, but "
                                << type << " holds " << element << "; use "
                                << (e4m3 ? "f8E4M3FN" : "f8E5M2")
                                << ", or compile for a chip with FNUZ fp8 (G1)";
  }
  return success();
}

namespace {
struct SchedulePass : te::impl::SchedulePassBase<SchedulePass> {
  using SchedulePassBase::SchedulePassBase;

  /// The region's schedule by the user's database, or the compiler's own.
  std::optional<TunedSchedule>
  findTuned(FusionOp fusion, const TileDemand &demand, const Target &chip) {
    RegionSignature region = getSignature(fusion);
    auto warn = [&](const std::string &what) { fusion.emitWarning() << what; };
    const TuningDatabase *shipped =
        useShipped ? TuningDatabase::getShipped(chip.name, region) : nullptr;
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

  /// The fastest schedule that is known for a range of its size.
  Variant choose(FusionOp fusion, ArrayRef<int64_t> range, const Target &chip) {
    DenseI64ArrayAttr before = fusion.getRangeAttr();
    if (!range.empty())
      fusion.setRange(range);
    auto restore = llvm::scope_exit([&] {
      if (!before)
        fusion.removeRangeAttr();
    });
    TileDemand demand = getRegionDemand(fusion);
    int64_t most = fusion.getSizeRange().second;
    if (std::optional<TunedSchedule> tuned = findTuned(fusion, demand, chip))
      return {most, tuned->schedule,
              tuned->source.empty()
                  ? StringAttr()
                  : StringAttr::get(&getContext(), tuned->source)};
    return {most, chooseSchedule(&getContext(), demand, chip), StringAttr()};
  }

  /// One for all sizes, or for each range of one, where schedules
  /// differ from one to the next.
  SmallVector<Variant> chooseAll(FusionOp fusion, const Target &chip) {
    if (ranges.empty() || fusion.getRange() || !hasRangedSize(fusion))
      return {choose(fusion, {}, chip)};
    TileDemand any = getTileDemand(getRegionOps(fusion));
    SmallVector<Variant> variants;
    Variant rest = choose(fusion, {ranges[ranges.size() - 1] + 1}, chip);
    int64_t least = 0;
    for (int64_t most : ranges) {
      Variant variant = choose(fusion, {least, most}, chip);
      if (findViolation(any, variant.schedule, chip))
        variant = {most, rest.schedule, rest.tuned};
      if (!variants.empty() && variants.back().schedule == variant.schedule)
        variants.back().most = most;
      else
        variants.push_back(variant);
      least = most + 1;
    }
    if (!variants.empty() && variants.back().schedule == rest.schedule)
      variants.pop_back();
    variants.push_back(rest);
    return variants;
  }

  /// Keeps the user's schedules, or chooses.
  LogicalResult schedule(ArrayRef<FusionOp> equal, const Target &chip) {
    FusionOp first = equal.front();
    if (failed(verifyEncoding(first, chip)))
      return failure();
    TileDemand demand = getTileDemand(getRegionOps(first));
    auto verify = [&](ScheduleAttr schedule) {
      return verifySchedule([&] { return first.emitError(); }, demand, schedule,
                            chip);
    };
    if (ScheduleAttr schedule = first.getScheduleAttr()) {
      ++numKept;
      return verify(schedule);
    }
    SmallVector<Variant> variants = chooseAll(first, chip);
    for (const Variant &variant : variants) {
      ++(variant.tuned ? numTuned : numChosen);
      if (failed(verify(variant.schedule)))
        return failure();
    }
    for (FusionOp fusion : equal) {
      if (variants.size() > 1) {
        emitVariants(fusion, variants);
        continue;
      }
      fusion.setScheduleAttr(variants.front().schedule);
      if (variants.front().tuned)
        fusion->setAttr(kTunedAttr, variants.front().tuned);
    }
    return success();
  }

  void runOnOperation() override {
    llvm::Expected<const Target *> chip = Target::get(target);
    if (!chip) {
      getOperation().emitError(llvm::toString(chip.takeError()));
      return signalPassFailure();
    }
    for (auto [i, most] : llvm::enumerate(ranges))
      if (most <= (i ? ranges[i - 1] : 0)) {
        getOperation().emitError()
            << "te-schedule: ranges end at " << most << " after "
            << (i ? ranges[i - 1] : 0) << "; each end is larger than the last";
        return signalPassFailure();
      }
    if (!tuningDb.empty() && !database && failed(loadDatabase(**chip)))
      return signalPassFailure();
    for (SmallVector<FusionOp> &equal : groupByKernel(getOperation()))
      if (failed(schedule(equal, **chip)))
        return signalPassFailure();
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
