//===- PackedConversions.cpp - AMD's fp8 and fp4 instructions -------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedConversions.h"

using namespace mlir;
using namespace mlir::te;

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

void te::populatePackedConversionPatterns(RewritePatternSet &patterns,
                                          const Target &target) {
  populateFP8Patterns(patterns, target, {truncPack, extPack});
  if (target.hasScaledConversions)
    patterns.add<ScalingTruncPattern, ScalingTruncFP4Pattern>(
        patterns.getContext());
}
