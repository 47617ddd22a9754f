//===- Quantize.cpp - quantize and dequantize whole tensors -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Reference/Quantize.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <limits>

using namespace mlir::te;
using namespace mlir::te::ref;

namespace {
/// How a block's elements are scaled, and what is stored for it.
struct BlockScale {
  float factor;         // elements are multiplied by it...
  bool divides = false; // ...or divided
  double stored;        // scale_inv, or the E8M0 code
  bool isNaN = false;   // E8M0 0xFF: the block's data are unspecified
};
} // namespace

float mlir::te::ref::computeAmax(const HostTensor &x) {
  float amax = 0;
  for (int64_t i = 0, e = x.getNumUnits(); i < e; ++i)
    amax = std::fmax(amax, std::fabs(float(loadElement(x, i))));
  return amax;
}

static std::vector<float> computeBlockAmaxes(const HostTensor &x,
                                             const ScaleGrid &grid) {
  std::vector<float> amaxes(grid.rows * grid.cols, 0.0f);
  for (int64_t m = 0; m < grid.data.rows; ++m)
    for (int64_t k = 0; k < grid.data.cols; ++k) {
      float &amax = amaxes[grid.indexOf(m, k)];
      amax = std::fmax(
          amax, std::fabs(float(loadElement(x, m * grid.data.cols + k))));
    }
  return amaxes;
}

static BlockScale chooseScale(float amax, DType input, DType element,
                              const Scaling &scaling,
                              const QuantizeOptions &options) {
  float formatMax = getFormat(element).max;
  if (scaling.scaleType == DType::F8E8M0FNU) {
    uint8_t code = computeE8M0(amax, element, scaling.rounding);
    return {getE8M0Multiplier(code), false, double(code), code == 0xFF};
  }
  if (scaling.granularity == Granularity::Row) {
    float scaleInv = computeRowScaleInv(amax, formatMax);
    return {scaleInv, true, scaleInv};
  }
  float scale;
  if (options.scale)
    scale = *options.scale;
  else
    scale = computeScaleFromAmax(
        amax, formatMax, scaling.rounding == Rounding::Pow2, options.epsilon,
        scaling.granularity == Granularity::Tensor
            ? std::numeric_limits<float>::max()
            : float(getFormat(input).max));
  return {scale, false, 1.0f / scale};
}

HostTensor mlir::te::ref::layOutScales(llvm::ArrayRef<double> stored,
                                       const ScaleGrid &grid,
                                       const Scaling &scaling, DType element) {
  ScaleStorage storage = ScaleStorage::of(scaling, element, grid.data);
  HostTensor scales = HostTensor::zeros(
      scaling.scaleType, {storage.shape.begin(), storage.shape.end()});
  for (int64_t r = 0; r < storage.getAllRows(); ++r)
    for (int64_t c = 0; c < storage.paddedCols; ++c) {
      double value = storage.isPadding(r, c)
                         ? storage.padding
                         : stored[storage.gridIndex(r, c, grid)];
      if (scaling.scaleType == DType::F8E8M0FNU)
        storeCode(scales, storage.offset(r, c), uint32_t(value));
      else
        storeElement(scales, storage.offset(r, c), value);
    }
  return scales;
}

static HostTensor storeData(const HostTensor &x,
                            llvm::ArrayRef<BlockScale> blocks,
                            const ScaleGrid &grid, const DataStorage &storage,
                            Ties ties,
                            const std::optional<RandomState> &random) {
  HostTensor data = HostTensor::zeros(
      storage.element, {storage.shape.begin(), storage.shape.end()});
  data.unspecified.resize(data.bytes.size());
  for (int64_t m = 0; m < grid.data.rows; ++m)
    for (int64_t k = 0; k < grid.data.cols; ++k) {
      const BlockScale &block = blocks[grid.indexOf(m, k)];
      float value = loadElement(x, m * grid.data.cols + k);
      float scaled =
          block.divides ? value / block.factor : value * block.factor;
      auto [byte, shift] = storage.position(m, k);
      uint32_t code =
          random ? encodeStochastic(scaled, random->getWord(m, k), ties)
                 : encode(storage.element, scaled, ties);
      data.bytes[byte] |= code << shift;
      bool isFP4 = storage.element == DType::F4E2M1FN;
      if (block.isNaN || (isFP4 && std::isnan(scaled)))
        data.unspecified[byte] |= storage.getCodeMask() << shift;
    }
  return data;
}

