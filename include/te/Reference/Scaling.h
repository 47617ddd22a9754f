//===- Scaling.h - how scales are chosen -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The scaling recipes: from the largest magnitude of a block to its scale (TE
// semantics sections 2.1 to 2.7, decisions 3 to 6). All arithmetic here is IEEE
// single precision, rounded to nearest even, subnormals kept.
//
//===----------------------------------------------------------------------===//
#ifndef TE_REFERENCE_SCALING_H
#define TE_REFERENCE_SCALING_H

#include "te/Reference/Formats.h"

namespace mlir::te::ref {

enum class Granularity { Tensor, Row, Block };
enum class Rounding { Nearest, Pow2, RCeil, Floor, Even, Ceil };
enum class ScaleLayout { Linear, Blocked32x4x4, E8M0Shuffle };
enum class DataLayout { Linear, Transposed, Shuffle16x16 };

/// What #te.scaling says, without MLIR.
struct Scaling {
  Granularity granularity = Granularity::Tensor;
  int64_t blockRows = 0, blockCols = 0; // Granularity::Block only
  DType scaleType = DType::F32;         // or F8E8M0FNU
  Rounding rounding = Rounding::Nearest;
  Ties ties = Ties::Even;
  ScaleLayout scaleLayout = ScaleLayout::Linear;
  DataLayout dataLayout = DataLayout::Linear;
  bool perMatrix = false; // of the last two dimensions, each by itself
};

/// The factor that maps `amax` to `formatMax`. `valueForInf`
/// replaces a factor that overflows.
float computeScaleFromAmax(float amax, float formatMax, bool pow2,
                           float epsilon, float valueForInf);

/// Decision 4: what a row is divided by, and multiplied by on the way out.
float computeRowScaleInv(float amax, float formatMax);

/// The E8M0 code for a block of `element` with that amax (never NaN).
/// docs/spec.md, with what zero and Inf give.
uint8_t computeE8M0(float amax, DType element, Rounding rounding);

/// What a block with that E8M0 code is multiplied by on the way in: 2^(127 -
/// e), NaN for 0xFF.
float getE8M0Multiplier(uint8_t code);

} // namespace mlir::te::ref

#endif // TE_REFERENCE_SCALING_H
