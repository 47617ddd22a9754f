//===- CInterfaceTest.cpp - the runtime's C interface -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TestElf.h"
#include "te/Runtime/te_runtime.h"
#include "gtest/gtest.h"

#include <cstdio>
#include <thread>

using mlir::te::rt::kManifest;
using mlir::te::rt::makeElf;

namespace {
class CInterface : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(te_device_open("hip", 1, TE_FAKE_HIP, &device), TE_OK)
        << te_last_error();
    ASSERT_EQ(te_program_load(device, image.data(), image.size(), &program),
              TE_OK)
        << te_last_error();
    entry = te_program_entry(program, 0);
  }
  void TearDown() override {
    te_program_free(program);
    te_device_free(device);
  }
  te_status bind(te_binding **binding) const {
    return te_bind(entry, dims, 2, arguments, 2, results, 2, workspace,
                   binding);
  }

  std::vector<uint8_t> image = makeElf(".te.manifest", kManifest);
  te_device *device = nullptr;
  te_program *program = nullptr;
  const te_entry *entry = nullptr;
  int64_t dims[2] = {2, 3};
  alignas(256) uint8_t x[16] = {}, noop[16] = {}, data[16] = {};
  alignas(256) uint8_t scales[512] = {}, work[256] = {};
  te_memory arguments[2] = {{x, 12}, {noop, 4}};
  te_memory results[2] = {{data, 6}, {scales, 512}};
  te_memory workspace = {work, 256};
};
} // namespace

TEST_F(CInterface, Describes) {
  EXPECT_EQ(te_runtime_version(), TE_RUNTIME_VERSION);
  EXPECT_STREQ(te_device_name(device),
               "hip: Fake Instinct (gfx950:sramecc+:xnack-)");
  EXPECT_STREQ(te_device_chip(device), "gfx950");
  EXPECT_EQ(te_program_entry_count(program), 1u);
  EXPECT_EQ(te_program_entry(program, 1), nullptr);
  EXPECT_EQ(te_program_find_entry(program, "quantize"), entry);
  EXPECT_EQ(te_program_find_entry(program, "forward"), nullptr);
  EXPECT_STREQ(te_entry_name(entry), "quantize");
  EXPECT_EQ(te_entry_dim_count(entry), 2u);
  EXPECT_STREQ(te_entry_dim_name(entry, 1), "K");
  EXPECT_EQ(te_entry_dim_name(entry, 2), nullptr);
  EXPECT_EQ(te_entry_buffer_count(entry, TE_ARGUMENT), 2u);
  EXPECT_EQ(te_entry_buffer_count(entry, TE_RESULT), 2u);
  te_buffer buffer;
  ASSERT_EQ(te_entry_buffer(entry, TE_RESULT, 1, &buffer), TE_OK);
  EXPECT_STREQ(buffer.name, "result0.scale");
  EXPECT_STREQ(buffer.dtype, "f8E8M0FNU");
  EXPECT_EQ(buffer.rank, 2u);
  EXPECT_EQ(buffer.unit_bytes, 1u);
  EXPECT_EQ(te_entry_buffer(entry, TE_RESULT, 2, &buffer), TE_INVALID_ARGUMENT);
  EXPECT_STREQ(te_last_error(),
               "entry quantize has 2 result buffers, and none with the index "
               "2");
}

TEST_F(CInterface, QueriesBindsAndRuns) {
  uint64_t argumentBytes[2], resultBytes[2];
  te_workspace_size needed;
  ASSERT_EQ(te_query(entry, dims, 2, argumentBytes, resultBytes, &needed),
            TE_OK);
  EXPECT_EQ(argumentBytes[0], 12u);
  EXPECT_EQ(argumentBytes[1], 4u);
  EXPECT_EQ(resultBytes[0], 6u);
  EXPECT_EQ(resultBytes[1], 512u);
  EXPECT_EQ(needed.bytes, 256u);
  EXPECT_EQ(needed.alignment, 256u);
  EXPECT_EQ(te_query(entry, dims, 2, nullptr, nullptr, nullptr), TE_OK);
  int64_t shape[2];
  ASSERT_EQ(te_query_shape(entry, TE_RESULT, 1, dims, 2, shape), TE_OK);
  EXPECT_EQ(shape[0], 128);
  EXPECT_EQ(shape[1], 4);

  x[2] = 40;
  te_binding *binding = nullptr;
  ASSERT_EQ(bind(&binding), TE_OK) << te_last_error();
  // What a binding needs lives as long.
  te_program_free(program);
  program = nullptr;
  te_device_free(device);
  device = nullptr;
  EXPECT_EQ(te_run(binding, nullptr), TE_OK) << te_last_error();
  EXPECT_EQ(data[1], 42);
  te_binding_free(binding);
}

