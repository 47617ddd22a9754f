//===- MoveLowerings.cpp - te.transpose, te.relayout as tile code ---------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TileLoweringInterface of the ops that give a !te.scaled another order in
// memory.
//
//===----------------------------------------------------------------------===//

#include "Data.h"
#include "Lowerings.h"
#include "Scales.h"

using namespace mlir;
using namespace mlir::te;

namespace {
template <class Op>
struct MoveLowering
    : TileLoweringInterface::ExternalModel<MoveLowering<Op>, Op> {

  LogicalResult lowerToTile(Operation *op, TileContext &ctx) const {
    Value input = op->getOperand(0), result = op->getResult(0);
    auto from = cast<ScaledType>(input.getType()),
         to = cast<ScaledType>(result.getType());
    if (!ctx.hasBuffers(result))
      return success();
    TileContext::Buffers in = ctx.getBuffers(input),
                         out = ctx.getBuffers(result);
    moveData(ctx, from, in.data, to, out.data);
    switch (from.getScaling().getGranularity()) {
    case Granularity::Tensor:
      ctx.inFirstWorkgroup([&] {
        memref::StoreOp::create(
            ctx.b, memref::LoadOp::create(ctx.b, in.scales, ValueRange()),
            out.scales, ValueRange());
      });
      break;
    case Granularity::Row:
      ctx.storeRows(ctx.loadRowsOf(in.scales), out.scales);
      break;
    case Granularity::Block:
      moveScales(ctx, from, in.scales, to, out.scales);
    }
    return success();
  }
};
} // namespace

void te::attachMoveLowerings(MLIRContext *context) {
  TransposeDataOp::attachInterface<MoveLowering<TransposeDataOp>>(*context);
  RelayoutOp::attachInterface<MoveLowering<RelayoutOp>>(*context);
}
