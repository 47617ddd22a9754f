//===- SanitizerTest.cpp - planted bugs, and the same kernels mended ------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Kernels.h"

#include <random>
#include <set>

using namespace mlir::te::emu;
using namespace mlir::te::emu::test;

namespace {

/// What a kernel's third argument holds at first.
enum class Third { None, Unwritten, Zeros };

struct Planted {
  const char *kernel;
  Defect kind;
  /// Parts of the first report's message and of its instruction.
  const char *message, *instruction;
  /// A part of the other side's instruction; empty: there is no other side.
  const char *other;
  Third third = Third::None;
};

constexpr Planted catalogue[] = {
    {"load_past_end", Defect::OutOfBounds, "0 bytes past the end of 'in'",
     "global_load_dword", ""},
    {"store_past_end", Defect::OutOfBounds, "0 bytes past the end of 'out'",
     "global_store_dword", ""},
    {"store_before", Defect::OutOfBounds, "4 bytes before 'out'",
     "global_store_dword", ""},
    {"load_far", Defect::OutOfBounds, "past the end of 'in'",
     "global_load_dword", ""},
    {"load_straddles", Defect::OutOfBounds, "(it starts in) 'in'",
     "global_load_dword", ""},
    {"scalar_load_past_end", Defect::OutOfBounds,
     "0 bytes past the end of 'in'", "s_load_dword", ""},
    {"atomic_past_end", Defect::OutOfBounds, "0 bytes past the end of 'out'",
     "global_atomic_add", ""},
    {"lds_past_end", Defect::OutOfBounds, "LDS offset 512", "ds_write_b32", ""},
    {"lds_transposed_past_end", Defect::OutOfBounds, "LDS offset 1024",
     "ds_read_b64", ""},
    {"scratch_past_end", Defect::OutOfBounds, "of scratch a lane", "scratch_",
     ""},
    {"freed", Defect::UseAfterFree, "into 'in', which has been freed",
     "global_load_dword", ""},
    {"misaligned_global", Defect::Misaligned, "not a multiple of its size",
     "global_atomic_add", ""},
    {"misaligned_lds", Defect::Misaligned, "not a multiple of its size",
     "ds_add_u32", ""},
    {"misaligned_scalar", Defect::Misaligned, "not a multiple of four",
     "s_load_dword s40", ""},

    {"unwritten_lds", Defect::Uninitialized, "stored to device memory",
     "global_store_dword", "ds_read_b32"},
    {"unwritten_lds_byte", Defect::Uninitialized, "from LDS",
     "global_store_dword", "ds_read_b32"},
    {"unwritten_lds_spreads", Defect::Uninitialized, "from LDS",
     "global_store_dword", "ds_read_b32"},
    {"unwritten_global", Defect::Uninitialized, "from memory",
     "global_store_dword", "global_load_dword", Third::Unwritten},
    {"unwritten_scratch", Defect::Uninitialized, "from scratch memory",
     "global_store_dword", "scratch_load"},
    {"unwritten_vgpr", Defect::Uninitialized, "a register that nothing",
     "global_store_dword", ""},
    {"unwritten_agpr", Defect::Uninitialized, "a register that nothing",
     "global_store_dword", ""},
    {"unwritten_sgpr_address", Defect::Uninitialized, "an address",
     "global_store_dword", ""},
    {"unwritten_address", Defect::Uninitialized, "an address",
     "global_load_dword", "ds_read_b32"},
    {"unwritten_branch", Defect::Uninitialized, "decides a branch", "s_cbranch",
     "ds_read_b32"},
    {"unwritten_exec", Defect::Uninitialized, "decides", "", "ds_read_b32"},
    {"unwritten_counter", Defect::Uninitialized, "an atomic on memory",
     "ds_add", ""},
    {"unwritten_tile", Defect::Uninitialized, "from LDS", "global_store_dword",
     "ds_read_b32"},

    {"lds_read_after_write", Defect::Race, "no barrier", "ds_read_b32",
     "ds_write_b32"},
    {"lds_write_after_read", Defect::Race, "no barrier", "ds_write_b32",
     "ds_read_b32"},
    {"lds_write_after_write", Defect::Race, "a store of LDS offset 0",
     "ds_write_b32", "ds_write_b32"},
    {"lds_overlap", Defect::Race, "LDS offset 256", "ds_write_b32",
     "ds_write_b32"},
    {"lds_double_buffer", Defect::Race, "no barrier", "ds_write_b32",
     "ds_read_b32"},
    {"global_within_workgroup", Defect::Race, "'other'", "global_load_dword",
     "global_store_dword", Third::Unwritten},
    {"between_workgroups", Defect::Race, "of another workgroup",
     "global_store_dword", "global_load_dword", Third::Zeros},
    // Of which word, two threads of the emulator leave to chance.
    {"same_output", Defect::Race, "a store of 'out' +", "global_store_dword",
     "global_store_dword"},
    {"in_place", Defect::Race, "of another workgroup", "global_store_dword",
     "global_load_dword"},
    {"plain_and_atomic", Defect::Race, "an atomic", "", "global_atomic_add"},
    {"last_block", Defect::Race, "no atomic with release and acquire",
     "load_dword", "global_store_dword", Third::Zeros},
    {"last_block_too_early", Defect::Race, "", "global_load_dword",
     "global_store_dword", Third::Zeros},

    {"unwaited_load", Defect::MissingWait, "vmcnt", "v_add_u32",
     "global_load_dword"},
    {"wait_off_by_one", Defect::MissingWait, "vmcnt", "v_add_u32", "offset:4"},
    {"unwaited_lds", Defect::MissingWait, "lgkmcnt", "v_add_u32",
     "ds_read_b32"},
    {"counted_lds", Defect::MissingWait, "lgkmcnt", "v_add_u32", "ds_read_b32"},
    {"unwaited_permute", Defect::MissingWait, "lgkmcnt", "v_add_u32",
     "ds_bpermute_b32"},
    {"unwaited_scalar", Defect::MissingWait, "reads s40", "v_mov_b32",
     "s_load_dword"},
    {"scalar_out_of_order", Defect::MissingWait, "reads s40", "v_mov_b32",
     "s_load_dword s40"},
    {"wrong_counter", Defect::MissingWait, "vmcnt", "v_add_u32",
     "global_load_dword"},
    {"overwritten_too_early", Defect::MissingWait, "overwrites v", "v_mov_b32",
     "global_load_dword"},
    {"barrier_without_wait", Defect::MissingWait, "before the barrier",
     "ds_read_b32", "ds_write_b32"},
    {"unwaited_to_lds", Defect::MissingWait, "", "ds_read_b32",
     "global_load_lds_dword"},

    {"direct_write_after_write", Defect::Race, "a store of LDS offset",
     "global_load_lds_dword", "global_load_lds_dword"},
    {"polls_by_scalar", Defect::Race, "of another workgroup", "s_load_dword",
     "global_atomic_add", Third::Zeros},

    {"exec_at_barrier", Defect::BarrierDivergence, "8 of the wave's 64 lanes",
     "s_barrier", ""},
    {"divergent_barrier", Defect::BarrierDivergence, "divergent control flow",
     "s_barrier", ""},
    {"missed_barrier", Defect::BarrierDivergence, "it has ended", "s_barrier",
     ""},
    {"lds_flag_never_set", Defect::Deadlock, "polls LDS offset 0", "", ""},
    {"endless", Defect::Deadlock, "nothing changes", "", ""},
    {"waits_for_later", Defect::OrderDependence, "polls 'other' + 4", "", "",
     Third::Zeros},
};

constexpr unsigned kGroups = 4, kSize = 128;

void PrintTo(const Planted &planted, std::ostream *os) {
  *os << planted.kernel;
}

class SanitizerTest
    : public testing::TestWithParam<std::tuple<const char *, Planted>> {
protected:
  /// Runs the kernel in its planted or its mended form.
  std::vector<SanitizerReport> run(bool mended, unsigned threads) {
    auto &[chip, planted] = GetParam();
    Session s(mended ? "defects.mended" : "defects", chip);
    s.expectsDefects = true;
    s.options.threads = threads;
    std::mt19937 random(seed);
    std::vector<int32_t> values(kGroups * kSize);
    for (int32_t &value : values)
      value = int32_t(random());
    values[0] = 1000; // both signs are there
    values[1] = -1000;
    uint64_t in = s.upload(values, "in");
    uint64_t out =
        s.upload(std::vector<int32_t>(kGroups * kSize, 0xA5A5A5A5), "out");
    uint64_t other = 0;
    if (planted.third == Third::Zeros)
      other = s.upload(std::vector<int32_t>(1024), "other");
    else
      other = s.memory.allocate(4096, "other");
    if (planted.kind == Defect::UseAfterFree && !mended)
      EXPECT_TRUE(s.memory.free(in));
    llvm::StringRef name = planted.kernel;
    if (name == "scalar_load_past_end")
      s.setArguments(in, out, int32_t(values.size()));
    else if (planted.third == Third::None)
      s.setArguments(in, out);
    else
      s.setArguments(in, out, other);
    auto stats = s.run(name, {{kGroups, 1, 1}, {kSize, 1, 1}});
    bool hangs = planted.kind == Defect::Deadlock ||
                 planted.kind == Defect::OrderDependence;
    EXPECT_EQ(!stats, hangs && !mended)
        << (stats ? "" : llvm::toString(stats.takeError()));
    if (!stats)
      llvm::consumeError(stats.takeError());
    return s.sanitizer.getReports();
  }
  unsigned seed = std::random_device()();
};

std::string print(const SanitizerReport &report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  report.print(os);
  return text;
}

TEST_P(SanitizerTest, PlantedIsFound) {
  auto &[chip, planted] = GetParam();
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (unsigned threads : {1, 2}) {
    auto reports = run(/*mended=*/false, threads);
    auto contains = [](llvm::StringRef text, const char *part) {
      return text.contains(part);
    };
    const SanitizerReport *found = nullptr;
    for (const SanitizerReport &report : reports) {
      // What a race reads may not have been written yet.
      bool isConsequence =
          planted.kind == Defect::Race && report.kind == Defect::Uninitialized;
      EXPECT_TRUE(report.kind == planted.kind || isConsequence)
          << print(report);
      if (!found && report.kind == planted.kind)
        found = &report;
    }
    ASSERT_TRUE(found);
    const SanitizerReport &first = *found;
    EXPECT_TRUE(contains(first.message, planted.message)) << print(first);
    // Of a race either side may come second.
    bool turned = threads > 1 || first.kind == Defect::Race;
    bool isFound =
        contains(first.place.instruction, planted.instruction) &&
        (first.other ? contains(first.other->instruction, planted.other)
                     : !*planted.other);
    bool isTransposed = turned && first.other &&
                        contains(first.place.instruction, planted.other) &&
                        contains(first.other->instruction, planted.instruction);
    EXPECT_TRUE(isFound || isTransposed) << print(first);
    // Debug information leads to the source.
    EXPECT_TRUE(contains(first.place.location, "defects.cl:")) << print(first);
  }
}

TEST_P(SanitizerTest, MendedIsClean) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (unsigned threads : {1, 2})
    for (const SanitizerReport &report : run(/*mended=*/true, threads))
      ADD_FAILURE() << print(report);
}

