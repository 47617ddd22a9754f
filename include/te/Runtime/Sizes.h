//===- Sizes.h - what the sizes of a run's dimensions determine -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dimensions from inputs and flags; shapes and bytes of buffers from
// dimensions.
//
//===----------------------------------------------------------------------===//
#ifndef TE_RUNTIME_SIZES_H
#define TE_RUNTIME_SIZES_H

#include "te/Runtime/Manifest.h"

namespace mlir::te::rt {

/// The buffers of the arguments (or results), in the order of the signature:
/// what a caller gives (or gets), a scaled tensor's data before its scales.
std::vector<size_t> getBuffersOf(const std::vector<Value> &values);

/// The size of every dimension of the entry: as `given` by name, and as the
/// shapes of the inputs say (in the order of getBuffersOf(arguments); a null
/// input says nothing). Fails where two of them differ, or none says.
Result<std::vector<int64_t>>
bindDims(const Entry &entry, const std::map<std::string, int64_t> &given,
         std::span<const HostTensor *const> inputs);

/// Fails where these are not sizes for the entry's dimensions.
Status checkDims(const Entry &entry, std::span<const int64_t> dims);

/// A value for each expression; fails on a size below zero.
Result<std::vector<int64_t>> evaluateShape(const Entry &entry,
                                           const std::vector<Expr> &shape,
                                           const std::string &what,
                                           std::span<const int64_t> dims);

/// The bytes of the buffer; fails where there are more than 2^63.
Result<uint64_t> getBufferBytes(const Entry &entry, const Buffer &buffer,
                                std::span<const int64_t> dims);

/// The shape of the buffer. Fails on sizes below zero, and where the buffer is
/// larger than this machine's memory.
Result<std::vector<int64_t>> getBufferShape(const Entry &entry,
                                            const Buffer &buffer,
                                            std::span<const int64_t> dims);

/// A tensor of that shape, filled with `fill`.
Result<HostTensor> makeBuffer(const Entry &entry, const Buffer &buffer,
                              std::span<const int64_t> dims, uint8_t fill);

/// Fails where the input has not the type and shape of its buffer.
Status checkInput(const Entry &entry, const Buffer &buffer,
                  std::span<const int64_t> dims, const HostTensor &input);

/// What a workspace's address is a multiple of, and so is that of each buffer
/// in it.
constexpr uint64_t kWorkspaceAlignment = 256;
/// Bytes from a buffer of the workspace to the next.
constexpr uint64_t alignWorkspace(uint64_t bytes) {
  return (bytes + kWorkspaceAlignment - 1) / kWorkspaceAlignment *
         kWorkspaceAlignment;
}

/// Bytes that a run needs, in the order of getBuffersOf().
struct Sizes {
  std::vector<uint64_t> arguments, results;
  uint64_t workspace = 0;
};
Result<Sizes> query(const Entry &entry, std::span<const int64_t> dims);

} // namespace mlir::te::rt

#endif // TE_RUNTIME_SIZES_H
