//===- MatrixScaled.cpp - f8f6f4 MFMA, with and without scales ------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "MatrixKernel.h"

namespace mlir::te::emu {

namespace {
/// A value of cbsz or blgp.
struct MixedFormat {
  unsigned width;
  void (*unpack)(const uint32_t *rows, const InputLayout &layout, float *out);
};

/// The scale of each row (column) and each 32 values of k: [k / 32][i].
struct Scales {
  static constexpr unsigned kMost = kLanes;
  uint8_t exponents[kMost];
  uint8_t most = 0; // but for 255, which makes NaNs
};
} // namespace

static constexpr MixedFormat mixedFormats[] = {{8, unpackSmall<kFp8, 8>},
                                               {8, unpackSmall<kBf8, 8>},
                                               {6, unpackSmall<kFp6, 6>},
                                               {6, unpackSmall<kBf6, 6>},
                                               {4, unpackSmall<kFp4, 4>}};

/// Every scaled value is a float where no scale is above 2^111: the largest
/// code is below 2^16, and the least, 2^-16 with few bits of fraction, stays
/// above 2^-149 under 2^-127.
static constexpr uint8_t kMostForFloats = 127 + 111;

static void unpackMixed(const uint32_t *rows, const MatrixShape &shape,
                        unsigned format, float *out) {
  const MixedFormat &mixed = mixedFormats[format];
  // Eight bits: two chunks of 16, half of the depth apart.
  mixed.unpack(
      rows,
      {shape.size, shape.depth, shape.blocks, mixed.width == 8 ? 16u : 0u},
      out);
}

/// 2^(e - 127) for each 32 values of k, e a byte of lane i + size * (k / 32).
static Scales readScales(const Wave &wave, const Inst &inst, unsigned operand,
                         const MatrixShape &shape) {
  Scales scales;
  unsigned number = inst.matrix.scale[operand];
  unsigned shift = inst.matrix.scaleByte[operand] * 8;
  for (unsigned lane = 0; lane < shape.size * shape.depth / 32u; ++lane) {
    uint32_t bits = number >= kFirstVector
                        ? wave.vgpr[number - kFirstVector][lane]
                        : uint32_t(readScalar(wave, inst, number, Type::U32));
    uint8_t exponent = bits >> shift;
    scales.exponents[lane] = exponent;
    if (exponent != 255)
      scales.most = std::max(scales.most, exponent);
  }
  return scales;
}

template <class T> static T scaleOf(uint8_t exponent) {
  return exponent == 255 ? fromBits<T>(quietNaN<T>())
                         : std::ldexp(T(1), exponent - 127);
}

/// out = values * scales, exactly; the two may be the same.
template <class T>
static void applyScales(const Scales &scales, const MatrixShape &shape,
                        const float *values, T *out) {
  for (unsigned block = 0; block < shape.depth / 32u; ++block) {
    T factors[32];
    for (unsigned i = 0; i < shape.size; ++i)
      factors[i] = scaleOf<T>(scales.exponents[block * shape.size + i]);
    for (unsigned k = 0; k < 32; ++k, values += shape.size, out += shape.size)
      for (unsigned i = 0; i < shape.size; ++i)
        out[i] = T(values[i]) * factors[i];
  }
}

void runMixed(Wave &wave, const Inst &inst) {
  const MatrixShape &shape = getMatrixShapes()[inst.param];
  const MatrixFields &fields = inst.matrix;
  if (std::max(fields.cbsz, fields.blgp) >= std::size(mixedFormats))
    return wave.fail("cbsz and blgp name formats: expected 0 to 4");
  alignas(64) float a[kMostElements], b[kMostElements];
  alignas(64) uint32_t buffer[kMostResultRows * kLanes];
  unpackMixed(rowsOf(wave, inst, 0), shape, fields.cbsz, a);
  unpackMixed(rowsOf(wave, inst, 1), shape, fields.blgp, b);
  unsigned depth = shape.depth;
  const uint32_t *c =
      prepareC<float>(wave, inst, shape.size * shape.size / kLanes, buffer);
  uint32_t *d = wave.row(inst.dst);
  if (!fields.isScaled)
    return multiply<float, float>(shape.size, {1, depth, depth, a, b, c, d});
  Scales scalesA = readScales(wave, inst, 0, shape);
  Scales scalesB = readScales(wave, inst, 1, shape);
  if (std::max(scalesA.most, scalesB.most) <= kMostForFloats) {
    applyScales(scalesA, shape, a, a);
    applyScales(scalesB, shape, b, b);
    return multiply<float, float>(shape.size, {1, depth, depth, a, b, c, d});
  }
  alignas(64) double wideA[kMostElements], wideB[kMostElements];
  applyScales(scalesA, shape, a, wideA);
  applyScales(scalesB, shape, b, wideB);
  multiply<float, double>(shape.size, {1, depth, depth, wideA, wideB, c, d});
}

} // namespace mlir::te::emu
