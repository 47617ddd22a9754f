//===- ReferenceTest.cpp - hand-computed values of the specification -*- C++
//-*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Reference/Quantize.h"
#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <set>

using namespace mlir::te;
using namespace mlir::te::ref;

static constexpr float kInf = std::numeric_limits<float>::infinity();
static constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
static constexpr float kMaxFloat = std::numeric_limits<float>::max();

// The table of formats.
TEST(Formats, Table) {
  struct Row {
    DType type;
    double max;
    uint32_t maxCode;
    double minNormal, minSubnormal;
  };
  const Row rows[] = {
      {DType::F8E4M3FN, 448, 0x7E, 0x1p-6, 0x1p-9},
      {DType::F8E4M3FNUZ, 240, 0x7F, 0x1p-7, 0x1p-10},
      {DType::F8E5M2, 57344, 0x7B, 0x1p-14, 0x1p-16},
      {DType::F8E5M2FNUZ, 57344, 0x7F, 0x1p-15, 0x1p-17},
      {DType::F4E2M1FN, 6, 0x7, 1, 0.5},
  };
  for (const Row &row : rows) {
    const Format &format = getFormat(row.type);
    SCOPED_TRACE(rt::getInfo(row.type).name);
    EXPECT_EQ(format.max, row.max);
    EXPECT_EQ(encode(row.type, row.max), row.maxCode);
    EXPECT_EQ(encode(row.type, kInf), row.maxCode);
    EXPECT_EQ(encode(row.type, 1e30), row.maxCode);
    EXPECT_EQ(decode(row.type, 1), row.minSubnormal);
    EXPECT_EQ(decode(row.type, 1 << format.mantissaBits), row.minNormal);
  }
}

TEST(Formats, SpecialValues) {
  EXPECT_EQ(encode(DType::F8E4M3FN, kNaN), 0x7Fu);
  EXPECT_EQ(encode(DType::F8E5M2, kNaN), 0x7Fu);
  EXPECT_EQ(encode(DType::F8E4M3FNUZ, kNaN), 0x80u);
  EXPECT_EQ(encode(DType::F8E5M2, -kInf), 0xFBu);
  EXPECT_EQ(encode(DType::F8E4M3FNUZ, -0.0), 0x00u);
  EXPECT_EQ(encode(DType::F8E4M3FNUZ, -1e-9), 0x00u);
  EXPECT_EQ(encode(DType::F8E4M3FN, -0.0), 0x80u);
  EXPECT_EQ(decode(DType::F8E8M0FNU, 0), 0x1p-127);
  EXPECT_TRUE(std::isnan(decode(DType::F8E8M0FNU, 0xFF)));
  EXPECT_TRUE(std::isnan(decode(DType::F8E5M2, 0xFE)));
  EXPECT_FALSE(std::isnan(decode(DType::F8E5M2, 0xFC)));
}

// The table of fp4 ties, and the sign of zero.
TEST(Formats, FP4Ties) {
  struct Row {
    double value, away, even;
  };
  const Row rows[] = {{0.25, 0.5, 0}, {0.75, 1, 1}, {1.25, 1.5, 1},
                      {1.75, 2, 2},   {2.5, 3, 2},  {3.5, 4, 4},
                      {5.0, 6, 4},    {6.5, 6, 6},  {1e9, 6, 6}};
  for (const Row &row : rows)
    for (double sign : {1.0, -1.0}) {
      auto round = [&](Ties ties) {
        return decode(DType::F4E2M1FN,
                      encode(DType::F4E2M1FN, sign * row.value, ties));
      };
      EXPECT_EQ(round(Ties::Away), sign * row.away) << row.value;
      EXPECT_EQ(round(Ties::Even), sign * row.even) << row.value;
    }
  EXPECT_EQ(encode(DType::F4E2M1FN, -0.0, Ties::Even), 0x8u);
  EXPECT_EQ(encode(DType::F4E2M1FN, -0.0, Ties::Away), 0x0u);
  EXPECT_EQ(encode(DType::F4E2M1FN, -0.1, Ties::Away), 0x8u);
}

