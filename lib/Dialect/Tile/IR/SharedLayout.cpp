//===- SharedLayout.cpp - addresses in LDS --------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/Tile/IR/LinearLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

using namespace mlir::te::tile;
using llvm::ArrayRef;
using llvm::SmallVector;

static constexpr int64_t kBankBytes = 4;

SharedLayout::SharedLayout(const LinearLayout &source,
                           const LinearLayout &target, int64_t elementBytes,
                           unsigned banks, int64_t mostBytes,
                           int64_t vectorBytes, int64_t runBytes)
    : elementBytes(elementBytes), banks(banks) {
  unsigned numBits = llvm::Log2_64(source.getNumElements());
  columns.resize(numBits, 0);
  unsigned nextAddressBit = 0;
  SmallVector<bool> placed(numBits, false);
  for (unsigned bit = numBits; bit-- > 0;) {
    int64_t basis = int64_t(1) << bit;
    auto isRegister = [&](const LinearLayout &layout) {
      return llvm::is_contained(layout.getBases(LayoutInput::Register), basis);
    };
    if (getBytes() <= mostBytes || basis * elementBytes < kMostVectorBytes)
      break;
    if (isRegister(source) && isRegister(target)) {
      segmentMask |= basis;
      placed[bit] = true;
    }
  }
  auto place = [&](int64_t basis) {
    unsigned bit = llvm::Log2_64(basis);
    if (!placed[bit])
      columns[bit] ^= int64_t(1) << nextAddressBit++;
    placed[bit] = true;
  };

  // Inside a vector: what both sides hold in registers.
  ArrayRef<int64_t> targetRegs = target.getBases(LayoutInput::Register);
  for (int64_t basis : source.getBases(LayoutInput::Register)) {
    if ((int64_t(2) << vectorBits.size()) * elementBytes > vectorBytes)
      break;
    if (basis && !(basis & segmentMask) &&
        llvm::is_contained(targetRegs, basis)) {
      vectorBits.push_back(llvm::Log2_64(basis));
      place(basis);
    }
  }
  runBits = vectorBits.size();
  for (int64_t basis : source.getBases(LayoutInput::Register)) {
    if (getRunElements() * elementBytes >= runBytes)
      break;
    if (!basis || placed[llvm::Log2_64(basis)])
      continue;
    place(basis);
    ++runBits;
  }

  // The lanes that one row of banks serves at once must differ in the slot
  // bits, on both sides: a bit that both have is a slot of its own, others are
  // paired by XOR.
  int64_t accessBytes =
      std::max<int64_t>(getVectorElements() * elementBytes, kBankBytes);
  unsigned slotBits =
      llvm::Log2_64(std::max<int64_t>(banks * kBankBytes / accessBytes, 1));
  auto firstLanes = [&](const LinearLayout &layout) {
    SmallVector<int64_t> bits;
    for (int64_t basis :
         layout.getBases(LayoutInput::Lane).take_front(slotBits))
      if (basis && !placed[llvm::Log2_64(basis)])
        bits.push_back(basis);
    return bits;
  };
  SmallVector<int64_t> a = firstLanes(source), b = firstLanes(target);
  SmallVector<int64_t> onlyA, onlyB;
  for (int64_t basis : a)
    if (llvm::is_contained(b, basis))
      place(basis);
    else
      onlyA.push_back(basis);
  for (int64_t basis : b)
    if (!llvm::is_contained(a, basis))
      onlyB.push_back(basis);
  // Lanes that share a dword do not compete for its bank: with vectors below a
  // dword, bits of one side fill the dword before slots are given away.
  unsigned dwordBits =
      llvm::Log2_64(accessBytes / (getVectorElements() * elementBytes));
  while (dwordBits > 0 && !onlyA.empty() &&
         nextAddressBit < vectorBits.size() + dwordBits) {
    place(onlyA.front());
    onlyA.erase(onlyA.begin());
  }
  for (auto [i, basis] : llvm::enumerate(onlyA)) {
    if (i < onlyB.size())
      columns[llvm::Log2_64(onlyB[i])] ^= int64_t(1) << nextAddressBit;
    place(basis);
  }
  for (int64_t basis : ArrayRef<int64_t>(onlyB).drop_front(
           std::min(onlyA.size(), onlyB.size())))
    place(basis);
  // What is left, and an address bit of its own for each bit of B that was
  // paired: with runs first these, so that getStreaming finds them in lanes and
  // waves.
  if (runBytes > 0)
    for (int64_t basis : onlyB)
      place(basis);
  for (unsigned bit = 0; bit < numBits; ++bit)
    place(int64_t(1) << bit);
}

