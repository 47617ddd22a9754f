//===- GridTest.cpp - what a CU holds, and the whole launch ---------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Kernels.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace mlir::te;
using namespace mlir::te::cycle;
using namespace mlir::te::cycle::test;

class Grid : public ChipTest {};
TE_BOTH_CHIPS(Grid);

static constexpr uint64_t kLarge = 1 << 20; // workgroups

TEST_P(Grid, Residency) {
  const Target &target = *Target::lookup(GetParam());
  struct Case {
    unsigned registers, ldsBytes, waves;
    uint64_t grid;
    unsigned workgroups;
    const char *limit;
  };
  unsigned units = target.computeUnits, lds = target.ldsBytes;
  const Case cases[] = {
      {32, 0, 1, kLarge, 32, "wave slots"},
      {64, 0, 16, kLarge, 2, "wave slots"},
      {65, 0, 4, kLarge, 7, "registers"},
      {128, 0, 4, kLarge, 4, "registers"},
      {512, 0, 4, kLarge, 1, "registers"},
      {32, lds, 4, kLarge, 1, "LDS"},
      {32, lds / 2, 4, kLarge, 2, "LDS"},
      {32, lds / 2 + 1, 4, kLarge, 1, "LDS"},
      {32, 0, 4, 1, 1, "grid"},
      {32, 0, 4, units + 1, 2, "grid"},
  };
  for (const Case &at : cases) {
    Residency made =
        getResidency(target, at.registers, at.ldsBytes, at.waves, at.grid);
    EXPECT_EQ(made.workgroups, at.workgroups)
        << at.registers << " " << at.limit;
    EXPECT_STREQ(made.limit, at.limit) << at.registers;
    EXPECT_EQ(made.wavesPerSIMD, llvm::divideCeil(at.workgroups * at.waves, 4));
  }
}

/// Ascending, inside the grid, and never more than sixteen generations; eight
/// where a workgroup has the unit for itself.
TEST_P(Grid, ChosenWorkgroups) {
  const Target &target = *Target::lookup(GetParam());
  const Timing &timing = *Timing::lookup(GetParam());
  for (uint64_t grid : {uint64_t(1), uint64_t(2), uint64_t(303), uint64_t(305),
                        uint64_t(4999), uint64_t(100003), kLarge}) {
    auto chosen =
        chooseWorkgroups(target, timing, 128, 0, 4, grid, {}).workgroups;
    uint64_t held = getResidency(target, 128, 0, 4, grid).workgroups;
    uint64_t all = llvm::divideCeil(grid, uint64_t(target.computeUnits));
    EXPECT_EQ(chosen.size(), std::min(all, (held > 1 ? 16 : 8) * held)) << grid;
    EXPECT_EQ(chosen.front(), 0u);
    EXPECT_EQ(chosen.back(), (all - 1) * target.computeUnits);
    EXPECT_LT(chosen.back(), grid);
    EXPECT_TRUE(llvm::is_sorted(chosen));
    EXPECT_EQ(std::unique(chosen.begin(), chosen.end()), chosen.end());
  }
}

/// Workgroups go where a place is free first; the unit with most work counts.
TEST_P(Grid, BusiestUnit) {
  const Target &target = *Target::lookup(GetParam());
  const Timing &timing = *Timing::lookup(GetParam());
  using Numbers = std::vector<uint64_t>;
  uint64_t units = target.computeUnits;
  auto find = [&](unsigned held, const Numbers &work) {
    return findBusiestUnit(target, timing, held, work.size(), work);
  };
  BusiestUnit alike = find(2, Numbers(2 * units + 1, 7));
  EXPECT_EQ(alike.workgroups, (Numbers{0, units, 2 * units}));
  EXPECT_EQ(alike.work, 21u);
  EXPECT_NEAR(alike.fill, 2.0 / 3, 0.01);

  Numbers work(units, 1);
  work[77] = 4;
  EXPECT_EQ(find(1, work).workgroups, Numbers{77});
  // All places are taken at once, whoever has more to do.
  work.resize(2 * units, 1);
  EXPECT_EQ(find(2, work).workgroups, (Numbers{77, 77 + units}));
  // The others of its XCD are done first, and one of them has its second one.
  EXPECT_EQ(find(1, work).workgroups, Numbers{77});
  uint64_t xcd = 77 % timing.xcds, last = 2 * units - timing.xcds + xcd;
  work[last] = 3;
  EXPECT_EQ(find(1, work).workgroups, (Numbers{xcd, xcd + units, last}));
}

