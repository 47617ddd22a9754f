//===- Fp8Test.cpp - fp8, bf8 and fp4 conversions against APFloat ---------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Kernels.h"

#include "llvm/ADT/APFloat.h"

#include <bit>
#include <cmath>
#include <random>

using namespace mlir::te::emu;
using namespace mlir::te::emu::test;
using llvm::APFloat;

/// The format that a chip means by fp8 or bf8.
static const llvm::fltSemantics &semanticsOf(bool isBf8, const char *chip) {
  bool fnuz = std::string(chip) == "gfx942";
  return isBf8 ? (fnuz ? APFloat::Float8E5M2FNUZ() : APFloat::Float8E5M2())
               : (fnuz ? APFloat::Float8E4M3FNUZ() : APFloat::Float8E4M3FN());
}

static APFloat convert(APFloat value, const llvm::fltSemantics &to) {
  bool loses;
  value.convert(to, APFloat::rmNearestTiesToEven, &loses);
  return value;
}
static uint8_t codeOf(const APFloat &value) {
  return value.bitcastToAPInt().getZExtValue();
}
static APFloat fromCode(uint8_t code, const llvm::fltSemantics &format) {
  return APFloat(format, llvm::APInt(APFloat::getSizeInBits(format), code));
}

/// Equal codes; every NaN of the format is as good as another.
static bool sameCode(uint8_t got, const APFloat &want) {
  if (want.isNaN())
    return fromCode(got, want.getSemantics()).isNaN();
  return got == codeOf(want);
}
/// Of the fresh inputs.
static uint32_t getSeed() {
  static const uint32_t seed = std::random_device()();
  return seed;
}
static std::string show(float input, uint32_t got, const APFloat &want) {
  char text[128];
  std::snprintf(text, sizeof(text), "%a: got 0x%x, expected 0x%x (seed %u)",
                input, got, codeOf(want), getSeed());
  return text;
}

/// Every bf16 number, numbers next to the formats' ties, and fresh ones of
/// magnitudes that the formats have, and a bit beyond.
static std::vector<float> makeInputs() {
  std::vector<float> inputs;
  std::mt19937 random(getSeed());
  for (int i = 0; i < 16384; ++i) {
    uint32_t fraction = random() & 0x807fffff, exponent = random() % 40 + 107;
    inputs.push_back(std::bit_cast<float>(fraction | exponent << 23));
  }
  for (uint32_t bits = 0; bits < 65536; ++bits)
    inputs.push_back(std::bit_cast<float>(bits << 16));
  for (uint32_t bits : makeBits(4096, 3))
    for (int nudge : {-1, 0, 1}) // around ties of either format
      inputs.push_back(
          std::bit_cast<float>(((bits & 0x87f80000) | 0x38000000) + nudge));
  inputs.resize(inputs.size() / 256 * 256);
  return inputs;
}

class Fp8 : public ChipTest {};
TE_BOTH_CHIPS(Fp8);

TEST_P(Fp8, EncodesEveryBFloat) {
  for (int clamp : {0, 1}) {
    auto inputs = makeInputs();
    Session s("fp8", GetParam());
    uint64_t out = s.upload(std::vector<uint32_t>(inputs.size() * 4));
    s.setArguments(s.upload(inputs), out, clamp);
    s.expectRun("encode", {{uint32_t(inputs.size()) / 256, 1, 1}, {256, 1, 1}});
    auto got = s.download<uint32_t>(out, inputs.size() * 4);
    for (size_t i = 0; i < inputs.size(); ++i) {
      for (int k = 0; k < 4; ++k) {
        const auto &format = semanticsOf(k >= 2, GetParam());
        // Results 1 and 3 filled the upper half with the pair swapped.
        uint32_t word = got[i * 4 + k];
        APFloat plus = convert(APFloat(inputs[i]), format);
        APFloat minus = convert(APFloat(-inputs[i]), format);
        if (clamp && std::isfinite(inputs[i]) && !plus.isFinite()) {
          bool negative = std::signbit(inputs[i]);
          plus = APFloat::getLargest(format, negative);
          minus = APFloat::getLargest(format, !negative);
        }
        ASSERT_TRUE(sameCode(word & 0xff, plus)) << show(inputs[i], word, plus);
        ASSERT_TRUE(sameCode(word >> 8 & 0xff, minus))
            << show(inputs[i], word, minus);
        if (k % 2 == 0) {
          ASSERT_EQ(word >> 16, 0xaaaau) << "the other half is kept";
          continue;
        }
        ASSERT_TRUE(sameCode(word >> 16 & 0xff, minus))
            << show(inputs[i], word, minus);
        ASSERT_TRUE(sameCode(word >> 24, plus)) << show(inputs[i], word, plus);
      }
    }
  }
}

