//===- Reference.h - what instructions give, by APFloat and APInt -*- C++ -*-=//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The vocabulary of property_ops.def. Nothing here is the emulator's.
//
//===----------------------------------------------------------------------===//
#ifndef TE_UNITTESTS_EMULATOR_REFERENCE_H
#define TE_UNITTESTS_EMULATOR_REFERENCE_H

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"

namespace mlir::te::emu::test {

using F = llvm::APFloat;
using A = llvm::APInt;
using RM = llvm::RoundingMode;
using Semantics = llvm::fltSemantics;

inline const Semantics &IEEE16 = F::IEEEhalf(), &IEEE32 = F::IEEEsingle(),
                       &IEEE64 = F::IEEEdouble();

/// MODE: bits 1:0 round f32, 3:2 the others; 4 and 6 keep denormal inputs, 5
/// and 7 denormal results.
struct Mode {
  unsigned bits;
  RM rounding(const Semantics &s) const {
    static constexpr RM modes[] = {RM::NearestTiesToEven, RM::TowardPositive,
                                   RM::TowardNegative, RM::TowardZero};
    return modes[(&s == &IEEE32 ? bits : bits >> 2) & 3];
  }
  F flush(const F &value, bool isResult) const {
    unsigned bit = (&value.getSemantics() == &IEEE32 ? 4 : 6) + isResult;
    return value.isDenormal() && !(bits >> bit & 1)
               ? F::getZero(value.getSemantics(), value.isNegative())
               : value;
  }
};

inline F fromBits(const Semantics &s, uint64_t bits) {
  unsigned width = F::getSizeInBits(s);
  return F(s, A(64, bits).trunc(width));
}
inline F half(uint16_t bits) { return fromBits(IEEE16, bits); }

/// The first NaN of the sources made quiet, else the default one.
inline F nanOf(std::initializer_list<F> sources) {
  for (const F &source : sources)
    if (source.isNaN())
      return source.makeQuiet();
  return F::getQNaN(sources.begin()->getSemantics());
}
inline F orNaN(const F &result, std::initializer_list<F> sources) {
  return result.isNaN() ? nanOf(sources) : result;
}

inline F add(const Mode &m, const F &x, const F &y) {
  F sum = x;
  sum.add(y, m.rounding(x.getSemantics()));
  return orNaN(sum, {x, y});
}
inline F mul(const Mode &m, const F &x, const F &y) {
  F product = x;
  product.multiply(y, m.rounding(x.getSemantics()));
  return orNaN(product, {x, y});
}
inline F mulLegacy(const Mode &m, const F &x, const F &y) {
  return x.isZero() || y.isZero() ? F::getZero(IEEE32) : mul(m, x, y);
}
inline F fma(const Mode &m, const F &x, const F &y, const F &z) {
  F sum = x;
  sum.fusedMultiplyAdd(y, z, m.rounding(x.getSemantics()));
  return orNaN(sum, {x, y, z});
}

/// -0 is less than +0.
inline bool isLess(const F &x, const F &y) {
  auto order = x.compare(y);
  return order == F::cmpLessThan ||
         (order == F::cmpEqual && x.isNegative() && !y.isNegative());
}
/// A quiet NaN loses; in IEEE mode, which kernels start in, a signaling one
/// gives a NaN.
inline F least(const F &x, const F &y) {
  if (x.isSignaling() || y.isSignaling())
    return F::getQNaN(x.getSemantics());
  return x.isNaN() ? y : y.isNaN() ? x : isLess(y, x) ? y : x;
}
inline F most(const F &x, const F &y) {
  if (x.isSignaling() || y.isSignaling())
    return F::getQNaN(x.getSemantics());
  return x.isNaN() ? y : y.isNaN() ? x : isLess(x, y) ? y : x;
}
inline F middle(const F &x, const F &y, const F &z) {
  if (x.isNaN() || y.isNaN() || z.isNaN())
    return least(least(x, y), z);
  return most(least(x, y), least(most(x, y), z));
}
/// minimum3, maximum3: any NaN is the result.
inline F least3(const F &x, const F &y, const F &z, bool isLeast) {
  if (x.isNaN() || y.isNaN() || z.isNaN())
    return F::getQNaN(x.getSemantics());
  return isLeast ? least(least(x, y), z) : most(most(x, y), z);
}

inline F integral(F x, RM rounding) {
  if (x.isNaN())
    return x.makeQuiet();
  x.roundToIntegral(rounding);
  return x;
}
inline bool isOrdinary(const F &x) { return x.isFinite() && !x.isZero(); }
inline F mantissa(const F &x) {
  int exponent;
  return isOrdinary(x) ? frexp(x, exponent, RM::NearestTiesToEven) : x;
}
inline A exponent(const F &x, unsigned width) {
  int exponent = 0;
  if (isOrdinary(x))
    (void)frexp(x, exponent, RM::NearestTiesToEven);
  return A(width, exponent, true);
}
inline F scaled(const Mode &m, const F &x, const A &by) {
  int exponent = std::clamp<int64_t>(by.getSExtValue(), -9999, 9999);
  if (!isOrdinary(x))
    return x.isNaN() ? x.makeQuiet() : x;
  return scalbn(x, exponent, m.rounding(x.getSemantics()));
}

/// The last step of a division n / d whose quotient is q, which does not count
/// where the exponents alone decide (f16: never).
inline F divFixup(const F &q, const F &d, const F &n) {
  const Semantics &s = q.getSemantics();
  bool negative = d.isNegative() != n.isNegative();
  if (n.isNaN() || d.isNaN() || (n.isZero() && d.isZero()) ||
      (n.isInfinity() && d.isInfinity()))
    return F::getQNaN(s);
  if (d.isZero() || n.isInfinity())
    return F::getInf(s, negative);
  if (d.isInfinity() || n.isZero())
    return F::getZero(s, negative);
  int distance = ilogb(n) - ilogb(d);
  int most = F::semanticsMaxExponent(s) + F::semanticsPrecision(s) - 1;
  if (&s != &IEEE16 && std::abs(distance) > most) {
    F quotient = n;
    quotient.divide(d, RM::NearestTiesToEven);
    return quotient;
  }
  return negative ? neg(abs(q)) : abs(q);
}

inline F converted(const Mode &m, F x, const Semantics &to) {
  const Semantics &narrow =
      F::getSizeInBits(to) < F::getSizeInBits(x.getSemantics())
          ? to
          : x.getSemantics();
  bool loses;
  x.convert(to, m.rounding(narrow), &loses);
  return x.isNaN() ? x.makeQuiet() : x;
}
inline F widened(F x) {
  bool loses;
  x.convert(IEEE32, RM::NearestTiesToEven, &loses);
  return x;
}
inline F fromInt(const Mode &m, const A &x, bool isSigned, const Semantics &s) {
  F value(s);
  value.convertFromAPInt(x, isSigned, m.rounding(s));
  return value;
}
/// Cut and saturated; a NaN gives 0.
inline A toInt(const F &x, unsigned width, bool isSigned) {
  llvm::APSInt value(width, !isSigned);
  bool exact;
  if (x.isNaN())
    return A(width, 0);
  x.convertToInteger(value, RM::TowardZero, &exact);
  return value;
}
/// x * (2^15 - 1) or (2^16 - 1), of [-1, 1] or [0, 1], to the nearest.
inline A normalised(F x, bool isSigned) {
  bool loses;
  x.convert(IEEE64, RM::NearestTiesToEven, &loses);
  if (x.isNaN())
    return A(16, 0);
  x = least(most(x, F(isSigned ? -1.0 : 0.0)), F(1.0));
  x.multiply(F(isSigned ? 32767.0 : 65535.0), RM::NearestTiesToEven);
  return toInt(integral(x, RM::NearestTiesToEven), 16, isSigned);
}
inline A joined(const A &high, const A &low) { return high.concat(low); }
inline A towardZero(const F &x, const F &y) {
  Mode cut{0xff};
  return joined(converted(cut, y, IEEE16).bitcastToAPInt(),
                converted(cut, x, IEEE16).bitcastToAPInt());
}
/// Byte `at` of `old` becomes x, rounded.
inline A packedByte(const Mode &m, const F &x, const A &at, A old) {
  old.insertBits(toInt(integral(x, m.rounding(IEEE32)), 8, false),
                 at.getZExtValue() % 4 * 8);
  return old;
}

/// Two halves or singles of a register.
template <class Op>
inline A parts(const Semantics &s, const A &x, const A &y, const A &z, Op op) {
  unsigned width = F::getSizeInBits(s);
  auto part = [&](unsigned k) {
    auto of = [&](const A &v) { return F(s, v.extractBits(width, k * width)); };
    return op(of(x), of(y), of(z)).bitcastToAPInt();
  };
  return part(1).concat(part(0));
}
template <class Op> inline A words(const A &x, const A &y, const A &z, Op op) {
  auto of = [](const A &v, unsigned k) { return v.extractBits(16, k * 16); };
  return op(of(x, 1), of(y, 1), of(z, 1))
      .concat(op(of(x, 0), of(y, 0), of(z, 0)));
}

inline A smin(const A &x, const A &y) { return llvm::APIntOps::smin(x, y); }
inline A smax(const A &x, const A &y) { return llvm::APIntOps::smax(x, y); }
inline A umin(const A &x, const A &y) { return llvm::APIntOps::umin(x, y); }
inline A umax(const A &x, const A &y) { return llvm::APIntOps::umax(x, y); }
inline unsigned low(const A &x, unsigned bits) {
  return x.trunc(bits).getZExtValue();
}
inline A signedField(const A &x, unsigned offset, unsigned width) {
  width = std::min(width, 32 - offset);
  return width ? x.extractBits(width, offset).sext(32) : A(32, 0);
}
/// v_perm_b32: bytes 0..7 of the pair; 8..11 copies of signs, 12 zeros, then
/// ones.
inline A permuted(const A &pair, const A &selects) {
  A out(32, 0);
  for (unsigned k = 0; k < 4; ++k) {
    unsigned select = selects.extractBitsAsZExtValue(8, k * 8);
    unsigned byte = select < 8    ? pair.extractBitsAsZExtValue(8, select * 8)
                    : select < 12 ? pair[(select - 8) * 16 + 15] * 0xff
                                  : (select > 12) * 0xff;
    out.insertBits(byte, k * 8, 8);
  }
  return out;
}
inline A differences(const A &x, const A &y, unsigned width, bool masked) {
  A sum(32, 0);
  for (unsigned k = 0; k < 32; k += width) {
    A p = x.extractBits(width, k), q = y.extractBits(width, k);
    if (!masked || !q.isZero())
      sum += llvm::APIntOps::abdu(p, q).zext(32);
  }
  return sum;
}
inline A averages(const A &x, const A &y, const A &z) {
  A out(32, 0);
  for (unsigned k = 0; k < 32; k += 8)
    out.insertBits(
        (x.extractBits(8, k).zext(9) + y.extractBits(8, k).zext(9) + A(9, z[k]))
            .lshr(1)
            .trunc(8),
        k);
  return out;
}
inline A quads(const A &x, const A &y, const A &sums, bool masked,
               bool saturates = false) {
  A out(64, 0);
  for (unsigned k = 0; k < 4; ++k) {
    A sum = differences(x.extractBits(32, k * 8), y, 8, masked) +
            sums.extractBits(16, k * 16).zext(32);
    out.insertBits(saturates ? sum.truncUSat(16) : sum.trunc(16), k * 16);
  }
  return out;
}
/// Exact, in 64 bits.
inline A wideDot(const A &x, const A &y, unsigned width, bool isSigned) {
  A sum(64, 0);
  for (unsigned k = 0; k < 32; k += width) {
    A p = x.extractBits(width, k), q = y.extractBits(width, k);
    sum += isSigned ? p.sext(64) * q.sext(64) : p.zext(64) * q.zext(64);
  }
  return sum;
}
inline A dotted(const A &x, const A &y, unsigned width, bool isSigned) {
  return wideDot(x, y, width, isSigned).trunc(32);
}
/// What the 24-bit multipliers read, in 64 bits.
inline A low24(const A &x, bool isSigned) {
  return isSigned ? x.trunc(24).sext(64) : x.trunc(24).zext(64);
}
inline A saturated(const A &x, unsigned shift, bool isSigned) {
  A value = x.ashr(shift);
  if (isSigned)
    return value.truncSSat(8);
  return value.isNegative() ? A(8, 0) : value.truncUSat(8);
}
inline A borrow(const A &x, const A &y) { return A(32, x.ult(y)); }

} // namespace mlir::te::emu::test

#endif // TE_UNITTESTS_EMULATOR_REFERENCE_H