/// A grid takes as long as its longest workgroup, whichever that is.
TEST_P(Grid, UnevenWorkgroups) {
  Kernels k("micro", GetParam());
  unsigned units = k.target.computeUnits, rounds = 40;
  uint64_t out = k.allocate(uint64_t(units) * 256 * 4);
  auto run = [&](int which) {
    return k.profile("uneven", units, 256, k.pack(out, rounds, which));
  };
  Profile none = run(-1), first = run(0);
  EXPECT_GT(first.gridClocks, none.gridClocks * 10);
  for (int which : {1, 100, int(units) - 1}) {
    Profile other = run(which);
    EXPECT_NEAR(other.gridClocks / first.gridClocks, 1, 0.01) << which;
    EXPECT_EQ(other.busiestUnit.workgroups,
              std::vector<uint64_t>{uint64_t(which)});
    EXPECT_LT(other.busiestUnit.fill, 0.2);
  }
}

/// What a workgroup has to do is known before the launch, by what branches
/// depend on; all alike where other waves say it; and not at all where only the
/// launch can tell.
TEST_P(Grid, MeasuredWork) {
  Kernels k("micro", GetParam());
  std::vector<int> given = {5, 1, 9, 1};
  uint64_t in = k.allocate(1 << 12), out = k.allocate(1 << 16);
  ASSERT_TRUE(k.memory.write(in, {reinterpret_cast<const uint8_t *>(&given[0]),
                                  given.size() * sizeof(int)}));
  auto measure = [&](const char *kernel, const std::vector<uint8_t> &arguments,
                     uint32_t grid = 4) {
    emu::LaunchConfig config{{grid, 1, 1}, {256, 1, 1}};
    config.explicitKernargs = arguments;
    return emu::measureWork(*k.object, *k.object->findKernel(kernel), k.memory,
                            config);
  };
  auto own = measure("rounds", k.pack(in, out, 0));
  ASSERT_EQ(own.size(), 4u);
  EXPECT_GT(own[1], own[0]);
  EXPECT_EQ(own[3] - own[2], own[1] - own[0]);
  auto read = measure("rounds", k.pack(in, out, 1));
  ASSERT_EQ(read.size(), 4u);
  EXPECT_EQ(read[1], read[3]);
  EXPECT_EQ(read[2] - read[0], 4 * (own[1] - own[0]));
  auto told = measure("rounds", k.pack(in, out, 2));
  EXPECT_EQ(told, std::vector<uint64_t>(4, told.at(0)));
  // More rounds than a large product has, 32 million.
  auto many = measure("rounds", k.pack(in, out, 0), 8192);
  ASSERT_EQ(many.size(), 8192u);
  EXPECT_EQ(many[8191] - many[0], 8191 * (own[1] - own[0]));
  EXPECT_TRUE(measure("ticket", k.pack(in, out)).empty());
  EXPECT_FALSE(measure("poll", k.pack(in, out)).empty());
  EXPECT_TRUE(measure("poll", k.pack(out, out)).empty());
  EXPECT_EQ(*reinterpret_cast<int *>(k.memory.view(in, 4)), 5); // as it was
}

/// Seventeen generations that are all alike take 17 times as long as one takes.
TEST_P(Grid, Extrapolation) {
  Kernels k("micro", GetParam());
  unsigned units = k.target.computeUnits;
  uint64_t out = k.allocate(uint64_t(34) * units * 1024 * 4);
  auto run = [&](unsigned perUnit) {
    return k.profile("valu_fma", perUnit * units, 1024, k.pack(out, 4));
  };
  Profile two = run(2), many = run(34);
  EXPECT_EQ(two.residency.workgroups, 2u);
  EXPECT_EQ(many.cu.workgroupEnds.size(), 32u);
  EXPECT_DOUBLE_EQ(many.batches, 17);
  EXPECT_DOUBLE_EQ(many.busiestUnit.fill, 1);
  EXPECT_NEAR(many.gridClocks / two.gridClocks, 17, 1.7);
  Profile ragged = k.profile("valu_fma", 2 * units + 1, 1024, k.pack(out, 4));
  EXPECT_EQ(ragged.busiestUnit.workgroups.size(), 3u);
  EXPECT_GT(ragged.gridClocks, two.gridClocks);
  EXPECT_NEAR(ragged.busiestUnit.fill, 2.0 / 3, 0.01);
}

/// Workgroups that are not simulated take what they would have.
TEST_P(Grid, Pace) {
  Kernels k("micro", GetParam());
  uint64_t grid = uint64_t(96) * k.target.computeUnits;
  uint64_t in = k.allocate(1 << 20), out = k.allocate(grid * 512 * 4);
  auto arguments = k.pack(in, out, 3);
  auto profile = [&](bool all) {
    return k.profile("load_l2", grid, 512, arguments, {}, all);
  };
  Profile some = profile(false), all = profile(true);
  EXPECT_EQ(some.cu.workgroupEnds.size(), 64u);
  EXPECT_EQ(all.cu.workgroupEnds.size(), 96u);
  EXPECT_NEAR(some.gridClocks / all.gridClocks, 1, 0.02);
}

