//===- Philox.cpp - random words by place -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Reference/Philox.h"

using namespace mlir::te::ref;

PhiloxBlock mlir::te::ref::philox4x32(PhiloxBlock counter,
                                      std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t a = uint64_t(0xD2511F53) * counter[0];
    uint64_t b = uint64_t(0xCD9E8D57) * counter[2];
    counter = {uint32_t(b >> 32) ^ counter[1] ^ key[0], uint32_t(b),
               uint32_t(a >> 32) ^ counter[3] ^ key[1], uint32_t(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

uint32_t RandomState::getWord(int64_t row, int64_t col) const {
  PhiloxBlock counter = {uint32_t(col / 4 * 2 + columnwise), uint32_t(row),
                         uint32_t(offset), uint32_t(offset >> 32)};
  return philox4x32(counter, {uint32_t(seed), uint32_t(seed >> 32)})[col % 4];
}
