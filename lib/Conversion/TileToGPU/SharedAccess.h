//===- SharedAccess.h - tiles in LDS ----------------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_TILETOGPU_SHAREDACCESS_H
#define TE_LIB_CONVERSION_TILETOGPU_SHAREDACCESS_H

#include "BufferAccess.h"

namespace mlir::te {

/// A tile that lies in LDS in the order of a SharedLayout, from a byte on (i32;
/// null: from the first).
class SharedAccess {
public:
  SharedAccess(ImplicitLocOpBuilder &b, const KernelState &state,
               const tile::SharedLayout &shared, Type elementType,
               Value start = Value())
      : b(b), state(state), shared(shared), element(elementType),
        bytes(getElementBytes(elementType)), start(start) {}

  /// Writes a lane's registers, which hold what `layout` says, as far as they
  /// are in this piece.
  void put(Value vector, const tile::LinearLayout &layout, int64_t piece = 0);
  /// Reads what `layout` says (coordinates of the whole tile), so many columns
  /// further on (i32, a multiple of those that the layout has).
  Value take(const tile::LinearLayout &layout, Value column);
  /// Reads a whole tile from `memory` to LDS, whose lanes hold it as `layout`
  /// says (SharedLayout::getStreaming).
  void fetch(BufferAccess &memory, const tile::LinearLayout &layout);
  /// The tile in another layout, piece after piece. No barrier is in front of
  /// the first.
  Value exchange(Value vector, const tile::LinearLayout &from,
                 const tile::LinearLayout &to);

  const tile::SharedLayout &getShared() const { return shared; }

private:
  /// Reads a piece into `result`, whose registers are in LDS's order.
  Value read(Value result, const tile::LinearLayout &layout, int64_t piece,
             Value column = Value());
  /// From LDS's order of registers to that of `layout`.
  Value reorder(Value vector, const tile::LinearLayout &layout);
  Value makeResult(const tile::LinearLayout &layout);

  /// Byte addresses of a lane's registers.
  class Addresses {
  public:
    /// `column`: i32, or null for 0.
    Addresses(SharedAccess &access, const tile::LinearLayout &layout,
              Value column = Value());
    Value get(int64_t flat);

  private:
    SharedAccess &access;
    Value base;        // of flat offset 0
    int64_t variable;  // bits of it that are not known
    int64_t first = 0; // the flat offset of a known column
  };

  ImplicitLocOpBuilder &b;
  const KernelState &state;
  tile::SharedLayout shared;
  Type element;
  int64_t bytes;
  Value start;
};

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_TILETOGPU_SHAREDACCESS_H
