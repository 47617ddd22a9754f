//===- FP8Conversions.cpp - fp8 conversions of a chip ---------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A chip converts one family of 8-bit floats, OCP or FNUZ. The families share
// their bytes: the byte of x in OCP is the byte of x/2 in FNUZ, but for three
// codes. OCP has -0 (0x80, FNUZ's NaN) and NaN (0x7F and up, FNUZ's largest
// values).
//
//===----------------------------------------------------------------------===//

#include "FP8Conversions.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::te;

namespace {
bool isFNUZ(Type type) {
  return isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(type);
}
bool isNative(Type type, const Target &target) {
  return isFNUZ(type) == (target.fp8 == FP8Encoding::FNUZ);
}
/// The FNUZ type whose bytes an OCP type shares.
Type getSibling(Type ocp) {
  if (isa<Float8E4M3FNType>(ocp))
    return Float8E4M3FNUZType::get(ocp.getContext());
  return Float8E5M2FNUZType::get(ocp.getContext());
}
} // namespace

bool te::isFP8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type, Float8E4M3FNUZType,
             Float8E5M2FNUZType>(type);
}

static Value splat(ImplicitLocOpBuilder &b, Type type, Attribute element) {
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(cast<VectorType>(type), element));
}
static Value splatInt(ImplicitLocOpBuilder &b, Type type, int64_t value) {
  return splat(b, type, b.getIntegerAttr(getElementTypeOrSelf(type), value));
}

Value te::forEachPack(
    ImplicitLocOpBuilder &b, VectorType type,
    function_ref<Value(int64_t first, int64_t count)> convert) {
  int64_t size = type.getNumElements();
  Value result = arith::ConstantOp::create(b, b.getZeroAttr(type));
  for (int64_t first = 0; first < size; first += kPack) {
    int64_t count = std::min(kPack, size - first);
    Value pack = convert(first, count);
    if (count < kPack)
      pack = vector::ExtractStridedSliceOp::create(
          b, pack, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{count},
          ArrayRef<int64_t>{1});
    result = vector::InsertStridedSliceOp::create(
        b, pack, result, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{1});
  }
  return result;
}

namespace {
template <typename Op> struct FP8Pattern : OpRewritePattern<Op> {
  FP8Pattern(MLIRContext *context, const Target &target,
             const PackedFP8 &native)
      : OpRewritePattern<Op>(context), target(target), native(native) {}
  const Target &target;
  PackedFP8 native;
};

struct TruncPattern : FP8Pattern<arith::TruncFOp> {
  using FP8Pattern::FP8Pattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || !isFP8(type.getElementType()) ||
        !getElementTypeOrSelf(op.getIn().getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not f32 to fp8");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    if (isNative(type.getElementType(), target)) {
      rewriter.replaceOp(op, emitNative(b, op.getIn(), type.getElementType()));
      return success();
    }
    if (isFNUZ(type.getElementType()))
      return rewriter.notifyMatchFailure(op, "no FNUZ on this chip");
    rewriter.replaceOp(op, emulate(b, op.getIn(), type));
    return success();
  }

  /// The chip's conversions, of four elements each.
  Value emitNative(ImplicitLocOpBuilder &b, Value source,
                   Type elementType) const {
    auto packType = VectorType::get({kPack}, elementType);
    int64_t size = cast<VectorType>(source.getType()).getNumElements();
    return forEachPack(b, VectorType::get({size}, elementType),
                       [&](int64_t first, int64_t count) {
                         return native.trunc(b, source, first, count, packType);
                       });
  }

  /// OCP bytes from FNUZ conversions of x/2; a NaN takes the way of FNUZ's
  /// largest value, whose byte is an OCP NaN; the sign, which FNUZ drops from
  /// zeros, is restored.
  Value emulate(ImplicitLocOpBuilder &b, Value x, VectorType type) const {
    auto f32 = cast<VectorType>(x.getType());
    Type sibling = getSibling(type.getElementType());
    double largest =
        APFloat::getLargest(cast<FloatType>(sibling).getFloatSemantics())
            .convertToDouble();
    auto [nan, number] = splitNaN(b, x);
    Value half = arith::MulFOp::create(b, number,
                                       splat(b, f32, b.getF32FloatAttr(0.5f)));
    Value safe = arith::SelectOp::create(
        b, nan, splat(b, f32, b.getF32FloatAttr(largest)), half);
    Value bytes = emitNative(b, safe, sibling);
    Value signs = findSigns(x);
    return forEachPack(b, type, [&](int64_t first, int64_t count) {
      return addSigns(b, bytes, signs, first, count, type.getElementType());
    });
  }

