//===- Run.h - te-launch: one run -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_TOOLS_TE_LAUNCH_RUN_H
#define TE_TOOLS_TE_LAUNCH_RUN_H

#include "Flags.h"
#include "te/Runtime/Timer.h"

namespace mlir::te {

/// What a run has found.
struct Report {
  std::string file, entry;
  std::map<std::string, int64_t> dims;
  uint64_t leastBytes = 0; // arguments and results, each once
  rt::Times times;
  std::vector<rt::Comparison> comparisons;
};

/// Runs programs on a device, one after another. The last program stays loaded:
/// runs of the same file that follow each other load it once.
class Runner {
public:
  explicit Runner(rt::Device &device) : device(device) {}
  rt::Result<Report> run(const RunFlags &flags);

private:
  rt::Status load(const std::string &file);
  rt::Result<const rt::Entry *> findEntry(const std::string &name) const;
  rt::Status runEntry(const RunFlags &flags, const rt::Entry &entry,
                      const std::vector<int64_t> &dims,
                      const std::vector<rt::HostTensor> &inputs,
                      Report &report);

  rt::Device &device;
  std::string file;
  std::optional<rt::Program> program;
  std::optional<rt::LoadedCode> code;
};

} // namespace mlir::te

#endif // TE_TOOLS_TE_LAUNCH_RUN_H
