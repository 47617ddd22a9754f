//===- FP4.cpp - fp4 codes on tiles ---------------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FP4.h"
#include "Data.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

namespace {
constexpr double kLargest = 6;
/// Bits of an f32's mantissa that a code has no room for, but one; and the
/// field of exponent and mantissa bit that code 0 would have.
constexpr int64_t kDroppedBits = 22, kFieldBias = 252;
constexpr int64_t kSign = 8;
constexpr int64_t kRun = 16; // elements that a Hadamard transform mixes
} // namespace

static Value toI8(TileContext &ctx, Value tile) {
  return arith::TruncIOp::create(
      ctx.b, withElementType(tile.getType(), ctx.b.getI8Type()), tile);
}

static Value toI32(TileContext &ctx, Value tile) {
  return arith::ExtUIOp::create(
      ctx.b, withElementType(tile.getType(), ctx.b.getI32Type()), tile);
}

/// Magnitudes of 1 and more, ties away: exponent and one mantissa bit, rounded
/// in the f32's bits.
static Value emitNormalCode(TileContext &ctx, Value bits) {
  auto &b = ctx.b;
  auto constant = [&](int64_t value) {
    return ctx.intConstant(bits.getType(), value);
  };
  Value rounded = arith::AddIOp::create(
      b, bits, constant(int64_t(1) << (kDroppedBits - 1)));
  return arith::SubIOp::create(
      b, arith::ShRUIOp::create(b, rounded, constant(kDroppedBits)),
      constant(kFieldBias));
}

/// Magnitudes below 1, ties away: a multiple of 0.5.
static Value emitSmallCode(TileContext &ctx, Value magnitude) {
  auto &b = ctx.b;
  Type f32 = magnitude.getType(), i32 = withElementType(f32, b.getI32Type());
  auto reaches = [&](double threshold) -> Value {
    Value is = arith::CmpFOp::create(b, arith::CmpFPredicate::OGE, magnitude,
                                     ctx.constant(f32, threshold));
    return arith::ExtUIOp::create(b, i32, is);
  };
  return arith::AddIOp::create(b, reaches(0.25), reaches(0.75));
}

/// Both, rounded up as often as the magnitude is above the code: in units of
/// 2^-22 of a code's step, which a random number of 22 bits is added to.
static Value emitRandomCode(TileContext &ctx, Value magnitude, Value isSmall,
                            Value words) {
  auto &b = ctx.b;
  Type f32 = magnitude.getType(), i32 = words.getType();
  auto constant = [&](int64_t value) { return ctx.intConstant(i32, value); };
  Value units = arith::FPToUIOp::create(
      b, i32,
      arith::MulFOp::create(b, magnitude,
                            ctx.constant(f32, 2.0 * (1 << kDroppedBits))));
  Value normal = arith::SubIOp::create(b, ctx.cast(magnitude, b.getI32Type()),
                                       constant(kFieldBias << kDroppedBits));
  Value exact = arith::SelectOp::create(b, isSmall, units, normal);
  Value noise = arith::ShRUIOp::create(b, words, constant(32 - kDroppedBits));
  return arith::ShRUIOp::create(b, arith::AddIOp::create(b, exact, noise),
                                constant(kDroppedBits));
}

/// Codes of any f32 values, ties away or by `words`.
static Value encode(TileContext &ctx, Value x, Ties ties, Value words) {
  auto &b = ctx.b;
  Type f32 = x.getType(), i32 = withElementType(f32, b.getI32Type());
  Value magnitude = arith::MinNumFOp::create(b, math::AbsFOp::create(b, x),
                                             ctx.constant(f32, kLargest));
  Value isSmall = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, magnitude,
                                        ctx.constant(f32, 1.0));
  Value code =
      words ? emitRandomCode(ctx, magnitude, isSmall, words)
            : arith::SelectOp::create(
                  b, isSmall, emitSmallCode(ctx, magnitude),
                  emitNormalCode(ctx, ctx.cast(magnitude, b.getI32Type())));
  Value sign;
  if (ties == Ties::Even) {
    sign = arith::AndIOp::create(
        b,
        arith::ShRUIOp::create(b, ctx.cast(x, b.getI32Type()),
                               ctx.intConstant(i32, 28)),
        ctx.intConstant(i32, kSign));
  } else { // -0 becomes +0
    Value negative = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x,
                                           ctx.constant(f32, 0.0));
    sign = arith::SelectOp::create(b, negative, ctx.intConstant(i32, kSign),
                                   ctx.intConstant(i32, 0));
  }
  return toI8(ctx, arith::OrIOp::create(b, code, sign));
}

