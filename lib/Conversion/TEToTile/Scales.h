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

/// The E8M0 byte of each block, as an i32 tile, from its amax (f32, not NaN);
/// an i16 tile where amax is bf16 and the byte is computed in that.
Value emitScaleByte(TileContext &ctx, Value amax, ScaleRounding rounding,
                    Type elementType);
/// The byte of an amax of 0.
int64_t getByteOfZeros(ScaleRounding rounding, Type elementType);
/// 2^(127 - byte), the multiplier on the way in (byte 0: 2^127, byte 254:
/// 2^-127): f32, or bf16 from bytes in i16.
Value emitInverseScale(TileContext &ctx, Value byte);
/// 2^(byte - 127), the multiplier on the way out (byte 0: 2^-127, byte 255:
/// NaN).
Value emitScale(TileContext &ctx, Value byte);

/// The element type's largest finite value.
double getLargest(Type elementType);

/// The f32 multiplier from an amax (an f32 tile or scalar): the element type's
/// largest value over amax, 1 where amax is 0, Inf or NaN, `overflow` where the
/// quotient overflows, and with the scheme's `pow2` cut to a power of two.
Value emitScaleFromAmax(TileContext &ctx, Value amax, ScaledType type,
                        double overflow);

/// The rows and columns of one block.
SmallVector<int64_t> getBlock(ScalingAttr scaling);

/// True where the storage's rows are the tensor's columns.
bool areScalesTransposed(ScaledType type);

/// The elements that one stored scale is for: a block, or one row of it where
/// the layout repeats the scale for each row.
std::array<int64_t, 2> getStoredBlock(ScaledType type);

/// An order in memory (te/Region/StorageOrder.h) for tile.load and others;
/// null where there is none.
tile::LayoutAttr getOrderAttr(MLIRContext *context,
                              std::optional<tile::LinearLayout> order);

/// Stores this workgroup's scales (one element a block, bytes or f32) where the
/// type's storage has them. `padsLikeZeros`: the padding's value is what a
/// block of zeros has, which is what lies outside of the tensor.
void storeScales(TileContext &ctx, ScaledType type, Value scales, Value buffer,
                 bool padsLikeZeros);
/// The scale of each stored block (see getStoredBlock) of the workgroup's tile,
/// kept as `blocks` says.
Value loadScales(TileContext &ctx, ScaledType type, Value buffer,
                 const tile::LinearLayout &blocks);

/// The same, `blocks` of them, as they are stored, kept by whom it costs least
/// to read: every lane reads a run, and nothing is done with it. `together`:
/// bits of the row (of blocks; `dim` 1: of the column) in which one lane's runs
/// differ.
Value loadScalesAsStored(TileContext &ctx, ScaledType type, Value buffer,
                         std::array<int64_t, 2> blocks,
                         ArrayRef<int64_t> together = {}, unsigned dim = 0);

/// The same, kept as `blocks` says, without a way through LDS.
Value loadScalesIn(TileContext &ctx, ScaledType type, Value buffer,
                   const tile::LinearLayout &blocks);

/// Copies this workgroup's scales of blocks from the storage of one type to
/// another's, of one scheme.
void moveScales(TileContext &ctx, ScaledType from, Value source, ScaledType to,
                Value target);

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_TETOTILE_SCALES_H
