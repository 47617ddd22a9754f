//===- GPUToAMDGPU.cpp - te-gpu-to-amdgpu ---------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the thread level says in general terms, in the chip's own: lane
// exchanges, votes, barriers, approximations, fp8 conversions. After
// tile-distribute:
//   te-opt --te-gpu-to-amdgpu
//
//   %r, %v = gpu.shuffle xor %x, %c1, %c64 : i32
// ==>
//   %r = amdgpu.dpp %x %x quad_perm([1, 0, 3, 2]) : i32
//
// Limits: kernels' barriers order LDS only, as no kernel of ours passes data
// between waves through global memory.
//
//===----------------------------------------------------------------------===//

#include "../GPUCommon/Lowering.h"
#include "PackedConversions.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::te;

namespace mlir::te {
#define GEN_PASS_DEF_GPUTOAMDGPUPASS
#include "te/Conversion/Passes.h.inc"
} // namespace mlir::te

namespace {
struct ShufflePattern : OpRewritePattern<gpu::ShuffleOp> {
  ShufflePattern(MLIRContext *context, const Target &target)
      : OpRewritePattern(context), target(target) {}
  LogicalResult matchAndRewrite(gpu::ShuffleOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<int64_t> mask = getConstantIntValue(op.getOffset());
    if (op.getMode() != gpu::ShuffleMode::XOR || !mask ||
        !op.getValid().use_empty())
      return rewriter.notifyMatchFailure(op,
                                         "not an exchange by a constant XOR");
    Value x = op.getValue();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto dpp = [&](amdgpu::DPPPerm kind, Attribute argument) {
      return amdgpu::DPPOp::create(b, x.getType(), x, x, kind, argument);
    };
    if (target.amd->hasRowSwaps && (*mask == 16 || *mask == 32)) {
      rewriter.replaceAllUsesWith(
          op.getShuffleResult(),
          amdgpu::PermlaneSwapOp::create(b, x.getType(), x, *mask,
                                         /*fetch_inactive=*/false,
                                         /*bound_ctrl=*/false));
    } else if (*mask < 4) { // inside a quad
      SmallVector<int32_t> lanes;
      for (int32_t lane = 0; lane < 4; ++lane)
        lanes.push_back(lane ^ *mask);
      rewriter.replaceAllUsesWith(
          op.getShuffleResult(),
          dpp(amdgpu::DPPPerm::quad_perm, b.getI32ArrayAttr(lanes)));
    } else if (*mask == 8) { // half of a row of 16: a rotation
      rewriter.replaceAllUsesWith(
          op.getShuffleResult(),
          dpp(amdgpu::DPPPerm::row_ror, b.getI32IntegerAttr(8)));
    } else if (*mask < 32) { // the LDS crossbar, without LDS
      rewriter.replaceAllUsesWith(
          op.getShuffleResult(),
          amdgpu::SwizzleBitModeOp::create(b, x.getType(), x, 31, 0, *mask));
    } else {
      return rewriter.notifyMatchFailure(op, "left to ds_bpermute");
    }
    rewriter.eraseOp(op);
    return success();
  }

  const Target &target;
};

/// OR of a condition over a wave: a ballot.
struct VotePattern : OpRewritePattern<gpu::SubgroupReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(gpu::SubgroupReduceOp op,
                                PatternRewriter &rewriter) const override {
    auto extended = op.getValue().getDefiningOp<arith::ExtUIOp>();
    if (op.getOp() != gpu::AllReduceOperation::OR || !extended ||
        !extended.getIn().getType().isInteger(1))
      return rewriter.notifyMatchFailure(op, "not a vote");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value ballot = ROCDL::BallotOp::create(b, b.getI64Type(), extended.getIn());
    Value zero = arith::ConstantIntOp::create(b, b.getI64Type(), 0);
    Value any =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, ballot, zero);
    rewriter.replaceOpWithNewOp<arith::ExtUIOp>(op, op.getType(), any);
    return success();
  }
};

/// An approximation may take denormals for 0: the instruction as it is. Others
/// are scaled on both sides of it.
struct ApproximateExp2Pattern : OpRewritePattern<math::Exp2Op> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::Exp2Op op,
                                PatternRewriter &rewriter) const override {
    if (!arith::bitEnumContainsAny(op.getFastmath(),
                                   arith::FastMathFlags::afn) ||
        !getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not an approximation in f32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto emit = [&](Value x) -> Value {
      return ROCDL::ROCDLExp2::create(b, b.getF32Type(), x);
    };
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type) {
      rewriter.replaceOp(op, emit(op.getOperand()));
      return success();
    }
    if (type.getRank() != 1)
      return rewriter.notifyMatchFailure(op, "not a vector of one dimension");
    SmallVector<Value> elements;
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      elements.push_back(
          emit(vector::ExtractOp::create(b, op.getOperand(), i)));
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, type, elements);
    return success();
  }
};

struct BarrierPattern : OpRewritePattern<gpu::BarrierOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(gpu::BarrierOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<amdgpu::LDSBarrierOp>(op);
    return success();
  }
};

struct GPUToAMDGPUPass : te::impl::GPUToAMDGPUPassBase<GPUToAMDGPUPass> {
  LogicalResult convert(gpu::GPUFuncOp func) {
    FailureOr<const Target *> target =
        getKernelTarget(func, BackendKind::AMDGPU);
    if (failed(target))
      return failure();
    RewritePatternSet patterns(&getContext());
    patterns.add<ShufflePattern>(&getContext(), **target);
    patterns.add<VotePattern, BarrierPattern, ApproximateExp2Pattern>(
        &getContext());
    populatePackedConversionPatterns(patterns, **target);
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
