//===- QuantizeLowerings.cpp - quantize, dequantize, amax -----------------===//
//------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TileLoweringInterface of te.quantize, te.dequantize and te.amax.
//
//===----------------------------------------------------------------------===//

#include "Data.h"
#include "FP4.h"
#include "Lowerings.h"
#include "Philox.h"
#include "Scales.h"

#include "te/Conversion/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

//===----------------------------------------------------------------------===//
// te.quantize
//===----------------------------------------------------------------------===//

/// True where the target's scaled conversions give the type's codes, of columns
/// side by side in a lane, as they are stored.
static bool hasScaledTrunc(const TileContext &ctx, ScaledType type) {
  ScalingAttr scaling = type.getScaling();
  if (!ctx.target.hasScaledConversions || ctx.isTransposed ||
      scaling.getBlockCols() < 2)
    return false;
  if (type.isFP4())
    return scaling.getTies() == Ties::Even && !scaling.isTransposed();
  return scaling.getRounding() == ScaleRounding::RCeil;
}

/// cast(x * 2^(127 - byte)), by the target's scaled conversions where they are
/// exact: no block of the wave is beyond what the instruction is known to do
/// (an Inf must saturate, and 2^-127 is not a normal f32), and RCEIL bounds the
/// quotient, as fp4 does by saturating it.
static constexpr int64_t kLeastHugeByte = 253; // of an Inf, and others
static Value emitBlockCast(TileContext &ctx, Value x, Value amax, Value byte,
                           ScaledType type, Value words) {
  auto &b = ctx.b;
  LinearLayout layout = getLayout(x.getType()),
               blocks = layout.project(getBlock(type.getScaling()));
  auto general = [&]() -> Value {
    Value factors = ctx.convert(emitInverseScale(ctx, byte), blocks);
    if (type.isFP4())
      return castToFP4(ctx, x, factors, type, words);
    return emitSaturatingCast(
        ctx, emitScaled(ctx, x, ctx.broadcast(factors, layout)),
        type.getElementType());
  };
  if (words || !hasScaledTrunc(ctx, type))
    return general();

  amax = ctx.convert(amax, blocks);
  byte = ctx.convert(byte, blocks);
  Type i32 = byte.getType();
  Value zero = ctx.constant(amax.getType(), 0.0);
  Value isZero =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, amax, zero);
  // A zero block converts to zeros by any scale: take 1.0 for it.
  Value safe =
      arith::SelectOp::create(b, isZero, ctx.intConstant(i32, 127), byte);
  Value tiny = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, safe,
                                     ctx.intConstant(i32, 0));
  Value huge = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, safe,
                                     ctx.intConstant(i32, kLeastHugeByte));
  Value special =
      ReduceOrOp::create(b, b.getI1Type(), arith::OrIOp::create(b, tiny, huge));
  Type resultType =
      type.isFP4()
          ? getTileType(b.getI8Type(), b.getContext(), layout.project({1, 2}))
          : withElementType(x.getType(), type.getElementType());
  auto branch =
      scf::IfOp::create(b, TypeRange(resultType), special, /*else=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, general());
  b.setInsertionPointToStart(branch.elseBlock());
  Value scale =
      arith::TruncIOp::create(b, withElementType(i32, b.getI8Type()), safe);
  Value fast = ScaledTruncOp::create(b, resultType, x, scale);
  scf::YieldOp::create(b, fast);
  return branch.getResult(0);
}

/// The amax (a tile or scalar), at least the op's epsilon, or 0 where someone
/// else computed it.
static Value emitBounded(TileContext &ctx, QuantizeOp op, Value amax) {
  if (!op.getEpsilon() && !op.getAmax())
    return amax;
  Value least =
      ctx.constant(amax.getType(),
                   op.getEpsilon() ? op.getEpsilon()->convertToDouble() : 0.0);
  Value below =
      arith::CmpFOp::create(ctx.b, arith::CmpFPredicate::OLT, amax, least);
  return arith::SelectOp::create(ctx.b, below, least, amax);
}

/// True where a result is computed over rows together: they must be 0 outside
/// of the tensor.
static bool mixesRows(QuantizeOp op) {
  OpResult amax = op.getAmaxResult();
  return (amax && !amax.use_empty()) ||
         llvm::any_of(op.getScaledResults(), [](OpResult result) {
           ScalingAttr scaling =
               cast<ScaledType>(result.getType()).getScaling();
           return scaling.isBlock() && scaling.getBlockRows() > 1;
         });
}

namespace {
/// A result in blocks on its way.
struct Blocks {
  OpResult result;
  Value x, amax;
  Value data, scales; // as they are stored
  bool padsLikeZeros = false;

  ScaledType getType() { return cast<ScaledType>(result.getType()); }
  ScalingAttr getScaling() { return getType().getScaling(); }
};
} // namespace

static Blocks reduceBlocks(TileContext &ctx, QuantizeOp op, Value x,
                           OpResult result) {
  Blocks blocks;
  blocks.result = result;
  ScalingAttr scaling = blocks.getScaling();
  if (op.getHadamard())
    x = emitHadamard(ctx, ctx.toF32(x), scaling.isColumnwise() ? 0 : 1,
                     op.getSignMask().value_or(0));
  Value amax = ctx.reduceAmax(x, getBlock(scaling));
  if (!mixesRows(op) && ctx.wholeCols) // the scales of rows outside are zeros'
    amax = ctx.padWithZeros(amax);
  if (!blocks.getType().isFP4()) // whose codes may be computed in bf16
    amax = ctx.toF32(amax);
  blocks.x = x;
  blocks.amax = amax;
  return blocks;
}

static void quantizeE8M0(TileContext &ctx, QuantizeOp op, Blocks &blocks) {
  auto &b = ctx.b;
  ScaledType type = blocks.getType();
  ScaleRounding rounding = blocks.getScaling().getRounding();
  Value words;
  if (op.getStochastic())
    words =
        emitRandomWords(ctx, op.getRng(), blocks.getScaling().isColumnwise(),
                        getLayout(blocks.x.getType()));
  Value byte = emitScaleByte(ctx, blocks.amax, rounding, type.getElementType());
  blocks.data = emitBlockCast(ctx, blocks.x, blocks.amax, byte, type, words);
  blocks.scales = arith::TruncIOp::create(
      b, withElementType(byte.getType(), b.getI8Type()), byte);
  blocks.padsLikeZeros =
      getByteOfZeros(rounding, type.getElementType()) == type.getScalePadding();
}

static void quantizeF32(TileContext &ctx, QuantizeOp op, Blocks &blocks) {
  auto &b = ctx.b;
  ScaledType type = blocks.getType();
  Value scale =
      emitScaleFromAmax(ctx, emitBounded(ctx, op, blocks.amax), type,
                        getLargest(getElementTypeOrSelf(blocks.x.getType())));
  LinearLayout layout = getLayout(blocks.x.getType());
  Value factor = ctx.broadcast(
      ctx.convert(scale, layout.project(getBlock(blocks.getScaling()))),
      layout);
  blocks.data = emitSaturatingCast(ctx, emitScaled(ctx, blocks.x, factor),
                                   type.getElementType());
  blocks.scales =
      arith::DivFOp::create(b, ctx.constant(scale.getType(), 1.0), scale);
  blocks.padsLikeZeros = !op.getEpsilon();
}

static void storeBlocks(TileContext &ctx, Blocks &blocks) {
  TileContext::Buffers buffers = ctx.getBuffers(blocks.result);
  storeData(ctx, blocks.getType(), blocks.data, buffers.data);
  storeScales(ctx, blocks.getType(), blocks.scales, buffers.scales,
              blocks.padsLikeZeros);
}

/// One copy after the other, or what waits for other waves first and stores
/// last, as the target prefers.
static void quantizeBlocks(TileContext &ctx, QuantizeOp op, Value x,
                           ArrayRef<OpResult> results) {
  if (!ctx.target.scalesFirst && results.size() > 1) {
    for (const OpResult &result : results)
      quantizeBlocks(ctx, op, x, result);
    return;
  }
  SmallVector<Blocks> all;
  for (OpResult result : results)
    all.push_back(reduceBlocks(ctx, op, x, result));
  for (Blocks &blocks : all)
    blocks.getScaling().isE8M0() ? quantizeE8M0(ctx, op, blocks)
                                 : quantizeF32(ctx, op, blocks);
  for (Blocks &blocks : all)
    storeBlocks(ctx, blocks);
}

/// x / divisor, one a row, as an IEEE division rounds it, from at most 2^-17 on
/// (below, every format has 0): a product with the reciprocal, corrected by its
/// remainder (Markstein). Waves with a row where that could overflow or lose
/// bits (`isSpecial`, or a divisor that small) divide.
static constexpr double kLeastDivisor = 0x1p-64;
static Value emitQuotient(TileContext &ctx, Value x, Value divisor,
                          Value isSpecial) {
  auto &b = ctx.b;
  LinearLayout layout = getLayout(x.getType());
  Value isSmall =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, divisor,
                            ctx.constant(divisor.getType(), kLeastDivisor));
  Value divides = ReduceOrOp::create(
      b, b.getI1Type(), arith::OrIOp::create(b, isSpecial, isSmall));
  auto branch =
      scf::IfOp::create(b, TypeRange(x.getType()), divides, /*else=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, ValueRange(arith::DivFOp::create(
                              b, x, ctx.broadcast(divisor, layout))));
  b.setInsertionPointToStart(branch.elseBlock());
  Value reciprocal = ctx.broadcast(
      arith::DivFOp::create(b, ctx.constant(divisor.getType(), 1.0), divisor),
      layout);
  Value first = arith::MulFOp::create(b, x, reciprocal);
  // In this order -0 stays -0.
  Value excess = math::FmaOp::create(b, first, ctx.broadcast(divisor, layout),
                                     arith::NegFOp::create(b, x));
  scf::YieldOp::create(
      b, ValueRange(math::FmaOp::create(b, arith::NegFOp::create(b, excess),
                                        reciprocal, first)));
  return branch.getResult(0);
}

/// One scale a row, which the tile holds whole: elements are divided by it.
static void quantizeRows(TileContext &ctx, Value x, OpResult result) {
  auto &b = ctx.b;
  auto type = cast<ScaledType>(result.getType());
  x = ctx.toF32(x);
  Value amax = ctx.reduceRows(ReduceKind::MaxNum, math::AbsFOp::create(b, x));
  Type f32 = amax.getType();
  amax = arith::MaxNumFOp::create(b, amax, ctx.constant(f32, 0.0));
  auto equals = [&](Value value, double other) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, value,
                                 ctx.constant(f32, other));
  };
  Value quotient = arith::DivFOp::create(
      b, amax, ctx.constant(f32, getLargest(type.getElementType())));
  Value isInfinite = equals(amax, std::numeric_limits<double>::infinity());
  Value special = arith::OrIOp::create(b, equals(quotient, 0.0), isInfinite);
  Value inverse =
      arith::SelectOp::create(b, special, ctx.constant(f32, 1.0), quotient);
  Value scaled = emitQuotient(ctx, x, inverse, isInfinite);
  TileContext::Buffers buffers = ctx.getBuffers(result);
  storeData(ctx, type, emitSaturatingCast(ctx, scaled, type.getElementType()),
            buffers.data);
  ctx.storeRows(inverse, buffers.scales);
}

/// The multiplier of a per-tensor scheme: given, or from the given amax.
static Value emitTensorScale(TileContext &ctx, QuantizeOp op, ScaledType type) {
  if (op.getScale())
    return ctx.getScalar(op.getScale());
  Value amax = emitBounded(ctx, op, ctx.getScalar(op.getAmax()));
  return emitScaleFromAmax(ctx, amax, type, std::numeric_limits<float>::max());
}

/// All results of a per-tensor scheme: one cast, stored in one or two orders.
static void quantizeTensor(TileContext &ctx, QuantizeOp op, Value x,
                           ArrayRef<OpResult> results) {
  auto &b = ctx.b;
  auto type = cast<ScaledType>(results.front().getType());
  Value scale = emitTensorScale(ctx, op, type);
  Value f32 = ctx.toF32(x);
  Value scaled = arith::MulFOp::create(b, f32, ctx.splat(scale, f32.getType()));
  Value data = emitSaturatingCast(ctx, scaled, type.getElementType());
  for (OpResult result : results)
    storeData(ctx, cast<ScaledType>(result.getType()), data,
              ctx.getBuffers(result).data);
  ctx.inFirstWorkgroup([&] {
    Value one = arith::ConstantOp::create(b, b.getF32FloatAttr(1.0f));
    Value inverse = arith::DivFOp::create(b, one, scale);
    for (OpResult result : results)
      memref::StoreOp::create(b, inverse, ctx.getBuffers(result).scales,
                              ValueRange());
  });
}

/// Folds max |x| over this tile into the amax buffer.
static void emitTensorAmax(TileContext &ctx, Value x, Value result) {
  if (!ctx.stores)
    return;
  LinearLayout layout = getLayout(x.getType());
  Value amax = ctx.toF32(ctx.reduceAmax(x, layout.getShape()));
  AtomicMaxOp::create(ctx.b, amax, ctx.getBuffers(result).data);
}

namespace {
struct QuantizeLowering
    : TileLoweringInterface::ExternalModel<QuantizeLowering, QuantizeOp> {

  LogicalResult lowerToTile(Operation *op, TileContext &ctx) const {
    auto quantize = cast<QuantizeOp>(op);
    Value x = mixesRows(quantize)
                  ? ctx.getZeroPaddedTile(quantize.getInput())
                  : ctx.getColumnPaddedTile(quantize.getInput());
    llvm::SaveAndRestore restore(ctx.loadLayout);
    if (ctx.isTransposed && quantize.getStochastic()) {
      // Four columns share random words, which one lane works out.
      ctx.loadLayout = ctx.getStoreLayout(
          cast<ShapedType>(x.getType()).getShape(),
          getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth());
      x = ctx.convert(x, *ctx.loadLayout);
    }
    SmallVector<OpResult> perTensor, perBlock;
    for (OpResult result : quantize.getScaledResults()) {
      if (!ctx.hasBuffers(result))
        continue;
      switch (
          cast<ScaledType>(result.getType()).getScaling().getGranularity()) {
      case Granularity::Block:
        perBlock.push_back(result);
        break;
      case Granularity::Row:
        quantizeRows(ctx, x, result);
        break;
      case Granularity::Tensor:
        perTensor.push_back(result);
      }
    }
    quantizeBlocks(ctx, quantize, x, perBlock);
    if (!perTensor.empty()) {
      if (!quantize.getScale() && !quantize.getAmax())
        return op->emitError()
               << "te.quantize with current scaling needs the whole tensor's "
                  "amax before its first element: inside of a te.fusion give "
                  "it as amax(...), or leave the region to te-fuse";
      quantizeTensor(ctx, quantize, x, perTensor);
    }
    OpResult amax = quantize.getAmaxResult();
    if (amax && ctx.hasBuffers(amax))
      emitTensorAmax(ctx, x, amax);
    return success();
  }
};

struct DequantizeLowering
    : TileLoweringInterface::ExternalModel<DequantizeLowering, DequantizeOp> {

  /// The scale of each element, as an f32 tile.
  Value emitScales(TileContext &ctx, ScaledType type, Value buffer,
                   Type tileType) const {
    auto &b = ctx.b;
    LinearLayout layout = getLayout(tileType);
    switch (type.getScaling().getGranularity()) {
    case Granularity::Tensor:
      return ctx.splat(memref::LoadOp::create(b, buffer, ValueRange()),
                       tileType);
    case Granularity::Row:
      return ctx.broadcast(ctx.loadRowsOf(buffer), layout);
    case Granularity::Block:
      break;
    }
    LinearLayout blocks = layout.project(getStoredBlock(type));
    Value scales = loadScales(ctx, type, buffer, blocks);
    if (type.getScaling().isE8M0()) {
      Value wide = arith::ExtUIOp::create(
          b, withElementType(scales.getType(), b.getI32Type()), scales);
      scales = emitScale(ctx, wide);
    }
    return ctx.broadcast(scales, layout);
  }

  LogicalResult lowerToTile(Operation *op, TileContext &ctx) const {
    auto dequantize = cast<DequantizeOp>(op);
    auto &b = ctx.b;
    auto type = cast<ScaledType>(dequantize.getInput().getType());
    TileContext::Buffers in = ctx.getBuffers(dequantize.getInput());
    Value value = loadData(ctx, type, in.data);
    value = arith::MulFOp::create(
        b, value, emitScales(ctx, type, in.scales, value.getType()));
    value = ctx.round(value, dequantize.getResult().getType().getElementType());
    ctx.define(dequantize.getResult(), value);
    return success();
  }
};

struct AmaxLowering
    : TileLoweringInterface::ExternalModel<AmaxLowering, AmaxOp> {
  LogicalResult lowerToTile(Operation *op, TileContext &ctx) const {
    auto amax = cast<AmaxOp>(op);
    emitTensorAmax(ctx, ctx.getZeroPaddedTile(amax.getInput()),
                   amax.getResult());
    return success();
  }
};
} // namespace

void te::registerTileLowerings(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TEDialect *) {
    QuantizeOp::attachInterface<QuantizeLowering>(*context);
    DequantizeOp::attachInterface<DequantizeLowering>(*context);
    AmaxOp::attachInterface<AmaxLowering>(*context);
    attachGemmLowering(context);
    attachGemmSumLowering(context);
    attachNormLowerings(context);
    attachActivationLowerings(context);
    attachMoveLowerings(context);
    attachPartialLowerings(context);
    attachUpdateScaleLowering(context);
    attachRopeLowerings(context);
    attachSoftmaxLowerings(context);
    attachAttentionLowering(context);
    attachCopyLowerings(context);
  });
}
