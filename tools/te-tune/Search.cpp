//===- Search.cpp - te-tune: the search -----------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From te-schedule's choice on, what is nearest to the best that was measured,
// and whose lower bound does not rule it out, until nothing within kRadius
// steps is left. What an earlier call has measured is taken from the database,
// so that a search goes on where it was interrupted, and ends with the same
// result.
//
//===----------------------------------------------------------------------===//
#include "Search.h"

#include "te/Driver/Compile.h"
#include "te/Driver/Signature.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::te;

/// Two fields by a step each, or one by two.
static constexpr int64_t kRadius = 2;

/// Measured are kernels on zeros.
static bool takesIntegers(FusionOp fusion) {
  return llvm::any_of(fusion.getOperandTypes(), [](Type type) {
    return getElementTypeOrSelf(type).isInteger();
  });
}

/// Regions to tune, in the order of the module; alike ones of a function
/// together.
static std::vector<TunedRegion>
findRegions(ModuleOp module, const llvm::StringSet<> &written, bool records) {
  std::vector<TunedRegion> regions;
  module.walk([&](FusionOp fusion) {
    if (written.contains(fusion.getKernel()) && !records)
      return;
    if (takesIntegers(fusion)) {
      llvm::errs() << "te-tune: " << fusion.getKernel()
                   << ": not tuned: it takes integers, and what they are may "
                      "say how much it does\n";
      return;
    }
    TunedRegion region;
    region.module = module;
    region.fusion = fusion;
    region.function = fusion->getParentOfType<func::FuncOp>().getName().str();
    region.text = getRegionText(fusion);
    region.key = getRegionKey(region.text);
    region.demand = getTileDemand(getRegionOps(fusion));
    region.signature = getSignature(fusion);
    region.isWritten = written.contains(fusion.getKernel());
    for (TunedRegion &other : regions)
      if (other.key == region.key) {
        if (other.function == region.function &&
            !llvm::is_contained(other.kernels, fusion.getKernel()))
          other.kernels.push_back(fusion.getKernel().str());
        return;
      }
    region.kernels = {fusion.getKernel().str()};
    regions.push_back(std::move(region));
  });
  return regions;
}

LogicalResult Search::tune(ModuleOp module) {
  llvm::StringSet<> written; // kernels whose schedule is the user's
  module.walk([&](FusionOp fusion) {
    if (fusion.getScheduleAttr())
      written.insert(fusion.getKernel());
  });
  OwningOpRef<ModuleOp> fused(module.clone());
  for (auto function : fused->getOps<func::FuncOp>())
    if (auto entry = getSignature(function); succeeded(entry))
      dims.insert(entry->dims.begin(), entry->dims.end());
  PassManager manager(module.getContext());
  buildPipeline(manager, target, Level::TE, Level::Fused, schedules);
  if (failed(manager.run(*fused)))
    return failure();
  std::vector<TunedRegion> found = findRegions(*fused, written, records);
  if (failed(keepLaunched(*fused, found)))
    return failure();
  for (const TunedRegion &region : found) {
    ++regions;
    if (failed(tune(region)))
      return failure();
  }
  return success();
}

/// Leaves out the regions for ranges that none of the sizes is in.
LogicalResult Search::keepLaunched(ModuleOp module,
                                   std::vector<TunedRegion> &found) {
  auto isOfRange = [](TunedRegion &region) {
    return region.fusion.getRangeAttr() != nullptr;
  };
  auto ranged = llvm::find_if(found, isOfRange);
  if (ranged == found.end())
    return success();
  auto launched = findLaunched(module, target, sizes);
  if (!launched)
    return ranged->fusion.emitError() << "not tuned: " << launched.error();
  llvm::erase_if(found, [&](TunedRegion &region) {
    if (!isOfRange(region) ||
        llvm::any_of(region.kernels, [&](const std::string &kernel) {
          return launched->contains(kernel);
        }))
      return false;
    llvm::outs() << region.fusion.getKernel() << " on " << target.name
                 << ": not tuned: it is for "
                 << printRange(region.signature.sizes, region.signature.range)
                 << ", and no size given is in that\n";
    ++regions;
    return true;
  });
  return success();
}

std::string Search::getUnusedName() const {
  for (const Sizes &each : sizes)
    for (auto &[name, size] : each)
      if (!dims.count(name))
        return name;
  return "";
}

