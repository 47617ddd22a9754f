//===- Npy.h - .npy files -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes NumPy's .npy format, versions 1 to 3, little-endian and in C
// order. 8-bit floats and packed fp4 are u1, bf16 is u2: bit patterns.
//
//===----------------------------------------------------------------------===//
#ifndef TE_RUNTIME_NPY_H
#define TE_RUNTIME_NPY_H

#include "te/Runtime/HostTensor.h"
#include "te/Runtime/Result.h"

#include <span>

namespace mlir::te::rt {

/// Reads a file's contents as a tensor of `type`; fails where the file holds
/// another one, or is damaged.
Result<HostTensor> parseNpy(std::span<const uint8_t> contents, DType type);

/// A file whose header is read, before there is memory for its data.
class NpyFile {
public:
  /// Messages begin with the file's name. Without a type: the first one with
  /// the file's bits (bf16 for u2).
  static Result<NpyFile> open(const std::string &path,
                              std::optional<DType> type);
  NpyFile() = default;
  NpyFile(NpyFile &&) noexcept;
  NpyFile &operator=(NpyFile &&) noexcept;
  ~NpyFile();

  /// Type and shape, without data.
  const HostTensor &getHeader() const { return header; }
  /// Once.
  Result<HostTensor> read();

private:
  Status readHeader(std::optional<DType> type);

  std::string path;
  int file = -1;
  HostTensor header;
  size_t numBytes = 0;
};

/// Header and data.
Result<HostTensor> readNpy(const std::string &path,
                           std::optional<DType> type = std::nullopt);

/// As writeFile (te/Runtime/File.h).
Status writeNpy(const std::string &path, const HostTensor &tensor);

} // namespace mlir::te::rt

#endif // TE_RUNTIME_NPY_H
