//===- Integer.cpp - VALU: 16- and 32-bit integers, bits, moves -----------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "IntegerOps.h"
#include "Lanes.h"

namespace mlir::te::emu {

using U = uint32_t;
using I = int32_t;
using W = uint64_t;
using L = int64_t;
using H = uint16_t;
using S = int16_t;

static U bfe(U value, U offset, U width) {
  offset &= 31, width &= 31;
  return value >> offset & ((1u << width) - 1);
}
static I bfeSigned(I value, U offset, U width) {
  offset &= 31, width &= 31;
  if (width == 0)
    return 0;
  if (offset + width >= 32)
    return value >> offset;
  return I(U(value) << (32 - offset - width)) >> (32 - width);
}
template <class T> static T med3(T a, T b, T c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}
template <class T> static T min3(T a, T b, T c) {
  return std::min(std::min(a, b), c);
}
template <class T> static T max3(T a, T b, T c) {
  return std::max(std::max(a, b), c);
}

/// v_perm_b32: a selector byte picks one of the eight bytes {a, b}, a
/// replicated sign, 0 or 0xff.
static U permuteBytes(U a, U b, U selector) {
  W bytes = W(a) << 32 | b;
  U out = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned pick = selector >> i * 8 & 0xff;
    U byte = pick <= 7    ? U(bytes >> pick * 8 & 0xff)
             : pick <= 11 ? (bytes >> ((pick - 8) * 16 + 15) & 1 ? 0xff : 0)
             : pick == 12 ? 0
                          : 0xff;
    out |= byte << i * 8;
  }
  return out;
}

/// Sums of absolute differences of halves.
static U sumDifferences16(U a, U b, U sum) {
  for (unsigned i = 0; i < 32; i += 16) {
    U x = a >> i & 0xffff, y = b >> i & 0xffff;
    sum += x > y ? x - y : y - x;
  }
  return sum;
}

/// Bytes averaged, with the low bit of C's byte as rounding.
static U averageBytes(U a, U b, U c) {
  U out = 0;
  for (unsigned i = 0; i < 32; i += 8)
    out |= ((a >> i & 0xff) + (b >> i & 0xff) + (c >> i & 1)) >> 1 << i;
  return out;
}

/// The 24-bit multipliers look at the low 24 bits only.
static U low24(U value) { return value & 0xffffff; }
static I signed24(U value) { return I(value << 8) >> 8; }

// Exact results, for lanesOrClamp().
template <class T> static L add(T a, T b) { return L(a) + b; }
template <class T> static L sub(T a, T b) { return L(a) - b; }
template <class T> static L subRev(T a, T b) { return L(b) - a; }
template <class T> static L mad(T a, T b, T c) { return L(a) * b + c; }
/// A sum of absolute differences, and what was there.
template <U (*differences)(U, U, U)> static L sad(U a, U b, U c) {
  return L(differences(a, b, 0)) + c;
}

static U countHigh(U value) { return value ? llvm::countl_zero(value) : ~0u; }
static U countLow(U value) { return value ? llvm::countr_zero(value) : ~0u; }
static U countSign(I value) {
  U folded = value < 0 ? ~U(value) : U(value);
  return folded ? llvm::countl_zero(folded) : ~0u;
}

/// v_cndmask and carries read a scalar mask, a bit a lane.
static void runCndMask(Wave &wave, const Inst &inst) {
  U buffer0[kLanes], buffer1[kLanes], out[kLanes];
  beginLanes(wave, inst);
  W mask = readScalar(wave, inst, inst.src[2].number, Type::U64);
  const U *a = readLanes<U>(wave, inst, 0, buffer0);
  const U *b = readLanes<U>(wave, inst, 1, buffer1);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    out[lane] = mask >> lane & 1 ? b[lane] : a[lane];
  writeLanes<U>(wave, inst, out);
}

/// D, carry = F(S0, S1, carry in); inactive lanes' carries are 0.
template <W (*F)(W, W, W), bool carryIn>
static void runCarry(Wave &wave, const Inst &inst) {
  U buffer0[kLanes], buffer1[kLanes], out[kLanes];
  beginLanes(wave, inst);
  W in = carryIn ? readScalar(wave, inst, inst.src[2].number, Type::U64) : 0;
  W carry = 0;
  const U *a = readLanes<U>(wave, inst, 0, buffer0);
  const U *b = readLanes<U>(wave, inst, 1, buffer1);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    W result = F(a[lane], b[lane], in >> lane & 1);
    bool over = result >> 32 != 0;
    out[lane] = U(result);
    carry |= W(over) << lane;
    // Saturates: additions upwards (bit 32 alone), differences to 0.
    if (inst.clamp && over)
      out[lane] = result >> 33 ? 0 : ~0u;
  }
  writeLanes<U>(wave, inst, out);
  wave.setScalar64(inst.sdst, carry & wave.writeMask);
}
static W addCarry(W a, W b, W c) { return a + b + c; }
static W subBorrow(W a, W b, W c) { return a - b - c; }
static W subRevBorrow(W a, W b, W c) { return b - a - c; }

