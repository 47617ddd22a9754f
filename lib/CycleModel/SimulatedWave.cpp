//===- SimulatedWave.cpp - a wave of the cycle model ----------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SimulatedWave.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::te::cycle {

bool SimulatedWave::isJump() const {
  return next + 1 < events.size() &&
         events[next + 1].instruction != events[next].instruction + 1;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

Blocked SimulatedWave::checkRegisters(const emu::TracedInstruction &inst,
                                      uint64_t now) const {
  Blocked worst;
  if (lastReady <= now)
    return worst;
  auto look = [&](const emu::TracedRows &range) {
    bool isSum = int(range.first) == inst.accumulator;
    for (unsigned at = range.first; at < unsigned(range.first) + range.count;
         ++at) {
      const Row &row = rows[at];
      uint64_t ready = isSum && row.first == range.first ? row.sum : row.ready;
      if (ready > worst.until)
        worst = {row.stall, ready};
    }
  };
  for (const emu::TracedRows &range : inst.uses)
    look(range);
  for (const emu::TracedRows &range : inst.defs)
    look(range);
  return worst;
}

void SimulatedWave::define(const emu::TracedInstruction &inst, Stall stall,
                           uint64_t ready, uint64_t sum) {
  for (const emu::TracedRows &range : inst.defs)
    for (unsigned at = range.first; at < unsigned(range.first) + range.count;
         ++at)
      rows[at] = {ready, sum, range.first, stall};
  if (!inst.defs.empty())
    lastReady = std::max(lastReady, ready);
  if (inst.unit == emu::Unit::Mfma)
    lastMatrix = ready;
}

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

void SimulatedWave::retire(uint64_t now) {
  while (!vm.empty() && vm.front().done <= now)
    vm.pop_front();
  llvm::erase_if(lgkm, [&](const Operation &op) { return op.done <= now; });
}

Blocked SimulatedWave::checkCounter(const std::deque<Operation> &operations,
                                    unsigned left) const {
  if (operations.size() <= left)
    return {};
  llvm::SmallVector<const Operation *, 16> order;
  for (const Operation &operation : operations)
    order.push_back(&operation);
  llvm::sort(order, [](const Operation *a, const Operation *b) {
    return std::pair(a->done, a->begin) < std::pair(b->done, b->begin);
  });
  const Operation *last = order[operations.size() - left - 1];
  return {last->parts[0].stall, last->done, last};
}

Blocked SimulatedWave::checkWait(const emu::TracedInstruction &wait) const {
  Blocked memory = checkCounter(vm, wait.vmLeft);
  Blocked others = checkCounter(lgkm, wait.lgkmLeft);
  return memory.until >= others.until ? memory : others;
}

void SimulatedWave::setStall(const Blocked &blocked) {
  stall = blocked;
  stalledFor = next;
  stalledAt = current().instruction;
  if (!blocked.operation)
    return;
  waited = *blocked.operation;
  stall.operation = &waited;
}

} // namespace mlir::te::cycle
