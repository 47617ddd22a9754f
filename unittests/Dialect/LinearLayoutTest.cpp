//===- LinearLayoutTest.cpp - the algebra of layouts ----------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/Tile/IR/LinearLayout.h"

#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <random>
#include <set>

using namespace mlir::te::tile;
using llvm::SmallVector;

namespace {
/// Every element a layout holds, over all registers, lanes and waves.
std::multiset<int64_t> elements(const LinearLayout &layout) {
  std::multiset<int64_t> held;
  auto count = [&](LayoutInput i) {
    return int64_t(1) << layout.getBases(i).size();
  };
  for (int64_t w = 0; w < count(LayoutInput::Wave); ++w)
    for (int64_t l = 0; l < count(LayoutInput::Lane); ++l)
      for (int64_t r = 0; r < layout.getNumRegisters(); ++r)
        held.insert(layout.apply(r, l, w));
  return held;
}

bool coversOnce(const LinearLayout &layout) {
  std::multiset<int64_t> held = elements(layout);
  std::set<int64_t> distinct(held.begin(), held.end());
  return int64_t(held.size()) == layout.getNumElements() &&
         int64_t(distinct.size()) == layout.getNumElements();
}

/// A permutation of the tile's bits over registers, lanes and waves, drawn by
/// `rng`.
LinearLayout randomLayout(std::mt19937 &rng, llvm::ArrayRef<int64_t> shape,
                          unsigned lanes, unsigned waves) {
  unsigned total = 0;
  for (int64_t size : shape)
    total += llvm::Log2_64(size);
  SmallVector<int64_t> bits;
  for (unsigned i = 0; i < total; ++i)
    bits.push_back(int64_t(1) << i);
  std::shuffle(bits.begin(), bits.end(), rng);
  llvm::ArrayRef<int64_t> all(bits);
  return LinearLayout(shape, all.drop_front(lanes + waves),
                      all.take_front(lanes), all.slice(lanes, waves));
}
} // namespace

TEST(LinearLayout, RowMajorHandsOutVectorThenLanesThenRegistersThenWaves) {
  LinearLayout layout = LinearLayout::rowMajor({32, 512}, 8, 6, 2);
  EXPECT_EQ(layout.getNumRegisters(), 64);
  EXPECT_EQ(layout.getContiguity(), 8);
  EXPECT_TRUE(coversOnce(layout));
  EXPECT_EQ(layout.apply(7, 0, 0), layout.toFlat({0, 7}));
  EXPECT_EQ(layout.apply(0, 1, 0), layout.toFlat({0, 8}));
  EXPECT_EQ(layout.apply(0, 63, 0), layout.toFlat({0, 504}));
  EXPECT_EQ(layout.apply(8, 0, 0), layout.toFlat({1, 0}));
  EXPECT_EQ(layout.apply(0, 0, 1), layout.toFlat({8, 0}));
}

TEST(LinearLayout, RowMajorReplicatesWhatIsLeftOver) {
  LinearLayout layout = LinearLayout::rowMajor({2, 4}, 8, 6, 2);
  EXPECT_EQ(layout.getNumRegisters(), 8);
  EXPECT_TRUE(layout.isSurjective());
  EXPECT_EQ(layout.apply(5, 63, 3), 5);
}

TEST(LinearLayout, CoordinatesAndFlatOffsetsAreInverse) {
  LinearLayout layout({4, 8, 2}, {1, 2, 4, 8, 16, 32}, {}, {});
  for (int64_t flat = 0; flat < 64; ++flat)
    EXPECT_EQ(layout.toFlat(layout.toCoordinates(flat)), flat);
  EXPECT_EQ(layout.toFlat({3, 7, 1}), 63);
}

TEST(LinearLayout, SurjectiveNeedsIndependentBases) {
  EXPECT_TRUE(LinearLayout({2, 4}, {1, 3}, {5}, {}).isSurjective());
  EXPECT_FALSE(LinearLayout({2, 4}, {1, 3}, {2}, {}).isSurjective());
  EXPECT_TRUE(LinearLayout({2, 4}, {1, 2}, {4, 0}, {}).isPermutation());
  EXPECT_FALSE(LinearLayout({2, 4}, {1, 3}, {4}, {}).isPermutation());
  EXPECT_FALSE(LinearLayout({2, 4}, {1, 2}, {4, 4}, {}).isPermutation());
}

