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

/// A block's sum times two E8M0 scales (i8 tiles, of one column and of one
/// row), which leaves f32's range only where the scaled sum does.
Value emitScaledBlock(TileContext &ctx, Value sum, Value scaleA, Value scaleB);

/// With GemmPlan::Scales::Elements: the sum over `steps` steps, whatever the
/// scales and elements, in several passes; step i begins at `emitK(i)`, and
/// `emitMma` adds the product of two finished tiles to a sum of type `type`.
Value emitExactSum(TileContext &ctx, const GemmOperand &left,
                   const GemmOperand &right, Type type, Value steps,
                   function_ref<Value(Value)> emitK,
                   function_ref<Value(ArrayRef<Value>, Value)> emitMma);

/// i1: a condition of waves is true in any wave of the workgroup.
Value emitIsAnywhere(TileContext &ctx, Value condition);

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_TETOTILE_GEMMSCALES_H
