//===- Views.h - slices and reshapes of buffers -----------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inside of a region tensor.extract_slice, expand_shape and collapse_shape move
// nothing: what they give is a view of a buffer, which tiles are loaded from.
// The parts of a tensor.concat are views too, of what it gives: tiles are
// stored to them.
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_TETOTILE_VIEWS_H
#define TE_LIB_CONVERSION_TETOTILE_VIEWS_H

#include "te/Conversion/TEToTile/TileContext.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::te {

/// This workgroup's tile of what a chain of slices and reshapes gives. Fails,
/// with an error at the op, where the chain is no view.
FailureOr<Value> loadView(TileContext &ctx, Value value);

/// Stores this workgroup's tile of `root` where the concat's operand, a reshape
/// of it, lies in the concat's buffer.
LogicalResult storePart(TileContext &ctx, tensor::ConcatOp concat,
                        unsigned operand, Value root, Value tile);

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_TETOTILE_VIEWS_H
