//===- SharedAccess.h - tiles in LDS ----------------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_TILETOGPU_SHAREDACCESS_H
#define TE_LIB_CONVERSION_TILETOGPU_SHAREDACCESS_H

#include "BufferAccess.h"
#include "TileAccess.h"

namespace mlir::te {

/// A tile that lies in LDS in the order of a SharedLayout.
class SharedAccess {
public:
  /// From this byte on.
  SharedAccess(ImplicitLocOpBuilder &b, const KernelState &state,
               const tile::SharedLayout &shared, Type elementType,
               int64_t place)
      : b(b), state(state), shared(shared), element(elementType),
        bytes(getElementBytes(elementType)), place(place) {}
  /// From byte `start` (i32) of what is `size` bytes long and lies at `place`.
  SharedAccess(ImplicitLocOpBuilder &b, const KernelState &state,
               const tile::SharedLayout &shared, Type elementType, Value start,
               int64_t place, int64_t size)
      : SharedAccess(b, state, shared, elementType, place) {
    this->start = start;
    this->size = size;
  }
  /// A barrier stands between what is stored and what is loaded anywhere: the
  /// backend need not keep their order otherwise (docs/decisions/0018).
  void separate() { areSeparate = true; }

  /// Writes a lane's registers, which hold what `layout` says, as far as they
  /// are in this segment. Replicas write the same.
  void store(Value vector, const tile::LinearLayout &layout,
             int64_t segment = 0);
  /// A part of the tile, in its coordinates, as `reads` says (RingOrder), so
  /// many rows or columns (dimension `dim`) further on: i32, a multiple of the
  /// part's.
  Value loadSlice(const tile::LinearLayout &reads, Value offset, unsigned dim,
                  bool transposes, bool columnsFirst);
  /// Reads a whole tile from `memory` to LDS: `places` of it in the buffer, by
  /// lanes that hold it as SharedLayout::getStreaming says.
  void copyAsync(BufferAccess &memory, const tile::LinearLayout &places);
  /// Reads a whole tile from `memory` to where `store` would write it, each
  /// lane what it holds of `layout`. False where its runs are no single copies.
  bool copy(TileAccess &memory, const tile::LinearLayout &layout,
            bool isInside);
  /// The whole tile (of one segment).
  Value get(const tile::LinearLayout &layout);
  /// The tile in another layout, segment after segment. No barrier is before
  /// the first.
  Value exchange(Value vector, const tile::LinearLayout &from,
                 const tile::LinearLayout &to);

  const tile::SharedLayout &getShared() const { return shared; }

private:
  class Addresses;
  /// Reads a segment into `result`, whose registers are in LDS's order.
  Value read(Value result, const tile::LinearLayout &layout, int64_t segment,
             Addresses addresses, bool transposes = false,
             bool columnsFirst = false);
  /// A vector from a byte address, by an instruction that transposes.
  Value emitTransposedLoad(VectorType type, Value address);
  /// From LDS's order of registers to that of `layout`.
  Value reorder(Value vector, const tile::LinearLayout &layout);
  Value makeResult(const tile::LinearLayout &layout);
  void emitStore(Value part, Value address);
  Value emitLoad(VectorType part, Value address);

  /// Byte addresses of a lane's registers.
  class Addresses {
  public:
    Addresses(SharedAccess &access, const tile::LinearLayout &layout);
    /// From here on so many rows or columns (i32) further on.
    void advance(const tile::LinearLayout &layout, Value offset, unsigned dim);
    Value get(int64_t flat);

  private:
    SharedAccess &access;
    Value base;           // of flat offset 0
    int64_t variable = 0; // bits of it that are not known
    int64_t first = 0;    // the flat offset of a known one
  };

  ImplicitLocOpBuilder &b;
  const KernelState &state;
  tile::SharedLayout shared;
  Type element;
  int64_t bytes;
  Value start;                 // null: 0
  int64_t place = 0, size = 0; // 0: not known
  bool areSeparate = false;
};

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_TILETOGPU_SHAREDACCESS_H
