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
/// The fraction bits of 2/pi, the first one on top: 1201 of them, which is what
/// the instruction has.
static constexpr uint64_t kTwoOverPi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
    0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c,
    0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
    0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08,
    0x56033046fc7b0000,
};

/// v_trig_preop: 53 bits of 2/pi that matter for reducing `value`, `segment`
/// times 53 bits further down; scaled up for the largest arguments, whose bits
/// would be denormal.
static D twoOverPi(D value, uint32_t segment) {
  int exponent = toBits(value) >> 52 & 0x7ff;
  unsigned shift = (segment & 31) * 53 + std::max(exponent - 1077, 0);
  auto word = [](unsigned index) {
    return index < std::size(kTwoOverPi) ? kTwoOverPi[index] : 0;
  };
  unsigned at = shift / 64, skip = shift % 64;
  uint64_t bits = word(at) << skip;
  if (skip)
    bits |= word(at + 1) >> (64 - skip);
  int scale = -53 - int(shift) + (exponent >= 1968 ? 128 : 0);
  return std::ldexp(D(bits >> 11), scale);
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
    {"v_trig_preop_f64", lanes<twoOverPi>},
    {"v_div_fixup_f64", lanes<divFixup<D>>},
    {"v_div_fmas_f64", runDivFmas<D>},
    {"v_div_scale_f64", runDivScale<D>, kScalarDst | kKeepHigh},
};

llvm::ArrayRef<Row> getDoubleRows() { return rows; }

} // namespace mlir::te::emu