INSTANTIATE_TEST_SUITE_P(Chips, SanitizerTest,
                         testing::Combine(testing::Values("gfx942", "gfx950"),
                                          testing::ValuesIn(catalogue)),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param)) + "_" +
                                  std::get<1>(info.param).kernel;
                         });

class Sanitizing : public ChipTest {};
TE_BOTH_CHIPS(Sanitizing);

TEST_P(Sanitizing, FaultWhileWatchedEndsTheLaunch) {
  Session s("defects", GetParam());
  s.expectsDefects = true;
  uint64_t buffer = s.upload(std::vector<int32_t>(64), "buffer");
  s.setArguments(buffer, buffer);
  auto stats = s.run("traps_late", {{1, 1, 1}, {kSize, 1, 1}});
  ASSERT_FALSE(stats);
  std::string message = llvm::toString(stats.takeError());
  EXPECT_NE(message.find("s_trap"), std::string::npos) << message;
}

TEST_P(Sanitizing, OnePlaceIsReportedOnce) {
  Session s("defects", GetParam());
  s.expectsDefects = true;
  s.options.threads = 4; // the first workgroup is named, whoever was first
  uint64_t in = s.upload(std::vector<int32_t>(64 * kSize), "in");
  uint64_t out = s.upload(std::vector<int32_t>(64), "out");
  s.setArguments(in, out);
  s.expectRun("store_past_end", {{64, 1, 1}, {kSize, 1, 1}});
  s.expectRun("store_past_end", {{64, 1, 1}, {kSize, 1, 1}});
  std::vector<SanitizerReport> reports = s.sanitizer.getReports();
  ASSERT_EQ(reports.size(), 1u);
  const SanitizerReport &report = reports.front();
  EXPECT_EQ(report.place.workgroup, "(0, 0, 0)");
  EXPECT_EQ(report.place.wave, 0);
  EXPECT_EQ(report.lane, 63);
}

