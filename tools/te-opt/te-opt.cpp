//===- te-opt.cpp - mlir-opt with te-mlir's dialects and passes -----------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Tools.h"
#include "te/Driver/Register.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

namespace {
/// Verifies what the parser did not.
struct VerifyInputPass : PassWrapper<VerifyInputPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyInputPass)
  StringRef getName() const override { return "verify-input"; }
  void runOnOperation() override {
    if (failed(te::verifyInput(getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace

/// MlirOptMain, but for how input is verified.
static LogicalResult run(StringRef input, StringRef output,
                         DialectRegistry &registry, MlirOptMainConfig config) {
  if (config.shouldVerifyOnParsing()) {
    MlirOptMainConfig given = config;
    config.verifyOnParsing(false).setPassPipelineSetupFn(
        [given](PassManager &manager) {
          manager.addPass(std::make_unique<VerifyInputPass>());
          return given.setupPassPipeline(manager);
        });
  }
  std::string message;
  auto file = openInputFile(input, &message);
  auto to = file ? openOutputFile(output, &message) : nullptr;
  if (!to) {
    llvm::errs() << message << "\n";
    return failure();
  }
  if (failed(MlirOptMain(to->os(), std::move(file), registry, config)))
    return failure();
  to->keep();
  return success();
}

int mlir::te::teOptMain(int argc, char **argv) {
  te::registerPasses();
  DialectRegistry registry;
  te::registerDialects(registry);
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "te-mlir optimizer driver\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  llvm::InitLLVM init(argc, argv);
  return asMainReturnCode(run(input, output, registry, config));
}
