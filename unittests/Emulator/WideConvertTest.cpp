//===- WideConvertTest.cpp - gfx950: fp6 and bf6, transposing reads -------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Draw.h"
#include "Kernels.h"

#include <bit>

using namespace mlir::te::emu;
using namespace mlir::te::emu::test;

static const Semantics &FP6 = F::Float6E2M3FN(), &BF6 = F::Float6E3M2FN(),
                       &FP8 = F::Float8E4M3FN(), &BF8 = F::Float8E5M2(),
                       &FP4 = F::Float4E2M1FN(), &Brain = F::BFloat();
static constexpr uint32_t items = 128;

static F convertTo(F value, const Semantics &to, RM rounding) {
  bool loses;
  value.convert(to, rounding, &loses);
  return value;
}
/// What a format without infinities makes of value * 2^exponent.
static F narrowed(const F &value, int exponent, const Semantics &to,
                  RM rounding) {
  F wide = convertTo(value, IEEE64, RM::NearestTiesToEven);
  wide = scalbn(wide, exponent, RM::NearestTiesToEven);
  F most = F::getLargest(to, value.isNegative());
  F limit = convertTo(most, IEEE64, RM::NearestTiesToEven);
  bool isBeyond = wide.isInfinity() || abs(wide) > abs(limit);
  return isBeyond ? most : convertTo(wide, to, rounding);
}
static uint64_t bitsOf(const F &value) {
  return value.bitcastToAPInt().getZExtValue();
}
/// Element `k` of `width` bits.
static uint32_t element(const uint32_t *words, unsigned k, unsigned width) {
  uint64_t pair = words[k * width / 32];
  if (k * width % 32 + width > 32)
    pair |= uint64_t(words[k * width / 32 + 1]) << 32;
  return pair >> k * width % 32 & ((uint64_t(1) << width) - 1);
}

namespace {
/// 32 finite numbers an item as f32, f16 and bf16, and a scale each.
struct Numbers {
  explicit Numbers(std::mt19937_64 &random) {
    for (uint32_t i = 0; i < items; ++i) {
      exponents.push_back(int(random() % 9) - 4);
      uint32_t bits = uint32_t(exponents[i] + 127) << 23 | random() % (1 << 23);
      scales.push_back(std::bit_cast<float>(bits)); // the fraction: no matter
      for (unsigned k = 0; k < 32; ++k) {
        float value = std::ldexp(float(int(random() % 4096) - 2048),
                                 int(random() % 16) - 14);
        if (random() % 3 == 0) // a few bits: ties
          value = std::ldexp(float(int(random() % 64) - 32),
                             exponents[i] + int(random() % 6) - 5);
        values.push_back(value);
        (k % 2 ? odd : even).push_back(value);
        halves.push_back(
            bitsOf(convertTo(F(value), IEEE16, RM::NearestTiesToEven)));
        brains.push_back(
            bitsOf(convertTo(F(value), Brain, RM::NearestTiesToEven)));
      }
    }
  }
  /// Value `at` as form 0 (f32), 1 (f16) or 2 (bf16) has it.
  F get(size_t at, unsigned form) const {
    return form == 0   ? F(values[at])
           : form == 1 ? fromBits(IEEE16, halves[at])
                       : fromBits(Brain, brains[at]);
  }
  std::vector<float> values, even, odd, scales;
  std::vector<uint16_t> halves, brains;
  std::vector<int> exponents;
};
} // namespace

/// By random bits of all zeros the rounding is toward zero; with any others the
/// code is one of the two neighbours.
static void expectStochastic(uint32_t code, uint32_t bits, const F &value,
                             int exponent, const Semantics &format,
                             const char *what) {
  F limit = convertTo(F::getLargest(format), IEEE64, RM::NearestTiesToEven);
  F wide = convertTo(value, IEEE64, RM::NearestTiesToEven);
  if (scalbn(abs(wide), exponent, RM::NearestTiesToEven) > limit)
    return; // fp8 and bf8 have codes of their own for these
  uint64_t down = bitsOf(narrowed(value, exponent, format, RM::TowardZero));
  uint64_t up = bitsOf(
      narrowed(value, exponent, format,
               value.isNegative() ? RM::TowardNegative : RM::TowardPositive));
  uint64_t magnitude = (1u << (F::getSizeInBits(format) - 1)) - 1;
  if (!(code & magnitude) && !(down & magnitude))
    return; // the sign of a zero is not what this is about
  if (bits == 0)
    ASSERT_EQ(code, down) << what << " of " << value.convertToDouble();
  else
    ASSERT_TRUE(code == down || code == up)
        << what << " of " << value.convertToDouble() << ": " << code
        << " is neither " << down << " nor " << up;
}

