//===- FloatTest.cpp - floating point against the host's ------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Kernels.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>

using namespace mlir::te::emu;
using namespace mlir::te::emu::test;

class Floats : public ChipTest {};
TE_BOTH_CHIPS(Floats);

template <class To, class From> static To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

/// Equal bits, or both NaN.
template <class T> static bool same(T a, T b) {
  return (a != a && b != b) || std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class T>
static void expectSame(const std::vector<T> &got, size_t at, T want, size_t i,
                       int k) {
  ASSERT_TRUE(same(got[at], want))
      << "item " << i << ", result " << k << ": got " << double(got[at])
      << ", expected " << double(want);
}

/// Runs `kernel` over inputs a and b, `results` of type T an item, and asks
/// `expected(i)` for them.
template <class T, class In, class Expected>
static void compare(const char *chip, const char *kernel,
                    const std::vector<In> &a, const std::vector<In> &b,
                    int results, Expected expected) {
  Session session("floats", chip);
  int n = a.size();
  uint64_t out = session.upload(std::vector<T>(size_t(n) * results), "out");
  session.setArguments(session.upload(a), session.upload(b), out, n);
  session.expectRun(kernel, {{uint32_t(n) / 256, 1, 1}, {256, 1, 1}});
  auto got = session.download<T>(out, size_t(n) * results);
  for (int i = 0; i < n; ++i) {
    std::vector<T> want = expected(i);
    for (int k = 0; k < results; ++k) {
      expectSame(got, size_t(i) * results + k, want[k], i, k);
      if (testing::Test::HasFatalFailure())
        return;
    }
  }
}

template <class T, class B>
static std::vector<T> castAll(const std::vector<B> &bits) {
  std::vector<T> values;
  for (B b : bits)
    values.push_back(bitCast<T>(b));
  return values;
}

TEST_P(Floats, SinglesAreExactlyRounded) {
  auto a = castAll<float>(makeBits(1 << 16, 3));
  auto b = castAll<float>(makeBits(1 << 16, 5));
  // Magnitudes near one another too: the division's interesting cases.
  for (size_t i = 1 << 15; i < a.size(); i += 2)
    b[i] = a[i] * (1.0f + float(i % 97) * 0.0625f);
  compare<float>(GetParam(), "singles", a, b, 12, [&](int i) {
    float x = a[i], y = b[i];
    return std::vector<float>{x + y,
                              x - y,
                              x * y,
                              x / y,
                              std::sqrt(x),
                              std::fma(x, y, 1.5f),
                              std::floor(x),
                              std::ceil(x),
                              std::trunc(x),
                              std::nearbyint(x),
                              std::ldexp(x, 3),
                              std::fmin(x, y) + std::fmax(x, 2.0f)};
  });
}

TEST_P(Floats, DoublesAreExactlyRounded) {
  auto low = makeBits(1 << 14, 7), high = makeBits(1 << 14, 11),
       other = makeBits(1 << 14, 13);
  std::vector<double> a, b;
  for (size_t i = 0; i < low.size(); ++i) {
    a.push_back(bitCast<double>(uint64_t(high[i]) << 32 | low[i]));
    b.push_back(bitCast<double>(uint64_t(other[i]) << 32 | high[i]));
    if (i % 2)
      b.back() = a.back() * (1 + double(i) / 64);
  }
  compare<double>(GetParam(), "doubles", a, b, 8, [&](int i) {
    double x = a[i], y = b[i];
    return std::vector<double>{x + y,
                               x * y,
                               x / y,
                               std::sqrt(x),
                               std::fma(x, y, 1.5),
                               std::floor(x),
                               std::fmin(x, y),
                               double(float(x))};
  });
}

/// The segments of 2/pi for an argument add up to what is left of 2/pi once the
/// bits are gone whose product with the argument is a multiple of 4 at least.
TEST_P(Floats, SegmentsOfTwoOverPi) {
  const long double twoOverPi = 0.636619772367581343075535053490057448L;
  std::vector<double> a;
  for (int i = 0; i < 64; ++i)
    a.push_back(std::ldexp(1 + i / 64.0, i - 1));
  for (int i = 0; i < 64; ++i)
    a.push_back(std::ldexp(1 + i / 64.0, 54 + i % 8));
  Session s("floats", GetParam());
  uint64_t out = s.upload(std::vector<double>(a.size() * 3));
  s.setArguments(s.upload(a), out);
  s.expectRun("preop", {{2, 1, 1}, {64, 1, 1}});
  auto got = s.download<double>(out, a.size() * 3);
  for (size_t i = 0; i < a.size(); ++i) {
    int dropped = std::max(std::ilogb(a[i]) - 54, 0);
    long double want = std::fmod(twoOverPi, std::ldexp(1.0L, -dropped));
    long double sum = (long double)got[i * 3] + got[i * 3 + 1];
    EXPECT_NEAR(double((sum - want) * 0x1p63L), 0.0, 1.0) << a[i];
    EXPECT_EQ(got[i * 3],
              std::ldexp(std::floor(std::ldexp(got[i * 3], 53 + dropped)),
                         -53 - dropped));
    EXPECT_LT(got[i * 3 + 2], std::ldexp(1.0, -105 - dropped)) << a[i];
  }
}

using Half = _Float16;

static std::vector<Half> makeHalves(size_t count, uint32_t seed) {
  std::vector<Half> values;
  for (uint32_t bits : makeBits(count, seed))
    values.push_back(bitCast<Half>(uint16_t(bits >> 16 ^ bits)));
  return values;
}

static Half roundToHalf(double value) {
  llvm::APFloat wide(value);
  bool loses;
  wide.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven,
               &loses);
  return bitCast<Half>(uint16_t(wide.bitcastToAPInt().getZExtValue()));
}

