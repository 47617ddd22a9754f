//===- Convert.cpp - VALU: conversions between integers and floats, packing
//===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SmallFloat.h"

namespace mlir::te::emu {

using U = uint32_t;
using I = int32_t;
using F = float;
using D = double;

/// Float to integer truncates and saturates; a NaN gives 0.
template <class To, class From> static To saturate(From value) {
  constexpr D least = D(std::numeric_limits<To>::min());
  constexpr D most = D(std::numeric_limits<To>::max());
  D wide = D(value);
  if (wide != wide)
    return 0;
  return wide <= least  ? std::numeric_limits<To>::min()
         : wide >= most ? std::numeric_limits<To>::max()
                        : To(wide);
}

/// Exact in double, and rounded once: the host's own unsigned conversion
/// subtracts, which makes 0 negative where it rounds downwards.
template <class T> static T fromUnsigned(U value) {
  return T(D(I(value)) + (I(value) < 0 ? 0x1p32 : 0.0));
}
template <unsigned byte> static F fromByte(U value) {
  return fromUnsigned<F>(value >> byte * 8 & 0xff);
}

/// v_cvt_off_f32_i4: the low four bits as a signed number of sixteenths.
static F offsetOf(U value) { return F(I(value << 28) >> 28) / 16.0f; }

/// Toward zero, as v_cvt_pkrtz always rounds.
static uint16_t halfToZero(F value) {
  Half half = Half(value);
  if (std::fabs(F(half)) > std::fabs(value)) // rounded away, or to infinity
    return toBits<Half>(half) - 1;
  return toBits<Half>(half);
}

/// The normalised conversions: rounded to nearest even, a NaN gives 0.
template <I most, I least, class T> static U normalise(T value) {
  D wide = D(value);
  if (wide != wide)
    return 0;
  wide = std::clamp(wide, least < 0 ? -1.0 : 0.0, 1.0);
  return U(I(__builtin_roundeven(wide * most))) & 0xffff;
}

/// v_cvt_pk_u8_f32: byte S1 of S2 becomes S0, rounded as MODE says.
static U packByte(F value, U index, U old) {
  U byte = saturate<U>(F(std::nearbyint(value)));
  if (byte > 255)
    byte = 255;
  unsigned shift = (index & 3) * 8;
  return (old & ~(0xffu << shift)) | byte << shift;
}

static I floorToInt(F value) { return saturate<I>(std::floor(value)); }
static I roundToInt(F value) { return saturate<I>(std::floor(D(value) + 0.5)); }

/// v_cvt_sr_*: the random bits are added below the kept ones.
static uint16_t stochasticHalf(F value, U random) {
  if (isNaN(value) || std::isinf(value))
    return toBits<Half>(narrowToHalf(value));
  U bits = std::bit_cast<U>(value);
  unsigned drop = 13;
  int exponent = I(bits >> 23 & 0xff) - 127;
  if (exponent < -14) // a denormal half keeps fewer bits
    drop = std::min(13 + (-14 - exponent), 31);
  U magnitude = (bits & 0x7fffff) | (exponent > -127 ? 0x800000 : 0);
  uint64_t sum = uint64_t(magnitude) + (random >> (32 - std::min(drop, 24u)));
  U kept = U(sum >> drop);
  D result = std::ldexp(D(kept), int(drop) - 23 + std::max(exponent, -126));
  Half half = toHalf(result);
  return toBits<Half>(half) | (bits >> 16 & 0x8000);
}
static uint16_t stochasticBFloat(F value, U random) {
  U bits = std::bit_cast<U>(value);
  if (isNaN(value) || std::isinf(value))
    return toBFloat(value);
  return (bits + (random >> 16)) >> 16;
}
static const Row rows[] = {
    {"v_cvt_f32_i32", lanes<[](I a) { return F(a); }>},
    {"v_cvt_f32_u32", lanes<fromUnsigned<F>>},
    {"v_cvt_i32_f32", lanes<saturate<I, F>>},
    {"v_cvt_u32_f32", lanes<saturate<U, F>>},
    {"v_cvt_i32_f64", lanes<saturate<I, D>>},
    {"v_cvt_u32_f64", lanes<saturate<U, D>>},
    {"v_cvt_f64_i32", lanes<[](I a) { return D(a); }>},
    {"v_cvt_f64_u32", lanes<fromUnsigned<D>>},
    {"v_cvt_f64_f32", lanes<[](F a) { return isNaN(a) ? D(quiet(a)) : D(a); }>},
    {"v_cvt_f32_f64", lanes<[](D a) { return F(a); }>},
    {"v_cvt_f16_f32", lanes<narrowToHalf>},
    {"v_cvt_f32_f16", lanes<widenHalf>},
    {"v_cvt_f16_u16", lanes<[](uint16_t a) { return Half(F(a)); }>},
    {"v_cvt_f16_i16", lanes<[](int16_t a) { return Half(F(a)); }>},
    {"v_cvt_u16_f16", lanes<saturate<uint16_t, Half>>},
    {"v_cvt_i16_f16", lanes<saturate<int16_t, Half>>},
    {"v_cvt_rpi_i32_f32", lanes<roundToInt>},
    {"v_cvt_flr_i32_f32", lanes<floorToInt>},
    {"v_cvt_off_f32_i4", lanes<offsetOf>},
    {"v_cvt_f32_ubyte0", lanes<fromByte<0>>},
    {"v_cvt_f32_ubyte1", lanes<fromByte<1>>},
    {"v_cvt_f32_ubyte2", lanes<fromByte<2>>},
    {"v_cvt_f32_ubyte3", lanes<fromByte<3>>},
    {"v_cvt_pk_u8_f32", lanes<packByte>},
    {"v_cvt_pkaccum_u8_f32", lanes<packByte>, kReadsDst},
    {"v_cvt_pkrtz_f16_f32", lanes<[](F a, F b) {
       return packHalves(
           isNaN(a) ? toBits<Half>(narrowToHalf(a)) : halfToZero(a),
           isNaN(b) ? toBits<Half>(narrowToHalf(b)) : halfToZero(b));
     }>,
     kNoClamp},
    {"v_cvt_pknorm_i16_f32", lanes<[](F a, F b) {
       return packHalves(normalise<32767, -1>(a), normalise<32767, -1>(b));
     }>},
    {"v_cvt_pknorm_u16_f32", lanes<[](F a, F b) {
       return packHalves(normalise<65535, 0>(a), normalise<65535, 0>(b));
     }>},
    {"v_cvt_pknorm_i16_f16", lanes<[](Half a, Half b) {
       return packHalves(normalise<32767, -1>(a), normalise<32767, -1>(b));
     }>},
    {"v_cvt_pknorm_u16_f16", lanes<[](Half a, Half b) {
       return packHalves(normalise<65535, 0>(a), normalise<65535, 0>(b));
     }>},
    {"v_cvt_norm_i16_f16",
     lanes<[](Half a) { return uint16_t(normalise<32767, -1>(a)); }>},
    {"v_cvt_norm_u16_f16",
     lanes<[](Half a) { return uint16_t(normalise<65535, 0>(a)); }>},
    {"v_cvt_pk_u16_u32", lanes<[](U a, U b) {
       return packHalves(std::min(a, 65535u), std::min(b, 65535u));
     }>},
    {"v_cvt_pk_i16_i32", lanes<[](I a, I b) {
       return packHalves(std::clamp(a, -32768, 32767),
                         std::clamp(b, -32768, 32767));
     }>},
    {"v_pack_b32_f16",
     lanes<[](uint16_t a, uint16_t b) { return packHalves(a, b); }>, kNoClamp},
    {"v_cvt_pk_f16_f32", lanes<[](F a, F b) {
       return packHalves(toBits<Half>(narrowToHalf(a)),
                         toBits<Half>(narrowToHalf(b)));
     }>,
     kNoClamp},
    {"v_cvt_pk_bf16_f32",
     lanes<[](F a, F b) { return packHalves(toBFloat(a), toBFloat(b)); }>,
     kNoClamp},
    {"v_cvt_f32_bf16", lanes<[](uint16_t a) {
       F wide = std::bit_cast<F>(U(a) << 16);
       return isNaN(wide) ? quiet(wide) : wide;
     }>},
    {"v_cvt_sr_f16_f32", lanes<stochasticHalf>, kKeepHigh},
    {"v_cvt_sr_bf16_f32", lanes<stochasticBFloat>, kKeepHigh},
};

llvm::ArrayRef<Row> getConvertRows() { return rows; }

} // namespace mlir::te::emu
