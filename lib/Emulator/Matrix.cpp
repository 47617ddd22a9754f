//===- Matrix.cpp - dense MFMA: how operands are read, and the rows -------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shapes are rows of MatrixShapes.cpp, and one kernel (MatrixKernel.h) does
// them all; here is how each format of A and B is read.
//
//===----------------------------------------------------------------------===//
#include "MatrixKernel.h"

namespace mlir::te::emu {

//===----------------------------------------------------------------------===//
// cbsz, abid, blgp
//===----------------------------------------------------------------------===//

/// Which lane each lane's elements of A come from: block `abid` of 2^cbsz.
static unsigned laneOfA(const MatrixShape &shape, const MatrixFields &fields,
                        unsigned lane) {
  unsigned run = lane / shape.size, block = run % shape.blocks;
  unsigned first = block >> fields.cbsz << fields.cbsz;
  unsigned instead = (first + fields.abid) % shape.blocks + run - block;
  return instead * shape.size + lane % shape.size;
}

/// The same of B: 1 and 2 repeat a half of the lanes, 3 turns them by 16, 4 to
/// 7 repeat a quarter.
static unsigned laneOfB(unsigned blgp, unsigned lane) {
  return blgp < 3    ? lane % 32 + (blgp - 1) * 32
         : blgp == 3 ? (lane + 16) % kLanes
                     : lane % 16 + (blgp - 4) * 16;
}

/// Copies `count` registers, lane by lane from where `laneOf` says.
template <class LaneOf>
static const uint32_t *permute(const uint32_t *rows, unsigned count,
                               uint32_t *buffer, LaneOf laneOf) {
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned from = laneOf(lane), row = 0; row < count; ++row)
      buffer[row * kLanes + lane] = rows[row * kLanes + from];
  return buffer;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Ten bits of fraction are left; whether the hardware rounds or cuts is not
/// published.
static float toXf32(uint32_t bits) {
  uint32_t rounded = bits + 0xfff + (bits >> 13 & 1);
  bool isFinite = (bits & 0x7f800000) != 0x7f800000;
  bool isNaN = !isFinite && bits & 0x7fffff;
  bits = (isFinite ? rounded : bits) & ~0x1fffu;
  return std::bit_cast<float>(isNaN ? 0x7fc00000 : bits);
}

static unsigned widthOf(Element element) {
  switch (element) {
  case Element::F64:
    return 64;
  case Element::F32:
  case Element::Xf32:
    return 32;
  case Element::F16:
  case Element::Bf16:
    return 16;
  default:
    return 8;
  }
}

void unpackElements(const uint32_t *rows, Element element, bool fnuz,
                    const InputLayout &layout, float *out) {
  switch (element) {
  case Element::Xf32:
    return unpack<32>(rows, layout, out, toXf32);
  case Element::F16:
    return unpack<16>(rows, layout, out, [](uint32_t bits) {
      return float(fromBits<Half>(bits));
    });
  case Element::Bf16:
    return unpack<16>(rows, layout, out, [](uint32_t bits) {
      return std::bit_cast<float>(bits << 16);
    });
  case Element::Fp8:
    return fnuz ? unpackSmall<kFp8Fnuz, 8>(rows, layout, out)
                : unpackSmall<kFp8, 8>(rows, layout, out);
  case Element::Bf8:
    return fnuz ? unpackSmall<kBf8Fnuz, 8>(rows, layout, out)
                : unpackSmall<kBf8, 8>(rows, layout, out);
  default:
    return unpack<32>(rows, layout, out,
                      [](uint32_t bits) { return std::bit_cast<float>(bits); });
  }
}
void unpackElements(const uint32_t *rows, Element, bool,
                    const InputLayout &layout, uint32_t *out) {
  unpack<8>(rows, layout, out,
            [](uint32_t bits) { return uint32_t(int8_t(bits)); });
}
static void unpackElements(const uint32_t *rows, Element, bool,
                           const InputLayout &layout, double *out) {
  unpack<64>(rows, layout, out,
             [](uint64_t bits) { return std::bit_cast<double>(bits); });
}

//===----------------------------------------------------------------------===//
// The rows
//===----------------------------------------------------------------------===//

/// f64 has no permutations: blgp negates A, B and C.
static void negate(double *values, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    values[i] = -values[i];
}
static const uint32_t *negateC(const uint32_t *rows, unsigned count,
                               uint32_t *buffer) {
  for (unsigned at = 0; at < count * kLanes; ++at)
    buffer[at] = rows[at] ^ (at / kLanes % 2 ? 0x80000000 : 0);
  return buffer;
}

template <class T> static void runDense(Wave &wave, const Inst &inst) {
  const MatrixShape &shape = getMatrixShapes()[inst.param];
  const MatrixFields &fields = inst.matrix;
  constexpr bool isDouble = std::is_same_v<T, double>;
  alignas(64) T a[kMostElements], b[kMostElements];
  alignas(64) uint32_t buffer[kMostResultRows * kLanes];
  InputLayout layout{shape.size, shape.depth, shape.blocks};
  bool fnuz = wave.launch->chip->fnuz;
  const uint32_t *rows = rowsOf(wave, inst, 0);
  unsigned count = layout.perLane() * widthOf(shape.a) / 32;
  if (fields.cbsz || fields.abid)
    rows = permute(rows, count, buffer,
                   [&](unsigned lane) { return laneOfA(shape, fields, lane); });
  unpackElements(rows, shape.a, fnuz, layout, a);
  rows = rowsOf(wave, inst, 1);
  if (fields.blgp && !isDouble)
    rows = permute(rows, count, buffer,
                   [&](unsigned lane) { return laneOfB(fields.blgp, lane); });
  unpackElements(rows, shape.b, fnuz, layout, b);
  unsigned perLane = shape.size * shape.size * shape.blocks / kLanes;
  const uint32_t *c = prepareC<T>(wave, inst, perLane, buffer);
  if constexpr (isDouble) {
    if (fields.blgp & 1)
      negate(a, layout.perLane() * kLanes);
    if (fields.blgp & 2)
      negate(b, layout.perLane() * kLanes);
    if (fields.blgp & 4)
      c = negateC(c, perLane * 2, buffer);
  }
  multiply<T, T>(shape.size, {shape.blocks, shape.depth, shape.depth, a, b, c,
                              wave.row(inst.dst)});
}

static ExecFn findRun(const MatrixShape &shape) {
  if (shape.isSparse)
    return shape.a == Element::I8 ? runSparseInteger : runSparseFloat;
  return shape.a == Element::F64     ? runDense<double>
         : shape.a == Element::I8    ? runDense<uint32_t>
         : shape.a == Element::Mixed ? runMixed
                                     : runDense<float>;
}

llvm::ArrayRef<Row> getMatrixRows() {
  static const std::vector<Row> rows = [] {
    std::vector<Row> made;
    for (const MatrixShape &shape : getMatrixShapes())
      made.push_back({shape.stem, findRun(shape),
                      uint16_t(kMatrix | (shape.isSparse ? kSparse : 0)),
                      uint16_t(made.size())});
    return made;
  }();
  return rows;
}

void clearSums(Wave &wave, const Inst &inst) {
  const MatrixShape &shape = getMatrixShapes()[inst.param];
  unsigned rows = shape.size * shape.size * shape.blocks / kLanes *
                  (shape.a == Element::F64 ? 2 : 1);
  std::fill_n(wave.row(inst.dst), rows * kLanes, 0);
}

unsigned countPasses(const Inst &inst, const Chip &chip) {
  const MatrixShape &shape = getMatrixShapes()[inst.param];
  bool isSlow = shape.a == Element::Mixed &&
                std::min(inst.matrix.cbsz, inst.matrix.blgp) < 2;
  return (chip.fnuz ? shape.passes : shape.passes950) * (isSlow ? 2 : 1);
}

} // namespace mlir::te::emu
