//===- Signature.h - a te function as an entry's arguments and results -*- C++
//-*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a caller of a te function gives and gets: dimensions by name, buffers
// with their shapes. Argument and result attributes: te.name names one (else
// argN, resultN); te.dims = ["M", "K"] names the dimensions of an argument, and
// the same name is the same size everywhere (unnamed ones are ARG.AXIS).
//
//===----------------------------------------------------------------------===//
#ifndef TE_DRIVER_SIGNATURE_H
#define TE_DRIVER_SIGNATURE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "te/Driver/RandomInputs.h"
#include "te/Runtime/Manifest.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::te {

/// The entry of `function`, without its steps and without the shapes and
/// buffers of its results, whose dynamic sizes its body decides. Errors are
/// diagnostics at the function.
FailureOr<rt::Entry> getSignature(func::FuncOp function);

/// What the arguments are for, by name, as far as te ops say it.
llvm::StringMap<ArgumentRole> getArgumentRoles(func::FuncOp function,
                                               const rt::Entry &entry);

} // namespace mlir::te

#endif // TE_DRIVER_SIGNATURE_H
