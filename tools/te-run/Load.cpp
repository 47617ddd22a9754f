//===- Load.cpp - te-run: the program and the device -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Session.h"

#include "te/Driver/CommandLine.h"
#include "te/Driver/Compile.h"
#include "te/Driver/Profiler.h"
#include "te/Driver/Signature.h"
#include "te/Runtime/Gpu.h"
#include "te/Runtime/Npy.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"

#include <chrono>

using namespace mlir;
using namespace mlir::te;

static constexpr const char *kDefaultTarget = "gfx950";

bool Session::load() {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(flags.file);
  if (!buffer)
    return fail(BadInput,
                flags.file + ": cannot open: " + buffer.getError().message());
  StringRef text = (*buffer)->getBuffer();
  std::vector<uint8_t> image(text.bytes_begin(), text.bytes_end());
  bool isCompiled = rt::isElf(image) || rt::isPtx(image);
  for (auto &[name, value] :
       {std::pair("tuning-db", flags.tuningDb), {"variants", flags.variants}})
    if (isCompiled && !value.empty())
      return fail(BadInput, flags.file + ": it is compiled; --" + name +
                                " is for .mlir, or for te-compile");
  if (isCompiled)
    return loadCodeObject(std::move(image)) &&
           (!needsReference() ||
            parseSource(program->getManifest().source,
                        flags.file + ": source in the manifest"));
  if (!flags.launches.empty())
    return fail(BadInput, flags.file + ": --kernel runs a code object (HSACO), "
                                       "and this is none");
  if (text.contains('\0') && !text.starts_with("ML\xEFR"))
    return fail(BadInput, flags.file + ": neither MLIR (text or bytecode) nor "
                                       "a code object (HSACO)");
  return parseSource(text, flags.file) &&
         (flags.device == DeviceKind::Reference || compile());
}

/// A sound code object that te-mlir did not make.
static bool isForeignCodeObject(ArrayRef<uint8_t> image) {
  if (rt::findElfSection(image, ".te.manifest"))
    return false;
  auto object = emu::CodeObject::load(image, "");
  bool isSound = bool(object);
  llvm::consumeError(object.takeError());
  return isSound;
}

bool Session::loadCodeObject(std::vector<uint8_t> image) {
  bool isForeign = isForeignCodeObject(image);
  isRaw = !flags.launches.empty() || (flags.list && isForeign);
  if (isRaw)
    return flags.list ? listRaw(image) : runRaw(image);
  if (isForeign)
    return fail(BadInput, flags.file +
                              ": a code object without te-mlir's manifest; "
                              "run one of its kernels with --kernel=NAME (see "
                              "--list)");
  auto loaded = rt::Program::create(std::move(image));
  if (!loaded)
    return fail(BadInput, flags.file + ": " + loaded.error());
  program = std::move(*loaded);
  const std::string &target = program->getManifest().target;
  if (!flags.target.empty() && flags.target != target)
    return fail(BadInput, flags.file + ": compiled for " + target +
                              ", but --target=" + flags.target +
                              " is given; drop it or compile again");
  return true;
}

/// Compiles for --target, else for the device, else for kDefaultTarget.
bool Session::compile() {
  std::string chip = flags.target;
  if (chip.empty() && device)
    chip = device->getChip();
  if (chip.empty())
    chip = kDefaultTarget;
  auto target = Target::get(chip);
  if (!target)
    return fail(BadInput, llvm::toString(target.takeError()));
  CompileOptions options;
  options.target = *target;
  options.schedules.tuningDb = flags.tuningDb;
  if (!flags.variants.empty()) {
    auto ends = parseVariants(flags.variants);
    if (!ends)
      return fail(BadInput, llvm::toString(ends.takeError()));
    options.schedules.ranges = std::move(*ends);
  }
  options.lineTables = flags.sanitize || flags.annotate || isProfiled();
  // compile() lowers the module in place, and the reference needs it as it is.
  OwningOpRef<ModuleOp> lowered(module->clone());
  auto artifact = te::compile(*lowered, options);
  if (failed(artifact)) {
    exitCode = BadInput; // the compiler has said why
    return false;
  }
  StringRef image = artifact->binary;
  return loadCodeObject({image.bytes_begin(), image.bytes_end()});
}

