//===- MatrixTest.cpp - MFMA against a host matrix product ----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small integers, so that every sum is exact in any order.
//
//===----------------------------------------------------------------------===//
#include "Kernels.h"
#include "MatrixData.h"

#include <bit>
#include <cmath>

using namespace mlir::te::emu;
using namespace mlir::te::emu::test;

namespace {
struct Operation {
  const char *kernel;
  Shape shape;
  Format a, b;
  unsigned cbsz, abid, blgp, passes942, passes950;
  bool on942, on950;
};
} // namespace

#define ROW(ON942, ON950, NAME, SUFFIX, SIZE, DEPTH, BLOCKS, FA, FB, A, B, C,  \
            CBSZ, ABID, BLGP, P942, P950)                                      \
  {#NAME #SUFFIX,                                                              \
   {SIZE, DEPTH, BLOCKS},                                                      \
   FA,                                                                         \
   FB,                                                                         \
   CBSZ,                                                                       \
   ABID,                                                                       \
   BLGP,                                                                       \
   P942,                                                                       \
   P950,                                                                       \
   ON942,                                                                      \
   ON950},
#define BOTH(...) ROW(true, true, __VA_ARGS__)
#define ON942(...) ROW(true, false, __VA_ARGS__)
#define ON950(...) ROW(false, true, __VA_ARGS__)
static const Operation operations[] = {
#include "kernels/matrix_ops.def"
};

class MatrixCore : public ChipTest {
protected:
  bool isFnuz() const { return std::string(GetParam()) == "gfx942"; }
  Registers pack(Matrix &m, Shape s, Format format, bool transposed) const {
    Registers out(s.size * s.depth * s.blocks / 64 * widthOf(format) / 32);
    for (unsigned block = 0; block < s.blocks; ++block)
      for (unsigned i = 0; i < s.size; ++i)
        for (unsigned k = 0; k < s.depth; ++k) {
          Place to = placeOfInput(s, block, i, k);
          double value = transposed ? m.at(block, k, i) : m.at(block, i, k);
          out.put(to.lane, to.element, widthOf(format),
                  encode(value, format, isFnuz()));
        }
    return out;
  }
};
TE_BOTH_CHIPS(MatrixCore);

static uint64_t encodeResult(double value, Format format) {
  return format == F64  ? std::bit_cast<uint64_t>(value)
         : format == I8 ? uint32_t(int64_t(value)) // wraps
                        : std::bit_cast<uint32_t>(float(value));
}
static Registers packResult(Matrix &m, Shape s, Format format) {
  unsigned width = format == F64 ? 64 : 32;
  Registers out(s.size * s.size * s.blocks / 64 * width / 32);
  for (unsigned block = 0; block < s.blocks; ++block)
    for (unsigned i = 0; i < s.size; ++i)
      for (unsigned j = 0; j < s.size; ++j) {
        Place to = placeOfResult(s, format, block, i, j);
        out.put(to.lane, to.element, width,
                encodeResult(m.at(block, i, j), format));
      }
  return out;
}

/// B[block][k][j] after blgp has moved lanes.
static Matrix permuteB(Matrix &b, Shape s, unsigned blgp) {
  Matrix out = b;
  unsigned perLane = s.size * s.depth * s.blocks / 64;
  for (unsigned block = 0; block < s.blocks; ++block)
    for (unsigned k = 0; k < s.depth; ++k)
      for (unsigned j = 0; j < s.size; ++j) {
        Place to = placeOfInput(s, block, j, k);
        unsigned from = laneOfB(to.lane, blgp), run = from / s.size;
        out.at(block, k, j) =
            b.at(run % s.blocks, run / s.blocks * perLane + to.element,
                 from % s.size);
      }
  return out;
}

