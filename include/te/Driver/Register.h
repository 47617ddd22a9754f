//===- Register.h - dialects and passes of the tools ------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_DRIVER_REGISTER_H
#define TE_DRIVER_REGISTER_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/Operation.h"

namespace mlir::te {
/// The dialects of every level, from te down to LLVM, and the interfaces that
/// the pipeline needs. Only these: a cold start pays for each dialect.
void registerDialects(DialectRegistry &registry);
/// From here on registerDialects adds these too: of a program that has the
/// tools and ops of its own, before it calls a tool's main function.
void addDialects(void (*insert)(DialectRegistry &registry));
/// te-mlir's passes and pipelines, and upstream's general transforms.
void registerPasses();
/// Verifies IR that was parsed without: as verify(), which crashes on some.
LogicalResult verifyInput(Operation *root);
} // namespace mlir::te

#endif // TE_DRIVER_REGISTER_H
