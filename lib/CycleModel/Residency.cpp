//===- Residency.cpp - what a compute unit holds, and runs ----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/CycleModel/CycleModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <queue>
#include <tuple>

namespace mlir::te::cycle {

/// Generations of workgroups that are simulated: all, or the first one, which
/// finds nothing in the caches, one in the middle, and the last ones, which may
/// have less to do (chunks of K) and drain. Workgroups that share a unit come
/// apart by and by.
static constexpr uint64_t kGenerations = 8, kSharedGenerations = 16;

Residency getResidency(const Target &target, unsigned registers,
                       unsigned ldsBytes, unsigned wavesPerWorkgroup,
                       uint64_t gridWorkgroups) {
  uint64_t waves = std::max(wavesPerWorkgroup, 1u);
  auto fit = [&](unsigned registers, unsigned lds) {
    uint64_t slots =
        uint64_t(target.occupancy(registers, lds, waves)) * target.simdsPerCU;
    return std::max<uint64_t>(1, slots / waves);
  };
  Residency made;
  made.limit = "wave slots";
  uint64_t most = fit(1, 0);
  auto limit = [&](uint64_t workgroups, const char *what) {
    if (workgroups >= most)
      return;
    most = workgroups;
    made.limit = what;
  };
  limit(fit(registers, 0), "registers");
  if (ldsBytes)
    limit(std::max<uint64_t>(1, target.ldsBytes /
                                    llvm::alignTo(ldsBytes + target.ldsReserved,
                                                  target.ldsGranule)),
          "LDS");
  limit(llvm::divideCeil(std::max<uint64_t>(gridWorkgroups, 1),
                         target.computeUnits),
        "grid");
  made.workgroups = most;
  made.wavesPerSIMD = llvm::divideCeil(most * waves, target.simdsPerCU);
  return made;
}

BusiestUnit findBusiestUnit(const Target &target, const Timing &timing,
                            unsigned held, uint64_t gridWorkgroups,
                            llvm::ArrayRef<uint64_t> work) {
  assert(work.empty() || work.size() == gridWorkgroups);
  // A place for a workgroup: when it is free, its number in its unit, the unit.
  using Place = std::tuple<uint64_t, unsigned, unsigned>;
  std::vector<BusiestUnit> units(target.computeUnits);
  double all = 0;
  for (unsigned xcd = 0; xcd < timing.xcds; ++xcd) {
    std::priority_queue<Place, std::vector<Place>, std::greater<Place>> places;
    for (unsigned number = 0; number < held; ++number)
      for (unsigned unit = xcd; unit < units.size(); unit += timing.xcds)
        places.push({0, number, unit});
    for (uint64_t at = xcd; at < gridWorkgroups; at += timing.xcds) {
      auto [free, number, unit] = places.top();
      uint64_t own = work.empty() ? 1 : work[at];
      places.pop();
      places.push({free + own, number, unit});
      units[unit].workgroups.push_back(at);
      units[unit].work += own;
      all += own;
    }
  }
  BusiestUnit &most =
      *llvm::max_element(units, [](const BusiestUnit &a, const BusiestUnit &b) {
        return a.work < b.work;
      });
  most.fill = all / (double(most.work) * units.size());
  return std::move(most);
}

emu::TraceRequest chooseWorkgroups(const Target &target, const Timing &timing,
                                   unsigned registers, unsigned ldsBytes,
                                   unsigned wavesPerWorkgroup,
                                   uint64_t gridWorkgroups,
                                   llvm::ArrayRef<uint64_t> work) {
  uint64_t held = getResidency(target, registers, ldsBytes, wavesPerWorkgroup,
                               gridWorkgroups)
                      .workgroups;
  std::vector<uint64_t> own =
      findBusiestUnit(target, timing, held, gridWorkgroups, work).workgroups;
  uint64_t all = own.size();
  emu::TraceRequest request;
  request.caches = timing.xcds;
  auto add = [&](uint64_t from, uint64_t count) {
    auto begin = own.begin() + from;
    request.workgroups.insert(request.workgroups.end(), begin, begin + count);
  };
  uint64_t simulated = (held > 1 ? kSharedGenerations : kGenerations) * held;
  if (all <= simulated) {
    add(0, all);
    return request;
  }
  uint64_t last = all - (simulated - 2 * held);
  add(0, held);
  add(std::min(std::max(held, all / 2), last - held), held);
  add(last, all - last);
  return request;
}

} // namespace mlir::te::cycle
