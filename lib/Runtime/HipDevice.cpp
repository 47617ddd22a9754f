//===- HipDevice.cpp - an AMD GPU through libamdhip64 -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "GpuDevice.h"
#include "te/Runtime/Gpu.h"

using namespace mlir::te::rt;

namespace {
/// hipDeviceProp_tR0600 of ROCm 6 and 7: 1472 bytes, gcnArchName at 1160. Room
/// to spare, should a later ROCm add to its end.
constexpr size_t kPropertiesBytes = 4096;
constexpr size_t kArchOffset = 1160, kArchBytes = 256;

const GpuBackend kHip = {"HIP", "hip", "ROCm 6 or newer",
                         reinterpret_cast<void *>(3)};
constexpr GpuFunctions kHipFunctions = {
    .getErrorString = {"hipDrvGetErrorString"},
    .getDeviceCount = {"hipGetDeviceCount"},
    .allocate = {"hipMalloc"},
    .free = {"hipFree"},
    .copyToDevice = {"hipMemcpyHtoD"},
    .copyFromDevice = {"hipMemcpyDtoH"},
    .unloadModule = {"hipModuleUnload"},
    .getFunction = {"hipModuleGetFunction"},
    .getGlobal = {"hipModuleGetGlobal"},
    .launch = {"hipModuleLaunchKernel"},
    .synchronize = {"hipDeviceSynchronize"},
    .createEvent = {"hipEventCreateWithFlags"},
    .recordEvent = {"hipEventRecord"},
    .getElapsedMs = {"hipEventElapsedTime"},
    .destroyEvent = {"hipEventDestroy"},
};

class HipDevice : public GpuDevice {
public:
  HipDevice() : GpuDevice(kHip, kHipFunctions) {}
  using GpuDevice::open;

  std::string getChip() const override {
    // "gfx942:sramecc+:xnack-": the features after the chip do not matter.
    return architecture.substr(0, architecture.find(':'));
  }
  Result<uint64_t> load(std::span<const uint8_t> image) override;

private:
  Status findDevice() override;

  GpuFunction<int> setDevice = {"hipSetDevice"};
  GpuFunction<void *, int> getProperties = {"hipGetDevicePropertiesR0600"};
  GpuFunction<void **, const void *> loadModule = {"hipModuleLoadData"};
};
} // namespace

Status HipDevice::findDevice() {
  if (Status status = find(setDevice, getProperties, loadModule); !status)
    return status;
  int count = 0;
  if (Status status = call("counting devices", gpu.getDeviceCount, &count);
      !status)
    return status;
  if (count == 0)
    return Failure{"HIP reports no GPU; use another --device"};
  if (Status status = call("selecting device 0", setDevice, 0); !status)
    return status;
  std::vector<char> properties(kPropertiesBytes);
  if (Status status = call("reading the properties of device 0", getProperties,
                           properties.data(), 0);
      !status)
    return status;
  properties.back() = 0;
  name = properties.data();
  const char *arch = properties.data() + kArchOffset;
  architecture.assign(arch, strnlen(arch, kArchBytes));
  return {};
}

Result<uint64_t> HipDevice::load(std::span<const uint8_t> image) {
  void *module = nullptr;
  if (Status status =
          call("loading the code object", loadModule, &module, image.data());
      !status)
    return status.takeFailure();
  return reinterpret_cast<uint64_t>(module);
}

Result<std::unique_ptr<Device>>
mlir::te::rt::openHipDevice(const std::string &path) {
  auto device = std::make_unique<HipDevice>();
  if (Status status = device->open(path); !status)
    return status.takeFailure();
  return std::unique_ptr<Device>(std::move(device));
}
