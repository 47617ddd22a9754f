//===- FusionLoss.cpp - where two kernels are faster than one -------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What te-fuse asks: by the same roofline that ranks schedules.
//
//===----------------------------------------------------------------------===//

#include "Roofline.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::te;

/// The product's clocks in a kernel of these ops.
static std::optional<double> estimateKernel(ArrayRef<Operation *> ops,
                                            const Target &target) {
  TileDemand demand = getTileDemand(ops);
  std::optional<Roofline> roofline = getRoofline(
      demand, chooseSchedule(ops.front()->getContext(), demand, target),
      target);
  if (!roofline)
    return std::nullopt;
  return roofline->getClocks();
}

/// What two kernels take less than one, in words.
static std::optional<std::string> compareClocks(std::optional<double> together,
                                                std::optional<double> product,
                                                double others) {
  if (!together || !product || *together <= *product + others)
    return std::nullopt;
  return llvm::formatv("one kernel would take about {0:f0} clocks, two {1:f0}",
                       *together, *product + others);
}

std::optional<std::string> te::findPrologueLoss(FusionOp fusion, GemmOp plain,
                                                const Target &target) {
  const Timing *timing = Timing::lookup(target.name);
  SmallVector<Operation *> ops = getRegionOps(fusion);
  TileDemand demand = getTileDemand(ops);
  std::string why;
  if (!planGemm(demand.gemm, target, why))
    return why;
  if (std::optional<std::string> violation = findViolation(
          demand, chooseSchedule(fusion.getContext(), demand, target), target))
    return violation;
  if (!timing)
    return std::nullopt;
  double others = 0;
  for (Operation &op : fusion.getBody().front())
    if (isPrologue(&op))
      others += getPassClocks(getTileDemand(&op), /*read=*/0, target, *timing);
  return compareClocks(estimateKernel(ops, target),
                       estimateKernel(plain.getOperation(), target), others);
}

/// One op more asks for other tiles of the product, or more of them.
static bool changesTiles(const TileDemand &with, const TileDemand &without) {
  auto get = [](const TileDemand &demand) {
    return std::tuple(demand.products, demand.minRows, demand.minCols,
                      demand.coverRows, demand.coverCols, demand.rowsPerWave,
                      demand.wholeRows);
  };
  return get(with) != get(without);
}

std::optional<std::string> te::findEpilogueLoss(ArrayRef<Operation *> ops,
                                                const Target &target) {
  const Timing *timing = Timing::lookup(target.name);
  Operation *last = ops.back();
  ArrayRef<Operation *> others = ops.drop_back();
  if (!timing || others.empty() || !findGemm(others) ||
      !changesTiles(getTileDemand(ops), getTileDemand(others)))
    return std::nullopt;
  return compareClocks(
      estimateKernel(ops, target), estimateKernel(others, target),
      getPassClocks(getTileDemand(last), /*read=*/0, target, *timing));
}
