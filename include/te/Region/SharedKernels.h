//===- SharedKernels.h - regions that one kernel computes -------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_REGION_SHAREDKERNELS_H
#define TE_REGION_SHAREDKERNELS_H

#include "te/Dialect/TE/IR/TE.h"

namespace mlir::te {

/// True where one kernel computes both: the same ops, types, attributes and
/// schedule, whatever their operands and names.
bool haveOneKernel(FusionOp left, FusionOp right);

/// The regions below `root`, those of one kernel together, in the order of the
/// program.
SmallVector<SmallVector<FusionOp>> groupByKernel(Operation *root);

/// Answers about regions, computed once for equal ones.
class RegionAnswers {
public:
  RegionAnswers();
  ~RegionAnswers();

  /// `region`, which is detached, is erased; `compute` is called without it.
  std::optional<std::string>
  get(FusionOp region, function_ref<std::optional<std::string>()> compute);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace mlir::te

#endif // TE_REGION_SHAREDKERNELS_H
