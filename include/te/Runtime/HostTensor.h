//===- HostTensor.h - element types and tensors on the host -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element types that te-mlir's buffers have, in one table, and a tensor in
// host memory. No LLVM here: the runtime deploys alone. The reference, the
// runtime and the tools share these.
//
//===----------------------------------------------------------------------===//
#ifndef TE_RUNTIME_HOSTTENSOR_H
#define TE_RUNTIME_HOSTTENSOR_H

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlir::te::rt {

enum class DType : uint8_t {
  F4E2M1FN,
  F8E4M3FN,
  F8E4M3FNUZ,
  F8E5M2,
  F8E5M2FNUZ,
  F8E8M0FNU,
  BF16,
  F16,
  F32,
  I8,
  I32,
  I64
};

struct DTypeInfo {
  DType type;
  const char *name; // as MLIR spells it
  /// Bytes of one unit of a buffer: an element, but for f4E2M1FN two of them
  /// (element 2j in the low nibble of byte j).
  unsigned bytes;
  const char *npy; // the .npy type that holds its bits
};

const DTypeInfo &getInfo(DType type);
/// Nothing where no element type has that name.
std::optional<DType> findDType(std::string_view name);

/// A dense row-major buffer, little-endian. For f4E2M1FN the last dimension of
/// `shape` counts bytes.
struct HostTensor {
  DType type = DType::F32;
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;
  /// Bits of `bytes` whose value no rule determines (set in a byte of the same
  /// position); empty where every bit is determined. Only the reference sets
  /// it.
  std::vector<uint8_t> unspecified;
  /// How far off each element may be where it was summed in another order and
  /// precision; empty where that is not known. Only the reference sets it.
  std::vector<double> bounds;

  /// A tensor of zeros.
  static HostTensor zeros(DType type, std::vector<int64_t> shape);
  /// The product of the dimensions: 1 for rank 0.
  int64_t getNumUnits() const;

  template <typename T> T load(int64_t index) const {
    T value;
    std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
    return value;
  }
  template <typename T> void store(int64_t index, T value) {
    std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
  }
};

/// "2x3", or "scalar" for rank 0.
std::string formatShape(const std::vector<int64_t> &shape);

} // namespace mlir::te::rt

#endif // TE_RUNTIME_HOSTTENSOR_H
