//===- EmulatorDevice.cpp - the emulator as a device of the runtime -*- C++
//-*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Driver/EmulatorDevice.h"
#include "te/Runtime/Manifest.h"

using namespace mlir::te;

static rt::Failure toFailure(llvm::Error error) {
  return {llvm::toString(std::move(error))};
}

rt::Status EmulatorDevice::checkTarget(const std::string &) const {
  return {}; // load() knows the chips
}

rt::Result<uint64_t> EmulatorDevice::allocate(uint64_t bytes,
                                              const std::string &name) {
  uint64_t address = memory.allocate(bytes, name);
  if (!address)
    return rt::Failure{"this machine has not the memory for " +
                       std::to_string(bytes) + " bytes of " + name};
  return address;
}

void EmulatorDevice::free(uint64_t address) { memory.free(address); }

rt::Status EmulatorDevice::copyToDevice(uint64_t address,
                                        std::span<const uint8_t> source) {
  if (!memory.write(address, {source.data(), source.size()}))
    return rt::Failure{"a copy to the emulator is out of bounds"};
  return {};
}

rt::Status EmulatorDevice::poison(uint64_t address,
                                  std::span<const uint8_t> source) {
  uint8_t *target = memory.view(address, source.size());
  if (!target)
    return rt::Failure{"a copy to the emulator is out of bounds"};
  std::copy(source.begin(), source.end(), target);
  return {};
}

rt::Status EmulatorDevice::copyFromDevice(std::span<uint8_t> target,
                                          uint64_t address) {
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
  modules.push_back(std::move(*object));
  return modules.size();
}

void EmulatorDevice::unload(uint64_t module) { modules[module - 1].reset(); }

rt::Result<uint64_t> EmulatorDevice::findGlobal(uint64_t module,
                                                const std::string &symbol,
                                                uint64_t bytes) {
  auto found = memory.findGlobal(*modules[module - 1], symbol);
  if (!found)
    return toFailure(found.takeError());
  return checkGlobal(symbol, found->first, found->second, bytes);
}

rt::Status EmulatorDevice::launch(const rt::Launch &launch) {
  const emu::CodeObject &object = *modules[launch.module - 1];
  const emu::KernelInfo *kernel = object.findKernel(launch.kernel);
  if (!kernel)
    return rt::Failure{"the code object has no kernel " + launch.kernel};
  emu::LaunchConfig config;
  config.grid = launch.grid;
  config.block = launch.block;
  config.dynamicLdsBytes = launch.dynamicLds;
  config.explicitKernargs = launch.kernargs;
  emu::LaunchOptions options;
  options.profile = isProfiling;
  options.sanitizer = sanitizer;
  options.maxWorkgroupInstructions = maxInstructions;
  auto report = [&](double share) { progress(launch.kernel, share); };
  if (progress)
    options.progress = report;
  emu::Trace trace;
  emu::TraceRequest request;
  std::vector<uint64_t> work;
  if (choose) {
    work = emu::measureWork(object, *kernel, memory, config);
    request = choose(object.getChip(), *kernel, config, work);
    options.record = &request;
    options.trace = &trace;
  }
  auto stats = emu::launch(object, *kernel, memory, config, options);
  if (!stats)
    return toFailure(stats.takeError());
  trace.work = std::move(work);
  launches.push_back(
      {*kernel, std::move(*stats), object.getChip().str(), std::move(trace)});
  return {};
}
