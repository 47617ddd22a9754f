//===- PackedConversions.cpp - AMD's conversions of narrow floats ---------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedConversions.h"

#include "../GPUCommon/Narrow.h"
#include "../TileToGPU/Distribution.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::te;

static Value pickBytes(ImplicitLocOpBuilder &b, Value vector,
                       std::array<int64_t, 4> bytes) {
  return emitPickedBytes(b, BackendKind::AMDGPU, vector, bytes);
}

static Value truncPack(ImplicitLocOpBuilder &b, Value source, int64_t first,
                       int64_t count, VectorType packType) {
  Value pack;
  for (int64_t word = 0; 2 * word < count; ++word) {
    int64_t at = first + 2 * word;
    Value x = vector::ExtractOp::create(b, source, at), y;
    if (at + 1 < first + count)
      y = vector::ExtractOp::create(b, source, at + 1);
    pack = amdgpu::PackedTrunc2xFp8Op::create(b, packType, x, y, word, pack);
  }
  return pack;
}

static Value extPack(ImplicitLocOpBuilder &b, Value pack, int64_t count) {
  auto pair = VectorType::get({2}, b.getF32Type());
  Value result = arith::ConstantOp::create(
      b, b.getZeroAttr(VectorType::get({kPack}, b.getF32Type())));
  for (int64_t word = 0; 2 * word < count; ++word)
    result = vector::InsertStridedSliceOp::create(
        b, amdgpu::ExtPackedFp8Op::create(b, pair, pack, word), result,
        ArrayRef<int64_t>{2 * word}, ArrayRef<int64_t>{1});
  return result;
}

/// The f32 that an E8M0 scale, the same for a whole vector, is: an exponent
/// field. Null for other scales.
static Value emitScaleOf(ImplicitLocOpBuilder &b, arith::ScalingTruncFOp op) {
  auto broadcast = op.getScale().getDefiningOp<vector::BroadcastOp>();
  if (!broadcast || isa<VectorType>(broadcast.getSource().getType()))
    return {};
  Value byte =
      arith::BitcastOp::create(b, b.getI8Type(), broadcast.getSource());
  Value bits = arith::ShLIOp::create(
      b, arith::ExtUIOp::create(b, b.getI32Type(), byte),
      arith::ConstantIntOp::create(b, b.getI32Type(), 23));
  return arith::BitcastOp::create(b, b.getF32Type(), bits);
}

/// A pack of the elements of `source` from `first` on, two an instruction.
static Value emitScaledPack(ImplicitLocOpBuilder &b, VectorType packType,
                            Value source, Value scale, int64_t first,
                            int64_t count) {
  Value pack;
  for (int64_t word = 0; 2 * word < count; ++word) {
    int64_t size = std::min<int64_t>(2, count - 2 * word);
    Value pair = vector::ExtractStridedSliceOp::create(
        b, source, ArrayRef<int64_t>{first + 2 * word}, ArrayRef<int64_t>{size},
        ArrayRef<int64_t>{1});
    pack = amdgpu::PackedScaledTruncOp::create(b, packType, pair, scale, word,
                                               pack);
  }
  return pack;
}

namespace {
/// fp4 codes seen as bytes: an instruction fills one of a register's four.
struct ScalingTruncFP4Pattern : OpRewritePattern<vector::BitCastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(vector::BitCastOp op,
                                PatternRewriter &rewriter) const override {
    auto trunc = op.getSource().getDefiningOp<arith::ScalingTruncFOp>();
    if (!trunc ||
        !isa<Float4E2M1FNType>(getElementTypeOrSelf(trunc.getType())) ||
        !op.getResultVectorType().getElementType().isInteger(8))
      return rewriter.notifyMatchFailure(op, "not bytes of scaled fp4");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value scale = emitScaleOf(b, trunc);
    if (!scale)
      return rewriter.notifyMatchFailure(op, "scales differ");
    auto codes = VectorType::get({2 * kPack}, b.getType<Float4E2M1FNType>());
    auto bytes = VectorType::get({kPack}, b.getI8Type());
    rewriter.replaceOp(
        op, forEachPack(b, op.getResultVectorType(),
                        [&](int64_t first, int64_t count) {
                          return vector::BitCastOp::create(
                              b, bytes,
                              emitScaledPack(b, codes, trunc.getIn(), scale,
                                             2 * first, 2 * count));
                        }));
    rewriter.eraseOp(trunc);
    return success();
  }
};

struct ScalingTruncPattern : OpRewritePattern<arith::ScalingTruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ScalingTruncFOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || !isFP8(type.getElementType()))
      return rewriter.notifyMatchFailure(op, "no scaled conversion for it");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value scale = emitScaleOf(b, op);
    if (!scale)
      return rewriter.notifyMatchFailure(op, "scales differ");
    auto packType = VectorType::get({kPack}, type.getElementType());
    rewriter.replaceOp(
        op, forEachPack(b, type, [&](int64_t first, int64_t count) {
          return emitScaledPack(b, packType, op.getIn(), scale, first, count);
        }));
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// bf16 by integer arithmetic
//===----------------------------------------------------------------------===//

