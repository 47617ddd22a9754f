//===- MMALayout.cpp - tiles of matrix instructions -----------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/Tile/IR/MMALayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::te;
using namespace mlir::te::tile;

using Shape = std::array<int64_t, 2>;

static int64_t toFlat(Shape shape, Shape at) {
  return at[0] * shape[1] + at[1];
}

static void addBases(LinearLayout::Bases &to, Shape shape,
                     const MMALayout::Bases &bases, bool swaps = false) {
  for (auto [first, second] : bases)
    to.push_back(
        toFlat(shape, swaps ? Shape{second, first} : Shape{first, second}));
}

/// Bits of coordinate `dim` from `from` up to `to`.
static void addBits(LinearLayout::Bases &bases, Shape shape, unsigned dim,
                    int64_t from, int64_t to) {
  for (int64_t bit = from; bit < to; bit *= 2) {
    Shape at = {0, 0};
    at[dim] = bit;
    bases.push_back(toFlat(shape, at));
  }
}

/// Waves that hold the same, then those that lie side by side; or the other way
/// round.
static LinearLayout::Bases getOperandWaves(Shape shape, MMASide side,
                                           MMAWaves waves) {
  LinearLayout::Bases cols, rows;
  if (side == MMASide::A) {
    addBits(rows, shape, 0, shape[0] / waves.rows, shape[0]);
    for (int64_t i = 1; i < waves.cols; i *= 2)
      cols.push_back(0);
  } else {
    addBits(cols, shape, 0, shape[0] / waves.cols, shape[0]);
    for (int64_t i = 1; i < waves.rows; i *= 2)
      rows.push_back(0);
  }
  cols.append(rows);
  return cols;
}

/// An operand or its scales: `unit` holds `unitShape` of it; registers hold
/// units along dimension `first` before those along the other.
static LinearLayout getOperandLike(const MMALayout &unit, Shape unitShape,
                                   Shape shape, MMASide side, MMAWaves waves,
                                   unsigned first) {
  Shape own = shape;
  own[0] /= side == MMASide::A ? waves.rows : waves.cols;
  LinearLayout::Bases registers, lanes;
  addBases(registers, shape, unit.registers);
  for (unsigned dim : {first, 1 - first})
    addBits(registers, shape, dim, unitShape[dim], own[dim]);
  addBases(lanes, shape, unit.lanes);
  return LinearLayout(shape, registers, lanes,
                      getOperandWaves(shape, side, waves));
}

LinearLayout tile::getMMAOperandLayout(const MMA &mma, MMAFormat format,
                                       MMASide side, int64_t outer, int64_t k,
                                       MMAWaves waves) {
  LinearLayout layout = getOperandLike(mma.getOperandLayout(format),
                                       {int64_t(mma.size), int64_t(mma.k)},
                                       {outer, k}, side, waves, /*first=*/1);
  return format == MMAFormat::E2M1 ? layout.project({1, 2}) : layout;
}

LinearLayout tile::getMMAScaleLayout(const MMA &mma, MMASide side,
                                     int64_t outer, int64_t k, MMAWaves waves) {
  constexpr int64_t block = MMA::kScaledElements;
  return getOperandLike(mma.getScaleLayout(),
                        {int64_t(mma.size), mma.k / block}, {outer, k / block},
                        side, waves, /*first=*/0);
}

LinearLayout tile::getMMAResultLayout(const MMA &mma, int64_t rows,
                                      int64_t cols, MMAWaves waves) {
  Shape shape = {rows, cols};
  MMALayout unit = mma.getResultLayout();
  LinearLayout::Bases registers, lanes, waveBases;
  addBases(registers, shape, unit.registers, /*swaps=*/true);
  addBits(registers, shape, 1, mma.size, cols / waves.cols);
  addBits(registers, shape, 0, mma.size, rows / waves.rows);
  addBases(lanes, shape, unit.lanes, /*swaps=*/true);
  addBits(waveBases, shape, 1, cols / waves.cols, cols);
  addBits(waveBases, shape, 0, rows / waves.rows, rows);
  return LinearLayout(shape, registers, lanes, waveBases);
}

std::optional<KOrder> tile::findKOrder(const LinearLayout &kept,
                                       const LinearLayout &wanted) {
  if (kept.getShape() != wanted.getShape())
    return std::nullopt;
  KOrder order(llvm::Log2_64(wanted.getShape()[1]), 0);
  for (auto input :
       {LayoutInput::Register, LayoutInput::Lane, LayoutInput::Wave}) {
    llvm::ArrayRef<int64_t> from = wanted.getBases(input),
                            to = kept.getBases(input);
    if (from.size() != to.size())
      return std::nullopt;
    for (auto [a, b] : llvm::zip_equal(from, to)) {
      bool isAlongK = a != 0 && a < wanted.getShape()[1];
      if (isAlongK && b != 0 && b < wanted.getShape()[1])
        order[llvm::Log2_64(a)] = b;
      else if (a != b)
        return std::nullopt;
    }
  }
  KOrder sorted(order);
  llvm::sort(sorted);
  for (auto [bit, place] : llvm::enumerate(sorted))
    if (place != int64_t(1) << bit)
      return std::nullopt;
  return order;
}

LinearLayout tile::reorderK(const LinearLayout &wanted,
                            llvm::ArrayRef<int64_t> order) {
  std::array<LinearLayout::Bases, 3> bases;
  for (auto input :
       {LayoutInput::Register, LayoutInput::Lane, LayoutInput::Wave})
    for (int64_t basis : wanted.getBases(input))
      bases[unsigned(input)].push_back(basis && basis < wanted.getShape()[1]
                                           ? order[llvm::Log2_64(basis)]
                                           : basis);
  return LinearLayout(wanted.getShape(), bases[0], bases[1], bases[2]);
}

int64_t tile::countInstructions(const MMA &mma, const LinearLayout &result,
                                int64_t k) {
  MMAWaves waves = getMMAWaves(result);
  return result.getNumElements() / (waves.rows * waves.cols) /
         (mma.size * mma.size) * (k / mma.k);
}

MMAWaves tile::getMMAWaves(const LinearLayout &result) {
  MMAWaves waves = {1, 1};
  for (int64_t basis : result.getBases(LayoutInput::Wave))
    (basis >= result.getShape()[1] ? waves.rows : waves.cols) *= 2;
  return waves;
}
