//===- Program.h - a compiled program, and how it runs -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A code object, or PTX, with its manifest: sizes are bound, buffers allocated,
// kernels launched in order, results copied back.
//
//===----------------------------------------------------------------------===//
#ifndef TE_RUNTIME_PROGRAM_H
#define TE_RUNTIME_PROGRAM_H

#include "te/Runtime/Device.h"
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

/// A value for each expression; fails on a size below zero.
Result<std::vector<int64_t>> evaluateShape(const Entry &entry,
                                           const std::vector<Expr> &shape,
                                           const std::string &what,
                                           std::span<const int64_t> dims);

/// The shape of the buffer. Fails on sizes below zero, and where the buffer is
/// larger than this machine's memory.
Result<std::vector<int64_t>> getBufferShape(const Entry &entry,
                                            const Buffer &buffer,
                                            std::span<const int64_t> dims);

/// The bytes of that shape.
Result<uint64_t> getBufferBytes(const Entry &entry, const Buffer &buffer,
                                std::span<const int64_t> dims);

/// A tensor of that shape, filled with `fill`.
Result<HostTensor> makeBuffer(const Entry &entry, const Buffer &buffer,
                              std::span<const int64_t> dims, uint8_t fill);

/// Fails where the input has not the type and shape of its buffer.
Status checkInput(const Entry &entry, const Buffer &buffer,
                  std::span<const int64_t> dims, const HostTensor &input);

struct RunOptions {
  /// Results and workspaces hold this in every byte before the first launch:
  /// device memory is never zero by contract.
  uint8_t poison = 0xA5;
  /// Where contents do not matter: inputs may come without bytes, and stay as
  /// the device allocates them like all else; no results are read.
  bool hasContents = true;
};

/// A program's code on a device, until the end of this object.
class LoadedCode {
public:
  LoadedCode(LoadedCode &&other)
      : device(other.device), module(std::exchange(other.module, {})) {}
  ~LoadedCode() {
    if (module)
      device.unload(*module);
  }
  uint64_t getModule() const { return *module; }
  Device &getDevice() const { return device; }

private:
  friend class Program;
  LoadedCode(Device &device, uint64_t module)
      : device(device), module(module) {}
  Device &device;
  std::optional<uint64_t> module;
};

/// The buffers of an entry on a device: what its launches work on.
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
  Status launch() const;
  /// Waits for the device; the order is that of getBuffersOf(results).
  Status read(std::vector<HostTensor> &outputs) const;

private:
  Instance(const LoadedCode &code, const Entry &entry,
           std::span<const int64_t> dims)
      : code(code), entry(entry), dims(dims.begin(), dims.end()) {}
  Status fill(std::span<const HostTensor> inputs, const RunOptions &options);
  Status fillBuffer(size_t index, const HostTensor *input,
                    const RunOptions &options);
  Status launchStep(const Step &step) const;
  Result<std::vector<uint8_t>> packKernargs(const Step &step) const;

  const LoadedCode &code;
  const Entry &entry;
  std::vector<int64_t> dims;
  std::vector<uint64_t> addresses; // of each buffer
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
