//===- Machine.cpp - the units that waves of a CU share -------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Machine.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

namespace mlir::te::cycle {

static constexpr unsigned kLanes = 64;

/// An address unit that stands still for one clock in so many is not what
/// operations after it wait for, but what it waits for is.
static constexpr uint64_t kIdleRatio = 16;

Blocked Queue::whenFree(uint64_t now) {
  while (!entries.empty() && entries.front().start <= now)
    entries.pop_front();
  if (entries.size() < depth)
    return {};
  const Entry &entry = entries[entries.size() - depth];
  return {entry.why, entry.start};
}

//===----------------------------------------------------------------------===//
// LDS
//===----------------------------------------------------------------------===//

uint64_t LdsBanks::reserve(uint64_t now, uint64_t rows, uint64_t extra) {
  free = std::max(free, now) + rows + extra;
  busy += rows + extra;
  conflicts += extra;
  return free;
}

/// Data that has come by `now` goes first.
void LdsPort::retireArrivals(uint64_t now) {
  while (!arrivals.empty() && arrivals.top().first <= now) {
    auto [when, bytes] = arrivals.top();
    arrivals.pop();
    double clocks = double(bytes) / timing.ldsStoreBytes;
    storeFree = std::max<double>(storeFree, when) + clocks;
    writes += clocks;
    banks.reserve(when, llvm::divideCeil(bytes, banks.bytes), 0);
  }
}

Operation LdsPort::issue(uint64_t now, const emu::TraceEvent &event,
                         bool isStore) {
  retireArrivals(now);
  double &free = isStore ? storeFree : readFree;
  double clocks = double(event.ldsRows) * banks.bytes /
                  (isStore ? timing.ldsStoreBytes : timing.ldsPortBytes);
  double begin = std::max({double(now), last, free});
  uint64_t banksDone = banks.reserve(now, event.ldsRows, event.ldsConflicts);
  last = begin;
  free = std::max<double>(begin + clocks, banksDone);
  (isStore ? writes : reads) += clocks;
  queue.push(begin, banks.getReason());
  Operation made;
  made.done = uint64_t(std::ceil(free)) + timing.ldsLatency;
  uint64_t own = timing.ldsLatency + uint64_t(clocks), all = made.done - now;
  uint64_t extra = std::min<uint64_t>(event.ldsConflicts, all - own);
  made.parts = {{{Stall::LdsLatency, own},
                 {Stall::LdsConflict, extra},
                 {banks.getReason(), all - own - extra}}};
  made.begin = std::max<uint64_t>(begin, drawn);
  made.end = drawn = std::max<uint64_t>(free, drawn);
  return made;
}

uint64_t LdsPort::write(uint64_t arrival, unsigned bytes) {
  arrivals.push({arrival, bytes});
  return arrival + llvm::divideCeil(bytes, timing.ldsStoreBytes);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

MemoryPath::MemoryPath(const Timing &timing, unsigned activeCUs,
                       double memoryShare, double due)
    : timing(timing), memoryShare(memoryShare), due(due),
      queue(timing.memoryQueue) {
  l2Rate = timing.getL2Share(activeCUs);
  memoryRate = timing.getMemoryShare(activeCUs);
}

/// Loads ask in order: what has come back by the time at which the last one
/// asked is not looked at again.
Blocked MemoryPath::whenRoom(uint64_t now, uint64_t bytes) {
  Blocked room{Stall::InFlight, now};
  while (!flights.empty() && (flights.top().until <= now ||
                              inFlight + bytes > timing.bytesInFlight)) {
    if (flights.top().until > room.until)
      room = {flights.top().stall, flights.top().until};
    inFlight -= flights.top().bytes;
    flights.pop();
  }
  return room;
}

/// The address unit and L1: lanes, lines and bytes each have a rate.
uint64_t MemoryPath::issueAddresses(uint64_t now, const emu::TraceEvent &event,
                                    Operation &operation) {
  uint64_t clocks =
      std::max<uint64_t>({kLanes / timing.addressLanes,
                          llvm::divideCeil(event.lines, timing.linesPerClock),
                          llvm::divideCeil(event.bytes, timing.l1Bytes)});
  if (addressFree <= now)
    worked = waited = 0;
  uint64_t start = std::max(now, addressFree);
  Blocked room = whenRoom(start, event.missed * kCacheLineBytes);
  operation.begin = room.until;
  operation.end = addressFree = operation.begin + clocks;
  addressBusy += clocks;
  worked += clocks;
  waited += room.until - start;
  if (room.until > start)
    roomReason = room.stall;
  Stall why = waited * kIdleRatio > worked ? roomReason : Stall::AddressUnit;
  queue.push(operation.begin, why);
  operation.parts[3] = {Stall::AddressUnit, clocks};
  operation.parts[4] = {why, operation.begin - now};
  return addressFree;
}

uint64_t MemoryPath::transfer(double &free, double rate, uint64_t from,
                              uint64_t bytes) {
  free = std::max<double>(free, from) + double(bytes) / rate;
  return uint64_t(std::ceil(free));
}

/// Whole instructions are taken from memory, so that the launch's share comes
/// out.
bool MemoryPath::isFromMemory(unsigned lines) {
  owed += lines * memoryShare;
  if (owed < lines * due)
    return false;
  owed -= lines;
  return true;
}

Operation MemoryPath::load(uint64_t now, const emu::TraceEvent &event) {
  Operation made;
  uint64_t looked = issueAddresses(now, event, made);
  uint64_t l2 = looked, memory = looked, bytes = event.missed * kCacheLineBytes;
  uint64_t latency = timing.l1Latency;
  Stall stall = Stall::L1Latency;
  if (bytes) {
    l2 = memory = transfer(l2Free, l2Rate, looked, bytes);
    l2Bytes += bytes;
    latency = timing.l2Latency;
    stall = Stall::L2Latency;
  }
  if (bytes && isFromMemory(event.missed)) {
    memory = std::max(l2, transfer(memoryFree, memoryRate, looked, bytes));
    memoryBytes += bytes;
    latency = timing.getMemoryLatency();
    stall = Stall::MemoryLatency;
  }
  made.done = memory + latency;
  made.parts[0] = {stall, latency};
  made.parts[1] = {Stall::MemoryBandwidth, memory - l2};
  made.parts[2] = {Stall::L2Bandwidth, l2 - looked};
  if (bytes) {
    inFlight += bytes;
    // Where operations queue for long, room is short because of that.
    const Operation::Part &queue =
        *std::max_element(made.parts.begin() + 1, made.parts.end(),
                          [](auto &a, auto &b) { return a.clocks < b.clocks; });
    flights.push({made.done, bytes,
                  queue.clocks * 2 > latency ? queue.stall : Stall::InFlight});
  }
  return made;
}

/// Stores have a way to L2 of their own, and write through. What carries
/// atomics out is not known: they have a part of the bandwidth of stores, and
/// do not keep loads from the rest of it.
Operation MemoryPath::store(uint64_t now, const emu::TraceEvent &event,
                            bool isAtomic) {
  Operation made;
  uint64_t looked = issueAddresses(now, event, made);
  uint64_t bytes = event.stored * kStoreBytes;
  double storeRate = std::min<double>(timing.storeBytes, l2Rate);
  uint64_t l2 = transfer(storeFree, storeRate, looked, bytes);
  uint64_t memory =
      std::max(l2, transfer(memoryFree, memoryRate, looked, bytes));
  if (isAtomic) {
    double rate = std::min(storeRate, memoryRate) / timing.atomicTimes;
    memory = std::max(memory, transfer(atomicFree, rate, looked, bytes));
  }
  l2Bytes += bytes;
  memoryBytes += bytes;
  made.done = memory + timing.l2Latency;
  made.parts[0] = {Stall::StoreLatency, timing.l2Latency};
  made.parts[1] = {Stall::MemoryBandwidth, memory - l2};
  made.parts[2] = {Stall::L2Bandwidth, l2 - looked};
  return made;
}

} // namespace mlir::te::cycle
