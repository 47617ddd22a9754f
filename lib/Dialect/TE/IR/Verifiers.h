//===- Verifiers.h - what the verifiers of te ops share ---------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_DIALECT_TE_IR_VERIFIERS_H
#define TE_LIB_DIALECT_TE_IR_VERIFIERS_H

#include "te/Dialect/TE/IR/TE.h"

namespace mlir::te {

/// `found`, the type of `what`, has the expected sizes, dynamic where these
/// are. `why` follows the error's "expected ..:".
LogicalResult verifyShape(Operation *op, StringRef rule, const Twine &what,
                          ArrayRef<int64_t> expected, Type found,
                          const Twine &why);

} // namespace mlir::te

#endif // TE_LIB_DIALECT_TE_IR_VERIFIERS_H
