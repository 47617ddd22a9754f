//===- WaveShadow.h - the sanitizer's view of a wave ------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three things are followed while a wave runs:
// - which bits of its registers were never given a value (Undefined.cpp). An
//   instruction that reads some is run again with other values in their place:
//   the bits of its result that change are undefined too;
// - which memory operations have not been waited for (Waits.cpp);
// - which bytes of memory it reads and writes (Accesses.cpp, Races.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_WAVESHADOW_H
#define TE_EMULATOR_WAVESHADOW_H

#include "Access.h"
#include "Program.h"
#include "SanitizedLaunch.h"

#include <bitset>
#include <deque>

namespace mlir::te::emu {

/// Bits of registers that have no value yet, and where they come from.
class RegisterShadow {
public:
  /// Everything is undefined but what a wave starts with.
  void reset(const LaunchContext &launch, unsigned scalars, uint64_t exec);

  uint64_t definedLanes(unsigned row) const { return defined[row]; }
  uint32_t vector(unsigned row, unsigned lane) const {
    return defined[row] >> lane & 1 ? 0 : bits[row][lane];
  }
  /// All 64 lanes' undefined bits.
  void getUndefined(unsigned row, uint32_t *out) const;
  void setVector(unsigned row, unsigned lane, uint32_t undefined,
                 uint32_t origin);
  /// Likewise for many lanes, of which `undefined` has all 64.
  void setLanes(unsigned row, uint64_t lanes, const uint32_t *undefined,
                uint32_t origin);
  void defineVector(unsigned row, uint64_t lanes) { defined[row] |= lanes; }
  uint32_t scalar(unsigned number) const { return scalars[number]; }
  void setScalar(unsigned number, uint32_t undefined, uint32_t origin);

  bool scc = true; // undefined
  /// The slot of the load that gave undefined bits; kNever: nothing wrote them.
  static constexpr uint32_t kNever = ~0u;
  uint32_t originOfVector(unsigned row) const { return origins[row]; }
  uint32_t originOfScalar(unsigned number) const {
    return scalarOrigins[number];
  }
  uint32_t sccOrigin = kNever;

private:
  uint64_t defined[kVectorRows]; // lanes without any undefined bit
  uint32_t bits[kVectorRows][kLanes];
  uint32_t origins[kVectorRows];
  uint32_t scalars[128 + 32], scalarOrigins[128 + 32];
};

/// Bytes of LDS that an operation in flight touches.
struct LdsTouch {
  uint64_t mask = 0;
  uint32_t offsets[kLanes];
  uint32_t bytes = 0;
  bool isWrite = false, isAtomic = false;
};

/// A memory operation that no s_waitcnt has retired.
struct PendingOperation {
  enum Counter : uint8_t { Vm, Lgkm, Both };
  uint32_t word = 0; // its slot
  Counter counter = Vm;
  bool inOrder = true; // of its counter: false for scalar loads
  bool isFlatLds = false;
  llvm::SmallVector<RegisterRange, 2> defs;
  std::vector<LdsTouch> touches;
};

enum class Space : uint8_t { Global, Lds, Scratch };

/// Slots of the code, up to `end`.
struct CodeRange {
  uint32_t begin, end;
};

class WaveShadow {
public:
  WaveShadow(SanitizedLaunch &launch, WorkgroupShadow &workgroup, Wave &wave);
  /// The wave is about to start with `scalars` registers set.
  void start(unsigned scalars);
  /// Runs `inst` and follows what it does.
  void run(const Inst &inst);

  // What memory instructions tell while they run.

  /// The lanes of an access, found in bounds: `valid` bytes each, or `bytes`.
  /// May point a lane's host address elsewhere.
  void observe(Space space, LaneAddresses &lanes, const uint8_t *valid,
               unsigned bytes, Traffic traffic);
  /// A scalar access of `bytes` bytes at `address`; loads go to the next
  /// registers.
  void observeScalar(uint64_t address, const uint8_t *host, unsigned bytes,
                     Traffic traffic);
  /// A register of a scalar load that reads 0 beyond its range.
  void observeZero() { undefinedScalars.push_back(0); }
  /// What each lane of a load that lands in LDS puts there; null: no such load
  /// runs.
  void setDirect(const uint8_t (*data)[16]) { direct = data; }
  /// An access that cannot be made.
  void reportAccess(Defect kind, int lane, const llvm::Twine &message);
  /// The workgroup has passed a barrier: what this wave has in flight is not
  /// ordered by it. `ended`: a wave that never came, or null.
  void passBarrier(const Wave *ended);
  /// An instruction that M0 indexes has written from `row` on.
  void defineIndexed(const Inst &inst, unsigned row);

