//===- Global.cpp - FLAT, GLOBAL and SCRATCH loads and stores -------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Access.h"
#include "LoadStore.h"

namespace mlir::te::emu {

template <LoadKind kind> static void runLoad(Wave &wave, const Inst &inst) {
  LaneAddresses lanes;
  if (addressFlat(wave, inst, loadBytes(kind), Traffic::Load, lanes))
    loadLanes<kind>(wave, inst.dst, lanes);
}

template <unsigned bytes, bool high = false>
static void runStore(Wave &wave, const Inst &inst) {
  LaneAddresses lanes;
  if (addressFlat(wave, inst, bytes, Traffic::Store, lanes))
    storeLanes<bytes, high>(wave, inst.data[0], lanes);
}

template <unsigned bytes>
static void runStoreHigh(Wave &wave, const Inst &inst) {
  runStore<bytes, true>(wave, inst);
}

/// global_load_lds, scratch_load_lds: lane after lane from M0's address on.
template <LoadKind kind> static void runLoadLds(Wave &wave, const Inst &inst) {
  LaneAddresses lanes;
  if (addressFlat(wave, inst, loadBytes(kind), Traffic::Load, lanes))
    loadToLds<kind>(wave, inst.offset, lanes);
}

#define FLAT_LIKE(NAME, RUN)                                                   \
  {"flat_" NAME, RUN}, {"global_" NAME, RUN}, { "scratch_" NAME, RUN }
#define LDS_LIKE(NAME, RUN)                                                    \
  {"global_load_lds_" NAME, RUN}, { "scratch_load_lds_" NAME, RUN }

using enum LoadKind;

static const Row rows[] = {
    FLAT_LIKE("load_ubyte", runLoad<U8>),
    FLAT_LIKE("load_sbyte", runLoad<I8>),
    FLAT_LIKE("load_ushort", runLoad<U16>),
    FLAT_LIKE("load_sshort", runLoad<I16>),
    FLAT_LIKE("load_dword", runLoad<B32>),
    FLAT_LIKE("load_dwordx2", runLoad<B64>),
    FLAT_LIKE("load_dwordx3", runLoad<B96>),
    FLAT_LIKE("load_dwordx4", runLoad<B128>),
    FLAT_LIKE("load_ubyte_d16", runLoad<U8Low>),
    FLAT_LIKE("load_sbyte_d16", runLoad<I8Low>),
    FLAT_LIKE("load_short_d16", runLoad<B16Low>),
    FLAT_LIKE("load_ubyte_d16_hi", runLoad<U8High>),
    FLAT_LIKE("load_sbyte_d16_hi", runLoad<I8High>),
    FLAT_LIKE("load_short_d16_hi", runLoad<B16High>),
    FLAT_LIKE("store_byte", runStore<1>),
    FLAT_LIKE("store_short", runStore<2>),
    FLAT_LIKE("store_dword", runStore<4>),
    FLAT_LIKE("store_dwordx2", runStore<8>),
    FLAT_LIKE("store_dwordx3", runStore<12>),
    FLAT_LIKE("store_dwordx4", runStore<16>),
    FLAT_LIKE("store_byte_d16_hi", runStoreHigh<1>),
    FLAT_LIKE("store_short_d16_hi", runStoreHigh<2>),
    LDS_LIKE("ubyte", runLoadLds<U8>),
    LDS_LIKE("sbyte", runLoadLds<I8>),
    LDS_LIKE("ushort", runLoadLds<U16>),
    LDS_LIKE("sshort", runLoadLds<I16>),
    LDS_LIKE("dword", runLoadLds<B32>),
    {"global_load_lds_dwordx3", runLoadLds<B96>},
    {"global_load_lds_dwordx4", runLoadLds<B128>},
};

llvm::ArrayRef<Row> getGlobalRows() { return rows; }

} // namespace mlir::te::emu
