//===- HostTensor.cpp - element types and tensors on the host -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Runtime/HostTensor.h"

#include <iterator>

namespace mlir::te::rt {

static constexpr DTypeInfo kInfos[] = {
    {DType::F4E2M1FN, "f4E2M1FN", 1, "u1"},
    {DType::F8E4M3FN, "f8E4M3FN", 1, "u1"},
    {DType::F8E4M3FNUZ, "f8E4M3FNUZ", 1, "u1"},
    {DType::F8E5M2, "f8E5M2", 1, "u1"},
    {DType::F8E5M2FNUZ, "f8E5M2FNUZ", 1, "u1"},
    {DType::F8E8M0FNU, "f8E8M0FNU", 1, "u1"},
    {DType::BF16, "bf16", 2, "u2"},
    {DType::F16, "f16", 2, "f2"},
    {DType::F32, "f32", 4, "f4"},
    {DType::I8, "i8", 1, "i1"},
    {DType::I32, "i32", 4, "i4"},
    {DType::I64, "i64", 8, "i8"},
};

/// The table is indexed by the enumeration.
static constexpr bool isInOrder() {
  for (size_t i = 0; i < std::size(kInfos); ++i)
    if (size_t(kInfos[i].type) != i)
      return false;
  return true;
}
static_assert(isInOrder());

const DTypeInfo &getInfo(DType type) { return kInfos[size_t(type)]; }

std::optional<DType> findDType(std::string_view name) {
  for (const DTypeInfo &info : kInfos)
    if (name == info.name)
      return info.type;
  return std::nullopt;
}

int64_t HostTensor::getNumUnits() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

HostTensor HostTensor::zeros(DType type, std::vector<int64_t> shape) {
  HostTensor tensor;
  tensor.type = type;
  tensor.shape = std::move(shape);
  tensor.bytes.resize(tensor.getNumUnits() * getInfo(type).bytes);
  return tensor;
}

std::string formatShape(const std::vector<int64_t> &shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

} // namespace mlir::te::rt
