//===- Scaling.cpp - how scales are chosen -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Reference/Scaling.h"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>

static_assert(FLT_EVAL_METHOD == 0, "float arithmetic must round to float");

namespace mlir::te::ref {

static constexpr uint32_t kMantissaMask = 0x007FFFFF;

static uint32_t exponentField(float value) {
  return (std::bit_cast<uint32_t>(value) >> 23) & 0xFF;
}
static uint32_t mantissaField(float value) {
  return std::bit_cast<uint32_t>(value) & kMantissaMask;
}

float computeScaleFromAmax(float amax, float formatMax, bool pow2,
                           float epsilon, float valueForInf) {
  if (amax < epsilon)
    amax = epsilon;
  if (std::isinf(amax) || std::isnan(amax) || amax == 0)
    return 1.0f;
  float scale = formatMax / amax;
  if (std::isinf(scale))
    scale = valueForInf;
  if (pow2)
    scale =
        std::bit_cast<float>(std::bit_cast<uint32_t>(scale) & ~kMantissaMask);
  return scale;
}

float computeRowScaleInv(float amax, float formatMax) {
  if (std::isinf(amax))
    return 1.0f;
  float scaleInv = amax / formatMax;
  return scaleInv == 0 ? 1.0f : scaleInv;
}

/// The E8M0 code of the least power of two that is not below `value`.
static uint8_t ceilToE8M0(float value) {
  if (std::isnan(value))
    return 0xFF;
  if (std::isinf(value))
    return 0xFE;
  if (value == 0)
    return 0x00;
  uint32_t exponent = exponentField(value), mantissa = mantissaField(value);
  // Code 0 is 2^-127, the subnormal with mantissa 0x400000.
  bool atMostCode0 = exponent == 0 && mantissa <= 0x400000;
  if (mantissa > 0 && exponent != 0xFE && !atMostCode0)
    ++exponent;
  return exponent;
}

/// The unbiased exponent that a rounding makes of a finite amax > 0.
static int roundedExponent(float amax, Rounding rounding,
                           const Format &format) {
  int exponent = int(exponentField(amax)) - 127;
  switch (rounding) {
  case Rounding::Even: {
    uint32_t half = 1u << (22 - format.mantissaBits);
    uint32_t bits = std::bit_cast<uint32_t>(amax) + half;
    return int(bits >> 23) - 127;
  }
  case Rounding::Ceil:
    return exponent + (mantissaField(amax) != 0);
  default:
    return exponent; // Floor
  }
}

uint8_t computeE8M0(float amax, DType element, Rounding rounding) {
  const Format &format = getFormat(element);
  if (rounding == Rounding::RCeil)
    return ceilToE8M0(amax * (1.0f / float(format.max)));
  bool isFP4 = element == DType::F4E2M1FN;
  if (std::isinf(amax))
    return isFP4 ? 253 : 0xFF;
  if (amax == 0)
    return isFP4 ? 127 : 0;
  int exponent = roundedExponent(amax, rounding, format) - format.maxExponent;
  return std::clamp(exponent, -127, 127) + 127;
}

float getE8M0Multiplier(uint8_t code) {
  if (code == 0xFF)
    return std::numeric_limits<float>::quiet_NaN();
  return std::ldexp(1.0f, 127 - int(code));
}

} // namespace mlir::te::ref
