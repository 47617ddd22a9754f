//===- StatsTest.cpp - the counters ---------------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Kernels.h"

using namespace mlir::te::emu;
using namespace mlir::te::emu::test;

class Stats : public ChipTest {};
TE_BOTH_CHIPS(Stats);

TEST_P(Stats, CopyKernel) {
  const uint32_t n = 1024; // float4
  Session s("memory", GetParam());
  uint64_t in = s.upload(std::vector<float>(n * 4)),
           out = s.upload(std::vector<float>(n * 4));
  s.setArguments(in, out);
  auto stats = s.expectRun("copy", {{n / 256, 1, 1}, {256, 1, 1}});
  EXPECT_EQ(stats.workgroups, 4u);
  EXPECT_EQ(stats.waves, 16u);
  EXPECT_EQ(stats.byMnemonic["global_load_dwordx4"], 16u);
  EXPECT_EQ(stats.byMnemonic["global_store_dwordx4"], 16u);
  EXPECT_EQ(stats.byMnemonic["s_endpgm"], 16u);
  EXPECT_EQ(stats.byClass["vmem"], 32u);
  EXPECT_EQ(stats.globalLoadBytes, n * 16u);
  EXPECT_EQ(stats.globalStoreBytes, n * 16u);
  EXPECT_EQ(stats.globalLoadLineBytes, n * 16u);
  EXPECT_EQ(stats.globalStoreLineBytes, n * 16u);
  EXPECT_EQ(stats.globalLoadsByWidth, (std::map<unsigned, uint64_t>{{16, 16}}));
  EXPECT_EQ(stats.globalStoresByWidth,
            (std::map<unsigned, uint64_t>{{16, 16}}));
  EXPECT_EQ(stats.valuLanes, stats.byClass["valu"] * 64);
  EXPECT_EQ(stats.ldsAccesses, 0u);
  uint64_t sum = 0;
  for (auto &[name, count] : stats.byClass)
    sum += count;
  EXPECT_EQ(sum, stats.instructions);
  sum = 0;
  for (auto &[name, count] : stats.byMnemonic)
    sum += count;
  EXPECT_EQ(sum, stats.instructions);
  // Every wave runs every instruction once.
  auto counts = s.object->countMnemonics(*s.object->findKernel("copy"));
  ASSERT_TRUE(bool(counts));
  for (auto &[name, count] : *counts)
    EXPECT_EQ(stats.byMnemonic[name], count * 16) << name;
}

TEST_P(Stats, MisalignedCopyTouchesOneLineMoreAWave) {
  Session s("memory", GetParam());
  uint64_t in = s.upload(std::vector<float>(1040)),
           out = s.upload(std::vector<float>(1024));
  s.setArguments(in + 16, out);
  auto stats = s.expectRun("copy", {{1, 1, 1}, {256, 1, 1}});
  EXPECT_EQ(stats.globalLoadBytes, 4096u);
  EXPECT_EQ(stats.globalLoadLineBytes, 4096u + 4 * 64);
  EXPECT_EQ(stats.globalStoreLineBytes, 4096u);
}

/// Lanes a group of the conflict model, and its banks: 32 and 32 on gfx942, 64
/// and 64 on gfx950.
TEST_P(Stats, LdsConflictsOfStrides) {
  bool small = std::string(GetParam()) == "gfx942";
  struct {
    const char *kernel;
    uint64_t cycles;
  } cases[] = {{"strided1", 0},
               // two lanes a bank in each group
               {"strided2", small ? 2u : 1u},
               // gfx942: every lane on bank 0; gfx950: on banks 0 and 32
               {"strided32", small ? 2u * 31 : 31u}};
  for (auto &[kernel, cycles] : cases) {
    Session s("memory", GetParam());
    s.sanitizes = false; // LDS is read unwritten
    s.setArguments(s.upload(std::vector<float>(64)));
    auto stats = s.expectRun(kernel, {{1, 1, 1}, {64, 1, 1}});
    EXPECT_EQ(stats.ldsAccesses, 1u) << kernel;
    EXPECT_EQ(stats.ldsBytes, 256u) << kernel;
    EXPECT_EQ(stats.ldsConflictCycles, cycles) << kernel;
  }
}

