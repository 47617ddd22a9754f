//===- Tools.cpp - the tools in the Python package -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Native.h"

#include "../../tools/Tools.h"

#include "llvm/ADT/StringSwitch.h"

#include <csignal>
#include <cstdlib>

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::python;

using Main = int (*)(int, char **);

/// Runs the tool `args[0]` and ends the process as it ends: its flags, signals
/// and output are those of the program of its name, not of Python.
[[noreturn]] static void runTool(std::vector<std::string> args) {
  Main tool = llvm::StringSwitch<Main>(args.empty() ? "" : args[0])
                  .Case("te-compile", teCompileMain)
                  .Case("te-lsp-server", teLspServerMain)
                  .Case("te-opt", teOptMain)
                  .Case("te-reduce", teReduceMain)
                  .Case("te-run", teRunMain)
                  .Case("te-tune", teTuneMain)
                  .Default(nullptr);
  if (!tool)
    throw py::value_error("no tool of this name");
  for (int signal : {SIGINT, SIGPIPE})
    std::signal(signal, SIG_DFL);
  std::vector<char *> argv;
  for (std::string &arg : args)
    argv.push_back(arg.data());
  argv.push_back(nullptr);
  py::gil_scoped_release release;
  std::exit(tool(static_cast<int>(args.size()), argv.data()));
}

void mlir::te::python::bindTools(py::module_ &m) {
  m.def("run_tool", runTool, py::arg("args"));
}
