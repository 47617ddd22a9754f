//===- Formats.h - the values of codes -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What judges results needs to know of the float formats, without LLVM. A code
// is the format's bit pattern in the low bits.
//
//===----------------------------------------------------------------------===//
#ifndef TE_RUNTIME_FORMATS_H
#define TE_RUNTIME_FORMATS_H

#include "te/Runtime/HostTensor.h"

namespace mlir::te::rt {

bool isFloat(DType type);
/// The value of a code of a float format; a NaN for those that are NaN.
double decode(DType type, uint32_t code);
/// The code's place among the format's values, from the most negative up.
double getRank(DType type, uint32_t code);

/// The elements of a buffer one by one: of f4E2M1FN there are two in a byte.
class ElementReader {
public:
  explicit ElementReader(const HostTensor &tensor) : tensor(tensor) {}
  int64_t getCount() const;
  /// An element's bits.
  uint64_t getCode(int64_t index) const;
  bool isUnspecified(int64_t index) const;

private:
  const HostTensor &tensor;
  bool isFP4 = tensor.type == DType::F4E2M1FN;
};

} // namespace mlir::te::rt

#endif // TE_RUNTIME_FORMATS_H
