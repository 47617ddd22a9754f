//===- Timer.h - times an entry on a GPU -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_RUNTIME_TIMER_H
#define TE_RUNTIME_TIMER_H

#include "te/Runtime/Program.h"

namespace mlir::te::rt {

struct TimeOptions {
  unsigned warmup = 5, repeat = 50; // runs; those that are measured
  /// Runs rotate through sets of buffers of so many bytes in all, so that none
  /// finds its data in a cache.
  uint64_t rotate = uint64_t(256) << 20;
};

/// What runs took, queued one after another.
struct Times {
  std::vector<double> seconds; // of each measured run, by the device's clock
  size_t sets = 0;             // of buffers
  double getMedian() const;
  double getLeast() const;
};

/// Bytes of arguments and results, each once.
Result<uint64_t> countLeastBytes(const Entry &entry,
                                 std::span<const int64_t> dims);

/// Times an entry. `first`: an instance of it on these inputs.
Result<Times> timeRuns(Device &device, const LoadedCode &code,
                       const Entry &entry, std::span<const int64_t> dims,
                       std::span<const HostTensor> inputs, Instance first,
                       const TimeOptions &options);

} // namespace mlir::te::rt

#endif // TE_RUNTIME_TIMER_H
