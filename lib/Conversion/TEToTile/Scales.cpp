//===- Scales.cpp - scales of blocks on tiles -----------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scales.h"

#include "te/Region/StorageOrder.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

namespace {
/// f32 fields.
constexpr int64_t kMantissaBits = 23, kMantissaMask = 0x7FFFFF,
                  kInfBits = 0x7F800000;
/// 2^-127 as an f32 subnormal; a quiet NaN.
constexpr int64_t kTwoToMinus127 = 0x00400000, kNaNBits = 0x7FC00000;
/// bf16 fields, and 2^-127 as one.
constexpr int64_t kMantissaBitsBF16 = 7, kMantissaMaskBF16 = 0x7F,
                  kTwoToMinus127BF16 = 0x0040;
constexpr int64_t kOneByte = 127, kInfByteFP4 = 253, kMaxByte = 254,
                  kNaNByte = 255;
} // namespace

static const llvm::fltSemantics &semantics(Type elementType) {
  return cast<FloatType>(elementType).getFloatSemantics();
}

double te::getLargest(Type elementType) {
  return APFloat::getLargest(semantics(elementType)).convertToDouble();
}

/// The exponent of the largest power of two of the format (E4M3: 8).
static int64_t getLargestExponent(Type elementType) {
  return ilogb(APFloat::getLargest(semantics(elementType)));
}

/// What is added to an amax' bf16 mantissa so that it carries where amax times
/// `reciprocal` is above the power of two that `largest` is in: the product of
/// no other mantissa lies near it.
static int64_t getCarryBF16(float reciprocal, int64_t largestExponent) {
  float power = std::ldexp(1.0f, -largestExponent);
  for (int64_t mantissa = kMantissaMaskBF16; mantissa > 0; --mantissa)
    if (std::ldexp(float(kMantissaMaskBF16 + 1 + mantissa),
                   -kMantissaBitsBF16) *
            reciprocal <=
        power)
      return kMantissaMaskBF16 - mantissa;
  return kMantissaMaskBF16;
}

/// RCEIL of a bf16 amax, in 16 bits: its exponent less that of the largest
/// value, rounded up in place, and not below 0. amax * 0 is NaN of an Inf, and
/// so finds it: the byte is 254.
static Value emitRCeilBF16(TileContext &ctx, Value amax, float reciprocal,
                           int64_t largestExponent) {
  auto &b = ctx.b;
  Type i16 = withElementType(amax.getType(), b.getIntegerType(16));
  auto constant = [&](int64_t value) { return ctx.intConstant(i16, value); };
  auto inPlace = [](int64_t exponent) { return exponent << kMantissaBitsBF16; };
  Value isNaN = ctx.cast(
      arith::MulFOp::create(b, amax, ctx.constant(amax.getType(), 0.0)),
      b.getIntegerType(16));
  Value infinite = arith::AndIOp::create(b, isNaN, constant(inPlace(kMaxByte)));
  Value rounded = arith::AddIOp::create(
      b, ctx.cast(amax, b.getIntegerType(16)),
      constant(getCarryBF16(reciprocal, largestExponent)));
  Value least = constant(inPlace(largestExponent));
  Value exponent =
      arith::AndIOp::create(b, arith::MaxUIOp::create(b, rounded, least),
                            constant(int16_t(~kMantissaMaskBF16)));
  exponent =
      arith::AddIOp::create(b, exponent, constant(-inPlace(largestExponent)));
  return arith::ShRUIOp::create(b,
                                arith::MaxUIOp::create(b, exponent, infinite),
                                constant(kMantissaBitsBF16));
}

/// RCEIL: the exponent of the smallest power of two >= amax / largest, where
/// the division is a product with the rounded reciprocal (docs/spec.md, of the
/// semantics).
static Value emitRCeil(TileContext &ctx, Value amax, Type elementType) {
  auto &b = ctx.b;
  Type f32 = amax.getType(), i32 = withElementType(f32, b.getI32Type());
  float reciprocal = 1.0f / float(getLargest(elementType));
  if (getElementTypeOrSelf(f32).isBF16())
    return emitRCeilBF16(ctx, amax, reciprocal,
                         getLargestExponent(elementType));
  Value v = arith::MulFOp::create(b, amax, ctx.constant(f32, reciprocal));
  Value bits = ctx.cast(v, b.getI32Type());
  // Adding all ones below the exponent carries into it unless the mantissa is
  // zero. A subnormal counts as 2^-127 up to and including 0x400000.
  Value subnormal =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, bits,
                            ctx.intConstant(i32, int64_t(1) << kMantissaBits));
  Value carry = arith::SelectOp::create(
      b, subnormal, ctx.intConstant(i32, kTwoToMinus127 - 1),
      ctx.intConstant(i32, kMantissaMask));
  Value exponent =
      arith::ShRUIOp::create(b, arith::AddIOp::create(b, bits, carry),
                             ctx.intConstant(i32, kMantissaBits));
  return arith::MinUIOp::create(b, exponent, ctx.intConstant(i32, kMaxByte));
}

