//===- ToleranceTest.cpp - what --check lets pass, and what not -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Driver/Tolerance.h"
#include "te/Dialect/TE/IR/TE.h"
#include "te/Driver/Compare.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace mlir::te;
using ref::ScaledTensor;
using ref::Scaling;
using rt::compare;
using rt::Comparison;
using rt::DType;
using rt::HostTensor;
using rt::Tolerance;

//===----------------------------------------------------------------------===//
// From a function to tolerances
//===----------------------------------------------------------------------===//

/// The rules of the results of a function, given from its arguments on.
static std::vector<std::string> getRules(StringRef text) {
  MLIRContext context;
  context.loadDialect<TEDialect, func::FuncDialect, arith::ArithDialect,
                      math::MathDialect, tensor::TensorDialect>();
  std::string source = R"(
    #row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
    func.func @f)" + text.str();
  auto module = parseSourceString<ModuleOp>(source, &context);
  if (!module)
    return {"does not parse"};
  std::vector<std::string> rules;
  for (const Tolerance &tolerance :
       getTolerances(*module->getOps<func::FuncOp>().begin()))
    rules.push_back(format(tolerance));
  return rules;
}

using Strings = std::vector<std::string>;

TEST(Tolerance, WhatIsComputedExactlyIsExact) {
  EXPECT_EQ(getRules(R"((%x: tensor<4x32xbf16>, %s: tensor<f32>)
      -> (!te.scaled<4x32xf8E4M3FN, #row>, tensor<f32>, tensor<4x32xf32>) {
    %y = arith.addf %x, %x : tensor<4x32xbf16>
    %q, %a = te.quantize %y : tensor<4x32xbf16>
        -> !te.scaled<4x32xf8E4M3FN, #row>, tensor<f32>
    %z = te.dequantize %q : !te.scaled<4x32xf8E4M3FN, #row> -> tensor<4x32xf32>
    %u = math.absf %z : tensor<4x32xf32>
    return %q, %a, %u
      : !te.scaled<4x32xf8E4M3FN, #row>, tensor<f32>, tensor<4x32xf32>
  })"),
            (Strings{"exact", "exact", "exact"}));
}

TEST(Tolerance, GemmsOfExactAndOfApproximateFactors) {
  EXPECT_EQ(getRules(R"((%x: tensor<4x32xbf16>, %g: tensor<32xbf16>,
         %w: tensor<8x32xbf16>) -> (tensor<4x8xf32>, tensor<4x8xbf16>) {
    %d = te.gemm %x, %w transpose_b
        : tensor<4x32xbf16>, tensor<8x32xbf16> -> tensor<4x8xf32>
    %n, %r = te.rms_norm %x, %g {epsilon = 0.0 : f32}
        : tensor<4x32xbf16>, tensor<32xbf16> -> tensor<4x32xbf16>, tensor<4xf32>
    %e = te.gemm %n, %w transpose_b
        : tensor<4x32xbf16>, tensor<8x32xbf16> -> tensor<4x8xbf16>
    return %d, %e : tensor<4x8xf32>, tensor<4x8xbf16>
  })"),
            (Strings{"gemm (1e-06, 5e-06, 5e-06)",
                     "norm, gemm (1e-05, 0.01, 0.01)"}));
}

TEST(Tolerance, SumsOfExactAndOfApproximateRows) {
  EXPECT_EQ(getRules(R"((%x: tensor<4x32xbf16>, %g: tensor<32xbf16>)
      -> (tensor<32xbf16>, tensor<32xbf16>) {
    %b = te.bias_grad %x : tensor<4x32xbf16> -> tensor<32xbf16>
    %n, %r = te.rms_norm %x, %g {epsilon = 0.0 : f32}
        : tensor<4x32xbf16>, tensor<32xbf16> -> tensor<4x32xbf16>, tensor<4xf32>
    %c = te.bias_grad %n : tensor<4x32xbf16> -> tensor<32xbf16>
    return %b, %c : tensor<32xbf16>, tensor<32xbf16>
  })"),
            (Strings{"sum (1e-05, 0.01)", "norm, sum (1e-05, 0.01, 0.01)"}));
}

