//===- EmulatorDeviceTest.cpp - programs in host memory, emulated ---------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Driver/EmulatorDevice.h"
#include "te/Runtime/File.h"
#include "te/Runtime/Program.h"
#include "gtest/gtest.h"

#include <functional>
#include <malloc.h>
#include <thread>

using namespace mlir::te;
using namespace mlir::te::rt;

namespace {
/// Memory of a framework: aligned, and all of it its own.
class HostBuffer {
public:
  explicit HostBuffer(size_t bytes)
      : bytes(bytes), data(static_cast<uint8_t *>(
                          std::aligned_alloc(256, (bytes + 255) / 256 * 256))) {
    std::memset(data, 0xA5, bytes);
  }
  ~HostBuffer() { std::free(data); }
  HostBuffer(const HostBuffer &) = delete;
  operator Memory() const { return {reinterpret_cast<uint64_t>(data), bytes}; }
  template <typename T> T *as() { return reinterpret_cast<T *>(data); }
  std::vector<uint8_t> read() const { return {data, data + bytes}; }

private:
  size_t bytes;
  uint8_t *data;
};

/// unittests/Driver/programs/chain.mlir on the emulator.
class EmulatedProgram : public testing::Test {
protected:
  EmulatedProgram() : EmulatedProgram(nullptr) {}
  explicit EmulatedProgram(emu::Sanitizer *sanitizer)
      : device(nullptr, sanitizer) {
    auto image = readFile(TE_PROGRAM_DIR "/chain.hsaco");
    EXPECT_TRUE(bool(image)) << image.error();
    auto made = Program::create(std::move(*image));
    EXPECT_TRUE(bool(made)) << made.error();
    program.emplace(std::move(*made));
    auto loaded = program->load(device);
    EXPECT_TRUE(bool(loaded)) << loaded.error();
    code.emplace(std::move(*loaded));
  }
  const Entry &entry(const char *name) const {
    return *program->getManifest().findEntry(name);
  }
  Binding bind(const char *name, std::vector<int64_t> dims,
               std::vector<Memory> arguments, std::vector<Memory> results,
               Memory workspace = {}) const {
    auto made = Binding::create(*code, entry(name), dims, arguments, results,
                                workspace);
    EXPECT_TRUE(bool(made)) << made.error();
    return std::move(*made);
  }

  EmulatorDevice device;
  std::optional<Program> program;
  std::optional<LoadedCode> code;
};
} // namespace

/// bf16 values of many magnitudes, other ones for every `seed`.
static void fill(uint16_t *values, int count, int seed) {
  for (int i = 0; i < count; ++i)
    values[i] = 0x3c00 + (i * 37 + seed * 101) % 1024;
}

/// @chain's result by an instance, which has buffers on the device.
static std::vector<uint8_t> runCopied(const Program &program, int64_t m,
                                      int seed) {
  EmulatorDevice device;
  HostTensor x = HostTensor::zeros(DType::BF16, {m, 64});
  fill(reinterpret_cast<uint16_t *>(x.bytes.data()), m * 64, seed);
  std::vector<HostTensor> outputs;
  Status status = program.run(device, *program.getManifest().findEntry("chain"),
                              {&m, 1}, {&x, 1}, outputs);
  EXPECT_TRUE(bool(status)) << status.error();
  return outputs[0].bytes;
}

TEST_F(EmulatedProgram, UsesHostMemoryInPlace) {
  const int64_t m = 5;
  auto sizes = query(entry("chain"), {&m, 1});
  ASSERT_TRUE(bool(sizes)) << sizes.error();
  EXPECT_EQ(sizes->arguments, (std::vector<uint64_t>{5 * 64 * 2}));
  EXPECT_EQ(sizes->workspace, 512u + 512u); // 5 * 64 bytes, and 128 * 4
  HostBuffer x(sizes->arguments[0]), y(sizes->results[0]),
      workspace(sizes->workspace);
  fill(x.as<uint16_t>(), m * 64, 1);
  std::vector<uint8_t> before = x.read();
  Status status = bind("chain", {m}, {x}, {y}, workspace).run();
  ASSERT_TRUE(bool(status)) << status.error();
  EXPECT_EQ(y.read(), runCopied(*program, m, 1));
  EXPECT_EQ(x.read(), before);
}

