//===- Prepare.h - what kernels are made of ---------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first part of te-fuse: ops that no kernel computes as they stand become
// others that one does.
//
// A te.transpose or te.relayout of what te.quantize makes becomes a result of
// that op, and a te.permute of a te.gemm's operand its flag
// (canonicalizations).
//
// Current scaling needs the whole tensor's amax before the first element is
// cast: that is a kernel of its own, or part of its producer's.
//
//   %q, %m = te.quantize %x : ...
// ==>
//   %m = te.amax %x : ...
//   %q = te.quantize %x amax(%m : tensor<f32>) : ...
//
// The bias gradient of a te.gemm is a te.bias_grad of A, which it reads like
// the te.gemm's producer. Orders of dimensions that are no view, and slices put
// into a tensor, are made of views and copies (Orders.h). A view that someone
// reads who wants a buffer is copied (te.copy); a reshape that others read by
// tiles, who may have it in their region, is made twice.
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_DIALECT_TE_TRANSFORMS_PREPARE_H
#define TE_LIB_DIALECT_TE_TRANSFORMS_PREPARE_H

#include "te/Dialect/TE/IR/TE.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::te {
void prepare(func::FuncOp func);
/// Erases what nothing uses and no kernel computes: constants, views, sizes.
void dropDead(func::FuncOp func);
} // namespace mlir::te

#endif // TE_LIB_DIALECT_TE_TRANSFORMS_PREPARE_H
