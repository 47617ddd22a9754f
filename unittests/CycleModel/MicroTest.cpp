//===- MicroTest.cpp - single pipes against documented figures ------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each kernel keeps one unit busy; the clocks of one of its instructions must
// be within 5 % of what is documented. Prints the table of docs/cycle-model.md.
//
//===----------------------------------------------------------------------===//
#include "Kernels.h"

#include "../../lib/Emulator/Chip.h"
#include "te/Target/MMA.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include <set>

using namespace mlir::te;
using namespace mlir::te::cycle;
using namespace mlir::te::cycle::test;

class Micro : public ChipTest {};
TE_BOTH_CHIPS(Micro);

TEST_P(Micro, MatrixCores) {
  Kernels k("micro", GetParam());
  uint64_t out = k.allocate(1 << 16);
  struct Case {
    const char *kernel;
    double count, clocks;
  };
  std::vector<Case> cases = {{"mfma_chain_32", 64, 32},
                             {"mfma_chain_16", 64, 16},
                             {"mfma_streams_32", 64, 32},
                             {"mfma_streams_16", 64, 16},
                             {"mfma_operands_16", 64, 32}};
  bool isWide = GetParam() == std::string("gfx950");
  if (isWide)
    cases.back().clocks = 36;
  if (isWide)
    cases.insert(cases.end(), {{"mfma_f16_16x16x32", 64, 16},
                               {"mfma_f16_32x32x16", 64, 32},
                               {"mfma_fp8_16x16x128", 64, 32},
                               {"mfma_fp8_32x32x64", 64, 64},
                               {"mfma_fp4_16x16x128", 64, 16},
                               {"mfma_fp4_32x32x64", 64, 32}});
  for (const Case &at : cases)
    expectClocks(std::string(GetParam()) + " " + at.kernel,
                 clocksEach(k, at.kernel, 256, at.count, 1, out), at.clocks);
}

/// What te-schedule counts for an instruction (te/Target/MMA.h) is what the
/// emulator's tables say; returns how many were looked at.
static size_t expectSameCycles(Kernels &k, const char *kernel,
                               MMAFormat narrow) {
  uint64_t out = k.allocate(1 << 16);
  emu::Trace trace = k.trace(kernel, 1, 64, k.pack(out));
  std::set<llvm::StringRef> seen;
  for (const emu::TracedInstruction &inst : trace.instructions) {
    if (inst.unit != emu::Unit::Mfma)
      continue;
    llvm::StringRef text = inst.text;
    std::string name = text.split(' ').first.drop_front(7).str(); // "v_mfma_"
    if (llvm::StringRef(name).ends_with("_fp8_fp8"))
      name = llvm::StringRef(name).drop_back(4).str() +
             (k.target.fp8 == FP8Encoding::FNUZ ? "_fnuz" : "");
    const MMA *mma = MMA::lookup(name);
    EXPECT_TRUE(mma) << name;
    if (!mma)
      continue;
    EXPECT_EQ(inst.passes * k.timing.passClocks, mma->getCycles(narrow, narrow))
        << name;
    EXPECT_EQ(inst.flops, 2ull * mma->size * mma->size * mma->k) << name;
    EXPECT_TRUE(llvm::is_contained(k.target.amd->mmas, mma->name)) << name;
    seen.insert(mma->name);
  }
  return seen.size();
}

/// te-schedule's L1 is the emulator's, too.
TEST_P(Micro, L1Capacity) {
  const emu::Chip *chip =
      emu::findChip(llvm::StringRef(GetParam()) == "gfx942"
                        ? llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX942
                        : llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX950);
  ASSERT_TRUE(chip);
  EXPECT_EQ(Timing::lookup(GetParam())->l1Capacity, chip->l1Bytes);
}

TEST_P(Micro, MatrixTables) {
  Kernels k("micro", GetParam());
  EXPECT_EQ(expectSameCycles(k, "every_mfma", MMAFormat::E4M3FN),
            k.target.amd->mmas.size());
  if (k.target.hasScaledConversions)
    EXPECT_EQ(expectSameCycles(k, "every_mfma_fp4", MMAFormat::E2M1), 2u);
}

