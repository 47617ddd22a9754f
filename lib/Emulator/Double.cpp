//===- Double.cpp - VALU: double precision --------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Division.h"

namespace mlir::te::emu {

using D = double;

static D fract(D value) {
  if (std::isinf(value))
    return std::nan("");
  return fractionBelowOne(value, 0x1.fffffffffffffp-1);
}
static D scaleExponent(D value, int32_t exponent) {
  return std::ldexp(value, std::clamp(exponent, -5000, 5000));
}
static D fma(D a, D b, D c) { return fusedMulAdd(a, b, c); }

static const Row rows[] = {
    {"v_add_f64", lanes<[](D a, D b) { return a + b; }>},
    {"v_mul_f64", lanes<[](D a, D b) { return a * b; }>},
    {"v_fma_f64", lanes<fma>},
    {"v_fmac_f64", lanes<fma>, kReadsDst},
    {"v_min_f64", lanes<min2<D>>},
    {"v_max_f64", lanes<max2<D>>},
    {"v_floor_f64", lanes<[](D a) { return std::floor(a); }>},
    {"v_ceil_f64", lanes<[](D a) { return std::ceil(a); }>},
    {"v_trunc_f64", lanes<[](D a) { return std::trunc(a); }>},
    {"v_rndne_f64", lanes<[](D a) { return __builtin_roundeven(a); }>},
    {"v_fract_f64", lanes<fract>},
    {"v_rcp_f64", lanes<[](D a) { return 1.0 / a; }>},
    {"v_rsq_f64", lanes<[](D a) { return 1.0 / std::sqrt(a); }>},
    {"v_sqrt_f64", lanes<[](D a) { return std::sqrt(a); }>},
    {"v_ldexp_f64", lanes<scaleExponent>},
    {"v_frexp_exp_i32_f64", lanes<[](D a) { return frexpExponent(a); }>},
    {"v_frexp_mant_f64", lanes<[](D a) { return frexpMantissa(a); }>},
    {"v_div_fixup_f64", lanes<divFixup<D>>},
    {"v_div_fmas_f64", runDivFmas<D>},
    {"v_div_scale_f64", runDivScale<D>, kScalarDst | kKeepHigh},
};

llvm::ArrayRef<Row> getDoubleRows() { return rows; }

} // namespace mlir::te::emu
