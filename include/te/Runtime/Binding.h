//===- Binding.h - a program on a device and its memory -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a framework runs a program in its own memory: query() says how much of it
// is needed, Binding::create() checks and packs everything once, and run() only
// launches (docs/runtime.md).
//
//===----------------------------------------------------------------------===//
#ifndef TE_RUNTIME_BINDING_H
#define TE_RUNTIME_BINDING_H

#include "te/Runtime/Device.h"
#include "te/Runtime/Sizes.h"

namespace mlir::te::rt {

/// What the address of an argument or a result is a multiple of: kernels access
/// up to 16 bytes at once.
constexpr uint64_t kBufferAlignment = 16;

/// A program's code on a device, until the end of this object.
class LoadedCode {
public:
  LoadedCode(LoadedCode &&other)
      : device(other.device), module(std::exchange(other.module, {})),
        kernels(std::move(other.kernels)), globals(std::move(other.globals)) {}
  ~LoadedCode() {
    if (module)
      device.unload(*module);
  }
  Device &getDevice() const { return device; }

private:
  friend class Program;
  friend class Binding;
  LoadedCode(Device &device, uint64_t module)
      : device(device), module(module) {}
  /// Finds all that the entries need.
  Status find(const Manifest &manifest);

  Device &device;
  std::optional<uint64_t> module;
  std::map<std::string, uint64_t> kernels; // the device's handles
  std::map<std::string, Global> globals;
};

/// Memory of a caller, by the device's address.
struct Memory {
  uint64_t address = 0, bytes = 0;
};

/// An entry with sizes and memory: nothing is left to do but to launch it. Code
/// and entry outlive it. It does not change: threads may share it.
class Binding {
public:
  Binding(Binding &&) = default;
  Binding &operator=(Binding &&) = default;

  /// Arguments and results in the order of getBuffersOf(). Results and
  /// workspace overlap nothing.
  static Result<Binding> create(const LoadedCode &code, const Entry &entry,
                                std::span<const int64_t> dims,
                                std::span<const Memory> arguments,
                                std::span<const Memory> results,
                                Memory workspace);
  /// With memory for each of the entry's buffers, in their order. Constants
  /// have theirs in the code.
  static Result<Binding> create(const LoadedCode &code, const Entry &entry,
                                std::span<const int64_t> dims,
                                std::span<const Memory> buffers);

  /// Launches the kernels in order on the stream, and does not wait. Allocates
  /// nothing, so that it can be captured in a graph.
  Status run(uint64_t stream = 0) const {
    return device->launch(launches, regions, stream);
  }

private:
  explicit Binding(Device &device) : device(&device) {}
  Status place(const LoadedCode &code, const Entry &entry,
               std::span<const int64_t> dims, std::span<const Memory> buffers);
  Status pack(const LoadedCode &code, const Entry &entry,
              std::span<const int64_t> dims);
  Status packStep(const LoadedCode &code, const Entry &entry, const Step &step,
                  std::span<const int64_t> dims, std::span<uint8_t> kernargs);

  Device *device;
  std::vector<uint64_t> addresses; // of each buffer
  std::vector<Region> regions;     // the caller's
  std::vector<Launch> launches;
  std::vector<uint8_t> kernargs; // of all launches
};

} // namespace mlir::te::rt

#endif // TE_RUNTIME_BINDING_H
