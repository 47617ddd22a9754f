//===- PropertyTest.cpp - exact instructions against APFloat and APInt ----===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every instruction of property_ops.def, on fresh random data with the edge
// cases of each format, under several MODEs.
//
//===----------------------------------------------------------------------===//
#include "Draw.h"
#include "Kernels.h"

#include <set>

using namespace mlir::te::emu;
using namespace mlir::te::emu::test;

//===----------------------------------------------------------------------===//
// Registers and values
//===----------------------------------------------------------------------===//

namespace {
/// A number in a register (pair).
struct FloatType {
  const Semantics &semantics;
  F read(const Mode &m, uint64_t bits) const {
    return m.flush(fromBits(semantics, bits), /*isResult=*/false);
  }
  A write(const Mode &m, const F &value) const {
    return m.flush(value, /*isResult=*/true).bitcastToAPInt();
  }
  bool isSame(const A &got, const A &want) const {
    F x(semantics, got), y(semantics, want);
    return got == want || (x.isNaN() && y.isNaN());
  }
  unsigned width() const { return F::getSizeInBits(semantics); }
};
/// Bits.
struct IntType {
  unsigned bits;
  A read(const Mode &, uint64_t value) const {
    return A(64, value).trunc(bits);
  }
  A write(const Mode &, const A &value) const { return value; }
  bool isSame(const A &got, const A &want) const { return got == want; }
  unsigned width() const { return bits; }
};
/// Two numbers in a register (pair).
struct PairType {
  const Semantics &semantics;
  template <class Change> A each(const A &value, Change change) const {
    unsigned half = F::getSizeInBits(semantics);
    auto part = [&](unsigned k) {
      return change(F(semantics, value.extractBits(half, k * half)))
          .bitcastToAPInt();
    };
    return part(1).concat(part(0));
  }
  A read(const Mode &m, uint64_t bits) const {
    return each(A(64, bits).trunc(width()),
                [&](const F &value) { return m.flush(value, false); });
  }
  A write(const Mode &m, const A &value) const {
    return each(value, [&](const F &part) { return m.flush(part, true); });
  }
  bool isSame(const A &got, const A &want) const {
    auto plain = [&](const A &value) {
      return each(value, [](const F &part) {
        return part.isNaN() ? F::getQNaN(part.getSemantics()) : part;
      });
    };
    return plain(got) == plain(want);
  }
  unsigned width() const { return 2 * F::getSizeInBits(semantics); }
};
} // namespace

static const FloatType F16{IEEE16}, F32{IEEE32}, F64{IEEE64};
static const IntType I16{16}, I32{32}, I64{64};
static const PairType H2{IEEE16}, S2{IEEE32};

template <class Op> static A halves(const A &x, const A &y, const A &z, Op op) {
  return parts(IEEE16, x, y, z, op);
}
template <class Op>
static A singles(const A &x, const A &y, const A &z, Op op) {
  return parts(IEEE32, x, y, z, op);
}
using Words = std::array<uint64_t, 4>; // a, b, c and the old destination
namespace {
struct Operation {
  llvm::StringRef text;
  bool on942;
  unsigned width; // of the result
  /// True where `got` is right; `want` is filled for the message.
  bool (*check)(const Mode &m, const Words &in, uint64_t got, uint64_t &want);
};
} // namespace

static A finish(const IntType &, const Mode &, const A &value) { return value; }
static A finish(const PairType &type, const Mode &m, const A &value) {
  return type.write(m, value);
}
static A finish(const FloatType &type, const Mode &m, const F &value) {
  return type.write(m, value);
}

#define ROW(ON942, R, A_, B_, C_, TEXT, EXPRESSION)                            \
  {TEXT, ON942, R.width(),                                                     \
   [](const Mode &m, const Words &in, uint64_t got, uint64_t &want) {          \
     [[maybe_unused]] auto x = A_.read(m, in[0]);                              \
     [[maybe_unused]] auto y = B_.read(m, in[1]);                              \
     [[maybe_unused]] auto z = C_.read(m, in[2]);                              \
     [[maybe_unused]] auto d = R.read(m, in[3]);                               \
     A expected = finish(R, m, EXPRESSION);                                    \
     want = expected.getZExtValue();                                           \
     return R.isSame(A(64, got).trunc(R.width()), expected);                   \
   }},
#define OP(...) ROW(true, __VA_ARGS__)
#define ON950(...) ROW(false, __VA_ARGS__)
static const Operation operations[] = {
#include "kernels/property_ops.def"
};

//===----------------------------------------------------------------------===//
// The tests
//===----------------------------------------------------------------------===//

static std::string describe(const Operation &op, const Mode &m, const Words &in,
                            uint64_t got, uint64_t want) {
  char text[400];
  std::snprintf(text, sizeof(text),
                "%s of %llx, %llx, %llx, old %llx under MODE 0x%x: got %llx, "
                "expected %llx",
                op.text.data(), (long long)in[0], (long long)in[1],
                (long long)in[2], (long long)in[3], m.bits, (long long)got,
                (long long)want);
  return text;
}

/// The NaN that these give is a source's, made quiet: its payload counts.
static bool keepsNaNs(llvm::StringRef text) {
  for (llvm::StringRef start : {"v_add_f", "v_mul_f", "v_fma_f", "v_cvt_f"})
    if (text.starts_with(start))
      return true;
  return false;
}

class Properties : public ChipTest {};
TE_BOTH_CHIPS(Properties);

/// Every rounding, with denormals kept; every treatment of denormals; mixtures.
static constexpr unsigned modes[] = {0xf0, 0xf5, 0xfa, 0xff, 0x00,
                                     0x50, 0xa0, 0xc6, 0x39};

TEST_P(Properties, ExactInstructions) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::vector<const Operation *> here;
  for (const Operation &op : operations)
    if (op.on942 || std::string(GetParam()) == "gfx950")
      here.push_back(&op);
  const Semantics *kinds[] = {nullptr, &IEEE16, &IEEE32, &IEEE64};
  const uint32_t n = 512, results = here.size();
  std::set<llvm::StringRef> failed; // one message an instruction
  for (const Semantics *kind : kinds)
    for (unsigned mode : modes) {
      std::vector<Words> in(n);
      for (Words &item : in)
        for (unsigned k = 0; k < 4; ++k)
          item[k] = draw(kind, k ? item[k - 1] : 0, random);
      Session s("property", GetParam());
      uint64_t out = s.upload(std::vector<uint64_t>(n * results, 0xabad1dea));
      s.setArguments(s.upload(in), out, mode, results);
      s.expectRun("properties", {{n / 64, 1, 1}, {64, 1, 1}});
      auto got = s.download<uint64_t>(out, n * results);
      Mode m{mode};
      for (uint32_t i = 0; i < n; ++i)
        for (uint32_t k = 0; k < results; ++k) {
          uint64_t want;
          bool isRight = here[k]->check(m, in[i], got[i * results + k], want);
          if (keepsNaNs(here[k]->text))
            isRight &=
                A(64, got[i * results + k]).trunc(here[k]->width) == want;
          if (!isRight && failed.insert(here[k]->text).second)
            ADD_FAILURE() << describe(*here[k], m, in[i], got[i * results + k],
                                      want);
        }
    }
}