/// This region's entry; a fresh one where other sizes were timed.
SearchRecord &Search::startEntry(const TunedRegion &region) {
  std::string compiler = getCompilerVersion();
  auto found = llvm::find_if(log.records, [&](const SearchRecord &entry) {
    return entry.key == region.key && entry.target == target.name &&
           entry.how == meter.getHow();
  });
  if (found == log.records.end())
    found = log.records.insert(found, SearchRecord());
  if (found->compiler == compiler && found->sizes == sizes)
    return *found;
  if (!found->compiler.empty())
    llvm::errs() << "te-tune: " << region.kernels.front() << ": the entry in "
                 << path
                 << (found->compiler == compiler ? " is for other sizes"
                                                 : " is by " + found->compiler)
                 << "; starting again\n";
  *found = SearchRecord();
  found->key = region.key;
  found->target = target.name.str();
  found->compiler = compiler;
  found->region = region.text;
  found->how = meter.getHow();
  found->sizes = sizes;
  return *found;
}

LogicalResult Search::save() const {
  llvm::Error error = writeOutput(getLogPath(path), log.print());
  if (!error)
    error = writeOutput(path, database.print());
  if (error) {
    llvm::errs() << "te-tune: error: " << llvm::toString(std::move(error))
                 << "\n";
    return failure();
  }
  return success();
}

/// Of a region whose sizes are all known there is nothing to tell.
static std::vector<Sizes> timed(const SearchRecord &record) {
  if (llvm::all_of(record.sizes,
                   [](const Sizes &sizes) { return sizes.empty(); }))
    return {};
  return record.sizes;
}

namespace {
struct Candidate {
  ScheduleAttr schedule;
  std::string text;
  double least; // clocks
  bool isTried;
};
} // namespace

/// The default first.
static std::vector<Candidate> listCandidates(const TunedRegion &region,
                                             const SearchRecord &entry,
                                             ArrayRef<TileDemand> demands,
                                             const Target &target) {
  llvm::StringSet<> tried;
  for (const TriedSchedule &each : entry.tried)
    tried.insert(each.schedule);
  std::vector<Candidate> candidates;
  // Its choice, or the user's, by the database or the roofline.
  FusionOp fusion = region.fusion;
  SmallVector<ScheduleAttr> schedules = {fusion.getScheduleAttr()};
  if (!region.isWritten)
    for (ScheduleAttr schedule : listSchedules(
             ModuleOp(region.module).getContext(), region.demand, target))
      if (schedule != schedules.front())
        schedules.push_back(schedule);
  for (ScheduleAttr schedule : schedules) {
    Candidate made{schedule, "", 0, false};
    llvm::raw_string_ostream(made.text) << schedule;
    made.isTried = tried.contains(made.text);
    for (const TileDemand &each : demands)
      made.least += getLeastClocks(each, schedule, target);
    candidates.push_back(std::move(made));
  }
  return candidates;
}

/// What to try next: the default, then what is nearest to the best, of those
/// what has the least bound. Null where nothing near it can be faster. `left`:
/// how many there are.
static Candidate *findNext(std::vector<Candidate> &candidates,
                           const SearchRecord &entry, size_t &left) {
  left = 1;
  if (entry.schedule.empty())
    return candidates.front().isTried ? nullptr : &candidates.front();
  auto best = llvm::find_if(candidates, [&](const Candidate &candidate) {
    return candidate.text == entry.schedule;
  });
  if (best == candidates.end()) // of an older resource model
    best = candidates.begin();
  Candidate *next = nullptr;
  std::pair<int64_t, double> nearest;
  left = 0;
  for (Candidate &candidate : candidates) {
    int64_t distance = getDistance(candidate.schedule, best->schedule);
    if (candidate.isTried || candidate.least >= entry.clocks ||
        distance > kRadius)
      continue;
    ++left;
    std::pair<int64_t, double> own(distance, candidate.least);
    if (!next || own < nearest) {
      next = &candidate;
      nearest = own;
    }
  }
  return next;
}

/// Takes over what was tried; the first one is the default.
static void add(SearchRecord &entry, const TriedSchedule &tried) {
  if (!tried.clocks)
    return;
  if (entry.schedule.empty()) {
    entry.defaultSchedule = tried.schedule;
    entry.defaultClocks = *tried.clocks;
  }
  if (entry.schedule.empty() || *tried.clocks < entry.clocks) {
    entry.schedule = tried.schedule;
    entry.clocks = *tried.clocks;
  }
}

bool Search::publish(const TunedRegion &region, const SearchRecord &record) {
  const TuningEntry *old = database.find(region.signature);
  if (record.schedule.empty())
    return false;
  TuningEntry entry;
  entry.sizes = region.signature.sizes;
  entry.range = region.signature.range;
  entry.schedule = record.schedule;
  entry.clocks = record.clocks;
  entry.how = record.how;
  entry.timed = timed(record);
  bool isSame = old && old->range == entry.range && old->timed == entry.timed;
  bool isModelled = old && old->range == entry.range && old->how != kModelled &&
                    entry.how == kModelled;
  if (isModelled || (isSame && !TuningDatabase::isBetter(entry, *old)))
    return false;
  database.insert(region.signature, entry);
  return true;
}

