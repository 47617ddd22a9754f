//===- CompareTest.cpp - every v_cmp and v_cmpx against APFloat and APInt -===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Draw.h"
#include "Kernels.h"
#include "kernels/compare_ops.def"

using namespace mlir::te::emu;
using namespace mlir::te::emu::test;

namespace {
struct Answer {
  std::string name;
  bool value;
};
} // namespace
using Answers = std::vector<Answer>;

static void addIntegers(Answers &answers, const char *sign, unsigned bits,
                        uint64_t a, uint64_t b) {
  A x = A(64, a).trunc(bits), y = A(64, b).trunc(bits);
  bool L = *sign == 'i' ? x.slt(y) : x.ult(y), Q = x == y;
#define INTEGER(OP, E, SIGN, BITS, A_, B_)                                     \
  answers.push_back({std::string(OP "_") + sign + std::to_string(bits), E});
  EVERY_INTEGER(sign, bits, a, b)
}

static void addFloats(Answers &answers, const char *type, const Semantics &s,
                      uint64_t a, uint64_t b) {
  auto order = fromBits(s, a).compare(fromBits(s, b));
  bool L = order == F::cmpLessThan, Q = order == F::cmpEqual,
       G = order == F::cmpGreaterThan, N = order == F::cmpUnordered;
#define FLOAT(OP, E, TYPE, A_, B_)                                             \
  answers.push_back({std::string(OP "_") + type, E});
  EVERY_FLOAT(type, a, b)
}

/// Bits: signaling and quiet NaN, then negative infinity, normal, denormal,
/// zero and the positive ones the other way.
static bool isOfClass(const F &x, unsigned mask) {
  unsigned magnitude = x.isInfinity()   ? 0
                       : x.isNormal()   ? 1
                       : x.isDenormal() ? 2
                                        : 3;
  unsigned found = x.isSignaling()  ? 0
                   : x.isNaN()      ? 1
                   : x.isNegative() ? 2 + magnitude
                                    : 9 - magnitude;
  return mask >> found & 1;
}

static Answers answer(uint64_t a, uint64_t b) {
  Answers answers;
  for (unsigned bits : {16, 32, 64})
    for (const char *sign : {"i", "u"})
      addIntegers(answers, sign, bits, a, b);
  addFloats(answers, "f16", IEEE16, a, b);
  addFloats(answers, "f32", IEEE32, a, b);
  addFloats(answers, "f64", IEEE64, a, b);
  for (const Semantics *s : {&IEEE16, &IEEE32, &IEEE64})
    answers.push_back({"class", isOfClass(fromBits(*s, a), b)});
  return answers;
}

class Compare : public ChipTest {};
TE_BOTH_CHIPS(Compare);

TEST_P(Compare, EveryComparison) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const uint32_t n = 2048, words = (answer(0, 0).size() + 31) / 32 * 2;
  std::vector<uint64_t> in;
  const Semantics *kinds[] = {nullptr, &IEEE16, &IEEE32, &IEEE64};
  for (uint32_t i = 0; i < n; ++i) {
    const Semantics *kind = kinds[i / 64 % 4];
    in.push_back(draw(kind, 0, random));
    in.push_back(draw(kind, in.back(), random));
  }
  Session s("compare", GetParam());
  uint64_t out = s.upload(std::vector<uint32_t>(n * words, 0xabad1dea));
  s.setArguments(s.upload(in), out, words);
  s.expectRun("compare", {{n / 64, 1, 1}, {64, 1, 1}});
  auto got = s.download<uint32_t>(out, n * words);
  for (uint32_t i = 0; i < n; ++i) {
    Answers want = answer(in[i * 2], in[i * 2 + 1]);
    for (size_t k = 0; k < want.size(); ++k)
      for (unsigned masked : {0, 1}) // v_cmp, v_cmpx
        ASSERT_EQ(got[i * words + k / 32 * 2 + masked] >> k % 32 & 1,
                  want[k].value)
            << want[k].name << (masked ? " into EXEC" : "") << " of "
            << std::hex << in[i * 2] << ", " << in[i * 2 + 1];
  }
}
