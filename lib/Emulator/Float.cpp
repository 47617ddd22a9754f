//===- Float.cpp - VALU: single precision ---------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Division.h"
#include "Transcendental.h"

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
static double sqrtOf(double value) { return std::sqrt(value); }

/// Never 1: the largest float below it at most.
static float fract(float value) {
  if (std::isinf(value))
    return std::nanf("");
  return fractionBelowOne(value, 0x1.fffffep-1f);
}

static float scaleExponent(float value, int32_t exponent) {
  return float(std::ldexp(double(value), std::clamp(exponent, -2000, 2000)));
}

using F = float;

static const Row rows[] = {
    {"v_add_f32", lanes<[](F a, F b) { return a + b; }>},
    {"v_sub_f32", lanes<[](F a, F b) { return a - b; }>},
    {"v_subrev_f32", lanes<[](F a, F b) { return b - a; }>},
    {"v_mul_f32", lanes<[](F a, F b) { return a * b; }>},
    {"v_mul_legacy_f32", lanes<mulLegacy>},
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
    {"v_sin_f32", lanes<[](F a) { return F(sinRevolutions(a)); }>},
    {"v_cos_f32", lanes<[](F a) { return F(cosRevolutions(a)); }>},
    {"v_ldexp_f32", lanes<scaleExponent>},
    {"v_frexp_exp_i32_f32", lanes<[](F a) { return frexpExponent(a); }>},
    {"v_frexp_mant_f32", lanes<[](F a) { return F(frexpMantissa(a)); }>},
    {"v_div_fixup_f32", lanes<divFixup<F>>},
    {"v_div_fmas_f32", runDivFmas<F>},
    {"v_div_scale_f32", runDivScale<F>, kScalarDst | kKeepHigh},
};

llvm::ArrayRef<Row> getFloatRows() { return rows; }

} // namespace mlir::te::emu