TEST_P(Micro, VectorUnits) {
  Kernels k("micro", GetParam());
  uint64_t out = k.allocate(1 << 16);
  for (auto [kernel, clocks] :
       {std::pair("valu_fma", 4.0), std::pair("valu_pk_fma", 4.0),
        std::pair("valu_exp",
                  GetParam() == std::string("gfx950") ? 8.0 : 16.0)})
    expectClocks(std::string(GetParam()) + " " + kernel,
                 clocksEach(k, kernel, 1024, 64, 4, out), clocks);
}

/// Reads of every SIMD at once, two waves each: a read's clocks for a SIMD.
TEST_P(Micro, Lds) {
  Kernels k("micro", GetParam());
  uint64_t out = k.allocate(1 << 16);
  bool isWide = GetParam() == std::string("gfx950"); // 64 banks
  struct Case {
    const char *kernel;
    int stride;
    double clocks;
    const char *what;
  };
  double half = isWide ? 1 : 2;
  std::vector<Case> cases = {
      {"lds_b128", 16, 16 * half, "ds_read_b128"},
      {"lds_b64", 8, 8 * half, "ds_read_b64"},
      {"lds_b32", 4, 4 * half, "ds_read_b32"},
      {"lds_b32", 8, 8 * half, "ds_read_b32, 2-way conflict"},
      {"lds_b32", 16, 16 * half, "ds_read_b32, 4-way conflict"},
      {"lds_b128", 32, 32 * half, "ds_read_b128, 2-way conflict"},
      {"lds_b128", 64, 64 * half, "ds_read_b128, 4-way conflict"},
      {"lds_b128", 128, 128 * half, "ds_read_b128, 8-way conflict"},
  };
  for (const Case &at : cases)
    expectClocks(std::string(GetParam()) + " " + at.what,
                 clocksEach(k, at.kernel, 1024, 64, 4, out, at.stride),
                 at.clocks);
}

/// One wave a SIMD, of one, two and four SIMDs: a pair shares a port of 64 or
/// 128 bytes a clock, and a port alone may use twice its share of the banks.
TEST_P(Micro, LdsPorts) {
  Kernels k("micro", GetParam());
  uint64_t out = k.allocate(1 << 16);
  double half = GetParam() == std::string("gfx950") ? 1 : 2;
  struct Case {
    unsigned simds;
    int stride;
    double clocks;
    const char *what;
  };
  const Case cases[] = {{1, 16, 8, "1 SIMD"},
                        {2, 16, 16, "2 SIMDs"},
                        {4, 16, 16, "4 SIMDs"},
                        {1, 32, 8, "1 SIMD, 2-way conflict"},
                        {1, 64, 16, "1 SIMD, 4-way conflict"},
                        {1, 128, 32, "1 SIMD, 8-way conflict"}};
  for (const Case &at : cases)
    expectClocks(
        std::string(GetParam()) + " ds_read_b128 of " + at.what,
        clocksEach(k, "lds_b128", 64 * at.simds, 64, 1, out, at.stride),
        half * at.clocks);
}

/// Writes of every SIMD at once: 84 bytes a clock and CU were measured on
/// gfx942, for gfx950 the model has twice that.
TEST_P(Micro, LdsWrites) {
  Kernels k("micro", GetParam());
  uint64_t out = k.allocate(1 << 16);
  double bytes = GetParam() == std::string("gfx950") ? 168 : 84;
  for (auto [kernel, width] :
       {std::pair("lds_write_b128", 16), std::pair("lds_write_b64", 8)})
    expectClocks(std::string(GetParam()) + " " + kernel,
                 clocksEach(k, kernel, 1024, 64, 4, out),
                 4 * 64 * width / bytes);
}

