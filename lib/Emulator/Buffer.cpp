//===- Buffer.cpp - MUBUF: loads and stores through a buffer resource -----===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Buffer.h"
#include "LoadStore.h"
#include "Profile.h"
#include "WaveShadow.h"

namespace mlir::te::emu {

namespace {
/// The fields of a resource's four words that an address needs.
struct Resource {
  uint64_t base;
  uint32_t stride, records;
  bool swizzled, addsLane;
  uint32_t group; // swizzled: that many records alternate

  explicit Resource(const uint32_t *words)
      : base(uint64_t(words[1] & 0xffff) << 32 | words[0]),
        stride(words[1] >> 16 & 0x3fff), records(words[2]),
        swizzled(words[1] >> 31), addsLane(words[3] >> 23 & 1),
        group(8u << (words[3] >> 21 & 3)) {
    if (addsLane) // the data format's bits are the stride's upper ones
      stride |= (words[3] >> 15 & 15) << 14;
  }
  /// Where byte `offset` of record `index` is. Swizzled: the dwords of a group
  /// of records lie interleaved.
  uint64_t place(uint64_t index, uint64_t offset) const {
    if (!swizzled)
      return index * stride + offset;
    return (index / group * stride + offset / 4 * 4) * group +
           index % group * 4 + offset % 4;
  }
};
} // namespace

/// Bytes of an access within the range: each dword (or smaller element) is
/// checked by itself. `offset` is within the record, `total` from the base.
static unsigned countValid(const Resource &resource, bool isStructured,
                           uint64_t index, uint64_t offset, uint64_t total,
                           unsigned bytes) {
  if (resource.swizzled)
    return index < resource.records && offset + bytes <= resource.stride ? bytes
                                                                         : 0;
  if (isStructured)
    return index < resource.records ? bytes : 0;
  unsigned unit = std::min(bytes, 4u), valid = 0;
  while (valid < bytes && total + valid + unit <= resource.records)
    valid += unit;
  return valid;
}

bool addressBuffer(Wave &wave, const Inst &inst, unsigned bytes,
                   Traffic traffic, BufferLanes &out) {
  Resource resource(&wave.sgpr[inst.src[1].number]);
  if (resource.swizzled && bytes > 4) {
    wave.fail(
        "a typed or atomic access of more than four bytes, or one to LDS, "
        "through a swizzled buffer resource is not modelled");
    return false;
  }
  uint64_t scalar = readScalar(wave, inst, inst.src[2].number, Type::U32);
  const uint32_t *first = wave.row(inst.src[0].number - kFirstVector);
  const uint32_t *offsets = inst.idxen ? first + kLanes : first;
  uint64_t exec = wave.exec();
  bool isStructured = resource.stride && (inst.idxen || resource.addsLane);
  out.lanes.mask = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    out.valid[lane] = 0;
    if (!(exec >> lane & 1))
      continue;
    uint64_t index =
        (inst.idxen ? first[lane] : 0) + (resource.addsLane ? lane : 0);
    // A sum of 32 bits: a negative offset and an immediate may meet at 0.
    uint32_t offset = uint32_t(inst.offset) + (inst.offen ? offsets[lane] : 0);
    uint64_t total = resource.place(index, offset) + scalar;
    unsigned valid =
        countValid(resource, isStructured, index, offset, total, bytes);
    out.valid[lane] = valid;
    if (!valid)
      continue;
    out.lanes.mask |= uint64_t(1) << lane;
    out.lanes.address[lane] = resource.base + total;
    out.lanes.host[lane] = findHost(wave, resource.base + total, valid);
    if (!out.lanes.host[lane]) {
      failAccess(wave, "a buffer access", lane, resource.base + total, valid);
      if (!wave.shadow)
        return false;
      out.lanes.mask &= ~(uint64_t(1) << lane);
      out.valid[lane] = 0;
    }
  }
  if (LLVM_UNLIKELY(wave.shadow))
    wave.shadow->observe(Space::Global, out.lanes, out.valid, bytes, traffic);
  countGlobal(wave, out.lanes, bytes, traffic);
  return true;
}