Value te::emitScaleByte(TileContext &ctx, Value amax, ScaleRounding rounding,
                        Type elementType) {
  if (rounding == ScaleRounding::RCeil)
    return emitRCeil(ctx, amax, elementType);

  auto &b = ctx.b;
  amax = ctx.toF32(amax);
  Type i32 = withElementType(amax.getType(), b.getI32Type());
  Value bits = ctx.cast(amax, b.getI32Type());
  int64_t mantissa = APFloat::semanticsPrecision(semantics(elementType)) - 1;
  int64_t increment = rounding == ScaleRounding::Ceil ? kMantissaMask
                      : rounding == ScaleRounding::Even
                          ? int64_t(1) << (kMantissaBits - 1 - mantissa)
                          : 0;
  Value rounded =
      arith::AddIOp::create(b, bits, ctx.intConstant(i32, increment));
  Value exponent =
      arith::ShRUIOp::create(b, rounded, ctx.intConstant(i32, kMantissaBits));
  Value shifted = arith::SubIOp::create(
      b, exponent, ctx.intConstant(i32, getLargestExponent(elementType)));
  Value byte = arith::MaxSIOp::create(b, shifted, ctx.intConstant(i32, 0));
  Value infinite = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, bits,
                                         ctx.intConstant(i32, kInfBits));
  bool isFP4 = isa<Float4E2M1FNType>(elementType);
  byte = arith::SelectOp::create(
      b, infinite, ctx.intConstant(i32, isFP4 ? kInfByteFP4 : kNaNByte), byte);
  if (!isFP4)
    return byte;
  Value zero = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, bits,
                                     ctx.intConstant(i32, 0));
  return arith::SelectOp::create(
      b, zero, ctx.intConstant(i32, getByteOfZeros(rounding, elementType)),
      byte);
}

int64_t te::getByteOfZeros(ScaleRounding rounding, Type elementType) {
  return isa<Float4E2M1FNType>(elementType) && rounding != ScaleRounding::RCeil
             ? kOneByte
             : 0;
}

/// The same from bytes in i16: bf16.
static Value emitInverseScaleBF16(TileContext &ctx, Value byte) {
  auto &b = ctx.b;
  auto constant = [&](int64_t value) {
    return ctx.intConstant(byte.getType(), value);
  };
  // 255 - byte in the exponent's place, less 1: the chip adds two at once, but
  // does not subtract them.
  Value placed = arith::ShLIOp::create(b, byte, constant(kMantissaBitsBF16));
  Value flipped =
      arith::XOrIOp::create(b, placed, constant(kNaNByte << kMantissaBitsBF16));
  Value bits = arith::AddIOp::create(
      b, flipped, constant(-(int64_t(1) << kMantissaBitsBF16)));
  return ctx.cast(arith::MaxSIOp::create(b, bits, constant(kTwoToMinus127BF16)),
                  b.getBF16Type());
}

Value te::emitInverseScale(TileContext &ctx, Value byte) {
  auto &b = ctx.b;
  Type i32 = byte.getType();
  if (getElementTypeOrSelf(i32).isInteger(16))
    return emitInverseScaleBF16(ctx, byte);
  Value shifted = arith::ShLIOp::create(
      b, arith::SubIOp::create(b, ctx.intConstant(i32, kMaxByte), byte),
      ctx.intConstant(i32, kMantissaBits));
  // Of 254 and of 255 it is no exponent, and less than that, signed.
  Value bits =
      arith::MaxSIOp::create(b, shifted, ctx.intConstant(i32, kTwoToMinus127));
  return ctx.cast(bits, b.getF32Type());
}

Value te::emitScale(TileContext &ctx, Value byte) {
  auto &b = ctx.b;
  Type i32 = byte.getType();
  auto equals = [&](int64_t value) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, byte,
                                 ctx.intConstant(i32, value));
  };
  Value bits =
      arith::ShLIOp::create(b, byte, ctx.intConstant(i32, kMantissaBits));
  bits = arith::SelectOp::create(b, equals(0),
                                 ctx.intConstant(i32, kTwoToMinus127), bits);
  bits = arith::SelectOp::create(b, equals(kNaNByte),
                                 ctx.intConstant(i32, kNaNBits), bits);
  return ctx.cast(bits, b.getF32Type());
}

