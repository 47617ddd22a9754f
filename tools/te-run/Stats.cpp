//===- Stats.cpp - te-run: --stats -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every figure says how it was obtained: counted in the emulated run, timed on
// the host, read from the code object, or computed from shapes.
//
//===----------------------------------------------------------------------===//
#include "Session.h"

#include "te/Driver/Compile.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::te;

static constexpr const char *kCounted = "emulated count";
static constexpr const char *kTimed = "host wall time";
static constexpr const char *kDeclared = "code object metadata";
static constexpr const char *kComputed = "from the shapes";

namespace {
/// A figure, its unit, and where it comes from.
struct Figure {
  const char *key, *label;
  double value;
  const char *unit, *how;
};
} // namespace

static std::vector<Figure> getFigures(const emu::LaunchStats &stats) {
  double moved = double(stats.globalLoadBytes) + stats.globalStoreBytes +
                 stats.globalAtomicBytes;
  double lines = double(stats.globalLoadLineBytes) + stats.globalStoreLineBytes;
  double wide =
      double(stats.globalLoadWideLineBytes) + stats.globalStoreWideLineBytes;
  double l2 =
      double(stats.l2LoadBytes) + stats.l2StoreBytes + stats.l2AtomicBytes;
  auto valu = stats.byClass.find("valu");
  double most = valu == stats.byClass.end() ? 0 : 64.0 * valu->second;
  auto count = [](const char *key, const char *label, double value,
                  const char *unit) {
    return Figure{key, label, value, unit, kCounted};
  };
  return {
      count("workgroups", "workgroups", stats.workgroups, ""),
      count("waves", "waves", stats.waves, ""),
      count("instructions", "wave-instructions", stats.instructions, ""),
      count("valu_lane_share", "active lanes of VALU, of 1",
            most > 0 ? stats.valuLanes / most : 1, ""),
      count("mfma_passes", "MFMA passes (4 cycles)", stats.mfmaPasses, ""),
      count("global_bytes", "global memory moved", moved, "bytes"),
      count("global_line_bytes", "  in whole 64-byte lines", lines, "bytes"),
      count("global_wide_line_bytes", "  in whole 128-byte lines", wide,
            "bytes"),
      count("l2_bytes", "asked of L2 (model)", l2, "bytes"),
      count("lds_conflict_cycles", "LDS bank conflicts",
            stats.ldsConflictCycles, "cycles"),
      count("scratch_accesses", "scratch accesses (spills)",
            stats.scratchAccesses, "wave-instructions"),
      {"seconds", "time in the emulator", stats.seconds, "s", kTimed},
      {"million_instructions_per_second", "emulator speed",
       stats.seconds > 0 ? stats.instructions / stats.seconds / 1e6 : 0,
       "M wave-instructions/s", kTimed},
  };
}

static std::vector<Figure> getFigures(const emu::KernelInfo &kernel) {
  auto read = [](const char *key, const char *label, double value,
                 const char *unit) {
    return Figure{key, label, value, unit, kDeclared};
  };
  return {
      read("vgprs", "VGPR", kernel.vgprs, "a lane"),
      read("agprs", "AGPR", kernel.agprs, "a lane"),
      read("sgprs", "SGPR", kernel.sgprs, "a wave"),
      read("vgpr_spills", "VGPR spills", kernel.vgprSpills, ""),
      read("sgpr_spills", "SGPR spills", kernel.sgprSpills, ""),
      read("lds_bytes", "LDS", kernel.ldsBytes, "bytes a workgroup"),
      read("scratch_bytes", "scratch", kernel.scratchBytes, "bytes a lane"),
  };
}

static double sumBytes(ArrayRef<rt::HostTensor> tensors) {
  double bytes = 0;
  for (const rt::HostTensor &tensor : tensors)
    bytes += tensor.bytes.size();
  return bytes;
}

