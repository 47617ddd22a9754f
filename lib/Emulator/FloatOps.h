//===- FloatOps.h - arithmetic that the float tables share ------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_FLOATOPS_H
#define TE_EMULATOR_FLOATOPS_H

#include "Lanes.h"

namespace mlir::te::emu {

template <class T> inline bool isNaN(T value) {
  return isNaNBits<T>(toBits<T>(value));
}
template <class T> inline bool isSignaling(T value) {
  return isNaN(value) && !(toBits<T>(value) & quietBit<T>());
}
template <class T> inline T quiet(T value) {
  return fromBits<T>(toBits<T>(value) | quietBit<T>());
}
template <class T> inline bool signOf(T value) {
  return toBits<T>(value) >> (sizeof(T) * 8 - 1) & 1;
}

/// Integers in the order of the numbers: -0 is less than +0, as the hardware
/// has it in min and max.
template <class T> inline std::make_signed_t<Bits<T>> orderKey(T value) {
  using I = std::make_signed_t<Bits<T>>;
  constexpr unsigned top = sizeof(T) * 8 - 1;
  constexpr I magnitude = I((Bits<T>(1) << top) - 1);
  I bits = I(toBits<T>(value));
  if constexpr (sizeof(T) == 2)
    bits = int16_t(bits);
  return bits < 0 ? bits ^ magnitude : bits;
}
template <class T> inline bool lessOrdered(T a, T b) {
  return orderKey(a) < orderKey(b);
}

/// v_min and v_max: a quiet NaN loses; in IEEE mode a signaling one gives a
/// quiet NaN. Without branches, for the vectoriser.
template <class T, bool isMax> inline T minMax(const Wave &wave, T a, T b) {
  bool less = lessOrdered(a, b), aNaN = isNaN(a), bNaN = isNaN(b);
  Bits<T> bits = less != isMax ? toBits<T>(a) : toBits<T>(b);
  bits = bNaN ? toBits<T>(a) : bits;
  bits = aNaN ? toBits<T>(b) : bits;
  bool signals =
      (wave.mode & kModeIeee) != 0 && (isSignaling(a) || isSignaling(b));
  return fromBits<T>(signals ? quietNaN<T>() : bits);
}
template <class T> inline T min2(const Wave &w, T a, T b) {
  return minMax<T, false>(w, a, b);
}
template <class T> inline T max2(const Wave &w, T a, T b) {
  return minMax<T, true>(w, a, b);
}
template <class T> inline T min3(const Wave &w, T a, T b, T c) {
  return min2(w, min2(w, a, b), c);
}
template <class T> inline T max3(const Wave &w, T a, T b, T c) {
  return max2(w, max2(w, a, b), c);
}
/// The middle of three; the least of them where one is a NaN.
template <class T> inline T med3(const Wave &w, T a, T b, T c) {
  T least = min3(w, a, b, c);
  auto ka = orderKey(a), kb = orderKey(b), kc = orderKey(c);
  auto low = ka < kb ? ka : kb, high = ka < kb ? kb : ka;
  auto middle = high < kc ? high : kc; // min(max(a, b), c)
  middle = low < middle ? middle : low;
  Bits<T> bits = middle == ka   ? toBits<T>(a)
                 : middle == kb ? toBits<T>(b)
                                : toBits<T>(c);
  bool anyNaN = isNaN(a) || isNaN(b) || isNaN(c);
  return fromBits<T>(anyNaN ? toBits<T>(least) : bits);
}

/// v_minimum3, v_maximum3: any NaN is the result.
template <class T, bool isMax> inline T extreme(T a, T b) {
  if (isNaN(a))
    return quiet(a);
  if (isNaN(b))
    return quiet(b);
  return lessOrdered(a, b) != isMax ? a : b;
}
template <class T> inline T minimum3(T a, T b, T c) {
  return extreme<T, false>(extreme<T, false>(a, b), c);
}
template <class T> inline T maximum3(T a, T b, T c) {
  return extreme<T, true>(extreme<T, true>(a, b), c);
}

inline float fusedMulAdd(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
inline double fusedMulAdd(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

/// One rounding from double to half: the first step rounds to odd, so that the
/// second decides as if it had seen every bit.
inline Half toHalf(double value) {
  float narrow = float(value);
  if (double(narrow) != value && value == value) {
    uint32_t bits = std::bit_cast<uint32_t>(narrow);
    bool away = std::fabs(double(narrow)) > std::fabs(value);
    if (!(bits & 1))
      bits = away ? bits - 1 : bits | 1;
    narrow = std::bit_cast<float>(bits);
  }
  return Half(narrow);
}
/// Every bit that decides a half's rounding is in a double here: a product has
/// 22 bits.
inline Half fusedMulAdd(Half a, Half b, Half c) {
  return toHalf(double(float(a)) * double(float(b)) + double(float(c)));
}

/// Legacy multiplication: 0 times anything, NaN and Inf included, is +0.
inline float mulLegacy(float a, float b) {
  return a == 0 || b == 0 ? 0.0f : a * b;
}

/// value - floor(value), `most` (the number below 1) at most; a NaN stays.
template <class T> inline T fractionBelowOne(T value, T most) {
  T fraction = value - std::floor(value);
  return fraction >= 1 ? most : fraction;
}

/// Exponent handling that all widths share, in double (exact for the narrower).
inline bool isFiniteNonZero(double value) {
  return std::isfinite(value) && value != 0;
}
inline int32_t frexpExponent(double value) {
  if (!isFiniteNonZero(value))
    return 0;
  int exponent;
  std::frexp(value, &exponent);
  return exponent;
}
inline double frexpMantissa(double value) {
  if (!isFiniteNonZero(value))
    return value;
  int exponent;
  return std::frexp(value, &exponent);
}

} // namespace mlir::te::emu

#endif // TE_EMULATOR_FLOATOPS_H