int64_t SharedLayout::address(int64_t flat) const {
  int64_t address = 0;
  for (auto [bit, column] : llvm::enumerate(columns))
    if ((flat >> bit) & 1)
      address ^= column;
  return address;
}

/// The flat offset of each address bit: the inverse of an address map.
static LinearLayout::Bases invert(ArrayRef<int64_t> columns) {
  struct Row {
    int64_t address, flat;
  };
  SmallVector<Row> rows;
  for (auto [bit, column] : llvm::enumerate(columns))
    rows.push_back({column, int64_t(1) << bit});
  for (size_t bit = 0; bit < rows.size(); ++bit) {
    auto has = [&](const Row &row) { return (row.address >> bit) & 1; };
    auto pivot = std::find_if(rows.begin() + bit, rows.end(), has);
    std::swap(rows[bit], *pivot);
    for (Row &row : rows)
      if (&row != &rows[bit] && has(row)) {
        row.address ^= rows[bit].address;
        row.flat ^= rows[bit].flat;
      }
  }
  return llvm::map_to_vector<8>(rows, [](const Row &row) { return row.flat; });
}

std::optional<LinearLayout>
SharedLayout::getStreaming(ArrayRef<int64_t> shape, int64_t bytes,
                           unsigned laneBits, unsigned waveBits) const {
  size_t vector = runBits, others = vector + laneBits + waveBits;
  if (getRunElements() * elementBytes != bytes || segmentMask != 0 ||
      columns.size() < others || shape.back() < getRunElements())
    return std::nullopt;
  LinearLayout::Bases flat = invert(columns);
  for (size_t bit = 0; bit < vector; ++bit)
    if (flat[bit] != int64_t(1) << bit)
      return std::nullopt;
  auto all = ArrayRef<int64_t>(flat);
  LinearLayout::Bases registers(all.take_front(vector));
  registers.append(all.drop_front(others).begin(), all.end());
  int64_t moved = 0, own = 0;
  for (int64_t basis : all.drop_front(others))
    moved |= basis;
  for (int64_t basis : all.slice(vector, laneBits + waveBits))
    own |= basis;
  if (moved & own)
    return std::nullopt;
  return LinearLayout(shape, registers, all.slice(vector, laneBits),
                      all.slice(vector + laneBits, waveBits));
}

int64_t SharedLayout::getBytes() const {
  return (elementBytes << columns.size()) >>
         llvm::popcount(uint64_t(segmentMask));
}

SmallVector<int64_t> SharedLayout::getSegments() const {
  SmallVector<int64_t> segments = {0};
  while (int64_t next = (segments.back() - segmentMask) & segmentMask)
    segments.push_back(next);
  return segments;
}

SmallVector<int64_t>
SharedLayout::registerOrder(const LinearLayout &layout) const {
  SmallVector<int64_t> order(layout.getNumRegisters());
  std::iota(order.begin(), order.end(), 0);
  int64_t mask = 0;
  for (unsigned bit : vectorBits)
    mask |= int64_t(1) << bit;
  auto key = [&](int64_t reg) {
    int64_t flat = layout.apply(reg, 0, 0);
    return std::pair(flat & ~mask, address(flat & mask));
  };
  llvm::sort(order, [&](int64_t x, int64_t y) { return key(x) < key(y); });
  return order;
}

int64_t SharedLayout::conflicts(const LinearLayout &layout) const {
  int64_t bytes = getVectorElements() * elementBytes;
  int64_t lanes = int64_t(1) << layout.getBases(LayoutInput::Lane).size();
  int64_t group = std::min<int64_t>(
      lanes, banks * kBankBytes / std::max<int64_t>(bytes, kBankBytes));
  int64_t extra = 0;
  for (int64_t first = 0; first < lanes; first += group) {
    SmallVector<SmallVector<int64_t>> dwords(banks);
    int64_t cost = 0;
    for (int64_t lane = first; lane < first + group; ++lane) {
      int64_t start = address(layout.apply(0, lane, 0)) * elementBytes;
      for (int64_t b = 0; b < bytes; b += kBankBytes) {
        int64_t dword = (start + b) / kBankBytes;
        SmallVector<int64_t> &bank = dwords[dword % banks];
        if (!llvm::is_contained(bank, dword))
          bank.push_back(dword);
        cost = std::max<int64_t>(cost, bank.size());
      }
    }
    extra += cost - 1;
  }
  return extra;
}