//===----------------------------------------------------------------------===//
// f32
//===----------------------------------------------------------------------===//

Value te::emitScaleFromAmax(TileContext &ctx, Value amax, ScaledType type,
                            double overflow) {
  auto &b = ctx.b;
  Type f32 = amax.getType(), i32 = withElementType(f32, b.getI32Type());
  Value scale = arith::DivFOp::create(
      b, ctx.constant(f32, getLargest(type.getElementType())), amax);
  // Of that magnitude, or NaN: a program may give an amax that is none.
  auto equals = [&](Value value, double constant) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::UEQ,
                                 math::AbsFOp::create(b, value),
                                 ctx.constant(f32, constant));
  };
  constexpr double inf = std::numeric_limits<double>::infinity();
  scale = arith::SelectOp::create(b, equals(scale, inf),
                                  ctx.constant(f32, overflow), scale);
  if (type.getScaling().getRounding() == ScaleRounding::Pow2) {
    Value bits = arith::AndIOp::create(b, ctx.cast(scale, b.getI32Type()),
                                       ctx.intConstant(i32, ~kMantissaMask));
    scale = ctx.cast(bits, b.getF32Type());
  }
  Value special = arith::OrIOp::create(b, equals(amax, 0.0), equals(amax, inf));
  return arith::SelectOp::create(b, special, ctx.constant(f32, 1.0), scale);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// A storage dimension's size inside the kernel.
static OpFoldResult emitExtent(TileContext &ctx, ScaledType type,
                               ScaledType::StorageDim dim) {
  bool isCols = isColumns(type, dim);
  int64_t known = isCols ? ctx.staticCols : ctx.staticRows;
  if (!ShapedType::isDynamic(known))
    return ctx.b.getIndexAttr(
        llvm::divideCeil(llvm::divideCeil(uint64_t(known), dim.divisor),
                         dim.multiple) *
        dim.multiple);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(ctx.b, value);
  };
  Value size = isCols ? ctx.cols : ctx.rows;
  int64_t unit = dim.divisor * dim.multiple;
  Value units = ctx.b.createOrFold<arith::DivUIOp>(
      ctx.b.createOrFold<arith::AddIOp>(size, constant(unit - 1)),
      constant(unit));
  return ctx.b.createOrFold<arith::MulIOp>(units, constant(dim.multiple));
}

/// Of the scales of one matrix, or of the tensor.
static SmallVector<ScaledType::StorageDim>
getMatrixStorage(const TileContext &ctx, ScaledType type) {
  SmallVector<ScaledType::StorageDim> dims = type.getScaleStorage();
  if (type.getScaling().isPerMatrix())
    dims.erase(dims.begin());
  else if (ctx.matrix) // their rows follow one another; padding is behind all
    dims.front().multiple = 1;
  return dims;
}

SmallVector<int64_t> te::getBlock(ScalingAttr scaling) {
  return {scaling.getBlockRows(), scaling.getBlockCols()};
}

bool te::areScalesTransposed(ScaledType type) {
  return isColumns(type,
                   type.getScaleStorage()[type.getScaling().isPerMatrix()]);
}

static bool isReplicated(ScaledType type) {
  ScalingAttr scaling = type.getScaling();
  return scaling.getBlockRows() > 1 && scaling.getBlockCols() > 1 &&
         scaling.getScaleLayout() != ScaleLayout::Linear;
}

std::array<int64_t, 2> te::getStoredBlock(ScaledType type) {
  ScalingAttr scaling = type.getScaling();
  int64_t rows = scaling.getBlockRows(), cols = scaling.getBlockCols();
  if (isReplicated(type)) // over the rows of the stored matrix
    (areScalesTransposed(type) ? cols : rows) = 1;
  return {rows, cols};
}

LayoutAttr te::getOrderAttr(MLIRContext *context,
                            std::optional<LinearLayout> order) {
  return order ? LayoutAttr::get(context, *order) : LayoutAttr();
}

namespace {
/// The view of a block-scaled value's scales in their storage's order, and this
/// workgroup's first one in it. Rows of the view are a multiple of `divisible`.
struct ScaleView {
  Value view, row, col;
  int64_t divisible;
  bool transposed; // the storage's rows are the tensor's columns
  LayoutAttr order;
  Value rows, cols; // of scales that are not padding
};
} // namespace

