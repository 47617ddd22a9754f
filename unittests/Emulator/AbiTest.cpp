//===- AbiTest.cpp - code object versions, kernel argument preload, MODE --===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Kernels.h"

#include <bit>
#include <cfenv>
#include <cmath>

using namespace mlir::te::emu;
using namespace mlir::te::emu::test;

class Abi : public ChipTest {};
TE_BOTH_CHIPS(Abi);

/// The same kernels, built for other ABIs: basic.<variant>.
TEST_P(Abi, VersionsAndPreload) {
  for (const char *file :
       {"basic", "basic.v4", "basic.v6", "basic.preload", "basic.xnack"}) {
    SCOPED_TRACE(file);
    Session s(file, GetParam());
    ASSERT_TRUE(s.object);
    const int n = 300;
    std::vector<float> a(n), b(n);
    for (int i = 0; i < n; ++i)
      a[i] = i, b[i] = i * i;
    uint64_t c = s.upload(std::vector<float>(n));
    s.setArguments(s.upload(a), s.upload(b), c, n);
    auto stats = s.expectRun("add", {{2, 1, 1}, {256, 1, 1}});
    auto got = s.download<float>(c, n);
    for (int i = 0; i < n; ++i)
      ASSERT_EQ(got[i], a[i] + b[i]);
    if (std::string(file) == "basic.preload")
      EXPECT_EQ(stats.scalarLoadBytes, 0u) << "the arguments came in registers";
    else
      EXPECT_GT(stats.scalarLoadBytes, 0u);
  }
}

class Mode : public ChipTest {};
TE_BOTH_CHIPS(Mode);

TEST_P(Mode, RoundsAsAsked) {
  const int n = 4096;
  std::vector<float> a, b;
  auto x = makeBits(n, 3), y = makeBits(n, 31);
  for (int i = 0; i < n; ++i) { // numbers of like size, so that sums round
    a.push_back(std::bit_cast<float>((x[i] & 0x83ffffff) | 0x3c000000));
    b.push_back(std::bit_cast<float>((y[i] & 0x83ffffff) | 0x3c000000));
  }
  Session s("modes", GetParam());
  uint64_t out = s.upload(std::vector<float>(n * 8));
  s.setArguments(s.upload(a), s.upload(b), out);
  s.expectRun("rounding", {{n / 64, 1, 1}, {64, 1, 1}});
  auto got = s.download<float>(out, n * 8);
  const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 4; ++k) {
      std::fesetround(modes[k]);
      volatile float p = a[i], q = b[i];
      volatile float sum = p + q, product = p * q;
      std::fesetround(FE_TONEAREST);
      ASSERT_EQ(got[i * 8 + k * 2], sum) << a[i] << " + " << b[i] << " " << k;
      ASSERT_EQ(got[i * 8 + k * 2 + 1], product) << a[i] << " * " << b[i];
    }
  }
}

TEST_P(Mode, FlushesDenormalsAsAsked) {
  std::vector<float> a;
  for (int i = 0; i < 64; ++i)
    a.push_back(std::ldexp(i % 2 ? -1.5f : 1.25f, -140 + i / 2));
  Session s("modes", GetParam());
  uint64_t out = s.upload(std::vector<float>(256));
  s.setArguments(s.upload(a), out);
  s.expectRun("denormals", {{1, 1, 1}, {64, 1, 1}});
  auto got = s.download<float>(out, 256);
  auto flush = [](float value) {
    return std::fabs(value) < 0x1p-126f ? std::copysign(0.0f, value) : value;
  };
  auto bits = [](float value) { return std::bit_cast<uint32_t>(value); };
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(bits(got[i * 4]), bits(a[i] * 0.5f));
    EXPECT_EQ(bits(got[i * 4 + 1]), bits(flush(flush(a[i]) * 0.5f)));
    EXPECT_EQ(bits(got[i * 4 + 2]), bits(flush(flush(a[i]) * 4.0f)));
    EXPECT_EQ(bits(got[i * 4 + 3]), bits(a[i] * 0.5f));
  }
}

TEST_P(Mode, ApproximationsAreWithinAnUlp) {
  std::vector<float> a;
  for (int i = 0; i < 4096; ++i)
    a.push_back((i - 1024) * 0.03125f + i * 0.001f);
  for (float edge : {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1e-40f, 1e30f})
    a.insert(a.end(), 64, edge);
  Session s("modes", GetParam());
  uint64_t out = s.upload(std::vector<float>(a.size() * 8));
  s.setArguments(s.upload(a), out);
  s.expectRun("approximations", {{uint32_t(a.size()) / 64, 1, 1}, {64, 1, 1}});
  auto got = s.download<float>(out, a.size() * 8);
  for (size_t i = 0; i < a.size(); ++i) {
    // All but the reciprocal flush denormals.
    double full = a[i], x = std::fabs(full) < 0x1p-126 ? full * 0 : full;
    double turns = (x - std::rint(x)) * 2 * M_PI;
    bool far = std::fabs(x) > 256;
    double want[] = {1 / full,
                     1 / std::sqrt(x),
                     std::sqrt(x),
                     std::exp2(x),
                     std::log2(x),
                     far ? 0 : std::sin(turns),
                     far ? 1 : std::cos(turns),
                     full - std::floor(full)};
    for (int k = 0; k < 8; ++k) {
      float value = got[i * 8 + k], exact = float(want[k]);
      if (std::isinf(x) && (k == 5 || k == 6))
        exact = NAN;
      if (std::isnan(exact)) {
        ASSERT_TRUE(std::isnan(value)) << k << " of " << a[i];
      } else if (std::isinf(exact) || std::fabs(exact) < 0x1p-126f) {
        ASSERT_TRUE(value == exact || std::fabs(value) < 0x1p-126f)
            << k << " of " << a[i] << ": " << value;
      } else {
        float ulp =
            std::nextafter(std::fabs(exact), INFINITY) - std::fabs(exact);
        ASSERT_LE(std::fabs(double(value) - want[k]),
                  ulp + 1e-7 * (k == 5 || k == 6))
            << k << " of " << a[i] << ": " << value << ", " << want[k];
      }
    }
  }
}
