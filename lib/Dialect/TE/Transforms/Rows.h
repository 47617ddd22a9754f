//===- Rows.h - views whose rows lie apart ----------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_DIALECT_TE_TRANSFORMS_ROWS_H
#define TE_LIB_DIALECT_TE_TRANSFORMS_ROWS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::te {

/// Kernels read a view where it lies as long as the elements of its last
/// dimension are side by side (V1). A reshape of a slice, or a slice of a
/// reshape, may take them apart: what was read before that is copied.
/// Dynamic sizes are taken for whole ones; where they are not, V1 is an error.
///
///   %s = tensor.extract_slice %x[0, 0] [4, 512] [1, 1]
///       : tensor<4x768xf32> to tensor<4x512xf32>
///   %r = tensor.collapse_shape %s [[0, 1]] : ... into tensor<2048xf32>
/// ==>
///   %s = tensor.extract_slice ...
///   %c = te.copy %s : tensor<4x512xf32> -> tensor<4x512xf32>
///   %r = tensor.collapse_shape %c [[0, 1]] : ...
void copySeparateRows(func::FuncOp func);

} // namespace mlir::te

#endif // TE_LIB_DIALECT_TE_TRANSFORMS_ROWS_H
