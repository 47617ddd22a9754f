//===- LowerToNVVM.cpp - lower-to-nvvm ------------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gpu.module to the LLVM dialect with NVVM intrinsics, after te-gpu-to-nvvm:
//   te-opt --lower-to-nvvm
//
//   gpu.func @f(%x: memref<bf16, global>, %m: index) kernel { ... }
// ==>
//   llvm.func @f(%x: !llvm.ptr<1>, %m: i64) attributes {nvvm.kernel,
//       nvvm.reqntid = array<i32: 256, 1, 1>} { ... }
//
// Kernel arguments are bare pointers and sizes. No call to libdevice may be
// left: there is no bitcode library to link it with.
//
// Limits: inverse trigonometric functions have no expansion here; the check at
// the end names them.
//
//===----------------------------------------------------------------------===//

#include "../GPUCommon/Lowering.h"
#include "Approximations.h"
#include "ExpLog.h"

#include "mlir/Conversion/GPUCommon/GPUCommonPass.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;

namespace mlir::te {
#define GEN_PASS_DEF_LOWERTONVVMPASS
#include "te/Conversion/Passes.h.inc"
} // namespace mlir::te

/// Intrinsics that the backend has no instructions for.
static bool isLibraryCall(Operation *op) {
  return isa<LLVM::SinOp, LLVM::CosOp, LLVM::TanOp, LLVM::SinhOp, LLVM::CoshOp,
             LLVM::TanhOp, LLVM::ASinOp, LLVM::ACosOp, LLVM::ATanOp,
             LLVM::ATan2Op, LLVM::PowOp, LLVM::PowIOp, LLVM::ExpOp,
             LLVM::Exp10Op, LLVM::LogOp, LLVM::Log2Op, LLVM::Log10Op>(op);
}

/// Kernels are launched with the block that they were made for, no smaller one.
/// ptxas would use up the registers of further ones on the SM, where the
/// resource model says that they leave room.
static void setBlocks(gpu::GPUModuleOp module, const Target &target) {
  Builder builder(module.getContext());
  module.walk([&](LLVM::LLVMFuncOp func) {
    auto block = llvm::dyn_cast_or_null<DenseI32ArrayAttr>(
        func->removeAttr(NVVM::NVVMDialect::getMaxntidAttrName()));
    if (!block)
      return;
    func->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), block);
    if (auto lds = func->getAttrOfType<IntegerAttr>(kDynamicLdsAttrName))
      func.setPassthroughAttr(builder.getArrayAttr(builder.getStrArrayAttr(
          {kDynamicLdsAttrName, std::to_string(lds.getInt())})));
    auto waves = func->getAttrOfType<IntegerAttr>("te.waves_per_simd");
    int64_t perSIMD =
        llvm::divideCeil(block[0], target.waveSize * target.simdsPerCU);
    if (waves && waves.getInt() > perSIMD)
      func->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    builder.getI32IntegerAttr(waves.getInt() * target.waveSize *
                                              target.simdsPerCU / block[0]));
  });
}

/// Shared memory of kernels that get it from their launches has no size.
static void declareShared(gpu::GPUModuleOp module) {
  module.walk([&](LLVM::AddressOfOp use) {
    auto func = use->getParentOfType<LLVM::LLVMFuncOp>();
    auto global = module.lookupSymbol<LLVM::GlobalOp>(use.getGlobalName());
    if (!func->hasAttr(kDynamicLdsAttrName) ||
        global.getAddrSpace() != unsigned(NVVM::NVVMMemorySpace::Shared))
      return;
    global.setGlobalType(
        LLVM::LLVMArrayType::get(IntegerType::get(module.getContext(), 8), 0));
    global.setLinkage(LLVM::Linkage::External);
  });
}

namespace {
struct LowerToNVVMPass : te::impl::LowerToNVVMPassBase<LowerToNVVMPass> {
  LogicalResult lower(gpu::GPUModuleOp module, const Target &target);

  void runOnOperation() override {
    if (failed(forEachKernelModule(
            getOperation(), BackendKind::NVPTX,
            [&](gpu::GPUModuleOp module, const Target &target) {
              return lower(module, target);
            })))
      signalPassFailure();
  }
};
} // namespace

LogicalResult LowerToNVVMPass::lower(gpu::GPUModuleOp module,
                                     const Target &target) {
  MLIRContext *context = &getContext();
  auto ownPatterns = [](RewritePatternSet &patterns) {
    populateApproximationPatterns(patterns);
    populateExpLogPatterns(patterns);
  };
  if (failed(expandMath(module, ownPatterns)))
    return failure();
  expandVectorSlices(module);

  LLVMTypeConverter types(context, getLoweringOptions(context));
  configureGpuToNVVMTypeConverter(types);
  RewritePatternSet patterns(context);
  populateLoweringPatterns(types, patterns);
  // After the others: upstream has calls of libdevice among them.
  populateGpuToNVVMConversionPatterns(types, patterns, PatternBenefit(0));
  populateGpuSubgroupReduceOpLoweringPattern(types, patterns);

  LLVMConversionTarget legal(*context);
  legal.addLegalDialect<NVVM::NVVMDialect>();
  legal.addIllegalDialect<gpu::GPUDialect>();
  legal.addLegalOp<gpu::GPUModuleOp>();
  if (failed(convertModule(module, legal, std::move(patterns))))
    return failure();
  setBlocks(module, target);
  declareShared(module);
  return checkNoCalls(module, isLibraryCall, "lower-to-nvvm");
}