TEST(LinearLayout, ProjectionHoldsTheBlockOfEachElement) {
  std::mt19937 rng(20240917);
  for (int round = 0; round < 50; ++round) {
    LinearLayout layout = randomLayout(rng, {32, 64}, 4, 2);
    SmallVector<int64_t> block{int64_t(1) << (rng() % 6), int64_t(1)
                                                              << (rng() % 7)};
    LinearLayout blocks = layout.project(block);
    for (int64_t wave = 0; wave < 4; ++wave)
      for (int64_t lane = 0; lane < 16; ++lane) {
        std::set<int64_t> expected, held;
        for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg) {
          SmallVector<int64_t> at =
              layout.toCoordinates(layout.apply(reg, lane, wave));
          expected.insert(blocks.toFlat({at[0] / block[0], at[1] / block[1]}));
        }
        for (int64_t reg = 0; reg < blocks.getNumRegisters(); ++reg)
          held.insert(blocks.apply(reg, lane, wave));
        EXPECT_EQ(held, expected);
        EXPECT_EQ(int64_t(held.size()), blocks.getNumRegisters());
      }
  }
}

TEST(LinearLayout, TransposeExchangesCoordinates) {
  LinearLayout layout = LinearLayout::rowMajor({16, 32}, 4, 5, 1);
  LinearLayout transposed = layout.transpose();
  EXPECT_EQ(transposed.getShape(), llvm::ArrayRef<int64_t>({32, 16}));
  for (int64_t lane = 0; lane < 32; ++lane) {
    std::set<int64_t> a, b;
    for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg) {
      SmallVector<int64_t> at =
          layout.toCoordinates(layout.apply(reg, lane, 1));
      a.insert(transposed.toFlat({at[1], at[0]}));
      b.insert(transposed.apply(reg, lane, 1));
    }
    EXPECT_EQ(a, b);
  }
  std::set<int64_t> twice;
  EXPECT_EQ(elements(transposed.transpose()), elements(layout));
}

TEST(LinearLayout, WidenTakesBitsFromLanes) {
  LinearLayout layout = LinearLayout::rowMajor({32, 512}, 8, 6, 2);
  LinearLayout wide = layout.widen(16);
  EXPECT_EQ(wide.getContiguity(), 16);
  EXPECT_TRUE(coversOnce(wide));
  LayoutConversion conversion = analyzeConversion(layout, wide);
  EXPECT_EQ(conversion.kind, ConversionKind::Lanes);
  ASSERT_EQ(conversion.swaps.size(), 1u);
  EXPECT_EQ(conversion.swaps[0].first, 0u);
  EXPECT_EQ(LinearLayout::rowMajor({1, 64}, 4, 4, 0).widen(16).getContiguity(),
            4)
      << "no register to exchange";
}

TEST(LinearLayout, FindRegisterInvertsApply) {
  LinearLayout layout = LinearLayout::rowMajor({32, 512}, 8, 6, 2);
  for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg)
    EXPECT_EQ(layout.findRegister(layout.apply(reg, 0, 0)), reg);
  EXPECT_EQ(layout.findRegister(layout.apply(3, 1, 0)), std::nullopt);
}

