//===- GpuDevice.cpp - what HIP and CUDA devices share -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "GpuDevice.h"

#include <dlfcn.h>

using namespace mlir::te::rt;

/// Markers of a launch's `extra`, the same in both interfaces.
static void *const kArgumentsPointer = reinterpret_cast<void *>(1);
static void *const kArgumentsBytes = reinterpret_cast<void *>(2);

namespace {
/// What to do about an error; the codes are the same in both interfaces.
struct Remedy {
  int error;
  const char *text;
};
} // namespace

static constexpr Remedy kRemedies[] = {
    {2, "use smaller sizes, or free the device's memory"},
    {100, "check that a GPU is visible to this process"},
    {200, "compile the program again"},
    {209, "compile the program for this device"},
    {218, "compile the program again, or update the driver"},
    {222, "update the driver: it does not know this version of PTX"},
    {700, "a kernel accessed memory that is not its own; look at it with "
          "te-run --sanitize"},
    {719, "a kernel stopped; look at it with te-run --sanitize"},
    {802, "the driver is still starting; try again"},
    {803, "the driver and its library differ in version; reboot or reinstall"},
};

Device::~Device() = default;

GpuDevice::~GpuDevice() {
  if (library)
    dlclose(library);
}

Status GpuDevice::check(int error, std::string_view what,
                        const char *function) const {
  if (error == 0)
    return {};
  const char *text = nullptr;
  (void)gpu.getErrorString.function(error, &text);
  std::string message =
      std::string(backend.name) + ": " + std::string(what) + ": " + function +
      " failed: " + (text ? text : "error " + std::to_string(error));
  for (const Remedy &remedy : kRemedies)
    if (remedy.error == error)
      message += std::string("; ") + remedy.text;
  return Failure{message};
}

void *GpuDevice::findSymbol(const char *name, std::string &missing) const {
  void *symbol = dlsym(library, name);
  if (!symbol)
    missing += (missing.empty() ? "" : ", ") + std::string(name);
  return symbol;
}

Status GpuDevice::open(const std::string &path) {
  library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return Failure{std::string("no ") + backend.name +
                   " here: " + std::string(dlerror()) + "; install " +
                   backend.software + ", or use another --device"};
  if (Status status = find(gpu.getErrorString, gpu.getDeviceCount, gpu.allocate,
                           gpu.free, gpu.copyToDevice, gpu.copyFromDevice,
                           gpu.unloadModule, gpu.getFunction, gpu.getGlobal,
                           gpu.launch, gpu.synchronize, gpu.createEvent,
                           gpu.recordEvent, gpu.getElapsedMs, gpu.destroyEvent);
      !status)
    return status;
  return findDevice();
}

Status GpuDevice::checkOrdinal() const {
  int count = 0;
  if (Status status = call("counting devices", gpu.getDeviceCount, &count);
      !status)
    return status;
  if (count == 0)
    return Failure{std::string(backend.name) +
                   " reports no GPU; use another --device"};
  if (ordinal >= 0 && ordinal < count)
    return {};
  return Failure{std::string(backend.name) + " has no device " +
                 std::to_string(ordinal) + ": it reports " +
                 std::to_string(count) + "; give 0" +
                 (count > 1 ? " to " + std::to_string(count - 1) : "")};
}

Status GpuDevice::checkTarget(const std::string &target) const {
  if (getChip() == target)
    return {};
  return Failure{"the program was compiled for " + target +
                 ", but the device is " + name + " (" + architecture +
                 "); compile with --target=" + getChip()};
}

Result<uint64_t> GpuDevice::allocate(uint64_t bytes, const std::string &what) {
  Current current(*this);
  if (!current)
    return current.takeFailure();
  uint64_t address = 0;
  // Neither interface gives an address for 0 bytes.
  if (Status status =
          call("allocating " + std::to_string(bytes) + " bytes for " + what,
               gpu.allocate, &address, bytes ? bytes : 1);
      !status)
    return status.takeFailure();
  return address;
}

void GpuDevice::free(uint64_t address) {
  if (Current current(*this); current)
    (void)gpu.free.function(address);
}

Status GpuDevice::copyToDevice(uint64_t address,
                               std::span<const uint8_t> source) {
  if (source.empty())
    return {};
  Current current(*this);
  if (!current)
    return current.takeFailure();
  return call("copying to the device", gpu.copyToDevice, address, source.data(),
              source.size());
}

