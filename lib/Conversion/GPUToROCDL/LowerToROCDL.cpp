//===- LowerToROCDL.cpp - lower-to-rocdl ----------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gpu.module to the LLVM dialect with ROCDL intrinsics, after te-gpu-to-amdgpu:
//   te-opt --lower-to-rocdl
//
//   gpu.func @f(%x: memref<bf16, global>, %m: index) kernel { ... }
// ==>
//   llvm.func @f(%x: !llvm.ptr<1>, %m: i64) attributes {rocdl.kernel} { ... }
//
// Kernel arguments are bare pointers and sizes. No call to ocml may be left:
// there is no bitcode library to link it with. Functions that the target has no
// instructions for are written with those that it has.
//
// Limits: inverse trigonometric functions have no expansion here; the check at
// the end names them.
//
//===----------------------------------------------------------------------===//

#include "SinCos.h"

#include "te/Conversion/Passes.h"
#include "te/Target/Target.h"

#include "mlir/Conversion/AMDGPUToROCDL/AMDGPUToROCDL.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUCommon/GPUCommonPass.h"
#include "mlir/Conversion/GPUToROCDL/GPUToROCDLPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/LoweringOptions.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::te;

namespace mlir::te {
#define GEN_PASS_DEF_LOWERTOROCDLPASS
#include "te/Conversion/Passes.h.inc"
} // namespace mlir::te

/// Slices of vectors become shuffles, which the LLVM dialect has.
static void expandVectorSlices(gpu::GPUModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  vector::populateVectorInsertExtractStridedSliceDecompositionPatterns(
      patterns);
  walkAndApplyPatterns(module, std::move(patterns));
}

/// Functions of math that the target has no instructions for, by others that it
/// has, in f32.
static LogicalResult expandMath(gpu::GPUModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  math::populateExpansionPatterns(
      patterns,
      {"sinh", "cosh", "tan", "asinh", "acosh", "atanh", "powf", "rsqrt"});
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
  if (failed(applyPatternsGreedily(module, std::move(patterns))))
    return failure();
  expandSinCos(module);
  return success();
}

/// Intrinsics that LLVM would make calls of.
static bool isLibraryCall(Operation *op) {
  return isa<LLVM::TanOp, LLVM::SinhOp, LLVM::CoshOp, LLVM::TanhOp,
             LLVM::ASinOp, LLVM::ACosOp, LLVM::ATanOp, LLVM::ATan2Op,
             LLVM::PowOp>(op);
}

/// What the backend reads of a kernel: its workgroup size, and quiet handling
/// of NaN in min and max (the kernels' reductions want IEEE-754's maxNum,
/// without an extra canonicalisation of each input).
static void setBackendAttributes(gpu::GPUModuleOp module) {
  Builder builder(module.getContext());
  module.walk([&](LLVM::LLVMFuncOp func) {
    if (func.isExternal())
      return;
    auto pair = [&](StringRef key, StringRef value) -> Attribute {
      return builder.getStrArrayAttr({key, value});
    };
    SmallVector<Attribute> attributes = {
        pair("amdgpu-ieee", "false"), pair("amdgpu-agpr-alloc", "0"),
        pair("uniform-work-group-size", "true")};
    // The scheduler works hard for more waves than registers leave room for.
    if (auto waves = func->getAttrOfType<IntegerAttr>("te.waves_per_simd")) {
      std::string exactly = std::to_string(waves.getInt());
      attributes.push_back(
          pair("amdgpu-waves-per-eu", exactly + "," + exactly));
    }
    func.setPassthroughAttr(builder.getArrayAttr(attributes));
    auto block = func->getAttrOfType<DenseI32ArrayAttr>(
        ROCDL::ROCDLDialect::ReqdWorkGroupSizeAttrHelper::getNameStr());
    if (!block)
      return;
    std::string lanes = std::to_string(block[0] * block[1] * block[2]);
    func->setAttr(
        ROCDL::ROCDLDialect::FlatWorkGroupSizeAttrHelper::getNameStr(),
        builder.getStringAttr(lanes + "," + lanes));
  });
}

namespace {
struct LowerToROCDLPass : te::impl::LowerToROCDLPassBase<LowerToROCDLPass> {
  LogicalResult lower(gpu::GPUModuleOp module, const Target &target);

  void runOnOperation() override {
    for (auto module : getOperation().getOps<gpu::GPUModuleOp>()) {
      auto funcs = module.getOps<gpu::GPUFuncOp>();
      if (funcs.empty())
        continue;
      auto name = (*funcs.begin())->getAttrOfType<StringAttr>("te.target");
      const Target *target = name ? Target::lookup(name) : nullptr;
      if (!target) {
        module.emitError(
            "the module's kernels need te.target, the chip they are for");
        return signalPassFailure();
      }
      if (failed(lower(module, *target)))
        return signalPassFailure();
    }
  }
};
} // namespace

LogicalResult LowerToROCDLPass::lower(gpu::GPUModuleOp module,
                                      const Target &target) {
  MLIRContext *context = &getContext();
  if (failed(expandMath(module)))
    return failure();
  expandVectorSlices(module);

  LowerToLLVMOptions options(context);
  options.useBarePtrCallConv = true;
  options.overrideIndexBitwidth(64);
  LLVMTypeConverter types(context, options);
  amdgpu::populateCommonGPUTypeAndAttributeConversions(types);

  RewritePatternSet patterns(context);
  amdgpu::Chipset chipset(target.gfxMajor, target.gfxMinor, target.gfxStepping);
  // One application covers structured control flow too: its results are
  // branches whose operands the other patterns convert.
  populateSCFToControlFlowConversionPatterns(patterns);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  // Before the calls of ocml that upstream would make of them.
  populateMathToLLVMConversionPatterns(types, patterns,
                                       /*approximateLog1p=*/true,
                                       PatternBenefit(2));
  populateVectorToLLVMConversionPatterns(types, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(types, patterns);
  populateAMDGPUToROCDLConversionPatterns(types, patterns, chipset);
  populateGpuToROCDLConversionPatterns(types, patterns, gpu::amd::Runtime::HIP,
                                       chipset);

  LLVMConversionTarget legal(*context);
  configureGpuToROCDLConversionLegality(legal);
  if (failed(applyPartialConversion(module, legal, std::move(patterns))))
    return failure();
  SmallVector<UnrealizedConversionCastOp> casts;
  module.walk([&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
  reconcileUnrealizedCasts(casts);
  setBackendAttributes(module);

  WalkResult result =
      module.walk([&](Operation *op) -> WalkResult {
        auto call = dyn_cast<LLVM::CallOp>(op);
        if (!call && !isLibraryCall(op))
          return WalkResult::advance();
        return op->emitError()
               << "calls "
               << (call ? call.getCallee().value_or("a pointer")
                        : op->getName().getStringRef())
               << ", which no library provides; lower this function "
                  "to instructions before lower-to-rocdl";
      });
  return failure(result.wasInterrupted());
}
