//===- Report.cpp - what --stats and --explain print ----------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Static figures of compiled kernels: registers, LDS and spills from the code
// object's metadata or ptxas, the instruction mix from the disassembly or PTX,
// bytes of a tile from the tile level.
//
//===----------------------------------------------------------------------===//

#include "te/Driver/Report.h"
#include "PTX.h"
#include "te/Emulator/Emulator.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir::te;
namespace json = llvm::json;

namespace {
/// The classes of the instruction mix, by the start of the mnemonic; first
/// match.
using Classes = llvm::ArrayRef<std::pair<llvm::StringRef, llvm::StringRef>>;
constexpr std::pair<llvm::StringRef, llvm::StringRef> kAMDClasses[] = {
    {"v_mfma", "mfma"},      {"v_smfmac", "mfma"},   {"v_", "valu"},
    {"s_load", "smem"},      {"s_buffer", "smem"},   {"s_store", "smem"},
    {"s_cbranch", "branch"}, {"s_branch", "branch"}, {"s_waitcnt", "other"},
    {"s_barrier", "other"},  {"s_endpgm", "other"},  {"s_nop", "other"},
    {"s_", "salu"},          {"ds_", "lds"},         {"scratch_", "scratch"},
    {"global_", "vmem"},     {"buffer_", "vmem"},    {"flat_", "vmem"}};
constexpr std::pair<llvm::StringRef, llvm::StringRef> kPTXClasses[] = {
    {"ld.param", "smem"}, {"ld.const", "smem"},    {"ld.shared", "lds"},
    {"st.shared", "lds"}, {"ld.local", "scratch"}, {"st.local", "scratch"},
    {"ld.", "vmem"},      {"st.", "vmem"},         {"atom.", "vmem"},
    {"red.", "vmem"},     {"bra", "branch"},       {"bar", "other"},
    {"ret", "other"},     {"mov", "other"},        {"", "valu"}};
} // namespace

static llvm::StringRef classify(llvm::StringRef mnemonic, Classes classes) {
  for (auto [prefix, name] : classes)
    if (mnemonic.starts_with_insensitive(prefix))
      return name;
  return "other";
}

/// Static counts of a kernel's instructions: of its machine code, or of PTX.
static llvm::Expected<std::map<std::string, uint64_t>>
countMnemonics(const Artifact &artifact, const Target &target,
               const std::string &kernel) {
  if (target.backend == BackendKind::NVPTX)
    return countInstructions(artifact.binary, kernel);
  auto object = emu::CodeObject::load(
      {reinterpret_cast<const uint8_t *>(artifact.binary.data()),
       artifact.binary.size()},
      "the compiled kernels");
  if (!object)
    return object.takeError();
  return (*object)->countMnemonics(*(*object)->findKernel(kernel));
}

static llvm::Expected<json::Array> collectStats(const Artifact &artifact,
                                                const Target &target) {
  Classes classes(target.backend == BackendKind::NVPTX ? Classes(kPTXClasses)
                                                       : Classes(kAMDClasses));
  auto orNull = [](std::optional<uint32_t> figure) {
    return figure ? json::Value(*figure) : json::Value(nullptr);
  };
  json::Array kernels;
  for (const KernelFigures &kernel : artifact.kernels) {
    auto mnemonics = countMnemonics(artifact, target, kernel.name);
    if (!mnemonics)
      return mnemonics.takeError();
    std::map<std::string, uint64_t> mix;
    uint64_t total = 0;
    for (auto &[mnemonic, count] : *mnemonics) {
      mix[classify(mnemonic, classes).str()] += count;
      total += count;
    }
    json::Object counts;
    for (auto &[name, count] : mix)
      counts[name] = count;
    unsigned waves = llvm::divideCeil(kernel.workgroupSize, target.waveSize);
    std::optional<uint32_t> occupancy;
    if (kernel.vgprs)
      occupancy = target.occupancy(*kernel.vgprs + kernel.agprs.value_or(0),
                                   kernel.ldsBytes, waves);
    json::Object entry{{"kernel", kernel.name},
                       {"vgprs", orNull(kernel.vgprs)},
                       {"agprs", orNull(kernel.agprs)},
                       {"sgprs", orNull(kernel.sgprs)},
                       {"vgpr_spills", orNull(kernel.vgprSpills)},
                       {"sgpr_spills", orNull(kernel.sgprSpills)},
                       {"lds_bytes", kernel.ldsBytes},
                       {"scratch_bytes", orNull(kernel.scratchBytes)},
                       {"waves_per_workgroup", waves},
                       {"occupancy_waves_per_simd", orNull(occupancy)},
                       {"instructions", total},
                       {"instruction_mix", std::move(counts)}};
    for (const TileTraffic &traffic : artifact.traffic)
      if (traffic.kernel == kernel.name && traffic.leastBytes > 0) {
        entry["tile_load_bytes"] = traffic.loadBytes;
        entry["tile_store_bytes"] = traffic.storeBytes;
        entry["tile_least_bytes"] = traffic.leastBytes;
        entry["bytes_over_least"] =
            double(traffic.loadBytes + traffic.storeBytes) / traffic.leastBytes;
      }
    kernels.push_back(std::move(entry));
  }
  return kernels;
}