/// Dword by dword, as a swizzled resource has them apart: `run` for each.
static bool runByDwords(Wave &wave, const Inst &inst, unsigned bytes,
                        ExecFn run) {
  bool isSwizzled = wave.sgpr[inst.src[1].number + 1] >> 31;
  if (bytes <= 4 || !isSwizzled || inst.toLds)
    return false;
  Inst word = inst;
  for (unsigned i = 0; i < bytes / 4 && wave.stop != Stop::Fault; ++i) {
    run(wave, word);
    word.offset += 4;
    ++word.dst;
    ++word.data[0];
  }
  return true;
}

template <LoadKind kind> static void runLoad(Wave &wave, const Inst &inst) {
  constexpr unsigned bytes = loadBytes(kind);
  if (bytes > 4 && runByDwords(wave, inst, bytes, runLoad<LoadKind::B32>))
    return;
  BufferLanes buffer;
  if (!addressBuffer(wave, inst, bytes, Traffic::Load, buffer))
    return;
  // Beyond the range reads 0.
  uint8_t filled[kLanes][16] = {};
  LaneAddresses lanes = buffer.lanes;
  lanes.mask = wave.exec();
  forLanes(lanes.mask, [&](unsigned lane) {
    if (buffer.valid[lane] == bytes)
      return;
    if (buffer.valid[lane])
      std::memcpy(filled[lane], lanes.host[lane], buffer.valid[lane]);
    lanes.host[lane] = filled[lane];
  });
  if (inst.toLds)
    loadToLds<kind>(wave, inst.offset, lanes);
  else
    loadLanes<kind>(wave, inst.dst, lanes);
}

template <unsigned bytes, bool high = false>
static void runStore(Wave &wave, const Inst &inst) {
  if (bytes > 4 && runByDwords(wave, inst, bytes, runStore<4>))
    return;
  BufferLanes buffer;
  if (!addressBuffer(wave, inst, bytes, Traffic::Store, buffer))
    return;
  uint8_t staged[kLanes][16];
  LaneAddresses lanes = buffer.lanes;
  uint64_t partial = 0;
  forLanes(lanes.mask, [&](unsigned lane) {
    if (buffer.valid[lane] == bytes)
      return;
    partial |= uint64_t(1) << lane;
    lanes.host[lane] = staged[lane];
  });
  storeLanes<bytes, high>(wave, inst.data[0], lanes);
  forLanes(partial, [&](unsigned lane) {
    std::memcpy(buffer.lanes.host[lane], staged[lane], buffer.valid[lane]);
  });
}

static void runInvalidate(Wave &wave, const Inst &) {
  if (wave.cache)
    wave.cache->clear();
}
static void runNothing(Wave &, const Inst &) {}

using enum LoadKind;

static const Row rows[] = {
    {"buffer_load_ubyte", runLoad<U8>},
    {"buffer_load_sbyte", runLoad<I8>},
    {"buffer_load_ushort", runLoad<U16>},
    {"buffer_load_sshort", runLoad<I16>},
    {"buffer_load_dword", runLoad<B32>},
    {"buffer_load_dwordx2", runLoad<B64>},
    {"buffer_load_dwordx3", runLoad<B96>},
    {"buffer_load_dwordx4", runLoad<B128>},
    {"buffer_load_ubyte_d16", runLoad<U8Low>},
    {"buffer_load_sbyte_d16", runLoad<I8Low>},
    {"buffer_load_short_d16", runLoad<B16Low>},
    {"buffer_load_ubyte_d16_hi", runLoad<U8High>},
    {"buffer_load_sbyte_d16_hi", runLoad<I8High>},
    {"buffer_load_short_d16_hi", runLoad<B16High>},
    {"buffer_store_byte", runStore<1>},
    {"buffer_store_short", runStore<2>},
    {"buffer_store_dword", runStore<4>},
    {"buffer_store_dwordx2", runStore<8>},
    {"buffer_store_dwordx3", runStore<12>},
    {"buffer_store_dwordx4", runStore<16>},
    {"buffer_store_byte_d16_hi", runStore<1, true>},
    {"buffer_store_short_d16_hi", runStore<2, true>},
    // Caches are not modelled: every access reaches memory.
    {"buffer_wbl2", runNothing},
    {"buffer_inv", runInvalidate},
};

llvm::ArrayRef<Row> getBufferRows() { return rows; }

} // namespace mlir::te::emu
