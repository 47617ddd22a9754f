//===- MemoryTest.cpp - memory, LDS, scratch, atomics, grids --------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Kernels.h"

#include <numeric>

using namespace mlir::te::emu;
using namespace mlir::te::emu::test;

class Memory : public ChipTest {};
TE_BOTH_CHIPS(Memory);

TEST_P(Memory, EveryWidth) {
  const uint32_t n = 512;
  Session s("memory", GetParam());
  auto bits = makeBits(n * 4, 3);
  std::vector<uint8_t> bytes(bits.begin(), bits.begin() + n);
  std::vector<int16_t> shorts(bits.begin() + n, bits.begin() + 2 * n);
  std::vector<uint64_t> longs;
  for (uint32_t i = 0; i < n; ++i)
    longs.push_back(uint64_t(bits[i]) << 32 | bits[i + n]);
  uint64_t ob = s.upload(std::vector<uint8_t>(n)),
           os = s.upload(std::vector<int16_t>(n)),
           ol = s.upload(std::vector<uint64_t>(n)),
           oq = s.upload(std::vector<uint32_t>(n * 4));
  s.setArguments(s.upload(bytes), s.upload(shorts), s.upload(longs),
                 s.upload(bits), ob, os, ol, oq);
  s.expectRun("widths", {{n / 64, 1, 1}, {64, 1, 1}});
  auto gb = s.download<uint8_t>(ob, n);
  auto gs = s.download<int16_t>(os, n);
  auto gl = s.download<uint64_t>(ol, n);
  auto gq = s.download<uint32_t>(oq, n * 4);
  for (uint32_t i = 0; i < n; ++i) {
    ASSERT_EQ(gb[i], uint8_t(bytes[i] * 3));
    ASSERT_EQ(gs[i], int16_t(shorts[i] - int8_t(bytes[i])));
    ASSERT_EQ(gl[i], longs[i] * 0x123456789abcdef + bytes[i]);
    for (int k = 0; k < 4; ++k)
      ASSERT_EQ(gq[i * 4 + k], bits[i * 4 + 3 - k] + k + 1);
  }
}

TEST_P(Memory, UnalignedGlobalAccess) {
  Session s("memory", GetParam());
  std::vector<uint8_t> in(64 * 5 + 8);
  std::iota(in.begin(), in.end(), 1);
  uint64_t out = s.upload(std::vector<uint8_t>(64 * 5 + 8));
  s.setArguments(s.upload(in), out);
  s.expectRun("unaligned", {{1, 1, 1}, {64, 1, 1}});
  auto got = s.download<uint8_t>(out, 64 * 5 + 8);
  for (int i = 0; i < 64; ++i)
    for (int k = 0; k < 4; ++k)
      ASSERT_EQ(got[1 + i * 5 + k], in[3 + i * 5 + k]);
}

TEST_P(Memory, TransposesThroughLds) {
  Session s("memory", GetParam());
  std::vector<float> in(64 * 64);
  std::iota(in.begin(), in.end(), 0.0f);
  uint64_t out = s.upload(std::vector<float>(64 * 64));
  s.setArguments(s.upload(in), out);
  auto stats = s.expectRun("transpose", {{1, 1, 1}, {256, 1, 1}});
  auto got = s.download<float>(out, 64 * 64);
  for (int i = 0; i < 64; ++i)
    for (int k = 0; k < 64; ++k)
      ASSERT_EQ(got[i * 64 + k], in[k * 64 + i]);
  EXPECT_EQ(stats.waves, 4u);
  EXPECT_EQ(stats.ldsBytes, 2u * 64 * 64 * 4);
  EXPECT_GT(stats.byMnemonic["s_barrier"], 0u);
}

TEST_P(Memory, ReducesOverBarriers) {
  Session s("memory", GetParam());
  auto in = makeBits(512 * 9, 3);
  uint64_t out = s.upload(std::vector<uint32_t>(9));
  s.setArguments(s.upload(in), out);
  s.expectRun("reduce", {{9, 1, 1}, {512, 1, 1}});
  auto got = s.download<uint32_t>(out, 9);
  for (int g = 0; g < 9; ++g)
    ASSERT_EQ(got[g], std::accumulate(in.begin() + g * 512,
                                      in.begin() + (g + 1) * 512, 0u));
}

