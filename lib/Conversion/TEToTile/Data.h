//===- Data.h - quantized elements on tiles ---------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Casts to the elements of a !te.scaled, and these to and from memory in the
// order that the type says: docs/spec.md, sections "Storage" and "Casts".
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_TETOTILE_DATA_H
#define TE_LIB_CONVERSION_TETOTILE_DATA_H

#include "te/Conversion/TEToTile/TileContext.h"

namespace mlir::te {

/// x * factor in f32, of positive factors: marked so that the codes' signs can
/// be taken from x.
Value emitScaled(TileContext &ctx, Value x, Value factor);

/// The saturating cast of an f32 tile to 8-bit floats.
Value emitSaturatingCast(TileContext &ctx, Value x, Type elementType);

/// Stores what emitSaturatingCast or castToFP4 gives in the type's layout.
void storeData(TileContext &ctx, ScaledType type, Value data, Value buffer);

/// This workgroup's codes as they are stored: transposed where the type says
/// so, of fp4 two columns a byte. `getStoredLayout`: of the unpacked ones.
Value loadBytes(TileContext &ctx, ScaledType type, Value buffer);
tile::LinearLayout getStoredLayout(TileContext &ctx, ScaledType type);

/// Packed bytes of fp4 as they are stored, of elements from `at` on of rows of
/// `length`: where that is odd, without what the last byte's upper half holds.
Value dropSpareNibble(TileContext &ctx, Value bytes, Value at, Value length);

/// This workgroup's tile of the data, as f32, in the region's load layout.
Value loadData(TileContext &ctx, ScaledType type, Value buffer);

/// Copies this workgroup's codes from the layout of one type to another's.
void moveData(TileContext &ctx, ScaledType from, Value source, ScaledType to,
              Value target);

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_TETOTILE_DATA_H