TEST(Tolerance, NormsByTypeAndResult) {
  EXPECT_EQ(getRules(R"((%x: tensor<4x32xf32>, %g: tensor<32xf32>)
      -> (tensor<4x32xf32>, tensor<4xf32>, tensor<4x32xbf16>) {
    %y, %r = te.rms_norm %x, %g {epsilon = 0.0 : f32}
        : tensor<4x32xf32>, tensor<32xf32> -> tensor<4x32xf32>, tensor<4xf32>
    %z, %s = te.rms_norm %x, %g {epsilon = 0.0 : f32}
        : tensor<4x32xf32>, tensor<32xf32> -> tensor<4x32xbf16>, tensor<4xf32>
    return %y, %r, %z : tensor<4x32xf32>, tensor<4xf32>, tensor<4x32xbf16>
  })"),
            (Strings{"norm (5e-07, 5e-06)", "statistic (1e-06, 5e-05)",
                     "norm (1e-05, 0.01)"}));
  EXPECT_EQ(
      getRules(R"((%x: tensor<4x32xf32>, %g: tensor<32xf16>, %r: tensor<4xf32>)
      -> (tensor<4x32xf32>, tensor<32xf16>) {
    %dx, %dg = te.rms_norm_bwd %x, %x, %g, %r
        : tensor<4x32xf32>, tensor<4x32xf32>, tensor<32xf16>, tensor<4xf32>
        -> tensor<4x32xf32>, tensor<32xf16>
    return %dx, %dg : tensor<4x32xf32>, tensor<32xf16>
  })"),
      (Strings{"norm gradient (0.0005, 0.0005)",
               "norm gradient (1e-05, 0.001)"}));
  // dx + add may cancel.
  EXPECT_EQ(
      getRules(R"((%x: tensor<4x32xbf16>, %g: tensor<32xf16>, %r: tensor<4xf32>)
      -> (tensor<4x32xf32>, tensor<32xf16>) {
    %dx, %dg = te.rms_norm_bwd %x, %x, %g, %r add(%x : tensor<4x32xbf16>)
        : tensor<4x32xbf16>, tensor<4x32xbf16>, tensor<32xf16>, tensor<4xf32>
        -> tensor<4x32xf32>, tensor<32xf16>
    return %dx, %dg : tensor<4x32xf32>, tensor<32xf16>
  })"),
      (Strings{"norm gradient (0.0005, 0.0005, 0.0005)",
               "norm gradient (1e-05, 0.001)"}));
}

// The widest of what is behind a value counts, through regions too.
TEST(Tolerance, FollowsTheValues) {
  EXPECT_EQ(
      getRules(R"((%x: tensor<4x64xf32>, %g: tensor<64xf32>)
      -> (!te.scaled<4x32xf8E4M3FN, #row>, tensor<f32>, tensor<4x32xf32>,
          tensor<4x32xf32>, tensor<4x32xf16>, index) {
    %y, %r = te.rms_norm %x, %g {epsilon = 0.0 : f32}
        : tensor<4x64xf32>, tensor<64xf32> -> tensor<4x64xbf16>, tensor<4xf32>
    %q, %a = te.fusion "k" (%i = %y : tensor<4x64xbf16>)
        -> (!te.scaled<4x32xf8E4M3FN, #row>, tensor<f32>) {
      %0 = te.gated_activation swiglu %i
          : tensor<4x64xbf16> -> tensor<4x32xf32>
      %1, %2 = te.quantize %0 : tensor<4x32xf32>
          -> !te.scaled<4x32xf8E4M3FN, #row>, tensor<f32>
      te.yield %1, %2 : !te.scaled<4x32xf8E4M3FN, #row>, tensor<f32>
    }
    %z = te.dequantize %q : !te.scaled<4x32xf8E4M3FN, #row> -> tensor<4x32xf32>
    %e = tensor.extract_slice %x[0, 0] [4, 32] [1, 1]
        : tensor<4x64xf32> to tensor<4x32xf32>
    %t = math.tanh %e : tensor<4x32xf32>
    %u = arith.addf %t, %e : tensor<4x32xf32>
    %v = arith.truncf %t : tensor<4x32xf32> to tensor<4x32xf16>
    %d = te.dim %y, 0 : tensor<4x64xbf16>
    return %q, %a, %z, %u, %v, %d : !te.scaled<4x32xf8E4M3FN, #row>,
      tensor<f32>, tensor<4x32xf32>, tensor<4x32xf32>, tensor<4x32xf16>, index
  })"),
      (Strings{"norm, activation (1e-05, 0.01)",
               "norm, activation (1e-05, 0.01)",
               "norm, activation (1e-05, 0.01, 0.125)",
               "math (1e-06, 5e-06, 5e-06)", "math (1e-05, 0.001)", "exact"}));
}

