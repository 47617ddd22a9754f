//===- SplitCarried.cpp - te-split-carried --------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane's share of a product is the results of several matrix instructions,
// each of registers that follow one another. Where a loop or a branch hands
// them on as one vector LLVM looks for registers for all of them at once, and
// copies. Here they become a vector for each instruction. After
// tile-distribute, before te-forward-slices, which cancels what splits
// a vector inside against what joins it there:
//   te-opt --te-split-carried
//
//   %1 = scf.if %c -> (vector<32xf32>) { .. }
// ==>
//   %1:2 = scf.if %c -> (vector<16xf32>, vector<16xf32>) { .. }
//
// Limits: f32; kernels whose matrix instructions have results of one size.
//
//===----------------------------------------------------------------------===//

#include "te/Conversion/Passes.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace mlir::te;

namespace mlir::te {
#define GEN_PASS_DEF_SPLITCARRIEDPASS
#include "te/Conversion/Passes.h.inc"
} // namespace mlir::te

/// Elements of the result of the kernel's matrix instructions; 0 where there
/// are none, or several sizes.
static int64_t getResultSize(gpu::GPUFuncOp func) {
  SetVector<int64_t> sizes;
  func.walk([&](Operation *op) {
    if (isa<amdgpu::MFMAOp, amdgpu::ScaledMFMAOp>(op))
      sizes.insert(
          cast<VectorType>(op->getResult(0).getType()).getNumElements());
  });
  return sizes.size() == 1 ? sizes.front() : 0;
}

static Value join(OpBuilder &b, VectorType type, ValueRange parts,
                  Location loc) {
  Value whole = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  int64_t offset = 0;
  for (Value part : parts) {
    whole =
        vector::InsertStridedSliceOp::create(b, loc, part, whole, offset, 1);
    offset += cast<VectorType>(part.getType()).getNumElements();
  }
  return whole;
}

static SmallVector<Value> split(OpBuilder &b, TypeRange types,
                                ValueRange wholes, Location loc) {
  SmallVector<Value> parts;
  int64_t offset = 0;
  for (Type type : types) {
    int64_t size = cast<VectorType>(type).getNumElements();
    parts.push_back(vector::ExtractStridedSliceOp::create(
        b, loc, wholes.front(), offset, size, 1));
    offset += size;
  }
  return parts;
}

/// What a branch computes element by element, and hands on: computed in parts.
/// Of parts of one result LLVM would make a number for each element.
static bool isHandedOn(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1 &&
         llvm::any_of(op->getUsers(),
                      [](Operation *user) { return isa<scf::YieldOp>(user); });
}

namespace {
struct ElementwisePattern : ConversionPattern {
  ElementwisePattern(const TypeConverter &types, MLIRContext *context)
      : ConversionPattern(types, MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (!isHandedOn(op) || failed(getTypeConverter()->convertType(
                               op->getResult(0).getType(), types)))
      return failure();
    if (!llvm::all_of(operands, [&](ValueRange parts) {
          return parts.size() == types.size();
        }))
      return rewriter.notifyMatchFailure(op, "an operand has no such parts");
    SmallVector<Value> results;
    for (auto [i, type] : llvm::enumerate(types)) {
      SmallVector<Value> parts = llvm::map_to_vector(
          operands, [i = i](ValueRange all) { return all[i]; });
      OperationState state(op->getLoc(), op->getName(), parts, type,
                           op->getAttrs());
      results.push_back(rewriter.create(state)->getResult(0));
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};
} // namespace

static LogicalResult splitCarried(gpu::GPUFuncOp func, int64_t size) {
  TypeConverter types;
  types.addConversion([](Type type) { return type; });
  types.addConversion([size](VectorType type, SmallVectorImpl<Type> &parts)
                          -> std::optional<LogicalResult> {
    int64_t all = type.getRank() == 1 ? type.getNumElements() : 0;
    if (!type.getElementType().isF32() || all <= size || all % size != 0)
      return std::nullopt;
    parts.append(all / size, VectorType::get({size}, type.getElementType()));
    return success();
  });
  types.addSourceMaterialization(join);
  types.addTargetMaterialization(split);
  MLIRContext *context = func.getContext();
  RewritePatternSet patterns(context);
  ConversionTarget target(*context);
  target.markUnknownOpDynamicallyLegal([&](Operation *op) {
    return !isHandedOn(op) || types.isLegal(op->getResultTypes()) ||
           llvm::any_of(op->getOperandTypes(),
                        [&](Type type) { return types.isLegal(type); });
  });
  patterns.add<ElementwisePattern>(types, context);
  scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns, target);
  return applyPartialConversion(func, target, std::move(patterns));
}

namespace {
struct SplitCarriedPass : te::impl::SplitCarriedPassBase<SplitCarriedPass> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([](gpu::GPUFuncOp func) {
      int64_t size = getResultSize(func);
      return size && failed(splitCarried(func, size)) ? WalkResult::interrupt()
                                                      : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
