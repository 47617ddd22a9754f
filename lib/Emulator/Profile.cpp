//===- Profile.cpp - figures of each instruction --------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Profile.h"
#include "Program.h"

#include <bit>

namespace mlir::te::emu {

//===----------------------------------------------------------------------===//
// The cache model
//===----------------------------------------------------------------------===//

void LineCache::clear() {
  when.clear();
  asked.clear();
  loaded = 0;
}

LineCache::Asked LineCache::load(uint64_t line) {
  auto [entry, isNew] = when.try_emplace(line, loaded);
  if (!isNew && loaded - entry->second <= capacity)
    return {};
  entry->second = loaded++;
  bool isFresh = isSample && asked.insert(line).second;
  if (reach) {
    reach->caches[line] |= 1u << reach->cache;
    ++reach->asked;
    reach->fresh += isFresh;
  }
  // What has left the cache is dropped now and then.
  if (when.size() > 8 * capacity)
    for (auto next = when.begin(); next != when.end();) {
      auto at = next++;
      if (loaded - at->second > capacity)
        when.erase(at);
    }
  return {true, isFresh};
}

void profileGlobal(Wave &wave, const LaneAddresses &lanes, unsigned bytes,
                   Traffic traffic) {
  MemoryCounters &counters = *wave.counters;
  auto wide = findLines(lanes, bytes, LineCache::kLineBytes);
  switch (traffic) {
  case Traffic::Load:
    counters.wideLoadLines += wide.size();
    for (uint64_t line : wide) {
      LineCache::Asked asked = wave.cache->load(line);
      counters.l2LoadBytes += asked.isMiss * LineCache::kLineBytes;
      counters.freshLines += asked.isFresh;
    }
    break;
  case Traffic::Store:
    counters.wideStoreLines += wide.size();
    counters.l2StoreBytes += 64 * countLines(lanes, bytes);
    break;
  case Traffic::Atomic:
    counters.l2AtomicBytes += 64 * countLines(lanes, bytes);
    break;
  case Traffic::Direct: // the load is counted
    break;
  }
}

//===----------------------------------------------------------------------===//
// Adding up
//===----------------------------------------------------------------------===//

void addCounters(MemoryCounters &to, const MemoryCounters &from) {
  using Words = std::array<uint64_t, sizeof(MemoryCounters) / sizeof(uint64_t)>;
  Words sums = std::bit_cast<Words>(to), more = std::bit_cast<Words>(from);
  for (size_t i = 0; i < sums.size(); ++i)
    sums[i] += more[i];
  to = std::bit_cast<MemoryCounters>(sums);
}

void ProfileTable::add(llvm::ArrayRef<uint64_t> moreCounts,
                       llvm::ArrayRef<MemoryCounters> moreMemory) {
  counts.resize(moreCounts.size());
  memory.resize(moreCounts.size());
  for (size_t word = 0; word < counts.size(); ++word) {
    if (!moreCounts[word])
      continue;
    counts[word] += moreCounts[word];
    addCounters(memory[word], moreMemory[word]);
  }
}

static InstructionCounts getCounts(const Inst &inst, uint64_t executions,
                                   const MemoryCounters &memory) {
  bool isVector = inst.cls == Class::Valu || inst.cls == Class::Vmem ||
                  inst.cls == Class::Lds;
  InstructionCounts counts;
  counts.executions = executions;
  counts.lanes = memory.valuLanes + memory.memoryLanes;
  counts.mostLanes = isVector ? executions * kLanes : 0;
  counts.mfmaPasses = executions * inst.matrix.passes;
  counts.globalBytes =
      memory.loadBytes + memory.storeBytes + memory.atomicBytes;
  counts.lineBytes = 64 * (memory.loadLines + memory.storeLines);
  counts.wideLineBytes =
      LineCache::kLineBytes * (memory.wideLoadLines + memory.wideStoreLines);
  counts.l2Bytes =
      memory.l2LoadBytes + memory.l2StoreBytes + memory.l2AtomicBytes;
  counts.scalarLoadBytes = memory.scalarLoadBytes;
  counts.ldsBytes = memory.ldsBytes;
  counts.ldsConflictCycles = memory.ldsConflicts;
  counts.scratchAccesses = memory.scratchAccesses;
  return counts;
}

std::vector<ProfiledInstruction> makeProfile(Program &program, uint32_t entry,
                                             uint64_t textBegin,
                                             const ProfileTable &table) {
  std::vector<ProfiledInstruction> profile;
  for (auto [word, startsBlock] : program.listCode(entry, table.counts)) {
    const Inst &inst = program.getText()[word];
    ProfiledInstruction &made = profile.emplace_back();
    made.pc = textBegin + uint64_t(word) * 4;
    made.text = program.disassemble(word);
    made.source = program.locate(word);
    made.className = getClassName(inst.cls).str();
    made.startsBlock = startsBlock;
    made.counts = getCounts(inst, table.counts[word], table.memory[word]);
  }
  return profile;
}

} // namespace mlir::te::emu
