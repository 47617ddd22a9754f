//===- te-run.cpp - runs compiled programs -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// te-run IN.mlir|OUT.hsaco|OUT.ptx: runs a program on the emulator, the
// reference or a GPU, and with --check compares it with the reference.
//
//===----------------------------------------------------------------------===//
#include "../Tools.h"
#include "Session.h"

#include "te/Driver/CommandLine.h"
#include "te/Driver/Register.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

#include <cmath>

using namespace mlir;
using namespace mlir::te;
namespace cl = llvm::cl;

static cl::OptionCategory category("te-run options");

namespace {
struct CommandLine {
  cl::list<std::string> files{cl::Positional,
                              cl::desc("IN.mlir|OUT.hsaco|OUT.ptx"),
                              cl::OneOrMore, cl::cat(category)};
  cl::opt<std::string> target{
      "target",
      cl::desc("the chip to compile for: gfx942 or gfx950 (default: the "
               "device's, else gfx950)"),
      cl::value_desc("chip"), cl::cat(category)};
  cl::opt<DeviceKind> device{
      "device",
      cl::desc("where to run (default: a GPU that the program is for, else "
               "emulator)"),
      cl::values(clEnumValN(DeviceKind::Emulator, "emulator",
                            "the code object, instruction by instruction"),
                 clEnumValN(DeviceKind::Reference, "reference",
                            "the te-level program in the reference"),
                 clEnumValN(DeviceKind::Hip, "hip", "an AMD GPU"),
                 clEnumValN(DeviceKind::Cuda, "cuda", "an NVIDIA GPU")),
      cl::init(DeviceKind::Any), cl::cat(category)};
  cl::opt<std::string> entry{"entry", cl::desc("the function to run"),
                             cl::value_desc("name"), cl::cat(category)};
  cl::opt<std::string> tuningDb{
      "tuning-db",
      cl::desc("of .mlir: compile with schedules that te-tune found"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<std::string> variants{
      "variants", cl::desc("of .mlir: " + std::string(kVariantsHelp)),
      cl::value_desc("none|N,N.."), cl::cat(category)};
  cl::list<std::string> inputs{
      "input",
      cl::desc("an argument, in order; a !te.scaled one takes data, then "
               "scales (default random:0)"),
      cl::value_desc("F.npy|random:SEED[:normal|uniform]"), cl::cat(category)};
  cl::list<std::string> outputs{
      "output",
      cl::desc("a file for a result, in order (data, then scales); -: the "
               "standard output"),
      cl::value_desc("F.npy"), cl::cat(category)};
  cl::list<std::string> dims{"dim", cl::desc("the size of a dynamic dimension"),
                             cl::value_desc("NAME=N"), cl::cat(category)};
  cl::list<std::string> kernels{
      "kernel",
      cl::desc("raw mode: run this kernel of any code object. Several run in "
               "order, each with the --grid, --block, --lds, --arg and "
               "--kernarg flags after it"),
      cl::value_desc("name"), cl::cat(category)};
  cl::list<std::string> grids{"grid", cl::desc("raw mode: workgroups"),
                              cl::value_desc("X,Y,Z"), cl::cat(category)};
  cl::list<std::string> blocks{"block",
                               cl::desc("raw mode: lanes of a workgroup"),
                               cl::value_desc("X,Y,Z"), cl::cat(category)};
  cl::list<std::string> lds{"lds",
                            cl::desc("raw mode: dynamic LDS of a workgroup"),
                            cl::value_desc("bytes"), cl::cat(category)};
  cl::list<std::string> buffers{
      "buffer",
      cl::desc("raw mode: memory that --arg=NAME gives to any kernel; out and "
               "tmp start as zeros"),
      cl::value_desc("NAME=in:F.npy|inout:F.npy:G.npy|out:DTYPE[SHAPE]:F.npy|"
                     "tmp:DTYPE[SHAPE]"),
      cl::cat(category)};
  cl::list<std::string> arguments{
      "arg",
      cl::desc("raw mode: an argument, in the kernel's order, or as NAME=... "
               "by the name that --list shows, the others 0: a --buffer's "
               "name or its form, null, a scalar (i8 to i64, f16, bf16, f32, "
               "f64), a structure of those and of buffers' names, its bytes, "
               "or local memory"),
      cl::value_desc("[NAME=]BUFFER|in:F.npy|...|null|i32:V|"
                     "struct:i32:V,f32:V...|bytes:HEX|lds:BYTES"),
      cl::cat(category)};
  cl::list<std::string> kernargs{
      "kernarg",
      cl::desc("raw mode: an argument by its place in the kernel's argument "
               "segment, in --arg's forms; bytes that no flag gives are 0"),
      cl::value_desc("OFFSET:V"), cl::cat(category)};
  cl::opt<std::string> maxInstructions{
      "max-instructions",
      cl::desc("end the run with an error where a workgroup runs more "
               "wave-instructions than this in the emulator (default: no "
               "limit)"),
      cl::value_desc("N"), cl::cat(category)};
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
  cl::opt<std::string> annotate{
      "annotate",
      cl::desc("the kernels' code with what each instruction and each basic "
               "block did in the emulator, in a file or on the standard "
               "output"),
      cl::value_desc("file"), cl::ValueOptional, cl::cat(category)};
  cl::list<std::string> profile{
      "profile",
      cl::desc("where the time goes, by the cycle model "
               "(docs/cycle-model.md): text on the standard output or in a "
               "file; JSON in a file named *.json, a page in *.html, a trace "
               "for Perfetto in *.trace. May be given several times"),
      cl::value_desc("file"), cl::ValueOptional, cl::cat(category)};
  cl::opt<bool> compare{
      "compare",
      cl::desc("run several files on the same inputs, and print their profiles "
               "side by side; in raw mode each file takes the --kernel of its "
               "place, or all take the one there is"),
      cl::cat(category)};
  cl::opt<std::string> clock{
      "clock",
      cl::desc("with --profile or --compare: the clock that the cycle model "
               "assumes, in GHz, or 'peak' (the default). Under matrix load "
               "chips run below their peak; memory does not"),
      cl::value_desc("peak|GHz"), cl::cat(category)};
  cl::opt<bool> sample{
      "sample",
      cl::desc("with --profile or --compare: run only the workgroups that are "
               "profiled, and a few rounds of their loop in others, on floats "
               "that are 0 where no --input says otherwise. For grids that "
               "take long as a whole"),
      cl::cat(category)};
  cl::opt<std::string> save{
      "save",
      cl::desc("write inputs, the reference's results and te-launch's flags to "
               "a folder, and run nothing else (docs/te-launch.md)"),
      cl::value_desc("folder"), cl::cat(category)};
  cl::opt<std::string> results{
      "results",
      cl::desc("with --check: judge results that te-launch --save wrote"),
      cl::value_desc("folder"), cl::cat(category)};
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

/// Takes the emulator for what only it can do; returns what is wrong, or an
/// empty string.
static std::string requireEmulator(StringRef flag, RunFlags &flags) {
  if (flags.device != DeviceKind::Any && flags.device != DeviceKind::Emulator)
    return (flag + " works in the emulator only; drop --device").str();
  flags.device = DeviceKind::Emulator;
  return "";
}

/// Groups the raw flags by the --kernel that they follow; those before the
/// first one belong to it. Returns what is wrong, or an empty string.
static std::string collectLaunches(const CommandLine &options,
                                   std::vector<LaunchFlags> &launches) {
  launches.resize(options.kernels.size());
  for (auto [launch, name] : llvm::zip_equal(launches, options.kernels))
    launch.kernel = name;
  auto distribute = [&](const cl::list<std::string> &list, auto take) {
    for (unsigned i = 0; i < list.size(); ++i) {
      size_t at = 0;
      while (at + 1 < launches.size() &&
             options.kernels.getPosition(at + 1) < list.getPosition(i))
        ++at;
      take(launches[at], list[i]);
    }
  };
  std::string twice;
  auto once = [&](std::string LaunchFlags::*field) {
    return [&, field](LaunchFlags &launch, const std::string &value) {
      if (!(launch.*field).empty())
        twice = "kernel " + launch.kernel + " has both " + launch.*field +
                " and " + value +
                " for one of --grid, --block and --lds; give "
                "each kernel's flags after its --kernel";
      launch.*field = value;
    };
  };
  distribute(options.grids, once(&LaunchFlags::grid));
  distribute(options.blocks, once(&LaunchFlags::block));
  distribute(options.lds, once(&LaunchFlags::lds));
  distribute(options.arguments,
             [](LaunchFlags &launch, const std::string &value) {
               launch.arguments.push_back(value);
             });
  distribute(options.kernargs,
             [](LaunchFlags &launch, const std::string &value) {
               launch.kernargs.push_back(value);
             });
  return twice;
}

/// Raw mode's flags; returns what is wrong, or an empty string.
static std::string readRawFlags(CommandLine &options, RunFlags &flags) {
  bool hasRaw = !options.grids.empty() || !options.blocks.empty() ||
                !options.lds.empty() || !options.buffers.empty() ||
                !options.arguments.empty() || !options.kernargs.empty();
  if (options.kernels.empty())
    return hasRaw ? "--grid, --block, --lds, --buffer, --arg and --kernarg "
                    "need --kernel=NAME"
                  : "";
  bool hasProgram = !flags.entry.empty() || !flags.inputs.empty() ||
                    !flags.outputs.empty() || !flags.dims.empty() ||
                    flags.check || flags.device == DeviceKind::Reference;
  if (hasProgram)
    return "--kernel runs a kernel as it is: --entry, --input, --output, "
           "--dim, --check and --device=reference do not go with it";
  flags.buffers = options.buffers;
  if (std::string wrong = collectLaunches(options, flags.launches);
      !wrong.empty())
    return wrong;
  for (const LaunchFlags &launch : flags.launches)
    if (!flags.list && (launch.grid.empty() || launch.block.empty()))
      return "--kernel needs --grid=X,Y,Z (workgroups) and --block=X,Y,Z "
             "(lanes of a workgroup); " +
             launch.kernel + " has not both";
  return "";
}

/// --clock; returns what is wrong, or an empty string.
static std::string readClock(const CommandLine &options, RunFlags &flags) {
  StringRef text = options.clock;
  if (!options.clock.getNumOccurrences() || text == "peak")
    return "";
  double gHz;
  if (text.getAsDouble(gHz) || !(gHz > 0) || !std::isfinite(gHz))
    return ("--clock=" + text + ": expected peak, or GHz, for example 1.9")
        .str();
  flags.clockGHz = gHz;
  return "";
}

/// --profile and --compare; returns what is wrong, or an empty string.
static std::string checkProfile(const CommandLine &options, RunFlags &flags) {
  if (!flags.compare && options.files.size() > 1)
    return "several files go with --compare only";
  if (flags.compare && options.files.size() < 2)
    return "--compare needs two files at least";
  if (!flags.compare && flags.profiles.empty()) {
    if (options.clock.getNumOccurrences())
      return "--clock goes with --profile or --compare";
    return flags.sample ? "--sample goes with --profile or --compare" : "";
  }
  if (std::string wrong = readClock(options, flags); !wrong.empty())
    return wrong;
  bool hasOther = !flags.outputs.empty() || flags.check || flags.annotate ||
                  flags.stats != StatsKind::None;
  if (flags.sample && hasOther)
    return "--sample runs a part of the grid: --output, --check, --stats and "
           "--annotate do not go with it";
  if (flags.list || flags.sanitize || !flags.save.empty() ||
      !flags.results.empty())
    return "--profile and --compare do not go with --list, --sanitize, --save "
           "and --results";
  if (flags.compare && (!flags.outputs.empty() || !flags.profiles.empty()))
    return "--compare prints a table; --output and --profile are for one file";
  return requireEmulator(flags.compare ? "--compare" : "--profile", flags);
}

/// Runs one file; its profiles, where there are any, are given to `profiles`.
static int runFile(const RunFlags &flags,
                   std::vector<cycle::Profile> *profiles) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  auto sources = std::make_shared<llvm::SourceMgr>();
  SourceMgrDiagnosticHandler diagnostics(*sources, &context);
  Session session(flags, context, sources);
  int code = session.run();
  if (profiles)
    *profiles = session.getProfiles().vec();
  return code;
}

/// A column a launch of each file. Inputs are made alike for every file.
static int compareFiles(ArrayRef<std::string> files, const RunFlags &flags) {
  size_t kernels = flags.launches.size();
  if (kernels > 1 && kernels != files.size())
    return usageError("--compare of " + llvm::Twine(files.size()) +
                      " files takes one --kernel, or one a file; there are " +
                      llvm::Twine(kernels));
  std::vector<cycle::Profile> all;
  std::vector<std::string> names;
  for (auto [index, file] : llvm::enumerate(files)) {
    RunFlags own = flags;
    own.file = file;
    if (kernels > 1)
      own.launches = {flags.launches[index]};
    std::vector<cycle::Profile> profiles;
    if (int code = runFile(own, &profiles))
      return code;
    names.insert(names.end(), profiles.size(), file);
    all.insert(all.end(), profiles.begin(), profiles.end());
  }
  cycle::printComparison(llvm::outs(), names, all);
  return Session::Ok;
}

int mlir::te::teRunMain(int argc, char **argv) {
  llvm::InitLLVM initLLVM(argc, argv);
  handleSystemErrors("te-run", Session::BadInput);
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
  flags.file = options.files.front();
  flags.target = options.target;
  flags.tuningDb = options.tuningDb;
  flags.variants = options.variants;
  flags.entry = options.entry;
  flags.device = options.device;
  flags.inputs = options.inputs;
  flags.outputs = options.outputs;
  flags.check = options.check;
  flags.list = options.list;
  flags.save = options.save;
  flags.results = options.results;
  bool isElsewhere = !flags.save.empty() || !flags.results.empty();
  if (isElsewhere &&
      (flags.device != DeviceKind::Any || options.sanitize ||
       !flags.launches.empty() || options.annotate.getNumOccurrences()))
    return usageError("--save and --results run nothing here: --device, "
                      "--sanitize, --annotate and --kernel do not go with "
                      "them");
  if (flags.results.empty() != !(flags.check && isElsewhere))
    return usageError("--results and --check go together, without --save");
  flags.sanitize = options.sanitize;
  if (flags.sanitize)
    if (std::string wrong = requireEmulator("--sanitize", flags);
        !wrong.empty())
      return usageError(wrong);
  flags.stats = options.stats;
  if (options.annotate.getNumOccurrences()) {
    flags.annotate = options.annotate;
    if (std::string wrong = requireEmulator("--annotate", flags);
        !wrong.empty())
      return usageError(wrong);
  }
  if (options.maxInstructions.getNumOccurrences()) {
    StringRef text = options.maxInstructions;
    if (text.getAsInteger(10, flags.maxInstructions) || !flags.maxInstructions)
      return usageError("--max-instructions=" + text +
                        ": expected a positive number of wave-instructions, "
                        "for example 10000000");
    if (std::string wrong = requireEmulator("--max-instructions", flags);
        !wrong.empty())
      return usageError(wrong);
  }
  flags.profiles = options.profile;
  flags.compare = options.compare;
  flags.sample = options.sample;
  if (std::string wrong = checkProfile(options, flags); !wrong.empty())
    return usageError(wrong);
  for (const std::string &dim : options.dims)
    if (!parseDim(dim, flags.dims))
      return usageError("--dim=" + dim + ": expected NAME=N, each name once");
  if (flags.check && flags.device == DeviceKind::Reference)
    return usageError("--check compares a device with the reference, and "
                      "--device=reference is the reference; drop one of them");

  if (std::string wrong = readRawFlags(options, flags); !wrong.empty())
    return usageError(wrong);

  // A copy: linking in process forgets what the options were.
  std::vector<std::string> files = options.files;
  return flags.compare ? compareFiles(files, flags) : runFile(flags, nullptr);
}