/// Arguments may be the same memory, or overlap.
TEST_F(EmulatedProgram, TakesSharedArguments) {
  HostBuffer x(64), y(32);
  for (int i = 0; i < 16; ++i)
    x.as<float>()[i] = i;
  Memory whole = {Memory(x).address, 32}, rest = {whole.address + 16, 32};
  ASSERT_TRUE(bool(bind("scaled", {}, {whole, whole}, {y}).run()));
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(y.as<float>()[i], 2 * i * (i + 1));
  ASSERT_TRUE(bool(bind("scaled", {}, {whole, rest}, {y}).run()));
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(y.as<float>()[i], (2 * i + 4) * (i + 1));
}

/// The regions are those of the buffers: what lies outside of them is none's.
TEST_F(EmulatedProgram, NamesTheBufferOfABadAccess) {
  const Entry &scaled = entry("scaled");
  HostBuffer x(64), y(32);
  uint64_t at = Memory(x).address, to = Memory(y).address;
  auto module = device.load(program->getImage());
  ASSERT_TRUE(bool(module)) << module.error();
  auto kernel = device.findKernel(*module, "scaled_0", 0);
  auto constant = device.findGlobal(*module, "te_constant_0");
  ASSERT_TRUE(kernel && constant);
  const uint64_t kernargs[] = {at, at + 16, constant->address, to};
  Launch launch{*module,
                *kernel,
                "scaled_0",
                {1, 1, 1},
                scaled.steps[0].block,
                0,
                {reinterpret_cast<const uint8_t *>(kernargs), 32}};
  auto run = [&](std::vector<Region> regions) {
    Status status = device.launch({&launch, 1}, regions, 0);
    return status ? "" : status.error();
  };
  EXPECT_EQ(run({{at, 48, "x", true}, {to, 32, "result0", false}}), "");
  std::string error = run({{at, 48, "x", true}, {to, 16, "result0", false}});
  EXPECT_NE(error.find("kernel 'scaled_0', workgroup (0, 0, 0)"),
            std::string::npos)
      << error;
  EXPECT_NE(error.find("'result0' (16 bytes at 0x"), std::string::npos)
      << error;
  // The memory of the launch before is the caller's again.
  error = run({{to, 32, "result0", false}});
  EXPECT_NE(error.find("the nearest allocation"), std::string::npos) << error;
  EXPECT_EQ(error.find("'x'"), std::string::npos) << error;
  device.unload(*module);
}

TEST_F(EmulatedProgram, RefusesMemoryThatIsGone) {
  HostBuffer x(32), y(32);
  auto own = device.allocate(32, "own");
  ASSERT_TRUE(bool(own));
  Binding binding = bind("scaled", {}, {x, Memory{*own, 32}}, {y});
  EXPECT_TRUE(bool(binding.run()));
  device.free(*own);
  Status status = binding.run();
  ASSERT_FALSE(bool(status));
  EXPECT_EQ(status.error().find("y: no memory of 32 bytes at 0x"), 0u)
      << status.error();
  // The kernel's other buffers can be used again.
  EXPECT_TRUE(bool(bind("scaled", {}, {x, x}, {y}).run()));
}

