//===- OutputTest.cpp - what is written of a profile ----------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// test/Tools/te-run/profile.test looks at the contents; these are kernels at
// the edges: one with matrix instructions in a loop, one that has no loop and
// moves no byte.
//
//===----------------------------------------------------------------------===//
#include "Kernels.h"

using namespace mlir::te;
using namespace mlir::te::cycle;
using namespace mlir::te::cycle::test;

class Output : public ChipTest {};
TE_BOTH_CHIPS(Output);

template <class Print> static std::string print(Print write) {
  std::string text;
  llvm::raw_string_ostream os(text);
  write(os);
  return text;
}

static size_t count(const std::string &text, const std::string &what) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at)
    ++found;
  return found;
}

/// A loop that the instruction cache does not hold is named.
TEST_P(Output, LongLoop) {
  Kernels k("micro", GetParam());
  uint64_t out = k.allocate(1 << 16);
  for (bool isLong : {false, true}) {
    Profile p =
        k.profile(isLong ? "valu_long" : "valu_fma", 1, 64, k.pack(out, 4));
    EXPECT_EQ(p.loopBytes() > k.timing.instructionCache, isLong);
    EXPECT_GT(p.loopBytes(), isLong ? 8192u * 8 : 64u * 8);
    EXPECT_EQ(count(print([&](auto &os) { printText(os, p); }),
                    "do not fit the instruction cache"),
              size_t(isLong));
  }
}

/// So is reuse of more than L2 holds; bytes that are read once are not.
TEST_P(Output, LargeFootprint) {
  Kernels k("micro", GetParam());
  uint64_t in = k.allocate(64 << 20), out = k.allocate(1 << 20);
  auto look = [&](int shared, int rounds) {
    Profile p =
        k.profile("load_flood", 9, 1024, k.pack(in, out, shared, rounds));
    EXPECT_EQ(count(print([&](auto &os) { printText(os, p); }),
                    "lines that are read again"),
              size_t(p.exceedsL2()));
    return p;
  };
  constexpr int kRound = 1024 * 16, kMany = (5 << 20) / kRound; // bytes
  EXPECT_TRUE(look(1, kMany).exceedsL2());
  EXPECT_EQ(look(1, kMany).footprintOfL2(), 5 << 20);
  EXPECT_FALSE(look(1, kMany / 2).exceedsL2());
  EXPECT_FALSE(look(0, kMany).exceedsL2());
}

/// Code without a loop: the middle half of its matrix instructions.
TEST_P(Output, MiddleWithoutLoop) {
  Kernels k("micro", GetParam());
  uint64_t out = k.allocate(1 << 16);
  Profile p = k.profile("every_mfma", 1, 256, k.pack(out));
  EXPECT_FALSE(p.cu.loop);
  EXPECT_GT(p.cu.loopClocks, 0u);
  EXPECT_LT(p.cu.loopClocks, p.cu.clocks);
  EXPECT_GT(p.loopMfmaShare(), p.mfmaShare());
  auto text = print([&](auto &os) { os << llvm::json::Value(p.toJSON()); });
  EXPECT_NE(text.find("\"middle\":{"), std::string::npos);
  EXPECT_NE(
      print([&](auto &os) { printText(os, p); }).find("MFMA busy, middle"),
      std::string::npos);
}

TEST_P(Output, EveryFormat) {
  Kernels k("micro", GetParam());
  uint64_t out = k.allocate(1 << 16);
  SimulationOptions options;
  options.maxSpans = 5000;
  std::vector<Profile> profiles = {
      k.profile("mfma_streams_16", 1, 320, k.pack(out, 8), options),
      k.profile("salu", 3, 1, k.pack(out, 0), options)};
  EXPECT_GT(profiles[0].loopMfmaShare(), 0.5);
  EXPECT_EQ(profiles[1].cu.loopClocks, 0u);
  EXPECT_EQ(profiles[1].mfmaShare(), 0);
  for (const Profile &profile : profiles) {
    EXPECT_LE(profile.cu.spans.size(), options.maxSpans);
    auto json =
        print([&](auto &os) { os << llvm::json::Value(profile.toJSON()); });
    auto parsed = llvm::json::parse(json);
    ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
    EXPECT_EQ(parsed->getAsObject()->getString("kernel"), profile.kernel);
    auto text = print([&](auto &os) { printText(os, profile); });
    EXPECT_EQ(count(text, "kernel " + profile.kernel), 1u);
    EXPECT_EQ(count(text, "nan") + count(text, "inf "), 0u) << text;
  }
  auto trace =
      llvm::json::parse(print([&](auto &os) { printTrace(os, profiles); }));
  ASSERT_TRUE(bool(trace)) << llvm::toString(trace.takeError());
  EXPECT_GT(trace->getAsObject()->getArray("traceEvents")->size(), 100u);
  auto page = print([&](auto &os) { printHtml(os, profiles); });
  EXPECT_EQ(count(page, "<svg"), count(page, "</svg>"));
  EXPECT_EQ(count(page, "<rect"), count(page, "</rect>"));
  EXPECT_EQ(count(page, "<h2>"), 2u);
  auto table = print(
      [&](auto &os) { printComparison(os, {"a.hsaco", "b.hsaco"}, profiles); });
  EXPECT_EQ(count(table, "mfma_streams_16"), 1u);
  EXPECT_EQ(count(table, "largest stall"), 1u);
  // Nothing to compare, nothing to divide by.
  print([&](auto &os) { printComparison(os, {}, {}); });
  print([&](auto &os) { printHtml(os, {}); });
}