  // For the search for deadlocks (Spin.cpp).
  void watch() {
    hasWritten = false;
    lastLoad.reset();
  }
  bool pollsGlobal() const { return lastLoad && lastSpace == Space::Global; }
  void reportStuck(const Inst &loop);
  bool hasWritten = false; // memory, since watch()

private:
  // Undefined.cpp
  void runCompute(const Inst &inst, const Effects &effects);
  void runAgain(const Inst &inst, const Effects &effects);
  bool readsUndefined(const Inst &inst, const Effects &effects) const;
  void defineResults(const Inst &inst, const Effects &effects);
  void checkControl(const Inst &inst, const Effects &effects);
  void reportUndefined(const Inst &inst, int lane, uint32_t origin,
                       const llvm::Twine &use);
  // Accesses.cpp
  void noteBranch(const Inst &inst, const Effects &effects);
  bool isDivergent(const Inst &inst) const;
  void runMemory(const Inst &inst, const Effects &effects);
  void checkAddress(const Inst &inst, const Effects &effects);
  void checkAtomicData(unsigned lane);
  bool observeTogether(Space space, const LaneAddresses &lanes, unsigned bytes,
                       Traffic traffic);
  void observeLane(Space space, const LaneAddresses &lanes, unsigned lane,
                   unsigned bytes, Traffic traffic);
  void loadUndefined(const Shadow &shadow, uint64_t offset, unsigned lane,
                     unsigned bytes);
  void storeLane(Space space, Shadow &shadow, uint64_t offset, unsigned lane,
                 unsigned bytes);
  bool mayStoreUndefined(uint64_t lanes, unsigned bytes) const;
  uint32_t undefinedStored(unsigned lane, unsigned byte) const;
  unsigned dataRow() const;
  Shadow *findShadow(Space space, uint64_t address, const uint8_t *host,
                     uint64_t &offset) const;
  void replayLoad(const Inst &inst, const Effects &effects);
  void redirect(Space space, LaneAddresses &lanes, const uint8_t *valid,
                unsigned bytes);
  void noteSynchronization(const LaneAddresses &lanes, Traffic traffic);
  void noteAcquire(uint64_t address);
  // Races.cpp
  /// A range of memory that lanes touch, each `perLane` bytes.
  struct Touched {
    Space space;
    Shadow *shadow;
    uint64_t offset, address; // in the shadow, and to the user
    uint64_t bytes;
    unsigned lane, perLane; // the first, and the bytes of each
    const uint8_t *host;
    bool isAtomic;
  };
  void makeCells();
  void touchRead(const Touched &at);
  void touchWrite(const Touched &at);
  void checkPair(const Touched &at, uint64_t index, uint64_t before,
                 uint64_t now, bool wasWrite, bool isWrite);
  bool storesSame(const Touched &at, uint64_t index, uint32_t bytes) const;
  void touchLds(const LdsTouch &touch, uint32_t word, bool unwaited);
  // Waits.cpp
  void checkPending(const Inst &inst, const Effects &effects);
  void push(const Inst &inst, const Effects &effects);
  void retire(const Inst &wait);
  void retireCounter(PendingOperation::Counter counter, unsigned left);
  void retireFull(PendingOperation::Counter counter);
  void rebuildPending();
  void addPending(const PendingOperation &operation);
  void checkInFlight(uint64_t first, uint64_t last, unsigned lane);

  SanitizedLaunch &launch;
  WorkgroupShadow &workgroup;
  Wave &wave;
  RegisterShadow registers;
  Shadow scratch;
  const Inst *current = nullptr;
  const Effects *effects = nullptr;
  uint64_t startExec = 0;
  /// Code that lanes which are off now do not run, as branches said.
  llvm::SmallVector<CodeRange, 4> divergent;
  std::optional<uint64_t> lastLoad; // since watch()
  Space lastSpace = Space::Global;

  // Of the memory instruction that runs.
  uint64_t cells[2] = {}; // what it leaves: plain, atomic
  unsigned accesses = 0;  // of LDS that it has told of
  bool isDirect = false;  // it stores to LDS what it has loaded
  const uint8_t (*direct)[16] = nullptr;
  bool storesUndefined = false; // it may store undefined bits
  bool isReplaying = false;     // with other values where memory is undefined
  bool mustReplay = false;      // it has read memory that was never written
  std::vector<uint32_t> before; // its destination rows, before it ran
  uint8_t staged[2][kLanes][16];
  uint16_t undefinedBytes[kLanes]; // of data on its way to LDS
  llvm::SmallVector<uint32_t, 16> undefinedScalars;
  std::vector<LdsTouch> touches;

  std::deque<PendingOperation> pending;
  std::bitset<kVectorRows> pendingRows;
  std::bitset<160> pendingScalars;
  bool fillsLds = false; // a pending load from global memory does

  bool writtenBack = false;               // since the last store
  std::vector<uint64_t> loadedAtomically; // since the last invalidation
};

} // namespace mlir::te::emu

#endif // TE_EMULATOR_WAVESHADOW_H