// Check values of both rules.
TEST(Scaling, E8M0CheckValues) {
  auto rceil = [](float amax) {
    return int(computeE8M0(amax, DType::F8E4M3FN, Rounding::RCeil));
  };
  EXPECT_EQ(rceil(1.0f), 119);
  EXPECT_EQ(rceil(1.75f), 119);
  EXPECT_EQ(rceil(2.0f), 120);
  EXPECT_EQ(rceil(448.0f), 127);
  EXPECT_EQ(rceil(449.0f), 128);
  EXPECT_EQ(rceil(224.0f), 126);
  EXPECT_EQ(rceil(0.0f), 0);
  EXPECT_EQ(rceil(kInf), 0xFE);
  auto even = [](float amax) {
    return int(computeE8M0(amax, DType::F4E2M1FN, Rounding::Even)) - 127;
  };
  EXPECT_EQ(even(3.4f), -1);
  EXPECT_EQ(even(3.5f), 0);
  EXPECT_EQ(even(6.99f), 0);
  EXPECT_EQ(even(7.0f), 1);
  EXPECT_EQ(even(0.0f) + 127, 127);
  EXPECT_EQ(even(kInf) + 127, 253);
  EXPECT_EQ(even(1e-40f), -127);
  EXPECT_EQ(computeE8M0(kInf, DType::F8E4M3FN, Rounding::Floor), 0xFF);
  EXPECT_EQ(computeE8M0(0, DType::F8E4M3FN, Rounding::Ceil), 0);
  EXPECT_EQ(computeE8M0(8, DType::F8E4M3FN, Rounding::Ceil), 127 + 3 - 8);
  EXPECT_EQ(computeE8M0(9, DType::F8E4M3FN, Rounding::Ceil), 127 + 4 - 8);
  EXPECT_EQ(computeE8M0(9, DType::F8E4M3FN, Rounding::Floor), 127 + 3 - 8);
}

TEST(Scaling, E8M0Multiplier) {
  EXPECT_EQ(getE8M0Multiplier(0), 0x1p127f);
  EXPECT_EQ(getE8M0Multiplier(127), 1.0f);
  EXPECT_EQ(getE8M0Multiplier(254), 0x1p-127f);
  EXPECT_TRUE(std::isnan(getE8M0Multiplier(255)));
}

TEST(Scaling, ScaleFromAmax) {
  EXPECT_EQ(computeScaleFromAmax(2, 448, false, 0, kMaxFloat), 224.0f);
  EXPECT_EQ(computeScaleFromAmax(3, 448, true, 0, kMaxFloat), 128.0f);
  EXPECT_EQ(computeScaleFromAmax(0, 448, false, 0, kMaxFloat), 1.0f);
  EXPECT_EQ(computeScaleFromAmax(kInf, 448, false, 0, kMaxFloat), 1.0f);
  EXPECT_EQ(computeScaleFromAmax(kNaN, 448, false, 0, kMaxFloat), 1.0f);
  EXPECT_EQ(computeScaleFromAmax(0, 448, false, 0.5f, kMaxFloat), 896.0f);
  EXPECT_EQ(computeScaleFromAmax(1e-40f, 448, false, 0, kMaxFloat), kMaxFloat);
  EXPECT_EQ(computeScaleFromAmax(1e-40f, 448, true, 0, kMaxFloat), 0x1p127f);
  EXPECT_EQ(computeRowScaleInv(0, 448), 1.0f);
  EXPECT_EQ(computeRowScaleInv(kInf, 448), 1.0f);
  EXPECT_EQ(computeRowScaleInv(1e-45f, 448), 1.0f);
  EXPECT_EQ(computeRowScaleInv(448, 448), 1.0f);
  EXPECT_EQ(computeRowScaleInv(896, 448), 2.0f);
}

