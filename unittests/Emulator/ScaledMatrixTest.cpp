//===- ScaledMatrixTest.cpp - f8f6f4 MFMA against a host product ----------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Kernels.h"
#include "MatrixData.h"

#include <bit>
#include <cmath>

using namespace mlir::te::emu;
using namespace mlir::te::emu::test;

static constexpr Format formats[] = {FP8, BF8, FP6, BF6, FP4};
/// As the kernels choose them for 16x16x128; 32x32x64 swaps A's and B's.
static constexpr unsigned scaleBytes[25][2] = {
    {0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}, {1, 3}, {2, 0}, {3, 1}, {0, 3},
    {1, 0}, {2, 1}, {3, 2}, {0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}, {1, 3},
    {2, 0}, {3, 1}, {0, 3}, {1, 0}, {2, 1}, {3, 2}, {0, 1}};

namespace {
/// A (or B transposed): legal codes with their values, and the scales'
/// exponents: within 10 of `middle`.
struct Operand {
  Operand(Shape s, Format format, unsigned byte, std::mt19937 &random,
          int middle = 0)
      : middle(middle), values(1, s.size, s.depth), codes(8), scales(64) {
    for (uint32_t &word : scales)
      word = random(); // the other bytes must not matter
    for (unsigned i = 0; i < s.size; ++i)
      for (unsigned k = 0; k < s.depth; ++k)
        fill(s, format, byte, i, k, random);
  }
  void fill(Shape s, Format format, unsigned byte, unsigned i, unsigned k,
            std::mt19937 &random) {
    unsigned width = widthOf(format), groups = 64 / s.size;
    uint64_t code;
    do
      code = random() % (1u << width);
    while (!std::isfinite(decode(code, format, false)));
    // 8 bits: two runs of 16 elements, half of K apart.
    unsigned lane, element;
    if (width == 8) {
      lane = i + s.size * (k / 16 % groups);
      element = k / (16 * groups) * 16 + k % 16;
    } else {
      lane = i + s.size * (k / 32);
      element = k % 32;
    }
    codes.put(lane, element, width, code);
    uint32_t &scale = scales[i + s.size * (k / 32)];
    if (k % 32 == 0) {
      scale &= ~(0xffu << 8 * byte);
      scale |= (117 + middle + random() % 21) << 8 * byte;
    }
    int exponent = int(scale >> 8 * byte & 0xff) - 127;
    values.at(0, i, k) = std::ldexp(decode(code, format, false), exponent);
  }
  /// The values of the codes alone.
  void dropScales(Shape s) {
    for (unsigned i = 0; i < s.size; ++i)
      for (unsigned k = 0; k < s.depth; ++k) {
        int exponent = int(scales[i + s.size * (k / 32)] & 0xff) - 127;
        double &value = values.at(0, i, k);
        value = std::ldexp(value, -exponent);
      }
  }
  int middle;
  Matrix values;
  Registers codes;
  std::vector<uint32_t> scales;
};
} // namespace

/// `got` within the bound of an f32 sum in any order.
static void expectProduct(Shape s, Operand &a, Operand &b, Matrix &c,
                          const Registers &got) {
  for (unsigned i = 0; i < s.size; ++i)
    for (unsigned j = 0; j < s.size; ++j) {
      double sum = c.at(0, i, j), magnitude = std::fabs(sum);
      for (unsigned k = 0; k < s.depth; ++k) {
        double product = a.values.at(0, i, k) * b.values.at(0, j, k);
        sum += product;
        magnitude += std::fabs(product);
      }
      Place at = placeOfResult(s, F32, 0, i, j);
      float value =
          std::bit_cast<float>(uint32_t(got.get(at.lane, at.element, 32)));
      ASSERT_NEAR(value, sum, magnitude * (s.depth + 1) * 0x1p-24)
          << i << ", " << j;
    }
}

static Matrix makeC(Shape s, std::mt19937 &random) {
  Matrix c(1, s.size, s.size);
  c.fill(random, -1000, 1000);
  return c;
}
static std::vector<uint32_t> packC(Matrix &c, Shape s) {
  Registers out(s.size * s.size / 64);
  for (unsigned i = 0; i < s.size; ++i)
    for (unsigned j = 0; j < s.size; ++j) {
      Place to = placeOfResult(s, F32, 0, i, j);
      out.put(to.lane, to.element, 32,
              std::bit_cast<uint32_t>(float(c.at(0, i, j))));
    }
  return out.words;
}