/// The program as a whole: the least bytes are each argument and each result
/// once.
static std::vector<Figure> getTotals(ArrayRef<ref::TensorValue> arguments,
                                     ArrayRef<rt::HostTensor> outputs,
                                     const EmulatorDevice *emulator,
                                     double seconds) {
  double least = sumBytes(outputs);
  for (const ref::TensorValue &argument : arguments)
    least += sumBytes(argument.buffers);
  std::vector<Figure> figures = {
      {"least_bytes", "least possible bytes", least, "bytes", kComputed},
      {"run_seconds", "whole run, with copies", seconds, "s", kTimed}};
  if (!emulator)
    return figures;
  emu::LaunchStats total;
  for (const EmulatedLaunch &launch : emulator->getLaunches())
    total += launch.stats;
  std::vector<Figure> sums = getFigures(total);
  figures.insert(figures.end(), sums.begin(), sums.end());
  double moved = double(total.globalLoadBytes) + total.globalStoreBytes +
                 total.globalAtomicBytes;
  if (least > 0)
    figures.push_back(
        {"bytes_ratio", "moved / least possible", moved / least, "", kCounted});
  return figures;
}

static void print(llvm::raw_ostream &os, ArrayRef<Figure> figures) {
  for (const Figure &figure : figures)
    os << llvm::formatv("  {0,-28}", figure.label)
       << llvm::format("%16.10g", figure.value)
       << llvm::formatv(" {0,-22} {1}\n", figure.unit, figure.how);
}

static llvm::json::Object toJson(ArrayRef<Figure> figures) {
  llvm::json::Object object;
  for (const Figure &figure : figures)
    object[figure.key] = llvm::json::Object{
        {"value", figure.value}, {"unit", figure.unit}, {"how", figure.how}};
  return object;
}

llvm::json::Object Session::getStats() const {
  llvm::json::Object sizes;
  for (auto [name, size] : llvm::zip_equal(entry.dims, dims))
    sizes[name] = size;
  llvm::json::Array launches;
  if (emulator)
    for (const EmulatedLaunch &launch : emulator->getLaunches())
      launches.push_back(
          llvm::json::Object{{"kernel", launch.kernel.name},
                             {"resources", toJson(getFigures(launch.kernel))},
                             {"launch", toJson(getFigures(launch.stats))},
                             {"counts", launch.stats.toJSON()}});
  llvm::json::Object stats{
      {"entry", entry.name},
      {"device", device ? device->getName() : "reference"},
      {"target", program ? program->getManifest().target : chip},
      {"dims", std::move(sizes)},
      {"total", toJson(getTotals(arguments, outputs, emulator, seconds))},
      {"launches", std::move(launches)}};
  if (flags.sanitize) {
    llvm::json::Array defects;
    for (const emu::SanitizerReport &report : sanitizer.getReports())
      defects.push_back(report.toJSON());
    stats["defects"] = std::move(defects);
  }
  return stats;
}

/// What --stats, --annotate and --profile ask for.
bool Session::printFindings() {
  if (flags.stats != StatsKind::None)
    printStats();
  if (isProfiled()) {
    makeProfiles();
    if (!printProfiles())
      return false;
  }
  if (!flags.annotate)
    return true;
  std::string text;
  llvm::raw_string_ostream os(text);
  printAnnotated(os, emulator->getLaunches());
  if (llvm::Error error =
          writeOutput(flags.annotate->empty() ? "-" : *flags.annotate, text))
    return fail(BadInput, "--annotate=" + llvm::toString(std::move(error)));
  return true;
}

void Session::printStats() const {
  llvm::raw_ostream &os = llvm::outs();
  if (flags.stats == StatsKind::Json) {
    os << llvm::formatv("{0:2}\n", llvm::json::Value(getStats()));
    return;
  }
  os << entry.name << " on " << (device ? device->getName() : "reference");
  for (auto [name, size] : llvm::zip_equal(entry.dims, dims))
    os << ", " << name << " = " << size;
  os << "\n";
  if (emulator)
    for (const EmulatedLaunch &launch : emulator->getLaunches()) {
      os << "kernel " << launch.kernel.name << "\n";
      print(os, getFigures(launch.kernel));
      print(os, getFigures(launch.stats));
      for (auto &[name, count] : launch.stats.byClass)
        if (count)
          print(os, {Figure{"", ("  " + name).c_str(), double(count),
                            "wave-instructions", kCounted}});
    }
  os << "total\n";
  print(os, getTotals(arguments, outputs, emulator, seconds));
}
