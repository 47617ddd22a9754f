//===- te-toy.cpp - te-mlir's tools with the toy dialect ------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// te-toy te-opt ARGS.. and te-toy te-compile ARGS..
//
//===----------------------------------------------------------------------===//

#include "../../../tools/Tools.h"
#include "Toy.h"

#include "te/Driver/Register.h"

using namespace mlir;
using namespace mlir::te;

int main(int argc, char **argv) {
  addDialects([](DialectRegistry &r) { r.insert<toy::ToyDialect>(); });
  for (auto [name, tool] :
       {std::pair("te-opt", &teOptMain), {"te-compile", &teCompileMain}})
    if (argc > 1 && StringRef(argv[1]) == name)
      return tool(argc - 1, argv + 1);
  llvm::errs() << "usage: te-toy te-opt|te-compile ARGS..\n";
  return 2;
}
