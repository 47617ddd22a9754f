//===- Compare.cpp - results against the reference -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Driver/Compare.h"
#include "te/Reference/Formats.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir::te;
using rt::DType;
using rt::HostTensor;

namespace {
/// One element of a buffer: for f4E2M1FN there are two in a byte.
struct ElementReader {
  const HostTensor &tensor;
  bool isFP4 = tensor.type == DType::F4E2M1FN;

  int64_t getCount() const { return tensor.getNumUnits() * (isFP4 ? 2 : 1); }
  uint64_t getCode(int64_t i) const {
    if (isFP4)
      return (tensor.bytes[i / 2] >> (i % 2 * 4)) & 0xF;
    if (tensor.type == DType::I64)
      return tensor.load<uint64_t>(i);
    return ref::loadCode(tensor, i);
  }
  bool isUnspecified(int64_t i) const {
    if (tensor.unspecified.empty())
      return false;
    if (isFP4)
      return (tensor.unspecified[i / 2] >> (i % 2 * 4)) & 0xF;
    return tensor.unspecified[i * rt::getInfo(tensor.type).bytes] != 0;
  }
};
} // namespace

/// The code's place among the format's values, from the most negative up.
static double getRank(const ref::Format &format, uint32_t code) {
  if (format.type == DType::F8E8M0FNU)
    return code;
  uint32_t sign = 1u << (format.bits - 1);
  double magnitude = code & (sign - 1);
  return code & sign ? -magnitude : magnitude;
}

namespace {
/// What is to be said about one element.
enum class Verdict { Same, Outlier, Mismatch };

/// Gathers verdicts into a Comparison. More outliers than are allowed are
/// mismatches.
class Judge {
public:
  Judge(std::string name, const HostTensor &found, const HostTensor &reference,
        const Tolerance &tolerance)
      : format(ref::findFormat(reference.type)) {
    result.name = std::move(name);
    result.type = reference.type;
    result.shape = found.shape;
    result.tolerance = tolerance;
    result.elements = ElementReader{reference}.getCount();
  }

  void addUnspecified() { ++result.unspecified; }
  void add(Verdict verdict, int64_t index, uint64_t found, uint64_t expected) {
    if (format && ref::isNaNCode(format->type, found) &&
        ref::isNaNCode(format->type, expected))
      return;
    if (format && found != expected)
      addError(found, expected);
    if (verdict == Verdict::Same)
      return;
    int64_t &count =
        verdict == Verdict::Outlier ? result.outliers : result.mismatches;
    Place &first = verdict == Verdict::Outlier ? firstOutlier : firstMismatch;
    if (count++ == 0)
      first = {index, uint32_t(found), uint32_t(expected)};
  }
  Comparison finish() {
    int64_t allowed = std::max<int64_t>(1, kOutliers * result.elements);
    if (result.outliers > allowed) {
      result.mismatches += result.outliers;
      result.outliers = 0;
      if (firstMismatch.index < 0)
        firstMismatch = firstOutlier;
    }
    result.firstMismatch = firstMismatch.index;
    result.found = firstMismatch.found;
    result.expected = firstMismatch.expected;
    return std::move(result);
  }

private:
  void addError(uint32_t found, uint32_t expected) {
    double a = ref::decode(format->type, found);
    double b = ref::decode(format->type, expected);
    if (!std::isfinite(a) || !std::isfinite(b))
      return;
    double error = std::fabs(a - b);
    result.worstAbsolute = std::max(result.worstAbsolute, error);
    if (b != 0)
      result.worstRelative =
          std::max(result.worstRelative, error / std::fabs(b));
    double ulps =
        std::fabs(getRank(*format, found) - getRank(*format, expected));
    result.worstUlps = std::max(result.worstUlps, ulps);
  }

  struct Place {
    int64_t index = -1;
    uint32_t found = 0, expected = 0;
  };
  const ref::Format *format;
  Comparison result;
  Place firstOutlier, firstMismatch;
};
} // namespace

static Verdict judgeBits(uint64_t found, uint64_t expected) {
  return found == expected ? Verdict::Same : Verdict::Mismatch;
}

/// The largest finite |value|.
static double getLargest(const HostTensor &tensor, const ref::Format *format) {
  double largest = 0;
  for (int64_t i = 0, e = format ? tensor.getNumUnits() : 0; i < e; ++i)
    if (double value = std::fabs(ref::loadElement(tensor, i));
        std::isfinite(value))
      largest = std::max(largest, value);
  return largest;
}

