//===- Wave.h - the state of a wave and of its workgroup --------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_WAVE_H
#define TE_EMULATOR_WAVE_H

#include "Chip.h"
#include "Instruction.h"
#include "Memory.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace mlir::te::emu {

class LineCache;
class Program;
struct WaveRecorder;
class WaveShadow;

/// Figures that cannot be had from execution counts alone; one a thread, or one
/// an instruction where the launch is profiled.
struct MemoryCounters {
  uint64_t valuLanes = 0;
  // These where the launch is profiled.
  uint64_t memoryLanes = 0; // of vector memory and LDS instructions
  uint64_t wideLoadLines = 0, wideStoreLines = 0;
  uint64_t l2LoadBytes = 0, l2StoreBytes = 0, l2AtomicBytes = 0;
  uint64_t freshLines = 0; // of loads; of a sample
  uint64_t ldsRows = 0;    // of banks, without conflicts

  uint64_t loadBytes = 0, storeBytes = 0, atomicBytes = 0;
  uint64_t loadLines = 0, storeLines = 0;
  std::array<uint64_t, 17> loadsByWidth{}, storesByWidth{}; // by bytes a lane
  uint64_t scalarLoadBytes = 0;
  uint64_t ldsAccesses = 0, ldsBytes = 0, ldsConflicts = 0;
  uint64_t scratchAccesses = 0;
};

/// What every wave of a launch shares and only reads.
struct LaunchContext {
  const Chip *chip = nullptr;
  const DeviceMemory::Impl *memory = nullptr;
  Program *program = nullptr;
  const Inst *text = nullptr;    // the slot of the text segment's first word
  uint64_t codeBase = 0;         // device address of the text segment
  uint32_t scratchBytes = 0;     // a lane
  uint32_t vgprs = 0, agprs = 0; // allocated
  uint32_t accRow = kAccRow;     // of a0
  /// Some reachable instruction names more registers than are allocated: look
  /// at each before it runs.
  bool checkRegisters = false;
  bool collect = true;
};

/// Why a wave stopped running.
enum class Stop : uint8_t { None, Barrier, End, Fault, Yield };

constexpr uint32_t kModeDx10Clamp = 1 << 8, kModeIeee = 1 << 9;
constexpr uint32_t kModeFp16Overflow = 1 << 23, kModeGprIndex = 1 << 27;
constexpr uint32_t kModeSkip = 1 << 28; // vector instructions do nothing

struct Wave {
  alignas(64) uint32_t vgpr[kVectorRows][kLanes];
  alignas(16) uint32_t sgpr[128 + 32];
  const Inst *pc = nullptr; // the next instruction
  bool scc = false;
  Stop stop = Stop::None;
  bool floatSpecial = false; // MODE rounds or flushes other than by default
  uint32_t mode = 0;
  uint32_t index = 0;     // in its workgroup
  uint64_t clock = 0;     // what s_memtime reads
  uint64_t writeMask = 0; // lanes that the running VALU instruction writes
  const LaunchContext *launch = nullptr;
  uint8_t *lds = nullptr;
  uint32_t ldsBytes = 0;
  std::vector<uint8_t> scratch; // lane after lane
  MemoryCounters *counters = nullptr;
  const Allocation *recent = nullptr; // the last one that an access met
  uint32_t workgroupIndex = 0;
  std::string fault;            // set with Stop::Fault
  WaveShadow *shadow = nullptr; // the sanitizer's view, where it is on
  // Where the launch is profiled: counters of each instruction, and the cache.
  MemoryCounters *profile = nullptr;
  LineCache *cache = nullptr;
  WaveRecorder *recorder = nullptr; // where the workgroup is recorded

  uint64_t exec() const { return scalar64(kExec); }
  uint64_t scalar64(unsigned number) const {
    uint64_t value;
    std::memcpy(&value, &sgpr[number], 8);
    return value;
  }
  void setScalar64(unsigned number, uint64_t value) {
    std::memcpy(&sgpr[number], &value, 8);
  }
  uint32_t *row(unsigned number) { return vgpr[number]; }

  /// Stops the launch with an error of the running instruction.
  void fail(const llvm::Twine &message) {
    if (stop == Stop::Fault)
      return;
    stop = Stop::Fault;
    fault = message.str();
  }
  void setMode(uint32_t value);
};

/// Calls `body(lane)` for each set bit.
template <class Body> inline void forLanes(uint64_t mask, Body body) {
  for (; mask; mask &= mask - 1)
    body(unsigned(llvm::countr_zero(mask)));
}

} // namespace mlir::te::emu

#endif // TE_EMULATOR_WAVE_H
