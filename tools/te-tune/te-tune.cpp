//===- te-tune.cpp - searches schedules -----------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// te-tune IN.mlir.. --target=CHIP --tuning-db=FILE: times the schedules of each
// region in the cycle model, and keeps the fastest (docs/tuning.md).
//
// Exit codes: 0 done, or the budget is spent; 1 an input does not compile, or a
// file cannot be read or written; 2 the command line is wrong.
//
//===----------------------------------------------------------------------===//
#include "../Tools.h"
#include "Search.h"

#include "te/Driver/CommandLine.h"
#include "te/Driver/Compile.h"
#include "te/Driver/Register.h"
#include "te/Runtime/Gpu.h"
#include "te/Target/Timing.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::te;
namespace cl = llvm::cl;

namespace {
constexpr int kFailed = 1, kUsageError = 2;

/// What the command line says. A copy of the flags: lld, which runs in this
/// process, puts every flag back to its default.
struct Settings {
  std::vector<std::string> files, dims, merged;
  std::string target, database, shapes, budget, device, variants;
  bool records, explains;
};

/// The flags, constructed once LLVM's own are out of the way.
struct Flags {
  cl::OptionCategory category{"te-tune options"};
  cl::list<std::string> files{cl::Positional, cl::desc("IN.mlir.."),
                              cl::cat(category)};
  cl::opt<std::string> target{
      "target", cl::desc("the chip: gfx942 or gfx950, or that of the device"),
      cl::value_desc("chip"), cl::cat(category)};
  cl::opt<std::string> database{
      "tuning-db",
      cl::desc("the database: read where it is there, and written after each "
               "schedule"),
      cl::value_desc("file"), cl::cat(category)};
  cl::list<std::string> dims{"dim", cl::desc("the size of a dynamic dimension"),
                             cl::value_desc("NAME=N"), cl::cat(category)};
  cl::opt<std::string> shapes{
      "shapes",
      cl::desc("sizes of dynamic dimensions, a list of objects: the schedule "
               "with the least time for all of them together is kept"),
      cl::value_desc("F.json"), cl::cat(category)};
  cl::opt<std::string> budget{
      "budget",
      cl::desc("stop after so many seconds (as in 60s), or schedules of each "
               "region (60); another call goes on from there"),
      cl::value_desc("SECONDSs|N"), cl::cat(category)};

