//===- Moments.h - mean and variance of rows --------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mean in f32 is off by some of its last bits. Where the elements of a row
// differ by little, that is much of their distance from it: rows of 1000 would
// have a variance. So the mean is two numbers: a center, which lies between the
// least and the largest element (of equal ones it is each of them), and how far
// the mean is from that, summed of distances, which are exact for elements near
// it.
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_TETOTILE_MOMENTS_H
#define TE_LIB_CONVERSION_TETOTILE_MOMENTS_H

#include "te/Conversion/TEToTile/TileContext.h"

namespace mlir::te {

/// Of each row: its mean is center + rest.
struct Moments {
  Value center, rest;
  Value squares; // the mean of the squared deviations
};

/// Of an f32 tile that is 0 outside of the tensor and holds whole rows, or
/// tiles of them that a sweep keeps.
Moments emitMoments(TileContext &ctx, Value x);

/// Moments of each row from those of parts of it, elements of a tile.
/// `shares`: how much of the row a part is, 0 for none; `partials.squares` are
/// times that. `reduce` gives one number a row.
Moments mergeMoments(TileContext &ctx, const Moments &partials, Value shares,
                     function_ref<Value(tile::ReduceKind, Value)> reduce);

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_TETOTILE_MOMENTS_H
