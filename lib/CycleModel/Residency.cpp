//===- Residency.cpp - what a compute unit holds, and runs ----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/CycleModel/CycleModel.h"

#include "llvm/Support/MathExtras.h"

namespace mlir::te::cycle {

/// Generations of workgroups that are simulated: all, or the first one, which
/// finds nothing in the caches, one in the middle, and the last ones, which may
/// have less to do (pieces of K) and drain.
static constexpr uint64_t kGenerations = 8, kLastGenerations = 6;

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

emu::TraceRequest chooseWorkgroups(const Target &target, const Timing &timing,
                                   unsigned registers, unsigned ldsBytes,
                                   unsigned wavesPerWorkgroup,
                                   uint64_t gridWorkgroups) {
  uint64_t held = getResidency(target, registers, ldsBytes, wavesPerWorkgroup,
                               gridWorkgroups)
                      .workgroups;
  uint64_t units = target.computeUnits;
  uint64_t all = llvm::divideCeil(gridWorkgroups, units);
  emu::TraceRequest request;
  request.caches = timing.xcds;
  auto add = [&](uint64_t from, uint64_t count) {
    for (uint64_t i = from; i < from + count; ++i)
      request.workgroups.push_back(i * units);
  };
  if (all <= kGenerations * held) {
    add(0, all);
    return request;
  }
  uint64_t last = all - kLastGenerations * held;
  add(0, held);
  add(std::min(std::max(held, all / 2), last - held), held);
  add(last, kLastGenerations * held);
  return request;
}

} // namespace mlir::te::cycle
