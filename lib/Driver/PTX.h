//===- PTX.h - the image of NVIDIA's chips ----------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One text file that CUDA's tools open as it is: the manifest in line comments,
// then PTX. Registers are ptxas's to allocate, so its figures are known only
// where it was asked.
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_DRIVER_PTX_H
#define TE_LIB_DRIVER_PTX_H

#include "te/Driver/Compile.h"

#include "llvm/IR/Module.h"

#include <map>

namespace mlir::te {

/// The kernels of a module for NVPTX, what LLVM IR says of them.
std::vector<KernelFigures> readKernels(const llvm::Module &module);

/// Assembles PTX by the program `ptxas` for the target, and adds to `kernels`
/// what it tells of registers, spills and shared memory. An error has ptxas's
/// own messages.
llvm::Error assemblePTX(llvm::StringRef ptxas, llvm::StringRef ptx,
                        const Target &target,
                        llvm::MutableArrayRef<KernelFigures> kernels);

/// The PTX with the manifest in front, in comments.
llvm::Expected<std::string> addManifestComment(llvm::StringRef ptx,
                                               llvm::StringRef manifest);

/// Static count of each instruction, with its suffixes, in a kernel.
std::map<std::string, uint64_t> countInstructions(llvm::StringRef ptx,
                                                  llvm::StringRef kernel);

} // namespace mlir::te

#endif // TE_LIB_DRIVER_PTX_H