TEST(Tolerance, SumsOfGradients) {
  EXPECT_EQ(getRules(R"((%x: tensor<4x32xbf16>, %s: tensor<4xf32>)
      -> (tensor<4x32xf32>, tensor<32xf32>, tensor<4xf32>) {
    %dx, %db, %ds = te.activation_bwd gelu %x, %x scales(%s : tensor<4xf32>)
        : tensor<4x32xbf16>, tensor<4x32xbf16>
        -> tensor<4x32xf32> dbias tensor<32xf32> dscale tensor<4xf32>
    return %dx, %db, %ds : tensor<4x32xf32>, tensor<32xf32>, tensor<4xf32>
  })"),
            (Strings{"activation (1e-06, 5e-06)", "sum (0.0001, 2e-05)",
                     "sum (0.0001, 2e-05)"}));
}

//===----------------------------------------------------------------------===//
// High-precision results
//===----------------------------------------------------------------------===//

static HostTensor makeF32(std::vector<float> values) {
  HostTensor tensor = HostTensor::zeros(DType::F32, {int64_t(values.size())});
  for (auto [i, value] : llvm::enumerate(values))
    tensor.store<float>(i, value);
  return tensor;
}

static int64_t countMismatches(float found, float expected,
                               const Tolerance &tolerance) {
  return compare("y", makeF32({found}), makeF32({expected}), tolerance)
      .mismatches;
}

TEST(Tolerance, BothBoundsMustBeExceeded) {
  Tolerance tolerance{"norm", 1e-3, 1e-2, 0};
  EXPECT_EQ(countMismatches(100.9f, 100, tolerance), 0); // rtol
  EXPECT_EQ(countMismatches(101.1f, 100, tolerance), 1);
  EXPECT_EQ(countMismatches(-100, 100, tolerance), 1);
  auto besideOne = [&](float found, float expected) {
    return compare("y", makeF32({found, 1}), makeF32({expected, 1}), tolerance)
        .mismatches;
  };
  EXPECT_EQ(besideOne(0.0109f, 0.01f), 0); // atol
  EXPECT_EQ(besideOne(0.0111f, 0.01f), 1);
  EXPECT_EQ(besideOne(0.0009f, 0), 0);
  EXPECT_EQ(besideOne(0.0011f, 0), 1);
}

// atol is for values of about 1: it must not hide a tensor of small ones.
TEST(Tolerance, AtolShrinksWithTheLargestValue) {
  Tolerance tolerance{"norm", 1e-3, 1e-4, 0};
  auto besideThousandth = [&](float found) {
    return compare("y", makeF32({found, 1e-3f}), makeF32({0, 1e-3f}), tolerance)
        .mismatches;
  };
  EXPECT_EQ(besideThousandth(0.9e-6f), 0);
  EXPECT_EQ(besideThousandth(1.1e-6f), 1);
}

TEST(Tolerance, NothingIsNearInfOrNaN) {
  Tolerance wide{"norm", 1e30, 1e30, 1e30};
  EXPECT_EQ(countMismatches(NAN, NAN, wide), 0);
  EXPECT_EQ(countMismatches(INFINITY, INFINITY, wide), 0);
  EXPECT_EQ(countMismatches(NAN, 1, wide), 1);
  EXPECT_EQ(countMismatches(1, NAN, wide), 1);
  EXPECT_EQ(countMismatches(INFINITY, -INFINITY, wide), 1);
  EXPECT_EQ(countMismatches(1, INFINITY, wide), 1);
  EXPECT_EQ(countMismatches(INFINITY, 1, wide), 1);
}