/// A conversion's swaps, done step by step, lead to the target's bases.
TEST(LayoutConversion, SwapsReachTheTarget) {
  std::mt19937 rng(7);
  unsigned lanesSeen = 0;
  for (int round = 0; round < 400; ++round) {
    LinearLayout from = randomLayout(rng, {8, 32}, 3, 1), to = from;
    for (unsigned i = 0, n = rng() % 3; i < n; ++i) {
      SmallVector<int64_t> regs(to.getBases(LayoutInput::Register)),
          lanes(to.getBases(LayoutInput::Lane));
      std::swap(regs[rng() % regs.size()], lanes[rng() % lanes.size()]);
      to = LinearLayout(to.getShape(), regs, lanes,
                        to.getBases(LayoutInput::Wave));
    }
    LayoutConversion conversion = analyzeConversion(from, to);
    if (conversion.kind == ConversionKind::Shared)
      continue;
    lanesSeen += conversion.kind == ConversionKind::Lanes;
    SmallVector<int64_t> regs(from.getBases(LayoutInput::Register)),
        lanes(from.getBases(LayoutInput::Lane));
    for (auto [lane, reg] : conversion.swaps)
      std::swap(lanes[lane], regs[reg]);
    EXPECT_EQ(llvm::ArrayRef<int64_t>(lanes), to.getBases(LayoutInput::Lane));
    SmallVector<int64_t> wanted(to.getBases(LayoutInput::Register));
    std::sort(wanted.begin(), wanted.end());
    std::sort(regs.begin(), regs.end());
    EXPECT_EQ(regs, wanted);
  }
  EXPECT_GT(lanesSeen, 50u);
}

TEST(LayoutConversion, KindsFromCheapToDear) {
  LinearLayout a({2, 8}, {1, 2}, {4, 8}, {});
  EXPECT_EQ(analyzeConversion(a, a).kind, ConversionKind::Registers);
  EXPECT_EQ(analyzeConversion(a, LinearLayout({2, 8}, {2, 1}, {4, 8}, {})).kind,
            ConversionKind::Registers);
  EXPECT_EQ(analyzeConversion(a, LinearLayout({2, 8}, {4, 2}, {1, 8}, {})).kind,
            ConversionKind::Lanes);
  EXPECT_EQ(analyzeConversion(a, LinearLayout({2, 8}, {1, 2}, {8, 4}, {})).kind,
            ConversionKind::Shared);
}

/// The map to LDS is a bijection, and vectors are consecutive and aligned.
TEST(SharedLayout, AddressesAreABijection) {
  std::mt19937 rng(11);
  for (int round = 0; round < 60; ++round) {
    LinearLayout from = randomLayout(rng, {32, 64}, 5, 1),
                 to = randomLayout(rng, {32, 64}, 5, 1);
    int64_t bytes = int64_t(1) << (rng() % 3);
    SharedLayout shared(from, to, bytes, rng() % 2 ? 32 : 64);
    std::set<int64_t> addresses;
    for (int64_t flat = 0; flat < from.getNumElements(); ++flat)
      addresses.insert(shared.address(flat));
    EXPECT_EQ(int64_t(addresses.size()), from.getNumElements());
    EXPECT_EQ(*addresses.rbegin(), from.getNumElements() - 1);
    EXPECT_LE(shared.getVectorElements() * bytes, 16);
    for (const LinearLayout &side : {from, to}) {
      SmallVector<int64_t> order = shared.registerOrder(side);
      for (size_t i = 0; i < order.size(); ++i) {
        int64_t first =
            i / shared.getVectorElements() * shared.getVectorElements();
        int64_t start = shared.address(side.apply(order[first], 0, 0));
        EXPECT_EQ(start % shared.getVectorElements(), 0);
        EXPECT_EQ(shared.address(side.apply(order[i], 0, 0)),
                  start + int64_t(i) - first);
      }
    }
  }
}

/// In pieces, each element has a place of its own in one of them, and both
/// sides hold whole pieces in registers.
TEST(SharedLayout, PiecesCoverTheTile) {
  std::mt19937 rng(12);
  for (int round = 0; round < 60; ++round) {
    LinearLayout from = randomLayout(rng, {32, 64}, 5, 1),
                 to = randomLayout(rng, {32, 64}, 5, 1);
    int64_t bytes = int64_t(1) << (rng() % 3),
            most = from.getNumElements() * bytes >> (rng() % 4);
    SharedLayout shared(from, to, bytes, 32, most);
    SmallVector<int64_t> pieces = shared.getSegments();
    EXPECT_EQ(int64_t(pieces.size()) * shared.getBytes(),
              from.getNumElements() * bytes);
    std::set<std::pair<int64_t, int64_t>> places;
    for (int64_t flat = 0; flat < from.getNumElements(); ++flat) {
      int64_t piece = shared.getSegment(flat);
      EXPECT_TRUE(llvm::is_contained(pieces, piece));
      EXPECT_LT(shared.address(flat) * bytes, shared.getBytes());
      places.insert({piece, shared.address(flat)});
    }
    EXPECT_EQ(int64_t(places.size()), from.getNumElements());
    for (const LinearLayout &side : {from, to})
      for (int64_t lane : {1, 7, 31})
        for (int64_t wave : {0, 1})
          for (int64_t reg = 0; reg < side.getNumRegisters(); ++reg)
            EXPECT_EQ(shared.getSegment(side.apply(reg, lane, wave)),
                      shared.getSegment(side.apply(reg, 0, 0)));
  }
}