static Matrix multiply(const Operation &op, Matrix &a, Matrix &b, Matrix &c) {
  Shape s = op.shape;
  bool isDouble = op.a == F64;
  Matrix moved = permuteB(b, s, isDouble ? 0 : op.blgp), d = c;
  double sign = isDouble && std::popcount(op.blgp & 3u) % 2 ? -1 : 1;
  for (unsigned block = 0; block < s.blocks; ++block)
    for (unsigned i = 0; i < s.size; ++i)
      for (unsigned j = 0; j < s.size; ++j) {
        double &sum = d.at(block, i, j);
        if (isDouble && op.blgp & 4)
          sum = -sum;
        unsigned from = block / (1u << op.cbsz) * (1u << op.cbsz) + op.abid;
        for (unsigned k = 0; k < s.depth; ++k)
          sum += sign * a.at(from, i, k) * moved.at(block, k, j);
      }
  return d;
}

TEST_P(MatrixCore, DenseProducts) {
  const uint32_t seed = 20261121;
  RecordProperty("seed", seed);
  std::mt19937 random(seed);
  for (const Operation &op : operations) {
    if (!(isFnuz() ? op.on942 : op.on950))
      continue;
    SCOPED_TRACE(testing::Message() << op.kernel << ", seed " << seed);
    Shape s = op.shape;
    Matrix a(s.blocks, s.size, s.depth), b(s.blocks, s.depth, s.size),
        c(s.blocks, s.size, s.size);
    bool isInteger = op.a == I8;
    a.fill(random, isInteger ? -128 : -7, isInteger ? 127 : 7);
    b.fill(random, isInteger ? -128 : -7, isInteger ? 127 : 7);
    c.fill(random, -100, 100);
    if (isInteger) // some sums wrap
      for (size_t i = 0; i < c.values.size(); i += 3)
        c.values[i] = INT32_MAX - double(random() % 100);
    Matrix d = multiply(op, a, b, c);
    Registers want = packResult(d, s, op.a);
    Session session("matrix", GetParam());
    uint64_t out = session.upload(std::vector<uint32_t>(want.words.size()));
    session.setArguments(session.upload(pack(a, s, op.a, false).words),
                         session.upload(pack(b, s, op.b, true).words),
                         session.upload(packResult(c, s, op.a).words), out);
    auto stats = session.expectRun(op.kernel, {{1, 1, 1}, {64, 1, 1}});
    EXPECT_EQ(session.download<uint32_t>(out, want.words.size()), want.words);
    EXPECT_EQ(stats.byClass["mfma"], 1u);
    EXPECT_EQ(stats.mfmaPasses, isFnuz() ? op.passes942 : op.passes950);
  }
}

TEST_P(MatrixCore, ConstantsForC) {
  std::mt19937 random(5);
  for (bool isInteger : {false, true}) {
    Shape s{16, isInteger ? 32u : 4u, 1};
    Format format = isInteger ? I8 : F32;
    Operation op{"", s, format, format, 0, 0, 0, 0, 0, true, true};
    Matrix a(1, 16, s.depth), b(1, s.depth, 16), c(1, 16, 16);
    a.fill(random, -7, 7);
    b.fill(random, -7, 7);
    c.values.assign(256, isInteger ? -5 : -2);
    Matrix d = multiply(op, a, b, c);
    Session session("matrix", GetParam());
    uint64_t out = session.upload(std::vector<uint32_t>(256));
    session.setArguments(session.upload(pack(a, s, format, false).words),
                         session.upload(pack(b, s, format, true).words), out);
    session.expectRun(isInteger ? "constant_i32" : "constant_f32",
                      {{1, 1, 1}, {64, 1, 1}});
    EXPECT_EQ(session.download<uint32_t>(out, 256),
              packResult(d, s, format).words);
  }
}