llvm::Expected<ScaledTensor>
mlir::te::ref::quantize(const HostTensor &x, DType element,
                        const Scaling &scaling,
                        const QuantizeOptions &options) {
  Matrix matrix = Matrix::flatten(x.shape, scaling);
  ScaleGrid grid = ScaleGrid::of(scaling, matrix);
  auto storage = DataStorage::of(element, scaling.dataLayout, matrix);
  if (!storage)
    return storage.takeError();
  std::vector<BlockScale> blocks;
  std::vector<double> stored;
  for (float amax : computeBlockAmaxes(x, grid)) {
    blocks.push_back(chooseScale(options.amax.value_or(amax), x.type, element,
                                 scaling, options));
    stored.push_back(blocks.back().stored);
  }
  return ScaledTensor{
      storeData(x, blocks, grid, *storage, scaling.ties, options.random),
      layOutScales(stored, grid, scaling, element)};
}

static llvm::Error checkSize(const HostTensor &buffer, llvm::StringRef what,
                             llvm::ArrayRef<int64_t> shape, DType type) {
  HostTensor expected;
  expected.shape.assign(shape.begin(), shape.end());
  size_t bytes = expected.getNumUnits() * rt::getInfo(type).bytes;
  if (buffer.bytes.size() == bytes)
    return llvm::Error::success();
  return llvm::createStringError(llvm::formatv(
      "the {0} of a scaled tensor have {1} bytes, but {2} of {3} need {4}",
      what, buffer.bytes.size(), rt::formatShape(expected.shape),
      rt::getInfo(type).name, bytes));
}

/// The grid of scale_inv values, from the stored cells.
static std::vector<float> loadScales(const HostTensor &scales,
                                     const ScaleStorage &storage,
                                     const ScaleGrid &grid) {
  std::vector<float> values(grid.rows * grid.cols);
  for (int64_t r = 0; r < storage.getAllRows(); ++r)
    for (int64_t c = 0; c < storage.cols; ++c)
      if (!storage.isPadding(r, c))
        values[storage.gridIndex(r, c, grid)] =
            loadElement(scales, storage.offset(r, c));
  return values;
}

/// The storage of the data, where both buffers have the size that it asks for.
static llvm::Expected<DataStorage> checkBuffers(const ScaledTensor &tensor,
                                                DType element,
                                                const Scaling &scaling,
                                                Matrix matrix) {
  auto storage = DataStorage::of(element, scaling.dataLayout, matrix);
  if (!storage)
    return storage.takeError();
  if (auto error = checkSize(tensor.data, "data", storage->shape, element))
    return std::move(error);
  if (auto error = checkSize(tensor.scales, "scales",
                             ScaleStorage::of(scaling, element, matrix).shape,
                             scaling.scaleType))
    return std::move(error);
  return storage;
}

llvm::Expected<HostTensor>
mlir::te::ref::dequantize(const ScaledTensor &tensor, DType element,
                          const Scaling &scaling, llvm::ArrayRef<int64_t> shape,
                          DType resultType) {
  Matrix matrix = Matrix::flatten(shape, scaling);
  ScaleGrid grid = ScaleGrid::of(scaling, matrix);
  ScaleStorage scaleStorage = ScaleStorage::of(scaling, element, matrix);
  auto storage = checkBuffers(tensor, element, scaling, matrix);
  if (!storage)
    return storage.takeError();
  std::vector<float> scales = loadScales(tensor.scales, scaleStorage, grid);
  HostTensor result =
      HostTensor::zeros(resultType, {shape.begin(), shape.end()});
  bool hasMask = !tensor.data.unspecified.empty();
  unsigned width = rt::getInfo(resultType).bytes;
  if (hasMask)
    result.unspecified.resize(result.bytes.size());
  for (int64_t m = 0; m < matrix.rows; ++m)
    for (int64_t k = 0; k < matrix.cols; ++k) {
      auto [byte, shift] = storage->position(m, k);
      uint32_t mask = storage->getCodeMask();
      uint32_t code = (tensor.data.bytes[byte] >> shift) & mask;
      float scale = scales[grid.indexOf(m, k)];
      int64_t index = m * matrix.cols + k;
      storeElement(result, index, float(decode(element, code)) * scale);
      // Whatever a code is, times NaN it is NaN.
      if (hasMask && !std::isnan(scale) &&
          ((tensor.data.unspecified[byte] >> shift) & mask))
        std::fill_n(result.unspecified.begin() + index * width, width, 0xFF);
    }
  return result;
}

