//===- GemmScales.cpp - scales that no instruction takes ------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What scales of blocks ask of sums: each block's sum times both, or, where
// they are in the elements and bf16 has no room for one of them, passes over K
// for small, plain and large ones.
//
//===----------------------------------------------------------------------===//

#include "GemmScales.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

//===----------------------------------------------------------------------===//
// Scales of partial sums
//===----------------------------------------------------------------------===//

namespace {
/// A scale as two factors, the second one a power of two, whose exponents
/// differ by at most one: a product of two scales leaves f32's range only where
/// the scaled sum does.
struct SplitScale {
  Value first, second;
};

/// The bits of f32.
constexpr int64_t kBias = 127, kExponentBit = 23, kSpecialExponent = 255;
} // namespace

/// Half of an exponent (i32), rounded up or down.
static Value emitHalf(TileContext &ctx, Value exponent, bool roundsUp) {
  Type i32 = exponent.getType();
  Value one = ctx.intConstant(i32, 1);
  if (roundsUp)
    exponent = arith::AddIOp::create(ctx.b, exponent, one);
  return arith::ShRSIOp::create(ctx.b, exponent, one);
}

/// 2^exponent, of a normal number's.
static Value emitPower(TileContext &ctx, Value exponent) {
  auto &b = ctx.b;
  Type i32 = exponent.getType();
  Value bits = arith::ShLIOp::create(
      b, arith::AddIOp::create(b, exponent, ctx.intConstant(i32, kBias)),
      ctx.intConstant(i32, kExponentBit));
  return ctx.cast(bits, b.getF32Type());
}

/// Of an E8M0 byte.
static SplitScale emitSplitByte(TileContext &ctx, Value bytes, bool roundsUp) {
  auto &b = ctx.b;
  Type i32 = withElementType(bytes.getType(), b.getI32Type());
  Value byte = arith::ExtUIOp::create(b, i32, bytes);
  Value exponent = arith::SubIOp::create(b, byte, ctx.intConstant(i32, kBias));
  Value first = emitPower(ctx, emitHalf(ctx, exponent, roundsUp)),
        second = emitPower(ctx, emitHalf(ctx, exponent, !roundsUp));
  Value isNaN = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, byte,
                                      ctx.intConstant(i32, kSpecialExponent));
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  first = arith::SelectOp::create(b, isNaN, ctx.constant(first.getType(), nan),
                                  first);
  return {first, second};
}

/// Of an f32 number. 0, denormal numbers, Inf and NaN are the first factor.
static SplitScale emitSplitNumber(TileContext &ctx, Value scale,
                                  bool roundsUp) {
  auto &b = ctx.b;
  Value bits = ctx.cast(scale, b.getI32Type());
  Type i32 = bits.getType();
  Value field = arith::AndIOp::create(
      b, arith::ShRUIOp::create(b, bits, ctx.intConstant(i32, kExponentBit)),
      ctx.intConstant(i32, kSpecialExponent));
  // Normal fields are 1 to 254.
  Value isNormal = arith::CmpIOp::create(
      b, arith::CmpIPredicate::ult,
      arith::SubIOp::create(b, field, ctx.intConstant(i32, 1)),
      ctx.intConstant(i32, kSpecialExponent - 1));
  Value exponent = arith::SelectOp::create(
      b, isNormal, arith::SubIOp::create(b, field, ctx.intConstant(i32, kBias)),
      ctx.intConstant(i32, 0));
  Value half = emitHalf(ctx, exponent, roundsUp);
  Value less = arith::SubIOp::create(b, ctx.intConstant(i32, 0), half);
  return {arith::MulFOp::create(b, scale, emitPower(ctx, less)),
          emitPower(ctx, half)};
}

