//===- MiscTest.cpp - what the other tests' kernels do not have -----------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Kernels.h"
#include "Reference.h"

#include <bit>
#include <cmath>
#include <random>

using namespace mlir::te::emu;
using namespace mlir::te::emu::test;

using U = uint32_t;

class Misc : public ChipTest {
protected:
  bool isGfx950() const { return std::string(GetParam()) == "gfx950"; }
  Session session{"misc", GetParam()};
  const uint32_t seed = std::random_device()();
  std::mt19937 random{seed};
  std::vector<float> drawFloats(size_t count, float least, float most) {
    std::uniform_real_distribution<float> between(least, most);
    std::vector<float> values(count);
    for (float &value : values)
      value = between(random);
    return values;
  }
  std::vector<U> drawWords(size_t count) {
    std::vector<U> words(count);
    for (U &word : words)
      word = random();
    return words;
  }
};
TE_BOTH_CHIPS(Misc);

TEST_P(Misc, Approximations) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  auto in = drawFloats(256, 0.01f, 9);
  uint64_t out = session.upload(std::vector<double>(256 * 10, NAN));
  session.setArguments(session.upload(in), out);
  session.expectRun("near", {{4, 1, 1}, {64, 1, 1}});
  auto got = session.download<double>(out, 256 * 10);
  for (size_t i = 0; i < in.size(); ++i) {
    double x = in[i];
    F narrow = converted(Mode{0xf0}, F(in[i]), IEEE16);
    double h = widened(narrow).convertToFloat(), turn = 2 * M_PI * h;
    const double want[] = {std::exp2(x),   std::log2(x),      std::exp2(h),
                           std::log2(h),   1 / std::sqrt(h),  std::sin(turn),
                           std::cos(turn), h - std::floor(h), x - std::floor(x),
                           std::sqrt(x)};
    for (size_t k = 0; k < 10; ++k) {
      bool isHalf = k >= 2 && k < 8;
      double ulp = isHalf ? 0x1p-10 : k < 2 ? 0x1p-22 : 0x1p-51;
      ASSERT_NEAR(got[i * 10 + k], want[k], ulp * std::fabs(want[k]) + ulp / 16)
          << "instruction " << k << " of " << x;
    }
  }
}

TEST_P(Misc, FloatDots) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  auto values = drawFloats(256 * 4, -8, 8);
  std::vector<U> in;
  for (size_t i = 0; i < values.size(); i += 4)
    for (const Semantics *s : {&IEEE16, &F::BFloat()})
      for (size_t k = 0; k < 4; k += 2) {
        auto of = [&](size_t at) {
          return converted(Mode{0xf0}, F(values[at]), *s).bitcastToAPInt();
        };
        in.push_back(joined(of(i + k + 1), of(i + k)).getZExtValue());
      }
  uint64_t out = session.upload(std::vector<float>(256 * 4, NAN));
  session.setArguments(session.upload(in), out);
  session.expectRun("dots", {{4, 1, 1}, {64, 1, 1}});
  auto got = session.download<float>(out, 256 * 4);
  for (size_t i = 0; i < 256; ++i)
    for (size_t k = 0; k < (isGfx950() ? 4 : 2); ++k) {
      const Semantics &s = k < 2 ? IEEE16 : F::BFloat();
      auto of = [&](size_t word, unsigned at) {
        return double(widened(fromBits(s, in[i * 4 + word] >> at & 0xffff))
                          .convertToFloat());
      };
      size_t a = k / 2 * 2;
      double want = 3.25 + of(a, 0) * of(a + 1, 0) + of(a, 16) * of(a + 1, 16);
      ASSERT_NEAR(got[i * 4 + k], want, 0x1p-16) << k;
    }
}

