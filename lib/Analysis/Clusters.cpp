//===- Clusters.cpp - rows that a cluster's workgroups hold ---------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Clusters.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;

bool te::canFormClusters(const TileDemand &demand) {
  return demand.wholeRows && !demand.mixesRows && !demand.dividesGrid &&
         !demand.readsHalves && !demand.gemm;
}

int64_t te::getRowTiles(const TileDemand &demand, int64_t width) {
  int64_t unit = std::max(demand.coverCols, width);
  return std::max<int64_t>(llvm::alignTo(demand.cols, unit) / width, 1);
}

ScheduleAttr te::chooseCluster(MLIRContext *context, const TileDemand &demand,
                               const Target &target) {
  return nullptr;
}