Value te::emitScaledBlock(TileContext &ctx, Value sum, Value scaleA,
                          Value scaleB) {
  auto multiply = [&](Value x, Value y) -> Value {
    return arith::MulFOp::create(ctx.b, x, y);
  };
  auto spread = [&](Value line) {
    return isTile(line.getType())
               ? ctx.broadcast(line, getLayout(sum.getType()))
               : ctx.splat(line, sum.getType());
  };
  auto split = [&](Value scale, bool roundsUp) {
    return getElementTypeOrSelf(scale).isF32()
               ? emitSplitNumber(ctx, scale, roundsUp)
               : emitSplitByte(ctx, scale, roundsUp);
  };
  SplitScale splitA = split(scaleA, /*roundsUp=*/true),
             splitB = split(scaleB, /*roundsUp=*/false);
  Value first = multiply(spread(splitA.first), spread(splitB.first)),
        second = multiply(spread(splitA.second), spread(splitB.second));
  return multiply(multiply(sum, first), second);
}

//===----------------------------------------------------------------------===//
// Scales of elements
//===----------------------------------------------------------------------===//

/// i1: a condition of waves is true in any wave of the workgroup.
static Value emitIsAnywhere(TileContext &ctx, Value condition) {
  auto &b = ctx.b;
  int64_t waves = ctx.schedule.getWaves();
  LinearLayout::Bases lanes(llvm::Log2_32(ctx.target.waveSize), 0), ofWaves;
  for (int64_t bit = 1; bit < waves; bit *= 2)
    ofWaves.push_back(bit);
  Type i32 = getTileType(b.getI32Type(), b.getContext(),
                         LinearLayout({waves, 1}, {}, lanes, ofWaves));
  Value word =
      ctx.splat(arith::ExtUIOp::create(b, b.getI32Type(), condition), i32);
  Value all = ctx.reduce(ReduceKind::Or, word, {waves, 1});
  return ReduceOrOp::create(
      b, b.getI1Type(),
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, all,
                            ctx.intConstant(all.getType(), 0)));
}

namespace {
/// What a pass takes of both sides; the shift of B is the other way.
struct PassEntry {
  int64_t firstA, endA, firstB, endB, shift;
};
} // namespace

/// A scale that is not plain is moved into the middle of the range, and the
/// other side's as far the other way: where that leaves the range, the product
/// does too. The first pass is for Inf and NaN alone; scales are plain in it.
static ArrayRef<PassEntry> getPasses() {
  constexpr int64_t plain = ScalePass::kFirstPlain,
                    large = ScalePass::kFirstLarge, end = 255, shift = 64;
  static constexpr PassEntry passes[] = {{0, end, 0, end, 0},
                                         {plain, large, plain, large, 0},
                                         {large, end, 0, end, -shift},
                                         {0, plain, 0, end, shift},
                                         {plain, large, large, end, shift},
                                         {plain, large, 0, plain, -shift}};
  return passes;
}

/// The entry of a table that has this number.
static Value emitEntry(TileContext &ctx, Value number,
                       function_ref<int64_t(const PassEntry &)> get) {
  auto &b = ctx.b;
  Value result;
  for (auto [i, pass] : llvm::enumerate(getPasses())) {
    Value entry = arith::ConstantIntOp::create(b, b.getI32Type(), get(pass));
    Value is = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number,
                                     arith::ConstantIndexOp::create(b, i));
    result = result ? arith::SelectOp::create(b, is, entry, result) : entry;
  }
  return result;
}

