//===- Contraction.h - products that ops say by their maps ------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op of any dialect is a product where its iteration space says so. What
// asks whether a region has one, which tensor is its extent, and which sizes
// and elements are multiplied, asks here and knows no op.
//
//===----------------------------------------------------------------------===//
#ifndef TE_REGION_CONTRACTION_H
#define TE_REGION_CONTRACTION_H

#include "te/Dialect/TE/IR/TE.h"

namespace mlir::te {

/// A product that an op sums: of A (m and k) and B (k and n), matrices, over k,
/// which no result has. The op's first result is a tile (mn). A te.gemm, whose
/// operands may be scaled, or of many matrices, is none.
struct Contraction {
  Operation *op = nullptr; // null: there is none
  Value a, b;
  unsigned kDimA = 0, kDimB = 0; // which of their dimensions k numbers

  explicit operator bool() const { return op; }
  /// Or ShapedType::kDynamic.
  int64_t getK() const {
    return cast<ShapedType>(a.getType()).getDimSize(kDimA);
  }
};

/// The one among them; a region has one at most (F10).
Contraction findContraction(ArrayRef<Operation *> ops);
/// The te.gemm or the contraction among them, whose first result is the extent
/// then; or null.
Operation *findProduct(ArrayRef<Operation *> ops);

} // namespace mlir::te

#endif // TE_REGION_CONTRACTION_H
