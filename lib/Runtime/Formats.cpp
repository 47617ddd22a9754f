//===- Formats.cpp - the values of codes -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Runtime/Formats.h"

#include <cmath>
#include <limits>

using namespace mlir::te::rt;

namespace {
/// Which codes are no numbers: those of IEEE 754 (Inf as well), all bits but
/// the sign, the code of -0, or none.
enum class Specials { IEEE, AllOnes, MinusZero, None };

struct FloatFormat {
  DType type;
  unsigned exponentBits, mantissaBits;
  int bias;
  Specials specials;

  unsigned getBits() const {
    return (type != DType::F8E8M0FNU) + exponentBits + mantissaBits;
  }
};
} // namespace

static constexpr FloatFormat kFormats[] = {
    {DType::F4E2M1FN, 2, 1, 1, Specials::None},
    {DType::F8E4M3FN, 4, 3, 7, Specials::AllOnes},
    {DType::F8E4M3FNUZ, 4, 3, 8, Specials::MinusZero},
    {DType::F8E5M2, 5, 2, 15, Specials::IEEE},
    {DType::F8E5M2FNUZ, 5, 2, 16, Specials::MinusZero},
    {DType::F8E8M0FNU, 8, 0, 127, Specials::AllOnes},
    {DType::BF16, 8, 7, 127, Specials::IEEE},
    {DType::F16, 5, 10, 15, Specials::IEEE},
    {DType::F32, 8, 23, 127, Specials::IEEE},
};

static const FloatFormat *findFormat(DType type) {
  for (const FloatFormat &format : kFormats)
    if (format.type == type)
      return &format;
  return nullptr;
}

bool mlir::te::rt::isFloat(DType type) { return findFormat(type) != nullptr; }

double mlir::te::rt::decode(DType type, uint32_t code) {
  const FloatFormat &format = *findFormat(type);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (type == DType::F8E8M0FNU)
    return code == 0xFF ? nan : std::ldexp(1.0, int(code) - format.bias);
  uint32_t sign = 1u << (format.getBits() - 1);
  uint32_t magnitude = code & (sign - 1);
  uint32_t one = 1u << format.mantissaBits; // the leading bit of a mantissa
  uint32_t exponent = magnitude / one, mantissa = magnitude % one;
  bool isTop = exponent == (1u << format.exponentBits) - 1;
  if (format.specials == Specials::IEEE && isTop) {
    double inf = std::numeric_limits<double>::infinity();
    return mantissa ? nan : code & sign ? -inf : inf;
  }
  if ((format.specials == Specials::AllOnes && magnitude == sign - 1) ||
      (format.specials == Specials::MinusZero && code == sign))
    return nan;
  int scale = -format.bias - int(format.mantissaBits);
  double value = exponent ? std::ldexp(mantissa + one, int(exponent) + scale)
                          : std::ldexp(mantissa, 1 + scale);
  return code & sign ? -value : value;
}

double mlir::te::rt::getRank(DType type, uint32_t code) {
  if (type == DType::F8E8M0FNU)
    return code;
  uint32_t sign = 1u << (findFormat(type)->getBits() - 1);
  double magnitude = code & (sign - 1);
  return code & sign ? -magnitude : magnitude;
}

int64_t ElementReader::getCount() const {
  return tensor.getNumUnits() * (isFP4 ? 2 : 1);
}

uint64_t ElementReader::getCode(int64_t index) const {
  if (isFP4)
    return (tensor.bytes[index / 2] >> (index % 2 * 4)) & 0xF;
  uint64_t code = 0;
  size_t bytes = getInfo(tensor.type).bytes;
  std::memcpy(&code, tensor.bytes.data() + index * bytes, bytes);
  return code;
}

bool ElementReader::isUnspecified(int64_t index) const {
  if (tensor.unspecified.empty())
    return false;
  if (isFP4)
    return (tensor.unspecified[index / 2] >> (index % 2 * 4)) & 0xF;
  return tensor.unspecified[index * getInfo(tensor.type).bytes] != 0;
}
