//===- Gpu.h - the GPU at hand -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The vendors' libraries are opened at run time: te-mlir builds and runs
// without ROCm and CUDA. Both functions open the device with that ordinal, and
// fail where there is no library, no such device, or a library that is too old.
//
//===----------------------------------------------------------------------===//
#ifndef TE_RUNTIME_GPU_H
#define TE_RUNTIME_GPU_H

#include "te/Runtime/Device.h"

#include <memory>

namespace mlir::te::rt {

/// An AMD GPU, by ROCm 6 or newer.
Result<std::unique_ptr<Device>>
openHipDevice(int ordinal = 0, const std::string &library = "libamdhip64.so");

/// An NVIDIA GPU, by its driver alone, in the device's primary context: that of
/// the CUDA runtime, whose pointers and streams are legal here. Code for sm_90a
/// runs on compute capability 9.0 only.
Result<std::unique_ptr<Device>>
openCudaDevice(int ordinal = 0, const std::string &library = "libcuda.so.1");

} // namespace mlir::te::rt

#endif // TE_RUNTIME_GPU_H
