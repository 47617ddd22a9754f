//===- Activation.h - functions that other ops have too ---------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_REFERENCE_ACTIVATION_H
#define TE_LIB_REFERENCE_ACTIVATION_H

namespace mlir::te::ref {

/// docs/spec.md, in double.
double gelu(double x);
double geluDerivative(double x);

} // namespace mlir::te::ref

#endif // TE_LIB_REFERENCE_ACTIVATION_H