TEST_P(Fp8, DecodesEveryCode) {
  Session s("fp8", GetParam());
  uint64_t out = s.upload(std::vector<float>(256 * 12));
  s.setArguments(out);
  s.expectRun("decode", {{1, 1, 1}, {256, 1, 1}});
  auto got = s.download<float>(out, 256 * 12);
  for (int code = 0; code < 256; ++code) {
    for (int k = 0; k < 12; ++k) {
      bool isBf8 = k == 4 || k == 5 || k == 8 || k == 9;
      APFloat want = convert(fromCode(code, semanticsOf(isBf8, GetParam())),
                             APFloat::IEEEsingle());
      float value = got[code * 12 + k];
      if (want.isNaN())
        ASSERT_TRUE(std::isnan(value)) << code << " at " << k;
      else
        ASSERT_EQ(std::bit_cast<uint32_t>(value),
                  want.bitcastToAPInt().getZExtValue())
            << code << " at " << k;
    }
  }
}

/// Without random bits the rounding is toward zero; with all of them it goes
/// away from zero unless the value is exact; exact values never change.
TEST_P(Fp8, StochasticRoundingStaysBetweenNeighbours) {
  auto inputs = makeInputs();
  for (uint32_t seed : {0u, 0x80000000u, 0xffffffffu}) {
    Session s("fp8", GetParam());
    uint64_t out = s.upload(std::vector<uint32_t>(inputs.size()));
    s.setArguments(s.upload(inputs), out, seed);
    s.expectRun("stochastic",
                {{uint32_t(inputs.size()) / 256, 1, 1}, {256, 1, 1}});
    auto got = s.download<uint32_t>(out, inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      for (int k = 0; k < 4; ++k) {
        const auto &format = semanticsOf(k % 2, GetParam());
        float input = k < 2 ? inputs[i] : -inputs[i];
        float most = APFloat::getLargest(format).convertToFloat();
        // bf16 keeps fewer bits than the seed has: full steps only.
        if (!std::isfinite(input) || std::fabs(input) > most ||
            std::fabs(input) < 0x1p-14f)
          continue;
        bool loses;
        APFloat down(input), up(input);
        down.convert(format, APFloat::rmTowardZero, &loses);
        up.convert(format,
                   input < 0 ? APFloat::rmTowardNegative
                             : APFloat::rmTowardPositive,
                   &loses);
        uint8_t code = got[i] >> k * 8;
        if (seed == 0)
          ASSERT_EQ(code, codeOf(down)) << input;
        else if (seed == 0xffffffff && std::fabs(input) > 0x1p-6f)
          ASSERT_TRUE(sameCode(code, up)) << show(input, code, up);
        else
          ASSERT_TRUE(code == codeOf(down) || sameCode(code, up))
              << show(input, code, up);
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// gfx950: v_cvt_scalef32
//===----------------------------------------------------------------------===//

/// 2^(e - 127) of a scale's exponent field.
static int exponentOf(float scale) {
  return int(std::bit_cast<uint32_t>(scale) >> 23 & 0xff) - 127;
}

static APFloat scaled(double value, int exponent,
                      const llvm::fltSemantics &format) {
  // In double a power of two is exact.
  APFloat wide(std::ldexp(value, exponent));
  if (&format != &APFloat::Float4E2M1FN())
    return convert(wide, format);
  // APFloat has no code for what is out of range here; the hardware saturates.
  if (wide.isNaN() || std::fabs(wide.convertToDouble()) > 6)
    return APFloat::getLargest(format, std::signbit(value));
  return convert(wide, format);
}

TEST(Scaled, EncodesUnderAScale) {
  auto inputs = makeInputs();
  std::vector<float> scales;
  for (size_t i = 0; i < inputs.size(); ++i) // 2^-12..2^12, the extremes too
    scales.push_back(std::bit_cast<float>(
        uint32_t(i % 29 == 0   ? 0
                 : i % 29 == 1 ? 254
                               : 115 + i % 25)
            << 23 |
        uint32_t(i * 77 & 0x7fffff))); // the mantissa does not count
  Session s("scaled", "gfx950");
  uint64_t out = s.upload(std::vector<uint32_t>(inputs.size() * 9));
  s.setArguments(s.upload(inputs), s.upload(scales), out);
  s.expectRun("encode", {{uint32_t(inputs.size()) / 256, 1, 1}, {256, 1, 1}});
  auto got = s.download<uint32_t>(out, inputs.size() * 9);
  for (size_t i = 0; i < inputs.size(); ++i) {
    int exponent = -exponentOf(scales[i]);
    for (int k = 0; k < 9; ++k) {
      const auto &format = k < 3   ? APFloat::Float8E4M3FN()
                           : k < 6 ? APFloat::Float8E5M2()
                                   : APFloat::Float4E2M1FN();
      double x = inputs[i];
      if (k % 3 == 1)
        x = convert(APFloat(inputs[i]), APFloat::IEEEhalf()).convertToDouble();
      if (k % 3 == 2)
        x = std::bit_cast<float>(std::bit_cast<uint32_t>(inputs[i]) &
                                 0xffff0000);
      if (k >= 6 && std::isnan(x))
        continue; // fp4 has no NaN: unspecified
      APFloat plus = scaled(x, exponent, format);
      APFloat minus = scaled(-x, exponent, format);
      uint32_t word = got[i * 9 + k];
      if (k < 6) {
        bool high = k == 1 || k == 3 || k == 5;
        uint32_t pair = high ? word >> 16 : word & 0xffff;
        ASSERT_EQ(high ? word & 0xffff : word >> 16, high ? 0x1111u : 0x2222u);
        ASSERT_TRUE(sameCode(pair & 0xff, plus))
            << k << " " << show(x, word, plus) << " scale 2^" << -exponent;
        ASSERT_TRUE(sameCode(pair >> 8, minus))
            << k << " " << show(-x, word, minus) << " scale 2^" << -exponent;
      } else {
        int byte = k - 5;
        ASSERT_EQ(word & ~(0xffu << byte * 8),
                  0x33333333 & ~(0xffu << byte * 8));
        uint32_t pair = word >> byte * 8 & 0xff;
        ASSERT_EQ(pair & 15, codeOf(plus))
            << k << " " << x << " scale 2^" << -exponent;
        ASSERT_EQ(pair >> 4, codeOf(minus))
            << k << " " << -x << " scale 2^" << -exponent;
      }
    }
  }
}

/// `value` times 2^exponent in `format`, as a bit pattern; any NaN is
/// 0xffffffff.
static uint32_t decoded(const APFloat &value, int exponent,
                        const llvm::fltSemantics &format) {
  APFloat wide = convert(value, APFloat::IEEEdouble());
  APFloat result =
      convert(APFloat(std::ldexp(wide.convertToDouble(), exponent)), format);
  return result.isNaN() ? ~0u : result.bitcastToAPInt().getZExtValue();
}
static uint32_t canonical(uint32_t bits, const llvm::fltSemantics &format) {
  unsigned width = APFloat::getSizeInBits(format);
  return APFloat(format, llvm::APInt(width, bits)).isNaN() ? ~0u : bits;
}

TEST(Scaled, DecodesUnderAScale) {
  const uint32_t n = 256 * 256; // every code under every exponent but NaN's
  std::vector<float> scales;
  for (uint32_t i = 0; i < n; ++i)
    scales.push_back(std::bit_cast<float>(std::min(i / 256, 254u) << 23));
  Session s("scaled", "gfx950");
  uint64_t out = s.upload(std::vector<uint32_t>(n * 20));
  s.setArguments(s.upload(scales), out);
  s.expectRun("decode", {{n / 256, 1, 1}, {256, 1, 1}});
  auto got = s.download<uint32_t>(out, n * 20);
  const auto &single = APFloat::IEEEsingle(), &half = APFloat::IEEEhalf(),
             &brain = APFloat::BFloat();
  const auto &fp8 = APFloat::Float8E4M3FN(), &bf8 = APFloat::Float8E5M2(),
             &fp4 = APFloat::Float4E2M1FN();
  for (uint32_t i = 0; i < n; ++i) {
    const uint32_t *r = &got[i * 20];
    uint8_t code = i & 255;
    int e = exponentOf(scales[i]);
    auto expect = [&](uint32_t bits, uint8_t from,
                      const llvm::fltSemantics &small,
                      const llvm::fltSemantics &wide, int which) {
      EXPECT_EQ(canonical(bits, wide), decoded(fromCode(from, small), e, wide))
          << "result " << which << " of code " << int(from) << ", scale 2^"
          << e;
    };
    expect(r[0], code, fp8, single, 0);
    expect(r[1], code, bf8, single, 1);
    expect(r[2] & 0xffff, code, fp8, half, 2);
    ASSERT_EQ(r[2] >> 16, 0x4000u);
    expect(r[3] >> 16, code, bf8, half, 3);
    ASSERT_EQ(r[3] & 0xffff, 0x3c00u);
    for (int k = 0; k < 2; ++k) { // the low element has its sign flipped
      uint8_t element = k ? code : code ^ 0x80;
      expect(r[4 + k], element, fp8, single, 4);
      expect(r[6 + k], element, bf8, single, 6);
      expect(r[8] >> 16 * k & 0xffff, element, fp8, half, 8);
      expect(r[9] >> 16 * k & 0xffff, element, bf8, half, 9);
      expect(r[10] >> 16 * k & 0xffff, element, fp8, brain, 10);
      expect(r[11] >> 16 * k & 0xffff, element, bf8, brain, 11);
      uint8_t nibble = code >> 4 * k & 15;
      expect(r[12 + k], nibble, fp4, single, 12);
      expect(r[14] >> 16 * k & 0xffff, nibble, fp4, half, 14);
      expect(r[15] >> 16 * k & 0xffff, nibble, fp4, brain, 15);
    }
    if (testing::Test::HasFailure())
      return;
  }
}

TEST(Scaled, OtherAdditionsOfGfx950) {
  const int n = 1024;
  Session s("scaled", "gfx950");
  auto a = makeBits(n, 3), b = makeBits(n, 4), c = makeBits(n, 5);
  uint64_t out = s.upload(std::vector<uint32_t>(n * 8));
  s.setArguments(s.upload(a), s.upload(b), s.upload(c), out);
  s.expectRun("others", {{n / 64, 1, 1}, {64, 1, 1}});
  auto got = s.download<uint32_t>(out, n * 8);
  auto brain = [](uint32_t bits) {
    return uint32_t(
        convert(APFloat(std::bit_cast<float>(bits)), APFloat::BFloat())
            .bitcastToAPInt()
            .getZExtValue());
  };
  auto sameBrain = [](uint32_t x, uint32_t y) {
    return canonical(x, APFloat::BFloat()) == canonical(y, APFloat::BFloat());
  };
  for (int i = 0; i < n; ++i) {
    const uint32_t *r = &got[i * 8];
    uint32_t x = a[i], y = b[i], z = c[i];
    ASSERT_TRUE(sameBrain(r[0] & 0xffff, brain(x))) << x;
    ASSERT_TRUE(sameBrain(r[0] >> 16, brain(y))) << y;
    ASSERT_EQ(r[1], (x & y) | (~x & z));
    int lane = i & 63, wave = i & ~63;
    ASSERT_EQ(r[2], lane & 16 ? b[i - 16] : x);
    ASSERT_EQ(r[3], lane & 16 ? y : a[wave + lane + 16]);
    ASSERT_EQ(r[4], lane & 32 ? b[i - 32] : x);
    ASSERT_EQ(r[5], lane & 32 ? y : a[wave + lane + 32]);
    ASSERT_EQ(r[6], x << 1 ^ (x >> 31 ? 197u : 0u));
    auto saturate = [&](uint32_t value) {
      int32_t shifted = int32_t(value) >> (z & 31);
      return uint32_t(uint8_t(std::clamp(shifted, -128, 127)));
    };
    ASSERT_EQ(r[7], saturate(x) | saturate(y) << 8);
  }
}

/// A scale that takes a number beyond the range of f32 does not make it an
/// infinity, which alone stays one.
TEST(Scaled, ClampsAfterTheScale) {
  std::vector<float> in(64, 1), scales(64, 1);
  in[0] = in[1] = 0x1p100f;
  scales[0] = scales[2] = 0x1p-100f;
  in[2] = INFINITY;
  Session s("scaled", "gfx950");
  uint64_t out = s.upload(std::vector<uint32_t>(128));
  s.setArguments(s.upload(in), s.upload(scales), out);
  s.expectRun("clamped", {{1, 1, 1}, {64, 1, 1}});
  auto got = s.download<uint32_t>(out, 8);
  const uint32_t most8 = 0xfe7e, most5 = 0xfb7b, one8 = 0xb838, one5 = 0xbc3c;
  EXPECT_EQ(got, (std::vector<uint32_t>{most8, most5, most8, most5, 0xff7f,
                                        0xfc7c, one8, one5}));
}
