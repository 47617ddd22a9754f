//===- Progress.h - te-tune: what a person sees -----------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_TOOLS_TE_TUNE_PROGRESS_H
#define TE_TOOLS_TE_TUNE_PROGRESS_H

#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace mlir::te {

/// On the standard error: a bar on a terminal, else a line where something is
/// better than before.
class Progress {
public:
  Progress();
  /// A region begins, of which earlier calls have done some.
  void start(llvm::StringRef region, size_t done);
  /// `left`: of what there is to try near the best, the last one too.
  void report(size_t done, size_t left, double clocks, double defaultClocks);
  /// Clears the bar.
  void finish();

private:
  using Clock = std::chrono::steady_clock;
  bool isTerminal;
  std::string region;
  double best = 0;
  size_t first = 0; // done when the region began
  Clock::time_point begin;
};

} // namespace mlir::te

#endif // TE_TOOLS_TE_TUNE_PROGRESS_H
