//===- Timer.cpp - times an entry on a GPU -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Runtime/Timer.h"

#include <algorithm>

using namespace mlir::te::rt;

/// Sets of buffers, at most.
static constexpr uint64_t kMaxSets = 64;

double Times::getLeast() const {
  return *std::min_element(seconds.begin(), seconds.end());
}

double Times::getMedian() const {
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  size_t half = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[half]
                           : (sorted[half - 1] + sorted[half]) / 2;
}

Result<uint64_t> mlir::te::rt::countLeastBytes(const Entry &entry,
                                               std::span<const int64_t> dims) {
  uint64_t bytes = 0;
  for (const Buffer &buffer : entry.buffers) {
    if (buffer.kind == BufferKind::Workspace)
      continue;
    auto size = getBufferBytes(entry, buffer, dims);
    if (!size)
      return size.takeFailure();
    bytes += *size;
  }
  return bytes;
}

Result<Times> mlir::te::rt::timeRuns(Device &device, const LoadedCode &code,
                                     const Entry &entry,
                                     std::span<const int64_t> dims,
                                     std::span<const HostTensor> inputs,
                                     Instance first,
                                     const TimeOptions &options) {
  auto least = countLeastBytes(entry, dims);
  if (!least)
    return least.takeFailure();
  uint64_t bytes = std::max<uint64_t>(*least, 1);
  Times times;
  times.sets =
      std::clamp<uint64_t>((options.rotate + bytes - 1) / bytes, 1, kMaxSets);
  std::vector<Instance> sets;
  sets.push_back(std::move(first));
  while (sets.size() < times.sets) {
    auto instance = Instance::create(code, entry, dims, inputs);
    if (!instance)
      return instance.takeFailure();
    sets.push_back(std::move(*instance));
  }
  auto seconds =
      device.time(options.warmup + options.repeat, [&](unsigned index) {
        return sets[index % sets.size()].launch();
      });
  if (!seconds)
    return seconds.takeFailure();
  times.seconds.assign(seconds->begin() + options.warmup, seconds->end());
  return times;
}
