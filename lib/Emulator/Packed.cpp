//===- Packed.cpp - VOP3P: two halves or two singles at once, dot products ===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SmallFloat.h"

namespace mlir::te::emu {

using U = uint32_t;
using I = int32_t;
using L = int64_t;
using H = uint16_t;
using S = int16_t;
using F = float;

//===----------------------------------------------------------------------===//
// Two halves a register
//===----------------------------------------------------------------------===//

/// Flushes the denormals of both halves where MODE says so.
static void flushHalves(const Wave &wave, U *values, bool result) {
  U high[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    high[lane] = values[lane] >> 16;
    values[lane] &= 0xffff;
  }
  flushDenormals(wave, values, Type::F16, result);
  flushDenormals(wave, high, Type::F16, result);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    values[lane] |= high[lane] << 16;
}

/// Source `k` with the halves that op_sel picks for the low and the high
/// result, negated as neg_lo and neg_hi say.
template <class T>
static const U *readPacked(Wave &wave, const Inst &inst, unsigned k,
                           U *buffer) {
  U raw[kLanes];
  const Source &source = inst.src[k];
  bool isConstant = source.number >= 128 && source.number < kFirstVector;
  // A float constant fills the low half; an integer one is 32 bits.
  const U *bits = isConstant && isFloat(typeOf<T>())
                      ? readSlow32(wave, inst, k, Type::F16, raw)
                      : readLanes<U>(wave, inst, k, raw);
  bool flushes = isFloat(typeOf<T>()) && wave.floatSpecial;
  if (inst.plainPacked && bits != raw && !flushes)
    return bits;
  unsigned low = inst.opSel >> k & 1 ? 16 : 0;
  unsigned high = inst.opSelHi >> k & 1 ? 16 : 0;
  U flip = (inst.negLo >> k & 1 ? 0x8000 : 0) |
           (inst.negHi >> k & 1 ? 0x80000000 : 0);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    buffer[lane] =
        ((bits[lane] >> low & 0xffff) | bits[lane] >> high << 16) ^ flip;
  if (flushes)
    flushHalves(wave, buffer, /*result=*/false);
  return buffer;
}

template <class R> static U clampHalf(const Wave &wave, U bits) {
  if constexpr (std::is_same_v<R, Half>) {
    F value = F(fromBits<Half>(bits));
    if (value != value)
      return wave.mode & kModeDx10Clamp ? 0 : bits;
    return toBits<Half>(Half(std::fmin(std::fmax(value, 0.0f), 1.0f)));
  }
  return bits;
}

template <auto F_, class R, class... A, size_t... K>
static void computePacked(Wave &wave, const Inst &inst, R (*)(A...),
                          std::index_sequence<K...>) {
  U buffers[sizeof...(A)][kLanes];
  U low[kLanes], high[kLanes];
  auto sources = std::make_tuple(readPacked<A>(wave, inst, K, buffers[K])...);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    low[lane] = toBits<R>(F_(fromBits<A>(std::get<K>(sources)[lane])...));
  for (unsigned lane = 0; lane < kLanes; ++lane)
    high[lane] =
        toBits<R>(F_(fromBits<A>(std::get<K>(sources)[lane] >> 16)...));
  for (unsigned lane = 0; lane < kLanes; ++lane)
    low[lane] |= high[lane] << 16;
  if (isFloat(typeOf<R>()) && wave.floatSpecial)
    flushHalves(wave, low, /*result=*/true);
  if (inst.clamp)
    for (unsigned lane = 0; lane < kLanes; ++lane)
      low[lane] = clampHalf<R>(wave, low[lane] & 0xffff) |
                  clampHalf<R>(wave, low[lane] >> 16) << 16;
  storeRow(wave, inst.dst, low, wave.writeMask);
}
template <auto F_> static void packed(Wave &wave, const Inst &inst) {
  using Sig = SignatureOf<F_>;
  constexpr auto count = std::tuple_size_v<typename Sig::Args>;
  beginLanes(wave, inst);
  RoundingScope rounding(wave, typeOf<typename Sig::Result>());
  computePacked<F_>(wave, inst, +F_, std::make_index_sequence<count>());
}
/// As lanesOrClamp().
template <class R, auto exact>
static void packedOrClamp(Wave &wave, const Inst &inst) {
  if (inst.clamp)
    packed<Narrowed<R, exact>::saturate>(wave, inst);
  else
    packed<Narrowed<R, exact>::wrap>(wave, inst);
}

/// Min and max of halves: MODE.IEEE decides about signaling NaNs.
template <auto F_> static void packedFloat(Wave &wave, const Inst &inst) {
  if (wave.mode & kModeIeee)
    packed<[](Half a, Half b) {
      return isSignaling(a) ? quiet(a) : isSignaling(b) ? quiet(b) : F_(a, b);
    }>(wave, inst);
  else
    packed<F_>(wave, inst);
}
static Half minHalf(Half a, Half b) {
  return isNaN(a) ? b : isNaN(b) ? a : lessOrdered(a, b) ? a : b;
}
static Half maxHalf(Half a, Half b) {
  return isNaN(a) ? b : isNaN(b) ? a : lessOrdered(a, b) ? b : a;
}

/// NaNs as the other float tables give them.
static Half fixed(Half value) {
  return isNaN(value) ? fromBits<Half>(quietNaN<Half>()) : value;
}

//===----------------------------------------------------------------------===//
// Two singles in a register pair
//===----------------------------------------------------------------------===//

/// Word `high` of source `k`, all lanes.
static void readWord(Wave &wave, const Inst &inst, unsigned k, bool high,
                     U flip, U *buffer) {
  unsigned number = inst.src[k].number;
  if (number >= kFirstVector) {
    const U *row = wave.row(number - kFirstVector + high);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      buffer[lane] = row[lane] ^ flip;
    return;
  }
  U value = number < 128 ? wave.sgpr[number + high]
                         : U(readScalar(wave, inst, number, Type::F32));
  for (unsigned lane = 0; lane < kLanes; ++lane)
    buffer[lane] = value ^ flip;
}

template <auto F_, unsigned count, unsigned word>
static void computeWord(Wave &wave, const Inst &inst, U *out) {
  U s[3][kLanes];
  unsigned select = word ? inst.opSelHi : inst.opSel;
  unsigned negate = word ? inst.negHi : inst.negLo;
  for (unsigned k = 0; k < count; ++k) {
    readWord(wave, inst, k, select >> k & 1, negate >> k & 1 ? 0x80000000 : 0,
             s[k]);
    if (wave.floatSpecial)
      flushDenormals(wave, s[k], Type::F32, /*result=*/false);
  }
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if constexpr (count == 3)
      out[lane] = toBits<F>(F_(fromBits<F>(s[0][lane]), fromBits<F>(s[1][lane]),
                               fromBits<F>(s[2][lane])));
    else
      out[lane] =
          toBits<F>(F_(fromBits<F>(s[0][lane]), fromBits<F>(s[1][lane])));
  }
  if constexpr (count == 3)
    fixNaNs<F>(out, s[0], s[1], s[2]);
  else
    fixNaNs<F>(out, s[0], s[1]);
  if (wave.floatSpecial)
    flushDenormals(wave, out, Type::F32, /*result=*/true);
  if (inst.clamp)
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      F value = fromBits<F>(out[lane]);
      out[lane] = toBits<F>(value > 0 ? std::fmin(value, 1.0f) : 0.0f);
    }
}
template <auto F_, unsigned count>
static void packedSingle(Wave &wave, const Inst &inst) {
  U low[kLanes], high[kLanes];
  beginLanes(wave, inst);
  RoundingScope rounding(wave, Type::F32);
  computeWord<F_, count, 0>(wave, inst, low);
  computeWord<F_, count, 1>(wave, inst, high);
  storeRow(wave, inst.dst, low, wave.writeMask);
  storeRow(wave, inst.dst + 1, high, wave.writeMask);
}

