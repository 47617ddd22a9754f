//===- EmulatedHip.cpp - te-launch on the emulator -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes the place of HipDevice.cpp where te-launch is linked for tests: what it
// runs, and how, is the same, but --device=hip is the emulator.
//
//===----------------------------------------------------------------------===//
#include "te/Driver/EmulatorDevice.h"
#include "te/Runtime/Gpu.h"

using namespace mlir::te;

rt::Result<std::unique_ptr<rt::Device>>
mlir::te::rt::openHipDevice(int, const std::string &) {
  return std::unique_ptr<rt::Device>(std::make_unique<EmulatorDevice>());
}