/// Waves that write consecutive vectors of LDS cover the tile, in the order of
/// the map, and lanes move from vector to vector by the same way.
TEST(SharedLayout, StreamingWritesInOrder) {
  for (int64_t cols : {64, 128, 256})
    for (unsigned waveBits : {2u, 3u}) {
      // 32 rows a lane group, 16 consecutive bytes twice: a matrix operand's.
      LinearLayout::Bases lanes = {cols,     2 * cols,  4 * cols,
                                   8 * cols, 16 * cols, 16};
      LinearLayout taken({256, cols}, {1, 2, 4, 8, 32}, lanes, {});
      SharedLayout shared(LinearLayout::rowMajor({256, cols}, 16, 6, waveBits),
                          taken, 1, 64);
      auto layout = shared.getStreaming({256, cols}, 16, 6, waveBits);
      ASSERT_TRUE(layout) << cols << " columns";
      EXPECT_TRUE(layout->isSurjective());
      int64_t waves = int64_t(1) << waveBits;
      for (int64_t wave = 0; wave < waves; ++wave)
        for (int64_t lane = 0; lane < 64; ++lane)
          for (int64_t reg = 0; reg < layout->getNumRegisters(); ++reg) {
            int64_t flat = layout->apply(reg, lane, wave);
            EXPECT_EQ(shared.address(flat),
                      reg % 16 +
                          16 * (lane + 64 * (wave + waves * (reg / 16))));
            EXPECT_EQ(flat,
                      layout->apply(reg, 0, 0) + layout->apply(0, lane, wave));
          }
    }
}

TEST(SharedLayout, StreamingIsRefused) {
  LinearLayout rows = LinearLayout::rowMajor({256, 64}, 16, 6, 2);
  SharedLayout shared(rows, rows, 1, 64);
  EXPECT_TRUE(shared.getStreaming({256, 64}, 16, 6, 2));
  // Vectors of another length, more lanes than vectors, vectors down columns.
  EXPECT_FALSE(shared.getStreaming({256, 64}, 8, 6, 2));
  LinearLayout few = LinearLayout::rowMajor({16, 64}, 16, 6, 2);
  EXPECT_FALSE(SharedLayout(few, few, 1, 64).getStreaming({16, 64}, 16, 6, 2));
  LinearLayout down({64, 64}, {64, 128, 256, 512}, {1, 2, 4, 8, 16, 32},
                    {1024, 2048});
  EXPECT_FALSE(
      SharedLayout(down, down, 1, 64).getStreaming({64, 64}, 16, 6, 2));
}

TEST(LinearLayout, RowMajorTogether) {
  // Runs of four of rows r, r + 16 and r + 32.
  LinearLayout layout =
      LinearLayout::rowMajor({64, 16}, 4, 6, 1, {16 * 16, 32 * 16});
  EXPECT_EQ(layout.getBases(LayoutInput::Register),
            llvm::ArrayRef<int64_t>({1, 2, 16 * 16, 32 * 16}));
  EXPECT_EQ(layout.getBases(LayoutInput::Lane),
            llvm::ArrayRef<int64_t>({4, 8, 16, 32, 64, 128}));
  EXPECT_EQ(layout.getBases(LayoutInput::Wave), llvm::ArrayRef<int64_t>({0}));
}