/// True where a NaN of this f32 has zeros for a lower half, so that rounding
/// does not carry out of it: all that it is made of was bf16, and a sum's or
/// product's NaN is a quiet one of its operands, or 0x7FC00000.
static bool hasShortNaNs(Value value, unsigned depth = 4) {
  Operation *op = value.getDefiningOp();
  if (auto wide = dyn_cast_if_present<arith::ExtFOp>(op))
    return getElementTypeOrSelf(wide.getIn().getType()).isBF16();
  return depth > 0 &&
         isa_and_present<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return hasShortNaNs(operand, depth - 1);
         });
}

/// bf16 whose bits are the upper halves of i32: two at a time by an instruction
/// that nothing needs to recognize.
static Value emitUpperHalves(ImplicitLocOpBuilder &b, Value words) {
  auto type = cast<VectorType>(words.getType());
  int64_t count = type.getNumElements();
  SmallVector<Value> pairs;
  for (int64_t i = 0; i < count; i += 2) {
    int64_t next = 4 * std::min(i + 1, count - 1);
    pairs.push_back(
        pickBytes(b, words, {4 * i + 2, 4 * i + 3, next + 2, next + 3}));
  }
  auto packed = VectorType::get({int64_t(pairs.size())}, b.getI32Type());
  return emitFromWords(b, vector::FromElementsOp::create(b, packed, pairs),
                       type.clone(b.getBF16Type()));
}

/// To nearest, ties to even, of f32. LLVM does the same for any NaN, which
/// takes more instructions than most values need.
static Value emitBF16(ImplicitLocOpBuilder &b, Value x) {
  auto type = cast<VectorType>(x.getType());
  auto i32 = type.clone(b.getI32Type());
  auto constant = [&](int64_t value) {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(i32, b.getI32IntegerAttr(value)));
  };
  Value bits = arith::BitcastOp::create(b, i32, x), half = constant(16);
  Value odd = arith::AndIOp::create(b, arith::ShRUIOp::create(b, bits, half),
                                    constant(1));
  Value rounded = arith::AddIOp::create(b, arith::AddIOp::create(b, odd, bits),
                                        constant(0x7FFF));
  if (!hasShortNaNs(x)) {
    bool isQuiet = isa_and_present<arith::AddFOp, arith::SubFOp, arith::MulFOp,
                                   math::FmaOp>(x.getDefiningOp());
    Value quiet =
        isQuiet ? bits : arith::OrIOp::create(b, bits, constant(0x400000));
    Value nan = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
    rounded = arith::SelectOp::create(b, nan, quiet, rounded);
  }
  return emitUpperHalves(b, rounded);
}

namespace {
struct BF16TruncPattern : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<VectorType>(op.getType()) ||
        !getElementTypeOrSelf(op.getType()).isBF16() ||
        !getElementTypeOrSelf(op.getIn().getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not f32 to bf16");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, emitBF16(b, op.getIn()));
    return success();
  }
};

/// A bf16 sum or product is the f32 one, rounded.
template <typename Op> struct BF16ArithmeticPattern : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || !type.getElementType().isBF16())
      return rewriter.notifyMatchFailure(op, "not of bf16");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto f32 = type.clone(b.getF32Type());
    Value x = arith::ExtFOp::create(b, f32, op.getLhs()),
          y = arith::ExtFOp::create(b, f32, op.getRhs());
    rewriter.replaceOp(op, emitBF16(b, Op::create(b, x, y)));
    return success();
  }
};

/// Bytes are taken from their words, each by one instruction, which the one
/// that works on it may do itself; LLVM takes them from halves of words, and
/// the upper one by a shift.
struct SignedBytesPattern : OpRewritePattern<arith::ExtSIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtSIOp op,
                                PatternRewriter &rewriter) const override {
    constexpr int64_t perWord = 4, bits = 8, wordBits = perWord * bits;
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || type.getRank() != 1 || type.getNumElements() % perWord != 0 ||
        !type.getElementType().isInteger(wordBits) ||
        !getElementTypeOrSelf(op.getIn().getType()).isInteger(bits))
      return rewriter.notifyMatchFailure(op, "not words of bytes");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto words =
        VectorType::get({type.getNumElements() / perWord}, b.getI32Type());
    auto splat = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(
          b, DenseElementsAttr::get(words, b.getI32IntegerAttr(value)));
    };
    Value source = b.createOrFold<vector::BitCastOp>(words, op.getIn());
    SmallVector<Value> places;
    for (int64_t place = 1; place <= perWord; ++place)
      places.push_back(arith::ShRSIOp::create(
          b, arith::ShLIOp::create(b, source, splat(wordBits - place * bits)),
          splat(wordBits - bits)));
    SmallVector<Value> numbers;
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      numbers.push_back(
          vector::ExtractOp::create(b, places[i % perWord], i / perWord));
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, type, numbers);
    return success();
  }
};
} // namespace

void te::populatePackedConversionPatterns(RewritePatternSet &patterns,
                                          const Target &target) {
  populateFP8Patterns(patterns, target, {truncPack, extPack, pickBytes});
  populateNarrowPatterns(patterns, BackendKind::AMDGPU);
  patterns.add<SignedBytesPattern>(patterns.getContext());
  if (!target.hasBF16Conversions)
    patterns.add<BF16TruncPattern, BF16ArithmeticPattern<arith::AddFOp>,
                 BF16ArithmeticPattern<arith::SubFOp>,
                 BF16ArithmeticPattern<arith::MulFOp>>(patterns.getContext());
  if (target.hasScaledConversions)
    patterns.add<ScalingTruncPattern, ScalingTruncFP4Pattern>(
        patterns.getContext());
}
