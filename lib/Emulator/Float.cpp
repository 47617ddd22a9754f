//===- Float.cpp - VALU: single precision ---------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "FloatOps.h"

namespace mlir::te::emu {

/// Of the f32 transcendentals the hardware promises about one ulp; here they
/// are rounded once from double. All but v_rcp flush denormals, in and out,
/// whatever MODE says.
static float flush(float value) {
  return std::fabs(value) < 0x1p-126f ? std::copysign(0.0f, value) : value;
}
template <double (*F)(double)> static float viaDouble(float value) {
  return flush(float(F(double(flush(value)))));
}
static double reciprocalRoot(double value) { return 1.0 / std::sqrt(value); }
static double exp2Of(double value) { return std::exp2(value); }
static double log2Of(double value) {
  return value < 0 ? std::nan("") : std::log2(value);
}
static double sqrtOf(double value) { return std::sqrt(value); }

/// The argument is in turns. Beyond +-256 the hardware gives 0 for the sine and
/// 1 for the cosine.
static float sinTurns(float turns) {
  double value = turns;
  if (std::isinf(turns) || turns != turns)
    return std::nanf("");
  if (std::fabs(value) > 256)
    return 0;
  return float(std::sin((value - std::rint(value)) * 2 * M_PI));
}
static float cosTurns(float turns) {
  double value = turns;
  if (std::isinf(turns) || turns != turns)
    return std::nanf("");
  if (std::fabs(value) > 256)
    return 1;
  return float(std::cos((value - std::rint(value)) * 2 * M_PI));
}

/// Never 1: the largest float below it at most.
static float fract(float value) {
  if (std::isinf(value))
    return std::nanf("");
  return std::fmin(value - std::floor(value), 0x1.fffffep-1f);
}

static float scaleExponent(float value, int32_t exponent) {
  return float(std::ldexp(double(value), std::clamp(exponent, -2000, 2000)));
}

/// v_div_fixup: the exceptional cases of a division whose quotient is in `q`.
static float divFixup(float q, float d, float n) {
  bool negative = signOf(n) != signOf(d);
  float sign = negative ? -1.0f : 1.0f;
  if (isNaN(n))
    return quiet(n);
  if (isNaN(d))
    return quiet(d);
  if ((n == 0 && d == 0) || (std::isinf(n) && std::isinf(d)))
    return std::bit_cast<float>(0xffc00000u);
  if (d == 0 || std::isinf(n))
    return sign * INFINITY;
  if (std::isinf(d) || n == 0)
    return sign * 0.0f;
  int en = std::ilogb(n), ed = std::ilogb(d);
  if (en - ed < -150)
    return sign * 0.0f;
  if (en - ed > 150)
    return sign * INFINITY;
  return negative ? -std::fabs(q) : std::fabs(q);
}

/// v_div_fmas: the final step of a division, scaled back by 2^64 or 2^-64 where
/// VCC says that v_div_scale changed the exponents.
static void runDivFmas(Wave &wave, const Inst &inst) {
  uint32_t buffers[3][kLanes], out[kLanes];
  beginLanes(wave, inst);
  RoundingScope rounding(wave, Type::F32);
  const uint32_t *s[3];
  for (unsigned k = 0; k < 3; ++k)
    s[k] = readLanes<float>(wave, inst, k, buffers[k]);
  uint64_t vcc = wave.scalar64(kVcc);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    float a = fromBits<float>(s[0][lane]), b = fromBits<float>(s[1][lane]);
    float c = fromBits<float>(s[2][lane]);
    float result = fusedMulAdd(a, b, c);
    if (vcc >> lane & 1)
      result = std::ilogb(c) > 0 ? result * 0x1p64f : result * 0x1p-64f;
    out[lane] = toBits<float>(result);
  }
  fixNaNs<float>(out, s[0], s[1], s[2]);
  writeLanes<float>(wave, inst, out);
}

