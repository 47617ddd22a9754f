//===- GPUToNVVM.cpp - te-gpu-to-nvvm -------------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What upstream's conversion of gpu has no word for, in the chip's own: packed
// conversions. After tile-distribute:
//   te-opt --te-gpu-to-nvvm
//
//   %q = arith.truncf %x : vector<2xf32> to vector<2xf8E4M3FN>
// ==>
//   %r = nvvm.convert.f32x2.to.f8x2 %x1, %x0 {rnd = rn, sat = satfinite}
//          : i16 (f8E4M3FN)
//
// Limits: a chip with OCP codes; fp4 codes are arithmetic by then.
//
//===----------------------------------------------------------------------===//

#include "../GPUCommon/FP8Conversions.h"
#include "../GPUCommon/Lowering.h"
#include "../GPUCommon/Narrow.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::te;

namespace mlir::te {
#define GEN_PASS_DEF_GPUTONVVMPASS
#include "te/Conversion/Passes.h.inc"
} // namespace mlir::te

/// The numbers after a clamp to the format's range that keeps NaN, or `x`:
/// satfinite does the same, of Inf too, and makes 0x7F of NaN.
static Value skipClamp(Value x, FloatType element) {
  double largest =
      APFloat::getLargest(element.getFloatSemantics()).convertToDouble();
  auto isLimit = [&](Value value, double limit) {
    APFloat splat(0.0f);
    return matchPattern(value, m_ConstantFloat(&splat)) &&
           splat.convertToDouble() == limit;
  };
  auto select = x.getDefiningOp<arith::SelectOp>();
  if (!select)
    return x;
  Value number = select.getTrueValue();
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  auto above = select.getFalseValue().getDefiningOp<arith::MinNumFOp>();
  auto below = above ? above.getLhs().getDefiningOp<arith::MaxNumFOp>()
                     : arith::MaxNumFOp();
  bool isClamp = compare && below &&
                 compare.getPredicate() == arith::CmpFPredicate::UNO &&
                 compare.getLhs() == number && compare.getRhs() == number &&
                 below.getLhs() == number && isLimit(above.getRhs(), largest) &&
                 isLimit(below.getRhs(), -largest);
  return isClamp ? number : x;
}

static Value truncPack(ImplicitLocOpBuilder &b, Value source, int64_t first,
                       int64_t count, VectorType packType) {
  source = skipClamp(source, cast<FloatType>(packType.getElementType()));
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  auto element = [&](int64_t i) -> Value {
    return i < count ? vector::ExtractOp::create(b, source, first + i) : zero;
  };
  SmallVector<Value> halves;
  for (int64_t i = 0; i < kPack; i += 2) {
    if (i >= count) {
      halves.push_back(halves.back());
      continue;
    }
    Value low = element(i), high = element(i + 1);
    halves.push_back(NVVM::ConvertF32x2ToF8x2Op::create(
        b, b.getI16Type(), high, low, NVVM::FPRoundingMode::RN,
        NVVM::SaturationMode::SATFINITE, /*relu=*/false,
        packType.getElementType()));
  }
  Value words = vector::FromElementsOp::create(
      b, VectorType::get({kPack / 2}, b.getI16Type()), halves);
  return vector::BitCastOp::create(b, packType, words);
}

/// By way of f16, which has every value of both formats.
static Value extPack(ImplicitLocOpBuilder &b, Value pack, int64_t count) {
  auto f32 = VectorType::get({kPack}, b.getF32Type());
  auto codes = cast<VectorType>(pack.getType());
  Value result = arith::ConstantOp::create(b, b.getZeroAttr(f32));
  for (int64_t i = 0; i < count; i += 2) {
    SmallVector<int64_t, 2> picks = {i, std::min(i + 1, count - 1)};
    Value pair = vector::BitCastOp::create(
        b, VectorType::get({2}, b.getI8Type()),
        vector::ShuffleOp::create(b, pack, pack, picks));
    Value half = NVVM::ConvertF8x2ToF16x2Op::create(
        b, VectorType::get({2}, b.getF16Type()), pair, /*relu=*/false,
        codes.getElementType());
    Value wide =
        arith::ExtFOp::create(b, VectorType::get({2}, b.getF32Type()), half);
    result = vector::InsertStridedSliceOp::create(
        b, wide, result, ArrayRef<int64_t>{i}, ArrayRef<int64_t>{1});
  }
  return result;
}

namespace {
/// bf16 two at a time.
struct PackBF16Pattern : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || !type.getElementType().isBF16() || type.getRank() != 1 ||
        type.getNumElements() % 2 != 0 ||
        !getElementTypeOrSelf(op.getIn().getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not pairs of f32 to bf16");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto pair = VectorType::get({2}, b.getBF16Type());
    Value result = arith::ConstantOp::create(b, b.getZeroAttr(type));
    for (int64_t i = 0; i < type.getNumElements(); i += 2) {
      Value low = vector::ExtractOp::create(b, op.getIn(), i),
            high = vector::ExtractOp::create(b, op.getIn(), i + 1);
      Value both = NVVM::ConvertF32x2ToBF16x2Op::create(
          b, pair, high, low, /*random_bits=*/Value(),
          NVVM::FPRoundingMode::RN);
      result = vector::InsertStridedSliceOp::create(
          b, both, result, ArrayRef<int64_t>{i}, ArrayRef<int64_t>{1});
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// The upper one of two bf16 is widened in their word, by a mask: a conversion
/// moves it to a register of its own first. Of the lower one ptxas makes what
/// the busier unit does not have.
struct WidenBF16Pattern : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getIn().getType());
    if (!type || !type.getElementType().isBF16() || type.getRank() != 1 ||
        type.getNumElements() % 2 != 0 ||
        !getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not pairs of bf16 to f32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    int64_t count = type.getNumElements() / 2;
    auto words = VectorType::get({count}, b.getI32Type()),
         numbers = VectorType::get({count}, b.getF32Type());
    SmallVector<int64_t> even, order;
    for (int64_t i = 0; i < count; ++i) {
      even.push_back(2 * i);
      order.append({i, count + i});
    }
    Value lower = vector::ShuffleOp::create(b, op.getIn(), op.getIn(), even);
    Value low = arith::ExtFOp::create(b, numbers, lower);
    Value mask = arith::ConstantOp::create(
        b, DenseElementsAttr::get(words, APInt(32, 0xffff0000u)));
    Value high = arith::AndIOp::create(
        b, vector::BitCastOp::create(b, words, op.getIn()), mask);
    rewriter.replaceOpWithNewOp<vector::ShuffleOp>(
        op, low, vector::BitCastOp::create(b, numbers, high), order);
    return success();
  }
};

struct GPUToNVVMPass : te::impl::GPUToNVVMPassBase<GPUToNVVMPass> {
  LogicalResult convert(gpu::GPUFuncOp func) {
    FailureOr<const Target *> target =
        getKernelTarget(func, BackendKind::NVPTX);
    if (failed(target))
      return failure();
    RewritePatternSet patterns(&getContext());
    populateFP8Patterns(patterns, **target,
                        {truncPack, extPack, /*pick=*/nullptr});
    populateNarrowPatterns(patterns, BackendKind::NVPTX);
    patterns.add<PackBF16Pattern, WidenBF16Pattern>(&getContext());
    walkAndApplyPatterns(func, std::move(patterns));
    return success();
  }

  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](gpu::GPUFuncOp func) {
      return succeeded(convert(func)) ? WalkResult::advance()
                                      : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
