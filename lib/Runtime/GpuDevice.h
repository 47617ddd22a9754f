//===- GpuDevice.h - what HIP and CUDA devices share -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// HIP and the CUDA driver have the same functions under different names. A
// backend gives the names; GpuDevice opens the library, finds the functions and
// does everything but what only the backend knows: how a device is opened and
// made a thread's, and how it takes code. After open() nothing changes.
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_RUNTIME_GPUDEVICE_H
#define TE_LIB_RUNTIME_GPUDEVICE_H

#include "te/Runtime/Device.h"

#include <cstring>

namespace mlir::te::rt {

/// A function of the library, which returns 0 or an error. The backend gives
/// the name, the loader the address.
template <typename... Args> struct GpuFunction {
  const char *name;
  int (*function)(Args...) = nullptr;
};

/// The functions that both interfaces have. Addresses of device memory are
/// integers here, handles are void pointers.
struct GpuFunctions {
  GpuFunction<int, const char **> getErrorString;
  GpuFunction<int *> getDeviceCount;
  GpuFunction<uint64_t *, size_t> allocate;
  GpuFunction<uint64_t> free;
  GpuFunction<uint64_t, const void *, size_t> copyToDevice;
  GpuFunction<void *, uint64_t, size_t> copyFromDevice;
  GpuFunction<void *> unloadModule;
  GpuFunction<void **, void *, const char *> getFunction;
  GpuFunction<uint64_t *, size_t *, void *, const char *> getGlobal;
  GpuFunction<void *, unsigned, unsigned, unsigned, unsigned, unsigned,
              unsigned, unsigned, void *, void **, void **>
      launch;
  GpuFunction<> synchronize;
  GpuFunction<void **, unsigned> createEvent;
  GpuFunction<void *, void *> recordEvent;
  GpuFunction<float *, void *, void *> getElapsedMs;
  GpuFunction<void *> destroyEvent;
};

/// What a backend is called, and what its launches end with.
struct GpuBackend {
  const char *name;     // "HIP"
  const char *device;   // "hip", as --device spells it
  const char *software; // what has the library: "ROCm 6 or newer"
  void *argumentsEnd;   // the last marker of a launch's `extra`
};

class GpuDevice : public Device {
public:
  std::string getName() const override {
    return std::string(backend.device) + ": " + name + " (" + architecture +
           ")";
  }
  Status checkTarget(const std::string &target) const override;
  Result<uint64_t> allocate(uint64_t bytes, const std::string &name) override;
  void free(uint64_t address) override;
  Status copyToDevice(uint64_t address,
                      std::span<const uint8_t> source) override;
  Status copyFromDevice(std::span<uint8_t> target, uint64_t address) override;
  void unload(uint64_t module) override;
  Result<uint64_t> findKernel(uint64_t module, const std::string &name,
                              uint32_t dynamicLds) override;
  Result<Global> findGlobal(uint64_t module,
                            const std::string &symbol) override;
  Status launch(std::span<const Launch> launches,
                std::span<const Region> memory, uint64_t stream) override;
  Status synchronize() override;
  Result<std::vector<double>> time(unsigned count,
                                   const Enqueue &enqueue) override;

protected:
  GpuDevice(const GpuBackend &backend, const GpuFunctions &gpu, int ordinal)
      : ordinal(ordinal), backend(backend), gpu(gpu) {}
  ~GpuDevice() override;

  /// Makes the device the calling thread's, until the end of this object.
  class Current {
  public:
    explicit Current(const GpuDevice &device)
        : device(device), status(device.enter(previous)) {}
    ~Current() {
      if (status)
        device.leave(previous);
    }
    explicit operator bool() const { return bool(status); }
    Failure takeFailure() { return status.takeFailure(); }

  private:
    const GpuDevice &device;
    int previous = 0;
    Status status;
  };
  /// What Current begins with, and ends with; `previous` is whose the thread
  /// was.
  virtual Status enter(int &previous) const = 0;
  virtual void leave(int previous) const = 0;

  /// Opens the library and finds the functions; then findDevice().
  Status open(const std::string &path);
  /// Finds the functions that only this backend has, opens the device and sets
  /// name and architecture.
  virtual Status findDevice() = 0;
  /// Fails where there is no device with this ordinal.
  Status checkOrdinal() const;
  /// What a kernel needs once, before its launches.
  virtual Status prepare(void *function, const std::string &kernel,
                         uint32_t dynamicLds) const {
    return {};
  }

  /// Calls a function; `what` says for a person what was tried.
  template <typename... Args, typename... Values>
  Status call(std::string_view what, const GpuFunction<Args...> &function,
              Values... values) const {
    return check(function.function(values...), what, function.name);
  }
  /// Finds functions in the library; names all that are missing.
  template <typename... Functions> Status find(Functions &...functions) {
    std::string missing;
    (findOne(functions, missing), ...);
    if (missing.empty())
      return {};
    return Failure{std::string("the ") + backend.name + " library lacks " +
                   missing + "; " + backend.software + " is needed"};
  }

  const int ordinal;
  const GpuBackend &backend;
  GpuFunctions gpu;
  std::string name, architecture;

private:
  Status check(int error, std::string_view what, const char *function) const;
  Status launchOne(const Launch &launch, void *stream) const;
  Status recordAll(std::vector<void *> &events, const Enqueue &enqueue);
  void *findSymbol(const char *name, std::string &missing) const;
  template <typename... Args>
  void findOne(GpuFunction<Args...> &function, std::string &missing) {
    void *symbol = findSymbol(function.name, missing);
    std::memcpy(&function.function, &symbol, sizeof(symbol));
  }

  void *library = nullptr;
};

} // namespace mlir::te::rt

#endif // TE_LIB_RUNTIME_GPUDEVICE_H
