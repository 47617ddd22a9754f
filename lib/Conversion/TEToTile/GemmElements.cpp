//===- GemmElements.cpp - scales of blocks in the elements ----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scales on the way from memory to LDS: of a prologue, which dequantizes, or of
// GemmPlan::Scales::Elements: fp8 and fp4 codes become bf16 with their block's
// E8M0 scale in them. A code's fields at their places in an f32 are the value
// times 2^(bias - 127), subnormals included; one product takes that back and
// scales, and the upper half of the bits is the result:
//
//   %placed = bitcast ((extsi %code) << 20) & 0x87F00000     (E4M3)
//   %factor = bitcast (%byte << 23) + (108 << 23)
//   %element = upper half of %placed * %factor
//
// The factor's exponent has no room for scales above 2^(12 + bias), as elements
// are 2^-12 of what they stand for (kElementOffset), and fields know neither
// Inf nor NaN. Lanes keep the largest scale and magnitude that they have seen;
// docs/decisions/0017 says what follows from these.
//
//===----------------------------------------------------------------------===//

#include "Data.h"
#include "GemmOperand.h"
#include "Scales.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

namespace {
/// f32 fields.
constexpr int64_t kMantissaBits = 23, kExponentBias = 127, kMostExponent = 254,
                  kSignBit = int64_t(1) << 31;
constexpr int64_t kScaleBias = 127, kNaNByte = 255;
/// Elements are 2^-12 of what they stand for: larger ones have room for larger
/// scales. Twice that is how far f32's denormal numbers reach below the normal
/// ones (2^-149 to 2^-126), so a sum that is normal never becomes 0.
constexpr int64_t kElementOffset = 12;
/// Bytes of scales along a row that a lane reads at once: a register.
constexpr int64_t kScaleBytes = 4;

/// The fields of a format.
struct Fields {
  explicit Fields(ScaledType type)
      : semantics(cast<FloatType>(type.getElementType()).getFloatSemantics()),
        bits(APFloat::getSizeInBits(semantics)),
        mantissa(APFloat::semanticsPrecision(semantics) - 1),
        bias(1 - APFloat::semanticsMinExponent(semantics)),
        hasSpecials(!type.isFP4()) {}
  const llvm::fltSemantics &semantics;
  int64_t bits, mantissa, bias;
  bool hasSpecials; // Inf or NaN
  /// Of all but the sign, at their place in an f32.
  int64_t getShift() const { return kMantissaBits - mantissa; }
  int64_t getMask() const {
    return ((int64_t(1) << (bits - 1)) - 1) << getShift();
  }
  double getPlaced(double value) const {
    return ldexp(value, bias - kExponentBias);
  }
  /// The largest scale whose factor is an f32, at magnitudes from 4.9e4 (fp4)
  /// to 7.7e12 (E5M2).
  int64_t getMostScale() const { return kScaleBias + kElementOffset + bias; }
};
} // namespace