TEST_P(Floats, HalvesAreExactlyRounded) {
  auto a = makeHalves(1 << 16, 3), b = makeHalves(1 << 16, 17);
  compare<Half>(GetParam(), "halves", a, b, 8, [&](int i) {
    double x = a[i], y = b[i];
    return std::vector<Half>{roundToHalf(x + y),
                             roundToHalf(x - y),
                             roundToHalf(x * y),
                             roundToHalf(x / y),
                             roundToHalf(std::fma(x, y, 1.5)),
                             roundToHalf(std::floor(x)),
                             x < y ? a[i] : b[i],
                             a[i]};
  });
}

TEST_P(Floats, PackedHalves) {
  auto a = makeHalves(1 << 15, 3), b = makeHalves(1 << 15, 17);
  using Two = std::array<Half, 2>;
  std::vector<uint32_t> x, y;
  for (size_t i = 0; i < a.size(); i += 2) {
    x.push_back(bitCast<uint32_t>(Two{a[i], a[i + 1]}));
    y.push_back(bitCast<uint32_t>(Two{b[i], b[i + 1]}));
  }
  Session session("floats", GetParam());
  int n = x.size();
  uint64_t out = session.upload(std::vector<Half>(size_t(n) * 12), "out");
  session.setArguments(session.upload(x), session.upload(y), out, n);
  session.expectRun("packed_halves", {{uint32_t(n) / 256, 1, 1}, {256, 1, 1}});
  auto got = session.download<Half>(out, size_t(n) * 12);
  for (int i = 0; i < n; ++i) {
    for (int h = 0; h < 2; ++h) {
      double p = a[2 * i + h], q = b[2 * i + h], r = b[2 * i + 1 - h];
      double s = a[2 * i + 1];
      Half scaled = roundToHalf(p * r);
      Half want[] = {roundToHalf(p + q), roundToHalf(p * q),
                     // may be contracted to one rounding
                     roundToHalf(double(scaled) - (h ? 2 : 1)),
                     roundToHalf(std::fma(p, q, s)),
                     roundToHalf(std::fmax(p, q)), roundToHalf(-p + r)};
      Half fused = roundToHalf(std::fma(p, r, h ? -2.0 : -1.0));
      for (int k = 0; k < 6; ++k) {
        Half value = got[i * 12 + k * 2 + h];
        ASSERT_TRUE(same(value, want[k]) || (k == 2 && same(value, fused)) ||
                    (k == 4 && double(value) == double(want[k])))
            << "item " << i << "." << h << " result " << k << ": "
            << double(value) << ", expected " << double(want[k]) << " of " << p
            << ", " << q;
      }
    }
  }
}