TEST_P(Memory, AtomicsOverWorkgroups) {
  const int n = 256 * 40;
  Session s("memory", GetParam());
  auto in = makeBits(n, 3);
  std::vector<int32_t> start(8 + n / 16, 0);
  start[1] = INT32_MAX, start[2] = INT32_MIN;
  uint64_t cells = s.upload(start), wide = s.upload(std::vector<int64_t>(1)),
           single = s.upload(std::vector<float>(1));
  s.setArguments(cells, wide, single, s.upload(in));
  s.options.threads = 4;
  s.expectRun("atomics", {{n / 256, 1, 1}, {256, 1, 1}});
  auto got = s.download<int32_t>(cells, 8 + n / 16);
  uint32_t sum = 0, all = 0, flips[4] = {};
  int32_t least = INT32_MAX, most = INT32_MIN;
  int64_t total = 0;
  float floats = 0;
  for (int i = 0; i < n; ++i) {
    int32_t v = in[i];
    sum += v, all |= v, flips[i & 3] ^= v;
    least = std::min(least, v), most = std::max(most, v);
    total += int64_t(uint64_t(int64_t(v)) << 20);
    floats += v & 15;
  }
  EXPECT_EQ(uint32_t(got[0]), sum);
  EXPECT_EQ(got[1], least);
  EXPECT_EQ(got[2], most);
  EXPECT_EQ(uint32_t(got[3]), all);
  for (int k = 0; k < 4; ++k)
    EXPECT_EQ(uint32_t(got[4 + k]), flips[k]);
  EXPECT_EQ(s.download<int64_t>(wide, 1)[0], total);
  EXPECT_EQ(s.download<float>(single, 1)[0], floats);
  // The compare-and-swap is won once a cell, by one of its sixteen items.
  for (int c = 0; c < n / 16; ++c)
    EXPECT_EQ((got[8 + c] - 1) / 16, c);
}

TEST_P(Memory, LdsAtomics) {
  Session s("memory", GetParam());
  auto in = makeBits(256 * 3, 3);
  uint64_t out = s.upload(std::vector<int32_t>(32 * 3));
  s.setArguments(s.upload(in), out);
  s.expectRun("lds_atomics", {{3, 1, 1}, {256, 1, 1}});
  auto got = s.download<int32_t>(out, 32 * 3);
  for (int g = 0; g < 3; ++g) {
    uint32_t sums[16] = {};
    int32_t most[16] = {};
    for (int i = 0; i < 256; ++i) {
      int32_t v = in[g * 256 + i];
      sums[v & 15] += v;
      most[v & 15] = std::max(most[v & 15], v);
    }
    for (int k = 0; k < 16; ++k) {
      ASSERT_EQ(uint32_t(got[g * 32 + k]), sums[k]);
      ASSERT_EQ(got[g * 32 + 16 + k], most[k]);
    }
  }
}

TEST_P(Memory, ItemsAndGroupsInThreeDimensions) {
  Session s("memory", GetParam());
  const int width = 4 * 5, height = 3 * 2, depth = 7 * 3;
  uint64_t out = s.upload(std::vector<int32_t>(width * height * depth, -1));
  s.setArguments(out, width, height);
  s.expectRun("ids", {{5, 2, 3}, {4, 3, 7}}); // 84 items: a partial second wave
  auto got = s.download<int32_t>(out, width * height * depth);
  for (int z = 0; z < depth; ++z)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        ASSERT_EQ(got[(z * height + y) * width + x],
                  x + y * 1000 + z * 1000000);
}

TEST_P(Memory, HiddenArguments) {
  Session s("memory", GetParam());
  uint64_t out = s.upload(std::vector<uint32_t>(8));
  s.setArguments(out);
  s.expectRun("hidden", {{2, 3, 4}, {8, 2, 1}});
  EXPECT_EQ(s.download<uint32_t>(out, 8),
            (std::vector<uint32_t>{2, 3, 4, 8, 2, 1, 3, 8}));
}

