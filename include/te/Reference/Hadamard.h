//===- Hadamard.h - the Hadamard transform before fp4 -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/spec.md.
//
//===----------------------------------------------------------------------===//
#ifndef TE_REFERENCE_HADAMARD_H
#define TE_REFERENCE_HADAMARD_H

#include "te/Reference/Formats.h"
#include "te/Reference/Layouts.h"

namespace mlir::te::ref {

/// Transforms `x`, seen as `matrix` (each of its parts by itself), along K (or
/// M, where `alongRows`), into f32: runs of 16 elements through H16 in
/// Sylvester order, times 0.25. Elements whose bit of `signMask` is set are
/// negated first: bit i of the low half for element i of the first 16 of a
/// block of 32, of the high half for the second. A run that the edge cuts off
/// counts as filled up with zeros. The sums are formed by butterflies of stride
/// 1, 2, 4, 8, in f32.
HostTensor hadamard(const HostTensor &x, const Matrix &matrix, bool alongRows,
                    uint32_t signMask);

} // namespace mlir::te::ref

#endif // TE_REFERENCE_HADAMARD_H
