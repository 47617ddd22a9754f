//===- Draw.h - fresh numbers with the edge cases of a format ---*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_UNITTESTS_EMULATOR_DRAW_H
#define TE_UNITTESTS_EMULATOR_DRAW_H

#include "Reference.h"

#include <random>

namespace mlir::te::emu::test {

/// A number of `s`: an edge case, a small integer, a neighbour of a tie, or any
/// bits; or one near `previous`, so that sums cancel.
inline uint64_t drawFloat(const Semantics &s, uint64_t previous,
                          std::mt19937_64 &random) {
  unsigned width = F::getSizeInBits(s), fraction = F::semanticsPrecision(s) - 1;
  uint64_t sign = (random() & 1) << (width - 1);
  uint64_t infinity = fromBits(s, 0).getInf(s).bitcastToAPInt().getZExtValue();
  uint64_t unit = uint64_t(1) << fraction, mask = ~uint64_t(0) >> (64 - width);
  const uint64_t edges[] = {0,
                            1,
                            unit - 1,
                            unit,
                            infinity - 1,
                            infinity,
                            infinity | unit / 2,
                            infinity | unit / 2 | 5,
                            infinity | 1,
                            infinity | 9,
                            F::getOne(s).bitcastToAPInt().getZExtValue()};
  switch (random() % 6) {
  case 0:
    return edges[random() % std::size(edges)] | sign;
  case 1: {
    F small(s);
    small.convertFromAPInt(A(64, random() % 300), false, RM::NearestTiesToEven);
    return small.bitcastToAPInt().getZExtValue() | sign;
  }
  case 2: // trailing 1000..., or next to it
    return ((random() & ((unit << 6) - 1) & ~(unit / 16 - 1)) + (random() % 3) +
            (infinity / 2 & ~((unit << 4) - 1)) - 1) |
           sign;
  case 3:
    return (previous ^ sign ^ (random() & 3)) & mask;
  default:
    return random() & mask;
  }
}

/// 64 bits that hold numbers of `s`, or (null) integers.
inline uint64_t draw(const Semantics *s, uint64_t previous,
                     std::mt19937_64 &random) {
  if (!s) {
    const uint64_t edges[] = {0,          1,          0x7fff,     0x8000,
                              0xffff,     0x7fffffff, 0x80000000, 0xffffffff,
                              0x7fff7fff, 0x80008000};
    uint64_t word = random() % 3
                        ? random()
                        : edges[random() % 10] | edges[random() % 10] << 32;
    return random() % 8 ? word : previous + random() % 3 - 1;
  }
  uint64_t bits = 0;
  for (unsigned width = F::getSizeInBits(*s), at = 0; at < 64; at += width)
    bits |= drawFloat(*s, previous >> at, random) << at;
  return bits;
}

} // namespace mlir::te::emu::test

#endif // TE_UNITTESTS_EMULATOR_DRAW_H
