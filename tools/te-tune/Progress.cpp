//===- Progress.cpp - te-tune: what a person sees -------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Progress.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::te;

static constexpr size_t kBar = 24; // characters

Progress::Progress()
    : isTerminal(llvm::sys::Process::StandardErrIsDisplayed()) {}

void Progress::start(llvm::StringRef name, size_t done) {
  region = name.str();
  best = 0;
  first = done;
  begin = Clock::now();
}

void Progress::report(size_t done, size_t left, double clocks,
                      double defaultClocks) {
  bool isBetter = best == 0 || clocks < best;
  best = clocks;
  if (!isTerminal) {
    if (isBetter)
      llvm::errs() << llvm::formatv(
          "te-tune: {0}: {1} tried: {2:f0} clocks, {3:f2} x as fast as the "
          "default\n",
          region, done, clocks, defaultClocks / clocks);
    return;
  }
  double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  size_t all = done + left - 1;
  int rest = seconds / (done - first) * (left - 1);
  size_t filled = kBar * done / all;
  llvm::errs() << llvm::formatv(
      "\r\x1b[K{0} [{1}{2}] {3} of about {4}, {5:f2} x as fast as the default, "
      "about {6} s left",
      region, std::string(filled, '#'), std::string(kBar - filled, ' '), done,
      all, defaultClocks / clocks, rest);
}

void Progress::finish() {
  if (isTerminal)
    llvm::errs() << "\r\x1b[K";
}
