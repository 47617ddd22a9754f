//===- SmallFloat.h - fp8, bf8, fp6, bf6 and fp4 codes ----------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Branch-free conversions, so that the lane loops vectorise. Encoding rounds
// once, to nearest even; decoding is exact.
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_SMALLFLOAT_H
#define TE_EMULATOR_SMALLFLOAT_H

#include "FloatOps.h"

namespace mlir::te::emu {

/// A format of at most eight bits. `most`: the largest finite magnitude's code.
struct SmallFormat {
  unsigned mantissa, bias, most;
  bool fnuz;              // one NaN, 0x80, and no infinity
  unsigned overflow, nan; // codes without sign; fnuz: 0x80
};
constexpr SmallFormat kFp8{3, 7, 0x7e, false, 0x7f, 0x7f};
constexpr SmallFormat kBf8{2, 15, 0x7b, false, 0x7c, 0x7f};
constexpr SmallFormat kFp8Fnuz{3, 8, 0x7f, true, 0x80, 0x80};
constexpr SmallFormat kBf8Fnuz{2, 16, 0x7f, true, 0x80, 0x80};
/// No NaN and no infinity: what is too large, or not a number, is the largest.
constexpr SmallFormat kFp6{3, 1, 0x1f, false, 0x1f, 0x1f};
constexpr SmallFormat kBf6{2, 3, 0x1f, false, 0x1f, 0x1f};
constexpr SmallFormat kFp4{1, 1, 0x7, false, 0x7, 0x7};

constexpr unsigned signBitOf(const SmallFormat &format) {
  return format.overflow == format.most ? format.most + 1 : 0x80;
}

/// `clamp`: a finite value beyond the range becomes the largest
/// (MODE.FP16_OVFL); a true infinity stays one where the format has it, else a
/// NaN.
template <SmallFormat format>
inline uint32_t encodeSmall(float value, bool clamp) {
  constexpr unsigned drop = 23 - format.mantissa;
  constexpr uint32_t sign = signBitOf(format);
  // 1 of the smallest normal's binade, and the number whose ulp is the format's
  // denormal step.
  constexpr uint32_t smallest = (128 - format.bias) << 23;
  constexpr uint32_t magic = (128 - format.bias + drop) << 23;
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t magnitude = bits & 0x7fffffff;
  uint32_t rounded =
      magnitude + ((1u << (drop - 1)) - 1) + (magnitude >> drop & 1);
  uint32_t normal =
      (rounded >> drop) - ((127 - format.bias) << format.mantissa);
  float lifted = std::bit_cast<float>(magnitude) + std::bit_cast<float>(magic);
  uint32_t denormal = std::bit_cast<uint32_t>(lifted) - magic;
  uint32_t code = magnitude < smallest ? denormal : normal;
  bool isNaN = magnitude > 0x7f800000, isInfinite = magnitude == 0x7f800000;
  bool over = code > format.most || magnitude >= 0x7f800000;
  uint32_t instead = isNaN                  ? format.nan
                     : clamp && !isInfinite ? format.most
                                            : format.overflow;
  code = over ? instead : code;
  bool negative = bits >> 31;
  if (format.fnuz) // no negative zero; NaN has the sign bit already
    return code | (negative && code != 0 ? sign : 0);
  return code | (negative ? sign : 0);
}

template <SmallFormat format> inline float decodeSmall(uint32_t code) {
  constexpr unsigned drop = 23 - format.mantissa;
  constexpr uint32_t sign = signBitOf(format);
  constexpr bool ieee = !format.fnuz && format.overflow != format.most;
  uint32_t magnitude = code & (sign - 1);
  // Both formats' denormals: the scaling by a power of two is exact.
  float scale = std::bit_cast<float>((254 - format.bias) << 23);
  float value = std::bit_cast<float>(magnitude << drop) * scale;
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t exceptional =
      format.overflow != format.nan && magnitude == format.overflow
          ? 0x7f800000
          : 0x7fc00000;
  if (ieee && magnitude > format.most)
    bits = exceptional;
  if (format.fnuz && (code & 0xff) == 0x80)
    return std::bit_cast<float>(0x7fc00000);
  return std::bit_cast<float>(bits | (code & sign ? 0x80000000 : 0));
}

/// Stochastic rounding: the top bits of `random` are added below the kept ones.
/// How the hardware aligns them for a denormal result is not published; here
/// they scale with the bits dropped.
template <SmallFormat format>
inline uint32_t encodeStochastic(float value, uint32_t random, bool clamp) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  int exponent = int(bits >> 23 & 0xff) - 127;
  if (exponent == 128 || exponent == -127)
    return encodeSmall<format>(exponent == -127 ? value * 0 : value, clamp);
  int least = 1 - int(format.bias);
  unsigned drop = 23 - format.mantissa + std::max(0, least - exponent);
  if (drop > 31)
    return encodeSmall<format>(value * 0, clamp);
  uint64_t significand = (bits & 0x7fffff) | 0x800000;
  uint64_t kept = (significand + (random >> (32 - drop))) >> drop;
  // Exact: few bits are left.
  float exact = std::ldexp(float(kept), exponent - 23 + int(drop));
  return encodeSmall<format>(std::copysign(exact, value), clamp);
}

inline bool clampsOverflow(const Wave &wave) {
  return wave.mode & kModeFp16Overflow;
}

/// Bfloat16, nearest even; NaNs stay NaNs.
inline uint32_t toBFloat(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return isNaN(value) ? (bits | 0x400000) >> 16 : rounded;
}
inline float fromBFloat(uint32_t bits) {
  float wide = std::bit_cast<float>(bits << 16);
  return isNaN(wide) ? quiet(wide) : wide;
}
inline uint32_t packHalves(uint32_t low, uint32_t high) {
  return (low & 0xffff) | high << 16;
}
inline Half narrowToHalf(float value) {
  // A NaN's upper payload bits stay.
  uint32_t bits = std::bit_cast<uint32_t>(value);
  return isNaN(value) ? fromBits<Half>((bits >> 16 & 0x8000) | 0x7e00 |
                                       (bits >> 13 & 0x3ff))
                      : Half(value);
}
inline float widenHalf(Half value) {
  uint32_t bits = toBits<Half>(value);
  return isNaN(value) ? std::bit_cast<float>((bits & 0x8000) << 16 |
                                             0x7fc00000 | (bits & 0x3ff) << 13)
                      : float(value);
}

} // namespace mlir::te::emu

#endif // TE_EMULATOR_SMALLFLOAT_H
