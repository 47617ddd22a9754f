//===- Profiler.h - programs in the cycle model -----------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_DRIVER_PROFILER_H
#define TE_DRIVER_PROFILER_H

#include "te/CycleModel/CycleModel.h"
#include "te/Emulator/Emulator.h"
#include "te/Runtime/Program.h"

namespace mlir::te {

/// What the cycle model wants recorded of a launch: nothing of a chip that it
/// does not know.
emu::TraceRequest chooseRecorded(llvm::StringRef chip,
                                 const emu::KernelInfo &kernel,
                                 const emu::LaunchConfig &config,
                                 llvm::ArrayRef<uint64_t> work);

/// Profiles each launch of an entry by a sample of its grid
/// (emu::TraceRequest::isSample), on arguments of zeros; `dims` as
/// rt::bindDims gives them.
rt::Result<std::vector<cycle::Profile>>
profileSample(const rt::Program &program, const rt::Entry &entry,
              std::span<const int64_t> dims);

/// Clocks and seconds of all launches, each of which waits for the one before.
std::pair<double, double> getTotals(llvm::ArrayRef<cycle::Profile> profiles);

/// docs/cycle-model.md, "JSON".
llvm::json::Value toJson(llvm::ArrayRef<cycle::Profile> profiles);

} // namespace mlir::te

#endif // TE_DRIVER_PROFILER_H
