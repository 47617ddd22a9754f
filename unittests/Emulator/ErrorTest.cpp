//===- ErrorTest.cpp - what goes wrong is said, never crashed over --------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Damage.h"
#include "Kernels.h"

#include <random>

using namespace mlir::te::emu;
using namespace mlir::te::emu::test;

class Errors : public ChipTest {};
TE_BOTH_CHIPS(Errors);

static void expectContains(const std::string &message,
                           std::initializer_list<const char *> parts) {
  for (const char *part : parts)
    EXPECT_NE(message.find(part), std::string::npos)
        << "'" << part << "' is not in: " << message;
}

static std::string loadError(llvm::ArrayRef<uint8_t> image) {
  auto loaded = CodeObject::load(image, "image");
  if (!loaded)
    return llvm::toString(loaded.takeError());
  return "";
}

TEST_P(Errors, LoadOutOfBounds) {
  Session s("basic", GetParam());
  std::vector<float> values(100);
  uint64_t a = s.upload(values, "left operand");
  uint64_t b = s.upload(std::vector<float>(256), "right operand");
  uint64_t c = s.upload(std::vector<float>(256), "result");
  s.setArguments(a, b, c, 256);
  std::string message = s.expectError("add", {{1, 1, 1}, {256, 1, 1}});
  // Lane 36 of the second wave reads element 100.
  char address[32];
  std::snprintf(address, sizeof(address), "%llX",
                (unsigned long long)(a + 400));
  expectContains(message, {"kernel 'add'", "workgroup (0, 0, 0)", "wave 1",
                           "global_load_dword", "lane 36", address,
                           "'left operand'", "0 bytes past the end", "pc 0x"});
}

TEST_P(Errors, StoreBeforeAnAllocationAndAfterFree) {
  Session s("basic", GetParam());
  uint64_t a = s.upload(std::vector<float>(256), "a");
  uint64_t c = s.upload(std::vector<float>(256), "c");
  s.setArguments(a, a, c - 8, 256);
  expectContains(s.expectError("add", {{1, 1, 1}, {256, 1, 1}}),
                 {"a store of 4 bytes", "lane 0", "8 bytes before", "'c'"});
  EXPECT_TRUE(s.memory.free(c));
  EXPECT_FALSE(s.memory.free(c));
  EXPECT_EQ(s.memory.view(c, 1), nullptr);
  s.setArguments(a, a, c, 256);
  expectContains(s.expectError("add", {{1, 1, 1}, {256, 1, 1}}),
                 {"a store", "out of bounds"});
}

TEST_P(Errors, LdsOverrun) {
  Session s("errors", GetParam());
  s.setArguments(s.upload(std::vector<int32_t>(64)), 64);
  expectContains(s.expectError("lds_overrun", {{1, 1, 1}, {64, 1, 1}}),
                 {"lane 0", "LDS offset 256", "256 bytes of LDS"});
}

TEST_P(Errors, MisalignedAtomic) {
  Session s("errors", GetParam());
  s.setArguments(s.upload(std::vector<int32_t>(64)));
  expectContains(s.expectError("misaligned_atomic", {{1, 1, 1}, {64, 1, 1}}),
                 {"an atomic of 4 bytes", "not a multiple"});
}

TEST_P(Errors, TrapNamesTheFirstWorkgroup) {
  Session s("errors", GetParam());
  s.setArguments(s.upload(std::vector<int32_t>(64 * 8)));
  expectContains(s.expectError("trap", {{8, 1, 1}, {64, 1, 1}}),
                 {"workgroup (2, 0, 0)", "s_trap 2"});
}

TEST_P(Errors, InstructionWithoutSemantics) {
  Session s("errors", GetParam());
  s.setArguments(s.upload(std::vector<float>(64)), 1.0f);
  expectContains(s.expectError("unknown", {{1, 1, 1}, {64, 1, 1}}),
                 {"v_screen_partition_4se_b32", "no semantics"});
}

TEST_P(Errors, EndlessLoopHitsTheLimit) {
  Session s("errors", GetParam());
  s.setArguments(s.upload(std::vector<int32_t>(1)));
  s.options.maxWorkgroupInstructions = 100000;
  expectContains(s.expectError("forever", {{1, 1, 1}, {64, 1, 1}}),
                 {"has run 100000 wave-instructions", "it loops from pc",
                  "s_sleep 1", "to pc", "s_cbranch"});
}

TEST_P(Errors, EndedWavesCountAsArrived) {
  Session s("errors", GetParam());
  uint64_t out = s.upload(std::vector<int32_t>(256));
  s.setArguments(out);
  s.sanitizes = false; // it would report the missed barrier
  s.expectRun("early_end", {{1, 1, 1}, {256, 1, 1}});
  auto got = s.download<int32_t>(out, 256);
  for (int i = 0; i < 256; ++i)
    EXPECT_EQ(got[i], i / 64 == 1 ? 0 : 3);
}

TEST_P(Errors, LaunchesThatDoNotFit) {
  Session s("basic", GetParam());
  s.setArguments(uint64_t(0));
  expectContains(s.expectError("add", {{1, 1, 1}, {256, 1, 1}}),
                 {"8 bytes of arguments", "expected 28"});
  s.setArguments(uint64_t(0), uint64_t(0), uint64_t(0), 0);
  expectContains(s.expectError("add", {{1, 1, 1}, {1025, 1, 1}}),
                 {"1025 x 1 x 1 lanes"});
  expectContains(s.expectError("add", {{1, 1, 1}, {0, 1, 1}}), {"0 x 1 x 1"});
  expectContains(s.expectError("add", {{65536, 65536, 65536}, {64, 1, 1}}),
                 {"2^32"});
  expectContains(s.expectError("add", {{1, 1, 1}, {64, 1, 1}, 1 << 20}),
                 {"bytes of LDS", GetParam()});
  EXPECT_EQ(s.expectRun("add", {{0, 1, 1}, {64, 1, 1}}).instructions, 0u);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

TEST_P(Errors, TruncatedFiles) {
  auto image = readBytes(pathOf("basic", GetParam()));
  ASSERT_EQ(loadError(image), "");
  for (size_t size = 0; size < image.size() * 3 / 4; size += 64)
    EXPECT_NE(loadError(llvm::ArrayRef<uint8_t>(image).take_front(size)), "")
        << size;
  // Near the end only section headers are lost: an error or not, no crash.
  for (size_t size = image.size() * 3 / 4; size < image.size(); ++size)
    loadError(llvm::ArrayRef<uint8_t>(image).take_front(size));
}

TEST(Files, Foreign) {
  expectContains(loadError({}), {"not an ELF file (0 bytes)"});
  const uint8_t text[] = "a text file that is longer than an ELF header, which "
                         "has sixty-four bytes";
  expectContains(loadError(text), {"not an ELF file"});
  expectContains(loadError(readBytes("/proc/self/exe")),
                 {"'image': an ELF for machine", "expected AMDGPU"});
}

TEST_P(Errors, ForeignChip) {
  auto image = readBytes(pathOf("basic", GetParam()));
  image[48] = 0x41; // e_flags: gfx1100
  expectContains(loadError(image), {"0x41", "gfx942, gfx950"});
}

/// Damaged code objects load and run, or end in an error; never in a crash.
TEST_P(Errors, DamagedFiles) {
  auto image = readBytes(pathOf("memory", GetParam()));
  unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  int loaded = 0;
  for (int round = 0; round < 1500; ++round)
    loaded += runDamaged(damage(image, random), random);
  EXPECT_GT(loaded, 100) << "the damage must not always be refused at once";
}
