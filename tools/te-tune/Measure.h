//===- Measure.h - te-tune: the time of one schedule ------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_TOOLS_TE_TUNE_MEASURE_H
#define TE_TOOLS_TE_TUNE_MEASURE_H

#include "SearchLog.h"

#include "te/Runtime/Device.h"
#include "te/Runtime/Program.h"

#include "te/Schedule/ScheduleSpace.h"
#include "te/Schedule/TuningDatabase.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::te {

/// Sizes of dynamic dimensions, by name.
using Sizes = std::map<std::string, int64_t>;

/// A region that is tuned, in a module that te-fuse and te-schedule have seen.
struct TunedRegion {
  ModuleOp module;
  FusionOp fusion;
  std::string function, text, key;
  /// Kernels of its function whose regions are alike.
  std::vector<std::string> kernels;
  TileDemand demand;
  RegionSignature signature;
  /// The user wrote its schedule, which is timed (--record).
  bool isWritten = false;
};

/// Times a region with a schedule: its function is compiled, and profiled by a
/// sample in the cycle model, or the region's kernels are timed on a GPU.
class Meter {
public:
  /// `device`: a GPU that runs code for the target, or null.
  Meter(const Target &target, std::unique_ptr<rt::Device> device)
      : target(target), device(std::move(device)) {}

  /// TuningEntry::how.
  std::string getHow() const {
    return device ? device->getName() : std::string(kModelled);
  }
  /// Once for each of `sizes`; of a region for a range, those that have
  /// them.
  TriedSchedule measure(const TunedRegion &region, ScheduleAttr schedule,
                        llvm::ArrayRef<Sizes> sizes) const;

private:
  /// Clocks, or 0 where the sizes launch none of the region's kernels.
  rt::Result<double> time(const TunedRegion &region, const rt::Program &program,
                          const Sizes &sizes) const;
  rt::Result<double> timeOnDevice(const rt::Program &program,
                                  const rt::Entry &entry,
                                  llvm::ArrayRef<int64_t> dims) const;

  const Target &target;
  std::unique_ptr<rt::Device> device;
};

/// The kernels that are launched for any of the sizes, in a module that te-fuse
/// and te-schedule have seen.
rt::Result<llvm::StringSet<>> findLaunched(ModuleOp module,
                                           const Target &target,
                                           llvm::ArrayRef<Sizes> sizes);

/// The region's demand with the sizes of its te.gemm, as far as types and the
/// arguments of its function tell them, else 1; an error where `sizes` do not
/// fit the function.
rt::Result<TileDemand> bindDemand(const TunedRegion &region,
                                  const Sizes &sizes);

} // namespace mlir::te

#endif // TE_TOOLS_TE_TUNE_MEASURE_H
