//===- InterpreterTest.cpp - te functions run on host tensors -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Reference/Interpreter.h"
#include "te/Dialect/TE/IR/TE.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::te;
using ref::DType;
using ref::HostTensor;
using ref::TensorValue;

namespace {
class Interpreter : public testing::Test {
protected:
  Interpreter() {
    context.loadDialect<TEDialect, func::FuncDialect, arith::ArithDialect,
                        math::MathDialect>();
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      llvm::raw_string_ostream(diagnostics)
          << diagnostic.getLocation() << ": " << diagnostic.str() << "\n";
    });
  }

  FailureOr<std::vector<TensorValue>> run(StringRef source,
                                          ArrayRef<TensorValue> arguments) {
    module = parseSourceString<ModuleOp>(source, &context, "in.mlir");
    if (!module) {
      ADD_FAILURE() << diagnostics;
      return failure();
    }
    ref::InterpreterOptions options;
    options.poison = 0x5A;
    return ref::interpret(*module->getOps<func::FuncOp>().begin(), arguments,
                          options);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string diagnostics;
};
} // namespace

static TensorValue makeF32(std::vector<int64_t> shape, ArrayRef<float> values) {
  HostTensor tensor = HostTensor::zeros(DType::F32, shape);
  for (auto [index, value] : llvm::enumerate(values))
    tensor.store<float>(index, value);
  return {shape, {tensor}};
}

static std::vector<float> getFloats(const HostTensor &tensor) {
  std::vector<float> values;
  for (int64_t i = 0; i < tensor.getNumUnits(); ++i)
    values.push_back(tensor.load<float>(i));
  return values;
}

TEST_F(Interpreter, QuantizesBothWaysWithAmax) {
  auto results = run(R"(
    #row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
    #col = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
    func.func @f(%x: tensor<?x?xf32>)
        -> (!te.scaled<?x?xf8E4M3FN, #row>, !te.scaled<?x?xf8E4M3FN, #col>,
            tensor<f32>) {
      %q, %c, %a = te.quantize %x : tensor<?x?xf32>
        -> !te.scaled<?x?xf8E4M3FN, #row>, !te.scaled<?x?xf8E4M3FN, #col>,
           tensor<f32>
      return %q, %c, %a : !te.scaled<?x?xf8E4M3FN, #row>,
        !te.scaled<?x?xf8E4M3FN, #col>, tensor<f32>
    })",
                     {makeF32({2, 2}, {1.0f, 2.0f, -448.0f, 449.0f})});
  ASSERT_TRUE(succeeded(results)) << diagnostics;
  const HostTensor &rowScales = (*results)[0].buffers[1];
  EXPECT_EQ(rowScales.shape, (std::vector<int64_t>{128, 4}));
  EXPECT_EQ(rowScales.bytes[0], 120); // amax 2
  EXPECT_EQ(rowScales.bytes[4], 128); // amax 449
  EXPECT_EQ(rowScales.bytes[1], 0);
  // 1 * 2^7 and 2 * 2^7; -448 / 2 and 449 / 2.
  EXPECT_EQ((*results)[0].buffers[0].bytes,
            (std::vector<uint8_t>{0x70, 0x78, 0xF6, 0x76}));
  const HostTensor &colScales = (*results)[1].buffers[1];
  EXPECT_EQ(colScales.shape, (std::vector<int64_t>{4, 128}));
  EXPECT_EQ(colScales.bytes[0], 127); // amax 448
  EXPECT_EQ(colScales.bytes[1], 128); // amax 449
  EXPECT_EQ(getFloats((*results)[2].buffers[0]), (std::vector<float>{449}));
}

TEST_F(Interpreter, DelayedScalingAndDequantize) {
  auto results = run(R"(
    #s = #te.scaling<tensor, scale = f32, data_layout = transposed>
    func.func @f(%x: tensor<1x2xf32>, %s: tensor<f32>) -> tensor<1x2xbf16> {
      %q = te.quantize %x scale(%s : tensor<f32>) : tensor<1x2xf32>
        -> !te.scaled<1x2xf8E4M3FN, #s>
      %y = te.dequantize %q : !te.scaled<1x2xf8E4M3FN, #s> -> tensor<1x2xbf16>
      return %y : tensor<1x2xbf16>
    })",
                     {makeF32({1, 2}, {3.0f, 1000.0f}), makeF32({}, {2.0f})});
  ASSERT_TRUE(succeeded(results)) << diagnostics;
  const HostTensor &y = (*results)[0].buffers[0];
  EXPECT_EQ(ref::loadElement(y, 0), 3.0);
  EXPECT_EQ(ref::loadElement(y, 1), 224.0); // saturated: 448 / 2
}

