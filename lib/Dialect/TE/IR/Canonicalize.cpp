//===- Canonicalize.cpp - orders that ops read and write anyway -----------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Canonicalization: te.quantize writes what is used of it, in the order that
// is asked for. te-fuse applies the patterns of te.transpose and te.relayout
// too, as one kernel is then enough.
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/TE/IR/TE.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::te;

/// The same quantization with results of other types, before `op`.
static QuantizeOp withResults(PatternRewriter &rewriter, QuantizeOp op,
                              TypeRange types) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  OperationState state(op.getLoc(), QuantizeOp::getOperationName(),
                       op->getOperands(), types, op->getAttrs());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return cast<QuantizeOp>(rewriter.create(state));
}

namespace {
/// A smaller quantize, or an amax, where results are unused.
struct DropUnusedResults : OpRewritePattern<QuantizeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(QuantizeOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<OpResult> used;
    for (OpResult result : op->getResults())
      if (!result.use_empty())
        used.push_back(result);
    if (used.empty() || used.size() == op->getNumResults())
      return rewriter.notifyMatchFailure(op, "every result is used, or none");
    Operation *smaller;
    if (!isa<ScaledType>(used.front().getType()))
      smaller = AmaxOp::create(rewriter, op.getLoc(), used.front().getType(),
                               op.getInput(), op.getNoop());
    else
      smaller = withResults(
          rewriter, op,
          llvm::map_to_vector(used, [](OpResult r) { return r.getType(); }));
    for (auto [before, after] : llvm::zip_equal(used, smaller->getResults()))
      rewriter.replaceAllUsesWith(before, after);
    rewriter.eraseOp(op);
    return success();
  }
};

/// The transpose of a result is the op's other result: its blocks have the same
/// elements, unless these are transformed, or drawn, along one direction. A
/// flag that leaves a result as it was leaves the other as that was.
struct QuantizeBothWays : OpRewritePattern<TransposeDataOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeDataOp op,
                                PatternRewriter &rewriter) const override {
    auto quantize = op.getInput().getDefiningOp<QuantizeOp>();
    if (!quantize || quantize.getNoop() || quantize.getHadamard() ||
        quantize.getStochastic())
      return rewriter.notifyMatchFailure(op, "not of a plain quantization");
    auto type = cast<ScaledType>(op.getType());
    bool columnwise = type.getScaling().isColumnwise();
    SmallVector<OpResult> scaled = quantize.getScaledResults();
    for (OpResult other : scaled) {
      auto theirs = cast<ScaledType>(other.getType());
      if (theirs.getScaling().isColumnwise() != columnwise)
        continue;
      if (theirs != type)
        return rewriter.notifyMatchFailure(op, "it has another such copy");
      rewriter.replaceOp(op, other);
      return success();
    }
    unsigned at = columnwise ? scaled.size() : 0;
    SmallVector<Type> types(quantize->getResultTypes());
    types.insert(types.begin() + at, type);
    QuantizeOp both = withResults(rewriter, quantize, types);
    SmallVector<Value> kept(both->getResults());
    kept.erase(kept.begin() + at);
    rewriter.replaceOp(op, both->getResult(at));
    rewriter.replaceOp(quantize, kept);
    return success();
  }
};

/// A result that is only ever read in another order is written in it.
struct QuantizeInOrder : OpRewritePattern<RelayoutOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RelayoutOp op,
                                PatternRewriter &rewriter) const override {
    auto quantize = op.getInput().getDefiningOp<QuantizeOp>();
    if (!quantize || quantize.getNoop() || !op.getInput().hasOneUse())
      return rewriter.notifyMatchFailure(op, "not the only user of a "
                                             "quantization");
    unsigned at = cast<OpResult>(op.getInput()).getResultNumber();
    SmallVector<Type> types(quantize->getResultTypes());
    types[at] = op.getType();
    QuantizeOp ordered = withResults(rewriter, quantize, types);
    rewriter.replaceOp(op, ordered->getResult(at));
    rewriter.replaceOp(quantize, ordered->getResults());
    return success();
  }
};
/// Two orders, one after the other, are one.
struct PermuteOnce : OpRewritePattern<PermuteOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PermuteOp op,
                                PatternRewriter &rewriter) const override {
    auto before = op.getInput().getDefiningOp<PermuteOp>();
    if (!before)
      return rewriter.notifyMatchFailure(op, "not of another one's result");
    rewriter.replaceOpWithNewOp<PermuteOp>(
        op, op.getType(), before.getInput(),
        applyPermutation(before.getPermutation(), op.getPermutation()));
    return success();
  }
};

/// A te.gemm reads its operands in either order.
struct TransposeInGemm : OpRewritePattern<PermuteOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PermuteOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.isTransposition())
      return rewriter.notifyMatchFailure(op, "more than the last two");
    // Of one matrix, or of pairs: else A's leading dimensions are rows.
    int64_t rank = op.getType().getRank();
    bool changed = false;
    for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
      auto gemm = dyn_cast<GemmOp>(use.getOwner());
      if (!gemm || use.getOperandNumber() > 1)
        continue;
      bool isA = use.getOperandNumber() == 0;
      Value other = isA ? gemm.getB() : gemm.getA();
      if (isA && rank != cast<ShapedType>(other.getType()).getRank())
        continue;
      rewriter.modifyOpInPlace(gemm, [&] {
        use.set(op.getInput());
        if (isA)
          gemm.setTransposeA(!gemm.getTransposeA());
        else
          gemm.setTransposeB(!gemm.getTransposeB());
      });
      changed = true;
    }
    return success(changed);
  }
};
} // namespace

void PermuteOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<PermuteOnce, TransposeInGemm>(context);
}

void QuantizeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *context) {
  patterns.add<DropUnusedResults>(context);
}

void TransposeDataOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                  MLIRContext *context) {
  patterns.add<QuantizeBothWays>(context);
}

void RelayoutOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *context) {
  patterns.add<QuantizeInOrder>(context);
}
