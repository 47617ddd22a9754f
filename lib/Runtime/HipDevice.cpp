//===- HipDevice.cpp - an AMD GPU through libamdhip64 -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Runtime/HipDevice.h"

#include <cstring>
#include <dlfcn.h>
#include <vector>

using namespace mlir::te::rt;

Device::~Device() = default;

namespace {
/// hipDeviceProp_tR0600 of ROCm 6 and 7: 1472 bytes, gcnArchName at 1160. Room
/// to spare, should a later ROCm add to its end.
constexpr size_t kPropertiesBytes = 4096;
constexpr size_t kArchOffset = 1160, kArchBytes = 256;
/// Markers of hipModuleLaunchKernel's `extra`.
void *const kArgBuffer = reinterpret_cast<void *>(1);
void *const kArgSize = reinterpret_cast<void *>(2);
void *const kArgEnd = reinterpret_cast<void *>(3);
enum CopyKind : int { ToDevice = 1, FromDevice = 2 };

using HipError = int;

/// The functions of the library, by the names of the C interface.
struct HipFunctions {
  HipError (*hipGetDeviceCount)(int *);
  HipError (*hipSetDevice)(int);
  HipError (*hipGetDevicePropertiesR0600)(void *, int);
  HipError (*hipMalloc)(void **, size_t);
  HipError (*hipFree)(void *);
  HipError (*hipMemcpy)(void *, const void *, size_t, int);
  HipError (*hipModuleLoadData)(void **, const void *);
  HipError (*hipModuleUnload)(void *);
  HipError (*hipModuleGetFunction)(void **, void *, const char *);
  HipError (*hipModuleLaunchKernel)(void *, unsigned, unsigned, unsigned,
                                    unsigned, unsigned, unsigned, unsigned,
                                    void *, void **, void **);
  HipError (*hipDeviceSynchronize)();
  const char *(*hipGetErrorString)(HipError);

  Status resolve(void *library);
};

class HipDevice : public Device {
public:
  HipDevice(void *library, HipFunctions hip) : library(library), hip(hip) {}
  ~HipDevice() override { dlclose(library); }
  Status open();

  std::string getName() const override {
    return "hip: " + name + " (" + architecture + ")";
  }
  std::string getChip() const override {
    // "gfx942:sramecc+:xnack-": the features after the chip do not matter.
    return architecture.substr(0, architecture.find(':'));
  }
  Status checkTarget(const std::string &target) const override;
  Result<uint64_t> allocate(uint64_t bytes, const std::string &name) override;
  void free(uint64_t address) override {
    (void)hip.hipFree(reinterpret_cast<void *>(address));
  }
  Status copyToDevice(uint64_t address,
                      std::span<const uint8_t> source) override;
  Status copyFromDevice(std::span<uint8_t> target, uint64_t address) override;
  Result<uint64_t> load(std::span<const uint8_t> image) override;
  void unload(uint64_t module) override {
    (void)hip.hipModuleUnload(reinterpret_cast<void *>(module));
  }
  Status launch(const Launch &launch) override;
  Status synchronize() override {
    return check(hip.hipDeviceSynchronize(), "waiting for the device");
  }

private:
  Status check(HipError error, const std::string &what) const {
    if (error == 0)
      return {};
    return Failure{"HIP: " + what + " failed: " + hip.hipGetErrorString(error)};
  }

  void *library;
  HipFunctions hip;
  std::string name, architecture;
};
} // namespace

Status HipFunctions::resolve(void *library) {
  std::string missing;
  auto get = [&](auto &function, const char *symbol) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(
        dlsym(library, symbol));
    if (!function)
      missing += (missing.empty() ? "" : ", ") + std::string(symbol);
  };
#define TE_GET(symbol) get(symbol, #symbol)
  TE_GET(hipGetDeviceCount);
  TE_GET(hipSetDevice);
  TE_GET(hipGetDevicePropertiesR0600);
  TE_GET(hipMalloc);
  TE_GET(hipFree);
  TE_GET(hipMemcpy);
  TE_GET(hipModuleLoadData);
  TE_GET(hipModuleUnload);
  TE_GET(hipModuleGetFunction);
  TE_GET(hipModuleLaunchKernel);
  TE_GET(hipDeviceSynchronize);
  TE_GET(hipGetErrorString);
