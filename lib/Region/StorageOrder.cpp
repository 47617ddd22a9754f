//===- StorageOrder.cpp - bytes in an order of their own ------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Region/StorageOrder.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

/// Bits of [row, column] in the order in which they count in memory.
static LinearLayout makeOrder(ArrayRef<int64_t> unit,
                              ArrayRef<std::array<int64_t, 2>> bits) {
  LinearLayout::Bases flat;
  for (auto [row, col] : bits)
    flat.push_back(row * unit[1] + col);
  return LinearLayout(unit, flat, {}, {});
}

std::optional<LinearLayout> te::getDataOrder(ScaledType type) {
  if (type.getScaling().getDataLayout() != te::DataLayout::Shuffle16x16)
    return std::nullopt;
  return makeOrder({16, 32}, {{0, 1},
                              {0, 2},
                              {0, 4},
                              {0, 8},
                              {1, 0},
                              {2, 0},
                              {4, 0},
                              {8, 0},
                              {0, 16}});
}

std::optional<LinearLayout> te::getCodeOrder(ScaledType type) {
  std::optional<LinearLayout> order = getDataOrder(type);
  if (!order || !type.isFP4())
    return order;
  LinearLayout::Bases codes = {1};
  for (int64_t basis : order->getBases(LayoutInput::Register))
    codes.push_back(2 * basis);
  return LinearLayout({order->getShape()[0], 2 * order->getShape()[1]}, codes,
                      {}, {});
}

std::optional<LinearLayout> te::getScaleOrder(ScaledType type) {
  switch (type.getScaling().getScaleLayout()) {
  case ScaleLayout::Linear:
    break;
  case ScaleLayout::Blocked32x4x4:
    return makeOrder({128, 4}, {{0, 1},
                                {0, 2},
                                {32, 0},
                                {64, 0},
                                {1, 0},
                                {2, 0},
                                {4, 0},
                                {8, 0},
                                {16, 0}});
  case ScaleLayout::E8M0Shuffle:
    return makeOrder(
        {32, 8},
        {{16, 0}, {0, 4}, {1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 1}, {0, 2}});
  }
  return std::nullopt;
}

bool te::isColumns(ScaledType type, ScaledType::StorageDim dim) {
  return dim.numDims == 1 && int64_t(dim.firstDim) == type.getRank() - 1;
}
