//===- CommandLine.cpp - a command line of our own flags -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Driver/CommandLine.h"

#include "Codegen.h"

#include "llvm/Support/CommandLine.h"

void mlir::te::removeLibraryFlags() {
  setBackendFlags(); // createTargetMachine tells where it could not
  // The call registers what LLVM registers late.
  llvm::SmallVector<llvm::cl::Option *> flags;
  for (auto [name, flag] : llvm::cl::getRegisteredOptions()) {
    if (!name.starts_with("help") && name != "version")
      flags.push_back(flag);
  }
  for (llvm::cl::Option *flag : flags)
    flag->removeArgument();
}