/// The low word comes from S0, the high word from S1; op_sel picks each.
static void runPackedMove(Wave &wave, const Inst &inst) {
  U low[kLanes], high[kLanes];
  beginLanes(wave, inst);
  readWord(wave, inst, 0, inst.opSel & 1, 0, low);
  readWord(wave, inst, 1, inst.opSel >> 1 & 1, 0, high);
  storeRow(wave, inst.dst, low, wave.writeMask);
  storeRow(wave, inst.dst + 1, high, wave.writeMask);
}

//===----------------------------------------------------------------------===//
// Dot products
//===----------------------------------------------------------------------===//

/// Sum of products of `bits`-wide integers, plus S2; saturation, where the
/// clamp bit asks for it, is of the whole sum.
template <unsigned bits> static L dotSigned(U a, U b, I c) {
  L sum = c;
  for (unsigned i = 0; i < 32; i += bits)
    sum += L(I(a << (32 - bits - i)) >> (32 - bits)) *
           (I(b << (32 - bits - i)) >> (32 - bits));
  return sum;
}
template <unsigned bits> static L dotUnsigned(U a, U b, U c) {
  L sum = c;
  for (unsigned i = 0; i < 32; i += bits)
    sum += L(a << (32 - bits - i) >> (32 - bits)) *
           (b << (32 - bits - i) >> (32 - bits));
  return sum;
}