TEST_P(MatrixCore, AccumulatorsInPlaceWhateverExecSays) {
  std::mt19937 random(6);
  Shape s{16, 4, 1};
  Operation op{"", s, F32, F32, 0, 0, 0, 0, 0, true, true};
  Matrix a(1, 16, 4), b(1, 4, 16), c(1, 16, 16);
  a.fill(random, -7, 7);
  b.fill(random, -7, 7);
  c.fill(random, -7, 7);
  Matrix once = multiply(op, a, b, c), twice = multiply(op, a, b, once);
  Session session("matrix", GetParam());
  uint64_t out = session.upload(std::vector<uint32_t>(256));
  session.setArguments(session.upload(pack(a, s, F32, false).words),
                       session.upload(pack(b, s, F32, true).words),
                       session.upload(packResult(c, s, F32).words), out);
  session.expectRun("accumulators", {{1, 1, 1}, {64, 1, 1}});
  EXPECT_EQ(session.download<uint32_t>(out, 256),
            packResult(twice, s, F32).words);
}

/// Row 3 of A has code 0x80: NaN where fp8 is FNUZ, else -0. Row 5 has 0x7f:
/// the largest number, or OCP's NaN.
TEST_P(MatrixCore, Fp8Specials) {
  Shape s{16, 32, 1};
  Matrix zero(1, 16, 32), b(1, 32, 16), c(1, 16, 16);
  b.values.assign(b.values.size(), 1);
  Registers a = pack(zero, s, FP8, false);
  for (auto [row, code] : {std::pair(3u, 0x80u), std::pair(5u, 0x7fu)}) {
    Place to = placeOfInput(s, 0, row, 17);
    a.put(to.lane, to.element, 8, code);
  }
  Session session("matrix", GetParam());
  uint64_t out = session.upload(std::vector<uint32_t>(256));
  session.setArguments(session.upload(a.words),
                       session.upload(pack(b, s, FP8, true).words),
                       session.upload(packResult(c, s, F32).words), out);
  session.expectRun("f32_16x16x32_fp8_fp8", {{1, 1, 1}, {64, 1, 1}});
  Registers got(4);
  got.words = session.download<uint32_t>(out, 256);
  for (unsigned i = 0; i < 16; ++i)
    for (unsigned j = 0; j < 16; ++j) {
      Place at = placeOfResult(s, F32, 0, i, j);
      uint32_t bits = got.get(at.lane, at.element, 32);
      bool isNaN = i == (isFnuz() ? 3u : 5u);
      float want = i == 5 ? 240 : 0;
      EXPECT_EQ(bits, isNaN ? 0x7fc00000 : std::bit_cast<uint32_t>(want))
          << i << ", " << j;
    }
}

/// Denormal inputs and results stay; infinity times zero is a NaN.
TEST_P(MatrixCore, DenormalsAndInfinities) {
  Shape s{16, 4, 1};
  Matrix a(1, 16, 4), b(1, 4, 16), c(1, 16, 16);
  a.at(0, 1, 2) = 0x1p-140;
  a.at(0, 2, 3) = 0x1p-100;
  a.at(0, 4, 0) = INFINITY;
  b.at(0, 2, 7) = 2;
  b.at(0, 3, 7) = 0x1p-40;
  b.at(0, 0, 7) = -1;
  Session session("matrix", GetParam());
  uint64_t out = session.upload(std::vector<uint32_t>(256));
  session.setArguments(session.upload(pack(a, s, F32, false).words),
                       session.upload(pack(b, s, F32, true).words),
                       session.upload(packResult(c, s, F32).words), out);
  session.expectRun("f32_16x16x4f32", {{1, 1, 1}, {64, 1, 1}});
  Registers got(4);
  got.words = session.download<uint32_t>(out, 256);
  auto at = [&](unsigned i, unsigned j) {
    Place place = placeOfResult(s, F32, 0, i, j);
    return uint32_t(got.get(place.lane, place.element, 32));
  };
  EXPECT_EQ(at(1, 7), std::bit_cast<uint32_t>(0x1p-139f));
  EXPECT_EQ(at(2, 7), std::bit_cast<uint32_t>(0x1p-140f));
  EXPECT_EQ(at(4, 7), std::bit_cast<uint32_t>(-INFINITY));
  EXPECT_EQ(at(4, 6), 0x7fc00000u);
  EXPECT_EQ(at(0, 7), 0u);
}
