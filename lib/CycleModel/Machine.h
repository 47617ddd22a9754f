//===- Machine.h - the units that waves of a CU share -----------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LDS ports and the path to memory. Each is a queue with a rate: an operation
// starts when the one before has been served, and everything about it is known
// when it is issued.
//
//===----------------------------------------------------------------------===//
#ifndef TE_CYCLEMODEL_MACHINE_H
#define TE_CYCLEMODEL_MACHINE_H

#include "te/CycleModel/CycleModel.h"

#include <deque>
#include <queue>

namespace mlir::te::cycle {

struct Operation;

/// Why a wave cannot issue, and until when at least.
struct Blocked {
  Stall stall = Stall::Nop;
  uint64_t until = 0;
  const Operation *operation = nullptr; // that a counter waits for
};

/// What a counter counts: when it is done, and what its time consisted of.
struct Operation {
  uint64_t done = 0;
  /// From the end backwards; the last part takes what is left.
  struct Part {
    Stall stall = Stall::Nop;
    uint64_t clocks = 0;
  };
  std::array<Part, 5> parts;
  /// Busy time of the unit that served it, for drawings.
  uint64_t begin = 0, end = 0;
};

/// A few instructions wait before a unit, and leave in order.
class Queue {
public:
  explicit Queue(unsigned depth) : depth(depth) {}
  /// When another one may enter, and why not before; `now` or before: at once.
  Blocked whenFree(uint64_t now);
  void push(uint64_t start, Stall why) { entries.push_back({start, why}); }

private:
  struct Entry {
    uint64_t start; // when it leaves the queue
    Stall why;      // it waits
  };
  unsigned depth;
  std::deque<Entry> entries;
};

/// What ports share: a row of all banks a clock.
struct LdsBanks {
  unsigned bytes; // of a row
  uint64_t free = 0, busy = 0, conflicts = 0;
  /// Returns when the rows are done.
  uint64_t reserve(uint64_t now, uint64_t rows, uint64_t extra);
  Stall getReason() const {
    return conflicts * 2 >= busy ? Stall::LdsConflict : Stall::LdsBandwidth;
  }
};

/// A port of LDS: reads bring data back next to the writes that bring it in,
/// but instructions start in order.
class LdsPort {
public:
  LdsPort(const Timing &timing, LdsBanks &banks)
      : timing(timing), banks(banks), queue(timing.ldsQueue) {}
  Blocked whenFree(uint64_t now) { return queue.whenFree(now); }
  Operation issue(uint64_t now, const emu::TraceEvent &event, bool isStore);
  /// Data of a load from global memory; returns when it is written.
  uint64_t write(uint64_t arrival, unsigned bytes);

  double reads = 0, writes = 0; // clocks

private:
  void retireArrivals(uint64_t now);

  const Timing &timing;
  LdsBanks &banks;
  double last = 0; // when the last instruction started
  double readFree = 0, storeFree = 0;
  uint64_t drawn = 0;
  Queue queue;
  using Arrival = std::pair<uint64_t, uint64_t>; // when, bytes
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals;
};

/// The CU's way to memory: the address unit with L1, its shares of L2's and of
/// memory's bandwidth, and what may be on its way at once.
class MemoryPath {
public:
  /// `memoryShare`: of the lines that L1 does not have, those that L2 has not
  /// either. `due`: memory serves a load of which it owes so large a part.
  MemoryPath(const Timing &timing, unsigned activeCUs, double memoryShare,
             double due);
  Blocked whenFree(uint64_t now) { return queue.whenFree(now); }
  Operation load(uint64_t now, const emu::TraceEvent &event);
  Operation store(uint64_t now, const emu::TraceEvent &event, bool isAtomic);

  uint64_t addressBusy = 0, l2Bytes = 0, memoryBytes = 0;

private:
  /// When the CU may ask for so many bytes, and what for it waits until then.
  Blocked whenRoom(uint64_t now, uint64_t bytes);
  uint64_t issueAddresses(uint64_t now, const emu::TraceEvent &event,
                          Operation &operation);
  uint64_t transfer(double &free, double rate, uint64_t from, uint64_t bytes);
  bool isFromMemory(unsigned lines);

  const Timing &timing;
  double l2Rate, memoryRate; // bytes a clock
  double memoryShare, due;
  double owed = 0; // lines from memory that are not accounted for yet
  uint64_t addressFree = 0;
  // Since the address unit was idle: clocks of work, and of waiting for room.
  uint64_t worked = 0, waited = 0;
  Stall roomReason = Stall::InFlight;
  double l2Free = 0, storeFree = 0, memoryFree = 0, atomicFree = 0;
  Queue queue;
  uint64_t inFlight = 0; // bytes
  struct Flight {
    uint64_t until, bytes;
    Stall stall; // what it waits for most
    bool operator>(const Flight &other) const { return until > other.until; }
  };
  std::priority_queue<Flight, std::vector<Flight>, std::greater<>> flights;
};

} // namespace mlir::te::cycle

#endif // TE_CYCLEMODEL_MACHINE_H
