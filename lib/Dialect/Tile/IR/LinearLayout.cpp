//===- LinearLayout.cpp - layouts as linear maps over bits ----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/Tile/IR/LinearLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir::te::tile;
using llvm::ArrayRef;
using llvm::SmallVector;

LinearLayout::LinearLayout(ArrayRef<int64_t> shape, ArrayRef<int64_t> registers,
                           ArrayRef<int64_t> lanes, ArrayRef<int64_t> waves)
    : shape(shape), bases{Bases(registers), Bases(lanes), Bases(waves)} {}

/// Flat bits from the nearest in memory to the farthest, handed out as vector,
/// lanes, more registers, waves.
static LinearLayout handOut(ArrayRef<int64_t> shape, ArrayRef<int64_t> bits,
                            unsigned vectorBits, unsigned laneBits,
                            unsigned waveBits) {
  unsigned total = bits.size();
  unsigned lanes = std::min(laneBits, total - vectorBits);
  unsigned waves = std::min(waveBits, total - vectorBits - lanes);
  unsigned extra = total - vectorBits - lanes - waves;
  LinearLayout::Bases regs, laneBases, waveBases;
  auto appendBases = [&](LinearLayout::Bases &to, unsigned count) {
    llvm::append_range(to, bits.take_front(count));
    bits = bits.drop_front(count);
  };
  appendBases(regs, vectorBits);
  appendBases(laneBases, lanes);
  appendBases(regs, extra);
  appendBases(waveBases, waves);
  laneBases.resize(laneBits, 0);
  waveBases.resize(waveBits, 0);
  return LinearLayout(shape, regs, laneBases, waveBases);
}

/// The bits of a shape's flat offsets, in row-major order.
static SmallVector<int64_t> getFlatBits(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> bits;
  for (int64_t bit = 1, size = llvm::product_of(shape); bit < size; bit *= 2)
    bits.push_back(bit);
  return bits;
}

LinearLayout LinearLayout::rowMajor(ArrayRef<int64_t> shape, int64_t vector,
                                    unsigned laneBits, unsigned waveBits,
                                    ArrayRef<int64_t> together) {
  SmallVector<int64_t> bits = getFlatBits(shape);
  auto isRegister = [&](int64_t bit) {
    return bit < vector || llvm::is_contained(together, bit);
  };
  auto rest = std::stable_partition(bits.begin(), bits.end(), isRegister);
  return handOut(shape, bits, rest - bits.begin(), laneBits, waveBits);
}

LinearLayout LinearLayout::inOrder(ArrayRef<int64_t> shape,
                                   const LinearLayout &order, int64_t vector,
                                   unsigned laneBits, unsigned waveBits) {
  SmallVector<int64_t> bits = getFlatBits(shape);
  LinearLayout placed = LinearLayout(shape, bits, {}, {}).place(order);
  SmallVector<std::pair<int64_t, int64_t>> byPlace;
  for (auto [place, bit] :
       llvm::zip_equal(placed.getBases(LayoutInput::Register), bits))
    byPlace.push_back({place, bit});
  llvm::sort(byPlace);
  unsigned vectorBits = 0;
  for (auto [i, entry] : llvm::enumerate(byPlace)) {
    if (entry.first != int64_t(1) << i || int64_t(2) << i > vector)
      break;
    ++vectorBits;
  }
  return handOut(shape, llvm::to_vector(llvm::make_second_range(byPlace)),
                 vectorBits, laneBits, waveBits);
}

int64_t LinearLayout::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

int64_t LinearLayout::apply(int64_t reg, int64_t lane, int64_t wave) const {
  int64_t inputs[3] = {reg, lane, wave}, flat = 0;
  for (unsigned i = 0; i < 3; ++i)
    for (auto [bit, basis] : llvm::enumerate(bases[i]))
      if ((inputs[i] >> bit) & 1)
        flat ^= basis;
  return flat;
}

SmallVector<int64_t> LinearLayout::toCoordinates(int64_t flat) const {
  SmallVector<int64_t> coordinates(shape.size());
  for (size_t i = shape.size(); i-- > 0; flat /= shape[i])
    coordinates[i] = flat % shape[i];
  return coordinates;
}

int64_t LinearLayout::toFlat(ArrayRef<int64_t> coordinates) const {
  int64_t flat = 0;
  for (auto [size, coordinate] : llvm::zip_equal(shape, coordinates))
    flat = flat * size + coordinate;
  return flat;
}

bool LinearLayout::isSurjective() const {
  // Gaussian elimination over F2: the rank is the number of coordinate bits.
  SmallVector<int64_t> reduced;
  for (const Bases &input : bases)
    for (int64_t basis : input) {
      for (int64_t r : reduced)
        basis = std::min(basis, basis ^ r);
      if (basis)
        reduced.push_back(basis);
    }
  return (int64_t(1) << reduced.size()) == getNumElements();
}