/// Runs `kernel` on A, B, a drawn C and, where it takes them, the scales.
static auto expectProductOf(const std::string &kernel, Shape s, Operand &a,
                            Operand &b, std::mt19937 &random,
                            bool takesScales = true) {
  Matrix c = makeC(s, random);
  Session session("scaled_matrix", "gfx950");
  Registers got(s.size * s.size / 64);
  uint64_t out = session.upload(got.words),
           codesA = session.upload(a.codes.words),
           codesB = session.upload(b.codes.words),
           sums = session.upload(packC(c, s));
  if (takesScales)
    session.setArguments(codesA, codesB, sums, session.upload(a.scales),
                         session.upload(b.scales), out);
  else
    session.setArguments(codesA, codesB, sums, out);
  auto stats = session.expectRun(kernel, {{1, 1, 1}, {64, 1, 1}});
  got.words = session.download<uint32_t>(out, got.words.size());
  expectProduct(s, a, b, c, got);
  return stats;
}

static constexpr Shape shapes[] = {{16, 128, 1}, {32, 64, 1}};

/// Of four cycles: fp4 and fp6 on both sides go twice as fast.
static uint64_t countPasses(Shape s, unsigned fa, unsigned fb) {
  return (s.size == 16 ? 4 : 8) * (fa < 2 || fb < 2 ? 2 : 1);
}

TEST(ScaledMatrix, EveryMixOfFormats) {
  const uint32_t seed = 950;
  std::mt19937 random(seed);
  for (Shape s : shapes)
    for (unsigned mix = 0; mix < 25; ++mix) {
      unsigned fa = mix / 5, fb = mix % 5, swap = s.size == 32;
      std::string kernel = "scaled_" + std::to_string(s.size) + "_" +
                           std::to_string(fa) + "_" + std::to_string(fb);
      SCOPED_TRACE(kernel + ", seed " + std::to_string(seed));
      // Some scaled operands are beyond the range of a float.
      int middle = int(mix % 3) * 115 - 115;
      Operand a(s, formats[fa], scaleBytes[mix][swap], random, middle);
      Operand b(s, formats[fb], scaleBytes[mix][!swap], random, -middle);
      auto stats = expectProductOf(kernel, s, a, b, random);
      EXPECT_EQ(stats.mfmaPasses, countPasses(s, fa, fb));
      if (HasFailure())
        return;
    }
}

TEST(ScaledMatrix, WithoutScales) {
  std::mt19937 random(951);
  for (auto [s, fa, fb] :
       {std::tuple(shapes[0], 0u, 4u), std::tuple(shapes[1], 3u, 1u)}) {
    Operand a(s, formats[fa], 0, random), b(s, formats[fb], 0, random);
    for (Operand *operand : {&a, &b})
      operand->dropScales(s);
    auto stats =
        expectProductOf("plain_" + std::to_string(s.size) + "_" +
                            std::to_string(fa) + "_" + std::to_string(fb),
                        s, a, b, random, /*takesScales=*/false);
    std::string name = "v_mfma_f32_16x16x128_f8f6f4";
    if (s.size == 32)
      name = "v_mfma_f32_32x32x64_f8f6f4";
    EXPECT_EQ(stats.byMnemonic[name], 1u);
  }
}

/// A scale of 0xff makes its 32 values NaN: of row 2, and of no other.
TEST(ScaledMatrix, NaNScale) {
  std::mt19937 random(952);
  Shape s = shapes[0];
  Operand a(s, FP4, 0, random), b(s, FP4, 1, random);
  Matrix c = makeC(s, random);
  a.scales[2 + 16 * 3] |= 0xff;
  Session session("scaled_matrix", "gfx950");
  uint64_t out = session.upload(std::vector<uint32_t>(256));
  session.setArguments(session.upload(a.codes.words),
                       session.upload(b.codes.words),
                       session.upload(packC(c, s)), session.upload(a.scales),
                       session.upload(b.scales), out);
  session.expectRun("scaled_16_4_4", {{1, 1, 1}, {64, 1, 1}});
  Registers got(4);
  got.words = session.download<uint32_t>(out, 256);
  for (unsigned i = 0; i < 16; ++i)
    for (unsigned j = 0; j < 16; ++j) {
      Place at = placeOfResult(s, F32, 0, i, j);
      float value =
          std::bit_cast<float>(uint32_t(got.get(at.lane, at.element, 32)));
      EXPECT_EQ(std::isnan(value), i == 2) << i << ", " << j;
    }
}

/// LLVM's decoder takes an operand for eight registers.
TEST(ScaledMatrix, LastRegisters) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  Shape s = shapes[0];
  for (std::string kernel : {"last_scaled", "last_plain"}) {
    Operand a(s, formats[2], 0, random), b(s, formats[4], 0, random);
    if (kernel == "last_plain")
      for (Operand *operand : {&a, &b})
        operand->dropScales(s);
    expectProductOf(kernel, s, a, b, random);
  }
}
