//===- DelayStores.cpp - tile-delay-stores --------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stores a tile among the products of the next one: memory takes it by and by,
// in place of standing still while all matrix cores work, and these in place of
// waiting for it. Runs after tile-hoist-loads, on loops over tiles that
// te-to-tile marked:
//   te-opt --pass-pipeline='builtin.module(tile.kernel(tile-delay-stores))'
//
//   scf.for %n = .. {            %last:3 = scf.for %n = ..
//                                    iter_args(%y = 0, %r = rows, %c = 0) {
//                                  tile.store %y, %v[%r, %c] {slices = 2}
//     %s = tile.mma ..             %s = tile.mma ..
//                        ==>       tile.store %y, %v[%r, %c] {slice = 1, ..}
//     %t = tile.mma .., %s         %t = tile.mma .., %s
//     tile.store %d, %v[%i, %j]    scf.yield %d, %i, %j
//   } {tile.delay}               }
//                                tile.store %last#0, %v[%last#1, %last#2]
//
// Nothing is stored of what the first tile finds: it lies after the last row.
//
// Limits: stores that stand in the loop itself, of whole columns and no
// replicas, into a view that does not change in it; products that stand there
// too.
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/Tile/IR/Tile.h"
#include "te/Dialect/Tile/Transforms/Passes.h"

#include "MarkedLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::te::tile;

namespace mlir::te::tile {
#define GEN_PASS_DEF_DELAYSTORESPASS
#include "te/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::te::tile

/// Stores of the loop's body that are the same instructions for all lanes.
static SmallVector<StoreOp> getStores(scf::ForOp loop) {
  auto stores = llvm::make_filter_range(
      loop.getBody()->getOps<StoreOp>(), [&](StoreOp store) {
        // Branches would separate the products.
        return store.countAccesses() > 0 &&
               loop.isDefinedOutsideOfLoop(store.getView());
      });
  return SmallVector<StoreOp>(stores);
}

/// The same store of what an iteration before has left, or a slice of it.
static void emitStore(OpBuilder &b, StoreOp store, ValueRange delayed,
                      int64_t slice, int64_t slices) {
  auto made = cast<StoreOp>(b.clone(*store));
  made.getValueMutable().assign(delayed[0]);
  made.getRowMutable().assign(delayed[1]);
  made.getColumnMutable().assign(delayed[2]);
  made.setInBounds(false);
  made.setSlice(slice);
  made.setSlices(slices);
}

static LogicalResult delay(scf::ForOp loop, Attribute marker) {
  if (!isa<UnitAttr>(marker))
    return loop.emitError("tile.delay = ")
           << marker << ": it marks a loop over tiles and has no value; write "
           << "tile.delay alone";
  SmallVector<MmaOp> products(loop.getBody()->getOps<MmaOp>());
  SmallVector<StoreOp> stores = getStores(loop);
  if (stores.empty() || products.empty())
    return success();
  IRRewriter b(loop.getContext());
  b.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  SmallVector<Value> first;
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  for (StoreOp store : stores) {
    auto type = cast<RankedTensorType>(store.getValue().getType());
    first.push_back(arith::ConstantOp::create(b, loc, b.getZeroAttr(type)));
    first.push_back(b.createOrFold<memref::DimOp>(loc, store.getView(), 0));
    first.push_back(zero);
  }
  auto carry = [&](OpBuilder &inside, Location,
                   ArrayRef<BlockArgument> delayed) {
    SmallVector<Value> next;
    int64_t slices = products.size();
    for (auto [i, product] : llvm::enumerate(products)) {
      OpBuilder::InsertionGuard guard(inside);
      inside.setInsertionPoint(product);
      for (auto [s, store] : llvm::enumerate(stores))
        emitStore(inside, store, ValueRange(delayed.slice(3 * s, 3)), i,
                  slices);
    }
    for (StoreOp store : stores)
      llvm::append_values(next, store.getValue(), store.getRow(),
                          store.getColumn());
    return next;
  };
  FailureOr<LoopLikeOpInterface> replaced = loop.replaceWithAdditionalYields(
      b, first, /*replaceInitOperandUsesInLoop=*/false, carry);
  if (failed(replaced))
    return failure();
  auto made = cast<scf::ForOp>(replaced->getOperation());
  b.setInsertionPointAfter(made);
  ValueRange last = made.getResults().take_back(first.size());
  for (auto [s, store] : llvm::enumerate(stores)) {
    emitStore(b, store, last.slice(3 * s, 3), /*slice=*/0, /*slices=*/1);
    b.eraseOp(store);
  }
  return success();
}

namespace {
struct DelayStoresPass : te::tile::impl::DelayStoresPassBase<DelayStoresPass> {
  void runOnOperation() override {
    if (isLeftOut(getOperation(), *this))
      return;
    if (failed(changeMarkedLoops(getOperation(), DelayStoresMarker, delay)))
      return signalPassFailure();
  }
};
} // namespace
