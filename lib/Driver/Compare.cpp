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

static void addError(Comparison &result, const ref::Format &format,
                     uint32_t found, uint32_t expected) {
  double a = ref::decode(format.type, found);
  double b = ref::decode(format.type, expected);
  if (!std::isfinite(a) || !std::isfinite(b))
    return;
  double error = std::fabs(a - b);
  result.worstAbsolute = std::max(result.worstAbsolute, error);
  if (b != 0)
    result.worstRelative = std::max(result.worstRelative, error / std::fabs(b));
  double ulps = std::fabs(getRank(format, found) - getRank(format, expected));
  result.worstUlps = std::max(result.worstUlps, ulps);
}

Comparison mlir::te::compare(std::string name, const HostTensor &found,
                             const HostTensor &reference) {
  Comparison result;
  result.name = std::move(name);
  result.type = reference.type;
  result.shape = found.shape;
  ElementReader readFound{found}, readReference{reference};
  const ref::Format *format = ref::findFormat(reference.type);
  result.elements = readReference.getCount();
  for (int64_t i = 0; i < result.elements; ++i) {
    if (readReference.isUnspecified(i)) {
      ++result.unspecified;
      continue;
    }
    uint64_t a = readFound.getCode(i), b = readReference.getCode(i);
    if (a == b)
      continue;
    if (format && ref::isNaNCode(format->type, a) &&
        ref::isNaNCode(format->type, b))
      continue;
    if (result.mismatches++ == 0) {
      result.firstMismatch = i;
      result.found = a;
      result.expected = b;
    }
    if (format)
      addError(result, *format, a, b);
  }
  return result;
}

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
                      "{7,10}\n",
                      "result", "type", "shape", "elements", "mismatches",
                      "max abs", "max rel", "max ulp");
  for (const Comparison &c : comparisons) {
    isPass &= c.mismatches == 0;
    os << llvm::formatv("{0,-20} {1,-12} {2,-16} {3,10} {4,10} ", c.name,
                        rt::getInfo(c.type).name, rt::formatShape(c.shape),
                        c.elements, c.mismatches)
       << llvm::format("%10.3g %10.3g %10.3g\n", c.worstAbsolute,
                       c.worstRelative, c.worstUlps);
    if (c.unspecified)
      os << llvm::formatv("  {0} elements are unspecified, and not compared\n",
                          c.unspecified);
    if (c.mismatches)
      os << llvm::formatv("  first mismatch at {0}: found {1}, expected {2}\n",
                          formatIndex(c), formatCode(c.type, c.found),
                          formatCode(c.type, c.expected));
  }
  os << (isPass ? "PASS\n" : "FAIL\n");
  return isPass;
}
