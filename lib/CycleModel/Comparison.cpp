//===- Comparison.cpp - profiles side by side -----------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/CycleModel/CycleModel.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

namespace mlir::te::cycle {

namespace {
struct Line {
  const char *what;
  std::string (*value)(const Profile &);
};
} // namespace

static std::string percent(double share) {
  return llvm::formatv("{0:f1} %", 100 * share);
}
static std::string number(double value) {
  return llvm::formatv("{0:f0}", value);
}

static constexpr Line kLines[] = {
    {"kernel", [](const Profile &p) { return p.kernel; }},
    {"chip", [](const Profile &p) { return p.target->name.str(); }},
    {"grid clocks", [](const Profile &p) { return number(p.gridClocks); }},
    {"clock, GHz",
     [](const Profile &p) {
       return llvm::formatv("{0}", p.timing.clockGHz).str();
     }},
    {"grid us",
     [](const Profile &p) {
       return llvm::formatv("{0:f2}", p.seconds() * 1e6).str();
     }},
    {"workgroup clocks",
     [](const Profile &p) { return number(p.workgroupClocks); }},
    {"workgroups", [](const Profile &p) { return number(p.gridWorkgroups); }},
    {"batches",
     [](const Profile &p) { return llvm::formatv("{0:f2}", p.batches).str(); }},
    {"waves a SIMD",
     [](const Profile &p) { return number(p.residency.wavesPerSIMD); }},
    {"  limited by",
     [](const Profile &p) { return std::string(p.residency.limit); }},
    {"registers", [](const Profile &p) { return number(p.registers); }},
    {"LDS bytes", [](const Profile &p) { return number(p.ldsBytes); }},
    {"MFMA busy, kernel",
     [](const Profile &p) { return percent(p.mfmaShare()); }},
    {"MFMA busy, loop",
     [](const Profile &p) {
       return p.hasSteadyLoop() ? percent(p.loopMfmaShare()) : std::string("-");
     }},
    {"MFMA busy, middle",
     [](const Profile &p) {
       return !p.hasSteadyLoop() && p.cu.loopClocks ? percent(p.loopMfmaShare())
                                                    : std::string("-");
     }},
    {"VALU busy", [](const Profile &p) { return percent(p.valuShare()); }},
    {"LDS busy", [](const Profile &p) { return percent(p.ldsShare()); }},
    {"memory bandwidth",
     [](const Profile &p) { return percent(p.memoryShare()); }},
    {"TFLOP/s of the roof",
     [](const Profile &p) {
       auto at = p.roofline();
       return at ? llvm::formatv("{0:f1} of {1:f1}, {2}",
                                 at->flopsPerSecond / 1e12, at->roof() / 1e12,
                                 at->isMemoryBound() ? "memory" : at->unit)
                       .str()
                 : std::string("-");
     }},
    {"busiest unit", [](const Profile &p) { return p.busiest().unit.str(); }},
    {"memory bytes (simulated)",
     [](const Profile &p) { return number(p.cu.memoryBytes); }},
    {"instructions (simulated)",
     [](const Profile &p) { return number(p.cu.instructions); }},
    {"largest stall",
     [](const Profile &p) {
       auto stall = p.largestStall();
       return stall ? getStallName(*stall).str() : std::string("none");
     }},
};

static std::string cut(llvm::StringRef text, size_t width) {
  return text.size() <= width ? text.str()
                              : (text.take_front(width - 2) + "..").str();
}

void printComparison(llvm::raw_ostream &os, llvm::ArrayRef<std::string> names,
                     llvm::ArrayRef<Profile> profiles) {
  constexpr size_t kWidth = 24;
  auto line = [&](llvm::StringRef what, auto value) {
    os << llvm::formatv("{0,-26}", what);
    for (size_t i = 0; i < profiles.size(); ++i)
      os << llvm::formatv("{0,26}", cut(value(i), kWidth));
    os << "\n";
  };
  line("file",
       [&](size_t i) { return llvm::sys::path::filename(names[i]).str(); });
  for (const Line &at : kLines)
    line(at.what, [&](size_t i) { return at.value(profiles[i]); });
  os << "waves' time\n";
  for (size_t stall = 0; stall < kStalls; ++stall) {
    bool hasAny = false;
    for (const Profile &profile : profiles)
      hasAny |= profile.cu.stalls[stall] * 1000 > profile.cu.residentClocks;
    if (hasAny)
      line(("  " + getStallName(Stall(stall))).str(), [&](size_t i) {
        const Simulation &cu = profiles[i].cu;
        return percent(double(cu.stalls[stall]) /
                       std::max<uint64_t>(1, cu.residentClocks));
      });
  }
}

} // namespace mlir::te::cycle
