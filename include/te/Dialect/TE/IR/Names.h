//===- Names.h - names of kernels, values and dimensions --------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_DIALECT_TE_IR_NAMES_H
#define TE_DIALECT_TE_IR_NAMES_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::te {

/// A1: true for what can be a file, a flag and a key of the manifest.
bool isName(StringRef text);
/// What isName asks for, in words.
inline constexpr const char *kNameRule =
    "UTF-8, of ASCII letters, digits, '_', '.' and '-', the first one neither "
    "'.' nor '-'";

/// True for a character of a kernel's name, which every assembler takes as it
/// is.
bool isKernelNameChar(char c);

/// A1 for te.name of an argument or result (`kind`).
LogicalResult verifyName(FunctionOpInterface func, StringRef kind,
                         unsigned index, Attribute name);
/// A3: an argument's name, te.name or else argN, is no other argument's; nor
/// are those of its buffers.
LogicalResult verifyArgumentNames(FunctionOpInterface func);

/// A1 and A3 for results, whose attributes belong to no dialect that verifies
/// them: te.name is a name, and no two results have one.
LogicalResult verifyResultNames(FunctionOpInterface func);
/// te.name of a result, or else resultN.
std::string getResultName(FunctionOpInterface func, unsigned index);

} // namespace mlir::te

#endif // TE_DIALECT_TE_IR_NAMES_H
