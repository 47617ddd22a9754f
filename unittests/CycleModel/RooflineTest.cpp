//===- RooflineTest.cpp - flops, and the roofs above them -----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Kernels.h"

using namespace mlir::te;
using namespace mlir::te::cycle;
using namespace mlir::te::cycle::test;

class Roofline : public ChipTest {};
TE_BOTH_CHIPS(Roofline);

static constexpr int kRounds = 4, kRepeated = 64;

/// Flops of the kernel's loops: the rest does a few for each lane.
static double flopsEach(Kernels &k, const char *kernel, unsigned lanes) {
  uint64_t out = k.allocate(1 << 16);
  auto run = [&](int rounds) {
    return k.profile(kernel, 1, 256, k.pack(out, rounds)).cu.vectorFlops;
  };
  return double(run(2 * kRounds) - run(kRounds)) /
         (kRounds * kRepeated * 4.0 * lanes);
}

TEST_P(Roofline, FlopsOfALane) {
  Kernels k("micro", GetParam());
  EXPECT_EQ(flopsEach(k, "valu_fma", 64), 2);
  EXPECT_EQ(flopsEach(k, "valu_exp", 64), 1);
  EXPECT_EQ(flopsEach(k, "valu_move", 64), 0);
  EXPECT_EQ(flopsEach(k, "valu_pk_fma", 64), 4);
  EXPECT_EQ(flopsEach(k, "valu_pk_add_half", 64), 2);
  EXPECT_EQ(flopsEach(k, "valu_few_lanes", 10), 2);
}

/// The peaks are the data sheets': TFLOP/s of plain and of packed f32, and of
/// f16 matrix instructions (those that gfx942 has).
TEST_P(Roofline, Peaks) {
  Kernels k("micro", GetParam());
  uint64_t out = k.allocate(1 << 16);
  bool isWide = GetParam() == std::string("gfx950");
  struct Case {
    const char *kernel, *unit;
    double peak;
  };
  const Case cases[] = {
      {"valu_fma", "vector", isWide ? 78.6 : 81.7},
      {"valu_pk_fma", "vector", isWide ? 157.3 : 163.4},
      {"mfma_streams_32", "matrix", isWide ? 1258.3 : 1307.4}};
  for (const Case &at : cases) {
    auto made = k.profile(at.kernel, 1, 256, k.pack(out, 64)).roofline();
    ASSERT_TRUE(made) << at.kernel;
    EXPECT_EQ(made->unit, at.unit) << at.kernel;
    // A few other instructions before and after the loop.
    EXPECT_NEAR(made->peak / 1e12, at.peak, 0.002 * at.peak) << at.kernel;
    EXPECT_LE(made->flopsPerSecond, made->peak) << at.kernel;
  }
}

TEST_P(Roofline, Bounds) {
  Kernels k("micro", GetParam());
  uint64_t in = k.allocate(uint64_t(2048) * 1024 * 16 * 4),
           out = k.allocate(uint64_t(2048) * 1024 * 4);
  // Adds a value of each 16 bytes read: far below the ridge.
  auto reads = k.profile("load_memory", 2 * k.target.computeUnits, 1024,
                         k.pack(in, out, 1))
                   .roofline();
  ASSERT_TRUE(reads);
  EXPECT_EQ(reads->unit, "vector");
  EXPECT_TRUE(reads->isMemoryBound());
  EXPECT_LT(reads->flopsPerByte, 1);
  EXPECT_DOUBLE_EQ(reads->roof(), reads->memoryRoof);
  EXPECT_LE(reads->flopsPerSecond, reads->roof());
  // 4096 of each byte written.
  auto works =
      k.profile("valu_fma", k.target.computeUnits, 1024, k.pack(out, 64))
          .roofline();
  ASSERT_TRUE(works);
  EXPECT_FALSE(works->isMemoryBound());
  EXPECT_GT(works->flopsPerSecond, 0.8 * works->roof());
  EXPECT_FALSE(k.profile("salu", 1, 64, k.pack(out, 1)).roofline());
}
