//===- MXScale.h - E8M0 scales on tiles -------------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From amax to an E8M0 byte and back to multipliers: docs/spec.md, section
// "E8M0".
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_TETOTILE_MXSCALE_H
#define TE_LIB_CONVERSION_TETOTILE_MXSCALE_H

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

/// The buffer view of a block-scaled value's scales, whose storage has the
/// tensor's orientation, and this workgroup's first scale in it. Rows are a
/// multiple of `divisible`.
struct ScaleView {
  Value view, row, col;
  int64_t divisible;
};
ScaleView emitScaleView(TileContext &ctx, ScaledType type, Value buffer);

/// Why there is no kernel for a scheme yet, or nothing where there is one.
std::optional<std::string> getUnsupportedReason(ScaledType type);

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_TETOTILE_MXSCALE_H
