//===- Half.cpp - VALU: half precision and mixed precision ----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "FloatOps.h"
#include "Transcendental.h"

namespace mlir::te::emu {

using H = Half;
using F = float;

/// Half arithmetic in single precision rounds once more without harm: 24 bits
/// are more than twice 11 and two.
static H add(H a, H b) { return H(F(a) + F(b)); }
static H mul(H a, H b) { return H(F(a) * F(b)); }
static H mulAdd(H a, H b, H c) { return add(mul(a, b), c); }
static H fma(H a, H b, H c) { return fusedMulAdd(a, b, c); }

template <double (*F_)(double)> static H viaDouble(H value) {
  return toHalf(F_(double(F(value))));
}
static double reciprocal(double value) { return 1.0 / value; }
static double root(double value) { return std::sqrt(value); }
static double reciprocalRoot(double value) { return 1.0 / std::sqrt(value); }
static double fractOf(double value) {
  return std::isinf(value) ? std::nan("") : fractionBelowOne(value, 0x1.ffcp-1);
}
static double floorOf(double value) { return std::floor(value); }
static double ceilOf(double value) { return std::ceil(value); }
static double truncOf(double value) { return std::trunc(value); }
static double roundOf(double value) { return __builtin_roundeven(value); }

static H scaleExponent(H value, int16_t exponent) {
  return toHalf(std::ldexp(double(F(value)), exponent));
}

static H divFixup(H q, H d, H n) {
  bool negative = signOf(n) != signOf(d);
  F sign = negative ? -1 : 1, fn = n, fd = d;
  if (isNaN(n))
    return quiet(n);
  if (isNaN(d))
    return quiet(d);
  if ((fn == 0 && fd == 0) || (std::isinf(fn) && std::isinf(fd)))
    return fromBits<H>(0xfe00);
  if (fd == 0 || std::isinf(fn))
    return H(sign * INFINITY);
  if (std::isinf(fd) || fn == 0)
    return H(sign * 0);
  return fromBits<H>((toBits<H>(q) & 0x7fff) | (negative ? 0x8000 : 0));
}

//===----------------------------------------------------------------------===//
// v_fma_mix: each source is an f32 (op_sel_hi 0) or a half of a register
//===----------------------------------------------------------------------===//

/// neg_lo negates, neg_hi takes the absolute value.
static void readMixed(Wave &wave, const Inst &inst, unsigned k, F *values) {
  uint32_t buffer[kLanes];
  bool isHalf = inst.opSelHi >> k & 1, high = inst.opSel >> k & 1;
  bool isConstant =
      inst.src[k].number >= 128 && inst.src[k].number < kFirstVector;
  const uint32_t *bits = isHalf && isConstant
                             ? readSlow32(wave, inst, k, Type::F16, buffer)
                             : readLanes<uint32_t>(wave, inst, k, buffer);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    uint32_t word = isHalf && high ? bits[lane] >> 16 : bits[lane];
    buffer[lane] = isHalf ? word & 0xffff : word;
  }
  if (wave.floatSpecial)
    flushDenormals(wave, buffer, isHalf ? Type::F16 : Type::F32,
                   /*result=*/false);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    F value =
        isHalf ? F(fromBits<H>(buffer[lane])) : std::bit_cast<F>(buffer[lane]);
    if (inst.negHi >> k & 1)
      value = std::fabs(value);
    values[lane] = inst.negLo >> k & 1 ? -value : value;
  }
}

enum class MixTo { Single, Low, High };

template <MixTo to> static void runMix(Wave &wave, const Inst &inst) {
  F s[3][kLanes];
  uint32_t out[kLanes];
  beginLanes(wave, inst);
  for (unsigned k = 0; k < 3; ++k)
    readMixed(wave, inst, k, s[k]);
  RoundingScope rounding(wave, Type::F32);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    F result = fusedMulAdd(s[0][lane], s[1][lane], s[2][lane]);
    if (isNaN(result))
      result = fromBits<F>(quietNaN<F>());
    if (inst.clamp)
      result = result > 0 ? std::fmin(result, 1.0f) : 0;
    out[lane] = to == MixTo::Single ? toBits<F>(result) : toBits<H>(H(result));
  }
  if (wave.floatSpecial)
    flushDenormals(wave, out, to == MixTo::Single ? Type::F32 : Type::F16,
                   /*result=*/true);
  const uint32_t *old = wave.row(inst.dst);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (to == MixTo::Low)
      out[lane] |= old[lane] & 0xffff0000;
    if (to == MixTo::High)
      out[lane] = out[lane] << 16 | (old[lane] & 0xffff);
  }
  storeRow(wave, inst.dst, out, wave.writeMask);
}

static const Row rows[] = {
    {"v_add_f16", lanes<add>},
    {"v_sub_f16", lanes<[](H a, H b) { return H(F(a) - F(b)); }>},
    {"v_subrev_f16", lanes<[](H a, H b) { return H(F(b) - F(a)); }>},
    {"v_mul_f16", lanes<mul>},
    {"v_mac_f16", lanes<mulAdd>, kReadsDst},
    {"v_mad_f16", lanes<mulAdd>, kKeepHigh},
    {"v_mad_legacy_f16", lanes<mulAdd>},
    {"v_madmk_f16", lanes<mulAdd>, kMadMK},
    {"v_madak_f16", lanes<mulAdd>, kMadAK},
    {"v_fma_f16", lanes<fma>, kKeepHigh},
    {"v_fma_legacy_f16", lanes<fma>},
    {"v_min_f16", lanes<min2<H>>},
    {"v_max_f16", lanes<max2<H>>},
    {"v_min3_f16", lanes<min3<H>>, kKeepHigh},
    {"v_max3_f16", lanes<max3<H>>, kKeepHigh},
    {"v_med3_f16", lanes<med3<H>>, kKeepHigh},
    {"v_rcp_f16", lanes<viaDouble<reciprocal>>},
    {"v_sqrt_f16", lanes<viaDouble<root>>},
    {"v_rsq_f16", lanes<viaDouble<reciprocalRoot>>},
    {"v_exp_f16", lanes<viaDouble<exp2Of>>},
    {"v_log_f16", lanes<viaDouble<log2Of>>},
    {"v_sin_f16", lanes<viaDouble<sinRevolutions>>},
    {"v_cos_f16", lanes<viaDouble<cosRevolutions>>},
    {"v_floor_f16", lanes<viaDouble<floorOf>>},
    {"v_ceil_f16", lanes<viaDouble<ceilOf>>},
    {"v_trunc_f16", lanes<viaDouble<truncOf>>},
    {"v_rndne_f16", lanes<viaDouble<roundOf>>},
    {"v_fract_f16", lanes<viaDouble<fractOf>>},
    {"v_frexp_mant_f16", lanes<viaDouble<frexpMantissa>>},
    {"v_frexp_exp_i16_f16",
     lanes<[](H a) { return int16_t(frexpExponent(F(a))); }>},
    {"v_ldexp_f16", lanes<scaleExponent>},
    {"v_div_fixup_f16", lanes<divFixup>, kKeepHigh},
    {"v_div_fixup_legacy_f16", lanes<divFixup>},
    {"v_fma_mix_f32", runMix<MixTo::Single>},
    {"v_fma_mixlo_f16", runMix<MixTo::Low>},
    {"v_fma_mixhi_f16", runMix<MixTo::High>},
};

llvm::ArrayRef<Row> getHalfRows() { return rows; }

} // namespace mlir::te::emu
