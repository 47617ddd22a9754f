//===- Measure.h - te-tune: one schedule in the cycle model -----*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_TOOLS_TE_TUNE_MEASURE_H
#define TE_TOOLS_TE_TUNE_MEASURE_H

#include "SearchLog.h"
#include "te/Runtime/Manifest.h"

#include "te/Schedule/ScheduleSpace.h"
#include "te/Schedule/TuningDatabase.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

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

/// Times a region with a schedule: its function is compiled and profiled by a
/// sample, once for each of `sizes`.
TriedSchedule measure(const TunedRegion &region, ScheduleAttr schedule,
                      llvm::ArrayRef<Sizes> sizes, const Target &target);

/// The region's demand with the sizes of its te.gemm, as far as types and the
/// arguments of its function tell them, else 1; an error where `sizes` do not
/// fit the function.
rt::Result<TileDemand> bindDemand(const TunedRegion &region,
                                  const Sizes &sizes);

} // namespace mlir::te

#endif // TE_TOOLS_TE_TUNE_MEASURE_H
