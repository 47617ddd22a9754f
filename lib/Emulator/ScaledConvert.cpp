//===- ScaledConvert.cpp - VALU: gfx950's v_cvt_scalef32 family -----------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The scale is 2^(e - 127), where e is the exponent field of an f32 operand;
// 255 makes the result a NaN. Values are divided by it on the way to the small
// format and multiplied on the way out, and rounded once. op_sel[3:2] names the
// part of the destination, op_sel[1:0] that of the source.
//
//===----------------------------------------------------------------------===//
#include "ScaledFloat.h"

namespace mlir::te::emu {

using U = uint32_t;

template <SmallFormat format> constexpr unsigned widthOf() {
  return format.mantissa == 1 ? 4 : 8;
}

/// Puts `bits` of `width` bits at part `part` of each lane's destination.
static void writePart(Wave &wave, const Inst &inst, const U *bits,
                      unsigned width, unsigned part) {
  U out[kLanes];
  const U *old = wave.row(inst.dst);
  U mask = width == 32 ? ~0u : ((1u << width) - 1) << part * width;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    out[lane] = (old[lane] & ~mask) | (bits[lane] << part * width & mask);
  storeRow(wave, inst.dst, out, wave.writeMask);
}

/// Two values become two codes. F32: S0, S1, scale S2; else S0's halves and
/// scale S1.
template <SmallFormat format, Wide wide>
static void runEncode(Wave &wave, const Inst &inst) {
  U buffers[3][kLanes], out[kLanes];
  beginLanes(wave, inst);
  constexpr bool two = wide == Wide::F32;
  const U *low, *high;
  if constexpr (two) {
    low = readLanes<float>(wave, inst, 0, buffers[0]);
    high = readLanes<float>(wave, inst, 1, buffers[1]);
  } else {
    low = high = readLanes<U>(wave, inst, 0, buffers[0]);
  }
  const U *scales = readLanes<float>(wave, inst, two ? 2 : 1, buffers[2]);
  bool clamp = clampsOverflow(wave);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    float inverse = inverseOf(scales[lane]);
    U a =
        encodeSmall<format>(rescale(widen<wide>(low[lane], 0), inverse), clamp);
    U b = encodeSmall<format>(rescale(widen<wide>(high[lane], 1), inverse),
                              clamp);
    out[lane] = a | b << widthOf<format>();
  }
  bool isByte = widthOf<format>() == 4;
  writePart(wave, inst, out, 2 * widthOf<format>(),
            isByte ? inst.opSel >> 2 : inst.opSel >> 3);
}

/// Stochastic: S0, the random bits S1, the scale S2. fp4 takes two values (a
/// pair of registers for F32) and uses the same bits for both.
template <SmallFormat format, Wide wide>
static void runStochastic(Wave &wave, const Inst &inst) {
  constexpr bool pair = widthOf<format>() == 4;
  U buffers[3][kLanes], out[kLanes];
  beginLanes(wave, inst);
  const U *low, *high;
  if constexpr (pair && wide == Wide::F32) {
    if (inst.src[0].number < kFirstVector)
      return wave.fail("a scalar pair here is not modelled");
    low = wave.row(inst.src[0].number - kFirstVector);
    high = low + kLanes;
  } else {
    low = high = readLanes<U>(wave, inst, 0, buffers[0]);
  }
  const U *randoms = readLanes<U>(wave, inst, 1, buffers[1]);
  const U *scales = readLanes<float>(wave, inst, 2, buffers[2]);
  bool clamp = clampsOverflow(wave);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    float inverse = inverseOf(scales[lane]);
    out[lane] = encodeStochastic<format>(
        rescale(widen<wide>(low[lane], 0), inverse), randoms[lane], clamp);
    if (pair)
      out[lane] |=
          encodeStochastic<format>(rescale(widen<wide>(high[lane], 1), inverse),
                                   randoms[lane], clamp)
          << 4;
  }
  writePart(wave, inst, out, 8, inst.opSel >> 2);
}

/// One code (op_sel[1:0] the byte) becomes one value; an f16 goes to the half
/// that op_sel[3] names.
template <SmallFormat format, Wide wide>
static void runDecode(Wave &wave, const Inst &inst) {
  U buffers[2][kLanes], out[kLanes];
  beginLanes(wave, inst);
  const U *codes = readLanes<U>(wave, inst, 0, buffers[0]);
  const U *scales = readLanes<float>(wave, inst, 1, buffers[1]);
  unsigned shift = (inst.opSel & 3) * 8;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    out[lane] = narrow<wide>(decodeSmall<format>(codes[lane] >> shift & 0xff) *
                             scaleOf(scales[lane]));
  constexpr bool whole = wide == Wide::F32;
  writePart(wave, inst, out, whole ? 32 : 16, whole ? 0 : inst.opSel >> 3);
}

