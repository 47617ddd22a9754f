//===- Scalar.cpp - SOP1, SOP2, SOPK: scalar arithmetic -------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Lanes.h"

namespace mlir::te::emu {

template <class T>
static T readS(const Wave &wave, const Inst &inst, unsigned k) {
  if constexpr (sizeof(T) == 8)
    return T(readScalar(wave, inst, inst.src[k].number, typeOf<T>()));
  else
    return T(readScalar32(wave, inst, k));
}

template <class T> static void writeS(Wave &wave, const Inst &inst, T value) {
  if constexpr (sizeof(T) == 8)
    wave.setScalar64(inst.sdst, value);
  else
    wave.sgpr[inst.sdst] = uint32_t(value);
}

/// How an instruction sets SCC.
enum class Scc { Keep, NonZero };

/// D = F(S0, ...), each of F's own types.
template <auto F, Scc scc, class R, class... A, size_t... K>
static void computeScalar(Wave &wave, const Inst &inst, R (*)(A...),
                          std::index_sequence<K...>) {
  R result = F(readS<A>(wave, inst, K)...);
  writeS<R>(wave, inst, result);
  if (scc == Scc::NonZero)
    wave.scc = result != 0;
}
template <auto F, Scc scc = Scc::NonZero>
static void scalar(Wave &wave, const Inst &inst) {
  using Args = typename SignatureOf<F>::Args;
  computeScalar<F, scc>(wave, inst, +F,
                        std::make_index_sequence<std::tuple_size_v<Args>>());
}
template <auto F> static void scalarKeep(Wave &wave, const Inst &inst) {
  scalar<F, Scc::Keep>(wave, inst);
}

/// D, SCC = F(S0, S1, SCC): carries and overflows, min and max.
struct WithScc {
  uint32_t value;
  bool scc;
};
template <auto F> static void scalarScc(Wave &wave, const Inst &inst) {
  WithScc out = F(readS<uint32_t>(wave, inst, 0),
                  readS<uint32_t>(wave, inst, 1), wave.scc);
  wave.sgpr[inst.sdst] = out.value;
  wave.scc = out.scc;
}

/// SOPK: D = F(D, immediate).
template <auto F> static void scalarImmediate(Wave &wave, const Inst &inst) {
  WithScc out = F(wave.sgpr[inst.sdst], inst.offset, wave.scc);
  wave.sgpr[inst.sdst] = out.value;
  wave.scc = out.scc;
}

using U = uint32_t;
using I = int32_t;
using W = uint64_t;
using L = int64_t;

static WithScc addSigned(U a, U b, bool) {
  U sum = a + b;
  return {sum, I((a ^ sum) & (b ^ sum)) < 0};
}

template <class T>
static T extractField(T value, U control, unsigned widthMask) {
  constexpr U bits = sizeof(T) * 8;
  U offset = control & (bits - 1), width = control >> 16 & widthMask;
  if (width == 0)
    return 0;
  if (offset + width >= bits)
    return value >> offset;
  return T(value << (bits - offset - width)) >> (bits - width);
}

template <class T> static I findHigh(T value) { // from the top, -1 for none
  return value ? I(llvm::countl_zero(value)) : -1;
}
template <class T> static I findLow(T value) {
  return value ? I(llvm::countr_zero(value)) : -1;
}
template <class T> static I findSign(T value) { // leading copies of the sign
  using B = std::make_unsigned_t<T>;
  B folded = B(value < 0 ? ~value : value);
  return folded ? I(llvm::countl_zero(folded)) : -1;
}

template <class T> static T wholeQuads(T value) {
  T quads = 0;
  for (unsigned bit = 0; bit < sizeof(T) * 8; bit += 4)
    if (value >> bit & 15)
      quads |= T(15) << bit;
  return quads;
}
template <class T> static T quadMask(T value) {
  T mask = 0;
  for (unsigned quad = 0; quad < sizeof(T) * 2; ++quad)
    if (value >> quad * 4 & 15)
      mask |= T(1) << quad;
  return mask;
}
static W replicateBits(U value) {
  W out = 0;
  for (unsigned bit = 0; bit < 32; ++bit)
    if (value >> bit & 1)
      out |= W(3) << bit * 2;
  return out;
}

/// s_*_saveexec: D = EXEC, EXEC = F(S0, EXEC), SCC = EXEC != 0. wrexec writes
/// the new EXEC to D.
template <auto F, bool writesNew = false>
static void saveExec(Wave &wave, const Inst &inst) {
  W old = wave.exec();
  W now = F(readS<W>(wave, inst, 0), old);
  wave.setScalar64(inst.sdst, writesNew ? now : old);
  wave.setScalar64(kExec, now);
  wave.scc = now != 0;
}

static void runCMov32(Wave &wave, const Inst &inst) {
  if (wave.scc)
    wave.sgpr[inst.sdst] = readScalar32(wave, inst, 0);
}
static void runCMov64(Wave &wave, const Inst &inst) {
  if (wave.scc)
    writeS<W>(wave, inst, readS<W>(wave, inst, 0));
}
static void runCSelect64(Wave &wave, const Inst &inst) {
  writeS<W>(wave, inst, readS<W>(wave, inst, wave.scc ? 0 : 1));
}
template <class T, bool set>
static void runBitSet(Wave &wave, const Inst &inst) {
  T bit = T(1) << (readScalar32(wave, inst, 0) & (sizeof(T) * 8 - 1));
  T old =
      sizeof(T) == 8 ? T(wave.scalar64(inst.sdst)) : T(wave.sgpr[inst.sdst]);
  writeS<T>(wave, inst, set ? old | bit : old & ~bit);
}

static void runMoveK(Wave &wave, const Inst &inst) {
  wave.sgpr[inst.sdst] = inst.offset;
}
static void runCMoveK(Wave &wave, const Inst &inst) {
  if (wave.scc)
    wave.sgpr[inst.sdst] = inst.offset;
}

/// s_movrel*: M0 is added to a register number.
template <class T, bool source>
static void runMoveRelative(Wave &wave, const Inst &inst) {
  unsigned from = inst.src[0].number, to = inst.sdst;
  (source ? from : to) += wave.sgpr[kM0];
  if (from + sizeof(T) / 4 > 128 || to + sizeof(T) / 4 > 128)
    return wave.fail(
        "M0 takes the register number beyond the scalar registers");
  if (sizeof(T) == 8)
    wave.setScalar64(to, wave.scalar64(from));
  else
    wave.sgpr[to] = wave.sgpr[from];
}

template <unsigned shift> static WithScc shiftAdd(U a, U b, bool) {
  W sum = (W(a) << shift) + b;
  return {U(sum), sum >> 32 != 0};
}

static const Row rows[] = {
    // SOP2
    {"s_add_u32",
     scalarScc<[](U a, U b, bool) { return WithScc{a + b, a + b < a}; }>},
    {"s_sub_u32",
     scalarScc<[](U a, U b, bool) { return WithScc{a - b, b > a}; }>},
    {"s_add_i32", scalarScc<addSigned>},
    {"s_sub_i32", scalarScc<[](U a, U b, bool) {
       return WithScc{a - b, I((a ^ b) & (a ^ (a - b))) < 0};
     }>},
    {"s_addc_u32", scalarScc<[](U a, U b, bool c) {
       W sum = W(a) + b + c;
       return WithScc{U(sum), sum >> 32 != 0};
     }>},
    {"s_subb_u32", scalarScc<[](U a, U b, bool c) {
       return WithScc{a - b - c, W(b) + c > a};
     }>},
    {"s_min_i32", scalarScc<[](U a, U b, bool) {
       return WithScc{I(a) < I(b) ? a : b, I(a) < I(b)};
     }>},
    {"s_min_u32",
     scalarScc<[](U a, U b, bool) { return WithScc{a < b ? a : b, a < b}; }>},
    {"s_max_i32", scalarScc<[](U a, U b, bool) {
       return WithScc{I(a) > I(b) ? a : b, I(a) > I(b)};
     }>},
    {"s_max_u32",
     scalarScc<[](U a, U b, bool) { return WithScc{a > b ? a : b, a > b}; }>},
    {"s_cselect_b32",
     scalarScc<[](U a, U b, bool c) { return WithScc{c ? a : b, c}; }>},
    {"s_cselect_b64", runCSelect64},
    {"s_and_b32", scalar<[](U a, U b) { return a & b; }>},
    {"s_and_b64", scalar<[](W a, W b) { return a & b; }>},
    {"s_or_b32", scalar<[](U a, U b) { return a | b; }>},
    {"s_or_b64", scalar<[](W a, W b) { return a | b; }>},
    {"s_xor_b32", scalar<[](U a, U b) { return a ^ b; }>},
    {"s_xor_b64", scalar<[](W a, W b) { return a ^ b; }>},
    {"s_andn2_b32", scalar<[](U a, U b) { return a & ~b; }>},
    {"s_andn2_b64", scalar<[](W a, W b) { return a & ~b; }>},
    {"s_orn2_b32", scalar<[](U a, U b) { return a | ~b; }>},
    {"s_orn2_b64", scalar<[](W a, W b) { return a | ~b; }>},
    {"s_nand_b32", scalar<[](U a, U b) { return ~(a & b); }>},
    {"s_nand_b64", scalar<[](W a, W b) { return ~(a & b); }>},
    {"s_nor_b32", scalar<[](U a, U b) { return ~(a | b); }>},
    {"s_nor_b64", scalar<[](W a, W b) { return ~(a | b); }>},
    {"s_xnor_b32", scalar<[](U a, U b) { return ~(a ^ b); }>},
    {"s_xnor_b64", scalar<[](W a, W b) { return ~(a ^ b); }>},
    {"s_lshl_b32", scalar<[](U a, U b) { return a << (b & 31); }>},
    {"s_lshl_b64", scalar<[](W a, U b) { return a << (b & 63); }>},
    {"s_lshr_b32", scalar<[](U a, U b) { return a >> (b & 31); }>},
    {"s_lshr_b64", scalar<[](W a, U b) { return a >> (b & 63); }>},
    {"s_ashr_i32", scalar<[](I a, U b) { return a >> (b & 31); }>},
    {"s_ashr_i64", scalar<[](L a, U b) { return a >> (b & 63); }>},
    {"s_bfm_b32",
     scalarKeep<[](U a, U b) { return ((U(1) << (a & 31)) - 1) << (b & 31); }>},
    {"s_bfm_b64",
     scalarKeep<[](U a, U b) { return ((W(1) << (a & 63)) - 1) << (b & 63); }>},
    {"s_mul_i32", scalarKeep<[](U a, U b) { return a * b; }>},
    {"s_mul_hi_u32", scalarKeep<[](U a, U b) { return U(W(a) * b >> 32); }>},
    {"s_mul_hi_i32", scalarKeep<[](I a, I b) { return I(L(a) * b >> 32); }>},
    {"s_bfe_u32", scalar<[](U a, U b) { return extractField(a, b, 127); }>},
    {"s_bfe_i32", scalar<[](I a, U b) { return extractField(a, b, 127); }>},
    {"s_bfe_u64", scalar<[](W a, U b) { return extractField(a, b, 127); }>},
    {"s_bfe_i64", scalar<[](L a, U b) { return extractField(a, b, 127); }>},
    {"s_absdiff_i32",
     scalar<[](I a, I b) { return a > b ? U(a) - U(b) : U(b) - U(a); }>},
    {"s_lshl1_add_u32", scalarScc<shiftAdd<1>>},
    {"s_lshl2_add_u32", scalarScc<shiftAdd<2>>},
    {"s_lshl3_add_u32", scalarScc<shiftAdd<3>>},
    {"s_lshl4_add_u32", scalarScc<shiftAdd<4>>},
    {"s_pack_ll_b32_b16",
     scalarKeep<[](U a, U b) { return (a & 0xffff) | b << 16; }>},
    {"s_pack_lh_b32_b16",
     scalarKeep<[](U a, U b) { return (a & 0xffff) | (b & 0xffff0000); }>},
    {"s_pack_hh_b32_b16",
     scalarKeep<[](U a, U b) { return a >> 16 | (b & 0xffff0000); }>},
    // SOP1
    {"s_mov_b32", scalarKeep<[](U a) { return a; }>},
    {"s_mov_b64", scalarKeep<[](W a) { return a; }>},
    {"s_cmov_b32", runCMov32},
    {"s_cmov_b64", runCMov64},
    {"s_not_b32", scalar<[](U a) { return ~a; }>},
    {"s_not_b64", scalar<[](W a) { return ~a; }>},
    {"s_wqm_b32", scalar<wholeQuads<U>>},
    {"s_wqm_b64", scalar<wholeQuads<W>>},
    {"s_quadmask_b32", scalar<quadMask<U>>},
    {"s_quadmask_b64", scalar<quadMask<W>>},
    {"s_brev_b32", scalarKeep<[](U a) { return llvm::reverseBits(a); }>},
    {"s_brev_b64", scalarKeep<[](W a) { return llvm::reverseBits(a); }>},
    {"s_bcnt0_i32_b32", scalar<[](U a) { return U(llvm::popcount(~a)); }>},
    {"s_bcnt0_i32_b64", scalar<[](W a) { return U(llvm::popcount(~a)); }>},
    {"s_bcnt1_i32_b32", scalar<[](U a) { return U(llvm::popcount(a)); }>},
    {"s_bcnt1_i32_b64", scalar<[](W a) { return U(llvm::popcount(a)); }>},
    {"s_ff0_i32_b32", scalarKeep<[](U a) { return findLow(~a); }>},
    {"s_ff0_i32_b64", scalarKeep<[](W a) { return findLow(~a); }>},
    {"s_ff1_i32_b32", scalarKeep<findLow<U>>},
    {"s_ff1_i32_b64", scalarKeep<findLow<W>>},
    {"s_flbit_i32_b32", scalarKeep<findHigh<U>>},
    {"s_flbit_i32_b64", scalarKeep<findHigh<W>>},
    {"s_flbit_i32", scalarKeep<findSign<I>>},
    {"s_flbit_i32_i64", scalarKeep<findSign<L>>},
    {"s_sext_i32_i8", scalarKeep<[](U a) { return I(int8_t(a)); }>},
    {"s_sext_i32_i16", scalarKeep<[](U a) { return I(int16_t(a)); }>},
    {"s_bitset0_b32", runBitSet<U, false>},
    {"s_bitset0_b64", runBitSet<W, false>},
    {"s_bitset1_b32", runBitSet<U, true>},
    {"s_bitset1_b64", runBitSet<W, true>},
    {"s_bitreplicate_b64_b32", scalarKeep<replicateBits>},
    {"s_abs_i32", scalar<[](I a) { return a < 0 ? 0u - U(a) : U(a); }>},
    {"s_movrels_b32", runMoveRelative<U, true>},
    {"s_movrels_b64", runMoveRelative<W, true>},
    {"s_movreld_b32", runMoveRelative<U, false>},
    {"s_movreld_b64", runMoveRelative<W, false>},
    {"s_and_saveexec_b64", saveExec<[](W s, W e) { return s & e; }>},
    {"s_or_saveexec_b64", saveExec<[](W s, W e) { return s | e; }>},
    {"s_xor_saveexec_b64", saveExec<[](W s, W e) { return s ^ e; }>},
    {"s_andn2_saveexec_b64", saveExec<[](W s, W e) { return s & ~e; }>},
    {"s_orn2_saveexec_b64", saveExec<[](W s, W e) { return s | ~e; }>},
    {"s_nand_saveexec_b64", saveExec<[](W s, W e) { return ~(s & e); }>},
    {"s_nor_saveexec_b64", saveExec<[](W s, W e) { return ~(s | e); }>},
    {"s_xnor_saveexec_b64", saveExec<[](W s, W e) { return ~(s ^ e); }>},
    {"s_andn1_saveexec_b64", saveExec<[](W s, W e) { return ~s & e; }>},
    {"s_orn1_saveexec_b64", saveExec<[](W s, W e) { return ~s | e; }>},
    {"s_andn1_wrexec_b64", saveExec<[](W s, W e) { return ~s & e; }, true>},
    {"s_andn2_wrexec_b64", saveExec<[](W s, W e) { return s & ~e; }, true>},
    // SOPK
    {"s_movk_i32", runMoveK},
    {"s_cmovk_i32", runCMoveK},
    {"s_addk_i32",
     scalarImmediate<[](U a, U b, bool c) { return addSigned(a, b, c); }>},
    {"s_mulk_i32",
     scalarImmediate<[](U a, U b, bool c) { return WithScc{a * b, c}; }>},
};

llvm::ArrayRef<Row> getScalarRows() { return rows; }

} // namespace mlir::te::emu
