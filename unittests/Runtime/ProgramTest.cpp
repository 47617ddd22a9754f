//===- ProgramTest.cpp - binding sizes and running programs -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Runtime/Program.h"
#include "TestElf.h"
#include "te/Runtime/HipDevice.h"
#include "gtest/gtest.h"

using namespace mlir::te::rt;

static Program makeProgram(std::string from = "", std::string to = "") {
  std::string text = kManifest;
  if (!from.empty())
    text.replace(text.find(from), from.size(), to);
  auto program = Program::create(makeElf(".te.manifest", text));
  EXPECT_TRUE(bool(program)) << program.error();
  return std::move(*program);
}

TEST(BindDims, FromInputsAndFlags) {
  Program program = makeProgram();
  const Entry &entry = program.getManifest().entries[0];
  HostTensor x = HostTensor::zeros(DType::BF16, {3, 5});
  const HostTensor *inputs[] = {&x, nullptr};
  auto dims = bindDims(entry, {{"K", 5}}, inputs);
  ASSERT_TRUE(bool(dims)) << dims.error();
  EXPECT_EQ(*dims, (std::vector<int64_t>{3, 5}));

  EXPECT_EQ(bindDims(entry, {{"K", 6}}, inputs).error(),
            "dimension K is 6 by --dim=K, but 5 by axis 1 of argument x");
  EXPECT_EQ(bindDims(entry, {{"N", 6}}, inputs).error(),
            "--dim=N: entry quantize has no such dimension; it has M, K");
  EXPECT_EQ(bindDims(entry, {{"M", -1}}, inputs).error(),
            "dimension M cannot be -1 (--dim=M)");
  EXPECT_EQ(bindDims(entry, {{"M", 2}}, {}).error(),
            "the size of dimension K is not known: no input has it; give "
            "--dim=K=N");
  HostTensor flat = HostTensor::zeros(DType::BF16, {15});
  const HostTensor *wrongRank[] = {&flat};
  EXPECT_EQ(bindDims(entry, {}, wrongRank).error(),
            "argument x has 1 dimensions (15), expected 2 (M x K)");
}

TEST(Buffers, ShapesFollowTheDims) {
  Program program = makeProgram();
  const Entry &entry = program.getManifest().entries[0];
  const int64_t dims[] = {130, 65};
  auto scales = makeBuffer(entry, entry.buffers[3], dims, 0xA5);
  ASSERT_TRUE(bool(scales));
  EXPECT_EQ(scales->shape, (std::vector<int64_t>{256, 4}));
  EXPECT_EQ(scales->bytes[7], 0xA5);
  const int64_t huge[] = {int64_t(1) << 40, int64_t(1) << 40};
  EXPECT_EQ(makeBuffer(entry, entry.buffers[0], huge, 0).error(),
            "x of 1099511627776x1099511627776 bf16 does not fit in this "
            "machine's memory");
  const int64_t overflow[] = {INT64_MAX / 2, 1};
  EXPECT_EQ(makeBuffer(entry, entry.buffers[4], overflow, 0).error(),
            "the shape of ws0: mul(4611686018427387903, 4) overflows 64 bits");
  EXPECT_EQ(checkInput(entry, entry.buffers[0], dims,
                       HostTensor::zeros(DType::BF16, {130, 64}))
                .error(),
            "argument x has shape 130x64, expected 130x65 (M x K)");
  EXPECT_EQ(checkInput(entry, entry.buffers[0], dims,
                       HostTensor::zeros(DType::F16, {130, 65}))
                .error(),
            "argument x has element type f16, expected bf16");
}

namespace {
class HipDevice : public testing::Test {
protected:
  void SetUp() override {
    auto opened = openHipDevice(TE_FAKE_HIP);
    ASSERT_TRUE(bool(opened)) << opened.error();
    device = std::move(*opened);
  }
  std::unique_ptr<Device> device;
};
} // namespace

// FakeHip's kernel writes the low byte of each input element plus M.
TEST_F(HipDevice, RunsAProgram) {
  EXPECT_EQ(device->getName(), "hip: Fake Instinct (gfx950:sramecc+:xnack-)");
  Program program = makeProgram();
  HostTensor x = HostTensor::zeros(DType::BF16, {2, 3});
  for (int i = 0; i < 6; ++i)
    x.bytes[2 * i] = 10 * i;
  HostTensor inputs[] = {x, HostTensor::zeros(DType::F32, {})};
  const int64_t dims[] = {2, 3};
  std::vector<HostTensor> outputs;
  RunOptions options;
  options.poison = 0x3C;
  Status status = program.run(*device, program.getManifest().entries[0], dims,
                              inputs, outputs, options);
  ASSERT_TRUE(bool(status)) << status.error();
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[0].bytes, (std::vector<uint8_t>{2, 12, 22, 32, 42, 52}));
  // No kernel writes the scales.
  EXPECT_EQ(outputs[1].bytes, std::vector<uint8_t>(128 * 4, 0x3C));
}

TEST_F(HipDevice, SkipsAnEmptyGrid) {
  Program program = makeProgram();
  HostTensor inputs[] = {HostTensor::zeros(DType::BF16, {0, 3}),
                         HostTensor::zeros(DType::F32, {})};
  const int64_t dims[] = {0, 3};
  std::vector<HostTensor> outputs;
  Status status = program.run(*device, program.getManifest().entries[0], dims,
                              inputs, outputs);
  ASSERT_TRUE(bool(status)) << status.error();
  EXPECT_TRUE(outputs[0].bytes.empty());
}

TEST_F(HipDevice, ExplainsWhyItCannotRun) {
  HostTensor inputs[] = {HostTensor::zeros(DType::BF16, {2, 3}),
                         HostTensor::zeros(DType::F32, {})};
  const int64_t dims[] = {2, 3};
  std::vector<HostTensor> outputs;
  auto run = [&](const Program &program, std::span<const HostTensor> inputs) {
    return program
        .run(*device, program.getManifest().entries[0], dims, inputs, outputs)
        .error();
  };
  EXPECT_EQ(run(makeProgram("gfx950", "gfx942"), inputs),
            "the program was compiled for gfx942, but the device is "
            "gfx950:sramecc+:xnack-; compile with --target=gfx950, or use "
            "--device=emulator");
  EXPECT_EQ(run(makeProgram(), {inputs, 1}),
            "entry quantize takes 2 inputs, found 1");
  EXPECT_EQ(run(makeProgram(R"([["ceildiv", "M", 4], 1, 1])",
                            R"([["sub", "M", 4], 1, 1])"),
                inputs),
            "kernel quantize_0: a grid of -2 workgroups (sub(M, 4))");
  EXPECT_EQ(
      run(makeProgram(R"({"i32": "M"})", R"({"i32": 4294967296})"), inputs),
      "kernel quantize_0: an i32 argument would be 4294967296");
}

TEST(OpenHipDevice, WithoutALibrary) {
  auto device = openHipDevice("/nonexistent/libamdhip64.so");
  ASSERT_FALSE(bool(device));
  EXPECT_EQ(device.error().find("no HIP here: /nonexistent/libamdhip64.so"), 0u)
      << device.error();
  EXPECT_NE(device.error().find("or use --device=emulator"), std::string::npos);
}