/// Two codes become two values: a register pair (F32) or two halves. The source
/// part is a half (op_sel[0]) for fp8, a byte (op_sel[1:0]) for fp4.
template <SmallFormat format, Wide wide>
static void runDecodePair(Wave &wave, const Inst &inst) {
  constexpr unsigned width = widthOf<format>();
  U buffers[2][kLanes], low[kLanes], high[kLanes];
  beginLanes(wave, inst);
  const U *codes = readLanes<U>(wave, inst, 0, buffers[0]);
  const U *scales = readLanes<float>(wave, inst, 1, buffers[1]);
  unsigned part = width == 4 ? inst.opSel & 3 : inst.opSel & 1;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    U bits = codes[lane] >> part * 2 * width;
    float scale = scaleOf(scales[lane]);
    U mask = (1u << width) - 1;
    low[lane] = narrow<wide>(decodeSmall<format>(bits & mask) * scale);
    high[lane] =
        narrow<wide>(decodeSmall<format>(bits >> width & mask) * scale);
    if (wide != Wide::F32)
      low[lane] = packHalves(low[lane], high[lane]);
  }
  storeRow(wave, inst.dst, low, wave.writeMask);
  if (wide == Wide::F32)
    storeRow(wave, inst.dst + 1, high, wave.writeMask);
}

#define ENCODE(NAME, FORMAT)                                                   \
  {"v_cvt_scalef32_pk_" NAME "_f32", runEncode<FORMAT, Wide::F32>, kRawOpSel}, \
      {"v_cvt_scalef32_pk_" NAME "_f16", runEncode<FORMAT, Wide::F16>,         \
       kRawOpSel},                                                             \
  {                                                                            \
    "v_cvt_scalef32_pk_" NAME "_bf16", runEncode<FORMAT, Wide::BF16>,          \
        kRawOpSel                                                              \
  }
#define STOCHASTIC(NAME, FORMAT)                                               \
  {"v_cvt_scalef32_sr_" NAME "_f32", runStochastic<FORMAT, Wide::F32>,         \
   kRawOpSel},                                                                 \
      {"v_cvt_scalef32_sr_" NAME "_f16", runStochastic<FORMAT, Wide::F16>,     \
       kRawOpSel},                                                             \
  {                                                                            \
    "v_cvt_scalef32_sr_" NAME "_bf16", runStochastic<FORMAT, Wide::BF16>,      \
        kRawOpSel                                                              \
  }
#define DECODE(NAME, FORMAT)                                                   \
  {"v_cvt_scalef32_f32_" NAME, runDecode<FORMAT, Wide::F32>, kRawOpSel}, {     \
    "v_cvt_scalef32_f16_" NAME, runDecode<FORMAT, Wide::F16>, kRawOpSel        \
  }
#define DECODE_PAIR(NAME, FORMAT)                                              \
  {"v_cvt_scalef32_pk_f32_" NAME, runDecodePair<FORMAT, Wide::F32>,            \
   kRawOpSel},                                                                 \
      {"v_cvt_scalef32_pk_f16_" NAME, runDecodePair<FORMAT, Wide::F16>,        \
       kRawOpSel},                                                             \
  {                                                                            \
    "v_cvt_scalef32_pk_bf16_" NAME, runDecodePair<FORMAT, Wide::BF16>,         \
        kRawOpSel                                                              \
  }

static const Row rows[] = {
    ENCODE("fp8", kFp8),      ENCODE("bf8", kBf8),
    ENCODE("fp4", kFp4),      STOCHASTIC("fp8", kFp8),
    STOCHASTIC("bf8", kBf8),  STOCHASTIC("pk_fp4", kFp4),
    DECODE("fp8", kFp8),      DECODE("bf8", kBf8),
    DECODE_PAIR("fp8", kFp8), DECODE_PAIR("bf8", kBf8),
    DECODE_PAIR("fp4", kFp4),
};

llvm::ArrayRef<Row> getScaledConvertRows() { return rows; }

} // namespace mlir::te::emu
