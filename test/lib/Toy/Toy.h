//===- Toy.h - a dialect with one contraction -------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TEST_LIB_TOY_TOY_H
#define TEST_LIB_TOY_TOY_H

#include "te/Dialect/TE/IR/TE.h"

#include "Toy/ToyDialect.h.inc"
#define GET_OP_CLASSES
#include "Toy/ToyOps.h.inc"

#endif // TEST_LIB_TOY_TOY_H
