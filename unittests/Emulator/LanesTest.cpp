//===- LanesTest.cpp - moves between lanes, bit instructions --------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Kernels.h"

using namespace mlir::te::emu;
using namespace mlir::te::emu::test;

class LaneMoves : public ChipTest {};
TE_BOTH_CHIPS(LaneMoves);

TEST_P(LaneMoves, DppSwizzleAndPermute) {
  Session s("lanes", GetParam());
  auto in = makeBits(1024, 3);
  in.erase(in.begin(), in.begin() + 1024 - 64);
  uint64_t out = s.upload(std::vector<uint32_t>(64 * 24));
  s.setArguments(s.upload(in), out);
  s.expectRun("moves", {{1, 1, 1}, {64, 1, 1}});
  auto got = s.download<uint32_t>(out, 64 * 24);
  uint64_t ballot = 0;
  for (int i = 0; i < 64; ++i)
    ballot |= uint64_t(in[i] & 1) << i;
  std::vector<uint32_t> permuted(64);
  for (int i = 0; i < 64; ++i)
    permuted[i * 7 & 63] = in[i];
  for (int i = 0; i < 64; ++i) {
    int row = i & ~15, at = i & 15;
    uint32_t old = -1 - i;
    auto from = [&](int lane) { return in[lane]; };
    uint32_t want[24] = {
        from((i & ~3) + 3 - (i & 3)),
        at < 15 ? from(i + 1) : old,
        at >= 3 ? from(i - 3) : 0,
        from(row + ((at - 5) & 15)),
        from(row + 15 - at),
        from((i & ~7) + 7 - (i & 7)),
        i / 16 % 2 ? from(row - 1) : old,
        i >= 32 ? from(31) : old,
        i ? from(i - 1) : old,
        from((i + 1) & 63),
        from(row + 5),
        i / 4 % 2 == 0 && at ? from(i - 1) : old,
        from(i ^ 16),
        from((i & ~3) + 1),
        from((i & 32) | (i & 0x18)),
        from(i * 7 & 63),
        permuted[i],
        from(17),
        from(0),
        3 + uint32_t(__builtin_popcountll(0x0f0f0f0fff00ff00 &
                                          ((uint64_t(1) << i) - 1))),
        uint32_t(ballot),
        uint32_t(ballot >> 32),
        !(in[i] & 1)                       ? 0
        : at < 15 && ballot >> (i + 1) & 1 ? from(i + 1)
                                           : old,
        0};
    // v_perm: selector bytes 01, 0c, 02, 07 of {x, old}.
    uint64_t both = uint64_t(in[i]) << 32 | old;
    want[23] = uint32_t(both >> 8 & 0xff) | uint32_t(both >> 16 & 0xff) << 16 |
               uint32_t(both >> 56) << 24;
    for (int k = 0; k < 24; ++k)
      ASSERT_EQ(got[i * 24 + k], want[k]) << "lane " << i << ", result " << k;
  }
}

static uint32_t field(uint32_t value, uint32_t offset, uint32_t width) {
  return value >> offset & ((1u << width) - 1);
}
static uint32_t signedField(uint32_t value, uint32_t offset, uint32_t width) {
  if (width == 0)
    return 0;
  int64_t wide = int64_t(int32_t(value)) >> offset;
  return uint32_t(int64_t(uint64_t(wide) << (64 - width)) >> (64 - width));
}

TEST_P(LaneMoves, BitInstructions) {
  const int n = 4096;
  Session s("lanes", GetParam());
  auto a = makeBits(n, 3), b = makeBits(n, 4), c = makeBits(n, 5);
  uint64_t out = s.upload(std::vector<uint32_t>(n * 16));
  s.setArguments(s.upload(a), s.upload(b), s.upload(c), out);
  s.expectRun("bits", {{n / 64, 1, 1}, {64, 1, 1}});
  auto got = s.download<uint32_t>(out, n * 16);
  for (int i = 0; i < n; ++i) {
    uint32_t x = a[i], y = b[i], z = c[i];
    uint64_t xy = uint64_t(x) << 32 | y, zx = uint64_t(z) << 32 | x;
    uint64_t wide = uint64_t(x) * y + zx;
    uint32_t sad = z;
    for (int k = 0; k < 32; k += 8)
      sad += std::abs(int(x >> k & 0xff) - int(y >> k & 0xff));
    uint32_t reversed = 0;
    for (int k = 0; k < 32; ++k)
      reversed |= (x >> k & 1) << (31 - k);
    uint32_t want[16] = {field(x, y & 31, z & 31),
                         signedField(x, y & 31, z & 31),
                         uint32_t(xy >> (z & 31)),
                         uint32_t(xy >> (z & 3) * 8),
                         reversed,
                         (x << 5) + y,
                         (x + y) << 3,
                         (x & y) | z,
                         (x ^ y) + z,
                         std::max(std::min(x, y), std::min(std::max(x, y), z)),
                         sad,
                         uint32_t((xy >> (z & 63)) ^ (zx << (y & 63))),
                         uint32_t(wide),
                         uint32_t(wide >> 32),
                         (x & ~y) ^ (y | z),
                         int32_t(x) < int32_t(y)
                             ? uint32_t(__builtin_ctz(z | 0x80000000))
                             : uint16_t(x * z) + uint8_t(y >> 8)};
    for (int k = 0; k < 16; ++k)
      ASSERT_EQ(got[i * 16 + k], want[k])
          << "item " << i << ", result " << k << " of " << x << ", " << y
          << ", " << z;
  }
}
