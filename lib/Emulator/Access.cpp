//===- Access.cpp - addresses, bounds, and the counting of accesses -------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Access.h"
#include "Profile.h"
#include "WaveShadow.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::te::emu {

static Defect kindOf(const Wave &wave, uint64_t address) {
  return wave.launch->memory->findFreed(address) ? Defect::UseAfterFree
                                                 : Defect::OutOfBounds;
}

static std::string describeOutside(const Wave &wave, const char *what, int lane,
                                   uint64_t address, uint64_t bytes) {
  std::string where = lane < 0 ? "" : " in lane " + std::to_string(lane);
  return (llvm::Twine(what) + " of " + llvm::Twine(bytes) +
          " bytes out of bounds" + where + " at address 0x" +
          llvm::Twine::utohexstr(address) + "; " +
          wave.launch->memory->describe(address))
      .str();
}

void failAccess(Wave &wave, const char *what, int lane, uint64_t address,
                uint64_t bytes) {
  std::string message = describeOutside(wave, what, lane, address, bytes);
  if (wave.shadow)
    wave.shadow->reportAccess(kindOf(wave, address), lane, message);
  else
    wave.fail(message);
}

bool refuse(Wave &wave, LaneAddresses &lanes, unsigned lane, Defect kind,
            const llvm::Twine &message) {
  if (!wave.shadow) {
    wave.fail(message);
    return false;
  }
  wave.shadow->reportAccess(kind, lane, message);
  lanes.mask &= ~(uint64_t(1) << lane);
  return true;
}

static const char *nameOf(Traffic traffic) {
  static constexpr const char *names[] = {"a load", "a store", "an atomic",
                                          "a store"};
  return names[unsigned(traffic)];
}

/// The usual case: every lane is active and all are in one allocation.
static bool resolveTogether(Wave &wave, LaneAddresses &lanes, unsigned bytes) {
  uint64_t least = lanes.address[0], most = lanes.address[0];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    uint64_t address = lanes.address[lane];
    least = address < least ? address : least;
    most = address > most ? address : most;
  }
  uint8_t *host = nullptr;
  if (most - least <= UINT32_MAX)
    host = findHost(wave, least, most - least + bytes);
  if (!host)
    return false;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    lanes.host[lane] = host + (lanes.address[lane] - least);
  return true;
}

/// The host bytes of one lane, or its refusal.
static bool resolveLane(Wave &wave, LaneAddresses &lanes, unsigned lane,
                        unsigned bytes, Traffic traffic) {
  uint64_t address = lanes.address[lane];
  lanes.host[lane] = findHost(wave, address, bytes);
  return LLVM_LIKELY(lanes.host[lane]) ||
         refuse(wave, lanes, lane, kindOf(wave, address),
                describeOutside(wave, nameOf(traffic), lane, address, bytes));
}

bool resolve(Wave &wave, LaneAddresses &lanes, unsigned bytes,
             Traffic traffic) {
  if (lanes.mask != ~uint64_t(0) || !resolveTogether(wave, lanes, bytes))
    for (uint64_t mask = lanes.mask; mask; mask &= mask - 1)
      if (!resolveLane(wave, lanes, llvm::countr_zero(mask), bytes, traffic))
        return false;
  if (LLVM_UNLIKELY(wave.shadow))
    wave.shadow->observe(Space::Global, lanes, nullptr, bytes, traffic);
  return true;
}

bool checkAligned(Wave &wave, LaneAddresses &lanes, unsigned bytes) {
  for (uint64_t mask = lanes.mask; mask; mask &= mask - 1) {
    unsigned lane = llvm::countr_zero(mask);
    if (lanes.address[lane] % bytes &&
        !refuse(wave, lanes, lane, Defect::Misaligned,
                "an atomic of " + llvm::Twine(bytes) + " bytes in lane " +
                    llvm::Twine(lane) + " at 0x" +
                    llvm::Twine::utohexstr(lanes.address[lane]) +
                    ", which is not a multiple of its size"))
      return false;
  }
  return true;
}

/// Whether all lanes' bytes are one range, in the order of the lanes.
static bool isContiguous(const LaneAddresses &lanes, unsigned bytes) {
  if (lanes.mask != ~uint64_t(0))
    return false;
  uint64_t first = lanes.address[0];
  bool contiguous = true;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    contiguous &= lanes.address[lane] == first + lane * bytes;
  return contiguous;
}

/// Lanes mostly go upwards, so that the last line is what a lane shares if it
/// shares any.
LineNumbers findLines(const LaneAddresses &lanes, unsigned bytes,
                      uint64_t lineBytes) {
  LineNumbers lines;
  unsigned shift = llvm::Log2_64(lineBytes);
  bool ascending = true;
  auto add = [&](uint64_t begin, uint64_t size) {
    for (uint64_t line = begin >> shift; line <= (begin + size - 1) >> shift;
         ++line) {
      if (!lines.empty() && lines.back() == line)
        continue;
      ascending &= lines.empty() || lines.back() < line;
      lines.push_back(line);
    }
  };
  if (isContiguous(lanes, bytes))
    add(lanes.address[0], kLanes * bytes);
  else
    forLanes(lanes.mask,
             [&](unsigned lane) { add(lanes.address[lane], bytes); });
  if (!ascending) {
    llvm::sort(lines, std::less<>()); // without it qsort, which takes longer
    lines.erase(llvm::unique(lines), lines.end());
  }
  return lines;
}