/// Of many matrices whose scales' rows are of columns: each row has those of
/// all matrices, one after the other. This matrix's part of them, and what its
/// start is a multiple of.
static std::pair<Value, int64_t>
viewAcross(TileContext &ctx, ScaledType type,
           ArrayRef<ScaledType::StorageDim> dims, Value buffer) {
  auto &b = ctx.b;
  TileContext all = ctx;
  all.rows = b.createOrFold<arith::MulIOp>(ctx.rows, ctx.matrices);
  all.staticRows = getConstantIntValue(all.rows).value_or(ShapedType::kDynamic);
  ScaledType::StorageDim own = dims[1];
  own.multiple = 1;
  Value start = b.createOrFold<arith::MulIOp>(ctx.matrix, ctx.rows);
  int64_t divisible = ShapedType::isDynamic(ctx.staticRows)
                          ? 1
                          : int64_t(1) << llvm::countr_zero(
                                uint64_t(std::max<int64_t>(ctx.staticRows, 1)));
  return {ctx.view(buffer, emitExtent(ctx, type, dims[0]),
                   emitExtent(ctx, type, own), emitExtent(all, type, dims[1]),
                   OpFoldResult(start)),
          divisible};
}

static ScaleView emitScaleView(TileContext &ctx, ScaledType type,
                               Value buffer) {
  auto &b = ctx.b;
  SmallVector<ScaledType::StorageDim> dims = getMatrixStorage(ctx, type);
  auto divide = [&](Value offset, int64_t block) -> Value {
    return b.createOrFold<arith::DivUIOp>(
        offset, arith::ConstantIndexOp::create(b, block));
  };
  auto [blockRows, blockCols] = getStoredBlock(type);
  ScaleView result;
  result.row = divide(ctx.tileRow, blockRows);
  result.col = divide(ctx.tileCol, blockCols);
  result.divisible = dims[1].multiple;
  result.transposed = areScalesTransposed(type);
  if (result.transposed)
    std::swap(result.row, result.col);
  OpFoldResult rows = emitExtent(ctx, type, dims[0]),
               cols = emitExtent(ctx, type, dims[1]);
  result.order = getOrderAttr(type.getContext(), getScaleOrder(type));
  bool isAcross = ctx.matrices && !type.getScaling().isPerMatrix() &&
                  isColumns(type, dims[0]);
  if (isAcross)
    std::tie(result.view, result.divisible) =
        viewAcross(ctx, type, dims, buffer);
  else
    result.view = ctx.viewMatrix(buffer, rows, cols, result.order);
  for (ScaledType::StorageDim &dim : dims)
    dim.multiple = 1;
  auto extent = [&](ScaledType::StorageDim dim) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(),
                                           emitExtent(ctx, type, dim));
  };
  result.rows = extent(dims[0]);
  result.cols = extent(dims[1]);
  return result;
}

/// Scales are a small part of the data: where neighbouring lanes already hold
/// so many consecutive bytes they are stored as they are, else gathered through
/// LDS into the widest stores.
static constexpr int64_t kMinScaleStoreBytes = 8;

void te::storeScales(TileContext &ctx, ScaledType type, Value scales,
                     Value buffer, bool padsLikeZeros) {
  ScaleView target = emitScaleView(ctx, type, buffer);
  if (isReplicated(type)) { // by those who hold their elements
    LinearLayout elements = ctx.getLoadLayout();
    scales = ctx.convert(scales, elements.project(getBlock(type.getScaling())));
    scales = ctx.broadcast(scales, elements.project(getStoredBlock(type)));
  }
  if (target.transposed)
    scales = ctx.transpose(scales);
  LinearLayout layout = getLayout(scales.getType());
  bool isPadded = !(ctx.wholeRows && ctx.wholeCols);
  if (isPadded && (!padsLikeZeros || isReplicated(type))) {
    Value inside =
        ctx.isInside(layout, target.row, target.col, target.rows, target.cols);
    double padding = type.getScalePadding();
    Value pad = type.getScaling().isE8M0()
                    ? ctx.intConstant(scales.getType(), int64_t(padding))
                    : ctx.constant(scales.getType(), padding);
    scales = arith::SelectOp::create(ctx.b, inside, scales, pad);
  }
  unsigned bytes =
      getElementTypeOrSelf(scales.getType()).getIntOrFloatBitWidth() / 8;
  if (target.order ||
      layout.getRunOfLanes() * bytes <
          std::min(kMinScaleStoreBytes, layout.getShape().back() * bytes))
    scales = ctx.convert(
        scales, ctx.getStoreLayout(layout.getShape(), 8 * bytes, target.order));
  ctx.store(scales, target.view, target.row, target.col, target.divisible,
            target.order);
}

