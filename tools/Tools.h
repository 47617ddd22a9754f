//===- Tools.h - the tools as functions -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each is the `main` of its tool, in the program of its name (Main.cpp) and in
// the Python package (python/src/Tools.cpp). It may run once in a process:
// flags, handlers of signals and of full disks are the process's.
//
//===----------------------------------------------------------------------===//
#ifndef TE_TOOLS_TOOLS_H
#define TE_TOOLS_TOOLS_H

namespace mlir::te {
int teCompileMain(int argc, char **argv);
int teLspServerMain(int argc, char **argv);
int teOptMain(int argc, char **argv);
int teReduceMain(int argc, char **argv);
int teRunMain(int argc, char **argv);
int teTuneMain(int argc, char **argv);
} // namespace mlir::te

#endif // TE_TOOLS_TOOLS_H