/// Calls `work` with 0 to `count` - 1, each in a thread.
static void runThreads(int count, const std::function<void(int)> &work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back(work, i);
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(EmulatedProgram, RunsInEightThreads) {
  constexpr int kThreads = 8, kRuns = 20;
  std::vector<std::vector<uint8_t>> expected;
  for (int i = 0; i < kThreads; ++i)
    expected.push_back(runCopied(*program, 3 + i, i));
  std::atomic<int> right{0};
  auto work = [&](int index) {
    const int64_t m = 3 + index;
    HostBuffer x(m * 128), y(m * 256), workspace(4096);
    fill(x.as<uint16_t>(), m * 64, index);
    for (int run = 0; run < kRuns; ++run) {
      std::memset(y.as<uint8_t>(), 0xA5, m * 256);
      if (bind("chain", {m}, {x}, {y}, workspace).run())
        right += y.read() == expected[index];
    }
  };
  runThreads(kThreads, work);
  EXPECT_EQ(right, kThreads * kRuns);
}

/// Short launches, so that many begin and end at once.
TEST_F(EmulatedProgram, RunsShortLaunchesInEightThreads) {
  constexpr int kThreads = 8, kRuns = 3000;
  std::atomic<int> right{0};
  auto work = [&](int index) {
    HostBuffer x(32), y(32);
    Binding binding = bind("scaled", {}, {x, x}, {y});
    for (int run = 0; run < kRuns; ++run) {
      std::fill_n(x.as<float>(), 8, float(index + run));
      right += binding.run() && y.as<float>()[7] == 16.0f * (index + run);
    }
  };
  runThreads(kThreads, work);
  EXPECT_EQ(right, kThreads * kRuns);
}

TEST_F(EmulatedProgram, KeepsLaunchesWhereAsked) {
  HostBuffer x(32), y(32);
  Binding binding = bind("scaled", {}, {x, x}, {y});
  EXPECT_TRUE(bool(binding.run()));
  EXPECT_TRUE(device.getLaunches().empty());
  device.setProfiling();
  EXPECT_TRUE(bool(binding.run()));
  ASSERT_EQ(device.getLaunches().size(), 1u);
  EXPECT_EQ(device.getLaunches()[0].kernel.name, "scaled_0");
  EXPECT_GT(device.getLaunches()[0].stats.instructions, 0u);
}

TEST_F(EmulatedProgram, LeaksNothing) {
  HostBuffer x(32), y(32);
  auto call = [&] { EXPECT_TRUE(bool(bind("scaled", {}, {x, x}, {y}).run())); };
  auto reload = [&] {
    code.reset();
    code.emplace(std::move(*program->load(device)));
    call();
  };
  reload();
  size_t before = mallinfo2().uordblks;
  for (int i = 0; i < 10000; ++i)
    call();
  for (int i = 0; i < 20; ++i)
    reload();
  EXPECT_LT(mallinfo2().uordblks, before + 20000);
}

namespace {
/// With a sanitizer.
struct Sanitized {
  emu::Sanitizer sanitizer;
};
class SanitizedProgram : private Sanitized, public EmulatedProgram {
protected:
  SanitizedProgram() : EmulatedProgram(&sanitizer) {}
  using Sanitized::sanitizer;
};
} // namespace

/// What a kernel writes to host memory is known to the next one; a result that
/// is read before it is written is not.
TEST_F(SanitizedProgram, KnowsWhatIsWritten) {
  HostBuffer x(5 * 128), y(5 * 256), workspace(1024);
  fill(x.as<uint16_t>(), 5 * 64, 1);
  Status status = bind("chain", {5}, {x}, {y}, workspace).run();
  EXPECT_TRUE(bool(status)) << status.error();
  EXPECT_TRUE(sanitizer.getReports().empty());
  EXPECT_EQ(y.read(), runCopied(*program, 5, 1));

  const Entry &chain = entry("chain");
  auto module = device.load(program->getImage());
  auto kernel = device.findKernel(*module, "chain_1", 0);
  uint64_t data = Memory(workspace).address, to = Memory(y).address;
  const uint64_t kernargs[] = {data, data + 512, to, 5};
  Launch launch{*module,
                *kernel,
                "chain_1",
                {1, 1, 1},
                chain.steps[1].block,
                0,
                {reinterpret_cast<const uint8_t *>(kernargs), 32}};
  Region regions[] = {{data, 320, "ws0.data", false},
                      {data + 512, 512, "ws0.scale", false},
                      {to, 5 * 256, "result0", false}};
  EXPECT_TRUE(bool(device.launch({&launch, 1}, regions, 0)));
  std::vector<emu::SanitizerReport> reports = sanitizer.getReports();
  ASSERT_FALSE(reports.empty());
  EXPECT_EQ(reports[0].kind, emu::Defect::Uninitialized);
  device.unload(*module);
}