/// What 16 lanes read before the instruction transposes it is what they are to
/// hold after it.
TEST(LinearLayout, BeforeTranspose) {
  // 128 x 32 columns: 16 or 32 columns in lanes, runs of rows in registers.
  LinearLayout layouts[] = {
      {{128, 32}, {32, 64, 128, 256, 16}, {1, 2, 4, 8, 512, 1024}, {2048}},
      {{128, 32}, {512, 32, 64, 128, 256}, {1, 2, 4, 8, 16, 1024}, {0}}};
  for (const LinearLayout &held : layouts)
    for (int64_t size : {4, 8}) {
      LinearLayout read = *held.beforeTranspose(size);
      for (int64_t lane = 0; lane < 64; ++lane)
        for (int64_t reg = 0; reg < held.getNumRegisters(); ++reg) {
          int64_t flat = held.apply(reg, lane, 0), k = flat / 32 % size,
                  column = lane % 16;
          // Which of a vector's elements, in a register that the first has.
          int64_t from = lane / 16 * 16 + k * (16 / size) + column / size;
          int64_t first = *held.findRegister(held.apply(reg, 0, 0) - k * 32);
          int64_t element = 0;
          for (auto [bit, basis] :
               llvm::enumerate(read.getBases(LayoutInput::Register)))
            if (basis < size && (column % size) & basis)
              element |= int64_t(1) << bit;
          EXPECT_EQ(read.apply(first | element, from, 0), flat);
        }
    }
  LinearLayout alongRows = LinearLayout::rowMajor({64, 64}, 8, 6, 0);
  EXPECT_FALSE(alongRows.beforeTranspose(8));
}

TEST(LinearLayout, WithinWavesKeepsWaves) {
  // 32 x 32 over 2 x 2 waves, as a matrix instruction leaves it.
  LinearLayout held({32, 32}, {1, 2}, {32, 64, 128, 256, 4, 8}, {16, 512});
  LinearLayout stored = held.withinWaves(8);
  EXPECT_TRUE(stored.isSurjective());
  EXPECT_EQ(stored.getBases(LayoutInput::Wave),
            held.getBases(LayoutInput::Wave));
  // A wave has rows of 16: two lanes each, then 16 rows, and replicas.
  EXPECT_EQ(stored.getBases(LayoutInput::Register),
            (llvm::ArrayRef<int64_t>{1, 2, 4}));
  EXPECT_EQ(stored.getBases(LayoutInput::Lane),
            (llvm::ArrayRef<int64_t>{8, 32, 64, 128, 256, 0}));
}

TEST(LinearLayout, EmbedKeepsCoordinates) {
  LinearLayout part({16, 32}, {1, 2, 4}, {32, 64, 128, 256, 8, 16}, {});
  LinearLayout whole = part.embed({64, 128});
  for (int64_t lane = 0; lane < 64; ++lane)
    for (int64_t reg = 0; reg < 8; ++reg)
      EXPECT_EQ(whole.toCoordinates(whole.apply(reg, lane, 0)),
                part.toCoordinates(part.apply(reg, lane, 0)));
}

/// The order of data in 16 x 16 shuffles, and of scales in 32 x 4 x 4 blocks.
static LinearLayout getShuffleOrder() {
  return LinearLayout({16, 32}, {1, 2, 4, 8, 32, 64, 128, 256, 16}, {}, {});
}
static LinearLayout getBlockedOrder() {
  return LinearLayout({128, 4}, {1, 2, 128, 256, 4, 8, 16, 32, 64}, {}, {});
}