/// Of values that are not equal. An Inf or NaN is near nothing else.
static Verdict judge(double found, double expected, double largest,
                     const Tolerance &tolerance) {
  double error = std::fabs(found - expected);
  if (!std::isfinite(error))
    return Verdict::Mismatch;
  if (error <= tolerance.atol || error <= tolerance.rtol * std::fabs(expected))
    return Verdict::Same;
  return error <= tolerance.slack * largest ? Verdict::Outlier
                                            : Verdict::Mismatch;
}

Comparison mlir::te::compare(std::string name, const HostTensor &found,
                             const HostTensor &reference,
                             const Tolerance &tolerance) {
  Judge result(std::move(name), found, reference, tolerance);
  ElementReader readFound{found}, readReference{reference};
  const ref::Format *format = ref::findFormat(reference.type);
  bool isExact = tolerance.isExact() || !format;
  double largest = tolerance.slack > 0 ? getLargest(reference, format) : 0;
  for (int64_t i = 0, e = readReference.getCount(); i < e; ++i) {
    if (readReference.isUnspecified(i)) {
      result.addUnspecified();
      continue;
    }
    uint64_t a = readFound.getCode(i), b = readReference.getCode(i);
    if (a != b)
      result.add(isExact
                     ? Verdict::Mismatch
                     : judge(ref::decode(format->type, a),
                             ref::decode(format->type, b), largest, tolerance),
                 i, a, b);
  }
  return result.finish();
}

//===----------------------------------------------------------------------===//
// Quantized tensors
//===----------------------------------------------------------------------===//

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

/// Close, as f32 numbers are; or a step apart: to the next power of two, or as
/// far as an amax may differ.
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
  if (block.largest <= tolerance.atol)
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
  if ((a == b && !block.isStep) || error <= tolerance.atol)
    return Verdict::Same;
  if (block.isStep &&
      error <= std::max(getStep(a) * block.found, getStep(b) * block.expected))
    return Verdict::Same;
  bool isNext = std::fabs(getRank(format, a) - getRank(format, b)) <= 1;
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

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// "[3, 17]", from a position among the elements.
static std::string formatIndex(const Comparison &comparison) {
  int64_t position = comparison.firstMismatch;
  std::string text;
  for (size_t axis = comparison.shape.size(); axis-- > 0;) {
    int64_t size = comparison.shape[axis];
    if (axis + 1 == comparison.shape.size() &&
        comparison.type == DType::F4E2M1FN)
      size *= 2;
    text = std::to_string(position % size) + (text.empty() ? "" : ", ") + text;
    position /= size;
  }
  return "[" + text + "]";
}

static std::string formatCode(DType type, uint32_t code) {
  std::string text = llvm::formatv("{0:x}", code);
  if (ref::findFormat(type))
    text += llvm::formatv(" ({0})", ref::decode(type, code));
  return text;
}

bool mlir::te::printComparisons(llvm::raw_ostream &os,
                                const std::vector<Comparison> &comparisons) {
  bool isPass = true;
  os << llvm::formatv("{0,-20} {1,-12} {2,-16} {3,10} {4,10} {5,10} {6,10} "
                      "{7,10}  {8}\n",
                      "result", "type", "shape", "elements", "mismatches",
                      "max abs", "max rel", "max ulp", "rule");
  for (const Comparison &c : comparisons) {
    isPass &= c.mismatches == 0;
    os << llvm::formatv("{0,-20} {1,-12} {2,-16} {3,10} {4,10} ", c.name,
                        rt::getInfo(c.type).name, rt::formatShape(c.shape),
                        c.elements, c.mismatches)
       << llvm::format("%10.3g %10.3g %10.3g  ", c.worstAbsolute,
                       c.worstRelative, c.worstUlps)
       << format(c.tolerance) << "\n";
    if (c.unspecified)
      os << llvm::formatv("  {0} elements are unspecified, and not compared\n",
                          c.unspecified);
    if (c.outliers)
      os << llvm::formatv("  {0} elements are off by a step, which the rule "
                          "allows\n",
                          c.outliers);
    if (c.mismatches)
      os << llvm::formatv("  first mismatch at {0}: found {1}, expected {2}\n",
                          formatIndex(c), formatCode(c.type, c.found),
                          formatCode(c.type, c.expected));
  }
  os << (isPass ? "PASS\n" : "FAIL\n");
  return isPass;
}
