//===- Orders.h - te.permute and tensor.insert_slice ------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_DIALECT_TE_TRANSFORMS_ORDERS_H
#define TE_LIB_DIALECT_TE_TRANSFORMS_ORDERS_H

#include "te/Dialect/TE/IR/TE.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::te {

/// Makes an order of dimensions from views: rows in another order, and matrices
/// transposed. Dimensions that stay side by side are one; those of one element
/// are none.
///
///   %t = te.permute %x [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
/// ==>
///   %0 = tensor.collapse_shape %x [[0, 1], [2]] : ... into tensor<6x4xf32>
///   %1 = te.permute %0 [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
///   %t = tensor.expand_shape %1 [[0], [1, 2]] ... into tensor<4x2x3xf32>
///
/// Where rows have to be put in order both before and after, that is two more
/// te.permute, and the first one is copied.
void splitOrder(PermuteOp op);

/// What lies around a slice that is put into a tensor, and the slice, are parts
/// of a tensor.concat: of one for each dimension that the slice does not fill.
/// What tensor.empty gives stays out where slices cover it. Other steps than 1
/// are left for an error (V1).
///
///   %r = tensor.insert_slice %s into %x[0, 8] [4, 8] [1, 1]
///       : tensor<4x8xf32> into tensor<4x24xf32>
/// ==>
///   %0 = tensor.extract_slice %x[0, 0] [4, 8] [1, 1] : ...
///   %1 = tensor.extract_slice %x[0, 16] [4, 8] [1, 1] : ...
///   %r = tensor.concat dim(1) %0, %s, %1 : ...
void concatenate(tensor::InsertSliceOp op);

} // namespace mlir::te

#endif // TE_LIB_DIALECT_TE_TRANSFORMS_ORDERS_H
