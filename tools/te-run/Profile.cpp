//===- Profile.cpp - te-run: --profile -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emulator records a few workgroups of each launch, and the cycle model
// times them (docs/cycle-model.md). A file's ending says what is written there.
//
//===----------------------------------------------------------------------===//
#include "Session.h"

#include "te/Driver/Compile.h"
#include "te/Driver/Profiler.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::te;

/// Of a launch, for drawings.
static constexpr size_t kMaxSpans = 60000;

/// --clock is no higher than the chip's.
bool Session::checkClock() {
  if (!flags.clockGHz)
    return true;
  StringRef name = program ? StringRef(program->getManifest().target) : chip;
  const Timing *timing = Timing::lookup(name);
  if (!timing || *flags.clockGHz <= timing->peakGHz)
    return true;
  return fail(BadInput, llvm::formatv("--clock={0}: {1} has a peak clock of "
                                      "{2} GHz; give that or less",
                                      *flags.clockGHz, name, timing->peakGHz)
                            .str());
}

void Session::makeProfiles() {
  cycle::SimulationOptions options;
  options.maxSpans = flags.profiles.empty() ? 0 : kMaxSpans;
  for (const EmulatedLaunch &launch : emulator->getLaunches()) {
    const Target *target = Target::lookup(launch.chip);
    const Timing *timing = Timing::lookup(launch.chip);
    if (!target || !timing)
      continue;
    Timing clocked =
        timing->withClock(flags.clockGHz.value_or(timing->peakGHz));
    profiles.push_back(cycle::makeProfile(launch.kernel.name, launch.trace,
                                          *target, clocked, options));
  }
}

static void printText(llvm::raw_ostream &os,
                      ArrayRef<cycle::Profile> profiles) {
  for (const cycle::Profile &profile : profiles)
    cycle::printText(os, profile);
  if (profiles.size() > 1)
    os << llvm::formatv("all {0} launches, {1:f0} us between two: {2:f2} us\n",
                        profiles.size(), kKernelGap * 1e6,
                        getTotals(profiles).second * 1e6);
}

bool Session::printProfiles() {
  for (StringRef path : flags.profiles) {
    std::string text;
    llvm::raw_string_ostream os(text);
    if (path.ends_with(".json"))
      os << llvm::formatv("{0:2}\n", toJson(profiles));
    else if (path.ends_with(".html"))
      cycle::printHtml(os, profiles);
    else if (path.ends_with(".trace"))
      cycle::printTrace(os, profiles);
    else
      printText(os, profiles);
    if (llvm::Error error = writeOutput(path.empty() ? "-" : path, text))
      return fail(BadInput, "--profile=" + llvm::toString(std::move(error)));
  }
  return true;
}
