//===- TEDialect.cpp - registration of the te dialect ---------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/TE/IR/TE.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::te;

#include "te/Dialect/TE/IR/TEDialect.cpp.inc"
#include "te/Dialect/TE/IR/TEEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "te/Dialect/TE/IR/TEAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "te/Dialect/TE/IR/TETypes.cpp.inc"
#include "te/Dialect/TE/IR/TEInterfaces.cpp.inc"

void TEDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "te/Dialect/TE/IR/TEAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "te/Dialect/TE/IR/TETypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "te/Dialect/TE/IR/TEOps.cpp.inc"
      >();
}

Operation *TEDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                          Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}