Value te::emitExactBF16(TileContext &ctx, Value x) {
  auto &b = ctx.b;
  Type i32 = withElementType(x.getType(), b.getI32Type());
  Value high = arith::ShRUIOp::create(b, ctx.cast(x, b.getI32Type()),
                                      ctx.intConstant(i32, 16));
  Value half =
      arith::TruncIOp::create(b, withElementType(i32, b.getI16Type()), high);
  return ctx.cast(half, b.getBF16Type());
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

bool GemmOperand::isTransposed() const {
  return kIsLast == scaled.getScaling().isTransposed();
}

LinearLayout GemmOperand::getFinishedLayout() const {
  TileContext step = makeContext(/*at=*/Value());
  LinearLayout stored = getStoredLayout(step, scaled);
  return isTransposed() ? stored.transpose() : stored;
}

SmallVector<int64_t> GemmOperand::getScaleBlock() const {
  int64_t step = ctx.schedule.getMatmul().getK();
  switch (scaled.getScaling().getGranularity()) {
  case Granularity::Tensor:
    return {getOuter(), step};
  case Granularity::Row:
    return kIsLast ? SmallVector<int64_t>{1, step}
                   : SmallVector<int64_t>{getOuter(), 1};
  case Granularity::Block:
    break;
  }
  return {getSharing(getOuter()), step / std::max<int64_t>(getBlocks(), 1)};
}

LinearLayout GemmOperand::getBlockLayout() const {
  return getFinishedLayout().project(getScaleBlock());
}

/// Neighbours that one lane holds.
static SmallVector<int64_t> getLaneBlock(const LinearLayout &layout) {
  SmallVector<int64_t> block;
  ArrayRef<int64_t> registers = layout.getBases(LayoutInput::Register);
  int64_t cols = layout.getShape()[1];
  for (auto [size, unit] :
       {std::pair(layout.getShape()[0], cols), {cols, int64_t(1)}}) {
    block.push_back(1);
    while (block.back() < size &&
           llvm::is_contained(registers, unit * block.back()))
      block.back() *= 2;
  }
  return block;
}

//===----------------------------------------------------------------------===//
// Scales
//===----------------------------------------------------------------------===//

int64_t GemmOperand::getGroupSteps() const {
  Granularity granularity = scaled.getScaling().getGranularity();
  if (granularity == Granularity::Tensor ||
      (granularity == Granularity::Row && kIsLast))
    return 0;
  if (!isE8M0())
    return 1;
  int64_t steps = std::max<int64_t>(kScaleBytes / getBlocks(), 1);
  return isWord(steps) ? getWholeSteps(steps) : 1;
}

bool GemmOperand::isWord(int64_t steps) const {
  return isE8M0() && kIsLast != areScalesTransposed(scaled) &&
         steps * getBlocks() <= kScaleBytes;
}

/// In the tensor's orientation.
Value GemmOperand::loadScalesOfElements(TileContext &step,
                                        const LinearLayout &layout) const {
  auto &b = ctx.b;
  Value buffer = step.getBuffers(operand).scales;
  Type f32 = getTileType(b.getF32Type(), b.getContext(), layout);
  switch (scaled.getScaling().getGranularity()) {
  case Granularity::Tensor:
    return ctx.splat(memref::LoadOp::create(b, buffer, ValueRange()), f32);
  case Granularity::Row:
    return step.load(step.viewMatrix(buffer, step.rows, b.getIndexAttr(1)),
                     step.tileRow, arith::ConstantIndexOp::create(b, 0),
                     b.getF32Type(), layout);
  case Granularity::Block:
    break;
  }
  return dropScalePadding(te::loadScalesIn(step, scaled, buffer, layout),
                          kIsLast ? step.tileCol : step.tileRow,
                          kIsLast ? 1 : 0);
}

Value GemmOperand::readScaleGroup(Value at, int64_t steps) const {
  auto &b = ctx.b;
  TileContext step = makeContext(at, std::max<int64_t>(steps, 1));
  LinearLayout blocks = getBlockLayout();
  auto load = [&](const LinearLayout &layout) -> Value {
    if (kIsLast)
      return loadScalesOfElements(step, layout);
    return ctx.convert(
        ctx.transpose(loadScalesOfElements(step, layout.transpose())), layout);
  };
  if (!isWord(steps))
    return load(blocks);
  // The bytes of a row, in one register.
  int64_t count = steps * getBlocks();
  LinearLayout rows = blocks.project({1, blocks.getShape()[1]});
  auto spread = [&](LayoutInput input) {
    return llvm::map_to_vector(rows.getBases(input),
                               [&](int64_t basis) { return basis * count; });
  };
  SmallVector<int64_t> registers;
  for (int64_t bit = 1; bit < count; bit *= 2)
    registers.push_back(bit);
  llvm::append_range(registers, spread(LayoutInput::Register));
  LinearLayout bytes({rows.getShape()[0], count}, registers,
                     spread(LayoutInput::Lane), spread(LayoutInput::Wave));
  Value scales = load(bytes);
  Type i32 = withElementType(scales.getType(), b.getI32Type());
  Value place = arith::ShLIOp::create(b, CoordinateOp::create(b, i32, 1),
                                      ctx.intConstant(i32, 3));
  Value placed =
      arith::ShLIOp::create(b, arith::ExtUIOp::create(b, i32, scales), place);
  return ctx.reduce(ReduceKind::Or, placed, {1, count});
}

Value GemmOperand::getScaleBytes(Value group, int64_t steps,
                                 Value number) const {
  auto &b = ctx.b;
  if (!isE8M0())
    return group;
  LinearLayout blocks = getBlockLayout();
  Type i32 = getTileType(b.getI32Type(), b.getContext(), blocks);
  if (!isWord(steps))
    return arith::ExtUIOp::create(b, i32, group);
  Value step = b.createOrFold<arith::RemUIOp>(
      number, arith::ConstantIndexOp::create(b, steps));
  Value first = arith::IndexCastOp::create(
      b, b.getI32Type(),
      b.createOrFold<arith::MulIOp>(
          step, arith::ConstantIndexOp::create(b, 8 * getBlocks())));
  Value place = arith::ShLIOp::create(b, CoordinateOp::create(b, i32, 1),
                                      ctx.intConstant(i32, 3));
  place = arith::AddIOp::create(b, place, ctx.splat(first, i32));
  Value byte = arith::ShRUIOp::create(b, ctx.broadcast(group, blocks), place);
  return arith::AndIOp::create(b, byte, ctx.intConstant(i32, 255));
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// The fields of codes, as they lie in memory, at their places in an f32.
static Value emitPlaced(TileContext &ctx, ScaledType type, Value codes) {
  auto &b = ctx.b;
  Fields fields(type);
  Value bits;
  if (type.isFP4()) {
    // The code's sign to bit 31, and from there on its magnitude down.
    LinearLayout layout = getStoredLayout(ctx, type);
    Type i32 = getTileType(b.getI32Type(), b.getContext(), layout);
    Value odd = arith::AndIOp::create(b, CoordinateOp::create(b, i32, 1),
                                      ctx.intConstant(i32, 1));
    Value up = arith::SubIOp::create(
        b, ctx.intConstant(i32, 28),
        arith::ShLIOp::create(b, odd, ctx.intConstant(i32, 2)));
    Value both = arith::ExtUIOp::create(b, i32, ctx.broadcast(codes, layout));
    bits = arith::ShRSIOp::create(b, arith::ShLIOp::create(b, both, up),
                                  ctx.intConstant(i32, 28 - fields.getShift()));
  } else {
    Type i32 = withElementType(codes.getType(), b.getI32Type());
    bits = arith::ShLIOp::create(
        b, arith::ExtSIOp::create(b, i32, ctx.cast(codes, b.getI8Type())),
        ctx.intConstant(i32, fields.getShift()));
  }
  bits = arith::AndIOp::create(
      b, bits,
      ctx.intConstant(bits.getType(), int32_t(kSignBit | fields.getMask())));
  return ctx.cast(bits, b.getF32Type());
}

int64_t GemmOperand::getElementOffset() const { return kElementOffset; }

GemmOperand::Seen GemmOperand::makeSeen() const {
  auto zeros = [&](Type element, const LinearLayout &layout) {
    return getTileType(element, ctx.b.getContext(), layout);
  };
  LinearLayout layout = getFinishedLayout();
  Seen seen;
  seen.scale = ctx.intConstant(zeros(ctx.b.getI32Type(), getBlockLayout()), 0);
  if (Fields(scaled).hasSpecials)
    seen.element = ctx.constant(
        zeros(ctx.b.getF32Type(), layout.project(getLaneBlock(layout))), 0.0);
  return seen;
}

Value GemmOperand::scaleElements(Value raw, Value bytes, Seen &seen) const {
  auto &b = ctx.b;
  TileContext step = makeContext(/*at=*/Value());
  Value placed = emitPlaced(step, scaled, raw);
  auto orient = [&](Value tile) {
    return isTransposed() ? ctx.transpose(tile) : tile;
  };
  Value inOrder = orient(placed);
  LinearLayout layout = getLayout(inOrder.getType());
  seen.scale = arith::MaxUIOp::create(b, seen.scale, bytes);
  if (seen.element)
    seen.element = arith::MaxNumFOp::create(
        b, seen.element,
        ctx.reduce(ReduceKind::MaxNum, math::AbsFOp::create(b, inOrder),
                   getLaneBlock(layout)));
  auto constant = [&](int64_t value) {
    return ctx.intConstant(bytes.getType(), value);
  };
  Value field = arith::AddIOp::create(
      b, arith::ShLIOp::create(b, bytes, constant(kMantissaBits)),
      constant((kMostExponent - Fields(scaled).getMostScale())
               << kMantissaBits));
  // In memory's order, neighbours have factors of their own: of a pair of equal
  // ones LLVM gives an instruction one, with whatever is in the register after
  // it, and waits for that.
  Value factor = ctx.broadcast(orient(ctx.cast(field, b.getF32Type())),
                               getLayout(placed.getType()));
  return emitExactBF16(ctx, orient(arith::MulFOp::create(b, placed, factor)));
}

Value GemmOperand::emitIsBeyond(const Seen &seen) const {
  auto &b = ctx.b;
  Value beyond = ReduceOrOp::create(
      b, b.getI1Type(),
      arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, seen.scale,
                            ctx.intConstant(seen.scale.getType(),
                                            Fields(scaled).getMostScale())));
  if (!seen.element)
    return beyond;
  double largest =
      Fields(scaled).getPlaced(getLargest(scaled.getElementType()));
  Value special = ReduceOrOp::create(
      b, b.getI1Type(),
      arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, seen.element,
                            ctx.constant(seen.element.getType(), largest)));
  return arith::OrIOp::create(b, beyond, special);
}

