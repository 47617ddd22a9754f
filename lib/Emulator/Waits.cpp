//===- Waits.cpp - the sanitizer: what s_waitcnt has not retired ----------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vector memory operations count in vmcnt and come back in order; LDS and
// scalar memory operations count in lgkmcnt, scalar ones in any order; flat
// ones in both. A register that a load fills may be named again only when the
// load has been retired.
//
//===----------------------------------------------------------------------===//
#include "WaveShadow.h"

namespace mlir::te::emu {

static bool overlap(const RegisterRange &a, const RegisterRange &b) {
  return a.isVector == b.isVector && a.first < b.first + b.count &&
         b.first < a.first + a.count;
}

static PendingOperation::Counter counterOf(const Inst &inst) {
  if (inst.format == Format::Flat && inst.segment == 0)
    return PendingOperation::Both;
  return inst.cls == Class::Vmem ? PendingOperation::Vm
                                 : PendingOperation::Lgkm;
}

void WaveShadow::rebuildPending() {
  pendingRows.reset();
  pendingScalars.reset();
  fillsLds = false;
  for (const PendingOperation &operation : pending)
    addPending(operation);
}

void WaveShadow::addPending(const PendingOperation &operation) {
  fillsLds |=
      operation.counter == PendingOperation::Vm && !operation.touches.empty();
  for (const RegisterRange &range : operation.defs)
    for (unsigned i = 0; i < range.count; ++i) {
      if (range.isVector)
        pendingRows.set(range.first + i);
      else
        pendingScalars.set(range.first + i);
    }
}

void WaveShadow::push(const Inst &inst, const Effects &effects) {
  PendingOperation operation;
  operation.word = inst.word;
  operation.counter = counterOf(inst);
  operation.inOrder = inst.cls != Class::Smem;
  operation.defs.append(effects.defs.begin(), effects.defs.end());
  operation.touches = std::move(touches);
  operation.isFlatLds =
      operation.counter == PendingOperation::Both && !operation.touches.empty();
  touches.clear();
  PendingOperation::Counter counter = operation.counter;
  addPending(operation);
  pending.push_back(std::move(operation));
  if (pending.size() > std::min(kMostCounted.vm, kMostCounted.lgkm))
    retireFull(counter);
}

/// An operation is issued when its counter can count it: of those before it,
/// what no longer fits has come back.
void WaveShadow::retireFull(PendingOperation::Counter counter) {
  size_t before = pending.size();
  if (counter != PendingOperation::Lgkm)
    retireCounter(PendingOperation::Vm, kMostCounted.vm);
  if (counter != PendingOperation::Vm)
    retireCounter(PendingOperation::Lgkm, kMostCounted.lgkm);
  if (pending.size() != before)
    rebuildPending();
}

void WaveShadow::checkPending(const Inst &inst, const Effects &effects) {
  auto isPending = [&](const RegisterRange &range) {
    for (unsigned i = 0; i < range.count; ++i)
      if (range.isVector ? pendingRows[range.first + i]
                         : pendingScalars[range.first + i])
        return true;
    return false;
  };
  bool isMemory = effects.role == Role::Memory;
  auto check = [&](const RegisterRange &range, const char *how, bool isDef) {
    if (LLVM_LIKELY(!isPending(range)))
      return;
    for (PendingOperation &operation : pending) {
      if (!llvm::any_of(operation.defs, [&](const RegisterRange &def) {
            return overlap(def, range);
          }))
        continue;
      // Loads of one counter come back in order: the later one wins.
      if (isDef && isMemory && operation.inOrder &&
          counterOf(inst) == operation.counter)
        continue;
      unsigned accRow = wave.launch->accRow;
      bool isAcc = range.isVector && range.first >= accRow;
      const char *counter =
          operation.counter == PendingOperation::Vm ? "vmcnt" : "lgkmcnt";
      launch.report(Defect::MissingWait, wave, inst, -1,
                    llvm::Twine(how) +
                        (range.isVector ? isAcc ? " a" : " v" : " s") +
                        llvm::Twine(range.first - (isAcc ? accRow : 0)) +
                        (range.count > 1 ? " (and what follows)" : "") +
                        " before s_waitcnt " + counter +
                        " has retired the load that fills it",
                    SanitizedLaunch::Side{operation.word, int(wave.index),
                                          wave.workgroupIndex});
      operation.defs.clear();
    }
    rebuildPending();
  };
  for (const RegisterRange &range : effects.uses) {
    bool isTied = llvm::any_of(effects.defs, [&](const RegisterRange &def) {
      return def.isVector == range.isVector && def.first == range.first;
    });
    check(range, "reads", isMemory && isTied);
  }
  for (const RegisterRange &range : effects.defs)
    check(range, "overwrites", true);
}

/// What a counter of at most `left` says: all but the last `left` operations
/// that count there have come back, if they come in order.
void WaveShadow::retireCounter(PendingOperation::Counter counter,
                               unsigned left) {
  auto counts = [&](const PendingOperation &operation) {
    return operation.counter == counter ||
           operation.counter == PendingOperation::Both;
  };
  unsigned count = llvm::count_if(pending, counts);
  bool inOrder = true;
  for (const PendingOperation &operation : pending)
    inOrder &=
        !counts(operation) ||
        (operation.inOrder && operation.counter != PendingOperation::Both);
  if (count <= left || (left && !inOrder))
    return;
  // LDS and scalar loads together come in any order: only 0 says something.
  for (auto it = pending.begin(); it != pending.end() && count > left;) {
    if (!counts(*it)) {
      ++it;
      continue;
    }
    --count;
    // A flat access that reached the other memory counts there.
    bool elsewhere = it->counter == PendingOperation::Both &&
                     it->isFlatLds == (counter == PendingOperation::Vm);
    it = elsewhere ? it + 1 : pending.erase(it);
  }
}

void WaveShadow::retire(const Inst &wait) {
  auto [vm, lgkm] = readWait(wait);
  if (pending.empty())
    return;
  retireCounter(PendingOperation::Vm, vm);
  retireCounter(PendingOperation::Lgkm, lgkm);
  rebuildPending();
}

/// LDS that a load from global memory is about to fill.
void WaveShadow::checkInFlight(uint64_t first, uint64_t last, unsigned lane) {
  for (PendingOperation &operation : pending) {
    if (operation.counter != PendingOperation::Vm)
      continue;
    for (const LdsTouch &touch : operation.touches) {
      uint64_t low = UINT64_MAX, high = 0;
      forLanes(touch.mask, [&](unsigned at) {
        low = std::min<uint64_t>(low, touch.offsets[at]);
        high = std::max<uint64_t>(high, touch.offsets[at] + touch.bytes);
      });
      if (last <= low || first >= high)
        continue;
      launch.report(Defect::MissingWait, wave, *current, lane,
                    "touches LDS offset " + llvm::Twine(first) +
                        " before s_waitcnt vmcnt has retired the load that "
                        "fills it",
                    SanitizedLaunch::Side{operation.word, int(wave.index),
                                          wave.workgroupIndex});
    }
  }
}

void WaveShadow::passBarrier(const Wave *ended) {
  if (ended)
    launch.report(Defect::BarrierDivergence, wave, *current, -1,
                  "a barrier that wave " + llvm::Twine(ended->index) +
                      " of the workgroup never reaches: it has ended");
  for (const PendingOperation &operation : pending)
    for (const LdsTouch &touch : operation.touches)
      touchLds(touch, operation.word, /*unwaited=*/true);
}

} // namespace mlir::te::emu
