//===- StorageOrder.h - bytes in an order of their own ----------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a quantized tensor's codes and scales lie in memory when they are not
// row-major (docs/spec.md). An order permutes the bits of a unit
// of the matrix (see tile.load); units are row-major.
//
//===----------------------------------------------------------------------===//
#ifndef TE_REGION_STORAGEORDER_H
#define TE_REGION_STORAGEORDER_H

#include "te/Dialect/TE/IR/TE.h"
#include "te/Dialect/Tile/IR/LinearLayout.h"

#include <optional>

namespace mlir::te {

/// Of the data's bytes; none where they are row-major, or transposed.
std::optional<tile::LinearLayout> getDataOrder(ScaledType type);
/// The same of codes: fp4 has two in a byte.
std::optional<tile::LinearLayout> getCodeOrder(ScaledType type);
/// Of the scales' bytes.
std::optional<tile::LinearLayout> getScaleOrder(ScaledType type);
/// True for the dimension of the scales' storage that runs along the tensor's
/// rows.
bool isColumns(ScaledType type, ScaledType::StorageDim dim);

} // namespace mlir::te

#endif // TE_REGION_STORAGEORDER_H