/// S0.lo * S1.lo + S0.hi * S1.hi + S2, summed in double and rounded once: how
/// the hardware rounds in between is not published.
template <F (*widen)(U)> static void runDotFloat(Wave &wave, const Inst &inst) {
  U buffers[2][kLanes], addend[kLanes], out[kLanes];
  beginLanes(wave, inst);
  const U *a = readPacked<Half>(wave, inst, 0, buffers[0]);
  const U *b = readPacked<Half>(wave, inst, 1, buffers[1]);
  const U *c = readLanes<F>(wave, inst, 2, addend);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    double sum = double(widen(a[lane] & 0xffff)) * widen(b[lane] & 0xffff) +
                 double(widen(a[lane] >> 16)) * widen(b[lane] >> 16) +
                 double(fromBits<F>(c[lane]));
    out[lane] = toBits<F>(F(sum));
  }
  writeLanes<F>(wave, inst, out);
}
static F fromHalfBits(U bits) { return F(fromBits<Half>(bits)); }

static Half fmaHalf(Half a, Half b, Half c) {
  return fixed(fusedMulAdd(a, b, c));
}

static const Row rows[] = {
    {"v_pk_add_f16",
     packed<[](Half a, Half b) { return fixed(Half(F(a) + F(b))); }>},
    {"v_pk_mul_f16",
     packed<[](Half a, Half b) { return fixed(Half(F(a) * F(b))); }>},
    {"v_pk_fma_f16", packed<fmaHalf>},
    {"v_pk_fmac_f16", packed<fmaHalf>, kReadsDst},
    {"v_pk_min_f16", packedFloat<minHalf>},
    {"v_pk_max_f16", packedFloat<maxHalf>},
    {"v_pk_minimum3_f16", packed<minimum3<Half>>},
    {"v_pk_maximum3_f16", packed<maximum3<Half>>},
    {"v_pk_add_u16", packedOrClamp<H, [](H a, H b) { return L(a) + b; }>},
    {"v_pk_sub_u16", packedOrClamp<H, [](H a, H b) { return L(a) - b; }>},
    {"v_pk_add_i16", packedOrClamp<S, [](S a, S b) { return L(a) + b; }>},
    {"v_pk_sub_i16", packedOrClamp<S, [](S a, S b) { return L(a) - b; }>},
    {"v_pk_mul_lo_u16", packedOrClamp<H, [](H a, H b) { return L(a) * b; }>},
    {"v_pk_mad_u16",
     packedOrClamp<H, [](H a, H b, H c) { return L(a) * b + c; }>},
    {"v_pk_mad_i16",
     packedOrClamp<S, [](S a, S b, S c) { return L(a) * b + c; }>},
    {"v_pk_lshlrev_b16", packed<[](H a, H b) { return H(b << (a & 15)); }>},
    {"v_pk_lshrrev_b16", packed<[](H a, H b) { return H(b >> (a & 15)); }>},
    {"v_pk_ashrrev_i16", packed<[](H a, S b) { return S(b >> (a & 15)); }>},
    {"v_pk_min_i16", packed<[](S a, S b) { return std::min(a, b); }>},
    {"v_pk_max_i16", packed<[](S a, S b) { return std::max(a, b); }>},
    {"v_pk_min_u16", packed<[](H a, H b) { return std::min(a, b); }>},
    {"v_pk_max_u16", packed<[](H a, H b) { return std::max(a, b); }>},
    {"v_pk_fma_f32",
     packedSingle<[](F a, F b, F c) { return fusedMulAdd(a, b, c); }, 3>,
     kPairs},
    {"v_pk_mul_f32", packedSingle<[](F a, F b) { return a * b; }, 2>, kPairs},
    {"v_pk_add_f32", packedSingle<[](F a, F b) { return a + b; }, 2>, kPairs},
    {"v_pk_mov_b32", runPackedMove, kPairs | kMovesWords | kNoClamp},
    {"v_dot2_f32_f16", runDotFloat<fromHalfBits>},
    {"v_dot2_f32_bf16", runDotFloat<fromBFloat>},
    {"v_dot2c_f32_f16", runDotFloat<fromHalfBits>, kReadsDst},
    {"v_dot2c_f32_bf16", runDotFloat<fromBFloat>, kReadsDst},
    {"v_dot2_i32_i16", lanesOrClamp<I, dotSigned<16>>},
    {"v_dot2_u32_u16", lanesOrClamp<U, dotUnsigned<16>>},
    {"v_dot4_i32_i8", lanesOrClamp<I, dotSigned<8>>},
    {"v_dot4_u32_u8", lanesOrClamp<U, dotUnsigned<8>>},
    {"v_dot8_i32_i4", lanesOrClamp<I, dotSigned<4>>},
    {"v_dot8_u32_u4", lanesOrClamp<U, dotUnsigned<4>>},
    {"v_dot2c_i32_i16", lanesOrClamp<I, dotSigned<16>>, kReadsDst},
    {"v_dot4c_i32_i8", lanesOrClamp<I, dotSigned<8>>, kReadsDst},
    {"v_dot8c_i32_i4", lanesOrClamp<I, dotSigned<4>>, kReadsDst},
};

llvm::ArrayRef<Row> getPackedRows() { return rows; }

} // namespace mlir::te::emu
