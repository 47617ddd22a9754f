//===- RandomInputs.cpp - inputs for programs -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Driver/RandomInputs.h"
#include "te/Dialect/TE/IR/TE.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

using namespace mlir;
using namespace mlir::te;
using ref::DType;
using ref::HostTensor;
using ref::TensorValue;

const char *const te::kRandomInputsHelp =
    R"(Random inputs (random:SEED[:normal|uniform], printed with their seed):
  normal   mean 0, deviation 1; uniform: from -1 to 1.
  neither  a mix for finding errors. Every run of 32 elements of a row is of one
           kind: mostly normal values times a power of two from 2^-12 to 2^8;
           else multiples of 1/8 (which are exact ties of fp8 and fp4 under
           scales that are powers of two), or zeros. One element in 128 is
           special: 0, -0, NaN, a subnormal, or a tie of fp4. Odd seeds also
           have Inf, and runs near the ends of f32's range: one such element
           decides the scale of a whole tensor.
  A scalar f32 argument is from 0.5 to 2; a noop flag is 0. Integers are from 0
  to 15 (i1: 0 and 1), but those of rng any; cu_seqlens grow from 0 by multiples of 16. The
  data of a !te.scaled argument are any codes, NaN included (with normal or
  uniform: such values, rounded); its scales, and f8E8M0FNU tensors, are 2^-8 to
  2^8, one in 32 special (E8M0: 0x00, 0xFE, 0xFF; f32: 0, NaN, Inf, a subnormal).
  What only pads a !te.scaled argument is poison: NaN or any scales, any nibbles.
)";

namespace {
constexpr int64_t kRun = 32; // elements of one kind

/// Numbers that do not depend on the standard library's distributions.
class Generator {
public:
  Generator(uint64_t seed, unsigned stream) {
    std::seed_seq sequence{uint32_t(seed), uint32_t(seed >> 32),
                           uint32_t(stream)};
    engine.seed(sequence);
  }
  uint64_t bits() { return engine(); }
  uint64_t below(uint64_t bound) { return engine() % bound; }
  bool oneIn(uint64_t count) { return below(count) == 0; }
  int between(int least, int most) {
    return least + int(below(most - least + 1));
  }
  /// In [0, 1).
  double unit() { return double(engine() >> 11) * 0x1p-53; }
  /// Box and Muller's method.
  double normal() {
    double radius = std::sqrt(-2 * std::log(1 - unit()));
    return radius * std::cos(2 * std::numbers::pi * unit());
  }
  template <typename T, size_t N> T pick(const T (&choices)[N]) {
    return choices[below(N)];
  }

private:
  std::mt19937_64 engine;
};

/// The mix that kRandomInputsHelp describes, element after element of a row.
class Mix {
public:
  Mix(Generator &random, bool hasExtremes)
      : random(random), hasExtremes(hasExtremes) {}
  void startRun() {
    unsigned dice = random.below(16);
    kind = dice == 0 ? Zero : dice < 4 ? Eighths : Normal;
    exponent = random.between(-12, 8);
    if (hasExtremes && random.oneIn(64))
      exponent = random.pick({-140, -130, -120, 110, 125});
  }
  double next() {
    if (random.oneIn(128))
      return special();
    switch (kind) {
    case Zero:
      return 0;
    case Eighths:
      return random.between(-64, 64) / 8.0;
    case Normal:
      break;
    }
    return std::ldexp(random.normal(), exponent);
  }

private:
  double special() {
    if (hasExtremes && random.oneIn(4))
      return random.pick({HUGE_VAL, -HUGE_VAL});
    return random.pick({0.0, -0.0, double(NAN), 1e-40, -1e-45, 1e-7, 0.25, 0.75,
                        1.25, 1.75, 2.5, 3.5, 5.0, -5.0, 448.0, 464.0});
  }

  Generator &random;
  bool hasExtremes;
  enum { Normal, Eighths, Zero } kind = Normal;
  int exponent = 0;
};
} // namespace

static double drawPlain(Generator &random, Distribution distribution) {
  return distribution == Distribution::Normal ? random.normal()
                                              : 2 * random.unit() - 1;
}

static void fillFloats(Generator &random, const RandomSpec &spec,
                       ArrayRef<int64_t> shape, HostTensor &tensor) {
  int64_t cols = ref::Matrix::flatten(shape).cols;
  Mix mix(random, spec.seed % 2 == 1);
  for (int64_t i = 0, e = tensor.getNumUnits(); i < e; ++i) {
    if (i % cols % kRun == 0)
      mix.startRun();
    double value = spec.distribution == Distribution::Mixed
                       ? mix.next()
                       : drawPlain(random, spec.distribution);
    ref::storeElement(tensor, i, value);
  }
}

static void fillIntegers(Generator &random, int64_t bound, HostTensor &tensor) {
  for (int64_t i = 0, e = tensor.getNumUnits(); i < e; ++i) {
    int64_t value = random.below(bound);
    switch (tensor.type) {
    case DType::I8:
      tensor.store<int8_t>(i, value);
      break;
    case DType::I32:
      tensor.store<int32_t>(i, value);
      break;
    default:
      tensor.store<int64_t>(i, value);
    }
  }
}

