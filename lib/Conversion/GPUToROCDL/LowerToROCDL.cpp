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

#include "../GPUCommon/Lowering.h"

#include "mlir/Conversion/AMDGPUToROCDL/AMDGPUToROCDL.h"
#include "mlir/Conversion/GPUCommon/GPUCommonPass.h"
#include "mlir/Conversion/GPUToROCDL/GPUToROCDLPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;

namespace mlir::te {
#define GEN_PASS_DEF_LOWERTOROCDLPASS
#include "te/Conversion/Passes.h.inc"
} // namespace mlir::te

/// Intrinsics that LLVM would make calls of.
static bool isLibraryCall(Operation *op) {
  return isa<LLVM::TanOp, LLVM::SinhOp, LLVM::CoshOp, LLVM::TanhOp,
             LLVM::ASinOp, LLVM::ACosOp, LLVM::ATanOp, LLVM::ATan2Op,
             LLVM::PowOp>(op);
}

/// What the backend reads of a kernel: its workgroup size, and quiet handling
/// of NaN in min and max (the kernels' reductions want IEEE-754's maxNum,
/// without an extra canonicalisation of each input).
static void setBackendAttributes(gpu::GPUModuleOp module,
                                 const Target &target) {
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
    auto block = func->getAttrOfType<DenseI32ArrayAttr>(
        ROCDL::ROCDLDialect::ReqdWorkGroupSizeAttrHelper::getNameStr());
    int64_t lanes = block ? int64_t(block[0]) * block[1] * block[2] : 0;
    // The scheduler works hard for more waves than registers leave room for.
    auto waves = func->getAttrOfType<IntegerAttr>("te.waves_per_simd");
    if (waves && waves.getInt() ==
                     int64_t(llvm::divideCeil(lanes, target.waveSize *
                                                         target.simdsPerCU))) {
      std::string exactly = std::to_string(waves.getInt());
      attributes.push_back(
          pair("amdgpu-waves-per-eu", exactly + "," + exactly));
    }
    if (func->hasAttr(kLoadsFirstAttrName))
      attributes.push_back(pair("amdgpu-sched-strategy", "max-ilp"));
    if (func->hasAttr(kKeepsOrderAttrName))
      attributes.push_back(builder.getStringAttr(kKeepsOrderAttrName));
    func.setPassthroughAttr(builder.getArrayAttr(attributes));
    if (!block)
      return;
    std::string size = std::to_string(lanes);
    func->setAttr(
        ROCDL::ROCDLDialect::FlatWorkGroupSizeAttrHelper::getNameStr(),
        builder.getStringAttr(size + "," + size));
  });
}

namespace {
struct LowerToROCDLPass : te::impl::LowerToROCDLPassBase<LowerToROCDLPass> {
  LogicalResult lower(gpu::GPUModuleOp module, const Target &target);

  void runOnOperation() override {
    if (failed(forEachKernelModule(
            getOperation(), BackendKind::AMDGPU,
            [&](gpu::GPUModuleOp module, const Target &target) {
              return lower(module, target);
            })))
      signalPassFailure();
  }
};
} // namespace

LogicalResult LowerToROCDLPass::lower(gpu::GPUModuleOp module,
                                      const Target &target) {
  MLIRContext *context = &getContext();
  if (failed(expandMath(module)))
    return failure();
  expandVectorSlices(module);

  LLVMTypeConverter types(context, getLoweringOptions(context));
  amdgpu::populateCommonGPUTypeAndAttributeConversions(types);
  RewritePatternSet patterns(context);
  amdgpu::Chipset chipset(target.amd->isaMajor, target.amd->isaMinor,
                          target.amd->isaStepping);
  populateLoweringPatterns(types, patterns);
  populateAMDGPUToROCDLConversionPatterns(types, patterns, chipset);
  populateGpuToROCDLConversionPatterns(types, patterns, gpu::amd::Runtime::HIP,
                                       chipset);

  LLVMConversionTarget legal(*context);
  configureGpuToROCDLConversionLegality(legal);
  // The backend has instructions for these, or expands them; upstream would
  // call a library.
  legal.addLegalOp<LLVM::FCeilOp, LLVM::FFloorOp, LLVM::Exp2Op, LLVM::Log2Op,
                   LLVM::Log10Op>();
  if (failed(convertModule(module, legal, std::move(patterns))))
    return failure();
  setBackendAttributes(module, target);
  return checkNoCalls(module, isLibraryCall, "lower-to-rocdl");
}
