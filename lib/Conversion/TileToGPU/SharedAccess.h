//===- SharedAccess.h - tiles in LDS ----------------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_TILETOGPU_SHAREDACCESS_H
#define TE_LIB_CONVERSION_TILETOGPU_SHAREDACCESS_H

#include "Distribution.h"

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

  /// Writes a lane's registers, which hold what `layout` says.
  void put(Value vector, const tile::LinearLayout &layout);
  /// Reads what `layout` says (coordinates of the whole tile), `offset` (flat)
  /// further on.
  Value take(const tile::LinearLayout &layout, int64_t offset = 0);

private:
  /// Byte addresses of a lane's registers.
  class Addresses {
  public:
    Addresses(SharedAccess &access, const tile::LinearLayout &layout);
    Value get(int64_t flat);

  private:
    SharedAccess &access;
    Value base;       // of flat offset 0
    int64_t variable; // bits of it that lanes and waves differ in
  };

  ImplicitLocOpBuilder &b;
  const KernelState &state;
  const tile::SharedLayout &shared;
  Type element;
  int64_t bytes;
  Value start;
};

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_TILETOGPU_SHAREDACCESS_H
