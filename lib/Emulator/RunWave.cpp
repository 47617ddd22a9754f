//===- RunWave.cpp - runs a wave's instructions ---------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Matrix.h"
#include "Profile.h"
#include "Recorder.h"
#include "Spin.h"
#include "WaveShadow.h"

namespace mlir::te::emu {

/// s_set_gpr_idx: M0 is added to the vector registers that its bits 12..15
/// pick.
static void runIndexed(Wave &wave, const Inst &inst) {
  Inst moved = inst;
  uint32_t m0 = wave.sgpr[kM0], index = m0 & 0xff;
  bool fits = true;
  const LaunchContext &launch = *wave.launch;
  // It stays in its file, vector or accumulation registers.
  auto isInside = [&](unsigned before, unsigned row) {
    return row < (before < launch.accRow ? launch.vgprs
                                         : launch.accRow + launch.agprs);
  };
  for (unsigned k = 0; k < 3; ++k) {
    uint16_t &number = moved.src[k].number;
    if (!(m0 >> (12 + k) & 1) || number < kFirstVector)
      continue;
    number += index;
    fits &= isInside(inst.src[k].number - kFirstVector, number - kFirstVector);
  }
  if (m0 >> 15 & 1 && !(inst.flags & kScalarDst)) {
    moved.dst += index;
    fits &= isInside(inst.dst, moved.dst);
  }
  if (!fits)
    return wave.fail("M0's index takes a register number beyond the kernel's");
  inst.run(wave, moved);
  if (wave.shadow)
    wave.shadow->defineIndexed(inst, moved.dst);
}

/// False, and a fault, for an instruction beyond the kernel's registers.
static bool checkRegisters(Wave &wave, const Inst &inst) {
  const LaunchContext &launch = *wave.launch;
  Program::Registers used = launch.program->getRegisters(inst);
  if (used.vgprs <= launch.vgprs && used.agprs <= launch.agprs)
    return true;
  wave.fail("it names register v" + llvm::Twine(used.vgprs - 1) + " or a" +
            llvm::Twine(used.agprs - 1) + ", but the kernel descriptor has " +
            llvm::Twine(launch.vgprs) + " VGPRs and " +
            llvm::Twine(launch.agprs) + " AGPRs");
  return false;
}

static bool isVector(Class cls) {
  return cls == Class::Valu || cls == Class::Vmem || cls == Class::Lds ||
         cls == Class::Mfma;
}

/// Runs `wave` until it stops, `budget` instructions at most; returns the last
/// one.
template <bool sanitized, bool profiled, bool recorded = false>
static const Inst *runWave(Wave &wave, uint64_t *counts, uint64_t &budget) {
  const Inst *inst = wave.pc;
  const bool checked = wave.launch->checkRegisters;
  wave.stop = Stop::None;
  while (budget) {
    --budget;
    inst = wave.pc;
    wave.pc += inst->words;
    ++counts[inst->word];
    if (LLVM_UNLIKELY(checked) && !checkRegisters(wave, *inst))
      return inst;
    if (LLVM_UNLIKELY(wave.mode & kModeSkip) && isVector(inst->cls))
      continue;
    [[maybe_unused]] bool isMemory =
        inst->cls == Class::Vmem || inst->cls == Class::Lds;
    if constexpr (recorded)
      if (!isMemory && !wave.recorder->record(wave, *inst))
        return inst;
    if constexpr (profiled) {
      wave.counters = wave.profile + inst->word;
      if (isMemory)
        wave.counters->memoryLanes += llvm::popcount(wave.exec());
    }
    if constexpr (recorded)
      if (isMemory) {
        wave.recorder->facts = {};
        wave.counters = &wave.recorder->facts;
      }
    if constexpr (profiled && !sanitized)
      if (inst->cls == Class::Mfma && wave.cache->isSample) {
        clearSums(wave, *inst);
        continue;
      }
    if (inst->cls == Class::Valu) {
      wave.counters->valuLanes += llvm::popcount(wave.exec());
      if (LLVM_UNLIKELY(wave.mode & kModeGprIndex)) {
        runIndexed(wave, *inst);
        if (wave.stop != Stop::None)
          return inst;
        continue;
      }
    }
    if constexpr (sanitized)
      wave.shadow->run(*inst);
    else
      inst->run(wave, *inst);
    if constexpr (recorded)
      if (isMemory) {
        addCounters(wave.profile[inst->word], wave.recorder->facts);
        wave.recorder->recordMemory(wave, *inst);
      }
    if (LLVM_UNLIKELY(wave.stop != Stop::None))
      return inst;
  }
  wave.stop = Stop::Yield;
  return inst;
}
const Inst *runWave(Wave &wave, uint64_t *counts, uint64_t &budget) {
  if (wave.recorder)
    return runWave<false, true, true>(wave, counts, budget);
  if (wave.profile)
    return wave.shadow ? runWave<true, true>(wave, counts, budget)
                       : runWave<false, true>(wave, counts, budget);
  return wave.shadow ? runWave<true, false>(wave, counts, budget)
                     : runWave<false, false>(wave, counts, budget);
}

} // namespace mlir::te::emu
