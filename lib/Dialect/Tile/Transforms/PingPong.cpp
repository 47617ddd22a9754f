//===- PingPong.cpp - tile-ping-pong --------------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of two waves that share a SIMD one multiplies while the other one computes
// with vectors: an iteration has a barrier between its products and its vector
// work, and half of the waves are a barrier behind. Runs after tile-pipeline,
// on loops that te-to-tile marked:
//   te-opt --pass-pipeline='builtin.module(tile.kernel(tile-ping-pong))'
//
//   scf.for %i = ... {            tile.barrier half 1
//     .. exp ..                   scf.for %i = ... {
//     tile.async_wait for %ring          tile.async_wait for %ring
//     tile.async_copy ..            ==>  .. exp ..
//     %s = tile.mma ..              tile.barrier
//   } {tile.ping_pong}              tile.priority 1
//                                   tile.async_copy ..
//                                   %s = tile.mma ..
//                                   tile.priority 0
//                                 }
//                                 tile.barrier half 0
//
// The wait stands where waves have had the time of their products for what
// they copied before these: both halves have, before the first one reads
// it after the next barrier. What is read by products alone is free then, as
// both halves are through with them.
//
// Where there is no vector work, as products have their operands taken next to
// the ones before (te.gemm), the waves meet as they did, and a tile.priority
// stands before each product: the wave that is behind goes first.
//
// Limits: loops with one barrier, after which all of LDS is read, between
// vector work and products.
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/Tile/IR/Tile.h"
#include "te/Dialect/Tile/Transforms/Passes.h"

#include "MarkedLoops.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::te::tile;

namespace mlir::te::tile {
#define GEN_PASS_DEF_PINGPONGPASS
#include "te/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::te::tile

/// The level of a wave that multiplies; others have 0.
static constexpr int64_t kOfProducts = 1;

/// Where what a product multiplies is taken next to the one before there is
/// nothing but products to alternate with: of waves that share a SIMD the one
/// that is behind goes first. Products count from the barrier before them.
static bool raiseByPart(scf::ForOp loop) {
  SmallVector<Operation *> products;
  SmallVector<bool> haveBarriers;
  bool hasBarrier = false;
  for (Operation &op : *loop.getBody()) {
    hasBarrier |= isa<AsyncWaitOp>(op);
    if (!isa<MmaOp>(op) || isa<MmaOp>(op.getNextNode()))
      continue; // the last one of those that share an operand
    products.push_back(&op);
    haveBarriers.push_back(std::exchange(hasBarrier, false));
  }
  if (products.size() < 2 || !haveBarriers.back())
    return false;
  constexpr int64_t levels = 4;
  int64_t interval = products.size() / llvm::count(haveBarriers, true),
          behind = 0; // the barrier; the last product has one
  IRRewriter b(loop.getContext());
  for (auto [number, hasBarrier] : llvm::enumerate(haveBarriers)) {
    if (number == 0)
      b.setInsertionPointToStart(loop.getBody());
    else
      b.setInsertionPointAfter(products[number - 1]);
    behind = hasBarrier ? 0 : behind + 1;
    PriorityOp::create(
        b, loop.getLoc(),
        std::max<int64_t>(levels - 1 - behind * levels / interval, 0));
  }
  b.setInsertionPointAfter(loop);
  PriorityOp::create(b, loop.getLoc(), 0);
  return true;
}

/// What the loop stores before its barrier and reads after it: the barrier
/// moves to the front of all.
static bool waitsForStore(scf::ForOp loop, Operation *meeting) {
  auto localStores = llvm::to_vector(loop.getBody()->getOps<LocalStoreOp>());
  return llvm::any_of(
      loop.getBody()->getOps<LocalLoadOp>(), [&](LocalLoadOp localLoad) {
        return meeting->isBeforeInBlock(localLoad) &&
               llvm::any_of(localStores, [&](LocalStoreOp localStore) {
                 return localStore->isBeforeInBlock(meeting) &&
                        localStore.getRing() == localLoad.getRing() &&
                        localStore.getSlot() == localLoad.getSlot();
               });
      });
}

static LogicalResult alternate(scf::ForOp loop, Attribute) {
  if (raiseByPart(loop))
    return success();
  Operation *meeting = nullptr, *lastProduct = nullptr;
  for (Operation &op : *loop.getBody()) {
    if (isa<AsyncWaitOp, gpu::BarrierOp>(op)) {
      if (meeting)
        return loop.emitError("tile-ping-pong: the loop has two barriers; one "
                              "has to do for both halves of the waves");
      meeting = &op;
    } else if (isa<MmaOp>(op)) {
      lastProduct = &op;
    } else if (isa<LocalLoadOp>(op) && !meeting) {
      return loop.emitError("tile-ping-pong: LDS is read before the loop's "
                            "barrier");
    }
  }
  if (!meeting || !lastProduct || lastProduct->isBeforeInBlock(meeting))
    return loop.emitError("tile-ping-pong: the loop has no products after a "
                          "barrier; pipeline it first (tile-pipeline)");
  if (waitsForStore(loop, meeting))
    return loop.emitError(
        "tile-ping-pong: what is localStore before the loop's barrier is read "
        "after it; leave tile.ping_pong out");
  IRRewriter b(loop.getContext());
  Location loc = loop.getLoc();
  b.setInsertionPoint(loop);
  BarrierOp::create(b, loc, b.getI64IntegerAttr(1));
  b.setInsertionPoint(meeting);
  BarrierOp::create(b, loc, IntegerAttr());
  PriorityOp::create(b, loc, kOfProducts);
  b.setInsertionPointAfter(lastProduct);
  PriorityOp::create(b, loc, 0);
  b.moveOpBefore(meeting, loop.getBody(), loop.getBody()->begin());
  b.setInsertionPointAfter(loop);
  BarrierOp::create(b, loc, b.getI64IntegerAttr(0));
  return success();
}

namespace {
struct PingPongPass : te::tile::impl::PingPongPassBase<PingPongPass> {
  void runOnOperation() override {
    if (isLeftOut(getOperation(), *this))
      return;
    if (failed(changeMarkedLoops(getOperation(), PingPongMarker, alternate)))
      return signalPassFailure();
  }
};
} // namespace
