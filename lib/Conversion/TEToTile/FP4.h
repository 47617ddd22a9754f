//===- FP4.h - fp4 codes on tiles -------------------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// f4E2M1FN from and to f32, two codes a byte, and the Hadamard transform that
// may precede the cast: docs/spec.md, sections "Casts", "Storage" and "Ops".
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_TETOTILE_FP4_H
#define TE_LIB_CONVERSION_TETOTILE_FP4_H

#include "te/Conversion/TEToTile/TileContext.h"

namespace mlir::te {

/// The codes of a tile of floats times `factors` (f32 powers of two, or NaN,
/// one a block), saturated, as i8: bit 3 the sign, bits 2 to 0 the magnitude;
/// packed, two columns a byte, unless a lane's columns are not those of memory:
/// the type's data are transposed, or `ctx` is transposed. With
/// `words` (i32, random) magnitudes are rounded stochastically.
Value castToFP4(TileContext &ctx, Value x, Value factors, ScaledType type,
                Value words = {});
/// The values of i8 codes, f32.
Value decodeFP4(TileContext &ctx, Value codes);

/// Codes of neighbouring columns in one byte, the even column's low.
Value packFP4(TileContext &ctx, Value codes);
/// The same kept as `layout` (of a tile of codes) has them.
Value packFP4In(TileContext &ctx, Value codes,
                const tile::LinearLayout &layout);
/// The inverse, as a tile of `layout`.
Value unpackFP4(TileContext &ctx, Value bytes,
                const tile::LinearLayout &layout);

/// Each run of 16 elements of an f32 tile along a dimension (0: down the rows)
/// times H16 / 4, after negating those that `signMask` says. The tile starts at
/// a multiple of 32; what lies outside of the tensor is 0 before and after.
Value emitHadamard(TileContext &ctx, Value x, int64_t dimension,
                   uint32_t signMask);

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_TETOTILE_FP4_H