TEST_P(Misc, CubeMaps) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  auto in = drawFloats(256 * 3, -2, 2);
  for (size_t i = 0; i < 48; i += 3) // two or three as large
    in[i + 1] = i % 2 ? in[i] : -in[i], in[i + 2] = i % 4 ? in[i] : 0;
  uint64_t out = session.upload(std::vector<float>(256 * 4, NAN));
  session.setArguments(session.upload(in), out);
  session.expectRun("cube", {{4, 1, 1}, {64, 1, 1}});
  auto got = session.download<float>(out, 256 * 4);
  for (size_t i = 0; i < 256; ++i) {
    float x = in[i * 3], y = in[i * 3 + 1], z = in[i * 3 + 2];
    float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
    std::array<float, 4> want;
    if (az >= ax && az >= ay)
      want = {z < 0 ? 5.0f : 4.0f, z < 0 ? -x : x, -y, 2 * z};
    else if (ay >= ax)
      want = {y < 0 ? 3.0f : 2.0f, x, y < 0 ? -z : z, 2 * y};
    else
      want = {x < 0 ? 1.0f : 0.0f, x < 0 ? z : -z, -y, 2 * x};
    ASSERT_TRUE(std::equal(want.begin(), want.end(), &got[i * 4]))
        << x << ", " << y << ", " << z;
  }
}

/// The first `bits` bits of 2/pi's fraction, by Machin's formula.
static A twoOverPi(unsigned bits) {
  const unsigned width = 2 * bits + 64;
  A one = A::getOneBitSet(width, bits + 32);
  auto arctangent = [&](unsigned inverse) {
    A power = one.udiv(inverse), sum = power;
    for (unsigned n = 3; !power.isZero(); n += 2) {
      power = power.udiv(inverse * inverse);
      sum = n % 4 == 3 ? sum - power.udiv(n) : sum + power.udiv(n);
    }
    return sum;
  };
  A pi = arctangent(5) * 16 - arctangent(239) * 4;
  return A::getOneBitSet(width, 2 * bits + 33).udiv(pi);
}

TEST_P(Misc, SegmentsOfTwoOverPi) {
  std::vector<double> in;
  for (int i = 0; i < 64; ++i)
    in.push_back(std::ldexp(1.5, i * 16));
  uint64_t out = session.upload(std::vector<double>(64 * 3, NAN));
  session.setArguments(session.upload(in), out);
  session.expectRun("segments", {{1, 1, 1}, {64, 1, 1}});
  auto got = session.download<double>(out, 64 * 3);
  A digits = twoOverPi(1300);
  for (int i = 0; i < 64; ++i)
    for (int k = 0; k < 3; ++k) {
      int exponent = 1023 + i * 16;
      int shift = k * 53 + std::max(0, exponent - 1077);
      double want = std::ldexp(
          double(digits.lshr(1300 - 53 - shift).trunc(53).getZExtValue()),
          -53 - shift + (exponent >= 1968 ? 128 : 0));
      ASSERT_EQ(got[i * 3 + k], want) << "2^" << i * 16 << ", segment " << k;
    }
}

TEST_P(Misc, Moves) {
  auto in = drawWords(128);
  uint64_t out = session.upload(std::vector<U>(128 * 12));
  session.setArguments(session.upload(in), out);
  session.expectRun("moves", {{2, 1, 1}, {64, 1, 1}});
  auto got = session.download<U>(out, 128 * 12);
  for (U i = 0; i < 128; ++i) {
    const U *r = &got[i * 12], x = in[i];
    EXPECT_EQ(r[0], ~x);
    EXPECT_EQ(r[1], x);
    EXPECT_EQ(r[2], i % 64 == 5 ? 1234u : 77u);
    EXPECT_EQ(r[3], ~x);
    EXPECT_EQ(r[4], x) << "v_pk_mov";
    EXPECT_EQ(r[5], 0x33334444u) << "v_pk_mov";
    EXPECT_EQ(r[7], 7u) << "v_pk_mov of a constant";
    EXPECT_EQ(r[6], ~x + 20) << "s_set_gpr_idx";
    A pair = A(32, x).concat(A(32, ~x)), reference(32, x & 0xff00ffff);
    for (U k = 0; k < 4; ++k) {
      A sum = differences(pair.extractBits(32, k * 8), reference, 8, true);
      EXPECT_EQ(r[8 + k], sum.getZExtValue() + k + 1) << "v_mqsad_u32_u8";
    }
  }
}