static const char *const kNoop = R"(
  #s = #te.scaling<row, scale = f32>
  func.func @f(%x: tensor<2x3xf32>, %n: tensor<f32>)
      -> (!te.scaled<2x3xf8E4M3FN, #s>, tensor<f32>, tensor<f32>) {
    %q, %a = te.quantize %x noop(%n : tensor<f32>) : tensor<2x3xf32>
      -> !te.scaled<2x3xf8E4M3FN, #s>, tensor<f32>
    %b = te.amax %x noop(%n : tensor<f32>) : tensor<2x3xf32> -> tensor<f32>
    return %q, %a, %b : !te.scaled<2x3xf8E4M3FN, #s>, tensor<f32>, tensor<f32>
  })";

TEST_F(Interpreter, NoopKeepsWhatTheBuffersHeld) {
  auto results =
      run(kNoop, {makeF32({2, 3}, {1, 2, 3, 4, 5, 6}), makeF32({}, {1.0f})});
  ASSERT_TRUE(succeeded(results)) << diagnostics;
  EXPECT_EQ((*results)[0].buffers[0].bytes, std::vector<uint8_t>(6, 0x5A));
  EXPECT_EQ((*results)[0].buffers[1].bytes, std::vector<uint8_t>(8, 0x5A));
  EXPECT_EQ((*results)[1].buffers[0].bytes, std::vector<uint8_t>(4, 0x5A));
  EXPECT_EQ((*results)[2].buffers[0].bytes, std::vector<uint8_t>(4, 0x5A));
  auto run0 =
      run(kNoop, {makeF32({2, 3}, {1, 2, 3, 4, 5, 6}), makeF32({}, {0.0f})});
  ASSERT_TRUE(succeeded(run0)) << diagnostics;
  EXPECT_EQ(getFloats((*run0)[2].buffers[0]), (std::vector<float>{6}));
}

TEST_F(Interpreter, FusionAndArith) {
  auto results = run(R"(
    func.func @f(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<f32>) {
      %y, %a = te.fusion "k" (%i = %x : tensor<3xf32>)
          -> (tensor<3xf32>, tensor<f32>) {
        %c = arith.constant dense<[1.0, 2.0, 0.0]> : tensor<3xf32>
        %0 = arith.addf %i, %c : tensor<3xf32>
        %1 = arith.truncf %0 : tensor<3xf32> to tensor<3xbf16>
        %2 = arith.extf %1 : tensor<3xbf16> to tensor<3xf32>
        %3 = te.amax %2 : tensor<3xf32> -> tensor<f32>
        te.yield %2, %3 : tensor<3xf32>, tensor<f32>
      }
      return %y, %a : tensor<3xf32>, tensor<f32>
    })",
                     {makeF32({3}, {1.0f, -5.0f, 1.00390625f})});
  ASSERT_TRUE(succeeded(results)) << diagnostics;
  // 1 + 2^-8 is a tie of bf16, and goes to even.
  EXPECT_EQ(getFloats((*results)[0].buffers[0]),
            (std::vector<float>{2.0f, -3.0f, 1.0f}));
  EXPECT_EQ(getFloats((*results)[1].buffers[0]), (std::vector<float>{3}));
}

/// Of f32.
constexpr double kRelative = 5e-6;