TEST_P(Memory, ScratchArrays) {
  const int n = 256;
  Session s("memory", GetParam());
  auto in = makeBits(n, 3);
  uint64_t out = s.upload(std::vector<int32_t>(n));
  s.setArguments(s.upload(in), out, n);
  auto stats = s.expectRun("scratch", {{n / 64, 1, 1}, {64, 1, 1}});
  EXPECT_GT(stats.scratchAccesses, 0u);
  auto got = s.download<int32_t>(out, n);
  for (int i = 0; i < n; ++i) {
    uint32_t sum = 0;
    for (int k = 0; k < 80; ++k)
      sum = sum * 31 + in[(i + (in[(i + k) % n] & 0x7fffffff) % 80) % n];
    ASSERT_EQ(uint32_t(got[i]), sum);
  }
}

TEST_P(Memory, DynamicallyIndexedRegisters) {
  const int n = 128;
  Session s("memory", GetParam());
  auto in = makeBits(n * 12, 3);
  uint64_t out = s.upload(std::vector<int32_t>(n));
  s.setArguments(s.upload(in), out);
  s.expectRun("indexed", {{n / 64, 1, 1}, {64, 1, 1}});
  auto got = s.download<int32_t>(out, n);
  for (int i = 0; i < n; ++i) {
    std::vector<uint32_t> cells(in.begin() + i * 12, in.begin() + i * 12 + 12);
    uint32_t at = 0, sum = 0;
    for (int k = 0; k < 20; ++k)
      at = cells[at] % 12, cells[at] += k;
    for (uint32_t cell : cells)
      sum = sum * 7 + cell;
    ASSERT_EQ(uint32_t(got[i]), sum);
  }
}

TEST_P(Memory, DivergentLoops) {
  const int n = 1024;
  Session s("memory", GetParam());
  auto in = makeBits(n, 3);
  uint64_t out = s.upload(std::vector<int32_t>(n));
  s.setArguments(s.upload(in), out);
  s.expectRun("collatz", {{n / 128, 1, 1}, {128, 1, 1}});
  auto got = s.download<int32_t>(out, n);
  for (int i = 0; i < n; ++i) {
    uint64_t value = in[i];
    int steps = 0;
    while (value > 1) {
      if (value & 1) {
        value = 3 * value + 1;
        if (steps > 500)
          break;
      } else {
        value >>= 1;
      }
      ++steps;
    }
    ASSERT_EQ(got[i], steps) << in[i];
  }
}

TEST_P(Memory, BufferResourcesCheckTheirRange) {
  Session s("memory", GetParam());
  std::vector<int32_t> in(256);
  std::iota(in.begin(), in.end(), 100);
  uint64_t out = s.upload(std::vector<int32_t>(256, -7));
  const int bytes = 40 * 16 + 8; // lane 40 has two of its four words
  s.setArguments(s.upload(in), out, bytes);
  s.expectRun("buffers", {{1, 1, 1}, {64, 1, 1}});
  auto got = s.download<int32_t>(out, 256);
  for (int i = 0; i < 256; ++i)
    ASSERT_EQ(got[i], i * 4 < bytes ? in[i] + 1 : -7) << i;
}

TEST_P(Memory, Calls) {
  Session s("memory", GetParam());
  auto in = makeBits(64, 3);
  uint64_t out = s.upload(std::vector<int32_t>(64));
  s.setArguments(s.upload(in), out);
  s.expectRun("calls", {{1, 1, 1}, {64, 1, 1}});
  auto got = s.download<uint32_t>(out, 64);
  for (uint32_t i = 0; i < 64; ++i)
    ASSERT_EQ(got[i], int32_t(in[i]) > 0 ? in[i] * 2 + 1 + i * 3 : in[i] * 3);
}

TEST_P(Memory, GenericPointers) {
  Session s("memory", GetParam());
  std::vector<int32_t> in(64);
  std::iota(in.begin(), in.end(), 7);
  uint64_t g = s.upload(in), out = s.upload(std::vector<int32_t>(64));
  s.setArguments(g, out, 5);
  auto stats = s.expectRun("generic_pointers", {{1, 1, 1}, {64, 1, 1}});
  auto got = s.download<int32_t>(out, 64), after = s.download<int32_t>(g, 64);
  for (int i = 0; i < 64; ++i) {
    int want = i % 3 == 0   ? in[i]
               : i % 3 == 1 ? (i + 5) % 64 * 3
                            : i * 100 + (i & 7);
    EXPECT_EQ(got[i], want + 1000) << i;
    EXPECT_EQ(after[i], in[i] + (i % 3 == 0 ? 1000 : 0));
  }
  EXPECT_GT(stats.byMnemonic["flat_load_dword"], 0u);
}
