//===- Accesses.cpp - the sanitizer: what an instruction reads and writes -===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "WaveShadow.h"

#include "llvm/Support/FormatVariadic.h"

namespace mlir::te::emu {

WaveShadow::WaveShadow(SanitizedLaunch &launch, WorkgroupShadow &workgroup,
                       Wave &wave)
    : launch(launch), workgroup(workgroup), wave(wave),
      scratch(wave.scratch.size()) {}

void WaveShadow::start(unsigned scalars) {
  registers.reset(*wave.launch, scalars, wave.exec());
  scratch.undefineAll();
  startExec = wave.exec();
  hasWritten = writtenBack = false;
  loadedAtomically.clear();
  divergent.clear();
  pending.clear();
  rebuildPending();
}

void WaveShadow::run(const Inst &inst) {
  current = &inst;
  effects = &wave.launch->program->getEffects(inst);
  if (!pending.empty())
    checkPending(inst, *effects);
  switch (effects->role) {
  case Role::Compute:
    return runCompute(inst, *effects);
  case Role::Exchange:
    runCompute(inst, *effects);
    return push(inst, *effects);
  case Role::Memory:
    return runMemory(inst, *effects);
  case Role::Control:
    checkControl(inst, *effects);
    inst.run(wave, inst);
    noteBranch(inst, *effects);
    return defineResults(inst, *effects);
  case Role::Barrier:
    if (isDivergent(inst))
      launch.report(Defect::BarrierDivergence, wave, inst, -1,
                    llvm::formatv("a barrier that {0} of the wave's {1} lanes "
                                  "reach: it is inside divergent control flow",
                                  llvm::popcount(wave.exec()),
                                  llvm::popcount(startExec)));
    break;
  case Role::Wait:
    retire(inst);
    break;
  case Role::WriteBack:
    writtenBack = true;
    break;
  case Role::Invalidate:
    for (uint64_t address : loadedAtomically)
      launch.sync.acquire(address,
                          {workgroup.workgroup % Cell::kWorkgroups, wave.index,
                           workgroup.epoch % Cell::kEpochs});
    loadedAtomically.clear();
    break;
  case Role::Nothing:
    break;
  }
  inst.run(wave, inst);
}

/// Where a branch asks for lanes that some do not have, the code up to its
/// target (of a loop: back to it) is for the others alone.
void WaveShadow::noteBranch(const Inst &inst, const Effects &effects) {
  uint64_t exec = wave.exec();
  if (exec == startExec)
    divergent.clear();
  if (!effects.readsExec || !inst.target || !exec || exec == startExec)
    return;
  uint32_t next = inst.word + inst.words, target = inst.target->word;
  bool isTaken = wave.pc == inst.target;
  if (!isTaken && target > next)
    divergent.push_back({next, target});
  else if (isTaken && target < next)
    divergent.push_back({target, next});
  else if (isTaken)
    divergent.push_back({target, UINT32_MAX});
}

bool WaveShadow::isDivergent(const Inst &inst) const {
  return wave.exec() != startExec &&
         llvm::any_of(divergent, [&](const CodeRange &range) {
           return inst.word >= range.begin && inst.word < range.end;
         });
}

void WaveShadow::reportAccess(Defect kind, int lane,
                              const llvm::Twine &message) {
  launch.report(kind, wave, *current, lane, message);
}

//===----------------------------------------------------------------------===//
// Memory instructions
//===----------------------------------------------------------------------===//

/// True where `range` holds the lanes' addresses, and not data.
static bool isAddress(const Inst &inst, const RegisterRange &range) {
  bool hasAddress = inst.format == Format::Mubuf || inst.format == Format::Mtbuf
                        ? inst.offen || inst.idxen
                        : inst.hasVaddr;
  return range.isVector && hasAddress &&
         range.first + kFirstVector == inst.src[0].number;
}

void WaveShadow::checkAddress(const Inst &inst, const Effects &effects) {
  for (const RegisterRange &range : effects.uses)
    for (unsigned i = 0; i < range.count; ++i) {
      unsigned number = range.first + i;
      if (!range.isVector && registers.scalar(number)) {
        reportUndefined(inst, -1, registers.originOfScalar(number),
                        "is (a part of) an address, in s" +
                            llvm::Twine(number));
        registers.setScalar(number, 0, 0);
      }
      if (!isAddress(inst, range))
        continue;
      uint64_t lanes = wave.exec() & ~registers.definedLanes(number);
      if (!lanes)
        continue;
      reportUndefined(inst, llvm::countr_zero(lanes),
                      registers.originOfVector(number),
                      "is (a part of) an address, in v" + llvm::Twine(number));
      registers.defineVector(number, lanes);
    }
}

void WaveShadow::runMemory(const Inst &inst, const Effects &effects) {
  checkAddress(inst, effects);
  makeCells();
  accesses = 0;
  mustReplay = false;
  touches.clear();
  undefinedScalars.clear();
  std::memset(undefinedBytes, 0, sizeof(undefinedBytes));
  {
    // Who compares what it stores with what another workgroup has stored must
    // not come between that one's mark and its store.
    bool storesGlobal = inst.cls == Class::Vmem && effects.defs.empty();
    auto lock = storesGlobal ? std::unique_lock(launch.storeMutex)
                             : std::unique_lock<std::mutex>();
    inst.run(wave, inst);
  }
  if (wave.stop == Stop::Fault)
    return;
  defineResults(inst, effects);
  if (mustReplay)
    replayLoad(inst, effects);
  for (auto [i, bits] : llvm::enumerate(undefinedScalars))
    if (bits)
      registers.setScalar(inst.dst + i, bits, inst.word);
  push(inst, effects);
}

Shadow *WaveShadow::findShadow(Space space, uint64_t address,
                               const uint8_t *host, uint64_t &offset) const {
  switch (space) {
  case Space::Lds:
    offset = address;
    return &workgroup.lds;
  case Space::Scratch:
    offset = host - wave.scratch.data();
    return const_cast<Shadow *>(&scratch);
  case Space::Global:
    break;
  }
  const Allocation *found = wave.recent;
  if (!found || !found->contains(address, 1))
    found = wave.launch->memory->find(address, 1);
  if (!found)
    return nullptr;
  offset = address - found->begin;
  return found->shadow.get();
}

void WaveShadow::observe(Space space, LaneAddresses &lanes,
                         const uint8_t *valid, unsigned bytes,
                         Traffic traffic) {
  if (isReplaying)
    return redirect(space, lanes, valid, bytes);
  if (!lanes.mask)
    return;
  ++accesses;
  isDirect = traffic == Traffic::Direct;
  if (traffic == Traffic::Load) {
    lastLoad = lanes.address[llvm::countr_zero(lanes.mask)];
    lastSpace = space;
  } else {
    hasWritten = true;
  }
  if (space == Space::Global)
    noteSynchronization(lanes, traffic);
  if (space == Space::Lds) {
    LdsTouch &touch = touches.emplace_back();
    touch.mask = lanes.mask;
    forLanes(lanes.mask,
             [&](unsigned lane) { touch.offsets[lane] = lanes.address[lane]; });
    touch.bytes = bytes;
    touch.isWrite = traffic != Traffic::Load;
    touch.isAtomic = traffic == Traffic::Atomic;
  }
  if (!valid && observeTogether(space, lanes, bytes, traffic))
    return;
  storesUndefined =
      traffic != Traffic::Load && mayStoreUndefined(lanes.mask, bytes);
  forLanes(lanes.mask, [&](unsigned lane) {
    observeLane(space, lanes, lane, valid ? valid[lane] : bytes, traffic);
  });
}

/// The usual case: all lanes are active, side by side, and all is defined.
bool WaveShadow::observeTogether(Space space, const LaneAddresses &lanes,
                                 unsigned bytes, Traffic traffic) {
  if (lanes.mask != ~uint64_t(0) || space == Space::Scratch ||
      traffic == Traffic::Atomic || isDirect)
    return false;
  uint64_t first = lanes.address[0];
  for (unsigned lane = 1; lane < kLanes; ++lane)
    if (lanes.address[lane] != first + lane * bytes ||
        lanes.host[lane] != lanes.host[0] + lane * bytes)
      return false;
  uint64_t offset, all = uint64_t(bytes) * kLanes;
  Shadow *shadow = findShadow(space, first, lanes.host[0], offset);
  if (!shadow)
    return false;
  bool isAtomic = space == Space::Global && (current->glc || current->sc1);
  Touched at{space, shadow, offset,        first,   all,
             0,     bytes,  lanes.host[0], isAtomic};
  if (traffic == Traffic::Load) {
    if (!shadow->isDefined(offset, all))
      return false;
    touchRead(at);
    return true;
  }
  if (mayStoreUndefined(lanes.mask, bytes))
    return false;
  touchWrite(at);
  shadow->define(offset, all);
  return true;
}

void WaveShadow::observeLane(Space space, const LaneAddresses &lanes,
                             unsigned lane, unsigned bytes, Traffic traffic) {
  uint64_t offset;
  Shadow *shadow =
      findShadow(space, lanes.address[lane], lanes.host[lane], offset);
  if (!shadow || !bytes)
    return;
  bool isAtomic = traffic == Traffic::Atomic ||
                  (space == Space::Global && (current->glc || current->sc1));
  Touched at{space, shadow,           offset,  lanes.address[lane], bytes, lane,
             bytes, lanes.host[lane], isAtomic};
  switch (traffic) {
  case Traffic::Load:
    if (!shadow->isDefined(offset, bytes))
      loadUndefined(*shadow, offset, lane, bytes);
    return touchRead(at);
  case Traffic::Store:
  case Traffic::Direct:
    touchWrite(at);
    return storeLane(space, *shadow, offset, lane, bytes);
  case Traffic::Atomic:
    checkAtomicData(lane);
    if (!shadow->isDefined(offset, bytes)) {
      launch.report(Defect::Uninitialized, wave, *current, lane,
                    "an atomic on memory that nothing has written");
      shadow->define(offset, bytes);
    }
    return touchWrite(at);
  }
}

//===----------------------------------------------------------------------===//
// Loads of undefined bytes
//===----------------------------------------------------------------------===//

void WaveShadow::loadUndefined(const Shadow &shadow, uint64_t offset,
                               unsigned lane, unsigned bytes) {
  if (effects->defs.empty()) { // on the way to LDS
    for (unsigned i = 0; i < bytes; ++i)
      undefinedBytes[lane] |= uint16_t(!shadow.isDefined(offset + i, 1)) << i;
    return;
  }
  if (mustReplay)
    return;
  mustReplay = true;
  before.clear();
  for (const RegisterRange &range : effects->defs)
    for (unsigned i = 0; range.isVector && i < range.count; ++i)
      before.insert(before.end(), wave.vgpr[range.first + i],
                    wave.vgpr[range.first + i] + kLanes);
}

/// Loads other values where memory is undefined: bits of the result that change
/// are undefined.
void WaveShadow::replayLoad(const Inst &inst, const Effects &effects) {
  std::vector<uint32_t> first;
  auto forRows = [&](auto body) {
    size_t at = 0;
    for (const RegisterRange &range : effects.defs)
      for (unsigned i = 0; range.isVector && i < range.count; ++i, at += kLanes)
        body(range.first + i, at);
  };
  forRows([&](unsigned row, size_t at) {
    first.insert(first.end(), wave.vgpr[row], wave.vgpr[row] + kLanes);
    std::copy_n(&before[at], kLanes, wave.vgpr[row]);
  });
  MemoryCounters counters = *wave.counters;
  isReplaying = true;
  accesses = 0;
  inst.run(wave, inst);
  isReplaying = false;
  *wave.counters = counters;
  forRows([&](unsigned row, size_t at) {
    forLanes(wave.exec(), [&](unsigned lane) {
      registers.setVector(row, lane, wave.vgpr[row][lane] ^ first[at + lane],
                          inst.word);
    });
    std::copy_n(&first[at], kLanes, wave.vgpr[row]);
  });
}

void WaveShadow::redirect(Space space, LaneAddresses &lanes,
                          const uint8_t *valid, unsigned bytes) {
  auto &slot = staged[accesses++ & 1];
  forLanes(lanes.mask, [&](unsigned lane) {
    unsigned count = valid ? valid[lane] : bytes;
    uint64_t offset;
    Shadow *shadow =
        findShadow(space, lanes.address[lane], lanes.host[lane], offset);
    if (!shadow || shadow->isDefined(offset, count))
      return;
    for (unsigned i = 0; i < count; ++i)
      slot[lane][i] =
          lanes.host[lane][i] ^ (shadow->isDefined(offset + i, 1) ? 0 : 0xff);
    lanes.host[lane] = slot[lane];
  });
}

void WaveShadow::observeScalar(uint64_t address, const uint8_t *host,
                               unsigned bytes, Traffic traffic) {
  uint64_t offset;
  Shadow *shadow = findShadow(Space::Global, address, host, offset);
  if (!shadow)
    return;
  if (traffic != Traffic::Load) {
    hasWritten = true;
    shadow->define(offset, bytes);
    return touchWrite({Space::Global, shadow, offset, address, bytes, 0, bytes,
                       host, traffic == Traffic::Atomic});
  }
  lastLoad = address;
  lastSpace = Space::Global;
  if (current->glc)
    noteAcquire(address);
  for (unsigned i = 0; i < bytes; i += 4) {
    uint32_t bits = 0;
    for (unsigned j = 0; j < 4; ++j)
      if (!shadow->isDefined(offset + i + j, 1))
        bits |= 0xffu << j * 8;
    undefinedScalars.push_back(bits);
  }
  // With glc it reads past the scalar cache: what atomics are waited for by.
  touchRead({Space::Global, shadow, offset, address, bytes, 0, bytes, host,
             current->glc});
}

//===----------------------------------------------------------------------===//
// Stores of undefined bits
//===----------------------------------------------------------------------===//

/// The first row of what the running instruction stores now.
unsigned WaveShadow::dataRow() const {
  bool isSecond = current->format == Format::Ds && accesses == 2;
  return current->data[isSecond];
}

/// The undefined bits of byte `byte` of what `lane` stores.
uint32_t WaveShadow::undefinedStored(unsigned lane, unsigned byte) const {
  if (isDirect)
    return undefinedBytes[lane] >> byte & 1 ? 0xff : 0;
  uint32_t bits = registers.vector(dataRow() + byte / 4, lane);
  return bits >> (byte % 4 * 8 + (effects->high ? 16 : 0)) & 0xff;
}

/// True where some of what `lanes` store, `bytes` each, may have undefined
/// bits.
bool WaveShadow::mayStoreUndefined(uint64_t lanes, unsigned bytes) const {
  if (isDirect)
    return true;
  for (unsigned row = dataRow(), i = 0; i < (bytes + 3) / 4; ++i)
    if (lanes & ~registers.definedLanes(row + i))
      return true;
  return false;
}

void WaveShadow::storeLane(Space space, Shadow &shadow, uint64_t offset,
                           unsigned lane, unsigned bytes) {
  shadow.define(offset, bytes);
  for (unsigned i = 0; storesUndefined && i < bytes; ++i) {
    if (!undefinedStored(lane, i))
      continue;
    if (space != Space::Global) {
      shadow.undefine(offset + i);
      continue;
    }
    unsigned row = dataRow() + i / 4;
    reportUndefined(*current, lane, registers.originOfVector(row),
                    "is stored to device memory");
    return;
  }
}

void WaveShadow::checkAtomicData(unsigned lane) {
  for (const RegisterRange &range : effects->uses)
    for (unsigned i = 0; range.isVector && i < range.count; ++i)
      if (!isAddress(*current, range) &&
          registers.vector(range.first + i, lane)) {
        reportUndefined(*current, lane,
                        registers.originOfVector(range.first + i),
                        "is the operand of an atomic");
        registers.defineVector(range.first + i, uint64_t(1) << lane);
      }
}

//===----------------------------------------------------------------------===//
// Order between workgroups
//===----------------------------------------------------------------------===//

/// More addresses than a flag or a counter has: not what a wave acquires by.
static constexpr size_t kMostFlags = 256;

void WaveShadow::noteSynchronization(const LaneAddresses &lanes,
                                     Traffic traffic) {
  bool isAtomic = traffic == Traffic::Atomic || current->glc || current->sc1;
  if (!isAtomic) {
    writtenBack &= traffic == Traffic::Load;
    return;
  }
  Moment now{workgroup.workgroup % Cell::kWorkgroups, wave.index,
             workgroup.epoch % Cell::kEpochs};
  forLanes(lanes.mask, [&](unsigned lane) {
    uint64_t address = lanes.address[lane] & ~uint64_t(3);
    if (traffic != Traffic::Load && writtenBack)
      launch.sync.release(address, now);
    if (traffic != Traffic::Store)
      noteAcquire(address);
  });
}

void WaveShadow::noteAcquire(uint64_t address) {
  if (loadedAtomically.size() < kMostFlags)
    loadedAtomically.push_back(address & ~uint64_t(3));
}

} // namespace mlir::te::emu
