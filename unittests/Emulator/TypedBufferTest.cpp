//===- TypedBufferTest.cpp - buffer accesses with a format ----------------===//
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

using U = uint32_t;

namespace {
/// A resource's data format, by number, and its components' widths.
struct Data {
  U number;
  std::vector<unsigned> widths;
};
enum Number { Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Float = 7 };
} // namespace
static const Data dataFormats[] = {{1, {8}},
                                   {2, {16}},
                                   {3, {8, 8}},
                                   {4, {32}},
                                   {5, {16, 16}},
                                   {6, {11, 11, 10}},
                                   {7, {10, 11, 11}},
                                   {8, {2, 10, 10, 10}},
                                   {9, {10, 10, 10, 2}},
                                   {10, {8, 8, 8, 8}},
                                   {11, {32, 32}},
                                   {12, {16, 16, 16, 16}},
                                   {13, {32, 32, 32}},
                                   {14, {32, 32, 32, 32}}};

/// A component as an f32's bits, or an integer.
static U decode(const A &bits, Number number) {
  unsigned width = bits.getBitWidth();
  double most = A::getLowBitsSet(width + 1, width).roundToDouble();
  auto single = [](double value) {
    bool loses;
    F wide(value);
    wide.convert(IEEE32, RM::NearestTiesToEven, &loses);
    return U(wide.bitcastToAPInt().getZExtValue());
  };
  double plain = bits.roundToDouble(), extended = bits.signedRoundToDouble();
  switch (number) {
  case Unorm:
    return single(plain / most);
  case Snorm:
    return single(std::max(-1.0, extended / ((most - 1) / 2)));
  case Uscaled:
    return single(plain);
  case Sscaled:
    return single(extended);
  case Uint:
    return bits.getZExtValue();
  case Sint:
    return bits.getSExtValue();
  case Float:
    break;
  }
  if (width == 32)
    return bits.getZExtValue();
  // 11 and 10 bits: a half without sign, and without its lowest bits.
  F half(IEEE16, width == 16 ? bits : bits.zext(16).shl(15 - width));
  return widened(half).bitcastToAPInt().getZExtValue();
}

static bool isInteger(Number number) {
  return number == Uint || number == Sint;
}

/// The four values of an element, in order; absent ones are 0, 0, 0, 1.
static std::array<U, 4> decodeAll(const Data &data, Number number,
                                  const A &element) {
  U one = isInteger(number) ? 1 : 0x3f800000;
  std::array<U, 4> values = {0, 0, 0, one};
  unsigned low = 0;
  for (unsigned k = 0; k < data.widths.size(); low += data.widths[k++])
    values[k] = decode(element.extractBits(data.widths[k], low), number);
  return values;
}
static U toHalf(U value, Number number) {
  if (isInteger(number))
    return value & 0xffff;
  F half = converted(Mode{0xf0}, fromBits(IEEE32, value), IEEE16);
  return half.bitcastToAPInt().getZExtValue();
}
static bool isSameFloat(U x, U y) {
  auto isNaN = [](U bits) { return (bits & 0x7fffffff) > 0x7f800000; };
  return x == y || (isNaN(x) && isNaN(y));
}

class TypedBuffers : public ChipTest {};
TE_BOTH_CHIPS(TypedBuffers);

