//===- Layouts.cpp - where data and scales lie in memory -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Reference/Layouts.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::te;
using namespace mlir::te::ref;

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t roundUp(int64_t a, int64_t b) { return ceilDiv(a, b) * b; }

Matrix Matrix::flatten(llvm::ArrayRef<int64_t> shape) {
  Matrix matrix;
  if (shape.empty())
    return matrix;
  matrix.cols = shape.back();
  for (int64_t size : shape.drop_back())
    matrix.rows *= size;
  return matrix;
}

Matrix Matrix::flatten(llvm::ArrayRef<int64_t> shape, const Scaling &scaling) {
  Matrix matrix = flatten(shape);
  if (scaling.perMatrix)
    std::tie(matrix.batch, matrix.matrixRows) =
        std::pair(flatten(shape.drop_back()).rows, shape.drop_back().back());
  return matrix;
}

int64_t ScaleGrid::indexOf(int64_t row, int64_t col) const {
  int64_t each = data.getOne().rows, blocks = rows / data.batch;
  return (row / each * blocks + row % each / blockRows) * cols +
         col / blockCols;
}

ScaleGrid ScaleGrid::of(const Scaling &scaling, Matrix data) {
  // A block of no elements would divide by zero; nothing is ever in it.
  int64_t allRows = std::max<int64_t>(data.rows, 1);
  int64_t allCols = std::max<int64_t>(data.cols, 1);
  switch (scaling.granularity) {
  case Granularity::Tensor:
    return {data, allRows, allCols, 1, 1};
  case Granularity::Row:
    return {data, 1, allCols, data.rows, 1};
  case Granularity::Block:
    break;
  }
  return {data, scaling.blockRows, scaling.blockCols,
          data.batch * ceilDiv(data.getOne().rows, scaling.blockRows),
          ceilDiv(data.cols, scaling.blockCols)};
}

int64_t mlir::te::ref::blocked32x4x4Offset(int64_t r, int64_t c,
                                           int64_t paddedCols) {
  return ((r / 128) * (paddedCols / 4) + c / 4) * 512 + (r % 32) * 16 +
         ((r % 128) / 32) * 4 + c % 4;
}

int64_t mlir::te::ref::e8m0ShuffleOffset(int64_t r, int64_t c,
                                         int64_t paddedCols) {
  return (r / 32) * (paddedCols / 8) * 256 + (c / 8) * 256 + (c % 4) * 64 +
         (r % 16) * 4 + ((c % 8) / 4) * 2 + (r % 32) / 16;
}

int64_t mlir::te::ref::shuffle16x16Offset(int64_t r, int64_t byte,
                                          int64_t rowBytes) {
  return (r / 16) * 16 * rowBytes + (byte / 32) * 512 +
         ((byte % 32) / 16) * 256 + (r % 16) * 16 + byte % 16;
}

/// f32 scales of blocks: with one-dimensional blocks the index
/// along the block comes first; 128 x 128 follows the data.
static ScaleStorage blockF32Storage(const Scaling &scaling,
                                    const ScaleGrid &grid) {
  bool isRow = scaling.blockRows == 1, isColumn = scaling.blockCols == 1;
  bool transposed =
      isRow || (!isColumn && scaling.dataLayout == DataLayout::Transposed);
  ScaleStorage storage{};
  storage.rows = transposed ? grid.cols : grid.rows;
  storage.cols = transposed ? grid.rows : grid.cols;
  storage.paddedRows = storage.rows;
  storage.paddedCols = roundUp(storage.cols, 4);
  storage.transposed = transposed;
  storage.repeat = 1;
  storage.padding = 1.0;
  return storage;
}

/// E8M0 scales in rows and columns: the dimension that
/// the blocks run along is padded to 4 (fp4: 8), the other to 128 (fp4: 256).
/// The columnwise scales of MXFP4 are transposed like its data, those of MXFP8
/// are not; 32 x 32 scales are the same, whatever the data layout.
static ScaleStorage linearE8M0Storage(const Scaling &scaling, DType element,
                                      const ScaleGrid &grid) {
  bool isFP4 = element == DType::F4E2M1FN;
  bool isColumn = scaling.blockCols == 1;
  bool isSquare = scaling.blockRows > 1 && !isColumn;
  int64_t along = isFP4 ? 8 : 4, across = isFP4 ? 256 : 128;
  if (scaling.perMatrix)
    along = across = 1;
  int64_t rowPad = isSquare ? 1 : isColumn ? along : across;
  int64_t colPad = isSquare ? 1 : isColumn ? across : along;
  ScaleStorage storage{};
  storage.rows = grid.rows;
  storage.cols = grid.cols;
  storage.paddedRows = roundUp(grid.rows, rowPad);
  storage.paddedCols = roundUp(grid.cols, colPad);
  storage.transposed = isFP4 && isColumn;
  if (storage.transposed) {
    std::swap(storage.rows, storage.cols);
    std::swap(storage.paddedRows, storage.paddedCols);
  }
  storage.repeat = 1;
  storage.padding = isFP4 ? 127 : 0;
  return storage;
}

