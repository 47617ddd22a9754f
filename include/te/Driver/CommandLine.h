//===- CommandLine.h - a command line of our own flags -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_DRIVER_COMMANDLINE_H
#define TE_DRIVER_COMMANDLINE_H

#include "llvm/Support/Error.h"

#include <vector>

namespace mlir::te {
/// Takes the flags that LLVM's libraries register (--stats among them, which
/// our tools define themselves) off the command line; --help and --version
/// stay. Call it before the tool's own flags are constructed.
void removeLibraryFlags();

/// Where the standard output cannot be written, or memory runs out, the tool
/// says so and ends with `code`, instead of LLVM's abort. Call it first, after
/// llvm::InitLLVM. `tool` is kept.
void handleSystemErrors(const char *tool, int code);

/// What --variants means, for --help.
constexpr const char *kVariantsHelp =
    "where types do not tell the number of rows, kernels for ranges of it: the "
    "most rows of each range but the last (16,128,1024), or none: one kernel";
/// The value of --variants; an error says what is wrong with it.
llvm::Expected<std::vector<int64_t>> parseVariants(llvm::StringRef text);
} // namespace mlir::te

#endif // TE_DRIVER_COMMANDLINE_H