uint64_t countLines(const LaneAddresses &lanes, unsigned bytes) {
  uint64_t first = lanes.address[0];
  return isContiguous(lanes, bytes)
             ? (first + kLanes * bytes - 1) / 64 - first / 64 + 1
             : findLines(lanes, bytes, 64).size();
}

void countGlobal(Wave &wave, const LaneAddresses &lanes, unsigned bytes,
                 Traffic traffic) {
  if (!wave.launch->collect)
    return;
  MemoryCounters &counters = *wave.counters;
  uint64_t useful = uint64_t(llvm::popcount(lanes.mask)) * bytes;
  switch (traffic) {
  case Traffic::Load:
    counters.loadBytes += useful;
    counters.loadLines += countLines(lanes, bytes);
    ++counters.loadsByWidth[bytes];
    break;
  case Traffic::Store:
    counters.storeBytes += useful;
    counters.storeLines += countLines(lanes, bytes);
    ++counters.storesByWidth[bytes];
    break;
  case Traffic::Atomic:
    counters.atomicBytes += useful;
    break;
  case Traffic::Direct: // the load is counted
    break;
  }
  if (LLVM_UNLIKELY(wave.cache))
    profileGlobal(wave, lanes, bytes, traffic);
}

//===----------------------------------------------------------------------===//
// FLAT, GLOBAL, SCRATCH
//===----------------------------------------------------------------------===//

/// Private memory of a lane: bytes from 0.
static bool addressScratch(Wave &wave, unsigned lane, uint64_t offset,
                           unsigned bytes, Traffic traffic,
                           LaneAddresses &lanes) {
  uint64_t size = wave.launch->scratchBytes;
  if (offset > size || bytes > size - offset)
    return refuse(wave, lanes, lane, Defect::OutOfBounds,
                  llvm::Twine(nameOf(traffic)) + " of " + llvm::Twine(bytes) +
                      " bytes out of bounds in lane " + llvm::Twine(lane) +
                      " at scratch offset " + llvm::Twine(int64_t(offset)) +
                      "; the kernel has " + llvm::Twine(size) +
                      " bytes of scratch a lane");
  lanes.host[lane] = wave.scratch.data() + lane * size + offset;
  return true;
}

/// The host bytes of one lane in LDS, or its refusal.
static bool resolveLdsLane(Wave &wave, LaneAddresses &lanes, unsigned lane,
                           uint64_t offset, unsigned bytes) {
  if (LLVM_LIKELY(offset <= wave.ldsBytes && bytes <= wave.ldsBytes - offset)) {
    lanes.host[lane] = wave.lds + offset;
    return true;
  }
  return refuse(wave, lanes, lane, Defect::OutOfBounds,
                "an access of " + llvm::Twine(bytes) +
                    " bytes out of bounds in lane " + llvm::Twine(lane) +
                    " at LDS offset " + llvm::Twine(offset) +
                    "; the workgroup has " + llvm::Twine(wave.ldsBytes) +
                    " bytes of LDS");
}

namespace {
/// Lanes of a flat access by where they lead.
struct FlatLanes {
  uint64_t scratch = 0, lds = 0;
};
} // namespace

static bool addressFlatLane(Wave &wave, unsigned lane, unsigned bytes,
                            Traffic traffic, LaneAddresses &lanes,
                            FlatLanes &found) {
  uint64_t address = lanes.address[lane];
  uint64_t aperture = address & ~uint64_t(UINT32_MAX);
  uint64_t bit = uint64_t(1) << lane;
  if (aperture == kPrivateBase) {
    found.scratch |= bit;
    return addressScratch(wave, lane, uint32_t(address), bytes, traffic, lanes);
  }
  if (aperture == kSharedBase) {
    found.lds |= bit;
    return resolveLdsLane(wave, lanes, lane, uint32_t(address), bytes);
  }
  return resolveLane(wave, lanes, lane, bytes, traffic);
}

/// Tells the sanitizer of each part of a flat access.
static void observeFlat(Wave &wave, LaneAddresses &lanes,
                        const FlatLanes &found, unsigned bytes,
                        Traffic traffic) {
  uint64_t all = lanes.mask;
  uint64_t masks[] = {all & ~found.scratch & ~found.lds, all & found.lds,
                      all & found.scratch};
  for (Space space : {Space::Global, Space::Lds, Space::Scratch}) {
    LaneAddresses part = lanes;
    part.mask = masks[unsigned(space)];
    if (space != Space::Global)
      for (uint64_t &address : part.address)
        address = uint32_t(address);
    wave.shadow->observe(space, part, nullptr, bytes, traffic);
    forLanes(part.mask,
             [&](unsigned lane) { lanes.host[lane] = part.host[lane]; });
  }
}

