//===- Races.cpp - the sanitizer: who touched a byte before ---------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Waves of a workgroup are ordered by its barriers, workgroups by atomics with
// write-back and invalidation. Two accesses of a byte that nothing orders, at
// least one a store and not both atomic, are a race; two stores of the same
// value are not.
//
//===----------------------------------------------------------------------===//
#include "WaveShadow.h"

#include "llvm/Support/FormatVariadic.h"

namespace mlir::te::emu {

static uint64_t readCell(const uint64_t *cell) {
  return __atomic_load_n(cell, __ATOMIC_RELAXED);
}
static void writeCell(uint64_t *cell, uint64_t value) {
  __atomic_store_n(cell, value, __ATOMIC_RELAXED);
}

/// What the running instruction leaves in cells, but for the bytes.
void WaveShadow::makeCells() {
  for (bool isAtomic : {false, true}) {
    Cell cell;
    cell.atomic = isAtomic;
    cell.wave = wave.index;
    cell.pc = current->word;
    cell.epoch = workgroup.epoch;
    cell.workgroup = workgroup.workgroup;
    cells[isAtomic] = cell.pack();
  }
}

/// Calls `body(dword, bytes)` for each dword that [offset, offset + bytes)
/// touches; `bytes` has a bit for each byte touched.
template <class Body>
static void forDwords(uint64_t offset, uint64_t bytes, Body body) {
  uint64_t end = offset + bytes;
  for (uint64_t dword = offset / 4; dword * 4 < end; ++dword) {
    uint32_t mask = 15;
    if (dword * 4 < offset)
      mask &= 15u << (offset - dword * 4);
    if (dword * 4 + 4 > end)
      mask &= 15u >> (dword * 4 + 4 - end);
    body(dword, mask);
  }
}

static bool sameOwner(uint64_t a, uint64_t b) {
  return !((a ^ b) & kOwnerMask);
}

/// False where the workgroup's barriers, or an earlier workgroup's end for LDS,
/// lie between the two.
static bool mayRace(uint64_t before, uint64_t now, bool isLds) {
  uint64_t differs = before ^ now;
  return !(differs >> 30) || (!isLds && differs & kWorkgroupMask);
}

constexpr uint64_t kAtomicBit = 1 << 4, kSeveralBit = 1 << 6,
                   kSpreadBit = 1 << 7;

/// The reads of a dword so far, and one more. The first reader of an epoch
/// stays: who writes later is compared with it.
static uint64_t mergeReads(uint64_t before, uint64_t now) {
  if (!before)
    return now;
  if (sameOwner(before, now)) {
    uint64_t atomic = before & now & kAtomicBit;
    return (((now & ~kAtomicBit) | atomic)) | (before & 15) |
           (before & (kSeveralBit | kSpreadBit));
  }
  bool sameGroup = !((before ^ now) & kWorkgroupMask);
  if (!sameGroup)
    return (before | (now & 15) | kSpreadBit) & ~(~now & kAtomicBit);
  bool sameEpoch = !((before ^ now) >> 30 & (Cell::kEpochs - 1));
  if (!sameEpoch)
    return now | (before & kSpreadBit);
  return (before | (now & 15) | kSeveralBit) & ~(~now & kAtomicBit);
}

void WaveShadow::touchRead(const Touched &at) {
  if (at.space == Space::Scratch)
    return;
  bool isLds = at.space == Space::Lds;
  uint64_t me = cells[at.isAtomic];
  forDwords(at.offset, at.bytes, [&](uint64_t index, uint32_t mask) {
    uint64_t write = readCell(at.shadow->getWrite(index)), now = me | mask;
    if (LLVM_UNLIKELY((write & mask) && !sameOwner(write, me) &&
                      mayRace(write, me, isLds)))
      checkPair(at, index, write, now, /*wasWrite=*/true, /*isWrite=*/false);
    uint64_t *cell = at.shadow->getRead(index);
    uint64_t before = readCell(cell);
    // LDS of an earlier workgroup is other memory.
    if (isLds && (before ^ me) & kWorkgroupMask)
      before = 0;
    writeCell(cell, mergeReads(before, now));
  });
  if (isLds && fillsLds)
    checkInFlight(at.offset, at.offset + at.bytes, at.lane);
}

void WaveShadow::touchWrite(const Touched &at) {
  if (at.space == Space::Scratch)
    return;
  bool isLds = at.space == Space::Lds;
  uint64_t me = cells[at.isAtomic];
  forDwords(at.offset, at.bytes, [&](uint64_t index, uint32_t mask) {
    uint64_t now = me | mask, *cell = at.shadow->getWrite(index);
    uint64_t write = readCell(cell);
    if (LLVM_UNLIKELY((write & mask) && !sameOwner(write, me) &&
                      mayRace(write, me, isLds)))
      checkPair(at, index, write, now, /*wasWrite=*/true, /*isWrite=*/true);
    uint64_t read = readCell(at.shadow->getRead(index));
    if (LLVM_UNLIKELY(
            (read & mask) &&
            (!sameOwner(read, me) || read & (kSeveralBit | kSpreadBit)) &&
            (mayRace(read, me, isLds) || read & kSpreadBit)))
      checkPair(at, index, read, now, /*wasWrite=*/false, /*isWrite=*/true);
    writeCell(cell, now | (sameOwner(write, me) ? write & 15 : 0));
  });
  if (at.space == Space::Lds && fillsLds && !isDirect)
    checkInFlight(at.offset, at.offset + at.bytes, at.lane);
}

/// True where the running store leaves `bytes` of dword `index` as they are.
bool WaveShadow::storesSame(const Touched &at, uint64_t index,
                            uint32_t bytes) const {
  if (at.isAtomic || current->cls == Class::Smem)
    return false;
  for (unsigned i = 0; i < 4; ++i) {
    uint64_t offset = index * 4 + i;
    if (!(bytes >> i & 1) || offset < at.offset ||
        offset >= at.offset + at.bytes)
      continue;
    uint64_t place = offset - at.offset;
    unsigned lane = at.lane + place / at.perLane, byte = place % at.perLane;
    unsigned shift = byte % 4 * 8 + (effects->high ? 16 : 0);
    uint8_t value = isDirect ? direct[lane][byte]
                             : wave.vgpr[dataRow() + byte / 4][lane] >> shift;
    if (value != at.host[place])
      return false;
  }
  return true;
}

static const char *nameAccess(bool isWrite, bool isAtomic) {
  return isAtomic ? "an atomic" : isWrite ? "a store" : "a load";
}

/// "LDS offset 16", "'x' + 16 (address 0x...)".
static std::string namePlace(const Wave &wave, bool isLds, uint64_t address) {
  if (isLds)
    return llvm::formatv("LDS offset {0}", address);
  const Allocation *found = wave.launch->memory->find(address, 1);
  return llvm::formatv("'{0}' + {1} (address {2:x})", found ? found->name : "?",
                       found ? address - found->begin : 0, address);
}

void WaveShadow::checkPair(const Touched &at, uint64_t index, uint64_t before,
                           uint64_t now, bool wasWrite, bool isWrite) {
  Cell was = Cell::unpack(before), is = Cell::unpack(now);
  bool isLds = at.space == Space::Lds;
  if (was.atomic && is.atomic)
    return;
  bool sameGroup = was.workgroup == is.workgroup;
  bool isKnown = true;  // the other side
  bool inEpoch = false; // of the same workgroup
  if (sameGroup) {
    inEpoch = was.epoch == is.epoch && (was.wave != is.wave || was.several);
    bool elsewhere = !isLds && !wasWrite && was.spread && launch.sync.isEmpty();
    if (!inEpoch && !elsewhere)
      return;
    isKnown = inEpoch && was.wave != is.wave;
  } else if (isLds ||
             launch.sync.isOrdered({was.workgroup, was.wave, was.epoch},
                                   {is.workgroup, is.wave, is.epoch})) {
    return;
  }
  if (wasWrite && isWrite && storesSame(at, index, was.bytes & is.bytes))
    return;
  uint64_t first = std::max(index * 4, at.offset) - at.offset;
  unsigned lane = at.lane + first / at.perLane;
  std::string place = namePlace(wave, isLds, at.address + first);
  std::optional<SanitizedLaunch::Side> other;
  if (isKnown)
    other = SanitizedLaunch::Side{was.pc, int(was.wave), was.workgroup};
  if (was.unwaited) {
    launch.report(
        Defect::MissingWait, wave, *current, lane,
        llvm::formatv("{0} of {1}, which {2} of another wave still touches: "
                      "it was not waited for (s_waitcnt) before the barrier",
                      nameAccess(isWrite, is.atomic), place,
                      nameAccess(wasWrite, was.atomic)),
        other);
    return;
  }
  launch.report(
      Defect::Race, wave, *current, lane,
      llvm::formatv("{0} of {1} races with {2} of another {3}: {4}",
                    nameAccess(isWrite, is.atomic), place,
                    nameAccess(wasWrite, was.atomic),
                    inEpoch ? "wave" : "workgroup",
                    inEpoch ? "no barrier is between them"
                            : "no atomic with release and acquire orders them"),
      other);
}

void WaveShadow::touchLds(const LdsTouch &touch, uint32_t word, bool unwaited) {
  Cell cell;
  cell.atomic = touch.isAtomic;
  cell.unwaited = unwaited;
  cell.wave = wave.index;
  cell.pc = word;
  cell.epoch = workgroup.epoch;
  cell.workgroup = workgroup.workgroup;
  uint64_t me = cell.pack();
  forLanes(touch.mask, [&](unsigned lane) {
    forDwords(touch.offsets[lane], touch.bytes,
              [&](uint64_t index, uint32_t mask) {
                writeCell(touch.isWrite ? workgroup.lds.getWrite(index)
                                        : workgroup.lds.getRead(index),
                          me | mask);
              });
  });
}

//===----------------------------------------------------------------------===//
// SyncTable
//===----------------------------------------------------------------------===//

void SyncTable::release(uint64_t address, Moment by) {
  std::lock_guard<std::mutex> lock(mutex);
  releases[address].push_back(by);
}

void SyncTable::acquire(uint64_t address, Moment by) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = releases.find(address);
  if (found == releases.end())
    return;
  empty.store(false, std::memory_order_relaxed);
  acquires[by.workgroup].push_back({address, found->second.size(), by});
}

