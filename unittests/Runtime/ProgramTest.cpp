//===- ProgramTest.cpp - binding sizes and running programs -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Runtime/Program.h"
#include "Backends.h"
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
            "machine's memory: it needs more than 2^63 bytes");
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

//===----------------------------------------------------------------------===//
// Devices, by stand-in libraries
//===----------------------------------------------------------------------===//

namespace {
class Gpu : public testing::TestWithParam<Backend> {
protected:
  void SetUp() override {
    auto opened = GetParam().open(0);
    ASSERT_TRUE(bool(opened)) << opened.error();
    device = std::move(*opened);
  }
  std::unique_ptr<Device> device;
};
} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, Gpu, testing::ValuesIn(kBackends),
                         [](const auto &info) { return info.param.name; });

// The stand-ins' kernel writes the low byte of each input element plus M.
TEST_P(Gpu, RunsAProgram) {
  EXPECT_EQ(device->getName(), GetParam().device);
  Program program = GetParam().make();
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

/// A constant lies where the code was loaded; nothing is copied there, and
/// nothing freed.
TEST_P(Gpu, FindsConstants) {
  for (auto [symbol, rows, error] :
       {std::tuple("te_constant_0", 1, ""),
        {"te_constant_0", 2,
         "constant te_constant_0 has 4 bytes in the code, but 8 in the "
         "manifest; compile the program again"},
        {"te_constant_1", 1, "named symbol not found"}}) {
    Program program = GetParam().make(
        R"("kind": "workspace")",
        std::string(R"("kind": "constant", "symbol": ")") + symbol + '"');
    HostTensor inputs[] = {HostTensor::zeros(DType::BF16, {rows, 3}),
                           HostTensor::zeros(DType::F32, {})};
    const int64_t dims[] = {rows, 3};
    std::vector<HostTensor> outputs;
    Status status = program.run(*device, program.getManifest().entries[0], dims,
                                inputs, outputs);
    EXPECT_EQ(bool(status), *error == 0) << symbol;
    if (!status)
      EXPECT_NE(status.error().find(error), std::string::npos)
          << status.error();
    else
      EXPECT_EQ(outputs[0].bytes, (std::vector<uint8_t>{1, 1, 1}));
  }
}

TEST_P(Gpu, SkipsAnEmptyGrid) {
  Program program = GetParam().make();
  HostTensor inputs[] = {HostTensor::zeros(DType::BF16, {0, 3}),
                         HostTensor::zeros(DType::F32, {})};
  const int64_t dims[] = {0, 3};
  std::vector<HostTensor> outputs;
  Status status = program.run(*device, program.getManifest().entries[0], dims,
                              inputs, outputs);
  ASSERT_TRUE(bool(status)) << status.error();
  EXPECT_TRUE(outputs[0].bytes.empty());
}

// The stand-ins' clock is a millisecond a launch.
TEST_P(Gpu, TimesWhatIsBetweenEvents) {
  Program program = GetParam().make();
  auto code = program.load(*device);
  ASSERT_TRUE(bool(code)) << code.error();
  HostTensor inputs[] = {HostTensor::zeros(DType::BF16, {2, 3}),
                         HostTensor::zeros(DType::F32, {})};
  const int64_t dims[] = {2, 3};
  auto instance =
      Instance::create(*code, program.getManifest().entries[0], dims, inputs);
  ASSERT_TRUE(bool(instance)) << instance.error();
  auto seconds = device->time(3, [&](unsigned index) -> Status {
    for (unsigned i = 0; i <= index; ++i)
      if (Status status = instance->launch(); !status)
        return status;
    return {};
  });
  ASSERT_TRUE(bool(seconds)) << seconds.error();
  ASSERT_EQ(seconds->size(), 3u);
  for (int i = 0; i < 3; ++i)
    EXPECT_FLOAT_EQ((*seconds)[i], (i + 1) * 1e-3);
  auto failed = device->time(
      2, [](unsigned index) -> Status { return Failure{"no work"}; });
  ASSERT_FALSE(bool(failed));
  EXPECT_EQ(failed.error(), "no work");
}

TEST_P(Gpu, ExplainsWhyItCannotRun) {
  HostTensor inputs[] = {HostTensor::zeros(DType::BF16, {2, 3}),
                         HostTensor::zeros(DType::F32, {})};
  const int64_t dims[] = {2, 3};
  std::vector<HostTensor> outputs;
  const Backend &backend = GetParam();
  auto run = [&](const Program &program, std::span<const HostTensor> inputs) {
    return program
        .run(*device, program.getManifest().entries[0], dims, inputs, outputs)
        .error();
  };
  std::string other = backend.other, chip = backend.chip;
  EXPECT_EQ(run(backend.make(chip, other), inputs),
            "the program was compiled for " + other + ", but the device is " +
                (backend.device + std::string(backend.device).find(' ') + 1) +
                "; compile with --target=" + chip);
  EXPECT_EQ(run(backend.make(), {inputs, 1}),
            "entry quantize takes 2 inputs, found 1");
  EXPECT_EQ(
      run(backend.make(R"([["ceildiv", "M", 4], 1, 1])",
                       R"([["sub", "M", 4], 1, 1])"),
          inputs),
      "kernel quantize_0: a grid of -2 workgroups (sub(M, 4)); a launch has 0 "
      "to 2147483647");
  EXPECT_EQ(
      run(backend.make(R"({"i32": "M"})", R"({"i32": 4294967296})"), inputs),
      "kernel quantize_0: an i32 argument would be 4294967296");
}

TEST(CudaDevice, ShowsWhatTheDriverSaysOfPtx) {
  auto device = openCudaDevice(0, TE_FAKE_CUDA);
  ASSERT_TRUE(bool(device)) << device.error();
  std::string text = ".target sm_90a\nsyntax error\n";
  auto module =
      (*device)->load({reinterpret_cast<uint8_t *>(text.data()), text.size()});
  ASSERT_FALSE(bool(module));
  EXPECT_EQ(module.error(),
            "CUDA: loading the PTX: cuModuleLoadDataEx failed: a PTX JIT "
            "compilation failed; compile the program again, or update the "
            "driver\nptxas application ptx input, line 9; fatal");
}

/// Runs the program on the stand-in for CUDA, with one change of its manifest.
static Status runOnCuda(const std::string &from, const std::string &to) {
  auto device = openCudaDevice(0, TE_FAKE_CUDA);
  if (!device)
    return device.takeFailure();
  HostTensor inputs[] = {HostTensor::zeros(DType::BF16, {2, 3}),
                         HostTensor::zeros(DType::F32, {})};
  const int64_t dims[] = {2, 3};
  std::vector<HostTensor> outputs;
  Program program = kBackends[1].make(from, to);
  return program.run(**device, program.getManifest().entries[0], dims, inputs,
                     outputs);
}

TEST(CudaDevice, AsksForSharedMemory) {
  const char *none = R"("dynamic_lds": 0)";
  Status large = runOnCuda(none, R"("dynamic_lds": 200000)");
  EXPECT_TRUE(bool(large)) << large.error();
  Status tooLarge = runOnCuda(none, R"("dynamic_lds": 240000)");
  ASSERT_FALSE(bool(tooLarge));
  EXPECT_EQ(tooLarge.error(),
            "CUDA: giving kernel quantize_0 240000 bytes of shared memory: "
            "cuFuncSetAttribute failed: invalid argument");
}

TEST(CudaDevice, ExplainsGridsThatAreTooLarge) {
  const char *grid = R"([["ceildiv", "M", 4], 1, 1])";
  Status large = runOnCuda(grid, "[70000, 65535, 1]");
  EXPECT_TRUE(bool(large)) << large.error();
  Status tooLarge = runOnCuda(grid, "[1, 65536, 1]");
  ASSERT_FALSE(bool(tooLarge));
  EXPECT_EQ(tooLarge.error(),
            "CUDA: kernel quantize_0 has a grid of 1 x 65536 x 1 blocks, at "
            "most 65535 are possible in y and in z; use a smaller tensor");
}

TEST(OpenDevice, WithoutALibrary) {
  auto hip = openHipDevice(0, "/nonexistent/libamdhip64.so");
  ASSERT_FALSE(bool(hip));
  EXPECT_EQ(hip.error(),
            "no HIP here: /nonexistent/libamdhip64.so: cannot open shared "
            "object file: No such file or directory; install ROCm 6 or newer, "
            "or use another --device");
  auto cuda = openCudaDevice(0, "/nonexistent/libcuda.so.1");
  ASSERT_FALSE(bool(cuda));
  EXPECT_EQ(cuda.error(),
            "no CUDA here: /nonexistent/libcuda.so.1: cannot open shared "
            "object file: No such file or directory; install the NVIDIA "
            "driver, or use another --device");
}

TEST(OpenDevice, NamesMissingFunctions) {
  auto device = openCudaDevice(0, TE_FAKE_HIP);
  ASSERT_FALSE(bool(device));
  EXPECT_EQ(device.error().find("the CUDA library lacks cuGetErrorString, "
                                "cuDeviceGetCount, cuMemAlloc_v2, "),
            0u)
      << device.error();
  EXPECT_NE(device.error().find("; the NVIDIA driver is needed"),
            std::string::npos);
}
