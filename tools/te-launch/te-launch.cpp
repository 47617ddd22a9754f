//===- te-launch.cpp - runs and times compiled programs -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// te-launch ARTEFACT --device=cuda|hip: runs a program on a GPU, compares its
// results with files, and times it. Needs the runtime library and nothing else.
//
//===----------------------------------------------------------------------===//
#include "Run.h"
#include "te/Runtime/File.h"
#include "te/Runtime/Gpu.h"
#include "te/Runtime/Npy.h"
#include "te/Runtime/Text.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>

using namespace mlir::te;
using namespace mlir::te::rt;
using nlohmann::ordered_json;

namespace {
enum ExitCode { Ok = 0, Failed = 1, BadInput = 2 };
} // namespace

static int fail(ExitCode code, const std::string &message) {
  std::fprintf(stderr, "te-launch: error: %s\n", message.c_str());
  return code;
}

//===----------------------------------------------------------------------===//
// What is printed of a run
//===----------------------------------------------------------------------===//

static std::string formatReport(const Report &report, const Device &device) {
  std::string text = report.entry + " on " + device.getName();
  for (const auto &[name, size] : report.dims)
    text += ", " + name + " = " + std::to_string(size);
  text += "\n";
  if (!report.times.seconds.empty())
    text += printText(
        "  %.3f us (median of %zu; least %.3f us), %zu sets of buffers, "
        "cycled\n  %.3f GB/s: %llu bytes, the least possible, in that time\n",
        report.times.getMedian() * 1e6, report.times.seconds.size(),
        report.times.getLeast() * 1e6, report.times.sets,
        report.leastBytes / report.times.getMedian() * 1e-9,
        (unsigned long long)report.leastBytes);
  if (!report.comparisons.empty())
    text += formatComparisons(report.comparisons);
  return text;
}

static ordered_json toJson(const Comparison &comparison) {
  return {{"name", comparison.name},
          {"type", getInfo(comparison.type).name},
          {"shape", comparison.shape},
          {"rule", format(comparison.tolerance)},
          {"elements", comparison.elements},
          {"unspecified", comparison.unspecified},
          {"differences", comparison.differences},
          {"outliers", comparison.outliers},
          {"mismatches", comparison.mismatches},
          {"max_abs", comparison.worstAbsolute},
          {"max_rel", comparison.worstRelative},
          {"max_ulp", comparison.worstUlps},
          {"first_mismatch", comparison.firstMismatch}};
}

static ordered_json toJson(const Report &report, const Device &device) {
  ordered_json object = {{"file", report.file},
                         {"entry", report.entry},
                         {"device", device.getName()},
                         {"dims", report.dims},
                         {"least_bytes", report.leastBytes}};
  if (!report.times.seconds.empty()) {
    object["median_seconds"] = report.times.getMedian();
    object["least_seconds"] = report.times.getLeast();
    object["runs"] = report.times.seconds.size();
    object["sets"] = report.times.sets;
  }
  if (!report.comparisons.empty()) {
    object["verdict"] = isPass(report.comparisons) ? "PASS" : "FAIL";
    for (const Comparison &comparison : report.comparisons)
      object["results"].push_back(toJson(comparison));
  }
  return object;
}

/// Text that may not be UTF-8 (a file's name, a driver's message) must not stop
/// the printing.
static void printLine(const ordered_json &object) {
  std::string text =
      object.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

static int runOne(Runner &runner, const Flags &flags, const Device &device) {
  auto report = runner.run(flags);
  if (!report) {
    if (flags.isJson)
      printLine({{"file", flags.file},
                 {"verdict", "ERROR"},
                 {"error", report.error()}});
    return fail(Failed, report.error());
  }
  if (flags.isJson)
    printLine(toJson(*report, device));
  else
    std::printf("%s", formatReport(*report, device).c_str());
  return isPass(report->comparisons) ? Ok : Failed;
}

/// The runs of a batch, all of them read before the first one starts.
static Result<std::vector<Flags>> readBatch(const Flags &base) {
  auto contents = readFile(base.batch);
  if (!contents)
    return contents.takeFailure();
  std::string text(contents->begin(), contents->end());
  std::vector<Flags> runs;
  size_t number = 0;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    std::vector<std::string> words = splitLine(text.substr(at, end - at));
    at = end + 1;
    ++number;
    if (words.empty() || words[0].starts_with("#"))
      continue;
    auto flags = readFlags(words, base);
    std::string place = base.batch + ":" + std::to_string(number) + ": ";
    if (!flags)
      return Failure{place + flags.error()};
    if (flags->file.empty() || flags->batch != base.batch ||
        flags->device != base.device)
      return Failure{place + "expected an artefact, and flags of one run; "
                             "--batch and --device belong to the command line"};
    runs.push_back(std::move(*flags));
  }
  return runs;
}

static Result<std::unique_ptr<Device>> openDevice(const std::string &kind) {
  return kind == "cuda" ? openCudaDevice() : openHipDevice();
}

static int list(const std::string &file) {
  auto image = readFile(file);
  if (!image)
    return fail(BadInput, image.error());
  auto manifest = Manifest::read(*image);
  if (!manifest)
    return fail(BadInput, file + ": " + manifest.error());
  std::printf("target %s, made by %s\n", manifest->target.c_str(),
              manifest->producer.c_str());
  for (const Entry &entry : manifest->entries)
    std::printf("%s", describe(entry).c_str());
  for (const Kernel &kernel : manifest->kernels)
    std::printf("%s", describe(kernel).c_str());
  return Ok;
}

static int runMain(int argc, char **argv) {
  auto flags = readFlags({argv + 1, argv + argc});
  if (!flags)
    return fail(BadInput, flags.error());
  if (flags->isHelp) {
    std::printf("%s", getHelp().c_str());
    return Ok;
  }
  if (flags->file.empty() == flags->batch.empty())
    return fail(BadInput, "expected an artefact, or --batch=FILE; see --help");
  if (flags->isList)
    return flags->batch.empty()
               ? list(flags->file)
               : fail(BadInput, "--list shows one artefact, not a batch");
  if (flags->device.empty())
    return fail(BadInput, "where to run? Give --device=cuda or --device=hip");
  std::vector<Flags> runs = {*flags};
  if (!flags->batch.empty()) {
    auto batch = readBatch(*flags);
    if (!batch)
      return fail(BadInput, batch.error());
    runs = std::move(*batch);
  }
  auto device = openDevice(flags->device);
  if (!device)
    return fail(Failed, device.error());
  Runner runner(**device);
  int code = Ok;
  for (const Flags &run : runs)
    code = std::max(code, runOne(runner, run, **device));
  return code;
}

/// There is no memory for more.
[[noreturn]] static void endWithoutMemory() {
  std::fputs("te-launch: error: out of memory\n", stderr);
  std::_Exit(BadInput);
}

int main(int argc, char **argv) {
  std::set_new_handler(endWithoutMemory);
  int code = runMain(argc, argv);
  if (std::fflush(stdout) == 0 && !std::ferror(stdout))
    return code;
  return fail(Failed, std::string("cannot write the standard output: ") +
                          std::strerror(errno));
}
