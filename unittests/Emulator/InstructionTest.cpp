//===- InstructionTest.cpp - single instructions against the host ---------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Kernels.h"

#include "llvm/ADT/APFloat.h"

#include <algorithm>
#include <bit>
#include <cmath>

using namespace mlir::te::emu;
using namespace mlir::te::emu::test;

class Instructions : public ChipTest {};
TE_BOTH_CHIPS(Instructions);

//===----------------------------------------------------------------------===//
// The vocabulary of the .def files
//===----------------------------------------------------------------------===//

using U = uint32_t;
using I = int32_t;

static float f(U bits) { return std::bit_cast<float>(bits); }
static U bits(float value) { return std::bit_cast<U>(value); }
/// The low half of a register as a number.
static double h(U bits) { return std::bit_cast<_Float16>(uint16_t(bits)); }
/// The nearest half's bits.
static U hb(double value) {
  llvm::APFloat wide(value);
  bool loses;
  wide.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven,
               &loses);
  return wide.bitcastToAPInt().getZExtValue();
}
static I i24(U value) { return I(value << 8) >> 8; }
static U reversed(U value) {
  U out = 0;
  for (int k = 0; k < 32; ++k)
    out |= (value >> k & 1) << (31 - k);
  return out;
}
static U signCopies(U value) {
  U folded = I(value) < 0 ? ~value : value;
  return folded ? __builtin_clz(folded) : -1;
}
static I toInt(double value) {
  return value != value ? 0 : I(std::clamp(value, -2147483648.0, 2147483647.0));
}
static U toUnsigned(double value) {
  return value != value ? 0 : U(std::clamp(value, 0.0, 4294967295.0));
}
static I frexpExponent(float value) {
  int exponent = 0;
  if (std::isfinite(value) && value != 0)
    std::frexp(value, &exponent);
  return exponent;
}
template <class T> static T middle(T a, T b, T c) {
  T sorted[] = {a, b, c};
  std::sort(sorted, sorted + 3);
  return sorted[1];
}
/// -0 is less than +0.
static bool isLess(float a, float b) {
  return a < b || (a == b && std::signbit(a) && !std::signbit(b));
}
/// In IEEE mode, which kernels run in by default, a signaling NaN wins.
static bool signals(float value) {
  return value != value && !(bits(value) & 0x400000);
}
static float least(float a, float b) {
  if (signals(a) || signals(b))
    return f(0x7fc00000);
  return a != a ? b : b != b ? a : isLess(b, a) ? b : a;
}
static float greatest(float a, float b) {
  if (signals(a) || signals(b))
    return f(0x7fc00000);
  return a != a ? b : b != b ? a : isLess(a, b) ? b : a;
}
static U middleFloat(float a, float b, float c) {
  if (a != a || b != b || c != c)
    return bits(least(least(a, b), c));
  float sorted[] = {a, b, c};
  std::sort(sorted, sorted + 3, isLess);
  return bits(sorted[1]);
}
static U differences(U a, U b, int width) {
  U sum = 0, mask = (1u << width) - 1;
  for (int k = 0; k < 32; k += width)
    sum += std::abs(I(a >> k & mask) - I(b >> k & mask));
  return sum;
}
static U dot(U a, U b, int width, bool isSigned) {
  int64_t sum = 0;
  for (int k = 0; k < 32; k += width) {
    U x = a << (32 - width - k), y = b << (32 - width - k);
    sum += isSigned ? int64_t(I(x) >> (32 - width)) * (I(y) >> (32 - width))
                    : int64_t(x >> (32 - width)) * int64_t(y >> (32 - width));
  }
  return sum;
}
static U clampOne(float value) {
  return value > 0 ? bits(std::fmin(value, 1.0f)) : 0;
}
static U field(U value, U offset, U width) {
  return width ? uint64_t(value) >> offset &
                     ((uint64_t(1) << std::min(width, 32u)) - 1)
               : 0;
}
static U signedField(U value, U offset, U width) {
  if (width == 0)
    return 0;
  width = std::min(width, 32 - offset);
  return U(I(value << (32 - offset - width)) >> (32 - width));
}
static uint64_t wideField(uint64_t value, U offset, U width) {
  if (width == 0)
    return 0;
  value >>= offset;
  return width >= 64 ? value : value & ((uint64_t(1) << width) - 1);
}
static U quadMask(uint64_t value) {
  U mask = 0;
  for (int k = 0; k < 16; ++k)
    mask |= U((value >> 4 * k & 15) != 0) << k;
  return mask;
}
static uint64_t twice(U value) { // each bit
  uint64_t out = 0;
  for (int k = 0; k < 32; ++k)
    out |= uint64_t(value >> k & 1) * 3 << 2 * k;
  return out;
}
static int64_t signedWideField(uint64_t value, U offset, U width) {
  if (width == 0)
    return 0;
  width = std::min(width, 64 - offset);
  return int64_t(value << (64 - offset - width)) >> (64 - width);
}
static U wideSignCopies(uint64_t value) {
  uint64_t folded = int64_t(value) < 0 ? ~value : value;
  return folded ? __builtin_clzll(folded) : -1;
}
static uint64_t wholeQuads(uint64_t value) {
  uint64_t quads = 0;
  for (int k = 0; k < 64; k += 4)
    quads |= value >> k & 15 ? uint64_t(15) << k : 0;
  return quads;
}

