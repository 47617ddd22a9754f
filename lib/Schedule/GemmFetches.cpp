//===- GemmFetches.cpp - loops whose operands come straight to LDS --------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where memory bounds such a loop and its instructions take scales, its steps
// are followed one by one: what each asks for, in the kernel's order
// (tile-pipeline), what L1 still has of that, when L2 and
// memory have brought it, and so when the step begins that waits for it. Rates
// alone would not tell that memory stands still where the loop begins, as all
// that was asked for in front of it has come, and where lines of several steps
// are asked for at once (docs/decisions/0012).
//
//===----------------------------------------------------------------------===//

#include "GemmUnit.h"

#include "te/Target/Timing.h"

#include <cmath>
#include <deque>

using namespace mlir;
using namespace mlir::te;

/// Steps that are followed at the most: others take as long as the second half
/// of these.
static constexpr int64_t kMostFollowed = 64;
/// What is asked for at once is taken in so many pieces at the most.
static constexpr double kMostPieces = 8;

namespace {
/// What a step asks for: elements of a step, or scales (-1). No bytes: L1 has
/// all lines.
struct Request {
  int64_t step;
  double bytes, instructions;
};

/// The requests of all steps of a loop, of one workgroup, with those behind the
/// last one, which kernels that know it do not make (0012).
class Requests {
public:
  /// `ahead`: so many steps are on their way while one is multiplied.
  Requests(const GemmLoads &loads, const Timing &timing, int64_t steps,
           int64_t stages, int64_t ahead)
      : loads(loads), timing(timing), steps(steps) {
    SmallVector<Request> before;
    for (unsigned side : {0, 1})
      addScales(before, side);
    // A's last place is filled, too, but where both come a step later.
    bool isFull = ahead == stages - 1;
    for (int64_t step = 0; step < stages; ++step)
      for (unsigned side : {0, 1})
        if (step < ahead || (side == 0 && isFull))
          addElements(before, step, side);
    inFront = loaded;
    for (int64_t step = 0; step < steps; ++step) {
      SmallVector<Request> &into = ofStep.emplace_back();
      if (step == 0)
        for (unsigned side : {0, 1})
          addScales(into, side);
      for (unsigned side : {0, 1})
        if (step > 0 || side == 1 || !isFull)
          addElements(into, step + ahead, side);
      // Late, A's a step behind B's.
      for (unsigned side : {0, 1})
        if (int64_t many = int64_t(loads.scales[side].steps);
            step % many == std::max<int64_t>(many - 1 - side, 0))
          addScales(into, side);
    }
  }

  ArrayRef<Request> operator[](int64_t step) const { return ofStep[step]; }

  /// The part of what is asked for that memory serves, as the cycle model's
  /// samples have it: of what is asked for behind the last steps, which is not
  /// used, as much as of the loop's.
  double getMemoryShare(int64_t ahead) const {
    double first = std::min(ahead, steps) * loads.usedElements,
           used = steps * loads.usedElements;
    for (auto [scales, ofStep] :
         llvm::zip_equal(loads.scales, loads.usedScales)) {
      first +=
          std::min<double>(scales.steps * scales.asks, double(steps)) * ofStep;
      used += steps * ofStep;
    }
    double inLoop = std::max(loaded - inFront - behind, 1.0),
           share = std::clamp((used - first) / inLoop, 0.0, 1.0);
    return std::min((used + share * behind) / std::max(loaded, 1.0), 1.0);
  }

private:
  /// Of one operand's elements, or scales.
  struct Lines {
    int64_t last = -1; // that were asked for
    double since = 0;  // bytes that L1 had been asked for then
  };

  void add(SmallVectorImpl<Request> &into, int64_t step, const GemmBurst &burst,
           Lines &lines, int64_t number, int64_t most) {
    if (burst.bytes == 0)
      return;
    // Behind the last ones these are asked for again.
    int64_t line = std::min(number, most - 1) / int64_t(burst.asks);
    if (line == lines.last && loaded - lines.since <= timing.l1Capacity) {
      into.push_back({step, 0, burst.instructions});
      return;
    }
    lines = {line, loaded};
    loaded += burst.bytes;
    behind += number >= most ? burst.bytes : 0;
    into.push_back({step, burst.bytes, burst.instructions});
  }
  void addElements(SmallVectorImpl<Request> &into, int64_t step,
                   unsigned side) {
    add(into, std::min(step, steps - 1), loads.elements[side], elements[side],
        step, steps);
  }
  void addScales(SmallVectorImpl<Request> &into, unsigned side) {
    const GemmBurst &burst = loads.scales[side];
    add(into, -1, burst, scales[side], groups[side]++,
        std::max<int64_t>(steps / int64_t(burst.steps), 1));
  }

