//===- ShareKernels.cpp - te-share-kernels --------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives equal regions one kernel's name, after te-fuse:
//   te-opt --te-share-kernels
//
//   te.fusion "f_0" (%a = %x : ...) ... {...}
//   te.fusion "f_1" (%a = %y : ...) ... {...}  // the same
// ==>
//   te.fusion "f_0" (%a = %x : ...) ... {...}
//   te.fusion "f_0" (%a = %y : ...) ... {...}
//
// Limits: what is equal but for the order of its ops or operands is another
// kernel.
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/TE/Transforms/Passes.h"
#include "te/Region/SharedKernels.h"

using namespace mlir;
using namespace mlir::te;

namespace mlir::te {
#define GEN_PASS_DEF_SHAREKERNELSPASS
#include "te/Dialect/TE/Transforms/Passes.h.inc"
} // namespace mlir::te

namespace {
struct ShareKernelsPass : te::impl::ShareKernelsPassBase<ShareKernelsPass> {
  void runOnOperation() override {
    for (SmallVector<FusionOp> &regions : groupByKernel(getOperation())) {
      ++numKernels;
      numRegions += regions.size();
      for (FusionOp region : regions)
        region.setKernelAttr(regions.front().getKernelAttr());
    }
  }
};
} // namespace
