//===- Philox.h - random words by place -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Philox4x32-10 (Salmon et al., SC 2011), and which of its words stochastic
// rounding takes for an element (docs/spec.md).
//
//===----------------------------------------------------------------------===//
#ifndef TE_REFERENCE_PHILOX_H
#define TE_REFERENCE_PHILOX_H

#include <array>
#include <cstdint>

namespace mlir::te::ref {

using PhiloxBlock = std::array<uint32_t, 4>;

PhiloxBlock philox4x32(PhiloxBlock counter, std::array<uint32_t, 2> key);

/// What te.quantize's rng operand says, and the direction of a result.
struct RandomState {
  uint64_t seed = 0, offset = 0;
  bool columnwise = false;
  uint32_t getWord(int64_t row, int64_t col) const;
};

} // namespace mlir::te::ref

#endif // TE_REFERENCE_PHILOX_H
