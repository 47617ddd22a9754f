//===- te-run.cpp - runs compiled programs -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// te-run IN.mlir|OUT.hsaco: runs a program on the emulator, the reference or a
// GPU, and with --check compares it with the reference.
//
//===----------------------------------------------------------------------===//
#include "Session.h"

#include "te/Driver/CommandLine.h"
#include "te/Driver/Register.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
using namespace mlir::te;
namespace cl = llvm::cl;

static cl::OptionCategory category("te-run options");

namespace {
struct CommandLine {
  cl::opt<std::string> file{cl::Positional, cl::desc("IN.mlir|OUT.hsaco"),
                            cl::Required, cl::cat(category)};
  cl::opt<std::string> target{
      "target",
      cl::desc("the chip to compile for: gfx942 or gfx950 (default: the "
               "device's, else gfx950)"),
      cl::value_desc("chip"), cl::cat(category)};
  cl::opt<DeviceKind> device{
      "device",
      cl::desc("where to run (default: hip where there is one, else emulator)"),
      cl::values(clEnumValN(DeviceKind::Emulator, "emulator",
                            "the code object, instruction by instruction"),
                 clEnumValN(DeviceKind::Reference, "reference",
                            "the te-level program in the reference"),
                 clEnumValN(DeviceKind::Hip, "hip", "an AMD GPU")),
      cl::init(DeviceKind::Any), cl::cat(category)};
  cl::opt<std::string> entry{"entry", cl::desc("the function to run"),
                             cl::value_desc("name"), cl::cat(category)};
  cl::list<std::string> inputs{
      "input",
      cl::desc("an argument, in order; a !te.scaled one takes data, then "
               "scales (default random:0)"),
      cl::value_desc("F.npy|random:SEED[:normal|uniform]"), cl::cat(category)};
  cl::list<std::string> outputs{
      "output", cl::desc("a file for a result, in order (data, then scales)"),
      cl::value_desc("F.npy"), cl::cat(category)};
  cl::list<std::string> dims{"dim", cl::desc("the size of a dynamic dimension"),
                             cl::value_desc("NAME=N"), cl::cat(category)};
  cl::opt<std::string> kernel{
      "kernel", cl::desc("raw mode: run this kernel of any code object"),
      cl::value_desc("name"), cl::cat(category)};
  cl::opt<std::string> grid{"grid", cl::desc("raw mode: workgroups"),
                            cl::value_desc("X,Y,Z"), cl::cat(category)};
  cl::opt<std::string> block{"block",
                             cl::desc("raw mode: lanes of a workgroup"),
                             cl::value_desc("X,Y,Z"), cl::cat(category)};
  cl::list<std::string> arguments{
      "arg",
      cl::desc("raw mode: an argument, in the kernel's order; out starts as "
               "zeros"),
      cl::value_desc("in:F.npy|out:DTYPE[SHAPE]:F.npy|inout:F.npy:G.npy|i32:V|"
                     "i64:V|f32:V|f64:V"),
      cl::cat(category)};
  cl::opt<bool> check{
      "check",
      cl::desc("compare with the reference; exit code 1 where they differ"),
      cl::cat(category)};
  cl::opt<bool> sanitize{
      "sanitize",
      cl::desc("look for defects in the machine code while it runs in the "
               "emulator (docs/sanitizer.md); exit code 1 where there are any"),
      cl::cat(category)};
  cl::opt<StatsKind> stats{
      "stats", cl::desc("what the run did, and how each figure was obtained"),
      cl::values(clEnumValN(StatsKind::Text, "text", "a table"),
                 clEnumValN(StatsKind::Json, "json", "JSON")),
      cl::init(StatsKind::None), cl::cat(category)};
  cl::opt<bool> list{
      "list",
      cl::desc("show entries, arguments, dimensions, kernels and resources"),
      cl::cat(category)};
};
} // namespace

static int usageError(const llvm::Twine &message) {
  llvm::errs() << "te-run: error: " << message << "\n";
  return Session::BadInput;
}

/// NAME=N; false where it is not that.
static bool parseDim(StringRef text, std::map<std::string, int64_t> &dims) {
  auto [name, size] = text.split('=');
  int64_t value;
  if (name.empty() || size.getAsInteger(10, value))
    return false;
  return dims.emplace(name.str(), value).second;
}

int main(int argc, char **argv) {
  llvm::InitLLVM initLLVM(argc, argv);
  removeLibraryFlags();
  CommandLine options;
  cl::HideUnrelatedOptions(category);
  std::string overview =
      "runs a program, and compares it with the reference\n\n" +
      std::string(kRandomInputsHelp) +
      "\nExit codes: 0 well or PASS, 1 FAIL or the run failed, 2 wrong usage "
      "or "
      "input.\n";
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &llvm::errs()))
    return Session::BadInput;
  RunFlags flags;
  flags.file = options.file;
  flags.target = options.target;
  flags.entry = options.entry;
  flags.device = options.device;
  flags.inputs = options.inputs;
  flags.outputs = options.outputs;
  flags.kernel = options.kernel;
  flags.grid = options.grid;
  flags.block = options.block;
  flags.arguments = options.arguments;
  flags.check = options.check;
  flags.list = options.list;
  flags.sanitize = options.sanitize;
  if (flags.sanitize && flags.device != DeviceKind::Any &&
      flags.device != DeviceKind::Emulator)
    return usageError("--sanitize works in the emulator only; drop --device");
  if (flags.sanitize)
    flags.device = DeviceKind::Emulator;
  flags.stats = options.stats;
  for (const std::string &dim : options.dims)
    if (!parseDim(dim, flags.dims))
      return usageError("--dim=" + dim + ": expected NAME=N, each name once");
  if (flags.check && flags.device == DeviceKind::Reference)
    return usageError("--check compares a device with the reference, and "
                      "--device=reference is the reference; drop one of them");

  bool hasRaw =
      !flags.grid.empty() || !flags.block.empty() || !flags.arguments.empty();
  if (flags.kernel.empty() && hasRaw)
    return usageError("--grid, --block and --arg need --kernel=NAME");
  bool hasProgram = !flags.entry.empty() || !flags.inputs.empty() ||
                    !flags.outputs.empty() || !flags.dims.empty() ||
                    flags.check || flags.device == DeviceKind::Reference;
  if (!flags.kernel.empty() && hasProgram)
    return usageError("--kernel runs one kernel as it is: --entry, --input, "
                      "--output, --dim, --check and --device=reference do not "
                      "go with it");
  if (!flags.kernel.empty() && !flags.list &&
      (flags.grid.empty() || flags.block.empty()))
    return usageError("--kernel needs --grid=X,Y,Z (workgroups) and "
                      "--block=X,Y,Z (lanes of a workgroup)");

  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  auto sources = std::make_shared<llvm::SourceMgr>();
  SourceMgrDiagnosticHandler diagnostics(*sources, &context);
  return Session(flags, context, sources).run();
}
