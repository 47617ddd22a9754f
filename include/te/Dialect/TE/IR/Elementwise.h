//===- Elementwise.h - arith and math ops of the language -------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elementwise ops of upstream's dialects that programs may have: one table
// (Elementwise.def), which the verifier of the te level, the reference's tests
// and the tolerances read, and the documentation prints.
//
//===----------------------------------------------------------------------===//
#ifndef TE_DIALECT_TE_IR_ELEMENTWISE_H
#define TE_DIALECT_TE_IR_ELEMENTWISE_H

#include "mlir/IR/Operation.h"

namespace mlir::te {

/// Elements of operands and result. Floats are f32, f16 and bf16; integers i8,
/// i32 and i64.
enum class ElementwiseTypes {
  Floats,            // all the same
  Widening,          // floats or fp8 to a wider float
  Narrowing,         // a float to a narrower one, or to fp8
  Comparison,        // floats to i1
  Choice,            // i1 and two of any kind, the same
  IntegersToFloats,  // integers to f32
  FloatsToIntegers,  // floats to an integer
  Integers,          // all the same
  Bits,              // integers or i1, all the same
  IntegerComparison, // integers to i1
};

struct ElementwiseOp {
  StringLiteral name; // "arith.addf"
  ElementwiseTypes types;
  bool isExact; // the same bits everywhere
  StringLiteral meaning;
};

ArrayRef<ElementwiseOp> getElementwiseOps();
/// Null for an op that is not in the table.
const ElementwiseOp *lookupElementwise(StringRef name);

/// Why an arith or math op with a tensor among its operands or results is not
/// part of the language (rule L1 of docs/spec.md); nothing where it is, and for
/// other ops.
std::optional<std::string> whyNotElementwise(Operation *op);

} // namespace mlir::te

#endif // TE_DIALECT_TE_IR_ELEMENTWISE_H
