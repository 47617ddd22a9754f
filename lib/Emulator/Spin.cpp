//===- Spin.cpp - the sanitizer: waves that loop for ever -------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wave whose registers are, at the same instruction, what they were before,
// and which has written nothing in between, goes on only if another changes
// memory. Where every wave of a workgroup is such a one or waits for one at a
// barrier, another workgroup would have to. Earlier ones may; that a later one
// runs at the same time is nothing that a kernel can rely on.
//
//===----------------------------------------------------------------------===//
#include "Spin.h"
#include "WaveShadow.h"

#include "llvm/Support/FormatVariadic.h"

namespace mlir::te::emu {

/// How far a wave is watched: a loop that polls is short.
static constexpr uint64_t kWatched = 20000;

namespace {
/// A wave's registers at one moment.
struct Snapshot {
  const Inst *pc = nullptr;
  bool scc = false;
  uint32_t mode = 0;
  std::array<uint32_t, 128 + 32> sgpr;
  std::vector<uint32_t> vgpr;

  explicit Snapshot(const Wave &wave)
      : pc(wave.pc), scc(wave.scc), mode(wave.mode) {
    llvm::copy(wave.sgpr, sgpr.begin());
    forFiles(wave, [&](const uint32_t *rows, size_t words) {
      vgpr.insert(vgpr.end(), rows, rows + words);
      return true;
    });
  }
  bool matches(const Wave &wave) const {
    if (wave.pc != pc || wave.scc != scc || wave.mode != mode ||
        !std::equal(sgpr.begin(), sgpr.end(), wave.sgpr))
      return false;
    const uint32_t *from = vgpr.data();
    return forFiles(wave, [&](const uint32_t *rows, size_t words) {
      bool same = std::equal(rows, rows + words, from);
      from += words;
      return same;
    });
  }

private:
  template <class Body> static bool forFiles(const Wave &wave, Body body) {
    return body(&wave.vgpr[0][0], size_t(wave.launch->vgprs) * kLanes) &&
           body(&wave.vgpr[wave.launch->accRow][0],
                size_t(wave.launch->agprs) * kLanes);
  }
};
} // namespace

/// The loop that `wave` does not leave by itself, or null. It may stop for
/// another reason meanwhile: where that is a fault, the instruction that made
/// it.
static const Inst *findLoop(Wave &wave, uint64_t *counts) {
  std::optional<Snapshot> snapshot;
  wave.shadow->watch();
  for (uint64_t i = 0; i < kWatched; ++i) {
    const Inst *from = wave.pc;
    uint64_t budget = 1;
    const Inst *last = runWave(wave, counts, budget);
    if (wave.stop == Stop::Fault)
      return last;
    if (wave.stop != Stop::Yield || wave.shadow->hasWritten)
      return nullptr;
    if (wave.pc > from)
      continue;
    if (!snapshot)
      snapshot.emplace(wave);
    else if (snapshot->matches(wave))
      return wave.pc;
  }
  return nullptr;
}

SpinningWave findStuck(llvm::ArrayRef<std::unique_ptr<Wave>> waves,
                       uint64_t *counts) {
  SpinningWave found;
  for (auto &wave : waves) {
    if (wave->stop != Stop::Yield)
      continue;
    const Inst *loop = findLoop(*wave, counts);
    if (!loop)
      return {};
    if (wave->stop == Stop::Fault)
      return {wave.get(), loop};
    // One that polls device memory says most.
    if (!found.wave || wave->shadow->pollsGlobal())
      found = {wave.get(), loop};
  }
  return found;
}

void WaveShadow::reportStuck(const Inst &loop) {
  if (pollsGlobal()) {
    const Allocation *found = wave.launch->memory->find(*lastLoad, 1);
    launch.report(
        Defect::OrderDependence, wave, loop, -1,
        llvm::formatv("the workgroup waits for a later one, or for ever: this "
                      "loop polls '{0}' + {1}, which neither its own "
                      "workgroup nor an earlier one changes any more",
                      found ? found->name : "?",
                      found ? *lastLoad - found->begin : 0));
    return;
  }
  launch.report(Defect::Deadlock, wave, loop, -1,
                lastLoad ? llvm::formatv("the workgroup waits for ever: this "
                                         "loop polls LDS offset {0}, which no "
                                         "wave changes any more",
                                         *lastLoad)
                               .str()
                         : "the workgroup waits for ever: nothing changes in "
                           "this loop");
}

} // namespace mlir::te::emu
