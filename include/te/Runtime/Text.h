//===- Text.h - text as printf makes it -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_RUNTIME_TEXT_H
#define TE_RUNTIME_TEXT_H

#include <string>

namespace mlir::te::rt {

/// A string of any length.
[[gnu::format(printf, 1, 2)]] std::string printText(const char *format, ...);

} // namespace mlir::te::rt

#endif // TE_RUNTIME_TEXT_H
