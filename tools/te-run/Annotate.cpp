//===- Annotate.cpp - te-run: --annotate -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel's disassembly, block after block, with what the emulator counted of
// each instruction. A figure that an instruction cannot have is left blank.
//
//===----------------------------------------------------------------------===//
#include "Session.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::te;
using llvm::formatv;

static std::string formatShare(uint64_t part, uint64_t whole) {
  return whole ? formatv("{0:f1}%", 100.0 * part / whole).str() : "";
}

/// A count, or nothing for 0.
static std::string formatCount(uint64_t count) {
  return count ? std::to_string(count) : "";
}

/// The columns before an instruction's address, or of a block's.
static void printCounts(llvm::raw_ostream &os,
                        const emu::InstructionCounts &counts, uint64_t all) {
  os << formatv("{0,6} {1,11} {2,6} {3,12} {4,12} {5,12} {6,12} {7,10}",
                formatShare(counts.executions, all), counts.executions,
                formatShare(counts.lanes, counts.mostLanes),
                formatCount(counts.globalBytes), formatCount(counts.lineBytes),
                formatCount(counts.l2Bytes), formatCount(counts.ldsBytes),
                formatCount(counts.ldsConflictCycles));
}

static void printBlock(llvm::raw_ostream &os,
                       ArrayRef<emu::ProfiledInstruction> block, uint64_t all) {
  emu::InstructionCounts sum;
  for (const emu::ProfiledInstruction &instruction : block)
    sum += instruction.counts;
  printCounts(os, sum, all);
  os << formatv("  block {0:x-}: {1} instructions, entered {2} times",
                block.front().pc, block.size(),
                block.front().counts.executions);
  if (sum.mfmaPasses)
    os << ", " << sum.mfmaPasses << " MFMA passes";
  os << "\n";
  StringRef source;
  for (const emu::ProfiledInstruction &instruction : block) {
    printCounts(os, instruction.counts, all);
    os << formatv("  {0,6:x-}  {1}", instruction.pc, instruction.text);
    if (!instruction.source.empty() && instruction.source != source)
      os << "  ; " << instruction.source;
    source = instruction.source;
    os << "\n";
  }
}

static void printKernel(llvm::raw_ostream &os, StringRef name,
                        unsigned launches, const emu::LaunchStats &stats) {
  os << formatv("kernel {0}: {1} launches, {2} workgroups, {3} waves, {4} "
                "wave-instructions\n",
                name, launches, stats.workgroups, stats.waves,
                stats.instructions);
  os << formatv("{0,6} {1,11} {2,6} {3,12} {4,12} {5,12} {6,12} {7,10}\n",
                "share", "executions", "lanes", "global B", "64-B lines",
                "L2 B", "LDS B", "conflicts");
  ArrayRef<emu::ProfiledInstruction> rest = stats.profile;
  while (!rest.empty()) {
    auto block = emu::takeBlock(rest);
    printBlock(os, block, stats.instructions);
    rest = rest.drop_front(block.size());
  }
}

void mlir::te::printAnnotated(llvm::raw_ostream &os,
                              ArrayRef<EmulatedLaunch> launches) {
  std::vector<std::string> order;
  std::map<std::string, std::pair<unsigned, emu::LaunchStats>> kernels;
  for (const EmulatedLaunch &launch : launches) {
    auto [found, isNew] =
        kernels.try_emplace(launch.kernel.name, 1, launch.stats);
    if (isNew) {
      order.push_back(launch.kernel.name);
      continue;
    }
    ++found->second.first;
    found->second.second += launch.stats;
  }
  for (const std::string &name : order)
    printKernel(os, name, kernels[name].first, kernels[name].second);
}
