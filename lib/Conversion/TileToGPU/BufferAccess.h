//===- BufferAccess.h - accesses that the hardware bounds -------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where only rows after a buffer's last can be outside, a buffer resource over
// the tile's rows bounds every access: loads give zero outside, stores write
// nothing, and no code masks them.
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_TILETOGPU_BUFFERACCESS_H
#define TE_LIB_CONVERSION_TILETOGPU_BUFFERACCESS_H

#include "Distribution.h"

namespace mlir::te {

class BufferAccess {
public:
  /// The target has such accesses, and the offsets inside of a tile of this
  /// view are known to fit them.
  static bool isPossible(const KernelState &state, Type tile, Value view);

  /// The rows of `view` (strided, rank 2) from `row` on, at most the tile's,
  /// and its columns from `col` on. Where the tile `isInside` the view nothing
  /// is bounded, and no vector needs an offset register of its own. `isAlike`:
  /// see readsSameRows.
  BufferAccess(ImplicitLocOpBuilder &b, const KernelState &state, Type tile,
               Value view, Value row, Value col, bool isInside = false,
               bool isAlike = false);

  /// A vector of this lane, its register 0 displaced by so many rows and
  /// columns.
  Value load(VectorType type, int64_t rows, int64_t cols);
  void store(Value vector, int64_t rows, int64_t cols);
  /// The same from memory to LDS: `bytes` of each lane, one after another from
  /// `place` on (a pointer, the same for all lanes of a wave).
  void copyAsync(Value place, int64_t bytes, int64_t rows, int64_t cols);

private:
  /// Of the instruction: bytes of each lane, and of all.
  std::pair<Value, Value> emitOffsets(int64_t rows, int64_t cols);

  ImplicitLocOpBuilder &b;
  int64_t rowBytes, elementBytes;
  bool isInside;
  Value resource;
  Value all, lane; // bytes, i32: of the tile, of a lane's register 0
};

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_TILETOGPU_BUFFERACCESS_H
