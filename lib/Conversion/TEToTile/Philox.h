//===- Philox.h - random words on tiles -------------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"),
// a function of seed, offset and an element's place: docs/spec.md, "Stochastic
// rounding".
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_TETOTILE_PHILOX_H
#define TE_LIB_CONVERSION_TETOTILE_PHILOX_H

#include "te/Conversion/TEToTile/TileContext.h"

namespace mlir::te {

/// Columns whose words one block of the generator gives.
constexpr int64_t kPhiloxWords = 4;

/// The word, i32, of each element of this workgroup's tile, kept as `layout`
/// says. `rng` is a tensor<2xi64>: seed, offset.
Value emitRandomWords(TileContext &ctx, Value rng, bool columnwise,
                      const tile::LinearLayout &layout);

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_TETOTILE_PHILOX_H
