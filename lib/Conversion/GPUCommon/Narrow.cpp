//===- Narrow.cpp - 16-bit numbers to bytes -------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The low bytes of four 16-bit numbers, picked from two words at once: LLVM
// takes each number to a register of its own, and what is computed of them
// before as well.
//
//===----------------------------------------------------------------------===//

#include "Narrow.h"

#include "../TileToGPU/Distribution.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::te;

namespace {
struct NarrowPattern : OpRewritePattern<arith::TruncIOp> {
  NarrowPattern(MLIRContext *context, BackendKind backend)
      : OpRewritePattern(context), backend(backend) {}

  LogicalResult matchAndRewrite(arith::TruncIOp op,
                                PatternRewriter &rewriter) const override {
    constexpr int64_t perWord = 4;
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || type.getRank() != 1 || type.getNumElements() % perWord != 0 ||
        !type.getElementType().isInteger(8) ||
        !getElementTypeOrSelf(op.getIn().getType()).isInteger(16))
      return rewriter.notifyMatchFailure(op, "not 16 bits to 8, by fours");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> words;
    for (int64_t i = 0; i < type.getNumElements(); i += perWord)
      words.push_back(emitPickedBytes(
          b, backend, op.getIn(), {2 * i, 2 * i + 2, 2 * i + 4, 2 * i + 6}));
    auto all = VectorType::get({int64_t(words.size())}, b.getI32Type());
    rewriter.replaceOp(
        op,
        emitFromWords(b, vector::FromElementsOp::create(b, all, words), type));
    return success();
  }

  BackendKind backend;
};
} // namespace

void te::populateNarrowPatterns(RewritePatternSet &patterns,
                                BackendKind backend) {
  patterns.add<NarrowPattern>(patterns.getContext(), backend);
}
