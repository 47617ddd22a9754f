//===- RunTest.cpp - signatures, random inputs -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Dialect/TE/IR/TE.h"
#include "te/Driver/RandomInputs.h"
#include "te/Driver/Signature.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::te;
using rt::DType;
using rt::HostTensor;

namespace {
class Run : public testing::Test {
protected:
  Run() {
    context.loadDialect<TEDialect, func::FuncDialect>();
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      diagnostics += diagnostic.str() + "\n";
    });
  }
  func::FuncOp parse(StringRef source) {
    module = parseSourceString<ModuleOp>(source, &context);
    return module ? *module->getOps<func::FuncOp>().begin() : func::FuncOp();
  }
  ref::TensorValue makeRandom(StringRef typeText, std::vector<int64_t> shape,
                              const RandomSpec &spec,
                              ArgumentRole role = ArgumentRole::Plain) {
    Type type = parseType(typeText, &context);
    auto value = ref::makeValue(UnknownLoc::get(&context), type, shape, 0);
    EXPECT_TRUE(succeeded(value)) << diagnostics;
    fillRandom(type, role, 0, spec, spec, *value);
    return *value;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string diagnostics;
};
} // namespace

static std::vector<std::string> formatShape(const rt::Entry &entry,
                                            const rt::Buffer &buffer) {
  std::vector<std::string> sizes;
  for (const rt::Expr &size : buffer.shape)
    sizes.push_back(size.format(entry.dims));
  return sizes;
}

TEST_F(Run, SignatureNamesDimensionsAndBuffers) {
  func::FuncOp function = parse(R"(
    #s = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = even>
    func.func @f(%x: tensor<2x?x?xbf16> {te.dims = ["B", "M", "K"],
                                         te.name = "x"},
                 %q: !te.scaled<?x?xf4E2M1FN, #s> {te.dims = ["M", "B"]},
                 %y: tensor<?x64xf32>, %n: tensor<f32>) -> tensor<f32> {
      %a = te.amax %x noop(%n : tensor<f32>) : tensor<2x?x?xbf16> -> tensor<f32>
      return %a : tensor<f32>
    })");
  ASSERT_TRUE(function) << diagnostics;
  auto entry = getSignature(function);
  ASSERT_TRUE(succeeded(entry)) << diagnostics;
  using Strings = std::vector<std::string>;
  // B is 2 in x, so it is 2 in q as well.
  EXPECT_EQ(entry->dims, (Strings{"M", "K", "arg2.0"}));
  ASSERT_EQ(entry->buffers.size(), 5u);
  EXPECT_EQ(formatShape(*entry, entry->buffers[0]), (Strings{"2", "M", "K"}));
  EXPECT_EQ(entry->buffers[1].name, "arg1.data");
  EXPECT_EQ(formatShape(*entry, entry->buffers[1]), (Strings{"M", "1"}));
  EXPECT_EQ(entry->buffers[2].name, "arg1.scale");
  EXPECT_EQ(formatShape(*entry, entry->buffers[2]),
            (Strings{"roundup(M, 256)", "8"}));
  EXPECT_EQ(formatShape(*entry, entry->buffers[3]), (Strings{"arg2.0", "64"}));
  EXPECT_EQ(entry->results[0].name, "result0");
  auto roles = getArgumentRoles(function, *entry);
  EXPECT_EQ(roles.size(), 1u);
  EXPECT_EQ(roles.lookup("arg3"), ArgumentRole::Noop);
}

TEST_F(Run, SignatureRejectsOtherArguments) {
  EXPECT_TRUE(
      failed(getSignature(parse("func.func @f(%x: index) { return }"))));
  EXPECT_NE(diagnostics.find("argument arg0 has type 'index', expected a "
                             "ranked tensor or !te.scaled"),
            std::string::npos)
      << diagnostics;
}

TEST_F(Run, RandomInputsDependOnTheSeedOnly) {
  auto make = [&](uint64_t seed) {
    return makeRandom("tensor<?x?xbf16>", {65, 130}, {seed}).buffers[0].bytes;
  };
  EXPECT_EQ(make(7), make(7));
  EXPECT_NE(make(7), make(8));
}

// The mix has what its description promises.
TEST_F(Run, RandomMix) {
  for (uint64_t seed : {2, 3}) {
    auto value = makeRandom("tensor<?x?xf32>", {256, 512}, {seed});
    const HostTensor &tensor = value.buffers[0];
    int64_t zeros = 0, nans = 0, infs = 0, subnormals = 0, negativeZeros = 0;
    for (int64_t i = 0; i < tensor.getNumUnits(); ++i) {
      float x = tensor.load<float>(i);
      zeros += x == 0;
      negativeZeros += x == 0 && std::signbit(x);
      nans += std::isnan(x);
      infs += std::isinf(x);
      subnormals += std::fpclassify(x) == FP_SUBNORMAL;
    }
    EXPECT_GT(zeros, 1000);
    EXPECT_GT(negativeZeros, 10);
    EXPECT_GT(nans, 10);
    EXPECT_GT(subnormals, 10);
    EXPECT_EQ(infs > 0, seed % 2 == 1);
  }
}

TEST_F(Run, RandomScalarsAndFlags) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    float scale =
        makeRandom("tensor<f32>", {}, {seed}).buffers[0].load<float>(0);
    EXPECT_GE(scale, 0.5f);
    EXPECT_LT(scale, 2.0f);
    EXPECT_EQ(makeRandom("tensor<f32>", {}, {seed}, ArgumentRole::Noop)
                  .buffers[0]
                  .load<float>(0),
              0.0f);
    auto offsets =
        makeRandom("tensor<9xi32>", {9}, {seed}, ArgumentRole::Offsets);
    EXPECT_EQ(offsets.buffers[0].load<int32_t>(0), 0);
    for (int i = 1; i < 9; ++i)
      EXPECT_GE(offsets.buffers[0].load<int32_t>(i),
                offsets.buffers[0].load<int32_t>(i - 1));
    EXPECT_GT(offsets.buffers[0].load<int32_t>(8), 0);
  }
}

// Padding is poison: nothing may depend on it.
TEST_F(Run, PaddingOfRandomScaledTensorsIsPoison) {
  auto value = makeRandom("!te.scaled<?x?xf4E2M1FN, #te.scaling<block = [1, "
                          "32], scale = f8E8M0FNU, rounding = even>>",
                          {64, 33}, {1});
  const HostTensor &data = value.buffers[0], &scales = value.buffers[1];
  ASSERT_EQ(data.shape, (std::vector<int64_t>{64, 17}));
  int spare = 0;
  for (int row = 0; row < 64; ++row)
    spare += data.bytes[row * 17 + 16] >> 4 != 0;
  EXPECT_GT(spare, 32);
  ASSERT_EQ(scales.shape, (std::vector<int64_t>{256, 8}));
  int nans = 0;
  for (int64_t i = 0; i < 256 * 8; ++i)
    if (i / 8 < 64 && i % 8 < 2)
      EXPECT_NE(scales.bytes[i], 0xFF);
    else
      nans += scales.bytes[i] == 0xFF;
  EXPECT_GT(nans, 100);
}
