//===- Elementwise.h - arith and math ops on tiles --------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_TETOTILE_ELEMENTWISE_H
#define TE_LIB_CONVERSION_TETOTILE_ELEMENTWISE_H

#include "te/Conversion/TEToTile/TileContext.h"

namespace mlir::te {

/// Computes an elementwise op on tensors (te/Dialect/TE/IR/Elementwise.h) on
/// this workgroup's tiles of them.
void emitElementwise(TileContext &ctx, Operation *op);

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_TETOTILE_ELEMENTWISE_H
