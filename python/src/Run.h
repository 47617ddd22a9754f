//===- Run.h - a program on a device, for Python ----------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_PYTHON_RUN_H
#define TE_PYTHON_RUN_H

#include "Native.h"

#include "te/Driver/EmulatorDevice.h"

namespace mlir::te::python {

/// A device; `emulator` is the same one, where it is that.
struct DeviceHandle {
  std::unique_ptr<rt::Device> device;
  EmulatorDevice *emulator = nullptr;

  static std::shared_ptr<DeviceHandle> open(const std::string &kind,
                                            int ordinal,
                                            const std::string &library,
                                            uint64_t maxInstructions);
};

/// An artefact's code on a device. Both live as long as it.
struct Code {
  std::shared_ptr<DeviceHandle> device;
  std::unique_ptr<rt::Program> program;
  std::unique_ptr<rt::LoadedCode> code;

  static std::shared_ptr<Code> load(std::shared_ptr<DeviceHandle> device,
                                    const std::string &image);
  const rt::Entry &getEntry(const std::string &name) const;
};

/// Launches the binding's kernels; where that is an emulation, Ctrl-C ends it.
void runBinding(const Code &code, const rt::Binding &binding, uint64_t stream);

} // namespace mlir::te::python

#endif // TE_PYTHON_RUN_H
