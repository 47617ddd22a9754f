//===- CompareTest.cpp - results against what is expected -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Runtime/Compare.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir::te::rt;

static HostTensor makeTensor(DType type, std::vector<int64_t> shape,
                             std::vector<uint8_t> bytes) {
  HostTensor tensor;
  tensor.type = type;
  tensor.shape = std::move(shape);
  tensor.bytes = std::move(bytes);
  return tensor;
}

TEST(Compare, NaNsAndUnspecifiedBits) {
  auto expected = makeTensor(DType::F8E4M3FN, {4}, {0x7F, 0x38, 0x11, 0x00});
  expected.unspecified = {0, 0, 0xFF, 0};
  auto found = makeTensor(DType::F8E4M3FN, {4}, {0xFF, 0x38, 0x7F, 0x00});
  Comparison same = compare("q", found, expected);
  EXPECT_EQ(same.mismatches, 0);
  EXPECT_EQ(same.unspecified, 1);
  // -0 is not 0, and 1.125 is one step from 1.
  found.bytes = {0x7F, 0x39, 0x00, 0x80};
  Comparison different = compare("q", found, expected);
  EXPECT_EQ(different.mismatches, 2);
  EXPECT_EQ(different.firstMismatch, 1);
  EXPECT_EQ(different.worstAbsolute, 0.125);
  EXPECT_EQ(different.worstRelative, 0.125);
  EXPECT_EQ(different.worstUlps, 1);
}

TEST(Compare, FP4ByNibble) {
  auto expected = makeTensor(DType::F4E2M1FN, {2, 1}, {0x21, 0x43});
  expected.unspecified = {0x0F, 0x00};
  auto found = makeTensor(DType::F4E2M1FN, {2, 1}, {0x2F, 0x53});
  Comparison result = compare("q", found, expected);
  EXPECT_EQ(result.elements, 4);
  EXPECT_EQ(result.unspecified, 1);
  EXPECT_EQ(result.mismatches, 1);
  EXPECT_EQ(result.worstAbsolute, 1); // 3 for 2
  EXPECT_FALSE(isPass({result}));
  std::string text = formatComparisons({result});
  EXPECT_NE(text.find("first mismatch at [1, 1]: found 0x5 (3), expected 0x4 "
                      "(2)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\nFAIL\n"), std::string::npos) << text;
}

TEST(Compare, SumsHaveBoundsOfTheirOwn) {
  HostTensor expected = HostTensor::zeros(DType::F32, {3}), found = expected;
  for (int64_t i = 0; i < 3; ++i) {
    expected.store<float>(i, 1.0f);
    found.store<float>(i, 1.5f);
  }
  Tolerance tolerance{"gemm", 1e-6, 5e-6};
  EXPECT_EQ(compare("d", found, expected, tolerance).mismatches, 3);
  expected.bounds = {0.6, 0.4, 0.4};
  EXPECT_EQ(compare("d", found, expected, tolerance).mismatches, 2);
}

TEST(Compare, FloatsAndIntegers) {
  HostTensor a = HostTensor::zeros(DType::F32, {3}), b = a;
  a.store<float>(1, 1.0f);
  b.store<float>(1, std::nextafter(1.0f, 2.0f));
  a.store<float>(2, NAN);
  Comparison result = compare("y", a, b);
  EXPECT_EQ(result.mismatches, 2);
  EXPECT_EQ(result.worstUlps, 1);
  EXPECT_EQ(compare("y", a, a).mismatches, 0);
  HostTensor i = HostTensor::zeros(DType::I64, {1}), j = i;
  j.store<int64_t>(0, int64_t(1) << 40);
  EXPECT_EQ(compare("i", i, j).mismatches, 1);
}

TEST(Compare, StepsOfACode) {
  // Two codes of 2000 may be off by a step, for one in 1000 may.
  HostTensor expected = HostTensor::zeros(DType::F8E4M3FN, {2000});
  HostTensor found = expected;
  Tolerance tolerance{"norm", 0, 0, 0, 1};
  found.bytes[3] = 0x01;
  found.bytes[7] = 0x81; // a step below zero
  Comparison two = compare("q", found, expected, tolerance);
  EXPECT_EQ(two.mismatches, 0);
  EXPECT_EQ(two.outliers, 2);
  EXPECT_EQ(two.differences, 2);
  EXPECT_EQ(compare("q", found, expected).mismatches, 2);
  found.bytes[9] = 0x01;
  EXPECT_EQ(compare("q", found, expected, tolerance).mismatches, 3);
  found.bytes[7] = found.bytes[9] = 0;
  found.bytes[3] = 0x02;
  EXPECT_EQ(compare("q", found, expected, tolerance).mismatches, 1);
}
