//===- Flags.h - te-launch: the command line -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No LLVM here: te-launch deploys with the runtime alone. A flag is a row of
// one table, which --help prints.
//
//===----------------------------------------------------------------------===//
#ifndef TE_TOOLS_TE_LAUNCH_FLAGS_H
#define TE_TOOLS_TE_LAUNCH_FLAGS_H

#include "te/Runtime/Compare.h"
#include "te/Runtime/Timer.h"

#include <map>

namespace mlir::te {

/// What one run is told.
struct RunFlags {
  std::string file, entry;
  std::map<std::string, int64_t> dims;
  std::vector<std::string> inputs, outputs;
  uint64_t seed = 0;
  std::string expect, save; // folders
  /// By the name of a result's buffer; "" is for all others.
  std::map<std::string, rt::Tolerance> tolerances;
  bool isTimed = false;
  rt::TimeOptions timing;
};

/// What the process is told.
struct Flags : RunFlags {
  std::string device, batch;
  bool isJson = false, isList = false, isHelp = false;
};

/// Reads arguments. `base` is what holds where they say nothing.
rt::Result<Flags> readFlags(const std::vector<std::string> &arguments,
                            const Flags &base = {});

/// The arguments of a line: split at blanks.
std::vector<std::string> splitLine(const std::string &line);

std::string getHelp();

} // namespace mlir::te

#endif // TE_TOOLS_TE_LAUNCH_FLAGS_H
