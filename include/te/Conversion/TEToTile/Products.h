//===- Products.h - small builders of products ------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the plain loop of an op with products is made of, for a schedule with a
// matmul: load, convert, multiply. TileContext::markStaged marks it for the
// passes that make it fast.
//
//===----------------------------------------------------------------------===//
#ifndef TE_CONVERSION_TETOTILE_PRODUCTS_H
#define TE_CONVERSION_TETOTILE_PRODUCTS_H

#include "te/Conversion/TEToTile/TileContext.h"
#include "te/Dialect/Tile/IR/MMALayout.h"

namespace mlir::te {

/// The tile of this shape at [row, col], loaded by all waves alike in the
/// widest accesses that give each lane a part: what goes through LDS to the
/// lanes that multiply it.
Value emitWideLoad(TileContext &ctx, Value view, Value row, Value col,
                   ArrayRef<int64_t> shape);
/// A tile (M x K of A, N x K of B) in the lanes that the instruction takes it
/// from.
Value emitOperand(TileContext &ctx, Value tile, tile::MMASide side);
/// sum + A B, of such tiles; sums are f32.
Value emitProduct(TileContext &ctx, Value a, Value b, Value sum);

} // namespace mlir::te

#endif // TE_CONVERSION_TETOTILE_PRODUCTS_H
