//===- StallTest.cpp - planted bottlenecks --------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each kernel has one reason to wait for; the profile must name it.
//
//===----------------------------------------------------------------------===//
#include "Kernels.h"

using namespace mlir::te;
using namespace mlir::te::cycle;
using namespace mlir::te::cycle::test;

static constexpr int kRounds = 64;

class Planted : public ChipTest {};
TE_BOTH_CHIPS(Planted);

namespace {
struct Case {
  const char *kernel;
  Stall stall;
  unsigned block = 64;
  int stride = 0; // of the LDS kernels
};
} // namespace

static void expectStall(const Profile &profile, Stall stall) {
  auto largest = profile.largestStall();
  ASSERT_TRUE(largest) << profile.kernel;
  EXPECT_EQ(getStallName(*largest).str(), getStallName(stall).str())
      << profile.kernel;
}

TEST_P(Planted, OneWorkgroup) {
  const Case cases[] = {
      {"mfma_streams_32", Stall::MfmaBusy, 512},
      {"mfma_operands_16", Stall::MfmaDependency, 256},
      {"valu_fma", Stall::ValuBusy, 1024},
      {"valu_exp_chain", Stall::ValuDependency, 256},
      {"lds_chase", Stall::LdsLatency, 256},
      {"lds_b128", Stall::LdsBandwidth, 1024, 16},
      {"lds_b128", Stall::LdsConflict, 1024, 64},
      {"lds_write_b128", Stall::LdsBandwidth, 1024},
      {"barrier_imbalance", Stall::Barrier, 256},
      {"store_wait", Stall::StoreLatency},
      {"sleep", Stall::Nop},
      {"salu", Stall::Arbitration, 1024},
      {"jump", Stall::Branch},
  };
  Kernels k("micro", GetParam());
  uint64_t out = k.allocate(1 << 16);
  for (const Case &at : cases) {
    auto arguments =
        at.stride ? k.pack(out, at.stride, kRounds) : k.pack(out, kRounds);
    expectStall(k.profile(at.kernel, 1, at.block, arguments), at.stall);
  }
}

TEST_P(Planted, Loads) {
  const Case cases[] = {
      {"memory_wait0", Stall::MemoryLatency},
      {"l1_chase", Stall::L1Latency},
      {"load_scattered", Stall::AddressUnit, 1024},
      {"scalar_chase", Stall::ScalarLatency},
  };
  Kernels k("micro", GetParam());
  uint64_t in = k.allocate(8 << 20), out = k.allocate(1 << 16);
  for (const Case &at : cases)
    expectStall(k.profile(at.kernel, 1, at.block, k.pack(in, out, kRounds)),
                at.stall);
  // A compute unit that has the chip for itself.
  expectStall(k.profile("load_flood", 1, 1024, k.pack(in, out, 0, 64)),
              Stall::InFlight);
}

TEST_P(Planted, WholeChip) {
  Kernels k("micro", GetParam());
  unsigned grid = k.target.computeUnits;
  uint64_t in = k.allocate(uint64_t(grid) * 1024 * 16 * 4 * 4),
           out = k.allocate(uint64_t(grid) * 1024 * 4);
  expectStall(k.profile("load_memory", grid, 1024, k.pack(in, out, 4)),
              Stall::MemoryBandwidth);
  // On gfx950 a CU's share of L2 is as wide as its way to L1.
  bool isNarrow =
      k.timing.l2Bytes / double(grid / k.timing.xcds) < k.timing.l1Bytes;
  expectStall(k.profile("load_flood", grid, 1024, k.pack(in, out, 1, 64)),
              isNarrow ? Stall::L2Bandwidth : Stall::AddressUnit);
  expectStall(k.profile("load_l2", grid, 64, k.pack(in, out, 16)),
              Stall::L2Latency);
}

/// The stall is at the instruction and the line where it was planted.
TEST_P(Planted, IsAttributedToItsLine) {
  Kernels k("micro", GetParam());
  uint64_t in = k.allocate(1 << 20), out = k.allocate(1 << 16);
  Profile p = k.profile("memory_wait0", 1, 64, k.pack(in, out, kRounds));
  size_t worst = 0;
  for (size_t i = 0; i < p.instructions.size(); ++i)
    if (p.cu.instructionTimes[i].getStalled() >
        p.cu.instructionTimes[worst].getStalled())
      worst = i;
  EXPECT_EQ(p.instructions[worst].text, "s_waitcnt vmcnt(0)");
  EXPECT_NE(p.instructions[worst].source.find("micro.cl:"), std::string::npos);
}