  const GemmLoads &loads;
  const Timing &timing;
  int64_t steps;
  double loaded = 0, inFront = 0, behind = 0; // bytes, of the loop
  std::array<Lines, 2> elements, scales;
  std::array<int64_t, 2> groups = {0, 0};
  SmallVector<SmallVector<Request>> ofStep;
};

/// The way to a CU, as the cycle model has it: in order, through the address
/// unit, which waits while too much is on its way; then L2, and memory.
class Path {
public:
  Path(const Target &target, const Timing &timing, double active,
       double memoryShare)
      : timing(timing), memoryShare(memoryShare),
        l2Rate(timing.getL2Share(unsigned(active))),
        memoryRate(timing.getMemoryShare(unsigned(active))),
        ofInstruction(double(target.maxAccessBytes) * target.waveSize /
                      timing.l1Bytes),
        piece(double(target.maxAccessBytes) * target.waveSize *
              target.simdsPerCU) {}

  /// Asks at a time; returns when all until then has come.
  double ask(double when, double bytes, double instructions) {
    free = std::max(free, when);
    if (bytes == 0) {
      free += instructions * ofInstruction;
      return come = std::max(come, free + timing.l1Latency);
    }
    double pieces = std::clamp(std::ceil(bytes / piece), 1.0, kMostPieces);
    for (double i = 0; i < pieces; ++i)
      askPiece(bytes / pieces, instructions / pieces);
    return come;
  }
  double getCome() const { return come; }

private:
  void askPiece(double bytes, double instructions) {
    while (!flights.empty() && (flights.front().first <= free ||
                                inFlight + bytes > timing.bytesInFlight)) {
      free = std::max(free, flights.front().first);
      inFlight -= flights.front().second;
      flights.pop_front();
    }
    free += std::max(bytes / kCacheLineBytes / timing.linesPerClock,
                     instructions * ofInstruction);
    l2Free = std::max(l2Free, free) + bytes / l2Rate;
    // Whole instructions are memory's.
    owed += instructions * memoryShare;
    double whole = std::floor(owed + 0.5),
           part = std::min(whole / instructions, 1.0) * bytes;
    owed -= std::min(whole, instructions);
    if (part < bytes)
      fly(l2Free + timing.l2Latency, bytes - part);
    if (part == 0)
      return;
    memoryFree = std::max(memoryFree, free) + part / memoryRate;
    fly(std::max(memoryFree, l2Free) + timing.getMemoryLatency(), part);
  }
  void fly(double until, double bytes) {
    come = std::max(come, until);
    inFlight += bytes;
    auto isEarlier = [](double time, const std::pair<double, double> &flight) {
      return time < flight.first;
    };
    flights.insert(llvm::upper_bound(flights, until, isEarlier),
                   {until, bytes});
  }

  const Timing &timing;
  double memoryShare, l2Rate, memoryRate, ofInstruction, piece;
  double free = 0, l2Free = 0, memoryFree = 0, come = 0, owed = 0, inFlight = 0;
  std::deque<std::pair<double, double>> flights; // until when, bytes
};
} // namespace

double GemmUnit::getFetchingClocks(double count) const {
  int64_t stages = schedule.getMatmul().getStages(), all = int64_t(steps),
          followed = std::min(all, kMostFollowed);
  // A place is filled when all waves have read it, or a step later.
  int64_t ahead = stages - (fetchesLate ? 2 : 1);
  Requests requests(loads, timing, followed, stages, ahead);
  Path path(target, timing, active, requests.getMemoryShare(ahead));
  double each = getStepClocks(count, /*isThere=*/true);
  // What was asked for in front of the loop has come.
  SmallVector<double> begins(followed + 1), arrivals(followed + 1);
  for (int64_t step = 0; step < followed; ++step) {
    for (const Request &request : requests[step]) {
      double come = path.ask(begins[step], count * request.bytes,
                             count * request.instructions);
      if (request.step >= 0)
        arrivals[request.step] = std::max(arrivals[request.step], come);
    }
    begins[step + 1] = std::max(begins[step] + each, arrivals[step + 1]);
  }
  int64_t half = followed / 2;
  double pace = (begins[followed] - begins[half]) / double(followed - half);
  // What is asked for behind the last steps is waited for, too.
  return std::max(begins[followed], path.getCome()) + (all - followed) * pace;
}