TEST_P(Floats, PackedShorts) {
  const int n = 1 << 14;
  auto x = makeBits(n, 3), y = makeBits(n, 19);
  Session session("floats", GetParam());
  uint64_t out = session.upload(std::vector<uint16_t>(n * 20), "out");
  session.setArguments(session.upload(x), session.upload(y), out, n);
  session.expectRun("packed_shorts", {{n / 256, 1, 1}, {256, 1, 1}});
  auto got = session.download<uint16_t>(out, n * 20);
  for (int i = 0; i < n; ++i) {
    for (int h = 0; h < 2; ++h) {
      uint16_t p = x[i] >> 16 * h, q = y[i] >> 16 * h, r = y[i] >> 16 * (1 - h);
      int16_t sp = p, sq = q;
      uint16_t want[] = {uint16_t(p + q),
                         uint16_t(p - r),
                         uint16_t(uint32_t(p) * q),
                         uint16_t(p << (q & 15)),
                         uint16_t(p >> (q & 15)),
                         uint16_t(sp >> (sq & 15)),
                         std::min(p, q),
                         uint16_t(std::max(sp, sq)),
                         uint16_t(std::min(p + q, 65535)),
                         uint16_t(std::clamp(sp - sq, -32768, 32767))};
      for (int k = 0; k < 10; ++k)
        ASSERT_EQ(got[i * 20 + k * 2 + h], want[k])
            << "item " << i << "." << h << " result " << k;
    }
  }
}

TEST_P(Floats, PackedSingles) {
  const int n = 1 << 14;
  auto a = castAll<float>(makeBits(2 * n, 3)),
       b = castAll<float>(makeBits(2 * n, 23));
  Session session("floats", GetParam());
  uint64_t out = session.upload(std::vector<float>(n * 8), "out");
  session.setArguments(session.upload(a), session.upload(b), out, n);
  session.expectRun("packed_singles", {{n / 256, 1, 1}, {256, 1, 1}});
  auto got = session.download<float>(out, n * 8);
  for (int i = 0; i < n; ++i) {
    for (int h = 0; h < 2; ++h) {
      float p = a[2 * i + h], q = b[2 * i + h], r = b[2 * i + 1 - h];
      float s = a[2 * i + 1 - h];
      float want[] = {p + q, p * r, std::fma(p, q, s), std::fma(p, 3.0f, -q)};
      for (int k = 0; k < 4; ++k)
        ASSERT_TRUE(same(got[i * 8 + k * 2 + h], want[k]))
            << "item " << i << "." << h << " result " << k << ": "
            << got[i * 8 + k * 2 + h] << ", expected " << want[k];
    }
  }
}

/// The half next to zero from `value`.
static uint16_t towardZero(float value) {
  llvm::APFloat wide(value);
  bool loses;
  wide.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmTowardZero, &loses);
  return wide.bitcastToAPInt().getZExtValue();
}

TEST_P(Floats, Conversions) {
  const int n = 1 << 15;
  auto a = castAll<float>(makeBits(n, 3));
  auto bits = makeBits(n, 29);
  Session session("floats", GetParam());
  uint64_t out = session.upload(std::vector<uint32_t>(n * 12), "out");
  session.setArguments(session.upload(a), session.upload(bits), out, n);
  session.expectRun("converts", {{n / 256, 1, 1}, {256, 1, 1}});
  auto got = session.download<uint32_t>(out, n * 12);
  for (int i = 0; i < n; ++i) {
    float x = a[i];
    int32_t k = bits[i];
    double d = double(x) * k;
    auto of = [](float value) { return bitCast<uint32_t>(value); };
    const uint32_t *r = &got[i * 12];
    ASSERT_EQ(r[0], std::fabs(x) < 2e9f ? uint32_t(int32_t(x)) : 0) << x;
    ASSERT_EQ(r[1], x >= 0 && x < 4e9f ? uint32_t(x) : 0) << x;
    ASSERT_EQ(r[2], of(float(k)));
    ASSERT_EQ(r[3], of(float(uint32_t(k))));
    Half half = roundToHalf(x);
    ASSERT_TRUE(same(bitCast<Half>(uint16_t(r[4])), half)) << x;
    ASSERT_EQ(r[5], of(float(k & 0xff)) + of(float(uint32_t(k) >> 24)));
    ASSERT_TRUE(same(bitCast<float>(r[6]), float(bitCast<Half>(uint16_t(k)))));
    ASSERT_EQ(r[7], of(float(int64_t(k) * 0x12345))) << k;
    ASSERT_TRUE(same(bitCast<float>(r[8]), float(d))) << d;
    ASSERT_EQ(r[9], std::fabs(d) < 2e9 ? uint32_t(int32_t(d)) : 0) << d;
    ASSERT_EQ(r[10], uint32_t(std::isnan(x) * 1 + std::isinf(x) * 2 +
                              std::signbit(x) * 4));
    if (x == x) {
      ASSERT_EQ(r[11] & 0xffff, towardZero(x)) << x;
    }
    ASSERT_EQ(r[11] >> 16, towardZero(float(k))) << k;
  }
}