Status GpuDevice::copyFromDevice(std::span<uint8_t> target, uint64_t address) {
  if (target.empty())
    return {};
  Current current(*this);
  if (!current)
    return current.takeFailure();
  return call("copying from the device", gpu.copyFromDevice, target.data(),
              address, target.size());
}

void GpuDevice::unload(uint64_t module) {
  if (Current current(*this); current)
    (void)gpu.unloadModule.function(reinterpret_cast<void *>(module));
}

Result<uint64_t> GpuDevice::findKernel(uint64_t module,
                                       const std::string &kernel,
                                       uint32_t dynamicLds) {
  Current current(*this);
  if (!current)
    return current.takeFailure();
  void *function = nullptr;
  if (Status status =
          call("finding kernel " + kernel, gpu.getFunction, &function,
               reinterpret_cast<void *>(module), kernel.c_str());
      !status)
    return status.takeFailure();
  if (Status status = prepare(function, kernel, dynamicLds); !status)
    return status.takeFailure();
  return reinterpret_cast<uint64_t>(function);
}

Result<Global> GpuDevice::findGlobal(uint64_t module,
                                     const std::string &symbol) {
  Current current(*this);
  if (!current)
    return current.takeFailure();
  uint64_t address = 0;
  size_t bytes = 0;
  if (Status status =
          call("finding constant " + symbol, gpu.getGlobal, &address, &bytes,
               reinterpret_cast<void *>(module), symbol.c_str());
      !status)
    return status.takeFailure();
  return Global{address, bytes};
}

Status GpuDevice::launchOne(const Launch &launch, void *stream) const {
  // The interfaces only read the arguments, and have copied them when they
  // return.
  auto *arguments = const_cast<uint8_t *>(launch.kernargs.data());
  size_t size = launch.kernargs.size();
  void *extra[] = {kArgumentsPointer, arguments, kArgumentsBytes, &size,
                   backend.argumentsEnd};
  int error = gpu.launch.function(
      reinterpret_cast<void *>(launch.kernel), launch.grid[0], launch.grid[1],
      launch.grid[2], launch.block[0], launch.block[1], launch.block[2],
      launch.dynamicLds, stream, nullptr, extra);
  if (error == 0)
    return {};
  return check(error, "launching kernel " + std::string(launch.name),
               gpu.launch.name);
}

Status GpuDevice::launch(std::span<const Launch> launches,
                         std::span<const Region>, uint64_t stream) {
  Current current(*this);
  if (!current)
    return current.takeFailure();
  for (const Launch &launch : launches)
    if (Status status = launchOne(launch, reinterpret_cast<void *>(stream));
        !status)
      return status;
  return {};
}

Status GpuDevice::synchronize() {
  Current current(*this);
  if (!current)
    return current.takeFailure();
  return call("waiting for the device", gpu.synchronize);
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

/// An event, the work, an event, the work, ..., an event.
Status GpuDevice::recordAll(std::vector<void *> &events,
                            const Enqueue &enqueue) {
  for (void *&event : events)
    if (Status status = call("making an event", gpu.createEvent, &event, 0u);
        !status)
      return status;
  for (size_t i = 0; i < events.size(); ++i) {
    if (i > 0)
      if (Status status = enqueue(i - 1); !status)
        return status;
    if (Status status =
            call("recording an event", gpu.recordEvent, events[i], nullptr);
        !status)
      return status;
  }
  return synchronize();
}

Result<std::vector<double>> GpuDevice::time(unsigned count,
                                            const Enqueue &enqueue) {
  Current current(*this);
  if (!current)
    return current.takeFailure();
  std::vector<void *> events(count + 1);
  std::vector<double> seconds;
  Status status = recordAll(events, enqueue);
  for (unsigned i = 0; i < count && status; ++i) {
    float milliseconds = 0;
    status = call("reading an event", gpu.getElapsedMs, &milliseconds,
                  events[i], events[i + 1]);
    seconds.push_back(milliseconds * 1e-3);
  }
  for (void *event : events)
    if (event)
      (void)gpu.destroyEvent.function(event);
  if (!status)
    return status.takeFailure();
  return seconds;
}
