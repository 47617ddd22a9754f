//===- HoistLoads.cpp - tile-hoist-loads ----------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads what is the same in every iteration of a loop once, before it: gamma
// where a workgroup goes down rows, a row's statistics where it sweeps
// them. Runs after te-to-tile:
//   te-opt --pass-pipeline='builtin.module(tile.kernel(tile-hoist-loads))'
//
//   scf.for %i = ... {                      %g = tile.load %gamma[%c0, %c0]
//     %g = tile.load %gamma[%c0, %c0]  ==>  scf.for %i = ... {
//     ... }                                   ... }
//
// And before a cluster's exchange, while workgroups wait for each other,
// what is read after it.
//
// Limits: buffers that the kernel only reads; what is computed from a load
// stays in the loop, where it takes no registers meanwhile.
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/Tile/IR/Tile.h"
#include "te/Dialect/Tile/Transforms/Passes.h"

#include "ReadOnly.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::te::tile;

namespace mlir::te::tile {
#define GEN_PASS_DEF_HOISTLOADSPASS
#include "te/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::te::tile

/// Reads of such buffers, and the addresses that they take.
static bool isHoisted(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return isReadOnly(load.getView());
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return isReadOnly(load.getMemRef());
  return isPure(op) && llvm::all_of(op->getResultTypes(), [](Type type) {
           return isa<IndexType, MemRefType>(type);
         });
}

/// Loads after the exchange that do not depend on it.
static void readBefore(ClusterReduceOp exchange) {
  IRRewriter rewriter(exchange.getContext());
  SmallVector<LoadOp> loads;
  for (LoadOp load : exchange->getBlock()->getOps<LoadOp>())
    if (exchange->isBeforeInBlock(load) && isReadOnly(load.getView()))
      loads.push_back(load);
  for (LoadOp load : loads)
    if (succeeded(moveOperationDependencies(rewriter, load, exchange)))
      rewriter.moveOpBefore(load, exchange);
}

namespace {
struct HoistLoadsPass : te::tile::impl::HoistLoadsPassBase<HoistLoadsPass> {
  void runOnOperation() override {
    if (isLeftOut(getOperation(), *this))
      return;
    getOperation()->walk([](LoopLikeOpInterface loop) {
      moveLoopInvariantCode(
          loop.getLoopRegions(),
          [&](Value value, Region *) {
            return loop.isDefinedOutsideOfLoop(value);
          },
          [&](Operation *op, Region *) { return isHoisted(op); },
          [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
    });
    getOperation()->walk(readBefore);
  }
};
} // namespace
