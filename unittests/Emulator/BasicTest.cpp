//===- BasicTest.cpp - vectors, integers, grids ---------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Kernels.h"

using namespace mlir::te::emu;
using namespace mlir::te::emu::test;

class Basic : public ChipTest {};
TE_BOTH_CHIPS(Basic);

TEST_P(Basic, AddsVectorsOfAnySize) {
  for (int n : {1, 63, 64, 255, 257, 10007}) {
    Session session("basic", GetParam());
    std::vector<float> a(n), b(n);
    for (int i = 0; i < n; ++i)
      a[i] = 0.25f * i, b[i] = 1000.0f - i;
    uint64_t c = session.upload(std::vector<float>(n), "c");
    session.setArguments(session.upload(a), session.upload(b), c, n);
    session.expectRun("add", {{(uint32_t(n) + 255) / 256, 1, 1}, {256, 1, 1}});
    auto out = session.download<float>(c, n);
    for (int i = 0; i < n; ++i)
      ASSERT_EQ(out[i], a[i] + b[i]) << i;
  }
}

static std::array<int32_t, 16> expectIntegers(int32_t x, int32_t y) {
  uint32_t u = x, v = y, s = v & 31;
  auto low24 = [](int32_t value) { return int32_t(uint32_t(value) << 8) >> 8; };
  return {
      int32_t(u + v),
      int32_t(u - v),
      int32_t(u * v),
      int32_t(int64_t(x) * y >> 32),
      int32_t(uint64_t(u) * v >> 32),
      y == 0 ? 0 : int32_t(u / (v | 1)),
      (y | 1) == -1 ? 0 : x % (y | 1),
      x >> s,
      int32_t(u >> s),
      int32_t(u << s),
      std::min(x, y) ^ int32_t(std::max(u, v)),
      __builtin_popcount(u) + (u ? __builtin_clz(u) : 32) * 64,
      (x & y) | (~x & 0x5a5a5a5a),
      int32_t(s ? u << s | u >> (32 - s) : u),
      int32_t(x > y ? u - v : v - u),
      int32_t(uint32_t(low24(x)) * uint32_t(low24(y)) + (x == y) + (u < v) * 2),
  };
}

TEST_P(Basic, ComputesIntegers) {
  const int n = 4096;
  Session session("basic", GetParam());
  auto a = makeBits(n, 1), b = makeBits(n, 2);
  uint64_t out = session.upload(std::vector<int32_t>(n * 16), "out");
  session.setArguments(session.upload(a), session.upload(b), out, n);
  session.expectRun("integers", {{n / 64, 1, 1}, {64, 1, 1}});
  auto got = session.download<int32_t>(out, n * 16);
  for (int i = 0; i < n; ++i) {
    auto want = expectIntegers(a[i], b[i]);
    for (int k = 0; k < 16; ++k)
      ASSERT_EQ(got[i * 16 + k], want[k])
          << "operation " << k << " of " << a[i] << ", " << b[i];
  }
}
