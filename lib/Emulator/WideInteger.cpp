//===- WideInteger.cpp - VALU: 64-bit integers, wide products, bitop3 -----===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Lanes.h"

namespace mlir::te::emu {

using U = uint32_t;
using I = int32_t;
using W = uint64_t;
using L = int64_t;

/// D = S0 * S1 + S2 of 64 bits, and the carry out a lane.
template <class T, class T64>
static void runMad64(Wave &wave, const Inst &inst) {
  U buffer0[kLanes], buffer1[kLanes];
  W buffer2[kLanes], out[kLanes], carry = 0;
  beginLanes(wave, inst);
  const U *a = readLanes<U>(wave, inst, 0, buffer0);
  const U *b = readLanes<U>(wave, inst, 1, buffer1);
  const W *c = readLanes<W>(wave, inst, 2, buffer2);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    T64 product = T64(T(a[lane])) * T(b[lane]), sum;
    bool over = __builtin_add_overflow(product, T64(c[lane]), &sum);
    carry |= W(over) << lane;
    out[lane] = sum;
    if (inst.clamp && over)
      out[lane] = product < 0 ? std::numeric_limits<T64>::min()
                              : std::numeric_limits<T64>::max();
  }
  writeLanes<W>(wave, inst, out);
  wave.setScalar64(inst.sdst, carry & wave.writeMask);
}

/// v_bitop3: the truth table's bit (a, b, c) for each bit of the sources.
template <class T> static T bitop(T a, T b, T c, unsigned table) {
  T out = 0;
  for (unsigned i = 0; i < 8; ++i)
    if (table >> i & 1)
      out |= (i & 4 ? a : T(~a)) & (i & 2 ? b : T(~b)) & (i & 1 ? c : T(~c));
  return out;
}
template <class T> static void runBitop(Wave &wave, const Inst &inst) {
  U buffer[3][kLanes], out[kLanes];
  beginLanes(wave, inst);
  const U *a = readLanes<T>(wave, inst, 0, buffer[0]);
  const U *b = readLanes<T>(wave, inst, 1, buffer[1]);
  const U *c = readLanes<T>(wave, inst, 2, buffer[2]);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    out[lane] =
        toBits<T>(bitop<T>(T(a[lane]), T(b[lane]), T(c[lane]), inst.bitop));
  writeLanes<T>(wave, inst, out);
}

/// v_ashr_pk: two values shifted, saturated to bytes, packed into half a
/// register.
template <I least, I most> static uint16_t shiftPack(I a, I b, U shift) {
  auto one = [&](I value) {
    return U(std::clamp(value >> (shift & 31), least, most)) & 0xff;
  };
  return uint16_t(one(a) | one(b) << 8);
}

/// v_prng_b32: one step of a linear feedback shift register.
static U randomStep(U value) {
  return value << 1 ^ (value & 0x80000000 ? 197 : 0);
}

static const Row rows[] = {
    {"v_mov_b64", lanes<[](W a) { return a; }>},
    {"v_lshlrev_b64", lanes<[](U a, W b) { return b << (a & 63); }>},
    {"v_lshrrev_b64", lanes<[](U a, W b) { return b >> (a & 63); }>},
    {"v_ashrrev_i64", lanes<[](U a, L b) { return b >> (a & 63); }>},
    // The shift is of 0 to 4; more is undefined.
    {"v_lshl_add_u64", lanes<[](W a, U b, W c) { return (a << (b & 7)) + c; }>},
    {"v_mad_u64_u32", runMad64<U, W>, kScalarDst | kKeepHigh},
    {"v_mad_i64_i32", runMad64<I, L>, kScalarDst | kKeepHigh},
    {"v_bitop3_b32", runBitop<U>, kRawMods},
    {"v_bitop3_b16", runBitop<uint16_t>, kRawMods | kKeepHigh},
    {"v_ashr_pk_i8_i32", lanes<shiftPack<-128, 127>>, kKeepHigh},
    {"v_ashr_pk_u8_i32", lanes<shiftPack<0, 255>>, kKeepHigh},
    {"v_prng_b32", lanes<randomStep>},
};

llvm::ArrayRef<Row> getWideIntegerRows() { return rows; }

} // namespace mlir::te::emu
