//===- WideConvert.cpp - VALU: 32 values to and from fp6 and bf6 ----------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gfx950's v_cvt_scalef32_pk32: a lane's 32 codes lie in six registers, its
// values in 32 (f32) or 16 (two halves each).
//
//===----------------------------------------------------------------------===//
#include "ScaledFloat.h"

namespace mlir::te::emu {

using U = uint32_t;

static constexpr unsigned kCodeRows = 6;
using CodeRows = U[kCodeRows][kLanes];

static const U *rowsOf(Wave &wave, const Inst &inst, unsigned k) {
  if (inst.src[k].number >= kFirstVector)
    return wave.row(inst.src[k].number - kFirstVector);
  wave.fail("the values have to be in vector registers");
  return nullptr;
}

/// Adds code `k` of each lane.
static void setCodes(CodeRows &rows, unsigned k, const U *codes) {
  unsigned row = k * 6 / 32, shift = k * 6 % 32;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    rows[row][lane] |= codes[lane] << shift;
  if (shift > 26)
    for (unsigned lane = 0; lane < kLanes; ++lane)
      rows[row + 1][lane] |= codes[lane] >> (32 - shift);
}
static void getCodes(const CodeRows &rows, unsigned k, U *codes) {
  unsigned row = k * 6 / 32, shift = k * 6 % 32;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    uint64_t bits = rows[row][lane];
    if (shift > 26)
      bits |= uint64_t(rows[row + 1][lane]) << 32;
    codes[lane] = bits >> shift & 63;
  }
}

/// Where value `k` of a lane is: its register (of `first`, or of `second` too,
/// which alternate), and its half.
template <Wide wide>
static const U *findValue(const U *first, const U *second, unsigned k) {
  if (second)
    return (k % 2 ? second : first) + k / 2 * kLanes;
  return first + (wide == Wide::F32 ? k : k / 2) * kLanes;
}

/// `encode(value, lane)` of every value.
template <Wide wide, class Encode>
static void encodeAll(Wave &wave, const Inst &inst, const U *first,
                      const U *second, Encode encode) {
  CodeRows rows = {};
  U codes[kLanes];
  for (unsigned k = 0; k < 32; ++k) {
    const U *values = findValue<wide>(first, second, k);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      codes[lane] = encode(widen<wide>(values[lane], k % 2), lane);
    setCodes(rows, k, codes);
  }
  for (unsigned row = 0; row < kCodeRows; ++row)
    storeRow(wave, inst.dst + row, rows[row], wave.writeMask);
}

/// S0 the values and S1 the scale; or the even values, the odd ones, the scale.
template <SmallFormat format, Wide wide, bool two>
static void runEncode(Wave &wave, const Inst &inst) {
  U buffer[kLanes];
  beginLanes(wave, inst);
  const U *first = rowsOf(wave, inst, 0);
  const U *second = two ? rowsOf(wave, inst, 1) : nullptr;
  if (wave.stop == Stop::Fault)
    return;
  const U *scales = readLanes<float>(wave, inst, two ? 2 : 1, buffer);
  encodeAll<wide>(wave, inst, first, second, [&](float value, unsigned lane) {
    return encodeSmall<format>(rescale(value, inverseOf(scales[lane])), false);
  });
}

/// S0 the values, S1 the random bits of all of them, S2 the scale.
template <SmallFormat format, Wide wide>
static void runStochastic(Wave &wave, const Inst &inst) {
  U buffers[2][kLanes];
  beginLanes(wave, inst);
  const U *values = rowsOf(wave, inst, 0);
  if (!values)
    return;
  const U *randoms = readLanes<U>(wave, inst, 1, buffers[0]);
  const U *scales = readLanes<float>(wave, inst, 2, buffers[1]);
  encodeAll<wide>(wave, inst, values, nullptr, [&](float value, unsigned lane) {
    return encodeStochastic<format>(rescale(value, inverseOf(scales[lane])),
                                    randoms[lane], false);
  });
}

/// S0 the codes, S1 the scale.
template <SmallFormat format, Wide wide>
static void runDecode(Wave &wave, const Inst &inst) {
  U buffer[kLanes], codes[kLanes], out[2][kLanes];
  CodeRows rows; // the destination may overlap them
  beginLanes(wave, inst);
  const U *from = rowsOf(wave, inst, 0);
  if (!from)
    return;
  std::memcpy(rows, from, sizeof(rows));
  float scales[kLanes];
  const U *bits = readLanes<float>(wave, inst, 1, buffer);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    scales[lane] = scaleOf(bits[lane]);
  for (unsigned k = 0; k < 32; ++k) {
    U *values = out[k % 2];
    getCodes(rows, k, codes);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      values[lane] =
          narrow<wide>(decodeSmall<format>(codes[lane]) * scales[lane]);
    if (wide == Wide::F32) {
      storeRow(wave, inst.dst + k, values, wave.writeMask);
    } else if (k % 2) {
      for (unsigned lane = 0; lane < kLanes; ++lane)
        values[lane] = packHalves(out[0][lane], values[lane]);
      storeRow(wave, inst.dst + k / 2, values, wave.writeMask);
    }
  }
}

#define FORMAT(NAME, FORMAT)                                                   \
  {"v_cvt_scalef32_pk32_" NAME "_f16", runEncode<FORMAT, Wide::F16, false>,    \
   kRawOpSel},                                                                 \
      {"v_cvt_scalef32_pk32_" NAME "_bf16",                                    \
       runEncode<FORMAT, Wide::BF16, false>, kRawOpSel},                       \
      {"v_cvt_scalef32_2xpk16_" NAME "_f32",                                   \
       runEncode<FORMAT, Wide::F32, true>, kRawOpSel},                         \
      {"v_cvt_scalef32_sr_pk32_" NAME "_f32",                                  \
       runStochastic<FORMAT, Wide::F32>, kRawOpSel},                           \
      {"v_cvt_scalef32_sr_pk32_" NAME "_f16",                                  \
       runStochastic<FORMAT, Wide::F16>, kRawOpSel},                           \
      {"v_cvt_scalef32_sr_pk32_" NAME "_bf16",                                 \
       runStochastic<FORMAT, Wide::BF16>, kRawOpSel},                          \
      {"v_cvt_scalef32_pk32_f32_" NAME, runDecode<FORMAT, Wide::F32>,          \
       kRawOpSel},                                                             \
      {"v_cvt_scalef32_pk32_f16_" NAME, runDecode<FORMAT, Wide::F16>,          \
       kRawOpSel},                                                             \
  {                                                                            \
    "v_cvt_scalef32_pk32_bf16_" NAME, runDecode<FORMAT, Wide::BF16>, kRawOpSel \
  }

static const Row rows[] = {FORMAT("fp6", kFp6), FORMAT("bf6", kBf6)};

llvm::ArrayRef<Row> getWideConvertRows() { return rows; }

} // namespace mlir::te::emu
