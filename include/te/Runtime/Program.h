//===- Program.h - a compiled program, and how it runs -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A code object, or PTX, with its manifest. An instance is a binding that owns
// its memory: inputs are copied there, and results back.
//
//===----------------------------------------------------------------------===//
#ifndef TE_RUNTIME_PROGRAM_H
#define TE_RUNTIME_PROGRAM_H

#include "te/Runtime/Binding.h"

namespace mlir::te::rt {

struct RunOptions {
  /// Results and workspaces hold this in every byte before the first launch:
  /// device memory is never zero by contract.
  uint8_t poison = 0xA5;
  /// Where contents do not matter: inputs may come without bytes, and stay as
  /// the device allocates them like all else; no results are read.
  bool hasContents = true;
};

/// An entry that runs in buffers of its own. Code and entry outlive it.
class Instance {
public:
  /// Allocates and fills every buffer: inputs, in the order of
  /// getBuffersOf(arguments), with their values, the rest with poison.
  static Result<Instance> create(const LoadedCode &code, const Entry &entry,
                                 std::span<const int64_t> dims,
                                 std::span<const HostTensor> inputs,
                                 const RunOptions &options = {});
  Instance(Instance &&other) = default;
  ~Instance();

  /// Launches the entry's kernels, in order. Does not wait for them.
  Status launch() const { return binding->run(); }
  /// Waits for the device; the order is that of getBuffersOf(results).
  Status read(std::vector<HostTensor> &outputs) const;

private:
  Instance(const LoadedCode &code, const Entry &entry,
           std::span<const int64_t> dims)
      : code(code), entry(entry), dims(dims.begin(), dims.end()) {}
  Status fill(std::span<const HostTensor> inputs, const RunOptions &options);
  Status fillBuffer(size_t index, const HostTensor *input,
                    const RunOptions &options);

  const LoadedCode &code;
  const Entry &entry;
  std::vector<int64_t> dims;
  std::vector<Memory> buffers; // none for constants
  std::optional<Binding> binding;
};

class Program {
public:
  static Result<Program> create(std::vector<uint8_t> image);
  const Manifest &getManifest() const { return manifest; }
  std::span<const uint8_t> getImage() const { return image; }

  /// Fails where the device cannot run the program.
  Result<LoadedCode> load(Device &device) const;

  /// Inputs and outputs in the order of getBuffersOf(); `dims` as bindDims
  /// gives them.
  Status run(Device &device, const Entry &entry, std::span<const int64_t> dims,
             std::span<const HostTensor> inputs,
             std::vector<HostTensor> &outputs,
             const RunOptions &options = {}) const;

private:
  std::vector<uint8_t> image;
  Manifest manifest;
};

} // namespace mlir::te::rt

#endif // TE_RUNTIME_PROGRAM_H
