//===- Stats.cpp - what a launch counted ----------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dispatch.h"

namespace mlir::te::emu {

const char *findMissingHostFeature() {
#if defined(__x86_64__) && defined(TE_EMULATOR_NEEDS_V3)
  if (!__builtin_cpu_supports("x86-64-v3"))
    return "AVX2, FMA and F16C (x86-64-v3)";
#endif
  return nullptr;
}

void addCounts(LaunchStats &stats, const Program &program,
               llvm::ArrayRef<uint64_t> counts, const MemoryCounters &memory) {
  for (uint32_t word = 0; word < counts.size(); ++word) {
    if (!counts[word])
      continue;
    const Inst &inst = program.getText()[word];
    stats.instructions += counts[word];
    stats.mfmaPasses += counts[word] * inst.matrix.passes;
    stats.byClass[getClassName(inst.cls).str()] += counts[word];
    stats.byMnemonic[program.getMnemonic(inst).str()] += counts[word];
  }
  stats.valuLanes += memory.valuLanes;
  stats.globalLoadBytes += memory.loadBytes;
  stats.globalStoreBytes += memory.storeBytes;
  stats.globalAtomicBytes += memory.atomicBytes;
  stats.globalLoadLineBytes += memory.loadLines * 64;
  stats.globalStoreLineBytes += memory.storeLines * 64;
  for (unsigned width = 0; width < memory.loadsByWidth.size(); ++width) {
    if (memory.loadsByWidth[width])
      stats.globalLoadsByWidth[width] += memory.loadsByWidth[width];
    if (memory.storesByWidth[width])
      stats.globalStoresByWidth[width] += memory.storesByWidth[width];
  }
  stats.scalarLoadBytes += memory.scalarLoadBytes;
  stats.ldsAccesses += memory.ldsAccesses;
  stats.ldsBytes += memory.ldsBytes;
  stats.ldsConflictCycles += memory.ldsConflicts;
  stats.scratchAccesses += memory.scratchAccesses;
}

void LaunchStats::operator+=(const LaunchStats &other) {
  workgroups += other.workgroups;
  waves += other.waves;
  instructions += other.instructions;
  for (auto &[name, count] : other.byClass)
    byClass[name] += count;
  for (auto &[name, count] : other.byMnemonic)
    byMnemonic[name] += count;
  valuLanes += other.valuLanes;
  mfmaPasses += other.mfmaPasses;
  globalLoadBytes += other.globalLoadBytes;
  globalStoreBytes += other.globalStoreBytes;
  globalAtomicBytes += other.globalAtomicBytes;
  globalLoadLineBytes += other.globalLoadLineBytes;
  globalStoreLineBytes += other.globalStoreLineBytes;
  for (auto &[width, count] : other.globalLoadsByWidth)
    globalLoadsByWidth[width] += count;
  for (auto &[width, count] : other.globalStoresByWidth)
    globalStoresByWidth[width] += count;
  scalarLoadBytes += other.scalarLoadBytes;
  ldsAccesses += other.ldsAccesses;
  ldsBytes += other.ldsBytes;
  ldsConflictCycles += other.ldsConflictCycles;
  scratchAccesses += other.scratchAccesses;
  seconds += other.seconds;
}

template <class Key>
static llvm::json::Object toObject(const std::map<Key, uint64_t> &counts) {
  llvm::json::Object object;
  for (auto &[key, count] : counts) {
    if constexpr (std::is_same_v<Key, std::string>)
      object[key] = count;
    else
      object[std::to_string(key)] = count;
  }
  return object;
}

llvm::json::Object LaunchStats::toJSON() const {
  return llvm::json::Object{
      {"workgroups", workgroups},
      {"waves", waves},
      {"instructions", instructions},
      {"by_class", toObject(byClass)},
      {"by_mnemonic", toObject(byMnemonic)},
      {"valu_lanes", valuLanes},
      {"mfma_passes", mfmaPasses},
      {"global_load_bytes", globalLoadBytes},
      {"global_store_bytes", globalStoreBytes},
      {"global_atomic_bytes", globalAtomicBytes},
      {"global_load_line_bytes", globalLoadLineBytes},
      {"global_store_line_bytes", globalStoreLineBytes},
      {"global_loads_by_width", toObject(globalLoadsByWidth)},
      {"global_stores_by_width", toObject(globalStoresByWidth)},
      {"scalar_load_bytes", scalarLoadBytes},
      {"lds_accesses", ldsAccesses},
      {"lds_bytes", ldsBytes},
      {"lds_conflict_cycles", ldsConflictCycles},
      {"scratch_accesses", scratchAccesses},
      {"seconds", seconds},
  };
}

/// The decoded program, and the word that `kernel` begins at.
static llvm::Expected<std::pair<Program *, uint32_t>>
findEntry(const CodeObject::Impl &object, const KernelInfo &kernel) {
  size_t index = &kernel - object.kernels.data();
  if (index >= object.kernels.size())
    return llvm::createStringError("kernel '" + kernel.name +
                                   "' is not one of this code object's");
  auto program = object.getProgram();
  if (!program)
    return program.takeError();
  uint64_t entry = object.descriptors[index].entry - object.textBegin;
  return std::pair(*program, uint32_t(entry / 4));
}

llvm::Expected<std::map<std::string, uint64_t>>
CodeObject::countMnemonics(const KernelInfo &kernel) const {
  auto entry = findEntry(*impl, kernel);
  if (!entry)
    return entry.takeError();
  return entry->first->countMnemonics(entry->second);
}

llvm::Expected<std::map<std::string, uint64_t>>
CodeObject::countMissing(const KernelInfo &kernel) const {
  auto entry = findEntry(*impl, kernel);
  if (!entry)
    return entry.takeError();
  return entry->first->countMissing(entry->second);
}

} // namespace mlir::te::emu
