//===- LdsPlaces.cpp - where in LDS things lie ----------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes from wave to wave one after another has one area, or two
// alternately; rings lie after it, or in its place where it comes after them,
// and where other rings were that nothing needs any more; then what is staged.
//
//===----------------------------------------------------------------------===//

#include "LdsPlaces.h"

#include "te/Schedule/ResourceModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

/// All of these ops stand after the last use of the ring.
static bool areAfter(ArrayRef<Operation *> ops, RingOp ring) {
  Block *block = ring->getBlock();
  return llvm::all_of(ops, [&](Operation *op) {
    Operation *after = block->findAncestorOpInBlock(*op);
    return after && llvm::all_of(ring->getUsers(), [&](Operation *user) {
             return block->findAncestorOpInBlock(*user)->isBeforeInBlock(after);
           });
  });
}

/// The first place from `start` on where a ring lies in no other that is in use
/// while it is: loops that follow one another have the same memory.
static int64_t placeRing(RingOp ring, ArrayRef<RingOp> before, int64_t start,
                         const KernelState &state) {
  auto getBytes = [](RingOp op) {
    auto type = op.getRing().getType();
    return type.getNumElements() * getElementBytes(type);
  };
  auto align = [&](int64_t at) {
    return int64_t(llvm::alignTo(at, state.target->maxAccessBytes));
  };
  SmallVector<Operation *> users(ring->getUsers());
  SmallVector<std::pair<int64_t, int64_t>> taken;
  for (RingOp other : before)
    if (other->getBlock() != ring->getBlock() || !areAfter(users, other))
      taken.push_back({state.places.lookup(other),
                       state.places.lookup(other) + getBytes(other)});
  llvm::sort(taken);
  int64_t at = align(start);
  for (auto [first, end] : taken)
    if (at < end && first < at + getBytes(ring))
      at = align(end);
  return at;
}

/// Bytes of a conversion that lanes could do among themselves: each swap is two
/// and a half instructions a register, LDS takes half of one and more time.
/// 0 where they do.
static int64_t getPassingBytes(ConvertLayoutOp op, const Target &target) {
  constexpr size_t kFewSwaps = 2;
  LinearLayout from = getLayout(op.getInput().getType()),
               to = getLayout(op.getType());
  if (analyzeConversion(from, to).swaps.size() <= kFewSwaps)
    return 0;
  return getSharedLayout(from, to, getElementBytes(op.getType()), target)
      .getBytes();
}

/// No other workgroup computes or stores while this one does the other.
static bool isAlone(KernelOp kernel, const KernelState &state) {
  return kernel.getWavesPerSimd() ==
         llvm::divideCeil(state.waves, int64_t(state.target->simdsPerCU));
}

int64_t te::placeInLds(KernelOp kernel, KernelState &state) {
  int64_t shared = 0, end = 0;
  SmallVector<Operation *> passing;
  SmallVector<RingOp> rings;
  kernel.walk([&](RingOp ring) { rings.push_back(ring); });
  auto isAfterRings = [&](ArrayRef<Operation *> ops) {
    return llvm::all_of(rings,
                        [&](RingOp ring) { return areAfter(ops, ring); });
  };
  kernel.walk([&](Operation *op) {
    if (int64_t bytes = getLdsBytes(op, *state.target, state.waves)) {
      passing.push_back(op);
      shared = std::max(shared, bytes);
    }
  });
  auto place = [&](Operation *op, MemRefType type) {
    state.places[op] = llvm::alignTo(end, state.target->maxAccessBytes);
    end = state.places[op] + type.getNumElements() * getElementBytes(type);
  };
  state.hasRings = !rings.empty();
  bool isOverlaid = isAfterRings(passing);
  // There is room where rings were that nothing needs any more.
  if (isOverlaid && state.hasRings)
    kernel.walk([&](ConvertLayoutOp op) {
      int64_t bytes = getPassingBytes(op, *state.target);
      if (!bytes || !isAfterRings(op.getOperation()))
        return;
      state.throughLds.insert(op);
      shared = std::max(shared, bytes);
    });
  // What ops use one after another, and then rings, or rings in its place;
  // what is staged lies after.
  if (!state.hasRings) {
    int64_t area = llvm::alignTo(shared, state.target->maxAccessBytes);
    bool usesPingPong = passing.size() > 1 &&
                        area <= getScratchBytes(state.waves, *state.target);
    // One where both and a cluster's exchanges would not fit.
    usesPingPong &= placeExchanges(kernel, state, 2 * area) <=
                    int64_t(state.target->ldsBytesPerWorkgroup);
    unsigned areas = usesPingPong ? 2 : 1;
    assignScratch(kernel.getBody().front(), state, area, areas);
    shared = area * areas;
  } else if (isAlone(kernel, state)) {
    kernel.walk([&](ConvertLayoutOp op) {
      if (isAfterRings(op.getOperation()) && passesLds(op, state))
        meetEarly(op, state);
    });
  }
  int64_t start = isOverlaid ? 0 : shared;
  end = std::max(start, shared);
  for (auto [i, ring] : llvm::enumerate(rings)) {
    MemRefType type = ring.getRing().getType();
    int64_t at = placeRing(ring, ArrayRef(rings).take_front(i), start, state);
    state.places[ring] = at;
    end = std::max(end, at + type.getNumElements() * getElementBytes(type));
  }
  kernel.walk([&](StageOp op) { place(op, op.getView().getType()); });
  return placeExchanges(kernel, state, end);
}
