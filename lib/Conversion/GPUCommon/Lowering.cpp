//===- Lowering.cpp - from gpu to a backend's dialect ---------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "SinCos.h"
#include "WideFunctions.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::te;

FailureOr<const Target *> te::getKernelTarget(gpu::GPUFuncOp func,
                                              BackendKind backend) {
  auto name = func->getAttrOfType<StringAttr>("te.target");
  const Target *target = name ? Target::lookup(name) : nullptr;
  if (!target)
    return func.emitError("a kernel needs te.target, the chip it is for");
  if (target->backend != backend)
    return func.emitError()
           << "a kernel for " << target->name << " takes the passes to "
           << (backend == BackendKind::AMDGPU ? "NVVM" : "ROCDL")
           << "; te-pipeline and te-compile choose them by the target";
  return target;
}

LogicalResult te::forEachKernelModule(
    ModuleOp program, BackendKind backend,
    function_ref<LogicalResult(gpu::GPUModuleOp, const Target &)> lower) {
  for (auto module : program.getOps<gpu::GPUModuleOp>()) {
    auto funcs = module.getOps<gpu::GPUFuncOp>();
    if (funcs.empty())
      continue;
    FailureOr<const Target *> target = getKernelTarget(*funcs.begin(), backend);
    if (failed(target) || failed(lower(module, **target)))
      return failure();
  }
  return success();
}

void te::expandVectorSlices(gpu::GPUModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  vector::populateVectorInsertExtractStridedSliceDecompositionPatterns(
      patterns);
  walkAndApplyPatterns(module, std::move(patterns));
}

LogicalResult te::expandMath(gpu::GPUModuleOp module,
                             function_ref<void(RewritePatternSet &)> own) {
  RewritePatternSet patterns(module.getContext());
  math::populateExpansionPatterns(patterns, {"rsqrt"});
  populateWideFunctionPatterns(patterns);
  auto isTranscendental = [](StringRef name) {
    return name != math::AbsFOp::getOperationName();
  };
  populateMathF32ExpansionPatterns(patterns, isTranscendental);
  auto isApproximated = [](StringRef name) {
    return name == math::TanhOp::getOperationName() ||
           name == math::ErfOp::getOperationName() ||
           name == math::ExpM1Op::getOperationName() ||
           name == math::Log1pOp::getOperationName();
  };
  populateMathPolynomialApproximationPatterns(patterns, isApproximated);
  if (own)
    own(patterns);
  if (failed(applyPatternsGreedily(module, std::move(patterns))))
    return failure();
  expandSinCos(module);
  return success();
}

LowerToLLVMOptions te::getLoweringOptions(MLIRContext *context) {
  LowerToLLVMOptions options(context);
  options.useBarePtrCallConv = true;
  options.overrideIndexBitwidth(64);
  return options;
}

void te::populateLoweringPatterns(const LLVMTypeConverter &types,
                                  RewritePatternSet &patterns) {
  // One application covers structured control flow too: its results are
  // branches whose operands the other patterns convert.
  populateSCFToControlFlowConversionPatterns(patterns);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  // Before the calls of a library that upstream would make of them.
  populateMathToLLVMConversionPatterns(types, patterns,
                                       /*approximateLog1p=*/true,
                                       PatternBenefit(2));
  populateVectorToLLVMConversionPatterns(types, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(types, patterns);
}

LogicalResult te::convertModule(gpu::GPUModuleOp module,
                                ConversionTarget &legal,
                                RewritePatternSet &&patterns) {
  if (failed(applyPartialConversion(module, legal, std::move(patterns))))
    return failure();
  SmallVector<UnrealizedConversionCastOp> casts;
  module.walk([&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
  reconcileUnrealizedCasts(casts);
  return success();
}

LogicalResult te::checkNoCalls(gpu::GPUModuleOp module,
                               function_ref<bool(Operation *)> isLibraryCall,
                               StringRef pass) {
  WalkResult result = module.walk([&](Operation *op) -> WalkResult {
    auto call = dyn_cast<LLVM::CallOp>(op);
    if (!call && !isLibraryCall(op))
      return WalkResult::advance();
    return op->emitError() << "calls "
                           << (call ? call.getCallee().value_or("a pointer")
                                    : op->getName().getStringRef())
                           << ", which no library provides; lower this "
                              "function to instructions before "
                           << pass;
  });
  return failure(result.wasInterrupted());
}
