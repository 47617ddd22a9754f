//===- Compare.h - results against the reference -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares the results of a function, the data and scales of quantized tensors
// by what they stand for. Of one buffer: te/Runtime/Compare.h.
//
//===----------------------------------------------------------------------===//
#ifndef TE_DRIVER_COMPARE_H
#define TE_DRIVER_COMPARE_H

#include "te/Reference/Interpreter.h"
#include "te/Runtime/Compare.h"
#include "te/Runtime/Manifest.h"

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

/// A program's results, in the order of getBuffersOf(entry.results), next to
/// those of the reference, by the tolerances of the function (Tolerance.h): one
/// comparison a buffer. Fails where their types or sizes differ.
rt::Result<std::vector<rt::Comparison>>
compareResults(func::FuncOp function, const rt::Entry &entry,
               llvm::ArrayRef<rt::HostTensor> found,
               llvm::ArrayRef<ref::TensorValue> expected);

} // namespace mlir::te

#endif // TE_DRIVER_COMPARE_H
