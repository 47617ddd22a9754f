//===- CudaDevice.cpp - an NVIDIA GPU through libcuda -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "GpuDevice.h"
#include "te/Runtime/Gpu.h"

using namespace mlir::te::rt;

namespace {
/// Values of cuda.h's enumerations.
enum Attribute : int { CapabilityMajor = 75, CapabilityMinor = 76 };
enum FunctionAttribute : int { MaxDynamicSharedBytes = 8 };
enum JitOption : int { ErrorLogBuffer = 5, ErrorLogBytes = 6 };
/// Blocks of a grid in y and in z, on every device.
constexpr uint32_t kMaxGrid = 65535;
/// Dynamic shared memory that a kernel may have without asking.
constexpr uint32_t kPlainSharedBytes = 48 * 1024;

constexpr GpuBackend kCuda = {"CUDA", "cuda", "the NVIDIA driver", nullptr};
constexpr GpuFunctions kCudaFunctions = {
    .getErrorString = {"cuGetErrorString"},
    .getDeviceCount = {"cuDeviceGetCount"},
    .allocate = {"cuMemAlloc_v2"},
    .free = {"cuMemFree_v2"},
    .copyToDevice = {"cuMemcpyHtoD_v2"},
    .copyFromDevice = {"cuMemcpyDtoH_v2"},
    .unloadModule = {"cuModuleUnload"},
    .getFunction = {"cuModuleGetFunction"},
    .getGlobal = {"cuModuleGetGlobal_v2"},
    .launch = {"cuLaunchKernel"},
    .synchronize = {"cuCtxSynchronize"},
    .createEvent = {"cuEventCreate"},
    .recordEvent = {"cuEventRecord"},
    .getElapsedMs = {"cuEventElapsedTime"},
    .destroyEvent = {"cuEventDestroy_v2"},
};

class CudaDevice : public GpuDevice {
public:
  explicit CudaDevice(int ordinal)
      : GpuDevice(kCuda, kCudaFunctions, ordinal) {}
  ~CudaDevice() override {
    if (context)
      (void)releaseContext.function(device);
  }
  using GpuDevice::open;

  /// Code of an `a` target runs on exactly that compute capability.
  std::string getChip() const override { return architecture + "a"; }
  Result<uint64_t> load(std::span<const uint8_t> image) override;
  Status checkLaunch(const Launch &launch) const override;

private:
  Status findDevice() override;
  Status enter(int &previous) const override;
  void leave(int previous) const override;
  Status prepare(void *function, const std::string &kernel,
                 uint32_t dynamicLds) const override;

  GpuFunction<unsigned> start = {"cuInit"};
  GpuFunction<int *, int> getDevice = {"cuDeviceGet"};
  GpuFunction<char *, int, int> getDeviceName = {"cuDeviceGetName"};
  GpuFunction<int *, int, int> getAttribute = {"cuDeviceGetAttribute"};
  GpuFunction<void **, int> retainContext = {"cuDevicePrimaryCtxRetain"};
  GpuFunction<int> releaseContext = {"cuDevicePrimaryCtxRelease_v2"};
  GpuFunction<void *> pushContext = {"cuCtxPushCurrent_v2"};
  GpuFunction<void **> popContext = {"cuCtxPopCurrent_v2"};
  GpuFunction<void **, const void *, unsigned, int *, void **> loadModule = {
      "cuModuleLoadDataEx"};
  GpuFunction<void *, int, int> setFunctionAttribute = {"cuFuncSetAttribute"};

  int device = 0;
  void *context = nullptr;
};
} // namespace

Status CudaDevice::findDevice() {
  if (Status status = find(start, getDevice, getDeviceName, getAttribute,
                           retainContext, releaseContext, pushContext,
                           popContext, loadModule, setFunctionAttribute);
      !status)
    return status;
  if (Status status = call("starting the driver", start, 0u); !status)
    return status;
  if (Status status = checkOrdinal(); !status)
    return status;
  int major = 0, minor = 0;
  char text[256] = {};
  const std::string which = "device " + std::to_string(ordinal);
  const std::string reading = "reading the properties of " + which;
  if (Status status = call("selecting " + which, getDevice, &device, ordinal);
      !status)
    return status;
  for (Status status :
       {call(reading, getDeviceName, text, int(sizeof(text) - 1), device),
        call(reading, getAttribute, &major, int(CapabilityMajor), device),
        call(reading, getAttribute, &minor, int(CapabilityMinor), device),
        call("opening " + which, retainContext, &context, device)})
    if (!status)
      return status;
  name = text;
  architecture = "sm_" + std::to_string(10 * major + minor);
  return {};
}

Status CudaDevice::enter(int &) const {
  return call("selecting the device", pushContext, context);
}

void CudaDevice::leave(int) const {
  void *popped = nullptr;
  (void)popContext.function(&popped);
}

/// PTX, which the driver compiles here: what it says of errors is the message.
Result<uint64_t> CudaDevice::load(std::span<const uint8_t> image) {
  Current current(*this);
  if (!current)
    return current.takeFailure();
  std::string text(image.begin(), image.end()); // ends in a zero byte
  std::string log(8192, '\0');
  int options[] = {ErrorLogBuffer, ErrorLogBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size() - 1)};
  void *module = nullptr;
  Status status = call("loading the PTX", loadModule, &module, text.data(), 2u,
                       options, values);
  if (status)
    return reinterpret_cast<uint64_t>(module);
  Failure failure = status.takeFailure();
  log.resize(log.find('\0'));
  if (!log.empty())
    failure.message += "\n" + log;
  return failure;
}

Status CudaDevice::checkLaunch(const Launch &launch) const {
  if (launch.grid[1] <= kMaxGrid && launch.grid[2] <= kMaxGrid)
    return {};
  return Failure{"CUDA: kernel " + std::string(launch.name) +
                 " has a grid of " + std::to_string(launch.grid[0]) + " x " +
                 std::to_string(launch.grid[1]) + " x " +
                 std::to_string(launch.grid[2]) +
                 " blocks, at most 65535 are possible in y and in z; use a "
                 "smaller tensor"};
}

Status CudaDevice::prepare(void *function, const std::string &kernel,
                           uint32_t dynamicLds) const {
  if (dynamicLds <= kPlainSharedBytes)
    return {};
  return call("giving kernel " + kernel + " " + std::to_string(dynamicLds) +
                  " bytes of shared memory",
              setFunctionAttribute, function, int(MaxDynamicSharedBytes),
              int(dynamicLds));
}

Result<std::unique_ptr<Device>>
mlir::te::rt::openCudaDevice(int ordinal, const std::string &path) {
  auto device = std::make_unique<CudaDevice>(ordinal);
  if (Status status = device->open(path); !status)
    return status.takeFailure();
  return std::unique_ptr<Device>(std::move(device));
}
