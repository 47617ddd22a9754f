//===- EmulatorDevice.cpp - the emulator as a device of the runtime -*- C++
//-*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Driver/EmulatorDevice.h"
#include "te/Runtime/Manifest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir::te;

static rt::Failure toFailure(llvm::Error error) {
  return {llvm::toString(std::move(error))};
}

rt::Status EmulatorDevice::checkTarget(const std::string &) const {
  return {}; // load() knows the chips
}

rt::Result<uint64_t> EmulatorDevice::allocate(uint64_t bytes,
                                              const std::string &name) {
  std::lock_guard lock(mutex);
  uint64_t address = memory.allocate(bytes, name);
  if (!address)
    return rt::Failure{"this machine has not the memory for " +
                       std::to_string(bytes) + " bytes of " + name};
  return address;
}

void EmulatorDevice::free(uint64_t address) {
  std::lock_guard lock(mutex);
  memory.free(address);
}

rt::Status EmulatorDevice::copyToDevice(uint64_t address,
                                        std::span<const uint8_t> source) {
  std::lock_guard lock(mutex);
  if (!memory.write(address, {source.data(), source.size()}))
    return rt::Failure{"a copy to the emulator is out of bounds"};
  return {};
}

rt::Status EmulatorDevice::poison(uint64_t address,
                                  std::span<const uint8_t> source) {
  std::lock_guard lock(mutex);
  uint8_t *target = memory.view(address, source.size());
  if (!target)
    return rt::Failure{"a copy to the emulator is out of bounds"};
  std::copy(source.begin(), source.end(), target);
  return {};
}

rt::Status EmulatorDevice::copyFromDevice(std::span<uint8_t> target,
                                          uint64_t address) {
  std::lock_guard lock(mutex);
  const uint8_t *source = memory.view(address, target.size());
  if (!source && !target.empty())
    return rt::Failure{"a copy from the emulator is out of bounds"};
  std::copy_n(source, target.size(), target.begin());
  return {};
}

rt::Result<uint64_t> EmulatorDevice::load(std::span<const uint8_t> image) {
  if (rt::isPtx(image))
    return rt::Failure{"the emulator runs code of AMD GPUs, and this is PTX; "
                       "use --device=cuda or --device=reference"};
  auto object = emu::CodeObject::load(image, "code object");
  if (!object)
    return toFailure(object.takeError());
  std::lock_guard lock(mutex);
  auto module = reinterpret_cast<uint64_t>(object->get());
  modules[module] = std::move(*object);
  return module;
}

void EmulatorDevice::unload(uint64_t module) {
  std::lock_guard lock(mutex);
  auto found = modules.find(module);
  memory.unload(*found->second);
  modules.erase(found);
}

rt::Result<uint64_t>
EmulatorDevice::findKernel(uint64_t module, const std::string &name, uint32_t) {
  std::lock_guard lock(mutex);
  const emu::KernelInfo *kernel = modules.at(module)->findKernel(name);
  if (!kernel)
    return rt::Failure{"the code object has no kernel " + name};
  return reinterpret_cast<uint64_t>(kernel);
}

rt::Result<rt::Global> EmulatorDevice::findGlobal(uint64_t module,
                                                  const std::string &symbol) {
  std::lock_guard lock(mutex);
  auto found = memory.findGlobal(*modules.at(module), symbol);
  if (!found)
    return toFailure(found.takeError());
  return rt::Global{found->first, found->second};
}

/// Makes regions that are the host's allocations, and appends their addresses.
/// Those that overlap, as arguments may, become one.
rt::Status EmulatorDevice::adopt(std::vector<rt::Region> regions,
                                 std::vector<uint64_t> &adopted) {
  llvm::sort(regions, [](const rt::Region &a, const rt::Region &b) {
    return a.address < b.address;
  });
  for (size_t i = 0, next; i < regions.size(); i = next) {
    rt::Region all = regions[i];
    for (next = i + 1; next < regions.size(); ++next) {
      const rt::Region &other = regions[next];
      if (other.address >= all.address + all.bytes)
        break;
      all.bytes =
          std::max(all.bytes, other.address + other.bytes - all.address);
    }
    if (memory.view(all.address, all.bytes))
      continue;
    if (!memory.adopt(reinterpret_cast<uint8_t *>(all.address), all.bytes,
                      all.name, all.isInput))
      return rt::Failure{
          llvm::formatv("{0}: no memory of {1} bytes at {2:x}; give memory of "
                        "this process, or what this device has allocated",
                        all.name, all.bytes, all.address)};
    adopted.push_back(all.address);
  }
  return {};
}

rt::Status EmulatorDevice::launch(std::span<const rt::Launch> launches,
                                  std::span<const rt::Region> regions,
                                  uint64_t) {
  std::lock_guard lock(mutex);
  std::vector<uint64_t> adopted;
  rt::Status status = adopt({regions.begin(), regions.end()}, adopted);
  for (size_t i = 0; i < launches.size() && status; ++i)
    status = launchOne(launches[i]);
  for (uint64_t address : adopted)
    memory.free(address);
  return status;
}

rt::Status EmulatorDevice::launchOne(const rt::Launch &launch) {
  const emu::CodeObject &object = *modules.at(launch.module);
  const auto &kernel =
      *reinterpret_cast<const emu::KernelInfo *>(launch.kernel);
  emu::LaunchConfig config;
  config.grid = launch.grid;
  config.block = launch.block;
  config.dynamicLdsBytes = launch.dynamicLds;
  config.explicitKernargs = launch.kernargs;
  emu::LaunchOptions options;
  options.collectStats = options.profile = isProfiling;
  options.sanitizer = sanitizer;
  options.maxWorkgroupInstructions = maxInstructions;
  options.interrupted = &interrupted;
  auto report = [&](double share) { progress(kernel.name, share); };
  if (progress)
    options.progress = report;
  emu::Trace trace;
  emu::TraceRequest request;
  std::vector<uint64_t> work;
  if (choose) {
    work = emu::measureWork(object, kernel, memory, config);
    request = choose(object.getChip(), kernel, config, work);
    options.record = &request;
    options.trace = &trace;
  }
  auto stats = emu::launch(object, kernel, memory, config, options);
  if (!stats)
    return toFailure(stats.takeError());
  trace.work = std::move(work);
  if (isProfiling)
    kept.push_back(
        {kernel, std::move(*stats), object.getChip().str(), std::move(trace)});
  return {};
}
