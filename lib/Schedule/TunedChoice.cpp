//===- TunedChoice.cpp - a region's schedule by a database ----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry for just the region is taken. Else entries that are near lend their
// tiles and loops; how workgroups share the product is chosen anew for its own
// sizes. The roofline ranks these next to its own first choice, each corrected
// by what was measured: of an entry, its clocks / the roofline's for the same
// sizes.
//
//===----------------------------------------------------------------------===//

#include "GemmSchedule.h"
#include "Roofline.h"

#include "te/Schedule/TuningDatabase.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"

#include <cmath>

using namespace mlir;
using namespace mlir::te;

/// Entries are near up to two doublings of sizes in all, of a region without a
/// product, which no roofline ranks, one; so many are looked at.
static constexpr double kNear = 2, kNearRows = 1;
static constexpr size_t kMostNear = 8;

/// An entry's schedule; null, and why, where it is none.
static ScheduleAttr readSchedule(MLIRContext *context, const TuningEntry &entry,
                                 std::string &why) {
  ScopedDiagnosticHandler handler(
      context, [&](Diagnostic &found) { why = found.str(); });
  auto schedule =
      dyn_cast_or_null<ScheduleAttr>(parseAttribute(entry.schedule, context));
  if (!schedule && why.empty())
    why = "it is no #te.schedule";
  return schedule;
}

static std::string describe(const TuningDatabase &database,
                            const TuningEntry &entry) {
  std::string text =
      database.name + ", its entry for " + printSizes(entry.sizes);
  if (!entry.range.empty())
    text += ", " + printRange(entry.sizes, entry.range);
  return entry.how == kModelled ? text
                                : text + " (measured: " + entry.how + ")";
}

/// The demand of the same region with other sizes.
static TileDemand withSizes(TileDemand demand, ArrayRef<int64_t> sizes) {
  auto get = [](int64_t size) {
    return size < 0 ? ShapedType::kDynamic : size;
  };
  demand.rows = get(sizes[0]);
  demand.cols = get(sizes[1]);
  if (sizes.size() > 2)
    demand.depth = get(sizes[2]);
  return demand;
}

/// The entry's schedule in the region, and with the other ways of sharing the
/// product that there are for it.
static SmallVector<ScheduleAttr> listVariants(const TileDemand &demand,
                                              ScheduleAttr schedule,
                                              const Target &target) {
  SmallVector<ScheduleAttr> variants;
  auto add = [&](ScheduleAttr variant) {
    if (!llvm::is_contained(variants, variant) &&
        !findViolation(demand, variant, target))
      variants.push_back(variant);
  };
  add(schedule);
  std::string why;
  std::optional<GemmPlan> plan =
      demand.gemm ? planGemm(demand.gemm, target, why) : std::nullopt;
  if (!plan || !schedule.getMatmul())
    return variants;
  ScheduleAttr whole = withSplit(demand, schedule, Split(), target);
  if (findViolation(demand, whole, target))
    return variants;
  for (Split split : listAllSplits(demand, *plan, whole, target))
    add(withSplit(demand, whole, split, target));
  return variants;
}

std::optional<TunedSchedule>
te::chooseTuned(MLIRContext *context, const TileDemand &demand,
                const RegionSignature &region, const TuningDatabase &database,
                const Target &target,
                function_ref<void(const std::string &)> warn) {
  auto read = [&](const TuningEntry &entry) -> ScheduleAttr {
    std::string why;
    ScheduleAttr schedule = readSchedule(context, entry, why);
    if (!schedule)
      warn("tuning database " + describe(database, entry) + ": its schedule " +
           entry.schedule + ": " + why + "; passed over");
    return schedule;
  };
  if (const TuningEntry *entry = database.find(region))
    if (ScheduleAttr schedule = read(*entry)) {
      std::optional<std::string> why = findViolation(demand, schedule, target);
      if (!why)
        return TunedSchedule{schedule, describe(database, *entry)};
      warn("tuning database " + describe(database, *entry) + ": its schedule " +
           entry->schedule + ": " + *why + "; passed over, run te-tune again");
    }
  std::vector<NearEntry> near =
      database.findNear(region, demand.gemm ? kNear : kNearRows);
  if (near.size() > kMostNear)
    near.resize(kMostNear);
  if (!demand.gemm) {
    for (const NearEntry &each : near)
      if (ScheduleAttr schedule = read(*each.entry);
          schedule && !findViolation(demand, schedule, target))
        return TunedSchedule{schedule, describe(database, *each.entry)};
    return std::nullopt;
  }
  TunedSchedule best;
  double least = INFINITY, logs = 0, count = 0;
  for (const NearEntry &each : near) {
    ScheduleAttr schedule = read(*each.entry);
    if (!schedule)
      continue;
    SmallVector<ScheduleAttr> variants = listVariants(demand, schedule, target);
    if (variants.empty())
      continue;
    std::optional<Roofline> measured =
        getRoofline(withSizes(demand, each.entry->sizes), schedule, target);
    double error = measured ? each.entry->clocks / measured->getClocks() : 1;
    logs += std::log(error);
    ++count;
    for (ScheduleAttr variant : variants) {
      std::optional<Roofline> roofline = getRoofline(demand, variant, target);
      if (!roofline || roofline->getClocks() * error >= least)
        continue;
      least = roofline->getClocks() * error;
      best = {variant, describe(database, *each.entry)};
    }
  }
  if (!best.schedule)
    return std::nullopt;
  // Of what was measured of none: as far off as these are in the mean.
  ScheduleAttr seed = chooseSchedule(context, demand, target);
  std::optional<Roofline> roofline = getRoofline(demand, seed, target);
  if (roofline && roofline->getClocks() * std::exp(logs / count) < least)
    best = {seed, ""};
  return best;
}
