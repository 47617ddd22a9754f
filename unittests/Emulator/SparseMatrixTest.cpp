//===- SparseMatrixTest.cpp - v_smfmac against a host matrix product ------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small integers, so that every sum is exact in any order; the indices are
// random, with the same value twice and out of order too.
//
//===----------------------------------------------------------------------===//
#include "Kernels.h"
#include "MatrixData.h"

#include <bit>

using namespace mlir::te::emu;
using namespace mlir::te::emu::test;

namespace {
struct Operation {
  const char *kernel;
  unsigned size, depth;
  Format a, b;
  unsigned cbsz, abid;
  bool on942;
  unsigned packed() const { return depth / 2; } // A's values in a row
  unsigned perLane() const { return size * packed() / 64; }
};
} // namespace

#define ROW(ON942, NAME, SUFFIX, SIZE, DEPTH, FA, FB, A, B, C, CBSZ, ABID)     \
  {#NAME #SUFFIX, SIZE, DEPTH, FA, FB, CBSZ, ABID, ON942},
#define BOTH(...) ROW(true, __VA_ARGS__)
#define ON950(...) ROW(false, __VA_ARGS__)
static const Operation operations[] = {
#include "kernels/sparse_ops.def"
};

/// Of A's packed value `n` of row i: one rule for each kind of instruction.
static Place placeOfPacked(const Operation &op, unsigned i, unsigned n) {
  auto bit = [&](unsigned which) { return n >> which & 1; };
  unsigned group, element;
  if (widthOf(op.a) == 16) {
    group = n / op.perLane();
    element = n % op.perLane();
  } else if (op.perLane() == 8) {
    unsigned half = op.packed() / 2;
    group = n % half / 4;
    element = n / half * 4 + n % 4;
  } else if (op.size == 16) {
    group = 2 * bit(5) + bit(3);
    element = 8 * bit(2) + 4 * bit(4) + n % 4;
  } else {
    group = bit(4);
    element = 8 * bit(2) + 4 * bit(3) + n % 4;
  }
  return {op.size * group + i, element};
}
/// Of B[k][j].
static Place placeOfB(const Operation &op, unsigned k, unsigned j) {
  unsigned groups = 64 / op.size;
  return {k / 8 % groups * op.size + j, k / (8 * groups) * 8 + k % 8};
}

namespace {
/// The operands of one product, in matrices and in registers.
struct Operands {
  Operands(const Operation &op, bool fnuz, std::mt19937 &random)
      : a(1, op.size, op.packed()), b(1, op.depth, op.size),
        c(1, op.size, op.size), packedA(op.perLane() * widthOf(op.a) / 32),
        packedB(op.perLane() * 2 * widthOf(op.b) / 32), indices(64) {
    bool isInteger = op.a == I8;
    a.fill(random, isInteger ? -128 : -7, isInteger ? 127 : 7);
    b.fill(random, isInteger ? -128 : -7, isInteger ? 127 : 7);
    c.fill(random, -100, 100);
    for (uint32_t &word : indices)
      word = random();
    for (unsigned i = 0; i < op.size; ++i) {
      for (unsigned n = 0; n < op.packed(); ++n)
        put(packedA, placeOfPacked(op, i, n), op.a, a.at(0, i, n), fnuz);
      for (unsigned k = 0; k < op.depth; ++k)
        put(packedB, placeOfB(op, k, i), op.b, b.at(0, k, i), fnuz);
    }
  }
  static void put(Registers &to, Place at, Format format, double value,
                  bool fnuz) {
    to.put(at.lane, at.element, widthOf(format), encode(value, format, fnuz));
  }
  Matrix multiply(const Operation &op) {
    Matrix d = c;
    unsigned bits = 2 * op.perLane(), set = op.cbsz ? 0 : op.abid % (32 / bits);
    for (unsigned i = 0; i < op.size; ++i)
      for (unsigned n = 0; n < op.packed(); ++n) {
        Place at = placeOfPacked(op, i, n);
        unsigned index = indices[at.lane] >> (set * bits + at.element * 2) & 3;
        for (unsigned j = 0; j < op.size; ++j)
          d.at(0, i, j) += a.at(0, i, n) * b.at(0, n / 2 * 4 + index, j);
      }
    return d;
  }
  Matrix a, b, c;
  Registers packedA, packedB;
  std::vector<uint32_t> indices;
};
} // namespace

static std::vector<uint32_t> packResult(Matrix &m, const Operation &op) {
  Shape shape{op.size, op.depth, 1};
  Registers out(op.size * op.size / 64);
  for (unsigned i = 0; i < op.size; ++i)
    for (unsigned j = 0; j < op.size; ++j) {
      Place to = placeOfResult(shape, F32, 0, i, j);
      double value = m.at(0, i, j);
      out.put(to.lane, to.element, 32,
              op.a == I8 ? uint32_t(int64_t(value))
                         : std::bit_cast<uint32_t>(float(value)));
    }
  return out.words;
}

class SparseMatrix : public ChipTest {
protected:
  bool isFnuz() const { return std::string(GetParam()) == "gfx942"; }
  void check(const Operation &op, const char *kernel, std::mt19937 &random) {
    Operands operands(op, isFnuz(), random);
    Matrix d = operands.multiply(op);
    auto want = packResult(d, op);
    Session session("sparse", GetParam());
    uint64_t out = session.upload(std::vector<uint32_t>(want.size()));
    session.setArguments(session.upload(operands.packedA.words),
                         session.upload(operands.packedB.words),
                         session.upload(packResult(operands.c, op)),
                         session.upload(operands.indices), out);
    auto stats = session.expectRun(kernel, {{1, 1, 1}, {64, 1, 1}});
    EXPECT_EQ(session.download<uint32_t>(out, want.size()), want);
    EXPECT_EQ(stats.byClass["mfma"], 1u);
    EXPECT_EQ(stats.mfmaPasses, op.size == 16 ? 4u : 8u);
  }
};
TE_BOTH_CHIPS(SparseMatrix);

TEST_P(SparseMatrix, EveryShape) {
  const uint32_t seed = std::random_device()();
  std::mt19937 random(seed);
  for (const Operation &op : operations) {
    if (isFnuz() && !op.on942)
      continue;
    SCOPED_TRACE(testing::Message() << op.kernel << ", seed " << seed);
    check(op, op.kernel, random);
  }
}

TEST_P(SparseMatrix, AccumulatorsWhateverExecSays) {
  std::mt19937 random(8);
  check(operations[0], "accumulators", random);
}