bool SyncTable::isOrdered(Moment before, Moment now) const {
  if (isEmpty())
    return false;
  std::lock_guard<std::mutex> lock(mutex);
  llvm::SmallSet<uint32_t, 8> seen;
  return reaches(before, now, seen);
}

/// True where a chain of releases and acquires leads from `before` to `now`.
bool SyncTable::reaches(Moment before, Moment now,
                        llvm::SmallSet<uint32_t, 8> &seen) const {
  auto found = acquires.find(now.workgroup);
  if (found == acquires.end() || !seen.insert(now.workgroup).second)
    return false;
  // A later acquire of an address sees all that an earlier one does: a wave
  // that spins on a lock has made very many.
  llvm::SmallSet<uint64_t, 8> done;
  for (const Acquire &acquire : llvm::reverse(found->second)) {
    // The acquiring wave's later work, and that of the others after a barrier.
    bool isLater = acquire.by.wave == now.wave || acquire.by.epoch < now.epoch;
    if (!isLater || !done.insert(acquire.address).second)
      continue;
    const std::vector<Moment> &all = releases.find(acquire.address)->second;
    for (size_t i = 0; i < acquire.releases; ++i) {
      const Moment &release = all[i];
      bool isEarlier =
          release.workgroup == before.workgroup &&
          (release.wave == before.wave || before.epoch < release.epoch);
      if (isEarlier || (release.workgroup != now.workgroup &&
                        reaches(before, release, seen)))
        return true;
    }
  }
  return false;
}

} // namespace mlir::te::emu