Value GemmOperand::decode(Value raw) const {
  auto &b = ctx.b;
  TileContext step = makeContext(/*at=*/Value());
  Value x;
  if (scaled.isFP4()) {
    Value placed = emitPlaced(step, scaled, raw);
    x = arith::MulFOp::create(
        b, placed,
        ctx.constant(placed.getType(),
                     ldexp(1.0, kExponentBias - Fields(scaled).bias)));
  } else {
    x = step.toF32(raw);
  }
  return isTransposed() ? ctx.transpose(x) : x;
}

Value GemmOperand::dequantize(Value raw, Value scales, Value at) const {
  auto &b = ctx.b;
  Value x = decode(raw);
  if (isE8M0())
    scales = emitScale(ctx, scales);
  x = arith::MulFOp::create(b, x,
                            ctx.broadcast(scales, getLayout(x.getType())));
  if (at && mayScaleBeyond()) // zeros times Inf are NaN
    x = arith::SelectOp::create(
        b, ctx.isBefore(getLayout(x.getType()), /*dim=*/1, at, k), x,
        ctx.constant(x.getType(), 0.0));
  // A power of two rounds nothing, but below the normal numbers of bf16.
  return isE8M0() && element.isBF16() ? emitExactBF16(ctx, x)
                                      : ctx.round(x, element);
}

