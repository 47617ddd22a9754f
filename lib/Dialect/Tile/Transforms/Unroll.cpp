//===- Unroll.cpp - tile-unroll -------------------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop is unrolled by the slots of its rings, so that their places in LDS are
// constants. Runs last, on loops that tile-pipeline marked:
//   te-opt --pass-pipeline='builtin.module(tile.kernel(tile-unroll))'
//
//   scf.for %i = 0 to %n step 1 {        scf.for %i = 0 to %m step 2 {
//     %s = arith.remui %i, 2               tile.local_load %ring[0, ..]
//     tile.local_load %ring[%s, ..]         ==>  tile.local_load %ring[1, ..]
//   } {tile.unroll = 2}                  }
//                                        scf.for %i = %m to %n step 1 { .. }
//
// Upstream unrolls; what is done here are the remainders. In a loop over tiles
// that are stored among the products of the next one (tile-delay-stores, marker
// tile.delay), the last iterations stand after the loop, a third of them at
// the most, or all where they are few: stores have places next to these.
//
// Limits: loops from 0 on, by 1.
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/Tile/IR/Tile.h"
#include "te/Dialect/Tile/Transforms/Passes.h"

#include "MarkedLoops.h"
#include "Products.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::te::tile;

namespace mlir::te::tile {
#define GEN_PASS_DEF_UNROLLPASS
#include "te/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::te::tile

/// A number that follows from constants.
static std::optional<int64_t> getConstant(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return constant;
  auto combine = [](auto op, auto function) -> std::optional<int64_t> {
    std::optional<int64_t> left = getConstant(op.getLhs()),
                           right = getConstant(op.getRhs());
    return left && right ? std::optional(function(*left, *right))
                         : std::nullopt;
  };
  if (auto op = value.getDefiningOp<arith::MulIOp>())
    return combine(op, std::multiplies<int64_t>());
  if (auto op = value.getDefiningOp<arith::AddIOp>())
    return combine(op, std::plus<int64_t>());
  return std::nullopt;
}

/// The value as a * base + c.
static std::optional<std::pair<int64_t, int64_t>> getAffine(Value value,
                                                            Value base) {
  using Affine = std::pair<int64_t, int64_t>;
  if (value == base)
    return Affine{1, 0};
  if (std::optional<int64_t> constant = getConstant(value))
    return Affine{0, *constant};
  bool isSum = value.getDefiningOp<arith::AddIOp>();
  if (!isSum && !value.getDefiningOp<arith::MulIOp>())
    return std::nullopt;
  std::optional<Affine> x = getAffine(value.getDefiningOp()->getOperand(0),
                                      base),
                        y = getAffine(value.getDefiningOp()->getOperand(1),
                                      base);
  if (!x || !y)
    return std::nullopt;
  if (isSum)
    return Affine{x->first + y->first, x->second + y->second};
  if (x->first && y->first)
    return std::nullopt;
  return Affine{x->first * y->second + y->first * x->second,
                x->second * y->second};
}

/// Of what follows from an iteration's number, which is a multiple of `factor`
/// before each first copy.
static void foldRemainders(scf::ForOp loop, int64_t factor) {
  SmallVector<arith::RemUIOp> remainders;
  loop.walk([&](arith::RemUIOp op) { remainders.push_back(op); });
  for (arith::RemUIOp op : remainders) {
    auto affine = getAffine(op.getLhs(), loop.getInductionVar());
    std::optional<int64_t> divisor = getConstantIntValue(op.getRhs());
    if (!affine || !divisor || *divisor <= 0 || affine->second < 0 ||
        affine->first * factor % *divisor != 0)
      continue;
    OpBuilder b(op);
    Value constant = arith::ConstantIndexOp::create(b, op.getLoc(),
                                                    affine->second % *divisor);
    op.replaceAllUsesWith(constant);
    op.erase();
  }
}

/// Matrix instructions next to which a tile is stored.
static constexpr int64_t kMostWithStores = 256;

/// The last iterations of a loop over K, which get a loop of their own, to be
/// unrolled.
static scf::ForOp splitLast(scf::ForOp loop, int64_t factor) {
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (!trips || !loop->getParentOp()->hasAttr(DelayStoresMarker))
    return {};
  int64_t count = trips->getSExtValue(),
          each = std::max<int64_t>(countInstructions(loop), 1),
          most = kMostWithStores / each;
  constexpr int64_t parts = 3;
  int64_t behind =
      count <= most ? count : std::min(most, count / parts) / factor * factor;
  if (behind == 0)
    return {};
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  Value middle = arith::ConstantIndexOp::create(b, loc, count - behind);
  b.setInsertionPointAfter(loop);
  auto last = cast<scf::ForOp>(b.clone(*loop));
  loop->replaceAllUsesWith(last);
  last.getInitArgsMutable().assign(loop.getResults());
  last.setLowerBound(middle);
  loop.setUpperBound(middle);
  return last;
}

static LogicalResult unroll(scf::ForOp loop, Attribute marker) {
  auto factor = dyn_cast<IntegerAttr>(marker);
  if (!factor || !factor.getType().isSignlessInteger(64) || factor.getInt() < 1)
    return loop.emitError("tile.unroll = ")
           << marker << " is no number of copies; give 1 or more";
  if (getConstantIntValue(loop.getLowerBound()) != 0 ||
      getConstantIntValue(loop.getStep()) != 1)
    return loop.emitError("tile-unroll: the loop does not run from 0 on by 1; "
                          "leave tile.unroll out");
  if (scf::ForOp last = splitLast(loop, factor.getInt())) {
    if (failed(loopUnrollFull(last)))
      return failure();
    if (loop.getStaticTripCount()->isZero()) {
      loop->replaceAllUsesWith(loop.getInitArgs());
      loop.erase();
      return success();
    }
  }
  FailureOr<UnrolledLoopInfo> unrolled =
      loopUnrollByFactor(loop, factor.getInt());
  if (failed(unrolled))
    return loop.emitError("tile-unroll: upstream does not unroll this loop");
  if (unrolled->mainLoopOp)
    foldRemainders(*unrolled->mainLoopOp, factor.getInt());
  if (std::optional<scf::ForOp> rest = unrolled->epilogueLoopOp;
      rest && rest->getStaticTripCount())
    return loopUnrollFull(*rest);
  return success();
}

namespace {
struct UnrollPass : te::tile::impl::UnrollPassBase<UnrollPass> {
  void runOnOperation() override {
    if (isLeftOut(getOperation(), *this))
      return;
    if (failed(changeMarkedLoops(getOperation(), UnrollMarker, unroll)))
      return signalPassFailure();
  }
};
} // namespace
