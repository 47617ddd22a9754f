//===- Approximations.cpp - what afn allows -------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Approximations.h"

#include "../GPUCommon/Emitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numbers>

using namespace mlir;
using namespace mlir::te;

/// `make` of each element of `x`.
static Value forEach(ImplicitLocOpBuilder &b, Value x,
                     function_ref<Value(Value)> make) {
  auto type = dyn_cast<VectorType>(x.getType());
  if (!type)
    return make(x);
  SmallVector<Value> elements;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    elements.push_back(make(vector::ExtractOp::create(b, x, i)));
  return vector::FromElementsOp::create(b, type, elements);
}

static Value emitExp(ImplicitLocOpBuilder &b, math::ExpOp op) {
  Emitter e(b, op.getType());
  Value power =
      e.make<arith::MulFOp>(op.getOperand(), e.f32(std::numbers::log2e));
  return forEach(b, power, [&](Value element) -> Value {
    return LLVM::CallIntrinsicOp::create(
               b, b.getF32Type(), b.getStringAttr("llvm.nvvm.ex2.approx.ftz"),
               ValueRange(element))
        .getResult(0);
  });
}

static Value emitQuotient(ImplicitLocOpBuilder &b, arith::DivFOp op) {
  Value reciprocal = forEach(b, op.getRhs(), [&](Value element) -> Value {
    return NVVM::RcpApproxFtzF32Op::create(b, b.getF32Type(), element);
  });
  return arith::MulFOp::create(b, op.getLhs(), reciprocal);
}

namespace {
template <typename Op> struct Approximate : OpRewritePattern<Op> {
  using Emit = Value (*)(ImplicitLocOpBuilder &, Op);
  Approximate(MLIRContext *context, Emit emit)
      : OpRewritePattern<Op>(context, /*benefit=*/2), emit(emit) {}
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto vector = dyn_cast<VectorType>(op.getType());
    if (!getElementTypeOrSelf(op.getType()).isF32() ||
        (vector && vector.getRank() != 1))
      return rewriter.notifyMatchFailure(op,
                                         "not f32, or of several dimensions");
    if (!bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn))
      return rewriter.notifyMatchFailure(op, "not afn");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, emit(b, op));
    return success();
  }
  Emit emit;
};
} // namespace

void te::populateApproximationPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Approximate<math::ExpOp>>(context, emitExp);
  patterns.add<Approximate<arith::DivFOp>>(context, emitQuotient);
}
