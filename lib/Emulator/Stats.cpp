//===- Stats.cpp - what a launch counted ----------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dispatch.h"

#include "llvm/ADT/STLExtras.h"

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
  stats.globalLoadWideLineBytes += memory.wideLoadLines * 128;
  stats.globalStoreWideLineBytes += memory.wideStoreLines * 128;
  stats.l2LoadBytes += memory.l2LoadBytes;
  stats.l2StoreBytes += memory.l2StoreBytes;
  stats.l2AtomicBytes += memory.l2AtomicBytes;
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

//===----------------------------------------------------------------------===//
// Instructions and blocks
//===----------------------------------------------------------------------===//

namespace {
struct CountField {
  const char *name;
  uint64_t InstructionCounts::*field;
};
} // namespace

static constexpr CountField kCountFields[] = {
    {"executions", &InstructionCounts::executions},
    {"lanes", &InstructionCounts::lanes},
    {"most_lanes", &InstructionCounts::mostLanes},
    {"mfma_passes", &InstructionCounts::mfmaPasses},
    {"global_bytes", &InstructionCounts::globalBytes},
    {"line_bytes", &InstructionCounts::lineBytes},
    {"wide_line_bytes", &InstructionCounts::wideLineBytes},
    {"l2_bytes", &InstructionCounts::l2Bytes},
    {"scalar_load_bytes", &InstructionCounts::scalarLoadBytes},
    {"lds_bytes", &InstructionCounts::ldsBytes},
    {"lds_conflict_cycles", &InstructionCounts::ldsConflictCycles},
    {"scratch_accesses", &InstructionCounts::scratchAccesses},
};

void InstructionCounts::operator+=(const InstructionCounts &other) {
  for (const CountField &count : kCountFields)
    this->*count.field += other.*count.field;
}

llvm::json::Object InstructionCounts::toJSON() const {
  llvm::json::Object object;
  for (const CountField &count : kCountFields)
    object[count.name] = this->*count.field;
  return object;
}

llvm::ArrayRef<ProfiledInstruction>
takeBlock(llvm::ArrayRef<ProfiledInstruction> profile) {
  size_t size = 1;
  while (size < profile.size() && !profile[size].startsBlock)
    ++size;
  return profile.take_front(size);
}

/// One basic block: how often it was entered, and the counts of all its
/// instructions.
static llvm::json::Object
describeBlock(llvm::ArrayRef<ProfiledInstruction> block) {
  InstructionCounts sum;
  std::map<std::string, uint64_t> byClass;
  for (const ProfiledInstruction &instruction : block) {
    sum += instruction.counts;
    byClass[instruction.className] += instruction.counts.executions;
  }
  llvm::json::Object object = sum.toJSON();
  object["begin"] = block.front().pc;
  object["source"] = block.front().source;
  object["code"] = block.size();
  object["entries"] = block.front().counts.executions;
  object["by_class"] = toObject(byClass);
  return object;
}

static llvm::json::Array
describeBlocks(llvm::ArrayRef<ProfiledInstruction> profile) {
  llvm::json::Array blocks;
  while (!profile.empty()) {
    auto block = takeBlock(profile);
    blocks.push_back(describeBlock(block));
    profile = profile.drop_front(block.size());
  }
  return blocks;
}

/// Adds figures of the same code; false where it is not the same.
static bool addProfile(std::vector<ProfiledInstruction> &profile,
                       llvm::ArrayRef<ProfiledInstruction> other) {
  if (profile.size() != other.size())
    return false;
  for (auto [to, from] : llvm::zip_equal(profile, other)) {
    if (to.pc != from.pc || to.text != from.text)
      return false;
    to.counts += from.counts;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

namespace {
struct LaunchField {
  const char *name;
  uint64_t LaunchStats::*field;
  bool needsProfile = false;
};
} // namespace

static constexpr LaunchField kLaunchFields[] = {
    {"workgroups", &LaunchStats::workgroups},
    {"waves", &LaunchStats::waves},
    {"instructions", &LaunchStats::instructions},
    {"valu_lanes", &LaunchStats::valuLanes},
    {"mfma_passes", &LaunchStats::mfmaPasses},
    {"global_load_bytes", &LaunchStats::globalLoadBytes},
    {"global_store_bytes", &LaunchStats::globalStoreBytes},
    {"global_atomic_bytes", &LaunchStats::globalAtomicBytes},
    {"global_load_line_bytes", &LaunchStats::globalLoadLineBytes},
    {"global_store_line_bytes", &LaunchStats::globalStoreLineBytes},
    {"scalar_load_bytes", &LaunchStats::scalarLoadBytes},
    {"lds_accesses", &LaunchStats::ldsAccesses},
    {"lds_bytes", &LaunchStats::ldsBytes},
    {"lds_conflict_cycles", &LaunchStats::ldsConflictCycles},
    {"scratch_accesses", &LaunchStats::scratchAccesses},
    {"global_load_wide_line_bytes", &LaunchStats::globalLoadWideLineBytes,
     true},
    {"global_store_wide_line_bytes", &LaunchStats::globalStoreWideLineBytes,
     true},
    {"l2_load_bytes", &LaunchStats::l2LoadBytes, true},
    {"l2_store_bytes", &LaunchStats::l2StoreBytes, true},
    {"l2_atomic_bytes", &LaunchStats::l2AtomicBytes, true},
};

template <class Key>
static void addMap(std::map<Key, uint64_t> &to,
                   const std::map<Key, uint64_t> &from) {
  for (auto &[key, count] : from)
    to[key] += count;
}

void LaunchStats::operator+=(const LaunchStats &other) {
  for (const LaunchField &count : kLaunchFields)
    this->*count.field += other.*count.field;
  addMap(byClass, other.byClass);
  addMap(byMnemonic, other.byMnemonic);
  addMap(globalLoadsByWidth, other.globalLoadsByWidth);
  addMap(globalStoresByWidth, other.globalStoresByWidth);
  if (!addProfile(profile, other.profile))
    profile.clear();
  seconds += other.seconds;
}

llvm::json::Object LaunchStats::toJSON() const {
  llvm::json::Object object{
      {"by_class", toObject(byClass)},
      {"by_mnemonic", toObject(byMnemonic)},
      {"global_loads_by_width", toObject(globalLoadsByWidth)},
      {"global_stores_by_width", toObject(globalStoresByWidth)},
      {"seconds", seconds},
  };
  for (const LaunchField &count : kLaunchFields)
    if (!count.needsProfile || !profile.empty())
      object[count.name] = this->*count.field;
  if (!profile.empty())
    object["blocks"] = describeBlocks(profile);
  return object;
}

/// The decoded program, and the word that `kernel` begins at.
static llvm::Expected<std::pair<Program *, uint32_t>>
findEntry(const CodeObject::Impl &object, const KernelInfo &kernel) {
  size_t index = &kernel - object.kernels.data();
  if (index >= object.kernels.size())
    return llvm::createStringError("kernel '" + kernel.name +
                                   "' is not one of this code object's");
  auto program = object.getProgram(kAccRow);
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
