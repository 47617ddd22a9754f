//===- Philox.cpp - random words on tiles ---------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Philox.h"

#include <array>

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

namespace {
constexpr int kRounds = 10;
/// Multipliers of counter words 0 and 2, and what each round adds to the key.
constexpr uint32_t kMultipliers[] = {0xD2511F53, 0xCD9E8D57};
constexpr uint32_t kKeySteps[] = {0x9E3779B9, 0xBB67AE85};

using Words = std::array<Value, kPhiloxWords>;
} // namespace

/// The low and the high half of a 64-bit number (a tile or scalar).
static std::pair<Value, Value> emitHalves(TileContext &ctx, Value wide) {
  auto &b = ctx.b;
  Type i32 = withElementType(wide.getType(), b.getI32Type());
  Value high =
      arith::ShRUIOp::create(b, wide, ctx.intConstant(wide.getType(), 32));
  return {arith::TruncIOp::create(b, i32, wide),
          arith::TruncIOp::create(b, i32, high)};
}

/// Both halves of a product of words.
static std::pair<Value, Value> emitProduct(TileContext &ctx, Value word,
                                           uint32_t multiplier) {
  auto &b = ctx.b;
  Type i64 = withElementType(word.getType(), b.getI64Type());
  Value wide = arith::ExtUIOp::create(b, i64, word);
  return emitHalves(
      ctx, arith::MulIOp::create(b, wide, ctx.intConstant(i64, multiplier)));
}

static Words emitPhilox(TileContext &ctx, Words counter,
                        std::array<Value, 2> key) {
  auto &b = ctx.b;
  Type i32 = counter[0].getType();
  auto exclusiveOr = [&](Value x, Value y, Value scalar) -> Value {
    return arith::XOrIOp::create(b, arith::XOrIOp::create(b, x, y),
                                 ctx.splat(scalar, i32));
  };
  for (int round = 0; round < kRounds; ++round) {
    auto [low0, high0] = emitProduct(ctx, counter[0], kMultipliers[0]);
    auto [low1, high1] = emitProduct(ctx, counter[2], kMultipliers[1]);
    counter = {exclusiveOr(high1, counter[1], key[0]), low1,
               exclusiveOr(high0, counter[3], key[1]), low0};
    for (auto [word, step] : llvm::zip_equal(key, kKeySteps))
      word = arith::AddIOp::create(
          b, word, ctx.intConstant(b.getI32Type(), int32_t(step)));
  }
  return counter;
}

Value te::emitRandomWords(TileContext &ctx, Value rng, bool columnwise,
                          const LinearLayout &layout) {
  auto &b = ctx.b;
  Value state =
      ctx.view(ctx.getBuffers(rng).data, b.getIndexAttr(1), b.getIndexAttr(2));
  Value zero = arith::ConstantIndexOp::create(b, 0);
  auto load = [&](int64_t i) {
    Value at = arith::ConstantIndexOp::create(b, i);
    return emitHalves(ctx,
                      memref::LoadOp::create(b, state, ValueRange{zero, at}));
  };
  auto [seedLow, seedHigh] = load(0);
  auto [offsetLow, offsetHigh] = load(1);

  Type i32 = getTileType(b.getI32Type(), b.getContext(),
                         layout.project({1, kPhiloxWords}));
  Value firstRow = ctx.tileRow; // in M x K, of which a matrix is a part
  if (ctx.matrix)
    firstRow = arith::AddIOp::create(
        b, arith::MulIOp::create(b, ctx.matrix, ctx.rows), firstRow);
  auto coordinate = [&](int64_t dimension, Value first) -> Value {
    Value base = arith::IndexCastOp::create(b, b.getI32Type(), first);
    return arith::AddIOp::create(b, CoordinateOp::create(b, i32, dimension),
                                 ctx.splat(base, i32));
  };
  Value group = coordinate(
      1, b.createOrFold<arith::DivUIOp>(
             ctx.tileCol, arith::ConstantIndexOp::create(b, kPhiloxWords)));
  Value twice = arith::ShLIOp::create(b, group, ctx.intConstant(i32, 1));
  Words words = emitPhilox(
      ctx,
      {arith::OrIOp::create(b, twice, ctx.intConstant(i32, columnwise)),
       coordinate(0, firstRow), ctx.splat(offsetLow, i32),
       ctx.splat(offsetHigh, i32)},
      {seedLow, seedHigh});

  Type all = getTileType(b.getI32Type(), b.getContext(), layout);
  Value inGroup = arith::AndIOp::create(b, CoordinateOp::create(b, all, 1),
                                        ctx.intConstant(all, kPhiloxWords - 1));
  Value result = ctx.broadcast(words[0], layout);
  for (int64_t i = 1; i < kPhiloxWords; ++i) {
    Value is = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, inGroup,
                                     ctx.intConstant(all, i));
    result =
        arith::SelectOp::create(b, is, ctx.broadcast(words[i], layout), result);
  }
  return result;
}
