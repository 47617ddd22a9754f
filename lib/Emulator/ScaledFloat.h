//===- ScaledFloat.h - what the v_cvt_scalef32 rows share -------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The scale is 2^(e - 127), where e is the exponent field of an f32 operand;
// 255 makes the result a NaN. Values are divided by it on the way to the small
// format and multiplied on the way out, and rounded once.
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_SCALEDFLOAT_H
#define TE_EMULATOR_SCALEDFLOAT_H

#include "SmallFloat.h"

namespace mlir::te::emu {

/// 2^(e - 127), with e = 0 a denormal float and e = 255 a NaN.
inline float scaleOf(uint32_t bits) {
  uint32_t e = bits >> 23 & 0xff;
  return e == 255 ? std::bit_cast<float>(0x7fc00000)
                  : std::bit_cast<float>(e ? e << 23 : 0x400000u);
}
inline float inverseOf(uint32_t bits) {
  uint32_t e = bits >> 23 & 0xff;
  return e == 255   ? std::bit_cast<float>(0x7fc00000)
         : e == 254 ? std::bit_cast<float>(0x400000u)
                    : std::bit_cast<float>((254 - e) << 23);
}

/// How a register holds the wide values.
enum class Wide { F32, F16, BF16 };

/// The k-th value of a register pair (F32) or of a register's halves.
template <Wide wide> inline float widen(uint32_t bits, unsigned k) {
  if constexpr (wide == Wide::F16)
    return widenHalf(fromBits<Half>(bits >> k * 16));
  else if constexpr (wide == Wide::BF16)
    return fromBFloat(bits >> k * 16 & 0xffff);
  else
    return std::bit_cast<float>(bits);
}
template <Wide wide> inline uint32_t narrow(float value) {
  if constexpr (wide == Wide::F16)
    return toBits<Half>(narrowToHalf(value));
  else if constexpr (wide == Wide::BF16)
    return toBFloat(value);
  else
    return std::bit_cast<uint32_t>(value);
}

/// value * inverse. What leaves a float's range stays finite: only a true
/// infinity is one to the small format.
inline float rescale(float value, float inverse) {
  float scaled = value * inverse;
  bool overflows = std::isinf(scaled) && !std::isinf(value);
  return overflows ? std::copysign(0x1.fffffep127f, scaled) : scaled;
}

} // namespace mlir::te::emu

#endif // TE_EMULATOR_SCALEDFLOAT_H
