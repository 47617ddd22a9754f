//===- ScalarCompare.cpp - SOPC and SOPK comparisons, bit tests -----------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Lanes.h"

namespace mlir::te::emu {

template <auto F> static void compare32(Wave &wave, const Inst &inst) {
  wave.scc = F(readScalar32(wave, inst, 0), readScalar32(wave, inst, 1));
}
template <auto F> static void compare64(Wave &wave, const Inst &inst) {
  wave.scc = F(readScalar(wave, inst, inst.src[0].number, Type::U64),
               readScalar(wave, inst, inst.src[1].number, Type::U64));
}
/// The immediate is sign- or zero-extended, as the comparison is.
template <auto F, bool isSigned>
static void compareK(Wave &wave, const Inst &inst) {
  wave.scc = F(wave.sgpr[inst.sdst],
               uint32_t(isSigned ? inst.offset : inst.offset & 0xffff));
}
template <class T, bool set> static void testBit(Wave &wave, const Inst &inst) {
  uint64_t value = readScalar(wave, inst, inst.src[0].number, typeOf<T>());
  uint32_t bit = readScalar32(wave, inst, 1) & (sizeof(T) * 8 - 1);
  wave.scc = (value >> bit & 1) == set;
}

using U = uint32_t;
using I = int32_t;

static bool eq(U a, U b) { return a == b; }
static bool ne(U a, U b) { return a != b; }
static bool gtU(U a, U b) { return a > b; }
static bool geU(U a, U b) { return a >= b; }
static bool ltU(U a, U b) { return a < b; }
static bool leU(U a, U b) { return a <= b; }
static bool gtI(U a, U b) { return I(a) > I(b); }
static bool geI(U a, U b) { return I(a) >= I(b); }
static bool ltI(U a, U b) { return I(a) < I(b); }
static bool leI(U a, U b) { return I(a) <= I(b); }

static const Row rows[] = {
    {"s_cmp_eq_i32", compare32<eq>},
    {"s_cmp_eq_u32", compare32<eq>},
    {"s_cmp_lg_i32", compare32<ne>},
    {"s_cmp_lg_u32", compare32<ne>},
    {"s_cmp_gt_i32", compare32<gtI>},
    {"s_cmp_gt_u32", compare32<gtU>},
    {"s_cmp_ge_i32", compare32<geI>},
    {"s_cmp_ge_u32", compare32<geU>},
    {"s_cmp_lt_i32", compare32<ltI>},
    {"s_cmp_lt_u32", compare32<ltU>},
    {"s_cmp_le_i32", compare32<leI>},
    {"s_cmp_le_u32", compare32<leU>},
    {"s_cmp_eq_u64", compare64<[](uint64_t a, uint64_t b) { return a == b; }>},
    {"s_cmp_lg_u64", compare64<[](uint64_t a, uint64_t b) { return a != b; }>},
    {"s_cmpk_eq_i32", compareK<eq, true>},
    {"s_cmpk_eq_u32", compareK<eq, false>},
    {"s_cmpk_lg_i32", compareK<ne, true>},
    {"s_cmpk_lg_u32", compareK<ne, false>},
    {"s_cmpk_gt_i32", compareK<gtI, true>},
    {"s_cmpk_gt_u32", compareK<gtU, false>},
    {"s_cmpk_ge_i32", compareK<geI, true>},
    {"s_cmpk_ge_u32", compareK<geU, false>},
    {"s_cmpk_lt_i32", compareK<ltI, true>},
    {"s_cmpk_lt_u32", compareK<ltU, false>},
    {"s_cmpk_le_i32", compareK<leI, true>},
    {"s_cmpk_le_u32", compareK<leU, false>},
    {"s_bitcmp0_b32", testBit<U, false>},
    {"s_bitcmp1_b32", testBit<U, true>},
    {"s_bitcmp0_b64", testBit<uint64_t, false>},
    {"s_bitcmp1_b64", testBit<uint64_t, true>},
};

llvm::ArrayRef<Row> getScalarCompareRows() { return rows; }

} // namespace mlir::te::emu