struct Scaled {
  float value;
  bool flag;
};
/// v_div_scale: S0 (the numerator S2 or the denominator S1), scaled by 2^64 or
/// 2^-64 so that the iterations neither overflow nor lose denormal bits.
static Scaled divScale(float s0, float d, float n) {
  if (d == 0 || n == 0)
    return {std::nanf(""), false};
  int ed = std::isfinite(d) ? std::ilogb(d) : 128;
  int en = std::isfinite(n) ? std::ilogb(n) : 128;
  bool isDenominator = toBits<float>(s0) == toBits<float>(d);
  bool isNumerator = toBits<float>(s0) == toBits<float>(n);
  bool denormal = std::fabs(d) < 0x1p-126f;
  double reciprocal = 1.0 / double(d), quotient = double(n) / double(d);
  auto tiny = [](double value) { return std::fabs(value) < 0x1p-126; };
  if (en - ed >= 96) // only the denominator is scaled, the quotient overflows
    return {isDenominator ? s0 * 0x1p64f : s0, true};
  if (denormal)
    return {s0 * 0x1p64f, false};
  if (tiny(reciprocal) && tiny(quotient))
    return {isDenominator ? s0 * 0x1p-64f : s0, true};
  if (tiny(reciprocal))
    return {s0 * 0x1p-64f, false};
  if (tiny(quotient))
    return {isNumerator ? s0 * 0x1p64f : s0, true};
  if (en + 127 <= 23)
    return {s0 * 0x1p64f, false};
  return {s0, false};
}
static void runDivScale(Wave &wave, const Inst &inst) {
  uint32_t buffers[3][kLanes], out[kLanes];
  beginLanes(wave, inst);
  const uint32_t *s[3];
  for (unsigned k = 0; k < 3; ++k)
    s[k] = readLanes<float>(wave, inst, k, buffers[k]);
  uint64_t flags = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    Scaled result =
        divScale(fromBits<float>(s[0][lane]), fromBits<float>(s[1][lane]),
                 fromBits<float>(s[2][lane]));
    out[lane] = toBits<float>(result.value);
    flags |= uint64_t(result.flag) << lane;
  }
  writeLanes<float>(wave, inst, out);
  wave.setScalar64(inst.sdst, flags & wave.writeMask);
}

using F = float;

static const Row rows[] = {
    {"v_add_f32", lanes<[](F a, F b) { return a + b; }>},
    {"v_sub_f32", lanes<[](F a, F b) { return a - b; }>},
    {"v_subrev_f32", lanes<[](F a, F b) { return b - a; }>},
    {"v_mul_f32", lanes<[](F a, F b) { return a * b; }>},
    {"v_mul_legacy_f32", lanes<mulLegacy>},
    {"v_mad_f32", lanes<[](F a, F b, F c) { return a * b + c; }>},
    {"v_mac_f32", lanes<[](F a, F b, F c) { return a * b + c; }>, kReadsDst},
    {"v_mad_legacy_f32",
     lanes<[](F a, F b, F c) { return mulLegacy(a, b) + c; }>},
    {"v_fma_f32", lanes<[](F a, F b, F c) { return fusedMulAdd(a, b, c); }>},
    {"v_fmac_f32", lanes<[](F a, F b, F c) { return fusedMulAdd(a, b, c); }>,
     kReadsDst},
    {"v_fmamk_f32", lanes<[](F a, F b, F c) { return fusedMulAdd(a, b, c); }>,
     kMadMK},
    {"v_fmaak_f32", lanes<[](F a, F b, F c) { return fusedMulAdd(a, b, c); }>,
     kMadAK},
    {"v_min_f32", lanes<min2<F>>},
    {"v_max_f32", lanes<max2<F>>},
    {"v_min3_f32", lanes<min3<F>>},
    {"v_max3_f32", lanes<max3<F>>},
    {"v_med3_f32", lanes<med3<F>>},
    {"v_minimum3_f32", lanes<minimum3<F>>},
    {"v_maximum3_f32", lanes<maximum3<F>>},
    {"v_floor_f32", lanes<[](F a) { return std::floor(a); }>},
    {"v_ceil_f32", lanes<[](F a) { return std::ceil(a); }>},
    {"v_trunc_f32", lanes<[](F a) { return std::trunc(a); }>},
    {"v_rndne_f32", lanes<[](F a) { return __builtin_roundevenf(a); }>},
    {"v_fract_f32", lanes<fract>},
    {"v_rcp_f32", lanes<[](F a) { return 1.0f / a; }>},
    {"v_rcp_iflag_f32", lanes<[](F a) { return 1.0f / a; }>},
    {"v_rsq_f32", lanes<viaDouble<reciprocalRoot>>},
    {"v_sqrt_f32", lanes<viaDouble<sqrtOf>>},
    {"v_exp_f32", lanes<viaDouble<exp2Of>>},
    {"v_exp_legacy_f32", lanes<viaDouble<exp2Of>>},
    {"v_log_f32", lanes<viaDouble<log2Of>>},
    {"v_log_legacy_f32", lanes<viaDouble<log2Of>>},
    {"v_sin_f32", lanes<sinTurns>},
    {"v_cos_f32", lanes<cosTurns>},
    {"v_ldexp_f32", lanes<scaleExponent>},
    {"v_frexp_exp_i32_f32", lanes<[](F a) { return frexpExponent(a); }>},
    {"v_frexp_mant_f32", lanes<[](F a) { return F(frexpMantissa(a)); }>},
    {"v_div_fixup_f32", lanes<divFixup>},
    {"v_div_fmas_f32", runDivFmas},
    {"v_div_scale_f32", runDivScale, kScalarDst | kKeepHigh},
};

llvm::ArrayRef<Row> getFloatRows() { return rows; }

} // namespace mlir::te::emu