  cl::list<std::string> merged{
      "merge",
      cl::desc("take over what another database has, or has faster; says what"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<bool> records{
      "record",
      cl::desc("time schedules that the input has, too, and keep the fastest"),
      cl::cat(category)};

  cl::opt<std::string> device{
      "device",
      cl::desc("where schedules are timed: cycle-model (default), or a GPU, "
               "hip or cuda"),
      cl::value_desc("name"), cl::init("cycle-model"), cl::cat(category)};
  cl::opt<std::string> variants{"variants", cl::desc(kVariantsHelp),
                                cl::value_desc("none|N,N.."),
                                cl::cat(category)};
  cl::opt<bool> explains{
      "explain", cl::desc("why the schedules that are found are as they are"),
      cl::cat(category)};

  Settings get() const {
    return {{files.begin(), files.end()},
            {dims.begin(), dims.end()},
            {merged.begin(), merged.end()},
            target,
            database,
            shapes,
            budget,
            device,
            variants,
            records,
            explains};
  }
};
} // namespace

static int usageError(const llvm::Twine &message) {
  llvm::errs() << "te-tune: error: " << message << "\n";
  return kUsageError;
}

static bool parseBudget(StringRef text, Budget &budget) {
  bool isTime = text.consume_back("s");
  int64_t number;
  if (text.getAsInteger(10, number) || number < 0)
    return false;
  if (isTime)
    budget.until =
        std::chrono::steady_clock::now() + std::chrono::seconds(number);
  else
    budget.schedules = number;
  return true;
}

/// --shapes; returns what is wrong, or an empty string.
static std::string readShapes(StringRef path, std::vector<Sizes> &sizes) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return ("--shapes=" + path + ": " + buffer.getError().message()).str();
  auto value = llvm::json::parse((*buffer)->getBuffer());
  if (!value)
    return ("--shapes=" + path + ": " + llvm::toString(value.takeError()))
        .str();
  llvm::json::Path::Root root("the list");
  if (!fromJSON(*value, sizes, root))
    return ("--shapes=" + path + ": " + llvm::toString(root.getError()) +
            "; it is a list such as [{\"M\": 1}, {\"M\": 64}]")
        .str();
  if (sizes.empty())
    return ("--shapes=" + path + ": the list is empty").str();
  return "";
}

/// --dim and --shapes; returns what is wrong, or an empty string.
static std::string readSizes(const Settings &flags, std::vector<Sizes> &sizes) {
  if (!flags.shapes.empty())
    if (std::string wrong = readShapes(flags.shapes, sizes); !wrong.empty())
      return wrong;
  if (sizes.empty())
    sizes.emplace_back();
  for (StringRef text : flags.dims) {
    auto [name, number] = text.split('=');
    int64_t size;
    if (name.empty() || number.getAsInteger(10, size))
      return ("--dim=" + text + ": expected NAME=N").str();
    for (Sizes &each : sizes)
      if (!each.emplace(name.str(), size).second)
        return ("--dim=" + text + ": " + name + " is given twice").str();
  }
  return "";
}

/// The database and the log next to it, which may not be there yet, with what
/// is merged.
static llvm::Expected<std::pair<TuningDatabase, SearchLog>>
loadAll(const Settings &flags, const Target &target) {
  TuningDatabase database;
  SearchLog log;
  database.name = flags.database;
  database.target = target.name.str();
  auto load = [&](auto &into, StringRef path) -> llvm::Error {
    auto loaded = std::decay_t<decltype(into)>::load(path);
    if (!loaded)
      return loaded.takeError();
    into = std::move(*loaded);
    return llvm::Error::success();
  };
  auto checkTarget = [&](const TuningDatabase &one) -> llvm::Error {
    if (one.target == target.name)
      return llvm::Error::success();
    return llvm::createStringError("tuning database " + one.name + " is for " +
                                   one.target + ", and --target is " +
                                   target.name + "; each chip has its own");
  };
  if (llvm::sys::fs::exists(flags.database)) {
    if (llvm::Error error = load(database, flags.database))
      return error;
    if (llvm::Error error = checkTarget(database))
      return error;
  }
  std::string logPath = Search::getLogPath(flags.database);
  if (llvm::sys::fs::exists(logPath))
    if (llvm::Error error = load(log, logPath))
      return error;
  for (const std::string &path : flags.merged) {
    TuningDatabase other;
    if (llvm::Error error = load(other, path))
      return error;
    if (llvm::Error error = checkTarget(other))
      return error;
    for (const std::string &change : database.merge(other))
      llvm::outs() << change << "\n";
  }
  return std::pair(std::move(database), std::move(log));
}

/// The GPU of --device; null for the cycle model, and where there is a problem.
static std::unique_ptr<rt::Device> openDevice(StringRef name,
                                              std::string &problem) {
  if (name == "cycle-model")
    return nullptr;
  if (name != "hip" && name != "cuda") {
    problem =
        ("--device=" + name + ": expected cycle-model, hip or cuda").str();
    return nullptr;
  }
  auto device = name == "hip" ? rt::openHipDevice() : rt::openCudaDevice();
  if (device)
    return std::move(*device);
  problem = ("--device=" + name + ": " + device.error()).str();
  return nullptr;
}

static int write(StringRef path, const TuningDatabase &database) {
  llvm::Error error = writeOutput(path, database.print());
  if (!error)
    return 0;
  llvm::errs() << "te-tune: error: " << llvm::toString(std::move(error))
               << "\n";
  return kFailed;
}

/// Parses and tunes one file.
static LogicalResult tuneFile(const std::string &path, MLIRContext &context,
                              Search &search) {
  std::string message;
  auto file = openInputFile(path, &message);
  if (!file) {
    llvm::errs() << "te-tune: error: " << message << "\n";
    return failure();
  }
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler diagnostics(*sources, &context);
  OwningOpRef<ModuleOp> module = parseModule(sources, context);
  if (!module)
    return failure();
  unsigned before = search.getRegions();
  if (failed(search.tune(*module)))
    return failure();
  if (search.getRegions() == before)
    llvm::errs() << "te-tune: " << path
                 << ": no region whose schedule is open; nothing to tune\n";
  return success();
}

int mlir::te::teTuneMain(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  handleSystemErrors("te-tune", kFailed);
  removeLibraryFlags();
  Flags commandLine;
  cl::HideUnrelatedOptions(commandLine.category);
  if (!cl::ParseCommandLineOptions(
          argc, argv, "searches the schedules of regions in the cycle model\n",
          &llvm::errs()))
    return kUsageError;
  Settings flags = commandLine.get();
  std::string problem;
  std::unique_ptr<rt::Device> device = openDevice(flags.device, problem);
  if (!problem.empty())
    return usageError(problem);
  if (flags.target.empty() && device)
    flags.target = device->getChip();
  if (flags.target.empty() || flags.database.empty())
    return usageError("--target=CHIP and --tuning-db=FILE are needed");
  if (flags.files.empty() && flags.merged.empty())
    return usageError("nothing to do: name files to tune, or --merge=FILE");
  auto target = Target::get(flags.target);
  if (!target)
    return usageError(llvm::toString(target.takeError()));
  if (!device && !flags.files.empty() && !Timing::lookup((*target)->name))
    return usageError("the cycle model does not know " + (*target)->name +
                      "; tune for gfx942 or gfx950, or on a GPU (--device)");
  if (device)
    if (rt::Status status = device->checkTarget((*target)->name.str()); !status)
      return usageError(status.error());
  ScheduleOptions schedules;
  if (!flags.variants.empty()) {
    auto ends = parseVariants(flags.variants);
    if (!ends)
      return usageError(llvm::toString(ends.takeError()));
    schedules.ranges = std::move(*ends);
  }
  Budget budget;
  if (!flags.budget.empty() && !parseBudget(flags.budget, budget))
    return usageError(
        "--budget=" + flags.budget +
        ": expected seconds, as in 60s, or a number of schedules");
  std::vector<Sizes> sizes;
  if (std::string wrong = readSizes(flags, sizes); !wrong.empty())
    return usageError(wrong);

  auto loaded = loadAll(flags, **target);
  if (!loaded) {
    llvm::errs() << "te-tune: error: " << llvm::toString(loaded.takeError())
                 << "\n";
    return kFailed;
  }
  auto &[database, log] = *loaded;
  if (flags.files.empty())
    return write(flags.database, database);
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  Meter meter(**target, std::move(device));
  Search search(database, log, flags.database, **target, meter, sizes, budget,
                schedules, flags.records, flags.explains);
  for (const std::string &path : flags.files)
    if (failed(tuneFile(path, context, search)))
      return kFailed;
  if (std::string name = search.getUnusedName(); !name.empty())
    return usageError("no function has a dimension " + name);
  return 0;
}