LogicalResult Search::tryAll(const TunedRegion &region, SearchRecord &entry) {
  FusionOp fusion = region.fusion;
  std::vector<TileDemand> demands;
  for (const Sizes &each : sizes) {
    auto demand = bindDemand(region, each);
    if (!demand)
      return fusion.emitError() << "not tuned: " << demand.error();
    auto [least, most] = fusion.getSizeRange();
    int64_t TileDemand::*size =
        getRangedSize(getTileDemand(getRegionOps(fusion)));
    if (!demand->gemm || !size ||
        (*demand.*size >= least && *demand.*size <= most))
      demands.push_back(*demand);
  }
  std::vector<Candidate> candidates =
      listCandidates(region, entry, demands, target);
  progress.start(fusion.getKernel(), entry.tried.size());
  size_t left;
  int64_t count = 0;
  while (Candidate *next = findNext(candidates, entry, left)) {
    if (budget.isSpent(count++)) {
      progress.finish();
      summarize(region, entry);
      return success();
    }
    next->isTried = true;
    TriedSchedule tried = meter.measure(region, next->schedule, sizes);
    if (!tried.clocks && entry.schedule.empty())
      return fusion.emitError()
             << "not tuned: te-schedule's own choice " << tried.schedule
             << " does not run: " << tried.why;
    tried.least = next->least;
    entry.tried.push_back(tried);
    add(entry, tried);
    publish(region, entry);
    if (failed(save()))
      return failure();
    progress.report(entry.tried.size(), left, entry.clocks,
                    entry.defaultClocks);
  }
  entry.isComplete |= !region.isWritten; // which is one of many
  progress.finish();
  summarize(region, entry);
  return save();
}

LogicalResult Search::tune(const TunedRegion &region) {
  SearchRecord &entry = startEntry(region);
  // What an earlier call found, of which the database may know nothing.
  if (publish(region, entry) && failed(save()))
    return failure();
  if (entry.isComplete && !region.isWritten) {
    summarize(region, entry);
    return success();
  }
  return tryAll(region, entry);
}

void Search::summarize(const TunedRegion &region,
                       const SearchRecord &entry) const {
  FusionOp fusion = region.fusion;
  if (entry.schedule.empty()) {
    llvm::outs() << fusion.getKernel() << " on " << target.name
                 << ": nothing tried, the budget is spent\n";
    return;
  }
  size_t failures = llvm::count_if(
      entry.tried, [](const TriedSchedule &tried) { return !tried.clocks; });
  llvm::outs() << llvm::formatv(
      "{0} on {1}: {2:f0} clocks, {3:f2} x as fast as te-schedule's {4:f0}; ",
      fusion.getKernel(), target.name, entry.clocks,
      entry.defaultClocks / entry.clocks, entry.defaultClocks);
  llvm::outs() << entry.tried.size() << " schedules tried";
  if (failures) {
    auto first = llvm::find_if(
        entry.tried, [](const TriedSchedule &tried) { return !tried.clocks; });
    llvm::outs() << " (" << failures << " do not run; the first, "
                 << first->schedule << ": " << first->why << ")";
  }
  llvm::outs() << (entry.isComplete
                       ? ", nothing near it can be faster\n"
                       : "; the budget is spent, another call goes on\n")
               << "  " << entry.schedule << "\n";
  if (explains)
    explain(region, entry);
}

/// A schedule of the log; null where it is none any more.
static ScheduleAttr readSchedule(MLIRContext *context, StringRef text) {
  ScopedDiagnosticHandler quiet(context, [](Diagnostic &) {});
  return dyn_cast_or_null<ScheduleAttr>(parseAttribute(text, context));
}

/// Why the schedule that was found is as it is, and the default.
void Search::explain(const TunedRegion &region,
                     const SearchRecord &entry) const {
  FusionOp fusion = region.fusion;
  for (auto [name, text] : {std::pair("found", entry.schedule),
                            {"default", entry.defaultSchedule}}) {
    if (name == StringRef("default") && text == entry.schedule) {
      llvm::outs() << "  it is the default\n";
      continue;
    }
    if (ScheduleAttr schedule = readSchedule(fusion.getContext(), text))
      llvm::outs() << "  " << name << ": " << schedule << ": "
                   << explainSchedule(getRegionDemand(fusion), schedule, target)
                   << "\n";
  }
}
