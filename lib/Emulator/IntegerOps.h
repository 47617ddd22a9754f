//===- IntegerOps.h - arithmetic that the integer tables share --*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_INTEGEROPS_H
#define TE_EMULATOR_INTEGEROPS_H

#include <cstdint>

namespace mlir::te::emu {

/// Sums of absolute differences of bytes.
inline uint32_t sumDifferences8(uint32_t a, uint32_t b, uint32_t sum) {
  for (unsigned i = 0; i < 32; i += 8) {
    uint32_t x = a >> i & 0xff, y = b >> i & 0xff;
    sum += x > y ? x - y : y - x;
  }
  return sum;
}
/// Masked: bytes where `b` is 0 do not count.
inline uint32_t sumDifferencesMasked(uint32_t a, uint32_t b, uint32_t sum) {
  for (unsigned i = 0; i < 32; i += 8) {
    uint32_t x = a >> i & 0xff, y = b >> i & 0xff;
    sum += y == 0 ? 0 : x > y ? x - y : y - x;
  }
  return sum;
}

} // namespace mlir::te::emu

#endif // TE_EMULATOR_INTEGEROPS_H