/// The conversions that our kernels make have no bank conflict on either side.
TEST(SharedLayout, KernelConversionsHaveNoConflicts) {
  struct Case {
    LinearLayout from, to;
    int64_t bytes;
  };
  LinearLayout bf16 = LinearLayout::rowMajor({32, 512}, 8, 6, 3);
  LinearLayout f32 = LinearLayout::rowMajor({32, 256}, 4, 6, 3);
  LinearLayout tall = LinearLayout::rowMajor({64, 256}, 8, 6, 3);
  LinearLayout fp8 = LinearLayout::rowMajor({32, 512}, 16, 6, 3);
  LinearLayout scales = bf16.project({1, 32});
  LinearLayout shuffled =
      LinearLayout::inOrder({16, 512}, getShuffleOrder(), 16, 6, 3);
  Case cases[] = {
      {LinearLayout::rowMajor({16, 512}, 8, 6, 3), shuffled, 1},
      {tall.transpose(), LinearLayout::rowMajor({256, 64}, 16, 6, 3), 1},
      {fp8, LinearLayout::rowMajor({32, 512}, 8, 6, 3), 2},
      {fp8, LinearLayout::rowMajor({32, 512}, 4, 6, 3), 4},
      {scales, LinearLayout::rowMajor({32, 16}, 16, 6, 3), 1},
      {f32.project({1, 32}), LinearLayout::rowMajor({32, 8}, 8, 6, 3), 1},
      {LinearLayout::rowMajor({1, 512}, 16, 6, 3), fp8.project({32, 1}), 1}};
  for (const Case &c : cases)
    for (unsigned banks : {32u, 64u}) {
      SharedLayout shared(c.from, c.to, c.bytes, banks);
      EXPECT_EQ(shared.conflicts(c.from), 0) << banks << " banks, writing";
      EXPECT_EQ(shared.conflicts(c.to), 0) << banks << " banks, reading";
    }
}

/// Where an element of a tile of whole units lies, by the published formulas.
TEST(LinearLayout, PlacesFollowTheFormulas) {
  LinearLayout data = LinearLayout::rowMajor({32, 64}, 8, 6, 2);
  LinearLayout scales = LinearLayout::rowMajor({256, 8}, 4, 6, 2);
  auto check = [](const LinearLayout &layout, const LinearLayout &order,
                  auto formula) {
    LinearLayout placed = layout.place(order);
    int64_t rowOfUnits = placed.getShape()[1];
    for (int64_t wave = 0; wave < 4; ++wave)
      for (int64_t lane = 0; lane < 64; ++lane)
        for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg) {
          auto at = layout.toCoordinates(layout.apply(reg, lane, wave));
          auto place = placed.toCoordinates(placed.apply(reg, lane, wave));
          EXPECT_EQ(place[0] * rowOfUnits + place[1], formula(at[0], at[1]));
        }
  };
  check(data, getShuffleOrder(), [](int64_t r, int64_t c) {
    return r / 16 * 16 * 64 + c / 32 * 512 + c % 32 / 16 * 256 + r % 16 * 16 +
           c % 16;
  });
  check(scales, getBlockedOrder(), [](int64_t r, int64_t c) {
    return (r / 128 * (8 / 4) + c / 4) * 512 + r % 32 * 16 + r % 128 / 32 * 4 +
           c % 4;
  });
}

/// A lane's vector is as wide as what lies side by side in memory, and no wider
/// where the tile has gaps.
TEST(LinearLayout, InOrderIsContiguousInMemory) {
  auto width = [](llvm::ArrayRef<int64_t> shape, const LinearLayout &order) {
    LinearLayout layout = LinearLayout::inOrder(shape, order, 16, 6, 3);
    EXPECT_TRUE(layout.isSurjective() && layout.isPermutation());
    return layout.place(order).getContiguity();
  };
  EXPECT_EQ(width({32, 512}, getShuffleOrder()), 16);
  EXPECT_EQ(width({16, 8}, getShuffleOrder()), 8);
  EXPECT_EQ(width({128, 4}, getBlockedOrder()), 16);
  EXPECT_EQ(width({32, 16}, getBlockedOrder()), 4); // rows 32 apart are missing
  EXPECT_EQ(width({128, 1}, getBlockedOrder()), 1); // columns 1 and 2 are
}

/// The count itself: lanes a row of banks apart all meet in one bank.
TEST(SharedLayout, ConflictsAreCounted) {
  LinearLayout rows({64, 32}, {1, 2, 4, 8, 16}, {32, 64, 128, 256, 512, 1024},
                    {});
  SharedLayout same(rows, rows, 4, 32);
  EXPECT_EQ(same.conflicts(rows), 0);
  // Read with another vector split than the map was made for: 4 bytes a lane,
  // 128 apart.
  LinearLayout columns({64, 32}, {32, 64, 128, 256, 512, 1024},
                       {1, 2, 4, 8, 16, 0}, {});
  SharedLayout linear(columns, columns, 4, 32);
  EXPECT_GT(linear.conflicts(rows), 0);
}
