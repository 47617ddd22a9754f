//===- Compare.h - quantized results against the reference -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the data and scales of quantized tensors by what they stand for. All
// other results: te/Runtime/Compare.h.
//
//===----------------------------------------------------------------------===//
#ifndef TE_DRIVER_COMPARE_H
#define TE_DRIVER_COMPARE_H

#include "te/Reference/Quantize.h"
#include "te/Runtime/Compare.h"

namespace mlir::te {

/// The data and the scales of a quantized tensor of logical `shape`, whose
/// values before quantization have that tolerance: buffers of the same types
/// and sizes in both. Codes and scales may be one step apart in outliers; where
/// a block's scale is, its elements are compared by the values that they stand
/// for, to a step of the coarser code.
std::pair<rt::Comparison, rt::Comparison>
compareScaled(const std::string &name, const ref::ScaledTensor &found,
              const ref::ScaledTensor &reference, const ref::Scaling &scaling,
              llvm::ArrayRef<int64_t> shape, const rt::Tolerance &tolerance);

} // namespace mlir::te

#endif // TE_DRIVER_COMPARE_H
