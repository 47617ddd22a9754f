//===- Hadamard.cpp - the Hadamard transform before fp4 -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Reference/Hadamard.h"

#include <array>

using namespace mlir::te::ref;

static constexpr int64_t kRun = 16;

/// In place: butterflies of stride 1, 2, 4, 8, then the factor 1/sqrt(16).
static void transformRun(std::array<float, kRun> &run) {
  for (int64_t stride = 1; stride < kRun; stride *= 2)
    for (int64_t i = 0; i < kRun; ++i)
      if ((i & stride) == 0) {
        float a = run[i], b = run[i + stride];
        run[i] = a + b;
        run[i + stride] = a - b;
      }
  for (float &value : run)
    value *= 0.25f;
}

HostTensor mlir::te::ref::hadamard(const HostTensor &x, const Matrix &matrix,
                                   bool alongRows, uint32_t signMask) {
  HostTensor result = HostTensor::zeros(DType::F32, x.shape);
  int64_t matrixRows = matrix.getOne().rows;
  int64_t lines = alongRows ? matrix.batch * matrix.cols : matrix.rows;
  int64_t length = alongRows ? matrixRows : matrix.cols;
  auto indexOf = [&](int64_t line, int64_t i) {
    if (!alongRows)
      return line * matrix.cols + i;
    int64_t matrixIndex = line / matrix.cols, col = line % matrix.cols;
    return (matrixIndex * matrixRows + i) * matrix.cols + col;
  };
  for (int64_t line = 0; line < lines; ++line)
    for (int64_t start = 0; start < length; start += kRun) {
      std::array<float, kRun> run{};
      uint32_t signs = signMask >> (start / kRun % 2 * kRun);
      int64_t count = std::min(kRun, length - start);
      for (int64_t i = 0; i < count; ++i) {
        float value = loadElement(x, indexOf(line, start + i));
        run[i] = (signs >> i) & 1 ? -value : value;
      }
      transformRun(run);
      for (int64_t i = 0; i < count; ++i)
        result.store<float>(indexOf(line, start + i), run[i]);
    }
  return result;
}