bool LinearLayout::isPermutation() const {
  int64_t seen = 0;
  for (const Bases &input : bases)
    for (int64_t basis : input) {
      if (basis && (!llvm::isPowerOf2_64(basis) || (seen & basis)))
        return false;
      seen |= basis;
    }
  return true;
}

int64_t LinearLayout::getContiguity() const {
  int64_t width = 1;
  for (int64_t basis : bases[0]) {
    if (basis != width || width >= shape.back())
      break;
    width *= 2;
  }
  return width;
}

LinearLayout LinearLayout::project(ArrayRef<int64_t> block) const {
  LinearLayout result = *this;
  for (auto [size, b] : llvm::zip_equal(result.shape, block))
    size /= b;
  for (unsigned i = 0; i < 3; ++i)
    for (int64_t &basis : result.bases[i]) {
      SmallVector<int64_t> coordinates = toCoordinates(basis);
      for (auto [c, b] : llvm::zip_equal(coordinates, block))
        c /= b;
      basis = result.toFlat(coordinates);
    }
  llvm::erase(result.bases[0], 0);
  return result;
}

int64_t LinearLayout::getRunOfLanes() const {
  int64_t run = getContiguity();
  for (int64_t basis : getBases(LayoutInput::Lane)) {
    if (basis != 0 && basis != run)
      break;
    run += basis;
  }
  return run;
}

int64_t LinearLayout::getWavesOfBlock(ArrayRef<int64_t> block) const {
  int64_t waves = 0;
  for (auto [bit, bases] : llvm::enumerate(
           llvm::zip_equal(getBases(LayoutInput::Wave),
                           project(block).getBases(LayoutInput::Wave)))) {
    auto [before, after] = bases;
    waves |= int64_t(before != 0 && after == 0) << bit;
  }
  return waves;
}

LinearLayout LinearLayout::transpose() const {
  LinearLayout result = *this;
  std::swap(result.shape[0], result.shape[1]);
  for (Bases &input : result.bases)
    for (int64_t &basis : input) {
      SmallVector<int64_t> c = toCoordinates(basis);
      basis = result.toFlat({c[1], c[0]});
    }
  llvm::sort(result.bases[0]);
  return result;
}

LinearLayout LinearLayout::transposeInOrder() const {
  LinearLayout result = transpose();
  Bases first, others;
  for (int64_t basis : result.getBases(LayoutInput::Register))
    (basis >= result.shape.back() ? first : others).push_back(basis);
  first.append(others);
  return LinearLayout(result.shape, first, result.getBases(LayoutInput::Lane),
                      result.getBases(LayoutInput::Wave));
}

LinearLayout LinearLayout::widen(int64_t vector) const {
  LinearLayout result = *this;
  Bases &regs = result.bases[0], &lanes = result.bases[1];
  for (unsigned bit = 0; (int64_t(2) << bit) <= std::min(vector, shape.back());
       ++bit) {
    int64_t basis = int64_t(1) << bit;
    auto *reg = llvm::find(regs, basis), *lane = llvm::find(lanes, basis);
    if (reg == regs.end()) {
      // The outgoing register must not be one of the vector's own.
      auto *out = llvm::find_if(regs, [&](int64_t r) { return r >= vector; });
      if (lane == lanes.end() || out == regs.end())
        return result;
      std::swap(*lane, *out);
      reg = out;
    }
    std::rotate(regs.begin() + bit, reg, reg + 1);
  }
  return result;
}

LinearLayout LinearLayout::withinWaves(int64_t vector) const {
  LinearLayout result = *this;
  Bases &regs = result.bases[0], &lanes = result.bases[1];
  size_t lanesLeft = lanes.size();
  regs.clear();
  lanes.clear();
  for (int64_t basis = 1; basis < getNumElements(); basis *= 2) {
    if (llvm::is_contained(bases[2], basis))
      continue;
    bool isInLane = basis < vector || lanes.size() == lanesLeft;
    (isInLane ? regs : lanes).push_back(basis);
  }
  lanes.resize(lanesLeft, 0); // replicas
  return result;
}

