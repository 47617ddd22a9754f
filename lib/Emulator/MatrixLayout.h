//===- MatrixLayout.h - where matrix elements lie in registers --*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs of `size` lanes hold a row (A, transposed) or a column (B) of
// consecutive elements; C and D likewise have `size` columns in a run of lanes.
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_MATRIXLAYOUT_H
#define TE_EMULATOR_MATRIXLAYOUT_H

#include "Instruction.h"

#include <algorithm>

namespace mlir::te::emu {

/// The most elements that an operand has.
constexpr unsigned kMostElements = 2048;
/// The most registers that a lane's C and D take.
constexpr unsigned kMostResultRows = 32;

/// A lane's elements of A and B: i = lane % size, and its run of lanes says
/// which block and which group of k. The groups alternate, `chunk` values of
/// k at a time (0: each has its share in one).
struct InputLayout {
  unsigned size, depth, blocks, chunk = 0;
  /// A of the widest sparse products, of 16 values a lane: quads of k in an
  /// order of their own.
  bool shuffled = false;
  unsigned perLane() const { return size * depth * blocks / kLanes; }
  unsigned groups() const { return kLanes / (size * blocks); }
  unsigned groupOf(unsigned run) const { return run / blocks; }
  unsigned blockOf(unsigned run) const { return run % blocks; }
  unsigned depthOf(unsigned group, unsigned e) const {
    if (shuffled) {
      unsigned half = groups() / 2;
      return group / half * (depth / 2) + e / 4 % 2 * (depth / 4) +
             group % half * 8 + e / 8 * 4 + e % 4;
    }
    unsigned each = chunk ? chunk : perLane();
    return e / each * each * groups() + group * each + e % each;
  }
};

/// A lane's elements of C and D. A register holds runs of `height` rows: 4, or
/// 1 for doubles.
template <unsigned size, unsigned height> struct ResultLayout {
  static constexpr unsigned kRuns = kLanes / size; // in the lanes of a register
  static constexpr unsigned kShared =
      std::max(1u, kLanes *height / (size * size)); // blocks in a register
  unsigned blocks;
  unsigned perLane() const { return size * size * blocks / kLanes; }
  /// Registers from one block to the next that a register does not share.
  unsigned each() const {
    return std::max(1u, perLane() / std::max(1u, blocks / kShared));
  }
  unsigned blockOf(unsigned run, unsigned r) const {
    return run % kShared + r / each() * kShared;
  }
  unsigned rowOf(unsigned run, unsigned r) const {
    r %= each();
    return r / height * height * (kRuns / kShared) + run / kShared * height +
           r % height;
  }
};

} // namespace mlir::te::emu

#endif // TE_EMULATOR_MATRIXLAYOUT_H
