//===- Profiler.cpp - programs in the cycle model -------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Driver/Profiler.h"

#include "te/Driver/EmulatorDevice.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;

emu::TraceRequest te::chooseRecorded(llvm::StringRef chip,
                                     const emu::KernelInfo &kernel,
                                     const emu::LaunchConfig &config,
                                     llvm::ArrayRef<uint64_t> work) {
  const Target *target = Target::lookup(chip);
  const Timing *timing = Timing::lookup(chip);
  if (!target || !timing)
    return {};
  uint64_t lanes =
      uint64_t(config.block[0]) * config.block[1] * config.block[2];
  uint64_t grid = uint64_t(config.grid[0]) * config.grid[1] * config.grid[2];
  return cycle::chooseWorkgroups(
      *target, *timing, kernel.vgprs, kernel.ldsBytes + config.dynamicLdsBytes,
      llvm::divideCeil(lanes, target->waveSize), grid, work);
}

rt::Result<std::vector<cycle::Profile>>
te::profileSample(const rt::Program &program, const rt::Entry &entry,
                  std::span<const int64_t> dims) {
  const Target *target = Target::lookup(program.getManifest().target);
  const Timing *timing = Timing::lookup(program.getManifest().target);
  if (!target || !timing)
    return rt::Failure{"the cycle model does not know " +
                       program.getManifest().target};
  EmulatorDevice device;
  device.setRecording([](llvm::StringRef chip, const emu::KernelInfo &kernel,
                         const emu::LaunchConfig &config,
                         llvm::ArrayRef<uint64_t> work) {
    emu::TraceRequest request = chooseRecorded(chip, kernel, config, work);
    request.isSample = true;
    return request;
  });
  std::vector<rt::HostTensor> inputs, outputs;
  for (size_t index : rt::getBuffersOf(entry.arguments)) {
    auto shape = rt::getBufferShape(entry, entry.buffers[index], dims);
    if (!shape)
      return shape.takeFailure();
    rt::HostTensor &input = inputs.emplace_back();
    input.type = entry.buffers[index].type;
    input.shape = std::move(*shape);
  }
  rt::RunOptions options;
  options.hasContents = false;
  if (auto status = program.run(device, entry, dims, inputs, outputs, options);
      !status)
    return status.takeFailure();
  std::vector<cycle::Profile> profiles;
  for (const EmulatedLaunch &launch : device.getLaunches())
    profiles.push_back(
        cycle::makeProfile(launch.kernel.name, launch.trace, *target, *timing));
  return profiles;
}

std::pair<double, double>
te::getTotals(llvm::ArrayRef<cycle::Profile> profiles) {
  double clocks = 0, seconds = 0;
  for (auto [index, profile] : llvm::enumerate(profiles)) {
    clocks += profile.gridClocks + (index ? profile.timing.getKernelGap() : 0);
    seconds += profile.seconds() + (index ? kKernelGap : 0);
  }
  return {clocks, seconds};
}

llvm::json::Value te::toJson(llvm::ArrayRef<cycle::Profile> profiles) {
  llvm::json::Array launches;
  for (const cycle::Profile &profile : profiles)
    launches.push_back(profile.toJSON());
  auto [clocks, seconds] = getTotals(profiles);
  return llvm::json::Object{{"version", 1},
                            {"grid_clocks", clocks},
                            {"seconds", seconds},
                            {"launches", std::move(launches)}};
}
