//===- MMALayoutTest.cpp - who holds what of a matrix instruction ---------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table against the rules of the ISA guides, written out as formulas,
// and tiles of many instructions: each element is kept as often as waves share
// it.
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/Tile/IR/MMALayout.h"
#include "te/Target/Target.h"

#include "gtest/gtest.h"

#include <map>

using namespace mlir::te;
using namespace mlir::te::tile;
using At = std::array<int64_t, 2>;

namespace {
At evaluate(const MMALayout &layout, int64_t reg, int64_t lane) {
  At at = {0, 0};
  auto add = [&](const MMALayout::Bases &bases, int64_t bits) {
    for (size_t i = 0; i < bases.size(); ++i)
      if ((bits >> i) & 1)
        at = {at[0] + bases[i][0], at[1] + bases[i][1]};
  };
  add(layout.registers, reg);
  add(layout.lanes, lane);
  return at;
}

std::vector<const MMA *> getAll() {
  std::vector<const MMA *> all;
  for (const Target &target : Target::all())
    if (target.amd)
      for (llvm::StringRef name : target.amd->mmas)
        all.push_back(MMA::lookup(name));
  return all;
}
} // namespace

TEST(MMALayoutTest, EveryNameOfATargetIsKnown) {
  ASSERT_FALSE(getAll().empty());
  for (const MMA *mma : getAll())
    EXPECT_NE(mma, nullptr);
  EXPECT_EQ(MMA::lookup("f32_16x16x16"), nullptr);
}

TEST(MMALayoutTest, ResultsAreTheHardwaresRows) {
  for (const MMA *mma : getAll()) {
    MMALayout layout = mma->getResultLayout();
    ASSERT_EQ(layout.lanes.size(), 6u);
    int64_t registers = mma->size * mma->size / 64;
    ASSERT_EQ(int64_t(1) << layout.registers.size(), registers);
    for (int64_t lane = 0; lane < 64; ++lane)
      for (int64_t r = 0; r < registers; ++r) {
        int64_t row = mma->size == 32 ? 8 * (r / 4) + 4 * (lane / 32) + r % 4
                                      : 4 * (lane / 16) + r;
        At expected = {row, lane % mma->size};
        EXPECT_EQ(evaluate(layout, r, lane), expected) << mma->name.str();
      }
  }
}

TEST(MMALayoutTest, OperandsAreTheHardwares) {
  for (const MMA *mma : getAll())
    for (MMAFormat format : mma->formats) {
      MMALayout layout = mma->getOperandLayout(format);
      int64_t groups = 64 / mma->size, perLane = mma->k / groups;
      ASSERT_EQ(int64_t(1) << layout.registers.size(), perLane);
      bool inRuns = mma->isScaled && format != MMAFormat::E2M1;
      for (int64_t lane = 0; lane < 64; ++lane)
        for (int64_t e = 0; e < perLane; ++e) {
          int64_t g = lane / mma->size;
          int64_t k =
              inRuns ? e / 16 * 16 * groups + 16 * g + e % 16 : perLane * g + e;
          At expected = {lane % mma->size, k};
          EXPECT_EQ(evaluate(layout, e, lane), expected) << mma->name.str();
        }
    }
}

TEST(MMALayoutTest, ScalesLieByBlock) {
  for (const MMA *mma : getAll()) {
    if (!mma->isScaled)
      continue;
    MMALayout layout = mma->getScaleLayout();
    EXPECT_TRUE(layout.registers.empty());
    for (int64_t lane = 0; lane < 64; ++lane) {
      At expected = {lane % mma->size, lane / mma->size};
      EXPECT_EQ(evaluate(layout, 0, lane), expected);
    }
  }
}

TEST(MMALayoutTest, EightBitOperandsOfF8F6F4TakeTwiceTheCycles) {
  const MMA *mma = MMA::lookup("scale_f32_16x16x128_f8f6f4");
  EXPECT_EQ(mma->getCycles(MMAFormat::E2M1, MMAFormat::E2M1), 16u);
  EXPECT_EQ(mma->getCycles(MMAFormat::E2M1, MMAFormat::E4M3FN), 32u);
}

TEST(MMALayoutTest, TilesHoldEachElementOnceForEachWaveThatSharesIt) {
  for (const MMA *mma : getAll())
    for (MMAWaves waves : {MMAWaves{1, 1}, MMAWaves{2, 2}, MMAWaves{1, 4}}) {
      int64_t rows = 2 * mma->size * waves.rows,
              cols = 2 * mma->size * waves.cols, k = 2 * mma->k;
      auto count = [&](const LinearLayout &layout) {
        std::map<int64_t, int64_t> kept;
        for (int64_t wave = 0; wave < waves.rows * waves.cols; ++wave)
          for (int64_t lane = 0; lane < 64; ++lane)
            for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg)
              ++kept[layout.apply(reg, lane, wave)];
        return kept;
      };
      auto expectEach = [&](const LinearLayout &layout, int64_t times) {
        std::map<int64_t, int64_t> kept = count(layout);
        EXPECT_EQ(int64_t(kept.size()), layout.getNumElements());
        for (auto [element, number] : kept)
          EXPECT_EQ(number, times) << mma->name.str();
      };
      LinearLayout result = getMMAResultLayout(*mma, rows, cols, waves);
      expectEach(result, 1);
      EXPECT_EQ(getMMAWaves(result).rows, waves.rows);
      EXPECT_EQ(getMMAWaves(result).cols, waves.cols);
      // Four neighbours of a row are in one lane.
      EXPECT_GE(result.getContiguity(), 4);
      for (MMAFormat format : mma->formats) {
        bool packed = format == MMAFormat::E2M1;
        for (auto [side, outer, sharing] :
             {std::tuple(MMASide::A, rows, waves.cols),
              std::tuple(MMASide::B, cols, waves.rows)}) {
          LinearLayout layout =
              getMMAOperandLayout(*mma, format, side, outer, k, waves);
          EXPECT_EQ(layout.getShape()[1], packed ? k / 2 : k);
          expectEach(layout, sharing);
          if (mma->isScaled)
            EXPECT_TRUE(
                getMMAScaleLayout(*mma, side, outer, k, waves).isSurjective());
        }
      }
    }
}
