//===- TEToTile.cpp - te-to-tile ------------------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each te.fusion becomes a tile.kernel and a tile.launch, after te-schedule;
// equal ones of one name share the kernel:
//   te-opt --te-to-tile
//
//   %q = te.fusion "f_0" (%a = %x : tensor<?x64xbf16>) -> (...) ... {...}
// ==>
//   %q = tile.launch @f_0 grid(%gx, %gy) ins(%x : ...) sizes(%m) -> ...
//   tile.kernel @f_0(...) {...}
//
// The grid covers the padding of the scales too: outside the tensor a tile
// reads zeros, whose scale byte is the padding's. An amax starts from 0, which
// a launch of a one-lane kernel writes before.
//
// Workgroups are divided among the subkernels of a region, each with its own M
// x K.
//
//===----------------------------------------------------------------------===//

#include "ColumnSums.h"
#include "Outliner.h"
#include "RegionCheck.h"

#include "te/Region/Contraction.h"
#include "te/Region/SharedKernels.h"
#include "te/Region/StorageOrder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

namespace mlir::te {
#define GEN_PASS_DEF_TETOTILEPASS
#include "te/Conversion/Passes.h.inc"
} // namespace mlir::te

/// Of what the ops of a subkernel yield.
static Cover getCover(ValueRange yielded, ArrayRef<Operation *> ops) {
  Cover cover;
  llvm::SmallPtrSet<Operation *, 4> transposed = getTransposedOps(ops);
  for (Value inner : yielded) {
    if (!llvm::is_contained(ops, inner.getDefiningOp()))
      continue;
    auto scaled = dyn_cast<ScaledType>(inner.getType());
    if (!scaled) {
      IndexMap map = getMap(cast<OpResult>(inner));
      cover.needsRow |= map.isScalar();
      cover.needsCol |= map.isScalar() || map.isRow();
      continue;
    }
    // An empty tensor has a scale too, and each of its rows.
    bool isBlock = scaled.getScaling().isBlock(), isRow = false, isCol = false;
    for (ScaledType::StorageDim dim : scaled.getScaleStorage()) {
      bool isCols =
          isColumns(scaled, dim) != transposed.contains(inner.getDefiningOp());
      (isCols ? isCol : isRow) = true;
      int64_t &multiple = isCols ? cover.colMultiple : cover.rowMultiple;
      multiple = std::max(multiple, dim.divisor * dim.multiple);
    }
    cover.needsRow |= !isBlock && !isRow;
    cover.needsCol |= !isBlock && !isCol;
  }
  return cover;
}

/// The kernels that compute something over rows which workgroups share.
LogicalResult Outliner::emitPartialKernels() {
  ScheduleAttr schedule = fusion.getScheduleAttr();
  int64_t width = schedule.getTile()[1],
          unit = std::max(subkernels.front().cover.colMultiple, width),
          cols = subkernels.front().anchor.getExtents().second;
  splits.emplace(schedule.getGrid().getRowSplit(),
                 llvm::alignTo(cols, unit) / width, width);
  bool isComplete = false;
  while (!isComplete) {
    if (failed(emitKernel(/*isLast=*/false)))
      return failure();
    isComplete = splits->end();
    made.kernels.back().partial = splits->getPartialType(
        fusion.getContext(), subkernels.front().anchor.getExtents().first);
  }
  return success();
}

LogicalResult Outliner::emitKernels() {
  if (fusion.getScheduleAttr().getGrid().getRowSplit() > 1 &&
      failed(emitPartialKernels()))
    return failure();
  return emitKernel(/*isLast=*/true);
}

void Outliner::emitLaunches() {
  for (const RegionKernels::Kernel &kernel : made.kernels)
    emitLaunch(kernel);
  fusion.erase();
}

namespace {
struct TEToTilePass : te::impl::TEToTilePassBase<TEToTilePass> {
  /// `made`: the kernels of an equal region, or where this one's go.
  LogicalResult outline(FusionOp fusion, SymbolTable &symbols,
                        RegionKernels &made) {
    if (!fusion.getScheduleAttr())
      return fusion.emitError(
          "te.fusion has no schedule; run te-schedule first");
    llvm::Expected<const Target *> target =
        Target::get(fusion.getScheduleAttr().getTarget());
    if (!target)
      return fusion.emitError(llvm::toString(target.takeError()));
    bool isNew = made.kernels.empty();
    if (isNew && failed(verifyRegion(fusion)))
      return failure();
    SmallVector<Operation *> ops = getRegionOps(fusion);
    if (Operation *product = findContraction(ops).op;
        product && !fusion.getScheduleAttr().getMatmul())
      return product->emitError("the region's schedule does not say how ")
             << product->getName() << " is computed; run te-schedule (H14)";
    SmallVector<Subkernel> subkernels;
    for (SmallVector<Operation *> &subkernel : getSubkernels(ops))
      subkernels.push_back(
          {subkernel, findAnchor(subkernel),
           getCover(fusion.getBody().front().getTerminator()->getOperands(),
                    subkernel)});
    if (subkernels.empty() || !subkernels.front().anchor.value)
      return fusion.emitError("no op of the region reads a tensor; remove "
                              "it (F5)");
    Value noop;
    for (Operation *op : ops)
      if (Value flag = getNoopFlag(op))
        noop = flag;
    Outliner outliner{fusion,
                      **target,
                      symbols,
                      ops,
                      subkernels,
                      noop,
                      getColumnSums(fusion),
                      getFirstRow(ops),
                      made};
    if (isNew && failed(outliner.emitKernels()))
      return failure();
    outliner.emitLaunches();
    return success();
  }

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    llvm::DenseMap<Operation *, unsigned> numbers; // equal regions have one
    for (auto [number, equal] : llvm::enumerate(groupByKernel(getOperation())))
      for (FusionOp fusion : equal)
        numbers[fusion] = number;
    SmallVector<FusionOp> fusions;
    getOperation().walk([&](FusionOp fusion) { fusions.push_back(fusion); });
    llvm::DenseMap<std::pair<unsigned, Attribute>, RegionKernels> made;
    for (FusionOp fusion : fusions) {
      RegionKernels &kernels =
          made[{numbers.lookup(fusion), fusion.getKernelAttr()}];
      if (failed(outline(fusion, symbols, kernels)))
        return signalPassFailure();
    }
  }
};
} // namespace