//===----------------------------------------------------------------------===//
// The tests
//===----------------------------------------------------------------------===//

struct Expected {
  const char *name;
  uint64_t value;
  bool scc = false;
};

static std::vector<Expected> expectVectors(U a, U b, U c, U d) {
  return {
#define VX(NAME, OPERANDS, EXPRESSION) {#NAME " " OPERANDS, U(EXPRESSION)},
#define V1(NAME, EXPRESSION) {#NAME, U(EXPRESSION)},
#define V2(NAME, EXPRESSION) {#NAME, U(EXPRESSION)},
#define V3(NAME, EXPRESSION) {#NAME, U(EXPRESSION)},
#include "kernels/vector_ops.def"
  };
}

static std::vector<Expected> expectScalars(U na, U nb, U nd, uint64_t wa,
                                           uint64_t wb, uint64_t wd) {
  std::vector<Expected> all;
  auto add = [&](const char *name, uint64_t value, bool scc) {
    all.push_back({name, value, scc});
  };
#define NARROW(NAME, VALUE, SCC)                                               \
  {                                                                            \
    [[maybe_unused]] U a = na, b = nb, d = nd;                                 \
    add(NAME, U(VALUE), SCC);                                                  \
  }
#define WIDE(NAME, VALUE, SCC)                                                 \
  {                                                                            \
    [[maybe_unused]] uint64_t a = wa, b = wb;                                  \
    add(NAME, VALUE, SCC);                                                     \
  }
#define S1(NAME, VALUE, SCC) NARROW(#NAME, VALUE, SCC)
#define S2(NAME, VALUE, SCC) NARROW(#NAME, VALUE, SCC)
#define SX(NAME, OPERANDS, VALUE, SCC) NARROW(#NAME " " OPERANDS, VALUE, SCC)
#define L1(NAME, VALUE, SCC) WIDE(#NAME, VALUE, SCC)
#define L2(NAME, VALUE, SCC) WIDE(#NAME, VALUE, SCC)
#define LU(NAME, VALUE, SCC)                                                   \
  {                                                                            \
    uint64_t a = wa;                                                           \
    U b = nb;                                                                  \
    add(#NAME, VALUE, SCC);                                                    \
  }
#define MIXED(NAME, A, B, VALUE, SCC)                                          \
  {                                                                            \
    [[maybe_unused]] uint64_t d = wd;                                          \
    [[maybe_unused]] auto a = A;                                               \
    [[maybe_unused]] auto b = B;                                               \
    add(NAME, VALUE, SCC);                                                     \
  }
#define LN(NAME, VALUE, SCC) MIXED(#NAME, wa, wb, U(VALUE), SCC)
#define NL(NAME, VALUE, SCC) MIXED(#NAME, na, nb, VALUE, SCC)
#define NNL(NAME, VALUE, SCC) MIXED(#NAME, na, nb, VALUE, SCC)
#define CL(NAME, SCC) MIXED(#NAME, wa, wb, d, SCC)
#define CLN(NAME, SCC) MIXED(#NAME, wa, nb, d, SCC)
#define TX(NAME, TEXT, VALUE, SCC) NARROW(NAME, VALUE, SCC)
#define TL(NAME, TEXT, VALUE, SCC) WIDE(NAME, VALUE, SCC)
#define SE(NAME, SAVED, NEW)                                                   \
  WIDE(#NAME, SAVED, (NEW) != 0)                                               \
  WIDE(#NAME " (EXEC)", NEW, (NEW) != 0)
#include "kernels/scalar_ops.def"
  return all;
}

/// Any NaN stands for any other: which payload an instruction gives is not what
/// these tests are about.
static bool isSame(const std::string &name, U got, U want) {
  if (got == want)
    return true;
  auto bothNaN = [](U x, U y, U exponent, U all) {
    return (x & all) > exponent && (y & all) > exponent;
  };
  if (name.find("_f32") != std::string::npos)
    return bothNaN(got, want, 0x7f800000, 0x7fffffff);
  if (name.find("_f16") == std::string::npos)
    return false;
  auto half = [&](int shift) {
    U x = got >> shift & 0xffff, y = want >> shift & 0xffff;
    return x == y || bothNaN(x, y, 0x7c00, 0x7fff);
  };
  return half(0) && half(16);
}

TEST_P(Instructions, Vectors) {
  const int n = 4096;
  Session s("instructions", GetParam());
  std::vector<U> in;
  auto a = makeBits(n, 3), b = makeBits(n, 4), c = makeBits(n, 5),
       d = makeBits(n, 6);
  for (int i = 0; i < n; ++i)
    in.insert(in.end(), {a[i], b[i], c[i], d[i]});
  int results = expectVectors(0, 0, 0, 0).size();
  uint64_t out = s.upload(std::vector<U>(n * results));
  s.setArguments(s.upload(in), out, results);
  s.expectRun("vectors", {{n / 64, 1, 1}, {64, 1, 1}});
  auto got = s.download<U>(out, n * results);
  for (int i = 0; i < n; ++i) {
    auto want = expectVectors(a[i], b[i], c[i], d[i]);
    for (int k = 0; k < results; ++k)
      ASSERT_TRUE(isSame(want[k].name, got[i * results + k], want[k].value))
          << want[k].name << " of " << std::hex << a[i] << ", " << b[i] << ", "
          << c[i] << ", old " << d[i] << ": got " << got[i * results + k]
          << ", expected " << want[k].value;
  }
}

TEST_P(Instructions, Scalars) {
  const int n = 1024;
  Session s("instructions", GetParam());
  std::vector<U> in;
  auto words = makeBits(n * 6, 9);
  int results = expectScalars(0, 0, 0, 0, 0, 0).size();
  uint64_t out = s.upload(std::vector<uint64_t>(n * results * 2));
  s.setArguments(s.upload(words), out, results);
  s.expectRun("scalars", {{n, 1, 1}, {64, 1, 1}});
  auto got = s.download<uint64_t>(out, n * results * 2);
  for (int i = 0; i < n; ++i) {
    const U *w = &words[i * 6];
    auto want =
        expectScalars(w[0], w[1], w[2], uint64_t(w[3]) << 32 | w[0],
                      uint64_t(w[4]) << 32 | w[1], uint64_t(w[5]) << 32 | w[2]);
    for (int k = 0; k < results; ++k) {
      uint64_t value = got[(i * results + k) * 2];
      uint64_t scc = got[(i * results + k) * 2 + 1];
      ASSERT_EQ(value, want[k].value)
          << want[k].name << " of " << std::hex << w[0] << ", " << w[1]
          << ", old " << w[2];
      ASSERT_EQ(scc, want[k].scc) << "SCC of " << want[k].name << " of "
                                  << std::hex << w[0] << ", " << w[1];
    }
  }
}

TEST_P(Instructions, LdsWidths) {
  Session s("instructions", GetParam());
  auto in = makeBits(1024, 3);
  in.erase(in.begin(), in.end() - 256);
  uint64_t out = s.upload(std::vector<U>(64 * 20));
  s.setArguments(s.upload(in), out);
  s.expectRun("lds_widths", {{1, 1, 1}, {64, 1, 1}});
  auto got = s.download<U>(out, 64 * 20);
  for (int i = 0; i < 64; ++i) {
    const U *v = &in[i * 4], *r = &got[i * 20];
    U x = v[0], y = v[1];
    EXPECT_EQ(r[0], 0xaaaa0000 | (x >> 8 & 255));
    EXPECT_EQ(r[1], 0x5555 | (x & 0xffff0000));
    EXPECT_EQ(r[2], U(int8_t(x >> 24)));
    EXPECT_EQ(r[3], x & 0xffff);
    EXPECT_EQ(r[4], 0x5678 | U(int8_t(x >> 16)) << 16);
    EXPECT_EQ(r[6], x);
    EXPECT_EQ(r[7], y);
    EXPECT_EQ(r[8], v[3]);
    EXPECT_EQ(r[9], v[0]);
    for (int k = 0; k < 2; ++k) {
      EXPECT_EQ(r[12 + k], v[2 + k]);
      EXPECT_EQ(r[14 + k], k ? y : x);
    }
    for (int k = 0; k < 4; ++k)
      EXPECT_EQ(r[16 + k], v[k]);
  }
}

TEST_P(Instructions, LoadsToLds) {
  Session s("instructions", GetParam());
  auto in = makeBits(64, 3);
  uint64_t out = s.upload(std::vector<U>(128));
  s.setArguments(s.upload(in), out);
  s.expectRun("to_lds", {{1, 1, 1}, {64, 1, 1}});
  auto got = s.download<U>(out, 128);
  for (int i = 0; i < 128; ++i)
    EXPECT_EQ(got[i], i >= 16 && i < 80 ? in[(i - 16) ^ 1] : 0) << i;
}