// Slack is for one element in a thousand.
TEST(Tolerance, OutliersAreFew) {
  Tolerance tolerance{"norm", 0, 1e-3, 1e-2};
  auto check = [&](int off, float by) {
    std::vector<float> expected(4000, 1), found = expected;
    expected[3999] = found[3999] = 8;
    std::fill_n(found.begin(), off, 1 + by);
    return compare("y", makeF32(found), makeF32(expected), tolerance);
  };
  EXPECT_EQ(check(4, 0.079f).mismatches, 0);
  EXPECT_EQ(check(4, 0.079f).outliers, 4);
  EXPECT_EQ(check(5, 0.079f).mismatches, 5);
  EXPECT_EQ(check(5, 0.079f).firstMismatch, 0);
  EXPECT_EQ(check(1, 0.081f).mismatches, 1);
  EXPECT_EQ(check(4000 - 1, 0.0009f).mismatches, 0);
}

//===----------------------------------------------------------------------===//
// Quantized results
//===----------------------------------------------------------------------===//

namespace {
/// An MXFP8 tensor of 64 x 64 and a copy to change.
struct Scaled {
  explicit Scaled(DType element = DType::F8E4M3FN) {
    scaling.granularity = ref::Granularity::Block;
    scaling.blockRows = 1;
    scaling.blockCols = 32;
    scaling.scaleType = DType::F8E8M0FNU;
    scaling.rounding = ref::Rounding::RCeil;
    x = HostTensor::zeros(DType::F32, {64, 64});
    for (int64_t i = 0; i < 64 * 64; ++i)
      x.store<float>(i, 1 + float(i * 37 % 101) / 101);
    requantize(element, expected);
    found = expected;
  }
  void requantize(DType element, ScaledTensor &into) {
    auto result = ref::quantize(x, element, scaling);
    ASSERT_TRUE(bool(result));
    into = std::move(*result);
  }
  std::pair<int64_t, int64_t> countMismatches(double atol = 1e-5) const {
    auto [data, scales] = compareScaled("q", found, expected, scaling, {64, 64},
                                        {"norm", atol, 1e-2, 0});
    return {data.mismatches, scales.mismatches};
  }

  Scaling scaling;
  HostTensor x;
  ScaledTensor found, expected;
};
using Counts = std::pair<int64_t, int64_t>;
} // namespace

TEST(Tolerance, OneCodeInAThousand) {
  Scaled scaled;
  EXPECT_EQ(scaled.countMismatches(), Counts(0, 0));
  for (int i = 0; i < 4; ++i) // of 4096
    scaled.found.data.bytes[i * 100] += 1;
  EXPECT_EQ(scaled.countMismatches(), Counts(0, 0));
  scaled.found.data.bytes[4000] -= 1;
  EXPECT_EQ(scaled.countMismatches(), Counts(5, 0));
}

TEST(Tolerance, TwoCodesAreTooMany) {
  Scaled scaled;
  scaled.found.data.bytes[77] -= 2;
  EXPECT_EQ(scaled.countMismatches(), Counts(1, 0));
  EXPECT_EQ(scaled.countMismatches(0.3), Counts(0, 0)); // two codes are 0.25
}

TEST(Tolerance, ExactMeansEveryCode) {
  Scaled scaled;
  scaled.found.data.bytes[77] -= 1;
  auto [data, scales] = compareScaled("q", scaled.found, scaled.expected,
                                      scaled.scaling, {64, 64}, {});
  EXPECT_EQ(data.mismatches, 1);
  EXPECT_EQ(scales.mismatches, 0);
}

// An amax on the edge of two scales: the whole block is quantized otherwise.
TEST(Tolerance, OneScaleStep) {
  Scaled scaled;
  scaled.x.store<float>(3, 1.75f); // scales of 2^-8 reach 1.75
  for (int i = 4; i < 32; ++i)
    scaled.x.store<float>(i, 0.015f * i);
  scaled.x.store<float>(0, 0);
  scaled.x.store<float>(1, -1.5f);
  scaled.x.store<float>(2, 1e-3f);
  scaled.requantize(DType::F8E4M3FN, scaled.expected);
  scaled.x.store<float>(3, std::nextafter(1.75f, 2.0f));
  scaled.requantize(DType::F8E4M3FN, scaled.found);
  ASSERT_EQ(scaled.found.scales.bytes[0], scaled.expected.scales.bytes[0] + 1);
  EXPECT_EQ(scaled.countMismatches(), Counts(0, 0));
  // Data that do not take the step along are wrong.
  scaled.found.data = scaled.expected.data;
  EXPECT_GT(scaled.countMismatches().first, 20);
}