namespace {
/// A float format, and its power of two whose ulp is 1.
struct Adder {
  FloatType type;
  double unit;
};
} // namespace

/// The narrowest one that the target computes two at once in and that has what
/// `source` times a power of two is, where that is no smaller than a code.
static Adder getAdder(TileContext &ctx, Type source) {
  auto &b = ctx.b;
  if (source.isBF16() && ctx.target.hasPackedBF16)
    return {b.getBF16Type(), 0x1p7};
  if (source.isBF16() || source.isF16())
    return {b.getF16Type(), 0x1p10};
  return {b.getF32Type(), 0x1p23};
}

/// Codes of |x| to nearest even, in the lowest bits of floats. Below the power
/// of two whose ulp is 1 the ulp is 1/2: a magnitude added to that number less
/// 2 is rounded to a code's step where it is below 4, and half of it, added to
/// the number itself, is from 4 on. The less of the two counts, which is even
/// where the code is. Code 4 is the power of two itself, so bit 2 is inverted.
static Value emitMagnitudes(TileContext &ctx, Value x, Value factors,
                            Adder adder) {
  auto &b = ctx.b;
  Value y = math::AbsFOp::create(b, x), low, high;
  LinearLayout layout = getLayout(x.getType());
  auto number = [&](Value like, double value) {
    return ctx.constant(like.getType(), value);
  };
  if (adder.type.isBF16()) { // products are exact, and not rounded
    auto add = [&](Value by, double base) -> Value {
      return math::FmaOp::create(b, y, ctx.broadcast(by, layout),
                                 number(y, base));
    };
    Value factor = ctx.round(factors, adder.type);
    low = add(factor, adder.unit - 2);
    high =
        add(arith::MulFOp::create(b, factor, number(factor, 0.5)), adder.unit);
  } else {
    // Exact but below the least normal number.
    y = ctx.round(emitScaled(ctx, y, ctx.broadcast(factors, layout)),
                  adder.type);
    low = arith::AddFOp::create(b, y, number(y, adder.unit - 2));
    high = math::FmaOp::create(b, y, number(y, 0.5), number(y, adder.unit));
  }
  Value limited =
      arith::MinNumFOp::create(b, high, number(high, adder.unit + 3));
  return arith::MinNumFOp::create(b, low, limited);
}

/// The same with x' signs in bit 3, as i8. Codes and signs meet as bytes: a
/// register has four of those, and what two copies of x share is small.
static Value encodeToNearest(TileContext &ctx, Value x, Value factors) {
  auto &b = ctx.b;
  Adder adder = getAdder(ctx, getElementTypeOrSelf(x.getType()));
  auto bitsOf = [&](Value tile) {
    unsigned width =
        getElementTypeOrSelf(tile.getType()).getIntOrFloatBitWidth();
    return ctx.cast(tile, b.getIntegerType(width));
  };
  auto shiftDown = [&](Value bits, int64_t by) -> Value {
    return arith::ShRUIOp::create(b, bits, ctx.intConstant(bits.getType(), by));
  };
  auto field = [&](Value bits, int64_t mask) -> Value {
    return arith::AndIOp::create(b, bits,
                                 ctx.intConstant(bits.getType(), mask));
  };
  Value codes = toI8(ctx, bitsOf(emitMagnitudes(ctx, x, factors, adder)));
  Value bits = bitsOf(x);
  unsigned width = getElementTypeOrSelf(bits.getType()).getIntOrFloatBitWidth();
  Value signs = shiftDown(toI8(ctx, shiftDown(bits, width - 8)), 4);
  return arith::OrIOp::create(b, field(codes, kSign - 1), field(signs, kSign));
}

Value te::castToFP4(TileContext &ctx, Value x, Value factors, ScaledType type,
                    Value words) {
  Ties ties = type.getScaling().getTies();
  bool isPacked = !type.getScaling().isTransposed() && !ctx.isTransposed;
  auto pack = [&](Value codes) {
    return isPacked ? packFP4(ctx, codes) : codes;
  };
  if (words || ties != Ties::Even) {
    Value scaled = emitScaled(
        ctx, x, ctx.broadcast(ctx.toF32(factors), getLayout(x.getType())));
    return pack(encode(ctx, scaled, ties, words));
  }
  Value codes = pack(encodeToNearest(ctx, x, factors));
  return arith::XOrIOp::create(
      ctx.b, codes, ctx.intConstant(codes.getType(), isPacked ? 0x44 : 4));
}