TEST_P(TypedBuffers, EveryFormat) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::vector<U> in(64 * 4);
  for (U &word : in)
    word = draw(random() % 2 ? nullptr : &IEEE16, 0, random);
  struct Case {
    const Data &data;
    Number number;
    bool turned; // dst_sel: w, z, y, x
  };
  std::vector<Case> cases;
  std::vector<U> words;
  for (const Data &data : dataFormats)
    for (Number number : {Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Float}) {
      unsigned width = data.widths[0], bits = 0;
      if (number == Float && (width == 8 || width == 2 || data.number == 9))
        continue;
      for (unsigned each : data.widths)
        bits += each;
      bool turned = cases.size() % 3 == 1;
      U select =
          turned ? 7 | 6 << 3 | 5 << 6 | 4 << 9 : 4 | 5 << 3 | 6 << 6 | 7 << 9;
      cases.push_back({data, number, turned});
      words.push_back(select | number << 12 | data.number << 15);
      words.push_back(bits / 8);
    }
  Session s("typed", GetParam());
  U formats = cases.size();
  uint64_t out = s.upload(std::vector<U>(64 * formats * 36));
  s.setArguments(s.upload(in), out, s.upload(words), formats, 0u);
  s.expectRun("loads", {{1, 1, 1}, {64, 1, 1}});
  auto got = s.download<U>(out, 64 * formats * 36);
  for (U at = 0; at < 64 * formats; ++at) {
    const Case &c = cases[at % formats];
    U bytes = words[at % formats * 2 + 1], item = at / formats;
    A element(128, 0);
    for (U k = 0; k < bytes; ++k)
      element.insertBits(
          reinterpret_cast<const uint8_t *>(in.data())[item * bytes + k], k * 8,
          8);
    auto want = decodeAll(c.data, c.number, element);
    if (c.turned)
      std::reverse(want.begin(), want.end());
    const U *r = &got[at * 36];
    for (unsigned n = 1; n <= 4; ++n)
      for (unsigned k = 0; k < n; ++k) {
        ASSERT_TRUE(isInteger(c.number)
                        ? r[(n - 1) * 4 + k] == want[k]
                        : isSameFloat(r[(n - 1) * 4 + k], want[k]))
            << "data format " << c.data.number << ", number format " << c.number
            << ", component " << k << " of " << n << ": " << std::hex
            << r[(n - 1) * 4 + k] << ", expected " << want[k];
        U half = r[(n + 3) * 4 + k / 2] >> k % 2 * 16 & 0xffff;
        U wantHalf = toHalf(want[k], c.number);
        bool bothNaN = !isInteger(c.number) && (half & 0x7fff) > 0x7c00 &&
                       (wantHalf & 0x7fff) > 0x7c00;
        ASSERT_TRUE(half == wantHalf || bothNaN)
            << "d16, data format " << c.data.number << ", number format "
            << c.number << ", component " << k << " of " << n;
      }
    ASSERT_EQ(r[32] & 0xffff, 0x1deau) << "d16_hi keeps the low half";
    ASSERT_EQ(r[32] >> 16, r[16] & 0xffff);
    ASSERT_EQ(r[16] >> 16, 0xabadu) << "d16_x keeps the high half";
  }
}

TEST_P(TypedBuffers, FormatOfTheInstruction) {
  std::vector<U> in(64);
  std::mt19937 random(9);
  for (U &word : in)
    word = random();
  Session s("typed", GetParam());
  uint64_t out = s.upload(std::vector<U>(64 * 32));
  s.setArguments(s.upload(in), out);
  s.expectRun("instruction_loads", {{1, 1, 1}, {64, 1, 1}});
  auto got = s.download<U>(out, 64 * 32);
  for (U i = 0; i < 64; ++i) {
    auto want = decodeAll(dataFormats[9], Unorm, A(128, in[i]));
    for (unsigned n = 1; n <= 4; ++n)
      for (unsigned k = 0; k < n; ++k) {
        const U *r = &got[i * 32];
        ASSERT_EQ(r[(n - 1) * 4 + k], want[k]) << i;
        ASSERT_EQ(r[(n + 3) * 4 + k / 2] >> k % 2 * 16 & 0xffff,
                  toHalf(want[k], Unorm))
            << i;
      }
  }
}

TEST_P(TypedBuffers, StoresSaturate) {
  Session s("typed", GetParam());
  uint64_t out = s.upload(std::vector<U>(64 * 17, 0xabad1dea));
  s.setArguments(out);
  s.expectRun("stores", {{1, 1, 1}, {64, 1, 1}});
  auto got = s.download<U>(out, 64 * 17);
  // 1, 0.5, 0 and 2 in bytes; the last form writes the upper half's 0.5.
  const U bytes[] = {0xff, 0x80ff, 0x80ff, 0xff0080ff};
  for (U at = 0; at < 64 * 17; ++at) {
    unsigned form = at / 64;
    ASSERT_EQ(got[at], form == 16 ? 0x80u : bytes[form / 2 % 4]) << form;
  }
}

TEST_P(TypedBuffers, Swizzled) {
  std::vector<U> in(128);
  for (U i = 0; i < 128; ++i)
    in[i] = i * 3 + 1;
  Session s("typed", GetParam());
  uint64_t out = s.upload(std::vector<U>(384));
  s.setArguments(s.upload(in), out);
  s.expectRun("swizzled", {{1, 1, 1}, {64, 1, 1}});
  auto got = s.download<U>(out, 384);
  for (U i = 0; i < 128; ++i) {
    U record = i % 64, at = record / 8 * 16 + 8 + record % 8;
    ASSERT_EQ(got[i], in[at]) << i;
    ASSERT_EQ(got[128 + i], in[i / 16 * 16 + i % 2 * 8 + i / 2 % 8]) << i;
    ASSERT_EQ(got[256 + i], in[i]) << "stored where it was loaded from";
  }
}
