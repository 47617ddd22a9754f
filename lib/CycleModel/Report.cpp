//===- Report.cpp - a profile for people ----------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/CycleModel/CycleModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::te::cycle {

using llvm::formatv;

/// Instructions and lines that the report lists.
static constexpr size_t kListed = 10;
/// Of the waves' time: reasons below are left out (JSON has them).
static constexpr double kLeastShare = 0.0005;

static std::string percent(double share) {
  return formatv("{0:f1} %", 100 * share);
}

static void printTimes(llvm::raw_ostream &os, const Profile &p) {
  os << formatv("  grid               {0,14:f0} clocks = {1:f2} us at {2} GHz "
                "({3})\n",
                p.gridClocks, p.seconds() * 1e6, p.timing.clockGHz,
                p.timing.clockGHz == p.timing.peakGHz
                    ? "the peak clock; matrix load lowers it"
                    : "--clock");
  os << formatv(
      "  draws              {0,14}  of what no launch repeats: {1:f0} "
      "to {2:f0} clocks\n",
      p.draws, p.leastGridClocks, p.mostGridClocks);
  os << formatv("  workgroup          {0,14:f0} clocks, on average\n",
                p.workgroupClocks);
  os << formatv("  batches            {0,14:f2}  ({1} workgroups, {2} CUs, {3} "
                "at a time; {4} of the slots are used)\n",
                p.batches, p.gridWorkgroups, p.target->computeUnits,
                p.residency.workgroups, percent(p.busiestUnit.fill));
  os << formatv(
      "  occupancy          {0,14}  waves a SIMD, limited by {1} ({2} "
      "registers, {3} bytes of LDS)\n",
      p.residency.wavesPerSIMD, p.residency.limit, p.registers, p.ldsBytes);
  os << formatv(
      "  simulated          {0,14}  workgroups, {1} instructions, {2} "
      "clocks\n",
      p.cu.workgroupEnds.size(), p.cu.instructions, p.cu.clocks);
}

static void printShares(llvm::raw_ostream &os, const Profile &p) {
  auto line = [&](const char *what, double share, const std::string &note) {
    os << formatv("  {0,-19}{1,14}{2}{3}\n", what, percent(share),
                  note.empty() ? "" : "  ", note);
  };
  if (p.cu.mfmaClocks) {
    line("MFMA busy, kernel", p.mfmaShare(), "");
    if (p.cu.loopClocks && !p.hasSteadyLoop())
      line("MFMA busy, middle", p.loopMfmaShare(),
           p.cu.loop ? "of each tile: no loop" : "no loop");
    else if (p.cu.loopClocks)
      line("MFMA busy, loop", p.loopMfmaShare(),
           formatv("{0} iterations of {1:f0} clocks", p.cu.loopIterations,
                   double(p.cu.loopClocks) /
                       std::max<uint64_t>(1, p.cu.loopIterations)));
  }
  line("VALU busy", p.valuShare(), "");
  line("LDS busy", p.ldsShare(),
       p.cu.ldsConflictClocks
           ? formatv("{0} bank conflicts",
                     percent(double(p.cu.ldsConflictClocks) / p.cu.clocks))
                 .str()
           : "");
  line("memory bandwidth", p.memoryShare(),
       formatv("{0:f2} of {1:f2} TB/s (achievable)", p.bytesPerSecond() / 1e12,
               p.timing.memoryBandwidth / 1e12));
}

/// What is not modelled is said where it matters.
static void printLimits(llvm::raw_ostream &os, const Profile &p) {
  if (p.exceedsL2())
    os << formatv(
        "  L2                 {0,14:f1}  MiB an XCD, which has {1:f1}: "
        "lines that are read again come from it here\n",
        *p.footprintOfL2() / (1 << 20),
        double(p.timing.l2Capacity) / (1 << 20));
  if (p.loopBytes() > p.timing.instructionCache)
    os << formatv("  loop code          {0,14}  bytes do not fit the "
                  "instruction cache of {1}: fetching them is not modelled\n",
                  p.loopBytes(), p.timing.instructionCache);
}