/// Registers and spills, as far as they are known.
static void printRegisters(llvm::raw_ostream &os, const json::Object &kernel) {
  if (!kernel.getInteger("vgprs")) {
    os << "  VGPR, spills, scratch: unknown without ptxas (--ptxas=PROGRAM)";
    return;
  }
  const std::pair<const char *, const char *> names[] = {
      {"vgprs", "VGPR"}, {"agprs", "AGPR"}, {"sgprs", "SGPR"}};
  for (auto [key, name] : names)
    if (auto count = kernel.getInteger(key))
      os << "  " << name << " " << *count;
  os << "  spills "
     << kernel.getInteger("vgpr_spills").value_or(0) +
            kernel.getInteger("sgpr_spills").value_or(0)
     << "  scratch " << kernel.getInteger("scratch_bytes").value_or(0) << " B";
}

static void printStats(llvm::raw_ostream &os, const json::Array &kernels,
                       const Target &target) {
  os << "kernels for " << target.name
     << (target.backend == BackendKind::NVPTX
             ? " (registers, spills: ptxas; mix: PTX"
             : " (registers, LDS, spills: code object metadata; mix: "
               "disassembly")
     << "; bytes: tile level, one workgroup of whole tiles)\n";
  for (const json::Value &value : kernels) {
    const json::Object &k = *value.getAsObject();
    auto number = [&](llvm::StringRef key) {
      return k.getInteger(key).value_or(0);
    };
    os << *k.getString("kernel") << "\n";
    printRegisters(os, k);
    os << "  LDS " << number("lds_bytes") << " B of "
       << target.ldsBytesPerWorkgroup << "\n  ";
    if (auto occupancy = k.getInteger("occupancy_waves_per_simd"))
      os << "occupancy " << *occupancy << " of " << target.maxWavesPerSIMD
         << " waves a SIMD, ";
    os << number("waves_per_workgroup") << " waves a workgroup\n";
    os << "  " << number("instructions") << " instructions:";
    for (const auto &[name, count] : *k.getObject("instruction_mix"))
      os << " " << llvm::StringRef(name) << " " << *count.getAsInteger();
    os << "\n";
    if (auto ratio = k.getNumber("bytes_over_least"))
      os << "  a tile loads " << number("tile_load_bytes") << " B, stores "
         << number("tile_store_bytes") << " B: " << llvm::format("%.3f", *ratio)
         << " x the least possible\n";
  }
}

static void printExplain(llvm::raw_ostream &os, const json::Array &decisions) {
  for (const json::Value &value : decisions) {
    const json::Object &d = *value.getAsObject();
    const json::Array &tile = *d.getArray("tile");
    os << *d.getString("kernel") << " " << *d.getString("location");
    if (int64_t regions = *d.getInteger("regions"); regions > 1)
      os << ", and " << regions - 1 << " equal to it";
    for (auto [i, range] : llvm::enumerate(*d.getArray("ranges")))
      os << (i ? " and " : ", for ") << *range.getAsString();
    os << "\n";
    os << "  one kernel for";
    for (const json::Value &op : *d.getArray("ops"))
      os << " " << *op.getAsString();
    if (int64_t subkernels = *d.getInteger("subkernels"); subkernels > 1)
      os << ", in " << subkernels << " subkernels";
    os << "\n  schedule by " << *d.getString("chosen_by") << ": tile "
       << *tile[0].getAsInteger() << " x " << *tile[1].getAsInteger() << ", "
       << *d.getInteger("waves") << " waves, "
       << *d.getInteger("elements_per_lane") << " elements a lane; estimated "
       << *d.getInteger("estimated_vgprs") << " VGPRs, at most "
       << *d.getInteger("estimated_lds") << " B of LDS\n";
    os << "  why: " << *d.getString("why") << "\n";
    for (const json::Value &raised : *d.getArray("raised"))
      os << "  raised: " << *raised.getAsString() << "\n";
    for (const json::Value &notFused : *d.getArray("not_fused"))
      os << "  not fused: " << *notFused.getAsString() << "\n";
  }
}

llvm::Error mlir::te::printReports(llvm::raw_ostream &os,
                                   const Artifact &artifact,
                                   const Target &target, ReportFormat stats,
                                   ReportFormat explain) {
  json::Object joined;
  if (explain == ReportFormat::Text)
    printExplain(os, artifact.decisions);
  else if (explain == ReportFormat::JSON)
    joined["explain"] = json::Array(artifact.decisions);
  if (stats != ReportFormat::None) {
    llvm::Expected<json::Array> kernels = collectStats(artifact, target);
    if (!kernels)
      return kernels.takeError();
    if (stats == ReportFormat::Text)
      printStats(os, *kernels, target);
    else
      joined["stats"] = std::move(*kernels);
  }
  if (!joined.empty())
    os << llvm::formatv("{0:2}", json::Value(std::move(joined))) << "\n";
  return llvm::Error::success();
}
