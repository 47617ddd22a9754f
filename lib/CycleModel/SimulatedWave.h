//===- SimulatedWave.h - a wave of the cycle model --------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_CYCLEMODEL_SIMULATEDWAVE_H
#define TE_CYCLEMODEL_SIMULATEDWAVE_H

#include "Machine.h"

namespace mlir::te::cycle {

class SimulatedWave {
public:
  static constexpr uint64_t kNever = UINT64_MAX;

  explicit SimulatedWave(const std::vector<emu::TraceEvent> &events)
      : events(events) {}

  const emu::TraceEvent &current() const { return events[next]; }
  /// The instruction before, or the current one where it is the first.
  uint32_t previous() const { return events[next ? next - 1 : 0].instruction; }
  /// The current instruction, a branch, is taken.
  bool isJump() const;

  //===--------------------------------------------------------------------===//
  // Registers
  //===--------------------------------------------------------------------===//

  /// Memory's results are waited for with s_waitcnt, which the sanitizer
  /// checks; what is known here are those of the matrix and vector units.
  Blocked checkRegisters(const emu::TracedInstruction &inst,
                         uint64_t now) const;
  /// Results are there from `ready` on, for a sum into the same registers from
  /// `sum` on.
  void define(const emu::TracedInstruction &inst, Stall stall, uint64_t ready,
              uint64_t sum);
  /// When the last matrix result is there.
  uint64_t getLastMatrix() const { return lastMatrix; }

  //===--------------------------------------------------------------------===//
  // Counters
  //===--------------------------------------------------------------------===//

  void retire(uint64_t now);
  Blocked checkWait(const emu::TracedInstruction &wait) const;
  /// Until at most `left` operations are under way.
  Blocked checkCounter(const std::deque<Operation> &operations,
                       unsigned left) const;
  uint64_t getLastMemory() const { return vm.empty() ? 0 : vm.back().done; }

  bool isSameStall(const Blocked &other) const {
    return isStalled() && stall.stall == other.stall && !stall.operation &&
           !other.operation;
  }
  void setStall(const Blocked &blocked);

  std::deque<Operation> vm, lgkm; // under way, in the order of issue
  size_t next = 0;                // of the events
  unsigned id = 0, workgroup = 0;
  uint16_t simd = 0, slot = 0;
  int priority = 0;
  bool isAtBarrier = false, isDone = false;
  uint64_t started = 0;
  uint64_t wake = 0; // it cannot issue before
  Blocked stall;     // since stalledSince, at instruction stalledAt
  uint64_t stalledSince = 0;
  uint32_t stalledAt = 0;
  struct Iteration {
    uint64_t clock, mfmaClocks; // when it begins; of the CU, until then
  };
  /// Each time that it comes to the loop; or of each tile, or all, where their
  /// products have no loop, how the middle half of these begins and ends.
  std::vector<std::vector<Iteration>> visits;
  uint64_t products = 0, issuedProducts = 0; // of such a tile

private:
  bool isStalled() const { return stalledFor == next; }

  struct Row {
    uint64_t ready = 0, sum = 0;
    uint16_t first = 0; // of the range that was defined with it
    Stall stall = Stall::Nop;
  };
  const std::vector<emu::TraceEvent> &events;
  std::array<Row, 544> rows;
  uint64_t lastReady = 0, lastMatrix = 0;
  size_t stalledFor = SIZE_MAX; // the event that `stall` is about
  Operation waited;             // what stall.operation points to
};

} // namespace mlir::te::cycle

#endif // TE_CYCLEMODEL_SIMULATEDWAVE_H
