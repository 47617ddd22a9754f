//===- HipDevice.h - an AMD GPU through libamdhip64 -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The HIP library is opened at run time: te-mlir builds and runs without ROCm.
// Needs ROCm 6 or newer.
//
//===----------------------------------------------------------------------===//
#ifndef TE_RUNTIME_HIPDEVICE_H
#define TE_RUNTIME_HIPDEVICE_H

#include "te/Runtime/Device.h"

#include <memory>

namespace mlir::te::rt {

/// The first device that HIP reports. Fails where there is no library, no
/// device, or a library that is too old.
Result<std::unique_ptr<Device>>
openHipDevice(const std::string &library = "libamdhip64.so");

} // namespace mlir::te::rt

#endif // TE_RUNTIME_HIPDEVICE_H