bool Session::parseSource(StringRef text, StringRef name) {
  sources->AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name),
                              SMLoc());
  module = parseModule(sources, context);
  if (module)
    return true;
  exitCode = BadInput; // the parser has said why
  return false;
}

static std::string joinNames(ArrayRef<std::string> names) {
  return names.empty() ? "none" : llvm::join(names, ", ");
}

bool Session::selectEntry() {
  std::vector<std::string> names;
  if (program) {
    for (const rt::Entry &candidate : program->getManifest().entries)
      names.push_back(candidate.name);
  } else {
    for (auto candidate : module->getOps<func::FuncOp>())
      if (candidate.isPublic() && !candidate.isExternal())
        names.push_back(candidate.getName().str());
  }
  if (flags.entry.empty() && names.size() != 1)
    return fail(BadInput, flags.file + ": " + llvm::Twine(names.size()) +
                              " entries (" + joinNames(names) +
                              "); choose one with --entry=NAME");
  entry.name = flags.entry.empty() ? names[0] : flags.entry;
  if (!llvm::is_contained(names, entry.name))
    return fail(BadInput, flags.file + ": no entry " + entry.name +
                              "; there are: " + joinNames(names));
  if (program)
    entry = *program->getManifest().findEntry(entry.name);
  return !module || findFunction();
}

/// The entry's function in the source, and its signature where no manifest has
/// one.
bool Session::findFunction() {
  function = module->lookupSymbol<func::FuncOp>(entry.name);
  if (!function || function.isExternal())
    return fail(BadInput, flags.file +
                              ": the source in the manifest has no "
                              "function " +
                              entry.name);
  if (program)
    return true;
  auto signature = getSignature(function);
  if (failed(signature)) {
    exitCode = BadInput;
    return false;
  }
  entry = std::move(*signature);
  return true;
}

/// Reports launches that last longer than two seconds, where a person watches.
static EmulatorDevice::Progress makeProgress() {
  if (!llvm::sys::Process::StandardErrIsDisplayed())
    return nullptr;
  auto start = std::chrono::steady_clock::now();
  return [start](StringRef kernel, double share) {
    if (std::chrono::steady_clock::now() - start < std::chrono::seconds(2))
      return;
    llvm::errs() << "\r" << kernel << ": " << int(100 * share) << " %"
                 << (share >= 1 ? "\n" : "");
  };
}

namespace {
/// A kind of GPU.
struct Backend {
  DeviceKind kind;
  rt::Result<std::unique_ptr<rt::Device>> (*open)();
};
} // namespace

static constexpr Backend kBackends[] = {
    {DeviceKind::Hip, [] { return rt::openHipDevice(); }},
    {DeviceKind::Cuda, [] { return rt::openCudaDevice(); }},
};

/// Opens the device that the flags ask for; where they leave it open, a GPU if
/// there is one.
bool Session::openDevice() {
  if (flags.device == DeviceKind::Reference)
    return true;
  for (const Backend &backend : kBackends) {
    bool isAsked = flags.device == backend.kind;
    if (device || (!isAsked && flags.device != DeviceKind::Any))
      continue;
    auto opened = backend.open();
    if (opened)
      device = std::move(*opened);
    else if (isAsked)
      return fail(Failed, opened.error());
  }
  if (!device)
    useEmulator();
  return true;
}

void Session::useEmulator() {
  auto emulated = std::make_unique<EmulatorDevice>(
      makeProgress(), flags.sanitize ? &sanitizer : nullptr);
  emulator = emulated.get();
  emulator->setMaxInstructions(flags.maxInstructions);
  if (flags.stats != StatsKind::None || flags.annotate)
    emulator->setProfiling();
  if (isProfiled())
    emulator->setRecording([&](StringRef chip, const emu::KernelInfo &kernel,
                               const emu::LaunchConfig &config,
                               ArrayRef<uint64_t> work) {
      emu::TraceRequest request = chooseRecorded(chip, kernel, config, work);
      request.isSample = flags.sample && !request.workgroups.empty();
      return request;
    });
  device = std::move(emulated);
}

/// Leaves a GPU that was not asked for, and that the program is not for.
bool Session::checkDevice() {
  if (!device)
    return true;
  auto status = device->checkTarget(program->getManifest().target);
  if (status)
    return true;
  if (isGpuWanted())
    return fail(Failed, status.error());
  useEmulator();
  return true;
}