TEST(Tolerance, ScaleStepsAreFew) {
  Scaled scaled;
  scaled.found.scales.bytes[0] += 2;
  EXPECT_EQ(scaled.countMismatches().second, 1);
  scaled = Scaled();
  scaled.found.scales.bytes[4] += 1; // one of 512 cells, padding among them
  EXPECT_EQ(scaled.countMismatches().second, 0);
  scaled.found.scales.bytes[9] += 1;
  EXPECT_EQ(scaled.countMismatches().second, 2);
  scaled = Scaled();
  scaled.found.scales.bytes[3] += 1; // padding
  EXPECT_EQ(scaled.countMismatches(), Counts(0, 1));
}

TEST(Tolerance, F32Scales) {
  Scaled scaled;
  scaled.scaling = Scaling();
  scaled.requantize(DType::F8E4M3FN, scaled.expected);
  float scale = scaled.expected.scales.load<float>(0);
  auto check = [&](float factor) {
    scaled.found = scaled.expected;
    scaled.found.scales.store<float>(0, scale * factor);
    return scaled.countMismatches();
  };
  EXPECT_EQ(check(1.000001f), Counts(0, 0));
  EXPECT_EQ(check(1.009f), Counts(0, 0)); // one amax, of rtol 1e-2
  EXPECT_EQ(check(1.011f).second, 1);
  EXPECT_EQ(check(2).second, 1);
  scaled.scaling.rounding = ref::Rounding::Pow2;
  scaled.requantize(DType::F8E4M3FN, scaled.expected);
  scale = scaled.expected.scales.load<float>(0);
  EXPECT_EQ(check(2).second, 0);
  EXPECT_GT(check(2).first, 0); // the data did not follow
  EXPECT_EQ(check(1.009f).second, 1);
}

// The amax of few elements may be a small difference of large numbers.
TEST(Tolerance, F32ScalesWithinAtolOfTheAmax) {
  Scaled scaled;
  scaled.scaling.scaleType = DType::F32;
  for (int64_t i = 0; i < 64 * 64; ++i)
    scaled.x.store<float>(i, 0.005f * scaled.x.load<float>(i));
  scaled.requantize(DType::F8E4M3FN, scaled.expected);
  auto check = [&](float factor) {
    scaled.found = scaled.expected;
    for (int64_t i = 0; i < 8; ++i)
      scaled.found.scales.store<float>(
          i, factor * scaled.expected.scales.load<float>(i));
    return scaled.countMismatches();
  };
  // atol is 1e-5 of an amax below 1.
  EXPECT_EQ(check(1.000009f), Counts(0, 0));
  EXPECT_EQ(check(1.00003f).second, 8);
}

TEST(Tolerance, FP4Nibbles) {
  Scaled scaled(DType::F4E2M1FN);
  uint8_t byte = scaled.expected.data.bytes[5];
  ASSERT_GE(byte >> 4, 2);
  scaled.found.data.bytes[5] = byte - 0x10;
  EXPECT_EQ(scaled.countMismatches(), Counts(0, 0));
  scaled.found.data.bytes[5] = byte - 0x20;
  EXPECT_EQ(scaled.countMismatches(), Counts(1, 0));
  // The nibble after an odd row holds nothing, and is compared as it is.
  scaled.x = HostTensor::zeros(DType::F32, {64, 33});
  scaled.requantize(DType::F4E2M1FN, scaled.expected);
  scaled.found = scaled.expected;
  scaled.found.data.bytes[16] = 0x10;
  auto data = compareScaled("q", scaled.found, scaled.expected, scaled.scaling,
                            {64, 33}, {"norm", 1e-5, 1e-2, 0})
                  .first;
  EXPECT_EQ(data.mismatches, 1);
  EXPECT_EQ(data.firstMismatch, 33);
}
