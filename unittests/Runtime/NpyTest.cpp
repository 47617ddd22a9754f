//===- NpyTest.cpp - .npy files, good and bad -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Runtime/Npy.h"
#include "te/Runtime/File.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <dirent.h>
#include <fstream>
#include <unistd.h>

using namespace mlir::te::rt;

namespace {
/// A folder of its own for each test.
class Npy : public testing::Test {
protected:
  void SetUp() override { ASSERT_TRUE(mkdtemp(folder.data())); }
  void TearDown() override {
    unlink(getPath().c_str());
    EXPECT_EQ(rmdir(folder.c_str()), 0) << "a temporary file was left after";
  }
  std::string getPath() const { return folder + "/a.npy"; }
  std::string folder = "/tmp/te-npy-XXXXXX";
};
} // namespace

static std::vector<uint8_t> makeFile(const std::string &header,
                                     const std::string &data,
                                     uint8_t version = 1) {
  std::string text = "\x93NUMPY";
  text +=
      {char(version), 0, char(header.size() & 0xFF), char(header.size() >> 8)};
  if (version > 1)
    text += std::string(2, '\0');
  text += header + data;
  return {text.begin(), text.end()};
}

static std::string describe(const char *descr, const char *shape,
                            const char *order = "False") {
  return std::string("{'descr': '") + descr + "', 'fortran_order': " + order +
         ", 'shape': " + shape + ", }  \n";
}

TEST_F(Npy, WritesWhatItReads) {
  for (DType type : {DType::F4E2M1FN, DType::F8E4M3FN, DType::BF16, DType::F16,
                     DType::F32, DType::I8, DType::I32, DType::I64})
    for (std::vector<int64_t> shape : std::vector<std::vector<int64_t>>{
             {}, {3}, {2, 3}, {0, 5}, {2, 1, 4}}) {
      HostTensor tensor = HostTensor::zeros(type, shape);
      for (size_t i = 0; i < tensor.bytes.size(); ++i)
        tensor.bytes[i] = uint8_t(i * 37 + 1);
      Status written = writeNpy(getPath(), tensor);
      ASSERT_TRUE(bool(written)) << written.error();
      auto read = readNpy(getPath(), type);
      ASSERT_TRUE(bool(read)) << read.error();
      EXPECT_EQ(read->shape, shape);
      EXPECT_EQ(read->bytes, tensor.bytes);
    }
}

TEST_F(Npy, HeaderIsNumpys) {
  ASSERT_TRUE(bool(writeNpy(getPath(), HostTensor::zeros(DType::F32, {3}))));
  auto contents = readFile(getPath());
  ASSERT_TRUE(bool(contents));
  std::string text(contents->begin(), contents->end());
  EXPECT_EQ(text.substr(0, 6), "\x93NUMPY");
  EXPECT_EQ(text.substr(10, 58),
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3, ), }");
  EXPECT_EQ(text.find('\n') % 64, 63u);
}

TEST_F(Npy, ReplacesAsAWhole) {
  ASSERT_TRUE(bool(writeNpy(getPath(), HostTensor::zeros(DType::F32, {9}))));
  ASSERT_TRUE(bool(writeNpy(getPath(), HostTensor::zeros(DType::F32, {2}))));
  auto read = readNpy(getPath(), DType::F32);
  ASSERT_TRUE(bool(read));
  EXPECT_EQ(read->shape, (std::vector<int64_t>{2}));
  Status failed =
      writeNpy("/nonexistent/a.npy", HostTensor::zeros(DType::F32, {}));
  ASSERT_FALSE(bool(failed));
  EXPECT_EQ(failed.error(),
            "/nonexistent/a.npy: cannot write: No such file or directory");
  EXPECT_TRUE(bool(writeNpy("/dev/null", HostTensor::zeros(DType::F32, {2}))));
  EXPECT_NE(access("/dev/null", W_OK), -1);
}

TEST_F(Npy, ReadsEveryVersion) {
  for (uint8_t version : {1, 2, 3}) {
    auto tensor = parseNpy(makeFile(describe("<f2", "(2,)"), "abcd", version),
                           DType::F16);
    ASSERT_TRUE(bool(tensor)) << tensor.error();
    EXPECT_EQ(tensor->shape, (std::vector<int64_t>{2}));
  }
  // Fortran order of one dimension is C order too.
  EXPECT_TRUE(bool(parseNpy(makeFile(describe("|u1", "(2,)", "True"), "ab"),
                            DType::F8E5M2)));
}