LinearLayout LinearLayout::place(const LinearLayout &order) const {
  ArrayRef<int64_t> unit = order.getShape();
  int64_t unitSize = order.getNumElements();
  LinearLayout result = *this;
  result.shape = {std::max<int64_t>(shape[0] / unit[0], 1),
                  std::max<int64_t>(shape[1] / unit[1], 1) * unitSize};
  for (Bases &input : result.bases)
    for (int64_t &basis : input) {
      SmallVector<int64_t> at = toCoordinates(basis);
      int64_t inside = order.toFlat({at[0] % unit[0], at[1] % unit[1]});
      int64_t offset = 0;
      for (auto [bit, from] : llvm::enumerate(order.bases[0]))
        offset |= int64_t((inside & from) != 0) << bit;
      basis =
          result.toFlat({at[0] / unit[0], at[1] / unit[1] * unitSize + offset});
    }
  return result;
}

LinearLayout LinearLayout::spreadRows(int64_t run) const {
  LinearLayout result = *this;
  result.shape[0] *= 2;
  for (Bases &input : result.bases)
    for (int64_t &basis : input) {
      SmallVector<int64_t> at = toCoordinates(basis);
      basis = result.toFlat({at[0] + at[0] / run * run, at[1]});
    }
  return result;
}

std::optional<LinearLayout> LinearLayout::beforeTranspose(int64_t size) const {
  constexpr unsigned laneBits = 4; // of the lanes that transpose
  unsigned sizeBits = llvm::Log2_64(size);
  LinearLayout result = *this;
  Bases &registers = result.bases[0], &lanes = result.bases[1];
  if (lanes.size() < laneBits || sizeBits > laneBits)
    return std::nullopt;
  for (unsigned bit = 0; bit < laneBits; ++bit)
    if (lanes[bit] != int64_t(1) << bit)
      return std::nullopt;
  for (unsigned bit = 0; bit < sizeBits; ++bit) {
    int64_t down = shape.back() << bit;
    auto *reg = llvm::find(registers, down);
    if (reg == registers.end())
      return std::nullopt;
    *reg = int64_t(1) << bit;
    lanes[laneBits - sizeBits + bit] = down;
  }
  for (unsigned bit = sizeBits; bit < laneBits; ++bit)
    lanes[bit - sizeBits] = int64_t(1) << bit;
  return result;
}

LinearLayout LinearLayout::embed(ArrayRef<int64_t> shape) const {
  LinearLayout result = *this;
  result.shape.assign(shape.begin(), shape.end());
  for (Bases &input : result.bases)
    for (int64_t &basis : input)
      basis = result.toFlat(toCoordinates(basis));
  return result;
}

std::optional<int64_t> LinearLayout::findRegister(int64_t flat) const {
  int64_t reg = 0;
  // Registers of a permutation layout: each flat bit names its register bit.
  for (auto [bit, basis] : llvm::enumerate(bases[0]))
    if (basis && (flat & basis) == basis) {
      reg |= int64_t(1) << bit;
      flat ^= basis;
    }
  if (flat)
    return std::nullopt;
  return reg;
}

void LinearLayout::print(llvm::raw_ostream &os) const {
  static constexpr const char *names[] = {"register", "lane", "wave"};
  for (unsigned i = 0; i < 3; ++i) {
    os << (i ? ", " : "") << names[i] << " = [";
    llvm::interleaveComma(bases[i], os, [&](int64_t basis) {
      os << "[";
      llvm::interleaveComma(toCoordinates(basis), os);
      os << "]";
    });
    os << "]";
  }
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

LayoutConversion mlir::te::tile::analyzeConversion(const LinearLayout &source,
                                                   const LinearLayout &target) {
  auto registersOf = [](const LinearLayout &layout) {
    SmallVector<int64_t> sorted(layout.getBases(LayoutInput::Register));
    llvm::sort(sorted);
    return sorted;
  };
  ArrayRef<int64_t> from = source.getBases(LayoutInput::Lane),
                    to = target.getBases(LayoutInput::Lane);
  LayoutConversion shared{ConversionKind::Shared, {}};
  if (!source.isPermutation() || !target.isPermutation() ||
      source.getBases(LayoutInput::Wave) !=
          target.getBases(LayoutInput::Wave) ||
      from.size() != to.size())
    return shared;

  // Each lane bit that changes must have come from a register bit, whose place
  // the old lane bit takes; a bit that only travels among lanes goes through
  // LDS.
  LayoutConversion result{ConversionKind::Registers, {}};
  SmallVector<int64_t> registers(source.getBases(LayoutInput::Register));
  for (auto [lane, bases] : llvm::enumerate(llvm::zip_equal(from, to))) {
    auto [before, after] = bases;
    if (before == after)
      continue;
    auto it = llvm::find(registers, after);
    if (before == 0 || after == 0 || it == registers.end())
      return shared;
    result.kind = ConversionKind::Lanes;
    result.swaps.push_back({unsigned(lane), unsigned(it - registers.begin())});
    *it = before;
  }
  llvm::sort(registers);
  return registers == ArrayRef<int64_t>(registersOf(target)) ? result : shared;
}