static void printBusiest(llvm::raw_ostream &os, const Profile &p) {
  Profile::Busiest busiest = p.busiest();
  os << formatv("  busiest unit       {0,14}  {1}\n", percent(busiest.share),
                busiest.unit);
}

static void printRoofline(llvm::raw_ostream &os, const Profile &p) {
  auto at = p.roofline();
  if (!at)
    return;
  os << formatv(
      "  roofline           {0,14:f1}  {1} flops a byte; {2:f1} of {3:f1} "
      "TFLOP/s ({4} bound)\n",
      at->flopsPerByte, at->unit, at->flopsPerSecond / 1e12, at->roof() / 1e12,
      at->isMemoryBound() ? "memory" : at->unit);
}

static void printStalls(llvm::raw_ostream &os, const Profile &p) {
  double all = std::max<uint64_t>(1, p.cu.residentClocks);
  os << "  waves' time\n";
  os << formatv("    {0,-26}{1,8}\n", "issuing",
                percent(p.cu.issueClocks / all));
  std::vector<size_t> order(kStalls);
  for (size_t i = 0; i < kStalls; ++i)
    order[i] = i;
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::pair(p.cu.stalls[b], a) < std::pair(p.cu.stalls[a], b);
  });
  for (size_t i : order)
    if (p.cu.stalls[i] > kLeastShare * all)
      os << formatv("    {0,-26}{1,8}\n", getStallName(Stall(i)),
                    percent(p.cu.stalls[i] / all));
  if (auto stall = p.largestStall())
    os << "  largest stall: " << getStallName(*stall) << ": "
       << getStallRemedy(*stall) << "\n";
}

static void printInstructions(llvm::raw_ostream &os, const Profile &p) {
  double all = std::max<uint64_t>(1, p.cu.residentClocks);
  os << "  where waves wait\n";
  for (size_t i : p.getMostStalled(kListed)) {
    const InstructionTime &time = p.cu.instructionTimes[i];
    size_t most = llvm::max_element(time.stalls) - time.stalls.begin();
    const emu::TracedInstruction &inst = p.instructions[i];
    os << formatv("    {0,8} {1,-24} {2:x-}  {3}",
                  percent(time.getStalled() / all), getStallName(Stall(most)),
                  inst.pc, inst.text);
    if (!inst.source.empty())
      os << "  ; " << inst.source;
    os << "\n";
  }
}

/// Stalls by source line, where the object has lines.
static void printLines(llvm::raw_ostream &os, const Profile &p) {
  std::map<std::string, uint64_t> lines;
  for (auto [inst, time] :
       llvm::zip_equal(p.instructions, p.cu.instructionTimes))
    if (!inst.source.empty())
      lines[inst.source] += time.getStalled();
  std::vector<std::pair<std::string, uint64_t>> order(lines.begin(),
                                                      lines.end());
  llvm::sort(order, [](auto &a, auto &b) {
    return std::pair(b.second, a.first) < std::pair(a.second, b.first);
  });
  if (order.size() > kListed)
    order.resize(kListed);
  if (order.empty())
    return;
  os << "  by source line\n";
  double all = std::max<uint64_t>(1, p.cu.residentClocks);
  for (auto &[line, clocks] : order)
    if (clocks)
      os << formatv("    {0,8} {1}\n", percent(clocks / all), line);
}

void printText(llvm::raw_ostream &os, const Profile &p) {
  os << "kernel " << p.kernel << " on " << p.target->name
     << " (cycle model, docs/cycle-model.md)\n";
  printTimes(os, p);
  printShares(os, p);
  printBusiest(os, p);
  printRoofline(os, p);
  printLimits(os, p);
  printStalls(os, p);
  printInstructions(os, p);
  printLines(os, p);
}

} // namespace mlir::te::cycle
