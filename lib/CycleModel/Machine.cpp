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

static constexpr unsigned kLineBytes = 128, kStoreBytes = 64, kLanes = 64;

uint64_t Queue::whenFree(uint64_t now) {
  while (!starts.empty() && starts.front() <= now)
    starts.pop_front();
  return starts.size() < depth ? now : starts[starts.size() - depth];
}

//===----------------------------------------------------------------------===//
// LDS
//===----------------------------------------------------------------------===//

LdsPort::LdsPort(const Timing &timing, unsigned banks)
    : timing(timing), rowClocks(banks * 4 / timing.ldsPortBytes),
      queue(timing.ldsQueue) {}

/// Data that has come by `now` goes first.
void LdsPort::takeArrivals(uint64_t now) {
  while (!arrivals.empty() && arrivals.top().first <= now) {
    auto [when, clocks] = arrivals.top();
    arrivals.pop();
    free = std::max(free, when) + clocks;
    busy += clocks;
  }
}

Operation LdsPort::issue(uint64_t now, const emu::TraceEvent &event) {
  takeArrivals(now);
  uint64_t service = uint64_t(event.ldsRows) * rowClocks;
  uint64_t extra = uint64_t(event.ldsConflicts) * rowClocks;
  Operation made;
  made.begin = std::max(now, free);
  made.end = free = made.begin + service + extra;
  busy += service + extra;
  conflicts += extra;
  queue.push(made.begin);
  made.done = free + timing.ldsLatency;
  Stall others =
      conflicts * 2 >= busy ? Stall::LdsConflict : Stall::LdsBandwidth;
  made.parts = {{{Stall::LdsLatency, timing.ldsLatency + service},
                 {Stall::LdsConflict, extra},
                 {others, made.begin - now}}};
  return made;
}

uint64_t LdsPort::write(uint64_t arrival, unsigned bytes) {
  uint64_t clocks = llvm::divideCeil(bytes, timing.ldsPortBytes);
  arrivals.push({arrival, clocks});
  return arrival + clocks;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

MemoryPath::MemoryPath(const Timing &timing, unsigned activeCUs,
                       double memoryShare)
    : timing(timing), memoryShare(memoryShare), queue(timing.memoryQueue) {
  double perXcd = std::ceil(double(activeCUs) / timing.xcds);
  l2Rate = std::min<double>(timing.l1Bytes, timing.l2Bytes / perXcd);
  memoryRate = std::min(l2Rate, timing.memoryBandwidth /
                                    (timing.clockGHz * 1e9) / activeCUs);
}

Blocked MemoryPath::whenRoom(uint64_t now, const emu::TraceEvent &event) {
  while (!flights.empty() && flights.top().until <= now) {
    inFlight -= flights.top().bytes;
    flights.pop();
  }
  bool fits = inFlight + event.missed * kLineBytes <= timing.bytesInFlight;
  if (fits || flights.empty())
    return {};
  return {flights.top().stall, flights.top().until};
}

/// The address unit and L1: lanes, lines and bytes each have a rate.
uint64_t MemoryPath::takeAddresses(uint64_t now, const emu::TraceEvent &event,
                                   Operation &operation) {
  uint64_t clocks =
      std::max<uint64_t>({kLanes / timing.addressLanes,
                          llvm::divideCeil(event.lines, timing.linesPerClock),
                          llvm::divideCeil(event.bytes, timing.l1Bytes)});
  operation.begin = std::max(now, addressFree);
  operation.end = addressFree = operation.begin + clocks;
  addressBusy += clocks;
  queue.push(operation.begin);
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
  if (owed < lines * 0.5)
    return false;
  owed -= lines;
  return true;
}

Operation MemoryPath::load(uint64_t now, const emu::TraceEvent &event) {
  Operation made;
  uint64_t looked = takeAddresses(now, event, made);
  uint64_t l2 = looked, memory = looked, bytes = event.missed * kLineBytes;
  unsigned latency = timing.l1Latency;
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
    latency = timing.memoryLatency;
    stall = Stall::MemoryLatency;
  }
  made.done = memory + latency;
  made.parts = {{{stall, latency},
                 {Stall::MemoryBandwidth, memory - l2},
                 {Stall::L2Bandwidth, l2 - looked},
                 {Stall::AddressUnit, looked - now}}};
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

Operation MemoryPath::store(uint64_t now, const emu::TraceEvent &event) {
  Operation made;
  uint64_t looked = takeAddresses(now, event, made);
  uint64_t bytes = event.stored * kStoreBytes;
  uint64_t l2 = transfer(l2Free, l2Rate, looked, bytes);
  uint64_t memory =
      std::max(l2, transfer(memoryFree, memoryRate, looked, bytes));
  l2Bytes += bytes;
  memoryBytes += bytes;
  made.done = memory + timing.l2Latency;
  made.parts = {{{Stall::StoreLatency, timing.l2Latency},
                 {Stall::MemoryBandwidth, memory - l2},
                 {Stall::L2Bandwidth, l2 - looked},
                 {Stall::AddressUnit, looked - now}}};
  return made;
}

} // namespace mlir::te::cycle
