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
  explicit HipDevice(int ordinal) : GpuDevice(kHip, kHipFunctions, ordinal) {}
  using GpuDevice::open;

  std::string getChip() const override {
    // "gfx942:sramecc+:xnack-": the features after the chip do not matter.
    return architecture.substr(0, architecture.find(':'));
  }
  Result<uint64_t> load(std::span<const uint8_t> image) override;

private:
  Status findDevice() override;
  Status enter(int &previous) const override;
  void leave(int previous) const override;

  GpuFunction<int *> getDevice = {"hipGetDevice"};
  GpuFunction<int> setDevice = {"hipSetDevice"};
  GpuFunction<void *, int> getProperties = {"hipGetDevicePropertiesR0600"};
  GpuFunction<void **, const void *> loadModule = {"hipModuleLoadData"};
};
} // namespace

Status HipDevice::findDevice() {
  if (Status status = find(getDevice, setDevice, getProperties, loadModule);
      !status)
    return status;
  if (Status status = checkOrdinal(); !status)
    return status;
  std::vector<char> properties(kPropertiesBytes);
  if (Status status =
          call("reading the properties of device " + std::to_string(ordinal),
               getProperties, properties.data(), ordinal);
      !status)
    return status;
  properties.back() = 0;
  name = properties.data();
  const char *arch = properties.data() + kArchOffset;
  architecture.assign(arch, strnlen(arch, kArchBytes));
  return {};
}

Status HipDevice::enter(int &previous) const {
  if (Status status = call("reading the thread's device", getDevice, &previous);
      !status || previous == ordinal)
    return status;
  return call("selecting the device", setDevice, ordinal);
}

void HipDevice::leave(int previous) const {
  if (previous != ordinal)
    (void)setDevice.function(previous);
}

Result<uint64_t> HipDevice::load(std::span<const uint8_t> image) {
  Current current(*this);
  if (!current)
    return current.takeFailure();
  void *module = nullptr;
  if (Status status =
          call("loading the code object", loadModule, &module, image.data());
      !status)
    return status.takeFailure();
  return reinterpret_cast<uint64_t>(module);
}

Result<std::unique_ptr<Device>>
mlir::te::rt::openHipDevice(int ordinal, const std::string &path) {
  auto device = std::make_unique<HipDevice>(ordinal);
  if (Status status = device->open(path); !status)
    return status.takeFailure();
  return std::unique_ptr<Device>(std::move(device));
}
