//===- AssemblyTest.cpp - what kernels written in assembler do ------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Kernels.h"

#include <random>

using namespace mlir::te::emu;
using namespace mlir::te::emu::test;

class Assembly : public ChipTest {
protected:
  std::vector<uint32_t> draw(size_t count) {
    std::vector<uint32_t> words(count);
    for (uint32_t &word : words)
      word = random();
    return words;
  }
  Session session{"assembly", GetParam()};
  const uint32_t seed = std::random_device()();
  std::mt19937 random{seed};
};
TE_BOTH_CHIPS(Assembly);

TEST_P(Assembly, SkippedVectorInstructionsDoNothing) {
  auto in = draw(64);
  uint64_t out = session.upload(std::vector<uint32_t>(256, 3));
  session.setArguments(session.upload(in), out);
  session.expectRun("skips", {{1, 1, 1}, {64, 1, 1}});
  auto got = session.download<uint32_t>(out, 256);
  for (unsigned i = 0; i < 64; ++i) {
    EXPECT_EQ(got[i * 4], 7u) << "no load";
    EXPECT_EQ(got[i * 4 + 1], 3u) << "no store";
    EXPECT_EQ(got[i * 4 + 2], 32u) << "scalar instructions run";
    EXPECT_EQ(got[i * 4 + 3], 5u) << "no store to LDS";
  }
}

TEST_P(Assembly, IndexedAccumulationRegisters) {
  auto in = draw(64);
  uint64_t out = session.upload(std::vector<uint32_t>(128));
  session.setArguments(session.upload(in), out);
  session.expectRun("indexes", {{1, 1, 1}, {64, 1, 1}});
  auto got = session.download<uint32_t>(out, 128);
  for (unsigned i = 0; i < 64; ++i) {
    EXPECT_EQ(got[i * 2], in[i]);
    EXPECT_EQ(got[i * 2 + 1], 12u);
  }
}

TEST_P(Assembly, BufferOffsetsWrap) {
  auto in = draw(64);
  const unsigned bytes = 30 * 4; // of 64 words
  for (uint32_t &word : in)
    word &= 0x3fffffff; // floats of the typed load keep their bits
  uint64_t out = session.upload(std::vector<uint32_t>(64, 3));
  session.setArguments(session.upload(in), out, int32_t(bytes));
  session.expectRun("wraps", {{1, 1, 1}, {64, 1, 1}});
  auto got = session.download<uint32_t>(out, 64);
  for (unsigned at = 0; at < 64; ++at) {
    bool isStored = at >= 4 && at * 4 < bytes; // lane 0 is at byte 16
    EXPECT_EQ(got[at], isStored ? in[at] * 3 : 3) << at << ", seed " << seed;
  }
}

TEST_P(Assembly, WhatIsListedAsMissingDoesNotRun) {
  auto missing =
      session.object->countMissing(*session.object->findKernel("refused"));
  ASSERT_TRUE(bool(missing)) << llvm::toString(missing.takeError());
  std::map<std::string, uint64_t> wanted = {{"s_setreg_imm32_b32", 1},
                                            {"v_cvt_pkrtz_f16_f32", 1},
                                            {"v_pk_mul_f32", 1}};
  EXPECT_EQ(*missing, wanted);
  session.setArguments(session.upload(std::vector<uint32_t>(64)));
  std::string message = session.expectError("refused", {{1, 1, 1}, {64, 1, 1}});
  EXPECT_NE(message.find("no semantics"), std::string::npos) << message;
}

TEST_P(Assembly, WavesRunInStep) {
  uint64_t out = session.upload(std::vector<int32_t>(256, 1000));
  session.setArguments(out);
  session.sanitizes = false; // the waves race, as they are meant to
  session.expectRun("in_step", {{1, 1, 1}, {256, 1, 1}});
  for (int32_t ahead : session.download<int32_t>(out, 256))
    EXPECT_LE(ahead, 1);
}

TEST_P(Assembly, VectorRegistersAboveAccumOffset) {
  Session s("aliased", GetParam());
  auto in = draw(256);
  uint64_t out = s.upload(std::vector<uint32_t>(256));
  s.setArguments(s.upload(in), out);
  s.expectRun("aliased", {{1, 1, 1}, {64, 1, 1}});
  auto got = s.download<uint32_t>(out, 256);
  for (unsigned i = 0; i < 256; i += 4) {
    EXPECT_EQ(got[i], in[i + 2]);
    EXPECT_EQ(got[i + 1], in[i + 3]);
    EXPECT_EQ(got[i + 2], in[i] + 1);
    EXPECT_EQ(got[i + 3], in[i + 1]);
  }
}
