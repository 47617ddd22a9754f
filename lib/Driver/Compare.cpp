//===- Compare.cpp - quantized results against the reference -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Driver/Compare.h"
#include "te/Runtime/Formats.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir::te;
using namespace mlir::te::rt;

static Verdict judgeBits(uint64_t found, uint64_t expected) {
  return found == expected ? Verdict::Same : Verdict::Mismatch;
}

namespace {
/// The elements under one scale.
struct Block {
  float found = 0, expected = 0; // scale_inv
  double largest = 0;            // |value|, in both
  bool isStep = false;           // the scales are a step apart
};

/// Both tensors, and where their parts are.
class ScaledPair {
public:
  ScaledPair(const ref::ScaledTensor &found, const ref::ScaledTensor &reference,
             const ref::Scaling &scaling, ref::DataStorage storage,
             const Tolerance &tolerance)
      : found(found), reference(reference), scaling(scaling), storage(storage),
        scaleStorage(
            ref::ScaleStorage::of(scaling, storage.element, storage.data)),
        grid(ref::ScaleGrid::of(scaling, storage.data)), tolerance(tolerance),
        format(ref::getFormat(storage.element)), blocks(grid.rows * grid.cols) {
  }

  void compareScales(Judge &judge);
  void compareData(Judge &judge);

private:
  void findLargest();
  Verdict judgeScale(uint32_t a, uint32_t b, Block &block) const;
  Verdict judgeCode(uint32_t a, uint32_t b, const Block &block) const;
  double getStep(uint32_t code) const;
  /// atol, less where all values are small.
  double getAbsolute() const { return tolerance.atol * std::min(1.0, largest); }
  uint32_t getCode(const HostTensor &data, int64_t row, int64_t col) const {
    auto [byte, shift] = storage.position(row, col);
    return (data.bytes[byte] >> shift) & storage.getCodeMask();
  }

  const ref::ScaledTensor &found, &reference;
  const ref::Scaling &scaling;
  ref::DataStorage storage;
  ref::ScaleStorage scaleStorage;
  ref::ScaleGrid grid;
  const Tolerance &tolerance;
  const ref::Format &format;
  std::vector<Block> blocks;
  double largest = 0;
};
} // namespace

/// Scales of all blocks, then the largest value of each.
void ScaledPair::findLargest() {
  for (int64_t r = 0; r < scaleStorage.getAllRows(); ++r)
    for (int64_t c = 0; c < scaleStorage.cols; ++c) {
      if (scaleStorage.isPadding(r, c))
        continue;
      Block &block = blocks[scaleStorage.gridIndex(r, c, grid)];
      int64_t offset = scaleStorage.offset(r, c);
      block.found = ref::loadElement(found.scales, offset);
      block.expected = ref::loadElement(reference.scales, offset);
    }
  for (int64_t m = 0; m < grid.data.rows; ++m)
    for (int64_t k = 0; k < grid.data.cols; ++k) {
      Block &block = blocks[grid.indexOf(m, k)];
      double a = format.values[getCode(found.data, m, k)] * block.found;
      double b = format.values[getCode(reference.data, m, k)] * block.expected;
      for (double value : {std::fabs(a), std::fabs(b)})
        if (std::isfinite(value))
          block.largest = std::max(block.largest, value);
    }
  for (const Block &block : blocks)
    largest = std::max(largest, block.largest);
}

/// Close, as f32 numbers are; or a step apart: within atol of the amax, to the
/// next power of two, or as far as an amax may differ.
Verdict ScaledPair::judgeScale(uint32_t a, uint32_t b, Block &block) const {
  if (a == b)
    return Verdict::Same;
  constexpr double kClose = 5e-6;
  double x = block.found, y = block.expected, error = std::fabs(x - y);
  bool isE8M0 = scaling.scaleType == DType::F8E8M0FNU;
  if (!std::isfinite(error))
    return Verdict::Mismatch;
  if (!isE8M0 && error <= kClose * y)
    return Verdict::Same;
  block.isStep = true;
  if (block.largest <= getAbsolute() || error * format.max <= getAbsolute())
    return Verdict::Same;
  bool isPowerOfTwo = isE8M0 || scaling.rounding == ref::Rounding::Pow2;
  bool isNear =
      isPowerOfTwo ? x == 2 * y || y == 2 * x : error <= tolerance.rtol * y;
  return isNear ? Verdict::Outlier : Verdict::Mismatch;
}

