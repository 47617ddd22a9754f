//===- Values.cpp - te types to the reference's values -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Dialect/TE/IR/TE.h"
#include "te/Reference/Interpreter.h"

using namespace mlir;
using namespace mlir::te;

std::optional<ref::DType> ref::getDType(Type elementType) {
  if (elementType.isIndex())
    return DType::I64;
  if (elementType.isInteger(1)) // a byte, 0 or 1
    return DType::I8;
  std::string name;
  llvm::raw_string_ostream(name) << elementType;
  return rt::findDType(name);
}

// The enumerations of the dialect and of the reference name the same things in
// the same order.
template <typename To, typename From> static To convertEnum(From value) {
  return static_cast<To>(static_cast<int>(value));
}
static_assert(int(ScaleRounding::Ceil) == int(ref::Rounding::Ceil) &&
              int(ScaleRounding::Pow2) == int(ref::Rounding::Pow2) &&
              int(ScaleRounding::RCeil) == int(ref::Rounding::RCeil) &&
              int(ScaleRounding::Floor) == int(ref::Rounding::Floor) &&
              int(ScaleRounding::Even) == int(ref::Rounding::Even));
static_assert(int(Granularity::Row) == int(ref::Granularity::Row) &&
              int(Granularity::Block) == int(ref::Granularity::Block));
static_assert(int(Ties::Away) == int(ref::Ties::Away));
static_assert(int(ScaleLayout::Blocked32x4x4) ==
                  int(ref::ScaleLayout::Blocked32x4x4) &&
              int(ScaleLayout::E8M0Shuffle) ==
                  int(ref::ScaleLayout::E8M0Shuffle));
static_assert(int(te::DataLayout::Transposed) ==
                  int(ref::DataLayout::Transposed) &&
              int(te::DataLayout::Shuffle16x16) ==
                  int(ref::DataLayout::Shuffle16x16));

ref::Scaling ref::getScaling(ScalingAttr attr) {
  Scaling scaling;
  scaling.granularity = convertEnum<ref::Granularity>(attr.getGranularity());
  scaling.blockRows = attr.getBlockRows();
  scaling.blockCols = attr.getBlockCols();
  scaling.scaleType = *getDType(attr.getScaleType());
  scaling.rounding = convertEnum<ref::Rounding>(attr.getRounding());
  scaling.ties = convertEnum<ref::Ties>(attr.getTies());
  scaling.scaleLayout = convertEnum<ref::ScaleLayout>(attr.getScaleLayout());
  scaling.dataLayout = convertEnum<ref::DataLayout>(attr.getDataLayout());
  scaling.perMatrix = attr.isPerMatrix();
  return scaling;
}

/// The static sizes of the type hold.
static LogicalResult checkShape(Location loc, ShapedType type,
                                ArrayRef<int64_t> shape) {
  if (!type.hasRank() || type.getRank() != int64_t(shape.size()))
    return emitError(loc) << "a value of rank " << shape.size()
                          << " cannot have type " << Type(type);
  for (auto [axis, size] : llvm::enumerate(shape))
    if (!type.isDynamicDim(axis) && type.getDimSize(axis) != size)
      return emitError(loc)
             << "dimension " << axis << " is " << size << ", but the type "
             << Type(type) << " says " << type.getDimSize(axis);
  return success();
}

static ref::HostTensor makeFilled(ref::DType type, ArrayRef<int64_t> shape,
                                  uint8_t fill) {
  auto tensor = ref::HostTensor::zeros(type, shape.vec());
  std::fill(tensor.bytes.begin(), tensor.bytes.end(), fill);
  return tensor;
}

/// A buffer of the shape that the type declares. The reference's own layout has
/// the same size, or one of the two is wrong.
static FailureOr<ref::HostTensor>
makeBuffer(Location loc, ref::DType element,
           ArrayRef<ScaledType::StorageDim> declared, ArrayRef<int64_t> own,
           ArrayRef<int64_t> shape, uint8_t fill) {
  SmallVector<int64_t> sizes;
  for (const ScaledType::StorageDim &dim : declared)
    sizes.push_back(dim.evaluate(shape));
  ref::HostTensor tensor = makeFilled(element, sizes, fill);
  ref::HostTensor ownTensor = makeFilled(element, own, fill);
  if (tensor.bytes.size() != ownTensor.bytes.size())
    return emitError(loc) << "the type stores " << rt::formatShape(tensor.shape)
                          << ", but the reference "
                          << rt::formatShape(ownTensor.shape);
  return tensor;
}

static FailureOr<ref::TensorValue> makeScaled(Location loc, ScaledType type,
                                              ArrayRef<int64_t> shape,
                                              uint8_t fill) {
  ref::Scaling scaling = ref::getScaling(type.getScaling());
  ref::DType element = *ref::getDType(type.getElementType());
  ref::Matrix matrix = ref::Matrix::flatten(shape, scaling);
  auto dataStorage = ref::DataStorage::of(element, scaling.dataLayout, matrix);
  if (!dataStorage)
    return emitError(loc) << llvm::toString(dataStorage.takeError());
  auto scaleStorage = ref::ScaleStorage::of(scaling, element, matrix);
  auto data = makeBuffer(loc, element, type.getDataStorage(),
                         dataStorage->shape, shape, fill);
  auto scales = makeBuffer(loc, scaling.scaleType, type.getScaleStorage(),
                           scaleStorage.shape, shape, fill);
  if (failed(data) || failed(scales))
    return failure();
  return ref::TensorValue{shape.vec(), {std::move(*data), std::move(*scales)}};
}

FailureOr<ref::TensorValue>
ref::makeValue(Location loc, Type type, ArrayRef<int64_t> shape, uint8_t fill) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (shaped && failed(checkShape(loc, shaped, shape)))
    return failure();
  if (auto scaled = dyn_cast<ScaledType>(type))
    return makeScaled(loc, scaled, shape, fill);
  auto element = getDType(getElementTypeOrSelf(type));
  if (!element || (shaped && !isa<RankedTensorType>(type)))
    return emitError(loc) << "the reference interpreter has no values of type "
                          << type;
  return TensorValue{shape.vec(), {makeFilled(*element, shape, fill)}};
}
