//===- Division.h - v_div_scale, v_div_fmas and v_div_fixup, for f32 and f64 -*-
// C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The three steps around the compiler's Newton iteration: bring the operands
// into a range where it neither overflows nor loses denormal bits, undo that in
// the last multiplication, and give the exceptional quotients.
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_DIVISION_H
#define TE_EMULATOR_DIVISION_H

#include "FloatOps.h"

#include "llvm/ADT/APFloat.h"

namespace mlir::te::emu {

template <class T> struct DivLimits;
template <> struct DivLimits<float> {
  static constexpr int shift = 64, farApart = 96, tiny = 23, bias = 127;
  static constexpr int beyond = 150; // exponents so far apart decide alone
  static constexpr float smallest = 0x1p-126f, up = 0x1p64f, down = 0x1p-64f;
};
template <> struct DivLimits<double> {
  static constexpr int shift = 128, farApart = 768, tiny = 53, bias = 1023;
  static constexpr int beyond = 1075;
  static constexpr double smallest = 0x1p-1022, up = 0x1p128, down = 0x1p-128;
};

template <class T> struct DivScaled {
  T value;
  bool flag; // v_div_fmas has to scale back
};

/// S0 is the numerator `n` or the denominator `d`.
template <class T> inline DivScaled<T> divScale(T s0, T d, T n) {
  using Limits = DivLimits<T>;
  if (d == 0 || n == 0)
    return {fromBits<T>(quietNaN<T>()), false};
  int ed = std::isfinite(d) ? std::ilogb(d) : Limits::bias + 1;
  int en = std::isfinite(n) ? std::ilogb(n) : Limits::bias + 1;
  bool isDenominator = toBits<T>(s0) == toBits<T>(d);
  bool isNumerator = toBits<T>(s0) == toBits<T>(n);
  auto tiny = [](T value) { return std::fabs(value) < Limits::smallest; };
  if (en - ed >= Limits::farApart) // the quotient is near the largest number
    return {isDenominator ? s0 * Limits::up : s0, true};
  if (tiny(d))
    return {s0 * Limits::up, false};
  bool tinyReciprocal = tiny(T(1) / d), tinyQuotient = tiny(n / d);
  if (tinyReciprocal && tinyQuotient)
    return {isDenominator ? s0 * Limits::down : s0, true};
  if (tinyReciprocal)
    return {s0 * Limits::down, false};
  if (tinyQuotient)
    return {isNumerator ? s0 * Limits::up : s0, true};
  if (en + Limits::bias <= Limits::tiny)
    return {s0 * Limits::up, false};
  return {s0, false};
}

template <class T> inline T divFixup(T q, T d, T n) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  bool negative = signOf(n) != signOf(d);
  T sign = negative ? T(-1) : T(1);
  if (isNaN(n))
    return quiet(n);
  if (isNaN(d))
    return quiet(d);
  if ((n == 0 && d == 0) || (std::isinf(n) && std::isinf(d)))
    return -fromBits<T>(quietNaN<T>());
  if (d == 0 || std::isinf(n))
    return sign * infinity;
  if (std::isinf(d) || n == 0)
    return sign * T(0);
  int distance = std::ilogb(n) - std::ilogb(d);
  if (distance < -DivLimits<T>::beyond)
    return sign * T(0);
  if (distance > DivLimits<T>::beyond)
    return sign * infinity;
  return negative ? -std::fabs(q) : std::fabs(q);
}

template <class T> void runDivScale(Wave &wave, const Inst &inst) {
  Bits<T> buffers[3][kLanes], out[kLanes];
  beginLanes(wave, inst);
  const Bits<T> *s[3];
  for (unsigned k = 0; k < 3; ++k)
    s[k] = readLanes<T>(wave, inst, k, buffers[k]);
  uint64_t flags = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    DivScaled<T> result =
        divScale(fromBits<T>(s[0][lane]), fromBits<T>(s[1][lane]),
                 fromBits<T>(s[2][lane]));
    out[lane] = toBits<T>(result.value);
    flags |= uint64_t(result.flag) << lane;
  }
  writeLanes<T>(wave, inst, out);
  wave.setScalar64(inst.sdst, flags & wave.writeMask);
}

/// 2^exponent * (a * b + c), rounded once even where the result is a denormal.
template <class T> inline T scaledMulAdd(T a, T b, T c, int exponent) {
  using llvm::APFloat;
  auto widen = [](T value) {
    APFloat wide(value);
    bool loses;
    wide.convert(APFloat::IEEEquad(), APFloat::rmNearestTiesToEven, &loses);
    return wide;
  };
  APFloat sum = widen(a);
  sum.fusedMultiplyAdd(widen(b), widen(c), APFloat::rmNearestTiesToEven);
  sum = scalbn(sum, exponent, APFloat::rmNearestTiesToEven);
  bool loses;
  sum.convert(sizeof(T) == 8 ? APFloat::IEEEdouble() : APFloat::IEEEsingle(),
              APFloat::rmNearestTiesToEven, &loses);
  return fromBits<T>(Bits<T>(sum.bitcastToAPInt().getZExtValue()));
}

/// Scaled back downwards where the addend, the quotient so far, is small.
template <class T> void runDivFmas(Wave &wave, const Inst &inst) {
  using Limits = DivLimits<T>;
  Bits<T> buffers[3][kLanes], out[kLanes];
  beginLanes(wave, inst);
  const Bits<T> *s[3];
  for (unsigned k = 0; k < 3; ++k)
    s[k] = readLanes<T>(wave, inst, k, buffers[k]);
  uint64_t vcc = wave.scalar64(kVcc);
  {
    RoundingScope rounding(wave, typeOf<T>());
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      T a = fromBits<T>(s[0][lane]), b = fromBits<T>(s[1][lane]);
      T c = fromBits<T>(s[2][lane]);
      int exponent = std::fabs(c) >= T(2) ? Limits::shift : -Limits::shift;
      out[lane] = toBits<T>(vcc >> lane & 1 ? scaledMulAdd(a, b, c, exponent)
                                            : fusedMulAdd(a, b, c));
    }
  }
  fixNaNs<T>(out, s[0], s[1], s[2]);
  writeLanes<T>(wave, inst, out);
}

} // namespace mlir::te::emu

#endif // TE_EMULATOR_DIVISION_H
