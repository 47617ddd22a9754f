//===- Fp8.cpp - VALU: conversions to and from fp8 and bf8 ----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SmallFloat.h"

namespace mlir::te::emu {

using U = uint32_t;

/// The chip's flavour of a format: FNUZ on gfx942, OCP on gfx950.
template <bool isBf8, bool fnuz>
constexpr SmallFormat formatOf =
    fnuz ? (isBf8 ? kBf8Fnuz : kFp8Fnuz) : (isBf8 ? kBf8 : kFp8);

template <SmallFormat format>
static uint16_t encodePair(const Wave &wave, float a, float b) {
  bool clamp = clampsOverflow(wave);
  return uint16_t(encodeSmall<format>(a, clamp) | encodeSmall<format>(b, clamp)
                                                      << 8);
}
/// op_sel[3] picks the half of the destination; the other one is kept.
template <bool isBf8> static void runEncodePair(Wave &wave, const Inst &inst) {
  if (wave.launch->chip->fnuz)
    lanes<encodePair<formatOf<isBf8, true>>>(wave, inst);
  else
    lanes<encodePair<formatOf<isBf8, false>>>(wave, inst);
}

/// op_sel[3:2] picks the byte of the destination.
template <SmallFormat format>
static void encodeRandomly(Wave &wave, const Inst &inst) {
  U buffer0[kLanes], buffer1[kLanes], out[kLanes];
  beginLanes(wave, inst);
  const U *values = readLanes<float>(wave, inst, 0, buffer0);
  const U *randoms = readLanes<U>(wave, inst, 1, buffer1);
  const U *old = wave.row(inst.dst);
  unsigned shift = (inst.opSel >> 2) * 8;
  bool clamp = clampsOverflow(wave);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    U code = encodeStochastic<format>(fromBits<float>(values[lane]),
                                      randoms[lane], clamp);
    out[lane] = (old[lane] & ~(0xffu << shift)) | code << shift;
  }
  storeRow(wave, inst.dst, out, wave.writeMask);
}
template <bool isBf8> static void runStochastic(Wave &wave, const Inst &inst) {
  if (wave.launch->chip->fnuz)
    encodeRandomly<formatOf<isBf8, true>>(wave, inst);
  else
    encodeRandomly<formatOf<isBf8, false>>(wave, inst);
}

/// A byte (SDWA picks which) or, for a pair, two.
template <SmallFormat format> static float decodeByte(U code) {
  return decodeSmall<format>(code & 0xff);
}
template <SmallFormat format> static uint64_t decodePair(uint16_t codes) {
  U low = std::bit_cast<U>(decodeSmall<format>(codes & 0xff));
  U high = std::bit_cast<U>(decodeSmall<format>(codes >> 8));
  return uint64_t(high) << 32 | low;
}
template <bool isBf8> static void runDecode(Wave &wave, const Inst &inst) {
  if (wave.launch->chip->fnuz)
    lanes<decodeByte<formatOf<isBf8, true>>>(wave, inst);
  else
    lanes<decodeByte<formatOf<isBf8, false>>>(wave, inst);
}
/// SDWA selects a word of the source; the destination is a whole pair.
template <bool isBf8> static void runDecodePair(Wave &wave, const Inst &inst) {
  if (wave.launch->chip->fnuz)
    lanes<decodePair<formatOf<isBf8, true>>>(wave, inst);
  else
    lanes<decodePair<formatOf<isBf8, false>>>(wave, inst);
}

static const Row rows[] = {
    {"v_cvt_pk_fp8_f32", runEncodePair<false>, kKeepHigh},
    {"v_cvt_pk_bf8_f32", runEncodePair<true>, kKeepHigh},
    {"v_cvt_sr_fp8_f32", runStochastic<false>, kRawOpSel},
    {"v_cvt_sr_bf8_f32", runStochastic<true>, kRawOpSel},
    {"v_cvt_f32_fp8", runDecode<false>},
    {"v_cvt_f32_bf8", runDecode<true>},
    {"v_cvt_pk_f32_fp8", runDecodePair<false>, kNoClamp},
    {"v_cvt_pk_f32_bf8", runDecodePair<true>, kNoClamp},
};

llvm::ArrayRef<Row> getFp8Rows() { return rows; }

} // namespace mlir::te::emu
