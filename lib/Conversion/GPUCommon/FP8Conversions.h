//===- FP8Conversions.h - fp8 conversions of a chip -------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_GPUCOMMON_FP8CONVERSIONS_H
#define TE_LIB_CONVERSION_GPUCOMMON_FP8CONVERSIONS_H

#include "te/Conversion/Names.h"
#include "te/Dialect/Tile/IR/Tile.h"
#include "te/Target/Target.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::te {

/// Conversions fill a register of four bytes.
inline constexpr int64_t kPack = 4;

/// A chip's conversions between f32 and 8-bit floats of its own encoding.
struct PackedFP8 {
  /// The codes of `source`'s elements from `first` on, one to four, in a vector
  /// of four; what is behind them is unspecified. Numbers are in range or NaN.
  Value (*trunc)(ImplicitLocOpBuilder &b, Value source, int64_t first,
                 int64_t count, VectorType packType);
  /// What the first `count` codes of a pack mean, in a vector of four.
  Value (*ext)(ImplicitLocOpBuilder &b, Value pack, int64_t count);
  /// An i32 of four bytes of a vector's registers; where the other encoding is
  /// emulated.
  Value (*pick)(ImplicitLocOpBuilder &b, Value vector,
                std::array<int64_t, 4> bytes);
};

bool isFP8(Type type);

/// Calls `convert` for each group of four elements of a vector of this type
/// (the last may be shorter) and joins the groups' first elements.
Value forEachPack(ImplicitLocOpBuilder &b, VectorType type,
                  function_ref<Value(int64_t first, int64_t count)> convert);

/// Patterns for arith.truncf and extf between vectors of f32 and of 8-bit
/// floats, emulated where the chip's encoding is another.
void populateFP8Patterns(RewritePatternSet &patterns, const Target &target,
                         const PackedFP8 &native);

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_GPUCOMMON_FP8CONVERSIONS_H