TEST_P(Stats, SameOnEveryRunAndAnyThreads) {
  std::string first;
  for (unsigned threads : {1, 2, 4, 4}) {
    Session s("memory", GetParam());
    auto in = makeBits(4096, 3);
    s.setArguments(s.upload(in), s.upload(std::vector<int32_t>(4096)));
    s.options.threads = threads;
    unsigned calls = 0;
    double last = 0;
    auto progress = [&](double share) {
      ++calls;
      EXPECT_GE(share, 0.0);
      EXPECT_LE(share, 1.0);
      last = std::max(last, share);
    };
    s.options.progress = progress;
    auto stats = s.expectRun("collatz", {{32, 1, 1}, {128, 1, 1}});
    EXPECT_GT(calls, 0u);
    EXPECT_EQ(last, 1.0);
    stats.seconds = 0;
    std::string text;
    llvm::raw_string_ostream(text) << llvm::json::Value(stats.toJSON());
    if (first.empty())
      first = text;
    EXPECT_EQ(text, first);
  }
}

TEST_P(Stats, CanBeSwitchedOffAndAdded) {
  Session s("memory", GetParam());
  uint64_t in = s.upload(std::vector<float>(1024)),
           out = s.upload(std::vector<float>(1024));
  s.setArguments(in, out);
  auto once = s.expectRun("copy", {{1, 1, 1}, {256, 1, 1}});
  auto twice = once;
  twice += once;
  EXPECT_EQ(twice.instructions, 2 * once.instructions);
  EXPECT_EQ(twice.byClass["vmem"], 2 * once.byClass["vmem"]);
  EXPECT_EQ(twice.globalLoadsByWidth[16], 2 * once.globalLoadsByWidth[16]);
  s.options.collectStats = false;
  auto off = s.expectRun("copy", {{1, 1, 1}, {256, 1, 1}});
  EXPECT_EQ(off.instructions, 0u);
  EXPECT_EQ(off.globalLoadBytes, 0u);
}

/// Without "seconds".
static std::string toText(LaunchStats stats) {
  stats.seconds = 0;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(stats.toJSON());
  return text;
}

/// A kernel whose lanes leave a loop at different times, profiled.
static LaunchStats profileCollatz(const char *chip, unsigned threads,
                                  bool profile = true) {
  Session s("memory", chip);
  s.setArguments(s.upload(makeBits(4096, 3)),
                 s.upload(std::vector<int32_t>(4096)));
  s.options.threads = threads;
  s.options.profile = profile;
  return s.expectRun("collatz", {{32, 1, 1}, {128, 1, 1}});
}

TEST_P(Stats, InstructionsAddUpToTheKernel) {
  auto stats = profileCollatz(GetParam(), 2);
  ASSERT_FALSE(stats.profile.empty());
  EXPECT_TRUE(stats.profile.front().startsBlock);
  InstructionCounts sum;
  std::map<std::string, uint64_t> byClass;
  uint64_t valuLanes = 0, pc = 0, blocks = 0, entered = 0;
  for (const ProfiledInstruction &instruction : stats.profile) {
    EXPECT_GT(instruction.pc, pc);
    pc = instruction.pc;
    sum += instruction.counts;
    blocks += instruction.startsBlock;
    // A block is entered at its top and left at its end.
    if (instruction.startsBlock)
      entered = instruction.counts.executions;
    EXPECT_EQ(instruction.counts.executions, entered) << instruction.text;
    if (instruction.counts.executions)
      byClass[instruction.className] += instruction.counts.executions;
    if (instruction.className == "valu")
      valuLanes += instruction.counts.lanes;
    EXPECT_LE(instruction.counts.lanes, instruction.counts.mostLanes);
  }
  EXPECT_GT(blocks, 3u);
  EXPECT_EQ(sum.executions, stats.instructions);
  EXPECT_EQ(byClass, stats.byClass);
  EXPECT_EQ(valuLanes, stats.valuLanes);
  EXPECT_LT(valuLanes, stats.byClass["valu"] * 64);
  EXPECT_EQ(sum.globalBytes, stats.globalLoadBytes + stats.globalStoreBytes);
  EXPECT_EQ(sum.l2Bytes, stats.l2LoadBytes + stats.l2StoreBytes);
  EXPECT_EQ(sum.lineBytes,
            stats.globalLoadLineBytes + stats.globalStoreLineBytes);
  EXPECT_EQ(sum.scalarLoadBytes, stats.scalarLoadBytes);
}

