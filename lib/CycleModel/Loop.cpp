//===- Loop.cpp - the loop that has the most work -------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/CycleModel/CycleModel.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace mlir::te::cycle {

/// Iterations that a wave makes before there is a steady state.
static constexpr uint64_t kLeastIterations = 3;

std::optional<Loop> findLoop(const emu::Trace &trace) {
  // Branches backwards, and how often each instruction ran.
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> loops;
  std::vector<uint64_t> counts(trace.instructions.size());
  std::vector<bool> stores(trace.instructions.size());
  uint64_t waves = 0;
  for (const emu::TracedWorkgroup &workgroup : trace.workgroups)
    for (const auto &events : workgroup.waves) {
      ++waves;
      for (size_t i = 0; i < events.size(); ++i) {
        uint32_t at = events[i].instruction;
        ++counts[at];
        if (events[i].stored > 0 &&
            trace.instructions[at].unit == emu::Unit::Vmem)
          stores[at] = true;
        if (i + 1 < events.size() && events[i + 1].instruction <= at &&
            trace.instructions[at].unit == emu::Unit::Branch)
          ++loops[{events[i + 1].instruction, at}];
      }
    }
  auto getProducts = [&](std::pair<uint32_t, uint32_t> range) {
    uint64_t products = 0;
    for (uint32_t at = range.first; at <= range.second; ++at)
      if (trace.instructions[at].unit == emu::Unit::Mfma)
        products += counts[at];
    return products;
  };
  auto isOfTiles = [&](std::pair<uint32_t, uint32_t> range) {
    auto begin = stores.begin();
    return std::find(begin + range.first, begin + range.second + 1, true) !=
               begin + range.second + 1 &&
           getProducts(range) > 0;
  };
  // What a few waves jump back for is no loop; a workgroup may have few tiles.
  std::erase_if(loops, [&](const auto &loop) {
    return loop.second < kLeastIterations * waves && !isOfTiles(loop.first);
  });
  auto isInnermost = [&](std::pair<uint32_t, uint32_t> loop) {
    return llvm::none_of(loops, [&](const auto &other) {
      return other.first != loop && other.first.first >= loop.first &&
             other.first.second <= loop.second;
    });
  };
  std::optional<Loop> best;
  uint64_t most = 0;
  for (auto &[range, iterations] : loops) {
    if (!isInnermost(range))
      continue;
    uint64_t work = 0;
    for (uint32_t at = range.first; at <= range.second; ++at)
      work += counts[at] * std::max<uint64_t>(1, trace.instructions[at].passes);
    if (work > most) {
      most = work;
      // Each wave comes to its first iteration from elsewhere.
      best = Loop{range.first, range.second,
                  isOfTiles(range) ? getProducts(range) / (iterations + waves)
                                   : 0};
    }
  }
  return best;
}

} // namespace mlir::te::cycle
