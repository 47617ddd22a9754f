//===- Narrow.cpp - numbers of less than a word ---------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A byte of each of four numbers, picked from their words at once, and numbers
// shifted, and their bits joined, in their words: LLVM takes each number to a
// register of its own, and what is computed of them before as well.
//
//===----------------------------------------------------------------------===//

#include "Narrow.h"

#include "../TileToGPU/Distribution.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::te;

/// x, and k where `bits` are x shifted down by k, whole bytes, or 0.
static std::pair<Value, int64_t> skipByteShift(Value bits) {
  APInt by;
  auto shift = bits.getDefiningOp<arith::ShRUIOp>();
  if (shift && matchPattern(shift.getRhs(), m_ConstantInt(&by)) &&
      by.urem(8) == 0 && by.ult(by.getBitWidth()))
    return {shift.getLhs(), by.getZExtValue()};
  return {bits, 0};
}

namespace {
struct NarrowPattern : OpRewritePattern<arith::TruncIOp> {
  NarrowPattern(MLIRContext *context, BackendKind backend)
      : OpRewritePattern(context), backend(backend) {}

  /// Of 32 bits to bytes LLVM makes selections of its own on AMD's chips.
  LogicalResult matchAndRewrite(arith::TruncIOp op,
                                PatternRewriter &rewriter) const override {
    constexpr int64_t perWord = 4;
    auto type = dyn_cast<VectorType>(op.getType());
    unsigned width =
        getElementTypeOrSelf(op.getIn().getType()).getIntOrFloatBitWidth();
    if (!type || type.getRank() != 1 || type.getNumElements() % perWord != 0 ||
        !type.getElementType().isInteger(8) ||
        (width != 16 && (width != 32 || backend != BackendKind::NVPTX)))
      return rewriter.notifyMatchFailure(op, "not numbers to bytes, by fours");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto [source, skipped] = skipByteShift(op.getIn());
    SmallVector<Value> words;
    for (int64_t i = 0; i < type.getNumElements(); i += perWord) {
      int64_t bytes = width / 8, first = bytes * i + skipped / 8;
      words.push_back(emitPickedBytes(
          b, backend, source,
          {first, first + bytes, first + 2 * bytes, first + 3 * bytes}));
    }
    auto all = VectorType::get({int64_t(words.size())}, b.getI32Type());
    rewriter.replaceOp(
        op,
        emitFromWords(b, vector::FromElementsOp::create(b, all, words), type));
    return success();
  }

  BackendKind backend;
};

/// Numbers are shifted in their word, and what came from another one is masked.
template <typename ShiftOp> struct ShiftPattern : OpRewritePattern<ShiftOp> {
  ShiftPattern(MLIRContext *context, BackendKind backend)
      : OpRewritePattern<ShiftOp>(context), backend(backend) {}

  LogicalResult matchAndRewrite(ShiftOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    APInt by;
    unsigned width = type ? type.getElementTypeBitWidth() : 0;
    // AMD's chips shift two 16-bit numbers at once.
    bool isNarrow =
        width == 8 || (width == 16 && backend == BackendKind::NVPTX);
    if (!isNarrow || type.getRank() != 1 ||
        type.getNumElements() * width % 32 != 0 ||
        !matchPattern(op.getRhs(), m_ConstantInt(&by)) || by.uge(width))
      return rewriter.notifyMatchFailure(op, "not words of numbers, by one");
    if (isOnlyNarrowed(op))
      return rewriter.notifyMatchFailure(op, "NarrowPattern's");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto words =
        VectorType::get({type.getNumElements() * width / 32}, b.getI32Type());
    auto splat = [&](APInt value) -> Value {
      return arith::ConstantOp::create(b, DenseElementsAttr::get(words, value));
    };
    unsigned left = width - by.getZExtValue();
    APInt kept = std::is_same_v<ShiftOp, arith::ShLIOp>
                     ? APInt::getHighBitsSet(width, left)
                     : APInt::getLowBitsSet(width, left);
    Value shifted = ShiftOp::create(
        b, b.createOrFold<vector::BitCastOp>(words, op.getLhs()),
        splat(by.zext(32)));
    Value masked =
        arith::AndIOp::create(b, shifted, splat(APInt::getSplat(32, kept)));
    rewriter.replaceOpWithNewOp<vector::BitCastOp>(op, type, masked);
    return success();
  }

  static bool isOnlyNarrowed(ShiftOp op) {
    return skipByteShift(op).second &&
           llvm::all_of(op->getUsers(), [](Operation *user) {
             return isa<arith::TruncIOp>(user) &&
                    getElementTypeOrSelf(user->getResult(0).getType())
                        .isInteger(8);
           });
  }

  BackendKind backend;
};

/// Logic of bytes is that of their words: LLVM has 16-bit instructions for it.
template <typename LogicOp> struct LogicPattern : OpRewritePattern<LogicOp> {
  using OpRewritePattern<LogicOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(LogicOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || type.getRank() != 1 || type.getNumElements() % 4 != 0 ||
        !type.getElementType().isInteger(8))
      return rewriter.notifyMatchFailure(op, "not words of bytes");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto words = VectorType::get({type.getNumElements() / 4}, b.getI32Type());
    auto toWords = [&](Value bytes) -> Value {
      APInt splat;
      if (matchPattern(bytes, m_ConstantInt(&splat)))
        return arith::ConstantOp::create(
            b, DenseElementsAttr::get(words, APInt::getSplat(32, splat)));
      return b.createOrFold<vector::BitCastOp>(words, bytes);
    };
    Value result =
        LogicOp::create(b, toWords(op.getLhs()), toWords(op.getRhs()));
    rewriter.replaceOpWithNewOp<vector::BitCastOp>(op, type, result);
    return success();
  }
};
} // namespace

void te::populateNarrowPatterns(RewritePatternSet &patterns,
                                BackendKind backend) {
  patterns.add<NarrowPattern, ShiftPattern<arith::ShLIOp>,
               ShiftPattern<arith::ShRUIOp>>(patterns.getContext(), backend);
  patterns.add<LogicPattern<arith::AndIOp>, LogicPattern<arith::OrIOp>,
               LogicPattern<arith::XOrIOp>>(patterns.getContext());
}