/// E8M0 scales as a matrix instruction wants them: a row for each
/// row (or column) of the data that is not contracted, a column for each block.
static ScaleStorage shuffledE8M0Storage(const Scaling &scaling, DType element,
                                        const ScaleGrid &grid) {
  bool isColumn = scaling.blockCols == 1;
  bool isSquare = scaling.blockRows > 1 && !isColumn;
  bool isBlocked = scaling.scaleLayout == ScaleLayout::Blocked32x4x4;
  ScaleStorage storage{};
  storage.transposed = isColumn;
  if (scaling.perMatrix && scaling.dataLayout == DataLayout::Transposed)
    storage.transposed = true;
  storage.rows = storage.transposed ? grid.data.cols : grid.data.rows;
  storage.cols = storage.transposed ? grid.rows : grid.cols;
  storage.repeat = isSquare ? scaling.blockRows : 1;
  storage.paddedRows = roundUp(storage.rows, isBlocked ? 128 : 256);
  storage.paddedCols = roundUp(storage.cols, isBlocked ? 4 : 8);
  storage.padding = !isBlocked && element == DType::F4E2M1FN ? 127 : 0;
  return storage;
}

ScaleStorage ScaleStorage::of(const Scaling &scaling, DType element,
                              Matrix data) {
  ScaleGrid grid = ScaleGrid::of(scaling, data.getOne());
  if (scaling.granularity != Granularity::Block) {
    ScaleStorage storage{grid.rows, 1, grid.rows, 1, {}, {}, false, 1, 1.0};
    if (scaling.granularity == Granularity::Row)
      storage.shape = {grid.rows};
    return storage;
  }
  ScaleStorage storage = scaling.scaleType == DType::F32
                             ? blockF32Storage(scaling, grid)
                         : scaling.scaleLayout == ScaleLayout::Linear
                             ? linearE8M0Storage(scaling, element, grid)
                             : shuffledE8M0Storage(scaling, element, grid);
  storage.layout = scaling.scaleLayout;
  storage.shape = {storage.paddedRows, storage.paddedCols};
  storage.batch = data.batch;
  if (scaling.perMatrix)
    storage.shape.insert(storage.shape.begin(), data.batch);
  return storage;
}

int64_t ScaleStorage::offset(int64_t r, int64_t c) const {
  int64_t before = r / paddedRows * paddedRows * paddedCols;
  r %= paddedRows;
  switch (layout) {
  case ScaleLayout::Linear:
    return before + r * paddedCols + c;
  case ScaleLayout::Blocked32x4x4:
    return before + blocked32x4x4Offset(r, c, paddedCols);
  case ScaleLayout::E8M0Shuffle:
    return before + e8m0ShuffleOffset(r, c, paddedCols);
  }
  return 0;
}

int64_t ScaleStorage::gridIndex(int64_t r, int64_t c,
                                const ScaleGrid &grid) const {
  int64_t before = r / paddedRows * (grid.rows / grid.data.batch) * grid.cols;
  r = r % paddedRows / repeat;
  return before + (transposed ? c * grid.cols + r : r * grid.cols + c);
}

llvm::Expected<DataStorage> DataStorage::of(DType element, DataLayout layout,
                                            Matrix data) {
  bool transposed = layout == DataLayout::Transposed;
  Matrix matrix = data.getOne();
  int64_t rows = transposed ? matrix.cols : matrix.rows;
  int64_t cols = transposed ? matrix.rows : matrix.cols;
  int64_t rowBytes = element == DType::F4E2M1FN ? ceilDiv(cols, 2) : cols;
  if (layout == DataLayout::Shuffle16x16 && (rows % 16 || rowBytes % 32))
    return llvm::createStringError(llvm::formatv(
        "data_layout = shuffle_16x16 needs a multiple of 16 rows and of 32 "
        "bytes a row, found {0} rows of {1} bytes; pad the tensor or use "
        "data_layout = linear",
        rows, rowBytes));
  return DataStorage{
      element, layout, data, rowBytes, {data.batch * rows, rowBytes}};
}

std::pair<int64_t, unsigned> DataStorage::position(int64_t row,
                                                   int64_t col) const {
  int64_t each = data.getOne().rows;
  int64_t before = row / each * (shape[0] / data.batch) * rowBytes;
  row %= each;
  if (layout == DataLayout::Transposed)
    std::swap(row, col);
  unsigned shift = 0;
  if (element == DType::F4E2M1FN) {
    shift = col % 2 ? 4 : 0;
    col /= 2;
  }
  if (layout == DataLayout::Shuffle16x16)
    return {before + shuffle16x16Offset(row, col, rowBytes), shift};
  return {before + row * rowBytes + col, shift};
}