/// What numpy makes of an array by the hint is what the type's bits are.
TEST_F(Npy, HintsConvert) {
  struct Row {
    const char *descr;
    DType type;
    const char *hint;
  };
  const Row rows[] = {
      {"<f8", DType::F32, "'<f4' (f32; use .astype('<f4'))"},
      {">f4", DType::F32, "'<f4' (f32; use .astype('<f4'))"},
      {"<i8", DType::I32, "'<i4' (i32; use .astype('<i4'))"},
      // Bits in the other order are numbers to numpy: their values stay.
      {">u2", DType::BF16, "'<u2' (bit patterns of bf16; use .astype('<u2'))"},
      // The same bits under another name; as numpy saves ml_dtypes' arrays.
      {"<i2", DType::BF16, "'<u2' (bit patterns of bf16; use .view('<u2'))"},
      {"|V2", DType::BF16, "'<u2' (bit patterns of bf16; use .view('<u2'))"},
      {"<V2", DType::BF16, "'<u2' (bit patterns of bf16; use .view('<u2'))"},
      {"|i1", DType::F8E5M2,
       "'|u1' (bit patterns of f8E5M2; use .view('|u1'))"},
      {"|V1", DType::F8E8M0FNU,
       "'|u1' (bit patterns of f8E8M0FNU; use .view('|u1'))"},
      // Numbers are converted first: a view of them would be other numbers.
      {"<f4", DType::BF16,
       "'<u2' (bit patterns of bf16; use "
       ".astype(ml_dtypes.bfloat16).view('<u2'))"},
      {"<f2", DType::BF16,
       "'<u2' (bit patterns of bf16; use "
       ".astype(ml_dtypes.bfloat16).view('<u2'))"},
      {">i2", DType::BF16,
       "'<u2' (bit patterns of bf16; use .astype('<i2').view('<u2'))"},
      {"<f4", DType::F8E4M3FN,
       "'|u1' (bit patterns of f8E4M3FN; use "
       ".astype(ml_dtypes.float8_e4m3fn).view('|u1'))"},
      {"|V1", DType::F4E2M1FN,
       "'|u1' (bit patterns of f4E2M1FN; two codes a byte, the even element's "
       "in the low nibble)"}};
  for (const Row &row : rows) {
    auto tensor =
        parseNpy(makeFile(describe(row.descr, "(1,)"), "abcdefgh"), row.type);
    ASSERT_FALSE(bool(tensor)) << row.descr;
    EXPECT_EQ(tensor.error(), std::string("element type '") + row.descr +
                                  "', expected " + row.hint);
  }
  // One byte has no order.
  EXPECT_TRUE(
      bool(parseNpy(makeFile(describe(">u1", "(1,)"), "a"), DType::F8E5M2)));
}

/// A header is judged before there is memory for what it announces.
TEST_F(Npy, ReadsTheHeaderFirst) {
  std::vector<uint8_t> file =
      makeFile(describe("<f4", "(300000000000,)"), std::string());
  std::ofstream(getPath(), std::ios::binary)
      .write(reinterpret_cast<const char *>(file.data()), file.size());
  auto opened = NpyFile::open(getPath(), DType::F32);
  ASSERT_FALSE(bool(opened));
  EXPECT_EQ(opened.error(),
            getPath() + ": truncated: 0 bytes of data, but 300000000000 of "
                        "'<f4' needs 1200000000000");
  // All hole.
  ASSERT_EQ(truncate(getPath().c_str(), off_t(file.size()) + 1200000000000), 0);
  opened = NpyFile::open(getPath(), DType::F32);
  ASSERT_TRUE(bool(opened)) << opened.error();
  EXPECT_EQ(opened->getHeader().shape, (std::vector<int64_t>{300000000000}));
  auto read = opened->read();
  ASSERT_FALSE(bool(read));
  EXPECT_EQ(read.error(), getPath() +
                              ": not enough memory: 1200000000000 bytes "
                              "are needed");
}

TEST_F(Npy, ExplainsWhatIsWrong) {
  struct Row {
    std::vector<uint8_t> file;
    const char *error;
  };
  const Row rows[] = {
      {{'a', 'b'}, "not a .npy file; write it with numpy.save"},
      {makeFile("", ""), "truncated: it ends inside the header"},
      {makeFile(describe("<f2", "(2,)"), "abcd", 4),
       ".npy version 4, expected 1, 2 or 3"},
      {makeFile("{'descr': '<f2'}", "abcd"),
       "malformed .npy header: {'descr': '<f2'}"},
      {makeFile("[1]................", ""),
       "malformed .npy header: [1]................"},
      {makeFile("{'descr': '<f2', 'shape': (99999999999999999999,)}", ""),
       "malformed .npy header: {'descr': '<f2', 'shape': "
       "(99999999999999999999,)}"},
      {makeFile(describe("<f8", "(1,)"), "abcdefgh"),
       "element type '<f8', expected '<f2' (f16; use .astype('<f2'))"},
      {makeFile(describe(">f2", "(2,)"), "abcd"),
       "element type '>f2', expected '<f2' (f16; use .astype('<f2'))"},
      {makeFile(describe("<f2", "(1, 2)", "True"), "abcd"),
       "the array is in Fortran order, expected C order; save "
       "numpy.ascontiguousarray(a)"},
      {makeFile(describe("<f2", "(3,)"), "abcd"),
       "truncated: 4 bytes of data, but 3 of '<f2' needs 6"},
      {makeFile(describe("<f2", "(1,)"), "abcd"),
       "too long: 4 bytes of data, but 1 of '<f2' needs 2"},
      {makeFile(describe("<f2", "(4611686018427387904, 4)"), "abcd"),
       "truncated: 4 bytes of data, but 4611686018427387904x4 of '<f2' needs "
       "more than 2^63"}};
  for (const Row &row : rows) {
    auto tensor = parseNpy(row.file, DType::F16);
    ASSERT_FALSE(bool(tensor)) << row.error;
    EXPECT_EQ(tensor.error(), row.error);
  }
  auto missing = readNpy("/nonexistent.npy", DType::F32);
  ASSERT_FALSE(bool(missing));
  EXPECT_EQ(missing.error(),
            "/nonexistent.npy: cannot open: No such file or directory");
}
