//===- Elementwise.cpp - arith and math ops on tiles ----------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same op on tiles, but for conversions of 8-bit floats: these saturate as
// te.quantize's do, and go through f32, as the chips' instructions do.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "Data.h"

using namespace mlir;
using namespace mlir::te;

void te::emitElementwise(TileContext &ctx, Operation *op) {
  SmallVector<Value> operands = llvm::map_to_vector(
      op->getOperands(), [&](Value operand) { return ctx.getTile(operand); });
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  auto bits = [](Type type) {
    return getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  };
  if (isa<arith::TruncFOp>(op) && bits(element) == 8)
    return ctx.define(
        op->getResult(0),
        emitSaturatingCast(ctx, ctx.toF32(operands.front()), element));
  if (isa<arith::ExtFOp>(op) && bits(operands.front().getType()) == 8)
    return ctx.define(op->getResult(0),
                      ctx.round(ctx.toF32(operands.front()), element));
  // L1: a rounding mode is to nearest even, as everywhere.
  auto attributes = llvm::to_vector(
      llvm::make_filter_range(op->getAttrs(), [](NamedAttribute attribute) {
        return attribute.getName() != "roundingmode";
      }));
  Operation *tiled = ctx.b.create(
      op->getLoc(), op->getName().getIdentifier(), operands,
      withElementType(operands.front().getType(), element), attributes);
  ctx.define(op->getResult(0), tiled->getResult(0));
}