TEST_P(Stats, ProfileIsTheSameForAnyThreads) {
  std::string once = toText(profileCollatz(GetParam(), 1));
  for (unsigned threads : {2, 4})
    EXPECT_EQ(toText(profileCollatz(GetParam(), threads)), once);
  // Nor does it change the other figures.
  auto plain = profileCollatz(GetParam(), 1, /*profile=*/false);
  auto profiled = profileCollatz(GetParam(), 1);
  EXPECT_TRUE(plain.profile.empty());
  profiled.profile.clear();
  EXPECT_EQ(toText(profiled), toText(plain));
}

/// What L2 sees: 32 KiB of lines stay until as many others have come, a fence
/// drops them all, and stores and atomics go through.
TEST_P(Stats, LinesAskedOfL2) {
  struct {
    int lines, times, fences;
    uint64_t loaded; // lines, a workgroup
  } cases[] = {{2, 1, 0, 2},
               {2, 9, 0, 2},
               {256, 3, 0, 256},
               {258, 3, 0, 774},
               {64, 3, 1, 192}};
  for (auto &[lines, times, fences, loaded] : cases) {
    Session s("memory", GetParam());
    s.setArguments(s.upload(std::vector<int32_t>(lines * 32)),
                   s.upload(std::vector<int32_t>(1024 + 64)), lines, times,
                   fences);
    s.options.profile = true;
    auto stats = s.expectRun("reload", {{3, 1, 1}, {64, 1, 1}});
    EXPECT_EQ(stats.l2LoadBytes, 3 * loaded * 128) << lines << " " << times;
    EXPECT_EQ(stats.globalLoadWideLineBytes, 3u * lines * times * 128);
    // A line of 64 bytes a lane; two of 32 atomics.
    EXPECT_EQ(stats.l2StoreBytes, 3 * 64 * 64u);
    EXPECT_EQ(stats.globalStoreWideLineBytes, 3 * 32 * 128u);
    EXPECT_EQ(stats.l2AtomicBytes, 3 * 2 * 64u);
  }
}

TEST_P(Stats, ProfilesOfTheSameCodeAreAdded) {
  auto once = profileCollatz(GetParam(), 2), twice = once;
  twice += once;
  ASSERT_EQ(twice.profile.size(), once.profile.size());
  EXPECT_EQ(twice.profile[3].counts.executions,
            2 * once.profile[3].counts.executions);
  auto other = once;
  other.profile.pop_back();
  twice += other;
  EXPECT_TRUE(twice.profile.empty());
}

TEST_P(Stats, KernelInfo) {
  Session s("basic", GetParam());
  const KernelInfo *info = s.object->findKernel("add");
  ASSERT_NE(info, nullptr);
  EXPECT_EQ(s.object->getChip(), GetParam());
  EXPECT_GT(info->vgprs, 0u);
  EXPECT_GT(info->sgprs, 0u);
  EXPECT_EQ(info->vgprSpills, 0u);
  ASSERT_GE(info->arguments.size(), 4u);
  EXPECT_EQ(info->arguments[0].name, "a");
  EXPECT_EQ(info->arguments[0].valueKind, "global_buffer");
  EXPECT_EQ(info->arguments[3].offset, 24u);
  EXPECT_EQ(info->arguments[3].size, 4u);
  EXPECT_EQ(s.object->findKernel("nothing"), nullptr);
}
