//===- Moments.cpp - mean and variance of rows ----------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Moments.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

static constexpr double kInf = std::numeric_limits<double>::infinity();

/// The largest element of a row, of those that are `inside` (null: all).
static Value getMost(TileContext &ctx, Value x, Value inside,
                     function_ref<Value(ReduceKind, Value)> reduce) {
  if (inside)
    x = arith::SelectOp::create(ctx.b, inside, x,
                                ctx.constant(x.getType(), -kInf));
  return reduce(ReduceKind::MaxNum, x);
}

/// A mean, which rounding may have taken out of [-`mostNegated`, `most`]. NaN
/// stays.
static Value clampMean(TileContext &ctx, Value mean, Value most,
                       Value mostNegated) {
  auto &b = ctx.b;
  Value least = arith::NegFOp::create(b, mostNegated);
  return arith::MinimumFOp::create(b, arith::MaximumFOp::create(b, mean, least),
                                   most);
}

/// The mean square of what is `rest` less, from that of what is not.
static Value lessSquare(TileContext &ctx, Value squares, Value rest) {
  auto &b = ctx.b;
  Value less =
      math::FmaOp::create(b, arith::NegFOp::create(b, rest), rest, squares);
  return arith::MaximumFOp::create(b, less, ctx.constant(less.getType(), 0.0));
}

Moments te::emitMoments(TileContext &ctx, Value x) {
  auto &b = ctx.b;
  Type type = x.getType();
  Value share = ctx.splat(ctx.getRowShare(), type), inside;
  if (!ctx.wholeCols)
    inside = ctx.isInside(getLayout(type), ctx.tileRow, ctx.tileCol, ctx.rows,
                          ctx.cols);
  auto sum = [&](Value a, Value c) {
    return ctx.reduceRows(
        ReduceKind::Add,
        arith::MulFOp::create(b, a, c, arith::FastMathFlags::contract));
  };
  auto reduce = [&](ReduceKind kind, Value tile) {
    return ctx.reduceRows(kind, tile, kind == ReduceKind::Add ? 0 : -kInf);
  };
  Value mean = sum(x, share), most = getMost(ctx, x, inside, reduce),
        mostNegated = getMost(ctx, arith::NegFOp::create(b, x), inside, reduce);
  Value center = clampMean(ctx, mean, most, mostNegated);
  // Deviations times the root of a share: large ones' squares might overflow.
  Value root = math::SqrtOp::create(b, ctx.getRowShare());
  Value distance = ctx.padWithZeros(
      arith::SubFOp::create(b, x, ctx.broadcast(center, getLayout(type))));
  Value rest = sum(distance, share);
  Value scaled = arith::MulFOp::create(b, distance, ctx.splat(root, type));
  return {center, rest, lessSquare(ctx, sum(scaled, scaled), rest)};
}

Moments te::mergeMoments(TileContext &ctx, const Moments &partials,
                         Value shares,
                         function_ref<Value(ReduceKind, Value)> reduce) {
  auto &b = ctx.b;
  Type type = shares.getType();
  auto add = [&](Value x, Value y) -> Value {
    return arith::AddFOp::create(b, x, y);
  };
  auto multiply = [&](Value x, Value y) -> Value {
    return arith::MulFOp::create(b, x, y);
  };
  Value zero = ctx.constant(type, 0.0);
  Value any = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, shares, zero);
  // A part of no elements has no mean.
  auto orZero = [&](Value x) -> Value {
    return arith::SelectOp::create(b, any, x, zero);
  };
  Value mean = orZero(add(partials.center, partials.rest));
  Value center =
      clampMean(ctx, reduce(ReduceKind::Add, multiply(mean, shares)),
                getMost(ctx, mean, any, reduce),
                getMost(ctx, arith::NegFOp::create(b, mean), any, reduce));
  Value distance =
      add(arith::SubFOp::create(b, partials.center,
                                ctx.broadcast(center, getLayout(type))),
          partials.rest);
  distance = orZero(distance);
  Value weighted = multiply(distance, shares);
  Value rest = reduce(ReduceKind::Add, weighted);
  Value squares =
      reduce(ReduceKind::Add,
             orZero(add(partials.squares, multiply(distance, weighted))));
  return {center, rest, lessSquare(ctx, squares, rest)};
}