TEST_F(CInterface, CopiesAndAllocates) {
  void *address = nullptr;
  ASSERT_EQ(te_allocate(device, 4, &address), TE_OK);
  uint8_t in[4] = {1, 2, 3, 4}, out[4] = {};
  EXPECT_EQ(te_copy_to_device(device, address, in, 4), TE_OK);
  EXPECT_EQ(te_copy_from_device(device, out, address, 4), TE_OK);
  EXPECT_EQ(std::memcmp(in, out, 4), 0);
  EXPECT_EQ(te_device_synchronize(device), TE_OK);
  EXPECT_EQ(te_release(device, address), TE_OK);
  EXPECT_EQ(te_release(device, nullptr), TE_OK);
}

TEST_F(CInterface, LoadsFiles) {
  std::string path = testing::TempDir() + "te_runtime_test.hsaco";
  std::FILE *file = std::fopen(path.c_str(), "wb");
  ASSERT_TRUE(file);
  std::fwrite(image.data(), 1, image.size(), file);
  std::fclose(file);
  te_program *loaded = nullptr;
  EXPECT_EQ(te_program_load_file(device, path.c_str(), &loaded), TE_OK)
      << te_last_error();
  te_program_free(loaded);
  EXPECT_EQ(te_program_load_file(device, "/nonexistent.hsaco", &loaded),
            TE_INVALID_ARGUMENT);
  EXPECT_STREQ(te_last_error(),
               "/nonexistent.hsaco: cannot open: No such file or directory");
}

TEST_F(CInterface, ExplainsErrors) {
  te_device *other = nullptr;
  EXPECT_EQ(te_device_open("metal", 0, nullptr, &other), TE_INVALID_ARGUMENT);
  EXPECT_STREQ(te_last_error(), "no device metal; there are hip and cuda");
  EXPECT_EQ(te_device_open("hip", 5, TE_FAKE_HIP, &other), TE_NO_DEVICE);
  EXPECT_STREQ(te_last_error(),
               "HIP has no device 5: it reports 2; give 0 to 1");
  EXPECT_EQ(te_device_open("cuda", 0, "/nonexistent.so", &other), TE_NO_DEVICE);
  te_program *loaded = nullptr;
  EXPECT_EQ(te_program_load(device, image.data(), 100, &loaded),
            TE_INVALID_ARTEFACT);
  std::string manifest = kManifest;
  manifest.replace(manifest.find("gfx950"), 6, "gfx942");
  std::vector<uint8_t> foreign = makeElf(".te.manifest", manifest);
  EXPECT_EQ(te_program_load(device, foreign.data(), foreign.size(), &loaded),
            TE_INVALID_ARTEFACT);
  EXPECT_STREQ(te_last_error(),
               "the program was compiled for gfx942, but the device is Fake "
               "Instinct (gfx950:sramecc+:xnack-); compile with "
               "--target=gfx950");
  EXPECT_EQ(te_program_load(device, nullptr, 0, &loaded), TE_INVALID_ARGUMENT);
  EXPECT_STREQ(te_last_error(), "image is NULL");
  EXPECT_EQ(loaded, nullptr);

  te_binding *binding = nullptr;
  arguments[0].bytes = 11;
  EXPECT_EQ(bind(&binding), TE_INVALID_ARGUMENT);
  EXPECT_STREQ(te_last_error(),
               "argument x (2x3 bf16) is given 11 bytes, but needs 12");
  EXPECT_EQ(binding, nullptr);
  std::thread([] { EXPECT_STREQ(te_last_error(), ""); }).join();
}

/// Each thread has its own bindings of one program, and its own last error.
TEST_F(CInterface, RunsInEightThreads) {
  std::vector<std::thread> threads;
  for (int index = 0; index < 8; ++index)
    threads.emplace_back([this, index] {
      alignas(256) uint8_t own[16] = {}, ownData[16] = {}, ownScales[512] = {},
                           ownWork[256] = {};
      te_memory given[] = {{own, 12}, {noop, 4}};
      te_memory taken[] = {{ownData, 6}, {ownScales, 512}};
      for (int i = 0; i < 100; ++i) {
        own[0] = index + i;
        te_binding *binding = nullptr;
        ASSERT_EQ(te_bind(entry, dims, 2, given, 2, taken, 2, {ownWork, 256},
                          &binding),
                  TE_OK);
        ASSERT_EQ(te_run(binding, nullptr), TE_OK);
        ASSERT_EQ(ownData[0], index + i + 2);
        te_binding_free(binding);
        int64_t wrong[] = {-1 - index, 0};
        ASSERT_EQ(te_query(entry, wrong, 2, nullptr, nullptr, nullptr),
                  TE_INVALID_ARGUMENT);
        ASSERT_EQ(te_last_error(),
                  "dimension M cannot be " + std::to_string(-1 - index));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}