Value te::loadScales(TileContext &ctx, ScaledType type, Value buffer,
                     const LinearLayout &blocks) {
  ScaleView source = emitScaleView(ctx, type, buffer);
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  // By the widest loads, and then to those who work on them.
  LinearLayout stored = source.transposed ? blocks.transpose() : blocks;
  LinearLayout wide = ctx.getStoreLayout(
      stored.getShape(), element.getIntOrFloatBitWidth(), source.order);
  Value scales = ctx.load(source.view, source.row, source.col, element, wide,
                          source.divisible, source.order);
  if (analyzeConversion(wide, stored).kind == ConversionKind::Shared)
    scales.getDefiningOp<LoadOp>().setFirstReplica(true);
  scales = ctx.convert(scales, stored);
  return source.transposed ? ctx.convert(ctx.transpose(scales), blocks)
                           : scales;
}

/// The scales of a view, in the storage's orientation.
static Value loadFromView(TileContext &ctx, ScaledType type,
                          const ScaleView &source, Type element,
                          const LinearLayout &layout) {
  std::array<bool, 2> whole = {ctx.wholeRows, ctx.wholeCols};
  std::array<int64_t, 2> block = getStoredBlock(type);
  for (unsigned dim : {0, 1})
    whole[dim] = whole[dim] && ctx.schedule.getTile()[dim] % block[dim] == 0;
  if (source.transposed)
    std::swap(whole[0], whole[1]);
  Value scales = ctx.load(source.view, source.row, source.col, element, layout,
                          source.divisible, source.order);
  ctx.setInBounds(scales, whole[0], whole[1]);
  return scales;
}

Value te::loadScalesAsStored(TileContext &ctx, ScaledType type, Value buffer,
                             std::array<int64_t, 2> blocks,
                             ArrayRef<int64_t> together, unsigned dim) {
  ScaleView source = emitScaleView(ctx, type, buffer);
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  unsigned bits = element.getIntOrFloatBitWidth();
  if (source.transposed) {
    std::swap(blocks[0], blocks[1]);
    dim = 1 - dim;
  }
  SmallVector<int64_t> kept(together);
  for (int64_t &bit : kept)
    bit *= dim == 0 ? blocks[1] : 1;
  // Bytes that are made of several runs come in whole words.
  constexpr unsigned wordBits = 32;
  int64_t lanes = ctx.schedule.getWaves() * ctx.target.waveSize,
          least = kept.empty() ? 1 : wordBits / bits,
          run = std::clamp<int64_t>(
              (blocks[0] * blocks[1] / lanes) >> kept.size(), least,
              ctx.target.maxAccessBytes * 8 / bits);
  LinearLayout layout = source.order
                            ? ctx.getStoreLayout(blocks, bits, source.order)
                            : LinearLayout::rowMajor(
                                  blocks, std::min(run, blocks[1]),
                                  llvm::Log2_32(ctx.target.waveSize),
                                  llvm::Log2_64(ctx.schedule.getWaves()), kept);
  return loadFromView(ctx, type, source, element, layout);
}

Value te::loadScalesIn(TileContext &ctx, ScaledType type, Value buffer,
                       const LinearLayout &blocks) {
  ScaleView source = emitScaleView(ctx, type, buffer);
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  if (!source.transposed)
    return loadFromView(ctx, type, source, element, blocks);
  return ctx.convert(ctx.transpose(loadFromView(ctx, type, source, element,
                                                blocks.transpose())),
                     blocks);
}

/// Of scales that are repeated along a dimension of their block, the first.
static Value emitFirst(TileContext &ctx, Value scales, ScaledType type) {
  auto &b = ctx.b;
  Type i32 = withElementType(scales.getType(), b.getI32Type());
  bool alongRows = getStoredBlock(type)[0] == 1;
  int64_t size = type.getScaling().getBlockRows();
  Value inBlock =
      arith::AndIOp::create(b, CoordinateOp::create(b, i32, alongRows ? 0 : 1),
                            ctx.intConstant(i32, size - 1));
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, inBlock,
                                        ctx.intConstant(i32, 0));
  Value alone = arith::SelectOp::create(b, isFirst, scales,
                                        ctx.intConstant(scales.getType(), 0));
  SmallVector<int64_t> block{alongRows ? size : 1, alongRows ? 1 : size};
  return ctx.reduce(ReduceKind::Or, alone, block);
}

void te::moveScales(TileContext &ctx, ScaledType from, Value source,
                    ScaledType to, Value target) {
  Value scales = loadScales(ctx, from, source,
                            ctx.getLoadLayout().project(getStoredBlock(from)));
  if (isReplicated(from))
    scales = emitFirst(ctx, scales, from);
  storeScales(ctx, to, scales, target, /*padsLikeZeros=*/false);
}
