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
//     %s = arith.remui %i, 2               tile.take %ring[0, ..]
//     tile.take %ring[%s, ..]         ==>  tile.take %ring[1, ..]
//   } {tile.unroll = 2}                  }
//                                        scf.for %i = %m to %n step 1 { .. }
//
// Upstream unrolls; what is done here are the remainders.
//
// Limits: loops from 0 on, by 1.
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/Tile/IR/Tile.h"
#include "te/Dialect/Tile/Transforms/Passes.h"

#include "MarkedLoops.h"

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

/// The constant that the value is ahead of `base`.
static std::optional<int64_t> getDistance(Value value, Value base) {
  if (value == base)
    return 0;
  auto sum = value.getDefiningOp<arith::AddIOp>();
  if (!sum)
    return std::nullopt;
  for (auto [x, y] : {std::pair(sum.getLhs(), sum.getRhs()),
                      std::pair(sum.getRhs(), sum.getLhs())})
    if (std::optional<int64_t> ahead = getDistance(x, base),
        constant = getConstant(y);
        ahead && constant)
      return *ahead + *constant;
  return std::nullopt;
}

/// Of the number of an iteration, which is a multiple of `factor` in front of
/// each first copy.
static void foldRemainders(scf::ForOp loop, int64_t factor) {
  SmallVector<arith::RemUIOp> remainders;
  loop.walk([&](arith::RemUIOp op) { remainders.push_back(op); });
  for (arith::RemUIOp op : remainders) {
    std::optional<int64_t> ahead =
        getDistance(op.getLhs(), loop.getInductionVar());
    if (!ahead || getConstantIntValue(op.getRhs()) != factor)
      continue;
    OpBuilder b(op);
    Value constant =
        arith::ConstantIndexOp::create(b, op.getLoc(), *ahead % factor);
    op.replaceAllUsesWith(constant);
    op.erase();
  }
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
  FailureOr<UnrolledLoopInfo> unrolled =
      loopUnrollByFactor(loop, factor.getInt());
  if (failed(unrolled))
    return loop.emitError("tile-unroll: upstream does not unroll this loop");
  if (unrolled->mainLoopOp)
    foldRemainders(*unrolled->mainLoopOp, factor.getInt());
  return success();
}

namespace {
struct UnrollPass : te::tile::impl::UnrollPassBase<UnrollPass> {
  void runOnOperation() override {
    if (failed(changeMarkedLoops(getOperation(), UnrollMarker, unroll)))
      return signalPassFailure();
  }
};
} // namespace
