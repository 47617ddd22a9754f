//===- te-compile.cpp - te IR to one image --------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exit codes: 0 compiled; 1 the input does not compile, or a file cannot be
// read or written (a diagnostic says which); 2 the command line is wrong.
//
//===----------------------------------------------------------------------===//

#include "../Tools.h"
#include "te/Driver/CommandLine.h"
#include "te/Driver/Compile.h"
#include "te/Driver/Register.h"
#include "te/Driver/Report.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Program.h"

using namespace mlir;
namespace cl = llvm::cl;

namespace {
constexpr int kUsageError = 2;

/// What the command line says. A copy of the flags: lld, which runs in this
/// process, puts every flag back to its default.
struct Settings {
  std::string input, target, output, emit, ptxas, tuningDb, variants;
  te::ReportFormat stats, explain;
  bool timing, lineTables;
};

/// The flags, constructed once LLVM's own are out of the way.
struct Flags {
  cl::OptionCategory category{"te-compile options"};
  cl::opt<std::string> input{cl::Positional,
                             cl::desc("IN.mlir (- is standard input)"),
                             cl::init("-"), cl::cat(category)};
  std::string chips = "the chip: " + te::Target::listNames(); // kept for --help
  cl::opt<std::string> target{"target", cl::desc(chips), cl::cat(category)};
  cl::opt<std::string> output{"o",
                              cl::desc("output file (- is standard output)"),
                              cl::value_desc("file"), cl::cat(category)};
  cl::opt<std::string> emit{
      "emit",
      cl::desc("te, fused, tile, gpu, rocdl or nvvm, llvm, asm, hsaco or ptx "
               "(the default: what the target loads)"),
      cl::cat(category)};
  cl::opt<te::ReportFormat> stats{"stats",
                                  cl::ValueOptional,
                                  cl::desc("what each kernel uses and moves"),
                                  formats("a table"),
                                  cl::init(te::ReportFormat::None),
                                  cl::cat(category)};
  cl::opt<te::ReportFormat> explain{
      "explain",
      cl::ValueOptional,
      cl::desc("what was fused and which schedule was taken, and why"),
      formats("sentences"),
      cl::init(te::ReportFormat::None),
      cl::cat(category)};
  cl::opt<bool> timing{"timing",
                       cl::desc("where the compile time went (standard error)"),
                       cl::cat(category)};

  cl::opt<bool> lineTables{
      "line-tables",
      cl::desc("debug information from machine code to lines of the input"),
      cl::cat(category)};

  cl::opt<std::string> tuningDb{
      "tuning-db",
      cl::desc("schedules that te-tune found (docs/tuning.md): regions that "
               "the file has take theirs from there"),
      cl::value_desc("file"), cl::cat(category)};

  cl::opt<std::string> variants{"variants", cl::desc(te::kVariantsHelp),
                                cl::value_desc("none|N,N.."),
                                cl::cat(category)};

  cl::opt<std::string> ptxas{
      "ptxas",
      cl::desc("assembles PTX, for the figures of registers and spills "
               "(default: with --stats, ptxas of the PATH)"),
      cl::value_desc("program"), cl::cat(category)};

  Settings get() const {
    return {input,    target, output,  emit,   ptxas,     tuningDb,
            variants, stats,  explain, timing, lineTables};
  }

  static cl::ValuesClass formats(llvm::StringRef text) {
    return cl::values(clEnumValN(te::ReportFormat::Text, "text", text),
                      clEnumValN(te::ReportFormat::Text, "", ""),
                      clEnumValN(te::ReportFormat::JSON, "json", "JSON"));
  }
};

int usageError(const llvm::Twine &message) {
  llvm::errs() << "te-compile: " << message << "\n";
  return kUsageError;
}

/// Writes what was asked for; the reports go to standard output.
int writeProducts(const Settings &flags, const te::Artifact &artifact,
                  te::Level level, const te::Target &chip) {
  bool binary = level == te::Level::Image;
  std::string file = flags.output;
  if (file.empty() && !binary)
    file = "-";
  if (!file.empty())
    if (llvm::Error error =
            te::writeOutput(file, binary ? artifact.binary : artifact.text)) {
      llvm::errs() << "te-compile: " << llvm::toString(std::move(error))
                   << "\n";
      return 1;
    }
  // A report shares standard output with nothing.
  llvm::raw_ostream &os = file == "-" ? llvm::errs() : llvm::outs();
  if (llvm::Error error =
          te::printReports(os, artifact, chip, flags.stats, flags.explain)) {
    llvm::errs() << "te-compile: " << llvm::toString(std::move(error)) << "\n";
    return 1;
  }
  return 0;
}
} // namespace

int mlir::te::teCompileMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  te::handleSystemErrors("te-compile", 1);
  te::removeLibraryFlags();
  Flags commandLine;
  if (!cl::ParseCommandLineOptions(
          argc, argv, "te-mlir compiler: te IR to one HSACO or PTX\n",
          &llvm::errs()))
    return kUsageError;
  const Settings flags = commandLine.get();

  if (flags.target.empty())
    return usageError("no --target; give one of " + te::Target::listNames());
  llvm::Expected<const te::Target *> chip = te::Target::get(flags.target);
  if (!chip)
    return usageError(llvm::toString(chip.takeError()));
  std::optional<te::Level> level = flags.emit.empty()
                                       ? te::Level::Image
                                       : te::parseLevel(flags.emit, **chip);
  if (!level)
    return usageError("unknown level '" + flags.emit + "' in --emit; it is " +
                      te::listLevels(**chip));
  if (flags.stats != te::ReportFormat::None && *level != te::Level::Image)
    return usageError("--stats counts machine code: it goes with --emit=" +
                      te::getName(te::Level::Image, **chip));
  if (!flags.ptxas.empty() && (*chip)->backend != te::BackendKind::NVPTX)
    return usageError("--ptxas assembles PTX, which " + (*chip)->name +
                      " does not run; leave it out");
  if (flags.explain != te::ReportFormat::None && *level == te::Level::TE)
    return usageError("--explain tells of fusion and schedules: it goes with "
                      "--emit=fused or a later level");

  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file =
      openInputFile(flags.input, &message);
  if (!file) {
    llvm::errs() << "te-compile: " << message << "\n";
    return 1;
  }
  DefaultTimingManager timer;
  timer.setEnabled(flags.timing);
  TimingScope root = timer.getRootScope();

  DialectRegistry registry;
  te::registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler diagnostics(*sources, &context);
  context.printOpOnDiagnostic(false);

  TimingScope parse = root.nest("parse");
  OwningOpRef<ModuleOp> module = te::parseModule(sources, context);
  parse.stop();
  if (!module)
    return 1;
  te::CompileOptions options;
  options.target = *chip;
  options.level = *level;
  options.ptxas = flags.ptxas;
  if (options.ptxas.empty() && flags.stats != te::ReportFormat::None)
    if (auto found = llvm::sys::findProgramByName("ptxas"))
      options.ptxas = std::move(*found);
  options.schedules.tuningDb = flags.tuningDb;
  if (!flags.variants.empty()) {
    auto ends = te::parseVariants(flags.variants);
    if (!ends)
      return usageError(llvm::toString(ends.takeError()));
    options.schedules.ranges = std::move(*ends);
  }
  options.lineTables = flags.lineTables;
  options.explain = flags.explain != te::ReportFormat::None;
  options.timing = flags.timing ? &root : nullptr;
  FailureOr<te::Artifact> artifact = te::compile(*module, options);
  if (failed(artifact))
    return 1;
  return writeProducts(flags, *artifact, *level, **chip);
}
