//===- Scales.h - scales of blocks on tiles ---------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From amax to an E8M0 byte or an f32 scale, back to multipliers, and to and
// from memory: docs/spec.md, sections "E8M0" and "f32 scales".
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_TETOTILE_SCALES_H
#define TE_LIB_CONVERSION_TETOTILE_SCALES_H

#include "te/Conversion/TEToTile/TileContext.h"

namespace mlir::te {

/// The E8M0 byte of each block, as an i32 tile, from its amax (f32, not NaN).
Value emitScaleByte(TileContext &ctx, Value amax, ScaleRounding rounding,
                    Type elementType);
/// 2^(127 - byte), the multiplier on the way in (byte 0: 2^127, byte 254:
/// 2^-127).
Value emitInverseScale(TileContext &ctx, Value byte);
/// 2^(byte - 127), the multiplier on the way out (byte 0: 2^-127, byte 255:
/// NaN).
Value emitScale(TileContext &ctx, Value byte);

/// The element type's largest finite value.
double getLargest(Type elementType);

/// The f32 multiplier of each block from its amax (f32, not NaN): the element
/// type's largest value over amax, 1 where amax is 0 or Inf, `largestInput`
/// where that overflows, and with `pow2` cut to a power of two.
Value emitScaleFromAmax(TileContext &ctx, Value amax, bool pow2,
                        Type elementType, Type inputType);

/// Stores this workgroup's scales (one element a block, bytes or f32) where the
/// type's storage has them.
void storeScales(TileContext &ctx, ScaledType type, Value scales, Value buffer);
/// The scale of each block of the workgroup's tile, held as `blocks` says.
Value loadScales(TileContext &ctx, ScaledType type, Value buffer,
                 const tile::LinearLayout &blocks);

/// Why there is no kernel for a scheme yet, or nothing where there is one.
std::optional<std::string> getUnsupportedReason(ScaledType type);

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_TETOTILE_SCALES_H