// Hand-computed offsets of the formulas, then: each formula is a
// permutation of the padded matrix.
TEST(Layouts, Offsets) {
  EXPECT_EQ(blocked32x4x4Offset(0, 0, 8), 0);
  EXPECT_EQ(blocked32x4x4Offset(1, 2, 8), 18);
  EXPECT_EQ(blocked32x4x4Offset(33, 5, 8), 512 + 16 + 4 + 1);
  EXPECT_EQ(blocked32x4x4Offset(128, 0, 8), 1024);
  EXPECT_EQ(e8m0ShuffleOffset(0, 0, 16), 0);
  EXPECT_EQ(e8m0ShuffleOffset(17, 0, 16), 4 + 1);
  EXPECT_EQ(e8m0ShuffleOffset(0, 4, 16), 2);
  EXPECT_EQ(e8m0ShuffleOffset(35, 13, 16), 512 + 256 + 64 + 12 + 2);
  EXPECT_EQ(shuffle16x16Offset(0, 16, 64), 256);
  EXPECT_EQ(shuffle16x16Offset(1, 1, 64), 17);
  EXPECT_EQ(shuffle16x16Offset(17, 33, 64), 1024 + 512 + 17);
}

TEST(Layouts, OffsetsArePermutations) {
  using Offset = int64_t (*)(int64_t, int64_t, int64_t);
  for (Offset offset :
       {blocked32x4x4Offset, e8m0ShuffleOffset, shuffle16x16Offset}) {
    std::set<int64_t> seen;
    for (int64_t r = 0; r < 512; ++r)
      for (int64_t c = 0; c < 96; ++c)
        seen.insert(offset(r, c, 96));
    EXPECT_EQ(seen.size(), 512u * 96);
    EXPECT_EQ(*seen.rbegin(), 512 * 96 - 1);
  }
}

// The shapes of storage.
TEST(Layouts, ScaleShapes) {
  struct Row {
    DType element;
    int64_t blockRows, blockCols;
    DType scale;
    ScaleLayout scaleLayout;
    DataLayout dataLayout;
    int64_t rows, cols;
  };
  const auto kE8 = DType::F8E8M0FNU, kF32 = DType::F32;
  const auto k8 = DType::F8E4M3FN, k4 = DType::F4E2M1FN;
  const auto kLinear = ScaleLayout::Linear;
  const auto kPlain = DataLayout::Linear, kTransposed = DataLayout::Transposed;
  const Row rows[] = {
      // of a 300 x 520 tensor
      {k8, 128, 128, kF32, kLinear, kPlain, 3, 8},
      {k8, 128, 128, kF32, kLinear, kTransposed, 5, 4},
      {k8, 1, 128, kF32, kLinear, kPlain, 5, 300},
      {k8, 128, 1, kF32, kLinear, kTransposed, 3, 520},
      {k8, 1, 32, kE8, kLinear, kPlain, 384, 20},
      {k8, 32, 1, kE8, kLinear, kPlain, 12, 640},
      {k8, 32, 32, kE8, kLinear, kPlain, 10, 17},
      {k4, 1, 32, kE8, kLinear, kPlain, 512, 24},
      {k4, 32, 1, kE8, kLinear, kTransposed, 768, 16},
      {k8, 1, 32, kE8, ScaleLayout::Blocked32x4x4, kPlain, 384, 20},
      {k8, 32, 1, kE8, ScaleLayout::Blocked32x4x4, kPlain, 640, 12},
      {k8, 32, 32, kE8, ScaleLayout::Blocked32x4x4, kPlain, 384, 20},
      {k4, 1, 32, kE8, ScaleLayout::E8M0Shuffle, kPlain, 512, 24},
      {k4, 32, 1, kE8, ScaleLayout::E8M0Shuffle, kTransposed, 768, 16}};
  for (const Row &row : rows) {
    Scaling scaling{Granularity::Block, row.blockRows,  row.blockCols,
                    row.scale,          Rounding::Even, Ties::Even,
                    row.scaleLayout,    row.dataLayout};
    auto storage = ScaleStorage::of(scaling, row.element, {300, 520});
    EXPECT_EQ(storage.shape[0], row.rows) << &row - rows;
    EXPECT_EQ(storage.shape[1], row.cols) << &row - rows;
  }
}

