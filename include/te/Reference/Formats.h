//===- Formats.h - the number formats, bit by bit -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Codes of every float format to values and back (docs/spec.md). A code is the
// format's bit pattern in the low bits.
//
//===----------------------------------------------------------------------===//
#ifndef TE_REFERENCE_FORMATS_H
#define TE_REFERENCE_FORMATS_H

#include "te/Runtime/HostTensor.h"
#include "llvm/ADT/APFloat.h"

namespace mlir::te::ref {

using rt::DType;
using rt::HostTensor;

/// What happens to a value exactly between two fp4 codes.
enum class Ties { Even, Away };

struct Format {
  DType type;
  const llvm::fltSemantics &semantics;
  /// Finite values beyond the largest, and Inf, become the largest finite value
  /// (decision 1); false for the IEEE types, which overflow to Inf.
  bool saturates;
  uint32_t nan; // the code that a NaN becomes; fp4 has none, and 0 stands in
  // What follows from the semantics.
  double max;
  /// Exponent of the largest finite value: 8 for f8E4M3FN, 2 for f4E2M1FN.
  int maxExponent;
  unsigned mantissaBits; // stored ones
  unsigned bits;
  std::vector<double> values; // of every code, where there are at most 256

  Format(DType type, const llvm::fltSemantics &semantics, bool saturates,
         uint32_t nan);
};

/// Null for an integer type.
const Format *findFormat(DType type);
/// Of a type that is known to be a float.
const Format &getFormat(DType type);

double decode(DType type, uint32_t code);
/// Rounds to nearest. Not for f8E8M0FNU: a scaling recipe makes those codes.
uint32_t encode(DType type, double value, Ties ties = Ties::Even);
/// The fp4 code of a number, rounded up in magnitude as often as it is above
/// the code below: where 22 bits of `word` and its place between the two, in
/// units of 2^-22, add up to 1. `ties` decides about the sign of zero only.
uint32_t encodeStochastic(double value, uint32_t word, Ties ties);

/// The value of element `index` of a buffer of bf16, f16, f32 or an 8-bit
/// float.
double loadElement(const HostTensor &tensor, int64_t index);
void storeElement(HostTensor &tensor, int64_t index, double value);
/// The code at `index`, of a type that is not f4E2M1FN.
uint32_t loadCode(const HostTensor &tensor, int64_t index);
void storeCode(HostTensor &tensor, int64_t index, uint32_t code);

} // namespace mlir::te::ref

#endif // TE_REFERENCE_FORMATS_H
