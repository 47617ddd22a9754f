//===- GemmScales.h - scales that no instruction takes ----------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_TETOTILE_GEMMSCALES_H
#define TE_LIB_CONVERSION_TETOTILE_GEMMSCALES_H

#include "GemmOperand.h"

namespace mlir::te {

/// A sum times two scales, which leaves f32's range only where the scaled sum
/// does. A scale is f32 or an E8M0 byte (i8): a tile of one column or row, or
/// one number.
Value emitScaledBlock(TileContext &ctx, Value sum, Value scaleA, Value scaleB);

/// A and B.
using GemmSides = std::array<const GemmOperand *, 2>;

/// With GemmPlan::Scales::Elements: the sum over `steps` steps of elements that
/// have their scales in them, computed again where lanes have seen what this is
/// not right for. Step i begins at `emitK(i)`; `emitMma` adds the product of
/// two finished tiles to a sum.
Value emitCheckedSum(TileContext &ctx, const GemmSides &both,
                     ArrayRef<GemmOperand::Seen> seen, Value sum, Value steps,
                     function_ref<Value(Value)> emitK,
                     function_ref<Value(ArrayRef<Value>, Value)> emitMma);

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_TETOTILE_GEMMSCALES_H