  /// The condition that x is NaN, and a value that is x where it is not. A
  /// clamp that keeps NaN, select(x uno x, x, clamp), is split into elements.
  static std::pair<Value, Value> splitNaN(ImplicitLocOpBuilder &b, Value x) {
    auto select = x.getDefiningOp<arith::SelectOp>();
    auto compare = select ? select.getCondition().getDefiningOp<arith::CmpFOp>()
                          : arith::CmpFOp();
    if (compare && compare.getPredicate() == arith::CmpFPredicate::UNO &&
        compare.getLhs() == compare.getRhs() &&
        compare.getLhs() == select.getTrueValue())
      return {compare, select.getFalseValue()};
    return {arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x), x};
  }

  /// True for min(max(x, low), high) around 0.
  static bool isClampOf(Value value, Value x) {
    auto high = value.getDefiningOp<arith::MinNumFOp>();
    auto low = high ? high.getLhs().getDefiningOp<arith::MaxNumFOp>()
                    : arith::MaxNumFOp();
    DenseFPElementsAttr most, least;
    return low && low.getLhs() == x &&
           matchPattern(high.getRhs(), m_Constant(&most)) && most.isSplat() &&
           matchPattern(low.getRhs(), m_Constant(&least)) && least.isSplat() &&
           !most.getSplatValue<APFloat>().isNegative() &&
           least.getSplatValue<APFloat>().isNegative();
  }

  /// What has the signs of x, in the fewest registers: a clamp around 0, a
  /// product with scales and a wider format keep them.
  static Value findSigns(Value x) {
    if (auto select = x.getDefiningOp<arith::SelectOp>())
      if (isClampOf(select.getFalseValue(), select.getTrueValue()))
        x = select.getTrueValue();
    auto product = x.getDefiningOp<arith::MulFOp>();
    if (!product || !product->hasAttr(kKeepsSignAttrName))
      return x;
    auto wide = product.getLhs().getDefiningOp<arith::ExtFOp>();
    return wide && getElementTypeOrSelf(wide.getIn().getType()).isBF16()
               ? wide.getIn()
               : product.getLhs();
  }

  /// Four bytes with the signs of four elements of `source` inserted.
  Value addSigns(ImplicitLocOpBuilder &b, Value bytes, Value source,
                 int64_t first, int64_t count, Type elementType) const {
    auto type = cast<VectorType>(source.getType());
    int64_t size = type.getElementTypeBitWidth() / 8;
    std::array<int64_t, kPack> picks, signs;
    for (int64_t i = 0; i < kPack; ++i) {
      picks[i] = first + std::min(i, count - 1);
      signs[i] = picks[i] * size + size - 1;
    }
    Value word = vector::ExtractOp::create(
        b,
        vector::BitCastOp::create(
            b, VectorType::get({1}, b.getI32Type()),
            vector::ShuffleOp::create(b, bytes, bytes, picks)),
        int64_t(0));
    Value mask =
        arith::ConstantOp::create(b, b.getI32IntegerAttr(int32_t(0x80808080)));
    Value sign = arith::AndIOp::create(b, native.pick(b, source, signs), mask);
    Value both = vector::FromElementsOp::create(
        b, VectorType::get({1}, b.getI32Type()),
        arith::OrIOp::create(b, word, sign).getResult());
    return vector::BitCastOp::create(b, VectorType::get({kPack}, elementType),
                                     both);
  }
};

struct ExtPattern : FP8Pattern<arith::ExtFOp> {
  using FP8Pattern::FP8Pattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    auto source = dyn_cast<VectorType>(op.getIn().getType());
    if (!source || !isFP8(source.getElementType()) ||
        !getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not fp8 to f32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto type = cast<VectorType>(op.getType());
    if (isNative(source.getElementType(), target))
      rewriter.replaceOp(op, emitNative(b, op.getIn(), type));
    else if (isa<Float8E5M2Type>(source.getElementType()))
      rewriter.replaceOp(op, emulateE5M2(b, op.getIn(), type));
    else if (isa<Float8E4M3FNType>(source.getElementType()))
      rewriter.replaceOp(op, emulateE4M3(b, op.getIn(), type));
    else
      return rewriter.notifyMatchFailure(op, "no FNUZ on this chip");
    return success();
  }

  Value emitNative(ImplicitLocOpBuilder &b, Value source,
                   VectorType type) const {
    return forEachPack(b, type, [&](int64_t first, int64_t count) {
      Value pack = source;
      if (type.getNumElements() > kPack)
        pack = vector::ExtractStridedSliceOp::create(
            b, source, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{count},
            ArrayRef<int64_t>{1});
      return native.ext(b, pack, count);
    });
  }

  /// The bytes, zero-extended.
  static Value emitBytes(ImplicitLocOpBuilder &b, Value source, unsigned bits) {
    auto type = cast<VectorType>(source.getType());
    Value bytes =
        vector::BitCastOp::create(b, type.clone(b.getI8Type()), source);
    return arith::ExtUIOp::create(b, type.clone(b.getIntegerType(bits)), bytes);
  }

  /// E5M2 is the upper half of an f16, special codes and all.
  static Value emulateE5M2(ImplicitLocOpBuilder &b, Value source,
                           VectorType type) {
    Value bits = emitBytes(b, source, 16);
    bits = arith::ShLIOp::create(b, bits, splatInt(b, bits.getType(), 8));
    Value half = arith::BitcastOp::create(b, type.clone(b.getF16Type()), bits);
    return arith::ExtFOp::create(b, type, half);
  }

  /// The fields at their places in an f32 are the value times 2^-120,
  /// subnormals included; then the sign, and the NaN code.
  static Value emulateE4M3(ImplicitLocOpBuilder &b, Value source,
                           VectorType type) {
    Value bits = emitBytes(b, source, 32);
    Type i32 = bits.getType();
    auto constant = [&](int64_t value) { return splatInt(b, i32, value); };
    Value magnitude = arith::AndIOp::create(b, bits, constant(0x7F));
    Value placed = arith::ShLIOp::create(b, magnitude, constant(20));
    Value scaled =
        arith::MulFOp::create(b, arith::BitcastOp::create(b, type, placed),
                              splat(b, type, b.getF32FloatAttr(0x1p120f)));
    Value sign = arith::ShLIOp::create(
        b, arith::AndIOp::create(b, bits, constant(0x80)), constant(24));
    Value result =
        arith::OrIOp::create(b, arith::BitcastOp::create(b, i32, scaled), sign);
    Value nan = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, magnitude,
                                      constant(0x7F));
    result = arith::SelectOp::create(b, nan, constant(0x7FC00000), result);
    return arith::BitcastOp::create(b, type, result);
  }
};

} // namespace

void te::populateFP8Patterns(RewritePatternSet &patterns, const Target &target,
                             const PackedFP8 &native) {
  patterns.add<TruncPattern, ExtPattern>(patterns.getContext(), target, native);
}
