//===- Codegen.h - from rocdl or nvvm to an image ---------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_DRIVER_CODEGEN_H
#define TE_LIB_DRIVER_CODEGEN_H

#include "te/Driver/Compile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace mlir::te {

/// Sets what of the backends only LLVM's own flags can: once, and before these
/// are taken away (removeLibraryFlags). False where LLVM has no such flag.
bool setBackendFlags();

/// LLVM's machine for a chip.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const Target &target);

/// The kernels as optimized LLVM IR.
llvm::Expected<std::unique_ptr<llvm::Module>>
translateToLLVM(gpu::GPUModuleOp kernels, llvm::LLVMContext &context,
                const Target &target, llvm::TargetMachine &machine,
                TimingScope &timing);

/// Assembly text or a relocatable object.
llvm::Expected<std::string> emitMachineCode(llvm::Module &module,
                                            llvm::TargetMachine &machine,
                                            bool assembly);

/// Links one object to a loadable code object with lld, in process.
llvm::Expected<std::string> linkCodeObject(llvm::StringRef object);

/// The code object with one more, non-allocated section.
llvm::Expected<std::string> addSection(llvm::StringRef codeObject,
                                       llvm::StringRef name,
                                       llvm::StringRef content);

/// What a code object's metadata says of its kernels.
llvm::Expected<std::vector<KernelFigures>>
readCodeObject(llvm::StringRef codeObject);

/// The manifest of a program at the gpu level or after it, from its host
/// functions (docs/manifest.md); failures are diagnosed with a location.
FailureOr<llvm::json::Value>
buildManifest(ModuleOp module, const Target &target, llvm::StringRef source);

} // namespace mlir::te

#endif // TE_LIB_DRIVER_CODEGEN_H