static bool addressScratchForm(Wave &wave, const Inst &inst, unsigned bytes,
                               Traffic traffic, LaneAddresses &lanes) {
  if (wave.launch->collect)
    ++wave.counters->scratchAccesses;
  int64_t base = inst.offset;
  if (inst.hasSaddr)
    base += wave.sgpr[inst.src[1].number];
  const uint32_t *offsets =
      inst.hasVaddr ? wave.row(inst.src[0].number - kFirstVector) : nullptr;
  for (uint64_t mask = lanes.mask; mask; mask &= mask - 1) {
    unsigned lane = llvm::countr_zero(mask);
    uint32_t offset = base + (offsets ? offsets[lane] : 0);
    lanes.address[lane] = offset;
    if (!addressScratch(wave, lane, offset, bytes, traffic, lanes))
      return false;
  }
  if (LLVM_UNLIKELY(wave.shadow))
    wave.shadow->observe(Space::Scratch, lanes, nullptr, bytes, traffic);
  return true;
}

bool addressFlat(Wave &wave, const Inst &inst, unsigned bytes, Traffic traffic,
                 LaneAddresses &lanes) {
  lanes.mask = wave.exec();
  if (inst.segment == 1)
    return addressScratchForm(wave, inst, bytes, traffic, lanes);
  const uint32_t *low = wave.row(inst.src[0].number - kFirstVector);
  if (inst.hasSaddr) {
    uint64_t base = wave.scalar64(inst.src[1].number) + int64_t(inst.offset);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      lanes.address[lane] = base + low[lane];
  } else {
    const uint32_t *high = low + kLanes;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      lanes.address[lane] =
          (uint64_t(high[lane]) << 32 | low[lane]) + int64_t(inst.offset);
  }
  if (inst.segment == 2) {
    if (!resolve(wave, lanes, bytes, traffic))
      return false;
    countGlobal(wave, lanes, bytes, traffic);
    return true;
  }
  FlatLanes found;
  for (uint64_t mask = lanes.mask; mask; mask &= mask - 1)
    if (!addressFlatLane(wave, llvm::countr_zero(mask), bytes, traffic, lanes,
                         found))
      return false;
  if (LLVM_UNLIKELY(wave.shadow))
    observeFlat(wave, lanes, found, bytes, traffic);
  if (found.scratch && wave.launch->collect)
    ++wave.counters->scratchAccesses;
  else
    countGlobal(wave, lanes, bytes, traffic);
  return true;
}

//===----------------------------------------------------------------------===//
// LDS
//===----------------------------------------------------------------------===//

bool resolveLds(Wave &wave, LaneAddresses &lanes, unsigned bytes,
                Traffic traffic) {
  for (uint64_t mask = lanes.mask; mask; mask &= mask - 1) {
    unsigned lane = llvm::countr_zero(mask);
    if (!resolveLdsLane(wave, lanes, lane, lanes.address[lane], bytes))
      return false;
  }
  if (LLVM_UNLIKELY(wave.shadow))
    wave.shadow->observe(Space::Lds, lanes, nullptr, bytes, traffic);
  return true;
}

/// Cycles beyond the first for lanes [first, last) of one row of banks: the
/// most distinct dwords that any bank has to give.
static unsigned groupConflicts(const uint64_t *offsets, uint64_t mask,
                               unsigned first, unsigned last, unsigned bytes,
                               unsigned banks) {
  uint32_t seen[64][kLanes + 1];
  uint8_t counts[64] = {};
  unsigned most = 1;
  for (unsigned lane = first; lane < last; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    uint32_t low = offsets[lane] / 4, high = (offsets[lane] + bytes - 1) / 4;
    for (uint32_t dword = low; dword <= high; ++dword) {
      unsigned bank = dword & (banks - 1), count = counts[bank];
      bool known = false;
      for (unsigned i = 0; i < count; ++i)
        known |= seen[bank][i] == dword;
      if (known || count > kLanes)
        continue;
      seen[bank][count] = dword;
      counts[bank] = count + 1;
      most = std::max<unsigned>(most, count + 1);
    }
  }
  return most - 1;
}

void countLds(Wave &wave, const LaneAddresses &lanes, unsigned bytes) {
  if (!wave.launch->collect)
    return;
  unsigned banks = wave.launch->chip->ldsBanks;
  unsigned group = std::min(kLanes, banks * 4 / std::max(bytes, 4u));
  wave.counters->ldsBytes += uint64_t(llvm::popcount(lanes.mask)) * bytes;
  wave.counters->ldsRows += llvm::divideCeil(kLanes, group);
  for (unsigned first = 0; first < kLanes; first += group)
    wave.counters->ldsConflicts +=
        groupConflicts(lanes.address, lanes.mask, first,
                       std::min(first + group, kLanes), bytes, banks);
}

} // namespace mlir::te::emu