/// Each address is what the read before it gave; the loop's own clocks are
/// taken off, as they were in the measurement.
TEST(MicroGfx942, LdsLatency) {
  Kernels k("micro", "gfx942");
  uint64_t out = k.allocate(1 << 16);
  auto each = [&](const char *kernel) {
    return clocksEach(k, kernel, 64, 8, 1, out);
  };
  expectClocks("gfx942 chase of ds_read_b32",
               each("lds_chase") - each("lds_chase_loop"), 32);
}

TEST_P(Micro, Loads) {
  Kernels k("micro", GetParam());
  uint64_t in = k.allocate(1 << 20), out = k.allocate(1 << 16);
  // 1024 bytes of 64 a clock, for each of the 16 waves.
  expectClocks(std::string(GetParam()) + " global_load_dwordx4, L1 hits",
               clocksEach(k, "load_l1", 1024, 16, 16, in, out), 16);
}

/// A chip full of waves that read memory gets the bandwidth that is achievable.
TEST_P(Micro, MemoryBandwidth) {
  Kernels k("micro", GetParam());
  unsigned grid = 2 * k.target.computeUnits;
  const int rounds = 4;
  uint64_t in = k.allocate(uint64_t(grid) * 1024 * 16 * 4 * rounds),
           out = k.allocate(uint64_t(grid) * 1024 * 4);
  Profile p = k.profile("load_memory", grid, 1024, k.pack(in, out, rounds));
  expectClocks(std::string(GetParam()) + " memory, TB/s",
               p.bytesPerSecond() / 1e12, k.timing.memoryBandwidth / 1e12);
}

/// s_waitcnt vmcnt(n): n + 1 loads share a latency.
TEST_P(Micro, Waits) {
  Kernels k("micro", GetParam());
  uint64_t in = k.allocate(1 << 20), out = k.allocate(1 << 16);
  for (auto [kernel, loads] :
       {std::pair("memory_wait0", 1), std::pair("memory_wait1", 2)})
    expectClocks(std::string(GetParam()) + " " + kernel,
                 clocksEach(k, kernel, 64, 8, 1, in, out),
                 double(k.timing.getMemoryLatency()) / loads);
  expectClocks(std::string(GetParam()) + " s_nop 10",
               clocksEach(k, "nop", 64, 64, 1, out), 44);
}

/// Of two waves of a SIMD the older one goes first, or the one that s_setprio
/// puts first.
TEST_P(Micro, Priority) {
  Kernels k("micro", GetParam());
  uint64_t out = k.allocate(1 << 16);
  SimulationOptions options;
  options.maxSpans = 1 << 20;
  for (int level : {0, 1}) {
    Profile p =
        k.profile("priority", 1, 512, k.pack(out, level, kLoopRounds), options);
    uint64_t ends[8] = {};
    for (const Span &span : p.cu.spans)
      if (span.lane == Span::Issue)
        ends[span.wave] = std::max(ends[span.wave], span.end);
    for (int wave = 0; wave < 4; ++wave)
      EXPECT_EQ(ends[wave + 4] < ends[wave], level == 1) << wave;
  }
}

/// Every clock of a resident wave is an issue or has one reason, and a run is
/// like the other.
TEST_P(Micro, ClocksAddUp) {
  Kernels k("micro", GetParam());
  uint64_t in = k.allocate(1 << 20), out = k.allocate(1 << 20);
  for (const char *kernel : {"load_l1", "load_scattered", "memory_wait1"}) {
    emu::Trace trace = k.trace(kernel, 5, 1024, k.pack(in, out, kLoopRounds));
    Profile p = makeProfile(kernel, trace, k.target, k.timing);
    uint64_t sum = p.cu.issueClocks;
    for (uint64_t clocks : p.cu.stalls)
      sum += clocks;
    EXPECT_EQ(sum, p.cu.residentClocks) << kernel;
    Profile q = makeProfile(kernel, trace, k.target, k.timing);
    EXPECT_EQ(p.cu.clocks, q.cu.clocks) << kernel;
    EXPECT_EQ(p.cu.stalls, q.cu.stalls) << kernel;
  }
}
