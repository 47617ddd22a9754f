//===- Session.cpp - te-run: running and judging -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Session.h"

#include "te/Driver/Compare.h"
#include "te/Driver/Signature.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::te;

bool Session::fail(ExitCode code, const llvm::Twine &message) {
  llvm::errs() << "te-run: error: " << message << "\n";
  exitCode = code;
  return false;
}

Session::ExitCode Session::run() {
  ExitCode code = runProgram();
  if (!flags.sanitize || flags.list || code == BadInput)
    return code;
  reportDefects();
  return exitCode;
}

Session::ExitCode Session::runProgram() {
  bool needsDevice = !flags.list && flags.save.empty() && flags.results.empty();
  if ((needsDevice && !openDevice()) || !load() || isRaw)
    return exitCode;
  if (flags.list) {
    list();
    return Ok;
  }
  bool isDone = checkDevice() && checkClock() && selectEntry() &&
                readInputs() && makeInputs() &&
                (!needsReference() || runReference()) && runOnDevice() &&
                writeOutputs() && (flags.save.empty() || saveCase());
  if (!isDone)
    return exitCode;
  if (!printFindings())
    return exitCode;
  if (flags.check)
    check();
  return exitCode;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// The poison of both: what a noop flag leaves untouched must be equal.
static constexpr rt::RunOptions kRunOptions;

static std::vector<rt::HostTensor>
getBuffers(ArrayRef<ref::TensorValue> values) {
  std::vector<rt::HostTensor> buffers;
  for (const ref::TensorValue &value : values)
    buffers.insert(buffers.end(), value.buffers.begin(), value.buffers.end());
  return buffers;
}

bool Session::runReference() {
  ref::InterpreterOptions options;
  options.poison = kRunOptions.poison;
  FailureOr<std::vector<ref::TensorValue>> results;
  seconds = timeSeconds(
      [&] { results = ref::interpret(function, arguments, options); });
  if (failed(results))
    return fail(Failed, "the reference cannot run " + entry.name);
  expected = std::move(*results);
  return true;
}

bool Session::runOnDevice() {
  if (!flags.results.empty())
    return readResults();
  if (!device) {
    outputs = getBuffers(expected);
    return true;
  }
  std::vector<rt::HostTensor> buffers = getBuffers(arguments);
  rt::Status status;
  seconds = timeSeconds([&] {
    rt::RunOptions options = kRunOptions;
    options.hasContents = !flags.sample;
    status = program->run(*device, entry, dims, buffers, outputs, options);
  });
  if (!status)
    return fail(Failed, flags.file + ": " + entry.name + " on " +
                            device->getName() + ": " + status.error());
  hasRun = true;
  return true;
}

bool Session::writeOutputs() {
  if (flags.outputs.size() > outputs.size())
    return fail(BadInput, llvm::Twine(flags.outputs.size()) +
                              " --output flags, but entry " + entry.name +
                              " has " + llvm::Twine(outputs.size()) +
                              " result buffers; see --list");
  for (auto [path, tensor] : llvm::zip(flags.outputs, outputs))
    if (auto status = rt::writeNpy(path == "-" ? "/dev/stdout" : path, tensor);
        !status)
      return fail(Failed, status.error());
  return true;
}

bool Session::check() {
  auto comparisons = compareResults(function, entry, outputs, expected);
  if (!comparisons)
    return fail(Failed, comparisons.error());
  llvm::outs() << rt::formatComparisons(*comparisons);
  if (!rt::isPass(*comparisons))
    exitCode = Failed;
  return exitCode == Ok;
}

//===----------------------------------------------------------------------===//
// --sanitize
//===----------------------------------------------------------------------===//

/// One report for each place, then how many there are.
void Session::reportDefects() {
  auto reports = sanitizer.getReports();
  if (reports.empty() && !hasRun) {
    llvm::errs() << "te-run: sanitizer: no verdict: the run did not end\n";
    return;
  }
  for (const emu::SanitizerReport &report : reports) {
    llvm::errs() << "te-run: sanitizer: ";
    report.print(llvm::errs());
  }
  if (!reports.empty())
    exitCode = Failed;
  llvm::errs() << "te-run: sanitizer: "
               << (reports.empty()
                       ? "no defect found\n"
                       : llvm::formatv("{0} defect{1} found\n", reports.size(),
                                       reports.size() == 1 ? "" : "s")
                             .str());
}

//===----------------------------------------------------------------------===//
// --list
//===----------------------------------------------------------------------===//

void mlir::te::listMissing(llvm::raw_ostream &os, const emu::CodeObject &object,
                           const emu::KernelInfo &kernel) {
  auto missing = object.countMissing(kernel);
  if (!missing) {
    os << "  " << llvm::toString(missing.takeError()) << "\n";
    return;
  }
  for (auto &[name, count] : *missing)
    os << "  the emulator cannot run " << name << " (" << count
       << " in the kernel's code)\n";
  auto all = object.countMnemonics(kernel);
  if (all && all->count("s_swappc_b64"))
    os << "  it calls functions: those that it knows by pointers in memory "
          "only are not looked at\n";
  llvm::consumeError(all.takeError());
}

void Session::list() const {
  llvm::raw_ostream &os = llvm::outs();
  if (!program) {
    for (auto candidate : module.get().getOps<func::FuncOp>())
      if (auto signature = getSignature(candidate); succeeded(signature))
        os << rt::describe(*signature);
    return;
  }
  const rt::Manifest &manifest = program->getManifest();
  os << "target " << manifest.target << ", made by " << manifest.producer
     << "\n";
  for (const rt::Entry &candidate : manifest.entries)
    os << rt::describe(candidate);
  std::span<const uint8_t> image = program->getImage();
  auto object = emu::CodeObject::load({image.data(), image.size()}, flags.file);
  for (const rt::Kernel &kernel : manifest.kernels) {
    os << rt::describe(kernel);
    const emu::KernelInfo *info =
        object ? (*object)->findKernel(kernel.name) : nullptr;
    if (info)
      listMissing(os, **object, *info);
  }
  llvm::consumeError(object.takeError());
}