constexpr uint16_t kCarry = kScalarDst | kKeepHigh; // VOP3B

static const Row rows[] = {
    {"v_nop", [](Wave &, const Inst &) {}},
    {"v_mov_b32", lanes<[](U a) { return a; }>},
    {"v_not_b32", lanes<[](U a) { return ~a; }>},
    {"v_bfrev_b32", lanes<[](U a) { return llvm::reverseBits(a); }>},
    {"v_ffbh_u32", lanes<countHigh>},
    {"v_ffbl_b32", lanes<countLow>},
    {"v_ffbh_i32", lanes<countSign>},
    {"v_sat_pk_u8_i16", lanes<[](U a) {
       U low = std::clamp<I>(S(a), 0, 255),
         high = std::clamp<I>(S(a >> 16), 0, 255);
       return low | high << 8;
     }>},
    {"v_cndmask_b32", runCndMask, kCarryIn},
    {"v_add_u32", lanesOrClamp<U, add<U>>},
    {"v_sub_u32", lanesOrClamp<U, sub<U>>},
    {"v_subrev_u32", lanesOrClamp<U, subRev<U>>},
    {"v_add_i32", lanesOrClamp<I, add<I>>},
    {"v_sub_i32", lanesOrClamp<I, sub<I>>},
    {"v_add_co_u32", runCarry<addCarry, false>, kCarry},
    {"v_sub_co_u32", runCarry<subBorrow, false>, kCarry},
    {"v_subrev_co_u32", runCarry<subRevBorrow, false>, kCarry},
    {"v_addc_co_u32", runCarry<addCarry, true>, kCarry | kCarryIn},
    {"v_subb_co_u32", runCarry<subBorrow, true>, kCarry | kCarryIn},
    {"v_subbrev_co_u32", runCarry<subRevBorrow, true>, kCarry | kCarryIn},
    {"v_mul_i32_i24",
     lanesOrClamp<I, [](U a, U b) { return L(signed24(a)) * signed24(b); }>},
    {"v_mul_hi_i32_i24",
     lanes<[](U a, U b) { return U(L(signed24(a)) * signed24(b) >> 32); }>},
    {"v_mul_u32_u24",
     lanesOrClamp<U, [](U a, U b) { return L(low24(a)) * low24(b); }>},
    {"v_mul_hi_u32_u24",
     lanes<[](U a, U b) { return U(W(low24(a)) * low24(b) >> 32); }>},
    {"v_mad_i32_i24",
     lanesOrClamp<I, [](U a, U b,
                        I c) { return L(signed24(a)) * signed24(b) + c; }>},
    {"v_mad_u32_u24",
     lanesOrClamp<U, [](U a, U b, U c) { return L(low24(a)) * low24(b) + c; }>},
    {"v_mul_lo_u32", lanes<[](U a, U b) { return a * b; }>},
    {"v_mul_hi_u32", lanes<[](U a, U b) { return U(W(a) * b >> 32); }>},
    {"v_mul_hi_i32", lanes<[](I a, I b) { return U(L(a) * b >> 32); }>},
    {"v_min_i32", lanes<[](I a, I b) { return std::min(a, b); }>},
    {"v_max_i32", lanes<[](I a, I b) { return std::max(a, b); }>},
    {"v_min_u32", lanes<[](U a, U b) { return std::min(a, b); }>},
    {"v_max_u32", lanes<[](U a, U b) { return std::max(a, b); }>},
    {"v_min3_i32", lanes<min3<I>>},
    {"v_min3_u32", lanes<min3<U>>},
    {"v_max3_i32", lanes<max3<I>>},
    {"v_max3_u32", lanes<max3<U>>},
    {"v_med3_i32", lanes<med3<I>>},
    {"v_med3_u32", lanes<med3<U>>},
    {"v_lshrrev_b32", lanes<[](U a, U b) { return b >> (a & 31); }>},
    {"v_ashrrev_i32", lanes<[](U a, I b) { return b >> (a & 31); }>},
    {"v_lshlrev_b32", lanes<[](U a, U b) { return b << (a & 31); }>},
    {"v_and_b32", lanes<[](U a, U b) { return a & b; }>},
    {"v_or_b32", lanes<[](U a, U b) { return a | b; }>},
    {"v_xor_b32", lanes<[](U a, U b) { return a ^ b; }>},
    {"v_xnor_b32", lanes<[](U a, U b) { return ~(a ^ b); }>},
    {"v_bfm_b32",
     lanes<[](U a, U b) { return ((1u << (a & 31)) - 1) << (b & 31); }>},
    {"v_bcnt_u32_b32",
     lanes<[](U a, U b) { return U(llvm::popcount(a)) + b; }>},
    {"v_bfe_u32", lanes<bfe>},
    {"v_bfe_i32", lanes<bfeSigned>},
    {"v_bfi_b32", lanes<[](U a, U b, U c) { return (a & b) | (~a & c); }>},
    {"v_alignbit_b32",
     lanes<[](U a, U b, U c) { return U((W(a) << 32 | b) >> (c & 31)); }>},
    {"v_alignbyte_b32",
     lanes<[](U a, U b, U c) { return U((W(a) << 32 | b) >> (c & 3) * 8); }>},
    {"v_perm_b32", lanes<permuteBytes>},
    {"v_lshl_add_u32",
     lanes<[](U a, U b, U c) { return (a << (b & 31)) + c; }>},
    {"v_add_lshl_u32",
     lanes<[](U a, U b, U c) { return (a + b) << (c & 31); }>},
    {"v_add3_u32", lanes<[](U a, U b, U c) { return a + b + c; }>},
    {"v_xad_u32", lanes<[](U a, U b, U c) { return (a ^ b) + c; }>},
    {"v_lshl_or_b32", lanes<[](U a, U b, U c) { return a << (b & 31) | c; }>},
    {"v_and_or_b32", lanes<[](U a, U b, U c) { return (a & b) | c; }>},
    {"v_or3_b32", lanes<[](U a, U b, U c) { return a | b | c; }>},
    {"v_sad_u8", lanesOrClamp<U, sad<sumDifferences8>>},
    {"v_sad_hi_u8", lanesOrClamp<U,
                                 [](U a, U b, U c) {
                                   return (L(sumDifferences8(a, b, 0)) << 16) +
                                          c;
                                 }>},
    {"v_msad_u8", lanesOrClamp<U, sad<sumDifferencesMasked>>},
    {"v_lerp_u8", lanes<averageBytes>},
    {"v_sad_u16", lanesOrClamp<U, sad<sumDifferences16>>},
    {"v_sad_u32",
     lanesOrClamp<U,
                  [](U a, U b, U c) { return L(a > b ? a - b : b - a) + c; }>},
    // 16 bits
    {"v_add_u16", lanesOrClamp<H, add<H>>},
    {"v_sub_u16", lanesOrClamp<H, sub<H>>},
    {"v_subrev_u16", lanesOrClamp<H, subRev<H>>},
    {"v_add_i16", lanesOrClamp<S, add<S>>},
    {"v_sub_i16", lanesOrClamp<S, sub<S>>},
    {"v_mul_lo_u16", lanesOrClamp<H, [](H a, H b) { return L(a) * b; }>},
    {"v_lshlrev_b16", lanes<[](H a, H b) { return H(b << (a & 15)); }>},
    {"v_lshrrev_b16", lanes<[](H a, H b) { return H(b >> (a & 15)); }>},
    {"v_ashrrev_i16", lanes<[](H a, S b) { return S(b >> (a & 15)); }>},
    {"v_max_u16", lanes<[](H a, H b) { return std::max(a, b); }>},
    {"v_max_i16", lanes<[](S a, S b) { return std::max(a, b); }>},
    {"v_min_u16", lanes<[](H a, H b) { return std::min(a, b); }>},
    {"v_min_i16", lanes<[](S a, S b) { return std::min(a, b); }>},
    {"v_min3_i16", lanes<min3<S>>, kKeepHigh},
    {"v_min3_u16", lanes<min3<H>>, kKeepHigh},
    {"v_max3_i16", lanes<max3<S>>, kKeepHigh},
    {"v_max3_u16", lanes<max3<H>>, kKeepHigh},
    {"v_med3_i16", lanes<med3<S>>, kKeepHigh},
    {"v_med3_u16", lanes<med3<H>>, kKeepHigh},
    {"v_mad_u16", lanesOrClamp<H, mad<H>>, kKeepHigh},
    {"v_mad_i16", lanesOrClamp<S, mad<S>>, kKeepHigh},
    {"v_mad_legacy_u16", lanesOrClamp<H, mad<H>>},
    {"v_mad_legacy_i16", lanesOrClamp<S, mad<S>>},
    {"v_mad_u32_u16",
     lanesOrClamp<U, [](H a, H b, U c) { return L(a) * b + c; }>},
    {"v_mad_i32_i16",
     lanesOrClamp<I, [](S a, S b, I c) { return L(a) * b + c; }>},
};

llvm::ArrayRef<Row> getIntegerRows() { return rows; }

} // namespace mlir::te::emu