TEST(Sanitizer, TellsOfTheFirstWorkgroup) {
  Sanitizer sanitizer;
  Sanitizer::Key race{Defect::Race, "k", 8, 16}, same{Defect::Race, "k", 16, 8};
  Sanitizer::Key other{Defect::Misaligned, "k", 8, 16};
  unsigned launch = sanitizer.beginLaunch();
  auto add = [&](const Sanitizer::Key &key, uint32_t workgroup) {
    sanitizer.add(key, {launch, workgroup},
                  {key.kind, "k", {}, {}, int(workgroup), ""});
  };
  add(race, 3);
  add(other, 2);
  EXPECT_TRUE(sanitizer.isWanted(same, {launch, 1}));
  EXPECT_FALSE(sanitizer.isWanted(same, {launch, 3}));
  add(same, 1);
  add(race, 2); // of a thread that asked before
  EXPECT_FALSE(sanitizer.isWanted(race, {sanitizer.beginLaunch(), 0}));
  std::vector<SanitizerReport> reports = sanitizer.getReports();
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0].lane, 1);
  EXPECT_EQ(reports[0].kind, Defect::Race);
  EXPECT_EQ(reports[1].lane, 2);
}

TEST_P(Sanitizing, NeedsShadowedMemory) {
  auto object =
      CodeObject::load(readBytes(pathOf("defects", GetParam())), "defects");
  ASSERT_TRUE(bool(object));
  DeviceMemory memory;
  Sanitizer sanitizer;
  LaunchOptions options;
  options.sanitizer = &sanitizer;
  uint64_t arguments[2] = {};
  LaunchConfig config;
  config.explicitKernargs = {reinterpret_cast<uint8_t *>(arguments), 16};
  auto stats = launch(**object, *(*object)->findKernel("freed"), memory, config,
                      options);
  ASSERT_FALSE(bool(stats));
  EXPECT_NE(llvm::toString(stats.takeError()).find("shadowed"),
            std::string::npos);
}

TEST_P(Sanitizing, ReportAsJson) {
  SanitizerReport report{Defect::Race,
                         "k",
                         {16, "ds_read", "a.cl:1:2", "(0, 0, 0)", 1},
                         SanitizerPlace{20, "ds_write", "", "", -1},
                         3,
                         "text"};
  llvm::json::Object object = report.toJSON();
  EXPECT_EQ(object.getString("kind"), "race");
  EXPECT_EQ(object.getInteger("lane"), 3);
  EXPECT_EQ(object.getObject("place")->getString("location"), "a.cl:1:2");
  EXPECT_EQ(object.getObject("other")->getInteger("pc"), 20);
  EXPECT_EQ(object.getObject("other")->get("wave"), nullptr);
}

} // namespace