#undef TE_GET
  if (missing.empty())
    return {};
  return Failure{"the HIP library lacks " + missing +
                 "; ROCm 6 or newer is needed"};
}

Status HipDevice::open() {
  int count = 0;
  if (Status status = check(hip.hipGetDeviceCount(&count), "counting devices");
      !status)
    return status;
  if (count == 0)
    return Failure{"HIP reports no GPU; use --device=emulator"};
  if (Status status = check(hip.hipSetDevice(0), "selecting device 0"); !status)
    return status;
  std::vector<char> properties(kPropertiesBytes);
  if (Status status =
          check(hip.hipGetDevicePropertiesR0600(properties.data(), 0),
                "reading the properties of device 0");
      !status)
    return status;
  properties.back() = 0;
  name = properties.data();
  const char *arch = properties.data() + kArchOffset;
  architecture.assign(arch, strnlen(arch, kArchBytes));
  return {};
}

Status HipDevice::checkTarget(const std::string &target) const {
  if (getChip() == target)
    return {};
  return Failure{"the program was compiled for " + target +
                 ", but the device is " + architecture +
                 "; compile with --target=" + getChip() +
                 ", or use --device=emulator"};
}

Result<uint64_t> HipDevice::allocate(uint64_t bytes, const std::string &what) {
  void *pointer = nullptr;
  // hipMalloc gives a null pointer for 0 bytes.
  if (Status status =
          check(hip.hipMalloc(&pointer, bytes ? bytes : 1),
                "allocating " + std::to_string(bytes) + " bytes for " + what);
      !status)
    return status.takeFailure();
  return reinterpret_cast<uint64_t>(pointer);
}

Status HipDevice::copyToDevice(uint64_t address,
                               std::span<const uint8_t> source) {
  return check(hip.hipMemcpy(reinterpret_cast<void *>(address), source.data(),
                             source.size(), ToDevice),
               "copying to the device");
}

Status HipDevice::copyFromDevice(std::span<uint8_t> target, uint64_t address) {
  return check(hip.hipMemcpy(target.data(),
                             reinterpret_cast<const void *>(address),
                             target.size(), FromDevice),
               "copying from the device");
}

Result<uint64_t> HipDevice::load(std::span<const uint8_t> image) {
  void *module = nullptr;
  if (Status status = check(hip.hipModuleLoadData(&module, image.data()),
                            "loading the code object");
      !status)
    return status.takeFailure();
  return reinterpret_cast<uint64_t>(module);
}

Status HipDevice::launch(const Launch &launch) {
  void *function = nullptr;
  if (Status status =
          check(hip.hipModuleGetFunction(
                    &function, reinterpret_cast<void *>(launch.module),
                    launch.kernel.c_str()),
                "finding kernel " + launch.kernel);
      !status)
    return status;
  std::vector<uint8_t> kernargs(launch.kernargs.begin(), launch.kernargs.end());
  size_t size = kernargs.size();
  void *extra[] = {kArgBuffer, kernargs.data(), kArgSize, &size, kArgEnd};
  return check(hip.hipModuleLaunchKernel(
                   function, launch.grid[0], launch.grid[1], launch.grid[2],
                   launch.block[0], launch.block[1], launch.block[2],
                   launch.dynamicLds, nullptr, nullptr, extra),
               "launching kernel " + launch.kernel);
}

Result<std::unique_ptr<Device>>
mlir::te::rt::openHipDevice(const std::string &path) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return Failure{"no HIP here: " + std::string(dlerror()) +
                   "; install ROCm 6 or newer, or use --device=emulator"};
  HipFunctions hip{};
  if (Status status = hip.resolve(library); !status) {
    dlclose(library);
    return status.takeFailure();
  }
  auto device = std::make_unique<HipDevice>(library, hip);
  if (Status status = device->open(); !status)
    return status.takeFailure();
  return std::unique_ptr<Device>(std::move(device));
}
