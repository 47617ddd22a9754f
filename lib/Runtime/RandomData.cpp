//===- RandomData.cpp - random inputs of timed runs -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Runtime/RandomData.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <random>

using namespace mlir::te::rt;

/// Elements of the pattern: a prime, so that copies of it lie askew to rows and
/// blocks.
static constexpr int64_t kPattern = 1000003;

static double drawNormal(std::mt19937_64 &random) {
  auto unit = [&] { return double(random() >> 11) * 0x1p-53; };
  double radius = std::sqrt(-2 * std::log(1 - unit()));
  return radius * std::cos(2 * std::numbers::pi * unit());
}

/// The f16 code of a float of its normal range, cut off; else 0.
static uint16_t truncateToF16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  int exponent = int(bits >> 23 & 0xFF) - 127 + 15;
  if (exponent <= 0 || exponent >= 31)
    return 0;
  return (bits >> 16 & 0x8000) | exponent << 10 | (bits >> 13 & 0x3FF);
}

static void storeRandom(std::mt19937_64 &random, int64_t i,
                        HostTensor &tensor) {
  switch (tensor.type) {
  case DType::F32:
    return tensor.store<float>(i, drawNormal(random));
  case DType::BF16:
    return tensor.store<uint16_t>(
        i, std::bit_cast<uint32_t>(float(drawNormal(random))) >> 16);
  case DType::F16:
    return tensor.store<uint16_t>(i, truncateToF16(drawNormal(random)));
  case DType::F8E8M0FNU:
    return tensor.store<uint8_t>(i, 119 + random() % 17);
  case DType::I8:
    return tensor.store<int8_t>(i, random() % 16);
  case DType::I32:
    return tensor.store<int32_t>(i, random() % 16);
  case DType::I64:
    return tensor.store<int64_t>(i, random() % 16);
  case DType::F4E2M1FN:
    return tensor.store<uint8_t>(i, random());
  default: // fp8: the exponent's top bit is 0; 0x80 is a NaN in FNUZ
    return tensor.store<uint8_t>(i, (random() & 0xBF) | 1);
  }
}

void mlir::te::rt::fillRandom(const std::string &name, uint64_t seed,
                              HostTensor &tensor) {
  if (tensor.shape.empty() && tensor.type == DType::F32)
    return tensor.store<float>(0, name == "noop" ? 0 : 1);
  std::mt19937_64 random(seed);
  int64_t count = std::min(tensor.getNumUnits(), kPattern);
  for (int64_t i = 0; i < count; ++i)
    storeRandom(random, i, tensor);
  size_t pattern = count * getInfo(tensor.type).bytes;
  for (size_t at = pattern; at < tensor.bytes.size(); at += pattern)
    std::copy_n(tensor.bytes.begin(),
                std::min(pattern, tensor.bytes.size() - at),
                tensor.bytes.begin() + at);
}
