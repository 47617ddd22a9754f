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
#include <string_view>
#include <vector>

namespace mlir::te::rt {

/// One launch of a kernel, with all that can be known before it.
struct Launch {
  uint64_t module, kernel;       // as load() and findKernel() returned them
  std::string_view name;         // of the kernel, for messages
  std::array<uint32_t, 3> grid;  // workgroups, none of them 0
  std::array<uint32_t, 3> block; // lanes
  uint32_t dynamicLds;           // bytes
  std::span<const uint8_t> kernargs;
};

/// A buffer of launches. A device that checks accesses knows what it allocated
/// itself, and learns of other memory by these.
struct Region {
  uint64_t address, bytes;
  std::string_view name; // for messages
  bool isInput;          // its bytes were there before, and stay as they are
};

/// A global variable of loaded code.
struct Global {
  uint64_t address, bytes;
};

/// Any thread may call any function at any time. No call changes which device
/// is the calling thread's.
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
  /// A kernel of loaded code, for launches with up to `dynamicLds` bytes. It
  /// stays valid until the code is unloaded, as a global variable does.
  virtual Result<uint64_t> findKernel(uint64_t module, const std::string &name,
                                      uint32_t dynamicLds) = 0;
  virtual Result<Global> findGlobal(uint64_t module,
                                    const std::string &symbol) = 0;
  /// Fails where no launch of this kind can run here.
  virtual Status checkLaunch(const Launch &launch) const { return {}; }
  /// Launches all of them in order on `stream` (the vendor's handle; 0: the
  /// default stream), after what is there; may return before they are done.
  /// On the emulator `memory` may be the host's. Allocates nothing, and waits
  /// for nothing.
  virtual Status launch(std::span<const Launch> launches,
                        std::span<const Region> memory, uint64_t stream) = 0;
  /// Waits for all streams.
  virtual Status synchronize() = 0;

  /// Launches the work of repeat `index`.
  using Enqueue = std::function<Status(unsigned index)>;
  /// Enqueues the work of `count` repeats, on the default stream, without
  /// waiting in between, and gives the seconds of each by the device's clock,
  /// from the end of the one before.
  virtual Result<std::vector<double>> time(unsigned count,
                                           const Enqueue &enqueue) {
    return Failure{getName() + " has no clock"};
  }
};

} // namespace mlir::te::rt

#endif // TE_RUNTIME_DEVICE_H