/// The codes of the elements; a nibble that only pads is any.
static void fillCodes(Generator &random, Distribution distribution,
                      const ref::DataStorage &storage, HostTensor &data) {
  for (uint8_t &byte : data.bytes)
    byte = random.bits();
  for (int64_t m = 0; m < storage.data.rows; ++m)
    for (int64_t k = 0; k < storage.data.cols; ++k) {
      auto [byte, shift] = storage.position(m, k);
      uint32_t code =
          distribution == Distribution::Mixed
              ? random.below(storage.getCodeMask() + 1)
              : ref::encode(storage.element, drawPlain(random, distribution));
      data.bytes[byte] &= ~(storage.getCodeMask() << shift);
      data.bytes[byte] |= code << shift;
    }
}

/// A scale as it is stored: a code for E8M0.
static double drawScale(Generator &random, const RandomSpec &spec, DType type) {
  bool isSpecial = spec.distribution == Distribution::Mixed && random.oneIn(32);
  int exponent = random.between(-8, 8);
  if (type == DType::F8E8M0FNU)
    return isSpecial ? random.pick({0x00, 0xFE, 0xFF}) : 127 + exponent;
  return isSpecial ? random.pick({0.0, double(NAN), HUGE_VAL, 1e-40})
                   : std::ldexp(1 + random.unit(), exponent);
}

/// Nobody may read what only pads: NaN mostly.
static void poisonPadding(Generator &random, const ref::ScaleStorage &storage,
                          HostTensor &scales) {
  bool isE8M0 = scales.type == DType::F8E8M0FNU;
  for (int64_t r = 0; r < storage.getAllRows(); ++r)
    for (int64_t c = 0; c < storage.paddedCols; ++c) {
      if (!storage.isPadding(r, c))
        continue;
      if (isE8M0)
        ref::storeCode(scales, storage.offset(r, c),
                       random.oneIn(4) ? random.below(256) : 0xFF);
      else
        ref::storeElement(scales, storage.offset(r, c),
                          random.oneIn(4) ? HUGE_VAL : double(NAN));
    }
}

static void fillScaled(ScaledType type, Generator &random,
                       const RandomSpec &data, const RandomSpec &scales,
                       TensorValue &value) {
  ref::Scaling scaling = ref::getScaling(type.getScaling());
  DType element = value.buffers[0].type;
  ref::Matrix matrix = ref::Matrix::flatten(value.shape, scaling);
  auto storage = ref::DataStorage::of(element, scaling.dataLayout, matrix);
  if (!storage) { // makeValue has checked it
    llvm::consumeError(storage.takeError());
    return;
  }
  fillCodes(random, data.distribution, *storage, value.buffers[0]);
  ref::ScaleGrid grid = ref::ScaleGrid::of(scaling, matrix);
  std::vector<double> stored(grid.rows * grid.cols);
  for (double &scale : stored)
    scale = drawScale(random, scales, scaling.scaleType);
  value.buffers[1] = ref::layOutScales(stored, grid, scaling, element);
  poisonPadding(random, ref::ScaleStorage::of(scaling, element, matrix),
                value.buffers[1]);
}

static void fillOffsets(Generator &random, HostTensor &tensor) {
  int32_t offset = 0;
  for (int64_t i = 0, e = tensor.getNumUnits(); i < e; ++i) {
    tensor.store<int32_t>(i, offset);
    offset += 16 * random.below(8);
  }
}

void te::fillRandom(Type type, ArgumentRole role, unsigned index,
                    const RandomSpec &data, const RandomSpec &scales,
                    TensorValue &value) {
  Generator random(data.seed, index);
  if (auto scaled = dyn_cast<ScaledType>(type))
    return fillScaled(scaled, random, data, scales, value);
  HostTensor &tensor = value.buffers[0];
  if (role == ArgumentRole::Noop)
    std::fill(tensor.bytes.begin(), tensor.bytes.end(), 0);
  else if (role == ArgumentRole::Offsets)
    fillOffsets(random, tensor);
  else if (role == ArgumentRole::RandomState)
    for (int64_t i = 0, e = tensor.getNumUnits(); i < e; ++i)
      tensor.store<uint64_t>(i, random.bits());
  else if (tensor.type == DType::F8E8M0FNU)
    for (int64_t i = 0, e = tensor.getNumUnits(); i < e; ++i)
      ref::storeCode(tensor, i, drawScale(random, data, tensor.type));
  else if (!ref::findFormat(tensor.type))
    fillIntegers(random, getElementTypeOrSelf(type).isInteger(1) ? 2 : 16,
                 tensor);
  else if (value.shape.empty())
    ref::storeElement(tensor, 0, 0.5 + 1.5 * random.unit());
  else
    fillFloats(random, data, value.shape, tensor);
}