/// The sum, whatever the scales and elements.
static Value emitExactSum(TileContext &ctx, const GemmSides &both, Type type,
                          Value steps, function_ref<Value(Value)> emitK,
                          function_ref<Value(ArrayRef<Value>, Value)> emitMma) {
  auto &b = ctx.b;
  auto emitPass = [&](Value number, ValueRange sums) -> SmallVector<Value> {
    Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number,
                                          arith::ConstantIndexOp::create(b, 0));
    auto entry = [&](auto get) { return emitEntry(ctx, number, get); };
    std::pair<const GemmOperand *, ScalePass> sides[] = {
        {both[0],
         {entry([](const PassEntry &p) { return p.firstA; }),
          entry([](const PassEntry &p) { return p.endA - p.firstA; }),
          entry([](const PassEntry &p) { return p.shift; }), isFirst}},
        {both[1],
         {entry([](const PassEntry &p) { return p.firstB; }),
          entry([](const PassEntry &p) { return p.endB - p.firstB; }),
          entry([](const PassEntry &p) { return -p.shift; }), isFirst}}};
    auto emitStep = [&](Value i, ValueRange carried) -> SmallVector<Value> {
      Value k = emitK(i), none = arith::ConstantIndexOp::create(b, 0);
      SmallVector<Value> elements;
      for (auto &[side, pass] : sides) {
        Value bytes = side->getScaleBytes(side->readScaleGroup(k, /*steps=*/1),
                                          /*steps=*/1, none);
        constexpr auto kind = GemmOperand::Kind::Elements;
        elements.push_back(side->convert(side->scaleExactly(
            side->dropPadding(kind, side->read(kind, k), k), bytes, pass)));
        // Seldom run: quick to compile rather than to hide memory.
        tile::FenceOp::create(b);
      }
      return {emitMma(elements, carried.front())};
    };
    Value sum = ctx.loop(steps, sums, emitStep).getResult(0);
    // Of the first pass what is not finite: one comparison, whose bound is the
    // pass's (no magnitude is below 0).
    auto constant = [&](double value) -> Value {
      return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
    };
    Value bound = arith::SelectOp::create(
        b, isFirst, constant(std::numeric_limits<double>::infinity()),
        constant(0.0));
    Value drops = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT,
                                        math::AbsFOp::create(b, sum),
                                        ctx.splat(bound, type));
    return {arith::SelectOp::create(b, drops, ctx.constant(type, 0.0), sum)};
  };
  Value count = arith::ConstantIndexOp::create(b, getPasses().size());
  return ctx.loop(count, ctx.constant(type, 0.0), emitPass).getResult(0);
}

/// i1, for a wave: a sum may be of products that have lost bits, as they or
/// their elements are no normal numbers. Elements are below 2^36 (E4M3), so
/// that those of sums from here on are normal, or too small to matter.
static Value emitIsTiny(TileContext &ctx, Value sum) {
  constexpr double kLeastSum = 0x1p-90;
  auto &b = ctx.b;
  Value magnitude = math::AbsFOp::create(b, sum);
  auto compare = [&](arith::CmpFPredicate predicate, double bound) -> Value {
    return arith::CmpFOp::create(b, predicate, magnitude,
                                 ctx.constant(sum.getType(), bound));
  };
  return ReduceOrOp::create(
      b, b.getI1Type(),
      arith::AndIOp::create(b, compare(arith::CmpFPredicate::OGT, 0),
                            compare(arith::CmpFPredicate::OLT, kLeastSum)));
}

Value te::emitCheckedSum(TileContext &ctx, const GemmSides &both,
                         ArrayRef<GemmOperand::Seen> seen, Value sum,
                         Value steps, function_ref<Value(Value)> emitK,
                         function_ref<Value(ArrayRef<Value>, Value)> emitMma) {
  auto &b = ctx.b;
  Type type = sum.getType();
  Value isBeyond = emitIsAnywhere(
      ctx, arith::OrIOp::create(
               b, emitIsTiny(ctx, sum),
               arith::OrIOp::create(b, both[0]->emitIsBeyond(seen[0]),
                                    both[1]->emitIsBeyond(seen[1]))));
  auto branch = scf::IfOp::create(b, type, isBeyond, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b,
                         emitExactSum(ctx, both, type, steps, emitK, emitMma));
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, sum);
  }
  // Were the product in the other branch, the sum would be kept during this
  // one.
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  };
  int64_t offset = both[0]->getElementOffset() + both[1]->getElementOffset();
  Value factor = arith::SelectOp::create(b, isBeyond, constant(1.0),
                                         constant(ldexp(1.0, offset)));
  return arith::MulFOp::create(b, branch.getResult(0), ctx.splat(factor, type));
}