// The terms' sizes say how far off a sum may be, not what is left of them.
TEST_F(Interpreter, SumsAreBoundedByTheirTerms) {
  auto results = run(R"(
    func.func @f(%x: tensor<2x2xf32>, %dy: tensor<2x2xf32>)
        -> (tensor<2xf32>, tensor<2xf32>) {
      %b = te.bias_grad %x : tensor<2x2xf32> -> tensor<2xf32>
      %s = arith.constant dense<1.0> : tensor<2xf32>
      %dx, %ds = te.activation_bwd relu %dy, %x scales(%s : tensor<2xf32>)
        : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32> dscale tensor<2xf32>
      return %b, %ds : tensor<2xf32>, tensor<2xf32>
    })",
                     {makeF32({2, 2}, {4.0f, 1.0f, -4.0f, 3.0f}),
                      makeF32({2, 2}, {1.0f, -4.0f, 9.0f, 0.0f})});
  ASSERT_TRUE(succeeded(results)) << diagnostics;
  const HostTensor &columns = (*results)[0].buffers[0];
  EXPECT_EQ(getFloats(columns), (std::vector<float>{0, 4}));
  ASSERT_EQ(columns.bounds.size(), 2u);
  EXPECT_DOUBLE_EQ(columns.bounds[0], kRelative * std::sqrt(32.0));
  EXPECT_DOUBLE_EQ(columns.bounds[1], kRelative * std::sqrt(10.0));
  const HostTensor &rows = (*results)[1].buffers[0];
  EXPECT_EQ(getFloats(rows), (std::vector<float>{0, 0}));
  ASSERT_EQ(rows.bounds.size(), 2u);
  // Each term is as far off as an activation may be: 4, -4; then zeros, whose
  // factors are no more than 16 in all.
  EXPECT_DOUBLE_EQ(rows.bounds[0],
                   kRelative * std::sqrt(32.0) + 2 * (kRelative * 4 + 1e-6));
  EXPECT_DOUBLE_EQ(rows.bounds[1], 16 * 0x1p-126);
}

// What is added to a sum moves it, and is as far off itself.
TEST_F(Interpreter, BoundsOfSumsAreAdded) {
  auto results = run(
      R"(
    func.func @f(%x: tensor<2x2xf32>, %y: tensor<2xf32>)
        -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
      %b = te.bias_grad %x : tensor<2x2xf32> -> tensor<2xf32>
      %n = arith.negf %b : tensor<2xf32>
      %s = arith.subf %y, %n : tensor<2xf32>
      %t = arith.addf %s, %b : tensor<2xf32>
      %p = arith.mulf %b, %b : tensor<2xf32>
      return %s, %t, %p : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
    })",
      {makeF32({2, 2}, {4.0f, 1.0f, -4.0f, 3.0f}), makeF32({2}, {1.0f, 2.0f})});
  ASSERT_TRUE(succeeded(results)) << diagnostics;
  const HostTensor &once = (*results)[0].buffers[0];
  EXPECT_EQ(getFloats(once), (std::vector<float>{1, 6}));
  // Each op rounds its operands' bounds to f32.
  const double ulp = 0x1p-23;
  const double sums[] = {kRelative * std::sqrt(32.0),
                         kRelative * std::sqrt(10.0)};
  ASSERT_EQ(once.bounds.size(), 2u);
  EXPECT_NEAR(once.bounds[0], sums[0], 1e-13);
  EXPECT_NEAR(once.bounds[1], sums[1] + 2 * 4 * ulp, 1e-13);
  const std::vector<double> &twice = (*results)[1].buffers[0].bounds;
  ASSERT_EQ(twice.size(), 2u);
  EXPECT_NEAR(twice[0], 2 * sums[0] + ulp, 1e-13);
  EXPECT_NEAR(twice[1], 2 * sums[1] + (2 * 4 + 6 + 4) * ulp, 1e-13);
  // Both factors may be off at once.
  const std::vector<double> &products = (*results)[2].buffers[0].bounds;
  ASSERT_EQ(products.size(), 2u);
  EXPECT_DOUBLE_EQ(products[0], sums[0] * sums[0]);
  double factor = 4 + sums[1] + 4 * ulp;
  EXPECT_NEAR(products[1], factor * factor - 16, 1e-13);
}

