//===- Transcendental.h - exp2, log2, sine and cosine in double -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Series with errors far below half an ulp of a float, without branches or
// calls: the lane loops vectorise, and the results are the same on every host.
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_TRANSCENDENTAL_H
#define TE_EMULATOR_TRANSCENDENTAL_H

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace mlir::te::emu {

/// Enough for a float's result: beyond +-200 it is 0 or infinity anyway.
inline double exp2Of(double value) {
  double x = value < -200 ? -200 : value;
  x = x > 200 ? 200 : x;
  double whole = __builtin_rint(x);
  double f = (x - whole) * 0.6931471805599453; // |f| <= 0.35
  double sum = 1.0 / 479001600;
  constexpr double factorials[] = {39916800, 3628800, 362880, 40320, 5040, 720,
                                   120,      24,      6,      2,     1,    1};
  for (double factorial : factorials)
    sum = sum * f + 1.0 / factorial;
  // The exponent by way of the low bits of a large number: x is no NaN there.
  uint64_t bits = std::bit_cast<uint64_t>(whole + 0x1.8p52) + 1023;
  double result = sum * std::bit_cast<double>(bits << 52);
  return value == value ? result : value;
}

inline double log2Of(double value) {
  uint64_t bits = std::bit_cast<uint64_t>(value);
  // The mantissa in [sqrt(1/2), sqrt(2)).
  uint64_t shifted = bits - 0x3fe6a09e667f3bcd;
  int64_t exponent = int64_t(shifted) >> 52;
  double m = std::bit_cast<double>(bits - (uint64_t(exponent) << 52));
  double t = (m - 1) / (m + 1), square = t * t, sum = 0;
  for (double odd = 21; odd >= 1; odd -= 2) // atanh(t) / t, |t| <= 0.172
    sum = sum * square + 1 / odd;
  // An integer of this size is exact in the low bits of a double.
  double whole =
      std::bit_cast<double>(uint64_t(exponent) + 0x4338000000000000) - 0x1.8p52;
  double result = whole + t * sum * 2.8853900817779268; // 2 / ln 2
  constexpr double infinity = std::numeric_limits<double>::infinity();
  result = value == infinity ? infinity : result;
  result = value == 0 ? -infinity : result;
  result = value < 0 ? std::numeric_limits<double>::quiet_NaN() : result;
  return value == value ? result : value;
}

/// sin(2 pi turns) for |turns| <= 1/4.
inline double sinQuarter(double turns) {
  double x = turns * 6.283185307179586, square = x * x, sum = 0;
  constexpr double factorials[] = {51090942171709440000.0,
                                   -121645100408832000.0,
                                   355687428096000.0,
                                   -1307674368000.0,
                                   6227020800.0,
                                   -39916800.0,
                                   362880.0,
                                   -5040.0,
                                   120.0,
                                   -6.0,
                                   1.0};
  for (double factorial : factorials)
    sum = sum * square + 1 / factorial;
  return x * sum;
}

/// The argument is in turns. Beyond +-256 the hardware gives 0 for the sine
/// and 1 for the cosine.
inline double sinRevolutions(double value) {
  double r = value - __builtin_rint(value); // exact
  r = r > 0.25 ? 0.5 - r : r;
  r = r < -0.25 ? -0.5 - r : r;
  double result = std::fabs(value) > 256 ? 0 : sinQuarter(r);
  return std::fabs(value) <= std::numeric_limits<double>::max()
             ? result
             : std::numeric_limits<double>::quiet_NaN();
}
inline double cosRevolutions(double value) {
  double r = std::fabs(value - __builtin_rint(value));
  double result = std::fabs(value) > 256 ? 1 : sinQuarter(0.25 - r);
  return std::fabs(value) <= std::numeric_limits<double>::max()
             ? result
             : std::numeric_limits<double>::quiet_NaN();
}

} // namespace mlir::te::emu

#endif // TE_EMULATOR_TRANSCENDENTAL_H
