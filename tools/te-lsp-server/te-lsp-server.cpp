//===- te-lsp-server.cpp - language server for te-mlir's IR ---------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Tools.h"
#include "te/Driver/Register.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int mlir::te::teLspServerMain(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::te::registerDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
