//===- CudaDevice.h - an NVIDIA GPU through libcuda -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver's library is opened at run time: te-mlir builds and runs without
// CUDA, and needs no toolkit where it runs.
//
//===----------------------------------------------------------------------===//
#ifndef TE_RUNTIME_CUDADEVICE_H
#define TE_RUNTIME_CUDADEVICE_H

#include "te/Runtime/Device.h"

#include <memory>

namespace mlir::te::rt {

/// The first device that the driver reports, in its primary context, which the
/// calling thread gets. Fails where there is no driver, no device, or a driver
/// that is too old. Code for sm_90a runs on compute capability 9.0 only.
Result<std::unique_ptr<Device>>
openCudaDevice(const std::string &library = "libcuda.so.1");

} // namespace mlir::te::rt

#endif // TE_RUNTIME_CUDADEVICE_H