TEST(Wide, EncodesSixBits) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  Numbers in(random);
  for (uint32_t bits : {0u, 0xffffffffu, uint32_t(random())}) {
    Session s("wide", "gfx950");
    uint64_t out = s.upload(std::vector<uint32_t>(items * 12 * 8));
    s.setArguments(s.upload(in.values), s.upload(in.even), s.upload(in.odd),
                   s.upload(in.halves), s.upload(in.brains),
                   s.upload(in.scales), out, bits);
    s.expectRun("encode", {{items / 64, 1, 1}, {64, 1, 1}});
    auto got = s.download<uint32_t>(out, items * 12 * 8);
    for (size_t at = 0; at < items * 12 * 32; ++at) {
      unsigned k = at % 32, form = at / 32 % 12, i = at / 32 / 12;
      const Semantics &format = form < 6 ? FP6 : BF6;
      uint32_t code = element(&got[(i * 12 + form) * 8], k, 6);
      F value = in.get(i * 32 + k, form % 3);
      if (form % 6 < 3)
        ASSERT_EQ(code, bitsOf(narrowed(value, -in.exponents[i], format,
                                        RM::NearestTiesToEven)))
            << "form " << form << " of " << value.convertToDouble()
            << " under 2^" << in.exponents[i];
      else
        expectStochastic(code, bits, value, -in.exponents[i], format,
                         "sr_pk32");
      if (HasFatalFailure())
        return;
    }
  }
}

TEST(Wide, StochasticOneByOne) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  Numbers in(random);
  in.values.resize(items);
  for (uint32_t bits : {0u, uint32_t(random())}) {
    Session s("wide", "gfx950");
    uint64_t out = s.upload(std::vector<uint32_t>(items * 9));
    s.setArguments(s.upload(in.values), s.upload(in.scales), out, bits);
    s.expectRun("stochastic", {{items / 64, 1, 1}, {64, 1, 1}});
    auto got = s.download<uint32_t>(out, items * 9);
    for (uint32_t at = 0; at < items * 9; ++at) {
      unsigned form = at % 9, i = at / 9;
      const Semantics &format = form < 3 ? FP8 : form < 6 ? BF8 : FP4;
      F value(in.values[i]);
      if (form % 3 == 1)
        value = convertTo(value, IEEE16, RM::NearestTiesToEven);
      if (form % 3 == 2)
        value = convertTo(value, Brain, RM::TowardZero);
      ASSERT_EQ(got[at] & 0xffff00ff, 0x5a5a005a) << "form " << form;
      uint32_t code = got[at] >> 8 & 0xff;
      if (form >= 6)
        ASSERT_EQ(code & 15, code >> 4);
      expectStochastic(form < 6 ? code : code & 15, bits, value,
                       -in.exponents[i], format, "sr");
      if (HasFatalFailure())
        return;
    }
  }
}

TEST(Wide, DecodesSixBits) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  Numbers in(random);
  std::vector<uint32_t> codes(items * 8);
  for (uint32_t &word : codes)
    word = random();
  Session s("wide", "gfx950");
  uint64_t f = s.upload(std::vector<uint32_t>(items * 64)),
           h = s.upload(std::vector<uint16_t>(items * 64)),
           b = s.upload(std::vector<uint16_t>(items * 64));
  s.setArguments(s.upload(codes), s.upload(in.scales), f, h, b);
  s.expectRun("decode", {{items / 64, 1, 1}, {64, 1, 1}});
  auto singles = s.download<uint32_t>(f, items * 64);
  auto halves = s.download<uint16_t>(h, items * 64);
  auto brains = s.download<uint16_t>(b, items * 64);
  for (size_t at = 0; at < items * 64; ++at) {
    unsigned k = at % 32, i = at / 64;
    const Semantics &format = at / 32 % 2 ? BF6 : FP6;
    F value = convertTo(fromBits(format, element(&codes[i * 8], k, 6)), IEEE64,
                        RM::NearestTiesToEven);
    value = scalbn(value, in.exponents[i], RM::NearestTiesToEven);
    auto want = [&](const Semantics &to) {
      return bitsOf(convertTo(value, to, RM::NearestTiesToEven));
    };
    ASSERT_EQ(singles[at], want(IEEE32)) << at;
    ASSERT_EQ(halves[at], want(IEEE16)) << at;
    ASSERT_EQ(brains[at], want(Brain)) << at;
  }
}

/// Lane l of 16 gets element l % n of the lanes (k * 16 / n + l / n), of n a
/// lane.
TEST(Wide, TransposingReads) {
  std::mt19937 random(6);
  std::vector<uint32_t> in(64 * 4);
  for (uint32_t &word : in)
    word = random();
  Session s("wide", "gfx950");
  uint64_t out = s.upload(std::vector<uint32_t>(64 * 16));
  s.setArguments(s.upload(in), out);
  s.expectRun("transposed", {{1, 1, 1}, {64, 1, 1}});
  auto got = s.download<uint32_t>(out, 64 * 16);
  const unsigned widths[] = {16, 8, 4, 6};
  for (unsigned form = 0; form < 4; ++form)
    for (unsigned lane = 0; lane < 64; ++lane) {
      unsigned width = widths[form], n = width == 6 ? 16 : 64 / width;
      for (unsigned k = 0; k < n; ++k) {
        unsigned l = lane % 16, from = lane - l + k * 16 / n + l / n;
        ASSERT_EQ(element(&got[lane * 16 + form * 4], k, width),
                  element(&in[from * 4], l % n, width))
            << width << " bits, lane " << lane << ", element " << k;
      }
    }
}
