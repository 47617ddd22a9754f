//===- PrefetchLoads.cpp - tile-prefetch-loads ----------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the next iteration's tiles while this one's are computed with: a
// workgroup that goes down rows, or along them, always has loads in flight.
// Runs after tile-hoist-loads, on loops that te-to-tile marked:
//   te-opt --pass-pipeline='builtin.module(tile.kernel(tile-prefetch-loads))'
//
//   scf.for %i = %a to %n {            %x0 = tile.load %view[%a, %c0]
//     %x = tile.load %view[%i, %c0]    scf.for %i = %a to %n iter_args(%x =
//     %x0)
//     ... %x ...                  ==>    %j = %i + 1
//   } {tile.prefetch}                    %y = scf.if %j < %n
//                                          { tile.load %view[%j, %c0] } else {
//                                          %x }
//                                        ... %x ...
//                                        scf.yield %y
//
// Limits: loads that stand in the loop itself, of buffers that the kernel only
// reads, whose address follows from the induction variable by pure arithmetic.
// The loop runs at least once: te-to-tile makes no other.
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/Tile/IR/Tile.h"
#include "te/Dialect/Tile/Transforms/Passes.h"

#include "MarkedLoops.h"
#include "ReadOnly.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::te::tile;

namespace mlir::te::tile {
#define GEN_PASS_DEF_PREFETCHLOADSPASS
#include "te/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::te::tile

namespace {
/// A load of a loop's body, and what its address is computed by there, in
/// order.
struct Prefetch {
  LoadOp load;
  SetVector<Operation *> address;
};
} // namespace

/// What `load` needs of the loop's body; nothing where that is more than the
/// induction variable and pure arithmetic.
static std::optional<Prefetch> getPrefetch(scf::ForOp loop, LoadOp load) {
  if (!isReadOnly(load.getView()))
    return std::nullopt;
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) {
    return op->getBlock() == loop.getBody();
  };
  Prefetch result{load, {}};
  if (failed(getBackwardSlice(load.getOperation(), &result.address, options)))
    return std::nullopt;
  auto isKnown = [&](Operation *op) {
    return isPure(op) && op->getNumRegions() == 0 &&
           llvm::none_of(op->getOperands(), [&](Value operand) {
             return llvm::is_contained(loop.getRegionIterArgs(), operand);
           });
  };
  bool isAlone = llvm::none_of(load->getOperands(), [&](Value operand) {
    return llvm::is_contained(loop.getRegionIterArgs(), operand);
  });
  if (!isAlone || !llvm::all_of(result.address, isKnown))
    return std::nullopt;
  return result;
}

/// The loads of iteration `at`.
static SmallVector<Value> emitLoads(OpBuilder &b, scf::ForOp loop,
                                    ArrayRef<Prefetch> prefetches, Value at) {
  IRMapping map;
  map.map(loop.getInductionVar(), at);
  SmallVector<Value> loads;
  for (const Prefetch &prefetch : prefetches) {
    for (Operation *op : prefetch.address)
      if (!map.contains(op))
        for (auto [old, made] :
             llvm::zip_equal(op->getResults(), b.clone(*op, map)->getResults()))
          map.map(old, made);
    loads.push_back(b.clone(*prefetch.load, map)->getResult(0));
  }
  return loads;
}

/// The loads of the iteration after this one; after the last, what is there.
static SmallVector<Value> emitNext(OpBuilder &b, scf::ForOp loop,
                                   ArrayRef<Prefetch> prefetches,
                                   ValueRange current) {
  Location loc = loop.getLoc();
  Value next =
      arith::AddIOp::create(b, loc, loop.getInductionVar(), loop.getStep());
  Value isInside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                         next, loop.getUpperBound());
  auto branch = scf::IfOp::create(
      b, loc, isInside,
      [&](OpBuilder &inside, Location) {
        scf::YieldOp::create(inside, loc,
                             emitLoads(inside, loop, prefetches, next));
      },
      [&](OpBuilder &outside, Location) {
        scf::YieldOp::create(outside, loc, current);
      });
  return branch.getResults();
}

static LogicalResult prefetch(scf::ForOp loop) {
  SmallVector<Prefetch> prefetches;
  for (LoadOp load : loop.getBody()->getOps<LoadOp>())
    if (std::optional<Prefetch> found = getPrefetch(loop, load))
      prefetches.push_back(std::move(*found));
  if (prefetches.empty())
    return success();

  IRRewriter b(loop.getContext());
  b.setInsertionPoint(loop);
  SmallVector<Value> first =
      emitLoads(b, loop, prefetches, loop.getLowerBound());
  auto carry = [&](OpBuilder &inside, Location,
                   ArrayRef<BlockArgument> current) {
    OpBuilder::InsertionGuard guard(inside);
    inside.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> values(current.begin(), current.end());
    SmallVector<Value> next = emitNext(inside, loop, prefetches, values);
    for (auto [prefetch, value] : llvm::zip_equal(prefetches, current))
      b.replaceOp(prefetch.load, value);
    return next;
  };
  return loop.replaceWithAdditionalYields(
      b, first, /*replaceInitOperandUsesInLoop=*/false, carry);
}

namespace {
struct PrefetchLoadsPass
    : te::tile::impl::PrefetchLoadsPassBase<PrefetchLoadsPass> {
  void runOnOperation() override {
    if (isLeftOut(getOperation(), *this))
      return;
    if (failed(changeMarkedLoops(
            getOperation(), PrefetchLoadsMarker,
            [](scf::ForOp loop, Attribute) { return prefetch(loop); })))
      return signalPassFailure();
  }
};
} // namespace