TEST_P(Misc, StochasticHalves) {
  if (!isGfx950())
    return; // the other chip has none
  SCOPED_TRACE("seed " + std::to_string(seed));
  auto in = drawFloats(256, -500, 500);
  for (U bits : {0u, U(random())}) {
    uint64_t out = session.upload(std::vector<U>(512));
    session.setArguments(session.upload(in), out, bits);
    session.expectRun("randomly", {{4, 1, 1}, {64, 1, 1}});
    auto got = session.download<U>(out, 512);
    for (U at = 0; at < 512; ++at) {
      const Semantics &s = at % 2 ? F::BFloat() : IEEE16;
      auto to = [&](RM rounding) {
        F value(in[at / 2]);
        bool loses;
        value.convert(s, rounding, &loses);
        return value.bitcastToAPInt().getZExtValue();
      };
      U code = got[at] & 0xffff, down = to(RM::TowardZero);
      U up = to(in[at / 2] < 0 ? RM::TowardNegative : RM::TowardPositive);
      ASSERT_EQ(got[at] >> 16, 0x1234u);
      ASSERT_TRUE(code == down || (bits && code == up)) << in[at / 2];
    }
  }
}

TEST_P(Misc, LdsExchanges) {
  std::vector<uint64_t> in(64);
  for (uint64_t &word : in)
    word = uint64_t(random()) << 32 | random();
  uint64_t out = session.upload(std::vector<uint64_t>(64 * 12));
  session.setArguments(session.upload(in), out);
  session.expectRun("lds", {{1, 1, 1}, {64, 1, 1}});
  auto got = session.download<uint64_t>(out, 64 * 12);
  for (U i = 0; i < 64; ++i) {
    uint64_t a = in[i], b = ~a, halves = a << 32 | U(b);
    uint64_t counts = i < 40 ? uint64_t(140) << 32 | 100 : 0;
    const uint64_t want[] = {b, a, b,      a,      a,    a,
                             a, b, halves, halves, U(a), counts};
    for (U k = 0; k < 12; ++k)
      EXPECT_EQ(got[i * 12 + k], want[k]) << "lane " << i << ", result " << k;
  }
}

TEST_P(Misc, ScalarBuffers) {
  auto in = drawWords(64);
  uint64_t out = session.upload(std::vector<U>(80, 0xabad1dea));
  session.setArguments(session.upload(in), out);
  session.expectRun("scalars", {{1, 1, 1}, {1, 1, 1}});
  auto got = session.download<U>(out, 80);
  std::vector<U> want(80, 0xabad1dea);
  want[1] = in[1];
  want[2] = in[2], want[3] = in[3];
  for (U k = 0; k < 4; ++k) {
    want[8 + k] = in[8 + k];
    want[20 + k] = in[16 + 4 + k];
  }
  want[16] = in[16];
  want[17] = in[16 + 3], want[18] = in[16 + 4];
  for (U k = 0; k < 3; ++k) // the fourth is beyond either range
    want[60 + k] = in[32 + 12 + k];
  EXPECT_EQ(got, want);
}

TEST_P(Misc, ClockIsTheSameOnEveryRun) {
  auto run = [&](unsigned threads) {
    uint64_t out = session.upload(std::vector<uint64_t>(16 * 3));
    session.setArguments(out);
    session.options.threads = threads;
    session.expectRun("clocks", {{16, 1, 1}, {64, 1, 1}});
    return session.download<uint64_t>(out, 16 * 3);
  };
  auto once = run(1);
  for (U i = 0; i < 48; i += 3) {
    EXPECT_LT(once[i], once[i + 1]);
    EXPECT_LT(once[i + 1] + 1, once[i + 2]) << "the turn's instructions count";
  }
  EXPECT_EQ(run(2), once);
}

TEST_P(Misc, Ends) {
  for (const char *kernel : {"saved", "ordered"}) {
    uint64_t out = session.upload(std::vector<U>(64));
    session.setArguments(out);
    session.expectRun(kernel, {{1, 1, 1}, {64, 1, 1}});
    EXPECT_EQ(session.download<U>(out, 64), std::vector<U>(64, 1));
  }
}