/// A launch is simulated with other starts and other loads from memory; its
/// time is the mean of these, the rest is of one that is near.
TEST_P(Grid, Draws) {
  Kernels k("micro", GetParam());
  uint64_t in = k.allocate(8 << 20), out = k.allocate(1 << 20);
  emu::Trace trace = k.trace("load_flood", 24, 1024, k.pack(in, out, 1, 4));
  Residency residency =
      getResidency(k.target, trace.registers, trace.ldsBytes,
                   trace.wavesPerWorkgroup, trace.gridWorkgroups);
  Profile made = makeProfile("load_flood", trace, k.target, k.timing);
  ASSERT_GT(made.draws, 8u);
  constexpr double kStored = 1024 * sizeof(float);
  double sum = 0, least = 1e9, most = 0;
  std::set<uint64_t> begins;
  for (unsigned draw = 0; draw < made.draws; ++draw) {
    Simulation one = simulate(trace, k.target, k.timing, residency, {0, draw});
    sum += one.clocks;
    least = std::min<double>(least, one.clocks);
    most = std::max<double>(most, one.clocks);
    begins.insert(one.workgroupBegins[0]);
    // A third of the lines is new to its XCD, whichever loads ask for it: 21
    // of 64 loads, or 22.
    EXPECT_NEAR((one.memoryBytes - kStored) * 64. / (one.l2Bytes - kStored),
                64 / 3., 1)
        << draw;
  }
  EXPECT_GT(begins.size(), 4u);
  EXPECT_LT(*begins.rbegin(), 4 * k.timing.issueClocks);
  EXPECT_GT(most - least, *begins.rbegin()); // by the loads, too
  EXPECT_DOUBLE_EQ(made.gridClocks, sum / made.draws);
  EXPECT_DOUBLE_EQ(made.leastGridClocks, least);
  EXPECT_DOUBLE_EQ(made.mostGridClocks, most);
  EXPECT_NEAR(made.cu.clocks, made.gridClocks, (most - least) / 4);
}

/// The records do not depend on how the host runs the launch.
TEST_P(Grid, TraceIsTheSameForAnyThreads) {
  Kernels k("micro", GetParam());
  uint64_t in = k.allocate(64 << 20), out = k.allocate(1 << 20);
  auto arguments = k.pack(in, out, 2);
  emu::Trace one = k.trace("load_memory", 61, 256, arguments, 1);
  emu::Trace many = k.trace("load_memory", 61, 256, arguments, 4);
  EXPECT_EQ(one.linesOfL2, many.linesOfL2);
  EXPECT_EQ(one.linesOfMemory, many.linesOfMemory);
  EXPECT_EQ(one.linesOfL2, 61u * 256 * 16 * 8 / 128);
  Profile a = makeProfile("a", one, k.target, k.timing),
          b = makeProfile("b", many, k.target, k.timing);
  EXPECT_EQ(a.cu.clocks, b.cu.clocks);
  EXPECT_EQ(a.cu.stalls, b.cu.stalls);
}

/// Lines that every workgroup reads come from memory once for each XCD.
TEST_P(Grid, SharedLines) {
  Kernels k("micro", GetParam());
  uint64_t in = k.allocate(8 << 20), out = k.allocate(1 << 20);
  emu::Trace trace = k.trace("load_flood", 24, 1024, k.pack(in, out, 1, 4));
  uint64_t lines = 4 * 1024 * 16 / 128;
  EXPECT_EQ(trace.linesOfL2, 24 * lines);
  EXPECT_EQ(trace.linesOfMemory, k.timing.xcds * lines);
}

TEST_P(Grid, RecordingErrors) {
  Kernels k("micro", GetParam());
  uint64_t out = k.allocate(1 << 16);
  auto arguments = k.pack(out, 1000);
  const emu::KernelInfo *info = k.object->findKernel("salu");
  emu::LaunchConfig config{{2, 1, 1}, {64, 1, 1}};
  config.explicitKernargs = arguments;
  emu::Trace trace;
  auto run = [&](const emu::TraceRequest &request) {
    emu::LaunchOptions options;
    options.profile = true;
    options.record = &request;
    options.trace = &trace;
    auto stats = emu::launch(*k.object, *info, k.memory, config, options);
    return stats ? "" : llvm::toString(stats.takeError());
  };
  EXPECT_EQ(run({{2}, 8}), "kernel 'salu': workgroup 2 is to be recorded, but "
                           "the grid has 2");
  EXPECT_NE(run({{1}, 8, 100})
                .find("the wave has run 100 instructions, the most "
                      "that are recorded"),
            std::string::npos);
  EXPECT_EQ(run({{1}, 8}), "");
  EXPECT_GT(trace.workgroups[0].waves[0].size(), 16000u);
  EXPECT_EQ(run({{}, 8}), "");
  EXPECT_TRUE(trace.workgroups.empty());
}