// Also after what only moves elements; what is not rotated is exact.
TEST_F(Interpreter, RotationsAreBoundedByTheirTerms) {
  auto results = run(R"(
    func.func @f(%x: tensor<1x1x1x3xf32>, %freqs: tensor<1x2xf32>)
        -> tensor<1x1x1x4xf32> {
      %y = te.rope sbhd %x, %freqs
        : tensor<1x1x1x3xf32>, tensor<1x2xf32> -> tensor<1x1x1x3xf32>
      %first = tensor.extract_slice %x[0, 0, 0, 0] [1, 1, 1, 1] [1, 1, 1, 1]
        : tensor<1x1x1x3xf32> to tensor<1x1x1x1xf32>
      %z = tensor.concat dim(3) %first, %y
        : (tensor<1x1x1x1xf32>, tensor<1x1x1x3xf32>) -> tensor<1x1x1x4xf32>
      return %z : tensor<1x1x1x4xf32>
    })",
                     {makeF32({1, 1, 1, 3}, {3.0f, 4.0f, 5.0f}),
                      makeF32({1, 2}, {0.5f, 0.5f})});
  ASSERT_TRUE(succeeded(results)) << diagnostics;
  const std::vector<double> &bounds = (*results)[0].buffers[0].bounds;
  ASSERT_EQ(bounds.size(), 4u);
  EXPECT_EQ(bounds[0], 0);
  EXPECT_DOUBLE_EQ(
      bounds[1], kRelative * std::hypot(3 * std::cos(0.5), 4 * std::sin(0.5)));
  EXPECT_DOUBLE_EQ(
      bounds[2], kRelative * std::hypot(4 * std::cos(0.5), 3 * std::sin(0.5)));
  EXPECT_EQ(bounds[3], 0);
}

// H16 of a unit vector is 0.25 everywhere, with the signs of its column.
TEST_F(Interpreter, HadamardBeforeFP4) {
  std::vector<float> unit(32);
  unit[0] = 16.0f;
  unit[17] = 16.0f;
  auto results = run(R"(
    #s = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = even>
    func.func @f(%x: tensor<1x32xf32>) -> !te.scaled<1x32xf4E2M1FN, #s> {
      %q = te.quantize %x {hadamard, sign_mask = 131072 : i32}
        : tensor<1x32xf32> -> !te.scaled<1x32xf4E2M1FN, #s>
      return %q : !te.scaled<1x32xf4E2M1FN, #s>
    })",
                     {makeF32({1, 32}, unit)});
  ASSERT_TRUE(succeeded(results)) << diagnostics;
  EXPECT_EQ((*results)[0].buffers[1].bytes[0], 127); // amax 4: exponent 0
  std::vector<uint8_t> expected(8, 0x66);            // 4, 4
  // Column 1 of H16 is + - + - ...; bit 17 of the mask negates the element.
  expected.insert(expected.end(), 8, 0x6E); // -4, 4
  EXPECT_EQ((*results)[0].buffers[0].bytes, expected);
}

// The transpose of one copy is the other one that te.quantize writes.
TEST_F(Interpreter, TransposeGivesTheOtherCopy) {
  std::vector<float> values(2 * 3 * 5);
  for (auto [i, value] : llvm::enumerate(values))
    value = 3.0f * i - 40;
  auto results = run(R"(
    #s = #te.scaling<tensor, scale = f32>
    #t = #te.scaling<tensor, scale = f32, data_layout = transposed>
    func.func @f(%x: tensor<2x3x5xf32>)
        -> (!te.scaled<2x3x5xf8E5M2, #s>, !te.scaled<2x3x5xf8E5M2, #t>,
            !te.scaled<2x3x5xf8E5M2, #s>, !te.scaled<2x3x5xf8E5M2, #t>) {
      %q, %c = te.quantize %x : tensor<2x3x5xf32>
        -> !te.scaled<2x3x5xf8E5M2, #s>, !te.scaled<2x3x5xf8E5M2, #t>
      %d = te.transpose %q
        : !te.scaled<2x3x5xf8E5M2, #s> -> !te.scaled<2x3x5xf8E5M2, #t>
      %r = te.transpose %c
        : !te.scaled<2x3x5xf8E5M2, #t> -> !te.scaled<2x3x5xf8E5M2, #s>
      return %q, %c, %r, %d
        : !te.scaled<2x3x5xf8E5M2, #s>, !te.scaled<2x3x5xf8E5M2, #t>,
          !te.scaled<2x3x5xf8E5M2, #s>, !te.scaled<2x3x5xf8E5M2, #t>
    })",
                     {makeF32({2, 3, 5}, values)});
  ASSERT_TRUE(succeeded(results)) << diagnostics;
  EXPECT_NE((*results)[0].buffers[0].bytes, (*results)[1].buffers[0].bytes);
  for (int copy : {0, 1})
    for (int buffer : {0, 1}) {
      const HostTensor &expected = (*results)[copy].buffers[buffer];
      const HostTensor &found = (*results)[copy + 2].buffers[buffer];
      EXPECT_EQ(found.bytes, expected.bytes);
      EXPECT_EQ(found.shape, expected.shape);
    }
}

