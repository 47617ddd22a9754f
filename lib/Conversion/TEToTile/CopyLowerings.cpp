//===- CopyLowerings.cpp - copies, constants, concatenations as tile code -===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TileLoweringInterface of te.copy and tensor.concat: a tile stored elsewhere;
// of te.full_like: a tile of one value.
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"
#include "Views.h"

#include "te/Region/Region.h"

using namespace mlir;
using namespace mlir::te;

namespace {
struct CopyLowering
    : TileLoweringInterface::ExternalModel<CopyLowering, CopyOp> {
  LogicalResult lowerToTile(Operation *op, TileContext &ctx) const {
    ctx.define(op->getResult(0), ctx.getTile(op->getOperand(0)));
    return success();
  }
};

struct FullLikeLowering
    : TileLoweringInterface::ExternalModel<FullLikeLowering, FullLikeOp> {
  LogicalResult lowerToTile(Operation *op, TileContext &ctx) const {
    TypedAttr value = cast<FullLikeOp>(op).getValue();
    ctx.define(op->getResult(0), ctx.constant(value, ctx.getLoadLayout()));
    return success();
  }
};

struct ConcatLowering
    : TileLoweringInterface::ExternalModel<ConcatLowering, tensor::ConcatOp> {
  /// Asked in each part of the region: stores what this one computes.
  LogicalResult lowerToTile(Operation *op, TileContext &ctx) const {
    if (!ctx.hasBuffers(op->getResult(0))) // nobody reads it
      return success();
    for (OpOperand &operand : op->getOpOperands())
      if (Value root = getRoot(operand);
          ctx.isDefined(root) &&
          failed(storePart(ctx, cast<tensor::ConcatOp>(op),
                           operand.getOperandNumber(), root,
                           ctx.getTile(root))))
        return failure();
    return success();
  }
};
} // namespace

void te::attachCopyLowerings(MLIRContext *context) {
  FullLikeOp::attachInterface<FullLikeLowering>(*context);
  CopyOp::attachInterface<CopyLowering>(*context);
  tensor::ConcatOp::attachInterface<ConcatLowering>(*context);
}