Value GemmOperand::scaleExactly(Value raw, Value bytes,
                                const ScalePass &pass) const {
  auto &b = ctx.b;
  Fields fields(scaled);
  Value x = decode(raw);
  Type f32 = x.getType(), i32 = bytes.getType();
  if (fields.hasSpecials) {
    Value isFinite = arith::CmpFOp::create(
        b, arith::CmpFPredicate::OLT, math::AbsFOp::create(b, x),
        ctx.constant(f32, std::numeric_limits<double>::infinity()));
    Value keeps = arith::OrIOp::create(
        b, isFinite, ctx.splat(pass.keepsSpecials, isFinite.getType()));
    x = arith::SelectOp::create(b, keeps, x, ctx.constant(f32, 0.0));
  }
  auto constant = [&](int64_t value) { return ctx.intConstant(i32, value); };
  // Scales of the pass, moved by its shift.
  Value inside = arith::CmpIOp::create(
      b, arith::CmpIPredicate::ult,
      arith::SubIOp::create(b, bytes, ctx.splat(pass.first, i32)),
      ctx.splat(pass.count, i32));
  Value moved = arith::AddIOp::create(b, bytes, ctx.splat(pass.shift, i32));
  moved = arith::MinSIOp::create(
      b, arith::MaxSIOp::create(b, moved, constant(ScalePass::kFirstPlain)),
      constant(ScalePass::kFirstLarge - 1));
  Value factor = ctx.cast(
      arith::ShLIOp::create(b, moved, constant(kMantissaBits)), b.getF32Type());
  factor = arith::SelectOp::create(b, inside, factor,
                                   ctx.constant(factor.getType(), 0.0));
  Value isNaN = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, bytes,
                                      constant(kNaNByte));
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  factor = arith::SelectOp::create(b, isNaN,
                                   ctx.constant(factor.getType(), nan), factor);
  return emitExactBF16(
      ctx, arith::MulFOp::create(b, x, ctx.broadcast(factor, getLayout(f32))));
}