TEST_F(Interpreter, LocatesErrors) {
  auto unknown = run(R"(func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = arith.remf %x, %x : tensor<2xf32>
      return %y : tensor<2xf32>
    })",
                     {makeF32({2}, {1, 2})});
  EXPECT_TRUE(failed(unknown));
  EXPECT_NE(
      diagnostics.find("\"in.mlir\":2:12): the reference interpreter does "
                       "not know 'arith.remf'"),
      std::string::npos)
      << diagnostics;
  diagnostics.clear();
  EXPECT_TRUE(failed(run(kNoop, {makeF32({2, 2}, {}), makeF32({}, {0})})));
  EXPECT_NE(diagnostics.find("dimension 1 is 2, but the type "
                             "'tensor<2x3xf32>' says 3"),
            std::string::npos)
      << diagnostics;
  diagnostics.clear();
  TensorValue wrong = makeF32({2, 3}, {});
  wrong.buffers[0].bytes.pop_back();
  EXPECT_TRUE(failed(run(kNoop, {wrong, makeF32({}, {0})})));
  EXPECT_NE(diagnostics.find("argument #0 has 23 bytes of f32, expected 24"),
            std::string::npos)
      << diagnostics;
  diagnostics.clear();
  EXPECT_TRUE(failed(run(kNoop, {})));
  EXPECT_NE(diagnostics.find("takes 2 arguments, found 0"), std::string::npos)
      << diagnostics;
}

/// The storage that the type declares, evaluated.
static std::vector<int64_t> evaluate(ArrayRef<ScaledType::StorageDim> dims,
                                     ArrayRef<int64_t> shape) {
  std::vector<int64_t> sizes;
  for (const ScaledType::StorageDim &dim : dims)
    sizes.push_back(dim.evaluate(shape));
  return sizes;
}

static int64_t product(ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<>());
}

// The compiler's storage and the reference's are written apart: they agree on
// every legal type.
TEST_F(Interpreter, StorageIsWhatTheTypeSays) {
  const char *granularities[] = {"tensor",
                                 "row",
                                 "block = [1, 128]",
                                 "block = [128, 1]",
                                 "block = [128, 128]",
                                 "block = [1, 32]",
                                 "block = [32, 1]",
                                 "block = [32, 32]"};
  unsigned legal = 0;
  // Most combinations are not legal: their diagnostics are not of interest.
  for (const char *element : {"f8E4M3FN", "f8E5M2FNUZ", "f4E2M1FN"})
    for (const char *granularity : granularities)
      for (const char *scale : {"f32", "f8E8M0FNU"})
        for (const char *scales : {"linear", "blocked_32x4x4", "e8m0_shuffle"})
          for (const char *data : {"linear", "transposed", "shuffle_16x16"}) {
            std::string text =
                llvm::formatv("!te.scaled<?x?x?x{0}, #te.scaling<{1}, scale = "
                              "{2}, scale_layout = {3}, data_layout = {4}>>",
                              element, granularity, scale, scales, data);
            auto type = dyn_cast_or_null<ScaledType>(parseType(text, &context));
            if (!type)
              continue;
            ++legal;
            for (std::vector<int64_t> shape :
                 {std::vector<int64_t>{2, 80, 576}, {0, 16, 64}, {1, 32, 0}}) {
              ref::Scaling scaling = ref::getScaling(type.getScaling());
              DType element = *ref::getDType(type.getElementType());
              auto matrix = ref::Matrix::flatten(shape, scaling);
              auto storage =
                  ref::DataStorage::of(element, scaling.dataLayout, matrix);
              ASSERT_TRUE(bool(storage)) << text;
              EXPECT_EQ(product(storage->shape),
                        product(evaluate(type.getDataStorage(), shape)))
                  << text;
              auto scaleShape =
                  ref::ScaleStorage::of(scaling, element, matrix).shape;
              EXPECT_EQ(
                  std::vector<int64_t>(scaleShape.begin(), scaleShape.end()),
                  evaluate(type.getScaleStorage(), shape))
                  << text;
            }
          }
  EXPECT_GT(legal, 40u);
}
