//===- Device.h - where kernels run -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one interface to a device: a GPU through HIP or CUDA, or the emulator as
// a plug-in of the tools.
//
//===----------------------------------------------------------------------===//
#ifndef TE_RUNTIME_DEVICE_H
#define TE_RUNTIME_DEVICE_H

#include "te/Runtime/Result.h"

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace mlir::te::rt {

struct Launch {
  uint64_t module; // as load() returned it
  std::string kernel;
  std::array<uint32_t, 3> grid;  // workgroups, none of them 0
  std::array<uint32_t, 3> block; // lanes
  uint32_t dynamicLds;           // bytes
  std::span<const uint8_t> kernargs;
};

class Device {
public:
  virtual ~Device();
  virtual std::string getName() const = 0;
  /// The one chip whose code runs here ("gfx950", "sm_90a"), or "" where
  /// several do.
  virtual std::string getChip() const = 0;
  /// Fails where code for `target` cannot run here.
  virtual Status checkTarget(const std::string &target) const = 0;

  /// An address, never 0; 0 bytes are legal. `name` serves messages.
  virtual Result<uint64_t> allocate(uint64_t bytes,
                                    const std::string &name) = 0;
  virtual void free(uint64_t address) = 0;
  virtual Status copyToDevice(uint64_t address,
                              std::span<const uint8_t> source) = 0;
  /// Bytes that no kernel may rely on: like a copy, but a device that looks for
  /// reads of uninitialized memory takes them for such.
  virtual Status poison(uint64_t address, std::span<const uint8_t> source) {
    return copyToDevice(address, source);
  }
  virtual Status copyFromDevice(std::span<uint8_t> target,
                                uint64_t address) = 0;

  /// Loads a code object, for checkTarget's target.
  virtual Result<uint64_t> load(std::span<const uint8_t> image) = 0;
  virtual void unload(uint64_t module) = 0;
  /// The address of a global variable of loaded code, of at least `bytes`
  /// bytes. It stays valid until the code is unloaded.
  virtual Result<uint64_t>
  findGlobal(uint64_t module, const std::string &symbol, uint64_t bytes) = 0;
  /// In order with earlier launches and copies; may return before it is done.
  virtual Status launch(const Launch &launch) = 0;
  virtual Status synchronize() = 0;

  /// Launches the work of repeat `index`.
  using Enqueue = std::function<Status(unsigned index)>;
  /// Enqueues the work of `count` repeats without waiting in between, and gives
  /// the seconds of each by the device's clock, from the end of the one before.
  virtual Result<std::vector<double>> time(unsigned count,
                                           const Enqueue &enqueue) {
    return Failure{getName() + " has no clock"};
  }

protected:
  /// What findGlobal gives of a symbol that has `found` bytes.
  static Result<uint64_t> checkGlobal(const std::string &symbol,
                                      uint64_t address, uint64_t found,
                                      uint64_t bytes);
};

} // namespace mlir::te::rt

#endif // TE_RUNTIME_DEVICE_H