void ScaledPair::compareScales(Judge &judge) {
  findLargest();
  for (int64_t r = 0; r < scaleStorage.getAllRows(); ++r)
    for (int64_t c = 0; c < scaleStorage.paddedCols; ++c) {
      int64_t offset = scaleStorage.offset(r, c);
      uint32_t a = ref::loadCode(found.scales, offset);
      uint32_t b = ref::loadCode(reference.scales, offset);
      Verdict verdict =
          scaleStorage.isPadding(r, c)
              ? judgeBits(a, b)
              : judgeScale(a, b, blocks[scaleStorage.gridIndex(r, c, grid)]);
      judge.add(verdict, offset, a, b);
    }
}

/// The distance to the next code away from zero, or from the largest code back.
double ScaledPair::getStep(uint32_t code) const {
  uint32_t magnitude = code & ~(1u << (format.bits - 1));
  double value = format.values[magnitude];
  if (value == format.max)
    return value - format.values[magnitude - 1];
  return format.values[magnitude + 1] - value;
}

Verdict ScaledPair::judgeCode(uint32_t a, uint32_t b,
                              const Block &block) const {
  double x = format.values[a] * block.found;
  double y = format.values[b] * block.expected;
  double error = std::fabs(x - y);
  if (!std::isfinite(error))
    return Verdict::Mismatch;
  if ((a == b && !block.isStep) || error <= getAbsolute())
    return Verdict::Same;
  if (block.isStep &&
      error <= std::max(getStep(a) * block.found, getStep(b) * block.expected))
    return Verdict::Same;
  bool isNext =
      std::fabs(getRank(format.type, a) - getRank(format.type, b)) <= 1;
  return isNext || error <= tolerance.slack * largest ? Verdict::Outlier
                                                      : Verdict::Mismatch;
}

void ScaledPair::compareData(Judge &judge) {
  std::vector<uint8_t> covered(found.data.bytes.size());
  for (int64_t m = 0; m < grid.data.rows; ++m)
    for (int64_t k = 0; k < grid.data.cols; ++k) {
      auto [byte, shift] = storage.position(m, k);
      covered[byte] |= storage.getCodeMask() << shift;
      const std::vector<uint8_t> &mask = reference.data.unspecified;
      if (!mask.empty() && ((mask[byte] >> shift) & storage.getCodeMask())) {
        judge.addUnspecified();
        continue;
      }
      uint32_t a = getCode(found.data, m, k);
      uint32_t b = getCode(reference.data, m, k);
      bool isFP4 = storage.element == DType::F4E2M1FN;
      judge.add(judgeCode(a, b, blocks[grid.indexOf(m, k)]),
                isFP4 ? byte * 2 + shift / 4 : byte, a, b);
    }
  // What holds no element is the padding nibble of an odd row of fp4.
  for (auto [byte, bits] : llvm::enumerate(covered))
    if (uint8_t rest = ~bits) {
      uint8_t a = found.data.bytes[byte] & rest;
      uint8_t b = reference.data.bytes[byte] & rest;
      judge.add(judgeBits(a, b), byte * 2 + 1, a >> 4, b >> 4);
    }
}

std::pair<Comparison, Comparison> mlir::te::compareScaled(
    const std::string &name, const ref::ScaledTensor &found,
    const ref::ScaledTensor &reference, const ref::Scaling &scaling,
    llvm::ArrayRef<int64_t> shape, const Tolerance &tolerance) {
  DType element = reference.data.type;
  auto storage = ref::DataStorage::of(element, scaling.dataLayout,
                                      ref::Matrix::flatten(shape, scaling));
  std::string dataName = name + ".data", scaleName = name + ".scale";
  if (!storage || tolerance.isExact()) {
    llvm::consumeError(storage.takeError());
    return {compare(dataName, found.data, reference.data),
            compare(scaleName, found.scales, reference.scales)};
  }
  ScaledPair pair(found, reference, scaling, *storage, tolerance);
  Judge data(dataName, found.data, reference.data, tolerance);
  Judge scales(scaleName, found.scales, reference.scales, tolerance);
  pair.compareScales(scales);
  pair.compareData(data);
  return {data.finish(), scales.finish()};
}
