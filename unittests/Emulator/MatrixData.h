//===- MatrixData.h - matrices, codes and published layouts -----*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layouts go from an element to its lane and register, as AMD publishes
// them: the other way round than the emulator has them.
//
//===----------------------------------------------------------------------===//
#ifndef TE_UNITTESTS_EMULATOR_MATRIXDATA_H
#define TE_UNITTESTS_EMULATOR_MATRIXDATA_H

#include "llvm/ADT/APFloat.h"

#include <cstdint>
#include <random>
#include <vector>

namespace mlir::te::emu::test {

enum Format { F64, F32, F16, BF16, FP8, BF8, I8, FP6, BF6, FP4 };

inline unsigned widthOf(Format format) {
  static constexpr unsigned widths[] = {64, 32, 16, 16, 8, 8, 8, 6, 6, 4};
  return widths[format];
}
inline const llvm::fltSemantics &semanticsOf(Format format, bool fnuz) {
  using llvm::APFloat;
  switch (format) {
  case F64:
    return APFloat::IEEEdouble();
  case F16:
    return APFloat::IEEEhalf();
  case BF16:
    return APFloat::BFloat();
  case FP8:
    return fnuz ? APFloat::Float8E4M3FNUZ() : APFloat::Float8E4M3FN();
  case BF8:
    return fnuz ? APFloat::Float8E5M2FNUZ() : APFloat::Float8E5M2();
  case FP6:
    return APFloat::Float6E2M3FN();
  case BF6:
    return APFloat::Float6E3M2FN();
  case FP4:
    return APFloat::Float4E2M1FN();
  default:
    return APFloat::IEEEsingle();
  }
}
inline uint64_t encode(double value, Format format, bool fnuz) {
  if (format == I8)
    return uint8_t(int8_t(value));
  llvm::APFloat number(value);
  bool loses;
  number.convert(semanticsOf(format, fnuz), llvm::APFloat::rmNearestTiesToEven,
                 &loses);
  return number.bitcastToAPInt().getZExtValue();
}
inline double decode(uint64_t code, Format format, bool fnuz) {
  llvm::APFloat number(semanticsOf(format, fnuz),
                       llvm::APInt(widthOf(format), code));
  return number.convertToDouble();
}

struct Shape {
  unsigned size, depth, blocks;
};

/// Registers of 64 lanes; a lane's lie together.
struct Registers {
  explicit Registers(unsigned perLane)
      : perLane(perLane), words(64 * perLane) {}
  unsigned perLane;
  std::vector<uint32_t> words;
  void put(unsigned lane, unsigned element, unsigned width, uint64_t code) {
    for (unsigned bit = 0; bit < width; ++bit) {
      unsigned at = element * width + bit;
      words[lane * perLane + at / 32] |= uint32_t(code >> bit & 1) << at % 32;
    }
  }
  uint64_t get(unsigned lane, unsigned element, unsigned width) const {
    uint64_t code = 0;
    for (unsigned bit = 0; bit < width; ++bit) {
      unsigned at = element * width + bit;
      code |= uint64_t(words[lane * perLane + at / 32] >> at % 32 & 1) << bit;
    }
    return code;
  }
};

struct Place {
  unsigned lane, element;
};
/// Of A[block][i][k], or B[block][k][i].
inline Place placeOfInput(Shape s, unsigned block, unsigned i, unsigned k) {
  unsigned perLane = s.size * s.depth * s.blocks / 64;
  return {s.size * block + s.size * s.blocks * (k / perLane) + i, k % perLane};
}
/// Of D[block][i][j].
inline Place placeOfResult(Shape s, Format format, unsigned block, unsigned i,
                           unsigned j) {
  if (format == F64)
    return {16 * (i % 4) + (s.size == 4 ? 4 * block : 0) + j, i / 4};
  if (s.size == 32)
    return {32 * (i / 4 % 2) + j, 16 * block + 4 * (i / 8) + i % 4};
  if (s.size == 16)
    return {16 * (i / 4) + j, 4 * block + i % 4};
  return {4 * block + j, i};
}
/// The lane that blgp puts a lane's B from, as the ISA lists it.
inline unsigned laneOfB(unsigned lane, unsigned blgp) {
  static constexpr unsigned quarters[8][4] = {
      {0, 1, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}, {1, 2, 3, 0},
      {0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}};
  return quarters[blgp][lane / 16] * 16 + lane % 16;
}

/// values[block][row][column]
struct Matrix {
  Matrix(unsigned blocks, unsigned rows, unsigned columns)
      : rows(rows), columns(columns), values(blocks * rows * columns) {}
  double &at(unsigned block, unsigned row, unsigned column) {
    return values[(block * rows + row) * columns + column];
  }
  void fill(std::mt19937 &random, int low, int high) {
    for (double &value : values)
      value = low + int(random() % unsigned(high - low + 1));
  }
  unsigned rows, columns;
  std::vector<double> values;
};

} // namespace mlir::te::emu::test

#endif // TE_UNITTESTS_EMULATOR_MATRIXDATA_H