llvm::Expected<std::vector<double>>
mlir::te::ref::getValues(const ScaledTensor &tensor, DType element,
                         const Scaling &scaling,
                         llvm::ArrayRef<int64_t> shape) {
  Matrix matrix = Matrix::flatten(shape, scaling);
  ScaleGrid grid = ScaleGrid::of(scaling, matrix);
  auto storage = checkBuffers(tensor, element, scaling, matrix);
  if (!storage)
    return storage.takeError();
  std::vector<float> scales = loadScales(
      tensor.scales, ScaleStorage::of(scaling, element, matrix), grid);
  std::vector<double> values(matrix.rows * matrix.cols);
  for (int64_t m = 0; m < matrix.rows; ++m)
    for (int64_t k = 0; k < matrix.cols; ++k) {
      auto [byte, shift] = storage->position(m, k);
      uint32_t code =
          (tensor.data.bytes[byte] >> shift) & storage->getCodeMask();
      values[m * matrix.cols + k] =
          decode(element, code) * double(scales[grid.indexOf(m, k)]);
    }
  return values;
}

/// What is stored for each block: a code for E8M0. Of repeated ones the first.
static std::vector<double> loadStored(const HostTensor &scales,
                                      const ScaleStorage &storage,
                                      const ScaleGrid &grid) {
  std::vector<double> values(grid.rows * grid.cols);
  for (int64_t r = 0; r < storage.getAllRows(); r += storage.repeat)
    for (int64_t c = 0; c < storage.cols; ++c) {
      if (storage.isPadding(r, c))
        continue;
      int64_t at = storage.offset(r, c);
      values[storage.gridIndex(r, c, grid)] = scales.type == DType::F8E8M0FNU
                                                  ? loadCode(scales, at)
                                                  : loadElement(scales, at);
    }
  return values;
}

llvm::Expected<ScaledTensor>
mlir::te::ref::relayout(const ScaledTensor &tensor, DType element,
                        const Scaling &from, const Scaling &to,
                        llvm::ArrayRef<int64_t> shape) {
  Matrix matrix = Matrix::flatten(shape, from);
  auto source = checkBuffers(tensor, element, from, matrix);
  if (!source)
    return source.takeError();
  auto target = DataStorage::of(element, to.dataLayout, matrix);
  if (!target)
    return target.takeError();
  HostTensor data =
      HostTensor::zeros(element, {target->shape.begin(), target->shape.end()});
  const std::vector<uint8_t> &mask = tensor.data.unspecified;
  data.unspecified.resize(mask.empty() ? 0 : data.bytes.size());
  for (int64_t m = 0; m < matrix.rows; ++m)
    for (int64_t k = 0; k < matrix.cols; ++k) {
      auto [byte, shift] = source->position(m, k);
      auto [newByte, newShift] = target->position(m, k);
      auto move = [&](uint8_t bits) -> uint8_t {
        return ((bits >> shift) & source->getCodeMask()) << newShift;
      };
      data.bytes[newByte] |= move(tensor.data.bytes[byte]);
      if (!mask.empty())
        data.unspecified[newByte] |= move(mask[byte]);
    }
  ScaleGrid grid = ScaleGrid::of(from, matrix);
  std::vector<double> stored =
      loadStored(tensor.scales, ScaleStorage::of(from, element, matrix), grid);
  return ScaledTensor{
      std::move(data),
      layOutScales(stored, ScaleGrid::of(to, matrix), to, element)};
}