TEST(Layouts, ShuffleNeedsWholeTiles) {
  auto storage =
      DataStorage::of(DType::F8E4M3FN, DataLayout::Shuffle16x16, {17, 64});
  ASSERT_FALSE(bool(storage));
  EXPECT_EQ(llvm::toString(storage.takeError()),
            "data_layout = shuffle_16x16 needs a multiple of 16 rows and of 32 "
            "bytes a row, found 17 rows of 64 bytes; pad the tensor or use "
            "data_layout = linear");
}

static HostTensor makeF32(std::vector<int64_t> shape,
                          llvm::ArrayRef<float> values) {
  HostTensor tensor = HostTensor::zeros(DType::F32, std::move(shape));
  for (auto [index, value] : llvm::enumerate(values))
    tensor.store<float>(index, value);
  return tensor;
}

TEST(Quantize, PacksFP4LowNibbleFirst) {
  HostTensor x = makeF32({1, 3}, {1.0f, -6.0f, 0.5f});
  Scaling scaling{Granularity::Block, 1, 32, DType::F8E8M0FNU, Rounding::Even};
  auto result = quantize(x, DType::F4E2M1FN, scaling);
  ASSERT_TRUE(bool(result));
  // Amax 6 gives exponent 0: 1.0 is code 2, -6 code 15, 0.5 code 1.
  EXPECT_EQ(result->data.bytes, (std::vector<uint8_t>{0xF2, 0x01}));
  EXPECT_EQ(result->scales.bytes.size(), 256u * 8);
  EXPECT_EQ(result->scales.bytes[0], 127);
  EXPECT_EQ(result->scales.bytes[1], 127); // padding
}

TEST(Quantize, MarksWhatNoRuleDetermines) {
  HostTensor x = makeF32({1, 2}, {kNaN, 1.0f});
  Scaling fp4{Granularity::Block, 1, 32, DType::F8E8M0FNU, Rounding::Even};
  auto nan = quantize(x, DType::F4E2M1FN, fp4);
  ASSERT_TRUE(bool(nan));
  EXPECT_EQ(nan->data.unspecified, (std::vector<uint8_t>{0x0F}));
  Scaling floor{Granularity::Block, 1, 32, DType::F8E8M0FNU, Rounding::Floor};
  auto inf = quantize(makeF32({1, 2}, {kInf, 1.0f}), DType::F8E4M3FN, floor);
  ASSERT_TRUE(bool(inf));
  EXPECT_EQ(inf->scales.bytes[0], 0xFF);
  EXPECT_EQ(inf->data.unspecified, (std::vector<uint8_t>{0xFF, 0xFF}));
}

TEST(Quantize, EmptyTensors) {
  HostTensor x = HostTensor::zeros(DType::BF16, {0, 64});
  auto current = quantize(x, DType::F8E4M3FN, Scaling());
  ASSERT_TRUE(bool(current));
  EXPECT_TRUE(current->data.bytes.empty());
  EXPECT_EQ(current->scales.load<float>(0), 1.0f);
  EXPECT_EQ(computeAmax(x), 0.0f);
  Scaling row{Granularity::Row};
  auto rows =
      quantize(HostTensor::zeros(DType::BF16, {3, 0}), DType::F8E4M3FN, row);
  ASSERT_TRUE(bool(rows));
  EXPECT_EQ(rows->scales.shape, (std::vector<int64_t>{3}));
  EXPECT_EQ(rows->scales.load<float>(2), 1.0f);
}

TEST(Dequantize, RejectsWrongSizes) {
  ScaledTensor tensor{HostTensor::zeros(DType::F8E4M3FN, {4}),
                      HostTensor::zeros(DType::F32, {})};
  auto result =
      dequantize(tensor, DType::F8E4M3FN, Scaling(), {2, 3}, DType::F32);
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(llvm::toString(result.takeError()),
            "the data of a scaled tensor have 4 bytes, but 2x3 of f8E4M3FN "
            "need 6");
}

// Random123's known answers.
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox4x32({}, {}),
            (PhiloxBlock{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8}));
  EXPECT_EQ(philox4x32({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (PhiloxBlock{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD}));
  EXPECT_EQ(philox4x32({0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344},
                       {0xA4093822, 0x299F31D0}),
            (PhiloxBlock{0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1}));
}
