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

/// The same for a file; messages begin with its name.
Result<HostTensor> readNpy(const std::string &path, DType type);

/// The same for a file of any element type: the first one with these bits
/// (bf16 for u2). Fails for a .npy type that no element type has.
Result<HostTensor> readNpy(const std::string &path);

/// The file is there as a whole or not at all.
Status writeNpy(const std::string &path, const HostTensor &tensor);

Result<std::vector<uint8_t>> readFile(const std::string &path);

} // namespace mlir::te::rt

#endif // TE_RUNTIME_NPY_H
