//===- Formats.cpp - the number formats, bit by bit -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Reference/Formats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

using namespace mlir::te;
using namespace mlir::te::ref;
using llvm::APFloat;
using llvm::APInt;

static double toDouble(APFloat value) {
  // An E8M0 NaN has no significand bits: convert() would make Inf of it.
  if (value.isNaN())
    return std::numeric_limits<double>::quiet_NaN();
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

Format::Format(DType type, const llvm::fltSemantics &semantics, bool saturates,
               uint32_t nan)
    : type(type), semantics(semantics), saturates(saturates), nan(nan),
      max(toDouble(APFloat::getLargest(semantics))),
      maxExponent(std::ilogb(max)),
      mantissaBits(APFloat::semanticsPrecision(semantics) - 1),
      bits(APFloat::semanticsSizeInBits(semantics)) {
  if (bits <= 8)
    for (uint32_t code = 0; code < 1u << bits; ++code)
      values.push_back(toDouble(APFloat(semantics, APInt(bits, code))));
}

const Format *mlir::te::ref::findFormat(DType type) {
  static const Format formats[] = {
      {DType::F4E2M1FN, APFloat::Float4E2M1FN(), true, 0x0},
      {DType::F8E4M3FN, APFloat::Float8E4M3FN(), true, 0x7F},
      {DType::F8E4M3FNUZ, APFloat::Float8E4M3FNUZ(), true, 0x80},
      {DType::F8E5M2, APFloat::Float8E5M2(), true, 0x7F},
      {DType::F8E5M2FNUZ, APFloat::Float8E5M2FNUZ(), true, 0x80},
      {DType::F8E8M0FNU, APFloat::Float8E8M0FNU(), true, 0xFF},
      {DType::BF16, APFloat::BFloat(), false, 0x7FC0},
      {DType::F16, APFloat::IEEEhalf(), false, 0x7E00},
      {DType::F32, APFloat::IEEEsingle(), false, 0x7FC00000},
  };
  for (const Format &format : formats)
    if (format.type == type)
      return &format;
  return nullptr;
}

const Format &mlir::te::ref::getFormat(DType type) {
  const Format *format = findFormat(type);
  assert(format && "not a float type");
  return *format;
}

double mlir::te::ref::decode(DType type, uint32_t code) {
  // bf16 is the upper half of an f32.
  if (type == DType::BF16)
    return std::bit_cast<float>(code << 16);
  if (type == DType::F32)
    return std::bit_cast<float>(code);
  const Format &format = getFormat(type);
  if (!format.values.empty())
    return format.values[code];
  return toDouble(APFloat(format.semantics, APInt(format.bits, code)));
}

uint32_t mlir::te::ref::encode(DType type, double value, Ties ties) {
  const Format &format = getFormat(type);
  if (std::isnan(value))
    return format.nan;
  // TE's fp4 rule takes the sign from v < 0, so -0 loses it.
  if (value == 0 && ties == Ties::Away)
    return 0;
  if (format.saturates)
    value = std::clamp(value, -format.max, format.max);
  APFloat rounded(value);
  bool losesInfo;
  rounded.convert(format.semantics,
                  ties == Ties::Even ? APFloat::rmNearestTiesToEven
                                     : APFloat::rmNearestTiesToAway,
                  &losesInfo);
  return rounded.bitcastToAPInt().getZExtValue();
}

uint32_t mlir::te::ref::encodeStochastic(double value, uint32_t word,
                                         Ties ties) {
  const Format &format = getFormat(DType::F4E2M1FN);
  if (std::isnan(value))
    return format.nan;
  if (value == 0 && ties == Ties::Away)
    return 0;
  double magnitude = std::min(std::fabs(value), format.max);
  uint32_t code = 7, sign = std::signbit(value) ? 8 : 0;
  while (format.values[code] > magnitude)
    --code;
  if (code == 7)
    return sign | code;
  double below = format.values[code], above = format.values[code + 1];
  uint32_t place = (magnitude - below) / (above - below) * 0x1p22;
  bool up = place + (word >> 10) >= (uint32_t(1) << 22);
  return sign | (code + up);
}

uint32_t mlir::te::ref::loadCode(const HostTensor &tensor, int64_t index) {
  switch (rt::getInfo(tensor.type).bytes) {
  case 1:
    return tensor.load<uint8_t>(index);
  case 2:
    return tensor.load<uint16_t>(index);
  default:
    return tensor.load<uint32_t>(index);
  }
}

void mlir::te::ref::storeCode(HostTensor &tensor, int64_t index,
                              uint32_t code) {
  switch (rt::getInfo(tensor.type).bytes) {
  case 1:
    return tensor.store<uint8_t>(index, code);
  case 2:
    return tensor.store<uint16_t>(index, code);
  default:
    return tensor.store<uint32_t>(index, code);
  }
}

double mlir::te::ref::loadElement(const HostTensor &tensor, int64_t index) {
  return decode(tensor.type, loadCode(tensor, index));
}

void mlir::te::ref::storeElement(HostTensor &tensor, int64_t index,
                                 double value) {
  storeCode(tensor, index, encode(tensor.type, value));
}