Value te::decodeFP4(TileContext &ctx, Value codes) {
  auto &b = ctx.b;
  Value wide = toI32(ctx, codes);
  Type i32 = wide.getType();
  auto field = [&](int64_t mask, int64_t shift) -> Value {
    Value bits = arith::AndIOp::create(b, wide, ctx.intConstant(i32, mask));
    return arith::ShLIOp::create(b, bits, ctx.intConstant(i32, shift));
  };
  // The fields at their places in an f32 are the value times 2^-126.
  Value placed = ctx.cast(field(kSign - 1, kDroppedBits), b.getF32Type());
  Value magnitude =
      arith::MulFOp::create(b, placed, ctx.constant(placed.getType(), 0x1p126));
  return ctx.cast(arith::OrIOp::create(b, ctx.cast(magnitude, b.getI32Type()),
                                       field(kSign, 28)),
                  b.getF32Type());
}

/// 0 for even columns, 4 for odd ones: where a code lies in its byte.
static Value emitNibble(TileContext &ctx, Type tileType) {
  auto &b = ctx.b;
  Type i32 = withElementType(tileType, b.getI32Type());
  Value odd = arith::AndIOp::create(b, CoordinateOp::create(b, i32, 1),
                                    ctx.intConstant(i32, 1));
  return toI8(ctx, arith::ShLIOp::create(b, odd, ctx.intConstant(i32, 2)));
}

Value te::packFP4(TileContext &ctx, Value codes) {
  return ctx.reduce(ReduceKind::Nibbles, codes, {1, 2});
}

Value te::packFP4In(TileContext &ctx, Value codes, const LinearLayout &layout) {
  // Half as much crosses lanes where one wave has both columns.
  if (getLayout(codes.getType()).getWavesOfBlock({1, 2}))
    return packFP4(ctx, ctx.convert(codes, layout));
  return ctx.convert(packFP4(ctx, codes), layout.project({1, 2}));
}

Value te::unpackFP4(TileContext &ctx, Value bytes, const LinearLayout &layout) {
  auto &b = ctx.b;
  Value both = ctx.broadcast(bytes, layout);
  Value placed =
      arith::ShRUIOp::create(b, both, emitNibble(ctx, both.getType()));
  return arith::AndIOp::create(b, placed, ctx.intConstant(both.getType(), 15));
}

//===----------------------------------------------------------------------===//
// Hadamard
//===----------------------------------------------------------------------===//

/// Flips the sign of elements where a bit of `flips` (i32) is bit 31.
static Value flipSigns(TileContext &ctx, Value x, Value flips) {
  Value bits = ctx.cast(x, ctx.b.getI32Type());
  return ctx.cast(arith::XOrIOp::create(ctx.b, bits, flips),
                  ctx.b.getF32Type());
}

Value te::emitHadamard(TileContext &ctx, Value x, int64_t dimension,
                       uint32_t signMask) {
  auto &b = ctx.b;
  Type f32 = x.getType(), i32 = withElementType(f32, b.getI32Type());
  auto constant = [&](int64_t value) { return ctx.intConstant(i32, value); };
  int64_t known = dimension == 0 ? ctx.staticRows : ctx.staticCols;
  bool isRagged = ShapedType::isDynamic(known) || known % kRun != 0;
  Value inside = isRagged ? ctx.isInside(getLayout(f32), ctx.tileRow,
                                         ctx.tileCol, ctx.rows, ctx.cols)
                          : Value();
  auto maskOutside = [&](Value tile) -> Value {
    if (!isRagged)
      return tile;
    return arith::SelectOp::create(b, inside, tile, ctx.constant(f32, 0.0));
  };
  Value at = CoordinateOp::create(b, i32, dimension);
  if (signMask) {
    Value bit = arith::AndIOp::create(b, at, constant(2 * kRun - 1));
    Value flips = arith::ShLIOp::create(
        b, arith::ShRUIOp::create(b, constant(int32_t(signMask)), bit),
        constant(31));
    x = maskOutside(flipSigns(ctx, x, flips));
  }
  for (int64_t stride = 1; stride < kRun; stride *= 2) {
    // a + b and a - b: the partner's value, plus one's own, negated in the
    // upper half.
    Value isUpper = arith::AndIOp::create(b, at, constant(stride));
    Value flips =
        arith::ShLIOp::create(b, isUpper, constant(31 - llvm::Log2_64(stride)));
    Value partner = ExchangeOp::create(b, f32, x, dimension, stride);
    x = arith::AddFOp::create(b, partner, flipSigns(ctx, x, flips));
  }
  return maskOutside(arith::MulFOp::create(b, x, ctx.constant(f32, 0.25)));
}
