//===- Layouts.h - where data and scales lie in memory -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shapes of the stored data and scales of a scaled tensor, and the position of
// each element in them (docs/spec.md). A tensor of any rank is seen as M x K: K
// is its last dimension, M the product of the others; a rank-0 tensor is 1 x 1.
//
//===----------------------------------------------------------------------===//
#ifndef TE_REFERENCE_LAYOUTS_H
#define TE_REFERENCE_LAYOUTS_H

#include "te/Reference/Scaling.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <utility>

namespace mlir::te::ref {

struct Matrix {
  int64_t rows = 1, cols = 1;
  int64_t batch = 1;       // matrices that lie below each other, each by itself
  int64_t matrixRows = -1; // of each; -1: all
  static Matrix flatten(llvm::ArrayRef<int64_t> shape);
  /// With as many parts as the scaling says.
  static Matrix flatten(llvm::ArrayRef<int64_t> shape, const Scaling &scaling);
  /// One of the parts.
  Matrix getOne() const { return {matrixRows < 0 ? rows : matrixRows, cols}; }
};

/// One scale covers rows x cols elements; the last ones in each direction may
/// cover fewer.
struct ScaleGrid {
  Matrix data;
  int64_t blockRows, blockCols; // elements a scale
  int64_t rows, cols;           // scales
  static ScaleGrid of(const Scaling &scaling, Matrix data);
  int64_t indexOf(int64_t row, int64_t col) const;
};

/// Offsets of the three shuffled layouts. `paddedCols` (or
/// `rowBytes`) is the padded width of the matrix.
int64_t blocked32x4x4Offset(int64_t r, int64_t c, int64_t paddedCols);
int64_t e8m0ShuffleOffset(int64_t r, int64_t c, int64_t paddedCols);
int64_t shuffle16x16Offset(int64_t r, int64_t byte, int64_t rowBytes);

/// The stored scale matrix. A cell inside rows x cols holds a scale; the rest
/// of paddedRows x paddedCols is padding. Of many parts, one lies below the
/// other: row r is row r % paddedRows of its part.
struct ScaleStorage {
  int64_t rows, cols;
  int64_t paddedRows, paddedCols;
  llvm::SmallVector<int64_t> shape; // of the buffer
  ScaleLayout layout;
  bool transposed; // cell (r, c) holds the grid's (c, r)
  int64_t repeat;  // so many rows hold one row of the (transposed) grid
  double padding;  // the value of padding cells: a code for E8M0
  int64_t batch = 1;
  int64_t getAllRows() const { return batch * paddedRows; }
  bool isPadding(int64_t r, int64_t c) const {
    return r % paddedRows >= rows || c >= cols;
  }
  static ScaleStorage of(const Scaling &scaling, DType element, Matrix data);
  int64_t offset(int64_t r, int64_t c) const;
  int64_t gridIndex(int64_t r, int64_t c, const ScaleGrid &grid) const;
};

/// The stored data of an M x K tensor.
struct DataStorage {
  DType element;
  DataLayout layout;
  Matrix data;
  int64_t rowBytes; // of the stored matrix
  llvm::SmallVector<int64_t> shape;
  /// An error where the layout does not fit the shape.
  static llvm::Expected<DataStorage> of(DType element, DataLayout layout,
                                        Matrix data);
  /// Byte, and the element's lowest bit in it.
  std::pair<int64_t, unsigned> position(int64_t row, int64_t col) const;
  uint8_t getCodeMask() const {
    return element == DType::F4E2M1FN ? 0xF : 0xFF;
  }
};

} // namespace mlir::te::ref

#endif // TE_REFERENCE_LAYOUTS_H
