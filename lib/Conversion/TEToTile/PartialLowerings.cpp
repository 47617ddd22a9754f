//===- PartialLowerings.cpp - shards as tile code -------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TileLoweringInterface of te.partial_amax and te.partial_cast. The tiles walk
// over the whole matrix; what the shard has of it is a window.
//
//===----------------------------------------------------------------------===//

#include "Data.h"
#include "Lowerings.h"
#include "Scales.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

namespace {
/// One number a block: the buffer as a matrix, and this workgroup's first.
struct BlockView {
  Value view, row, col;
};

BlockView viewBlocks(TileContext &ctx, Value tensor, ScalingAttr scaling) {
  auto &b = ctx.b;
  int64_t rows = scaling.getBlockRows(), cols = scaling.getBlockCols();
  auto divide = [&](Value offset, int64_t size) {
    return b.createOrFold<arith::DivUIOp>(
        offset, arith::ConstantIndexOp::create(b, size));
  };
  auto count = [&](int64_t extent, int64_t size) {
    return b.getIndexAttr(llvm::divideCeil(extent, size));
  };
  return {ctx.view(ctx.getBuffers(tensor).data, count(ctx.staticRows, rows),
                   count(ctx.staticCols, cols)),
          divide(ctx.tileRow, rows), divide(ctx.tileCol, cols)};
}

Value loadStart(TileContext &ctx, Value start) {
  return arith::IndexCastOp::create(ctx.b, ctx.b.getIndexType(),
                                    ctx.getScalar(start));
}

struct PartialAmaxLowering
    : TileLoweringInterface::ExternalModel<PartialAmaxLowering, PartialAmaxOp> {

  LogicalResult lowerToTile(Operation *operation, TileContext &ctx) const {
    auto op = cast<PartialAmaxOp>(operation);
    Value x =
        ctx.toF32(ctx.loadShard(op.getShard(), loadStart(ctx, op.getStart())));
    for (auto [i, result] : llvm::enumerate(op.getAmaxes())) {
      if (!ctx.hasBuffers(result))
        continue;
      ScalingAttr scaling = op.getWhole(i).getScaling();
      BlockView blocks = viewBlocks(ctx, result, scaling);
      ctx.store(ctx.reduceAmax(x, getBlock(scaling)), blocks.view, blocks.row,
                blocks.col);
    }
    return success();
  }
};

struct PartialCastLowering
    : TileLoweringInterface::ExternalModel<PartialCastLowering, PartialCastOp> {

  /// The multiplier of each element, as an f32 tile.
  Value emitFactors(TileContext &ctx, Value scales, ScalingAttr scaling,
                    const LinearLayout &layout) const {
    auto &b = ctx.b;
    BlockView blocks = viewBlocks(ctx, scales, scaling);
    auto pointer = cast<MemRefType>(ctx.getBuffers(scales).data.getType());
    Value tile =
        ctx.load(blocks.view, blocks.row, blocks.col, pointer.getElementType(),
                 layout.project(getBlock(scaling)));
    if (scaling.isE8M0())
      tile = emitInverseScale(
          ctx, arith::ExtUIOp::create(
                   b, withElementType(tile.getType(), b.getI32Type()), tile));
    return ctx.broadcast(tile, layout);
  }

  LogicalResult lowerToTile(Operation *operation, TileContext &ctx) const {
    auto op = cast<PartialCastOp>(operation);
    Value start = loadStart(ctx, op.getStart());
    Value x = ctx.toF32(ctx.loadShard(op.getShard(), start));
    LinearLayout layout = getLayout(x.getType());
    for (auto [i, result] : llvm::enumerate(op.getCodes())) {
      if (!ctx.hasBuffers(result))
        continue;
      ScaledType whole = op.getWhole(i);
      Value scaled = arith::MulFOp::create(
          ctx.b, x,
          emitFactors(ctx, op.getScales()[i], whole.getScaling(), layout));
      Value codes = emitSaturatingCast(ctx, scaled, whole.getElementType());
      ctx.storeShard(
          ctx.convert(codes, layout.widen(ctx.target.maxAccessBytes)),
          ctx.getBuffers(result).data, start);
    }
    return success();
  }
};
} // namespace

void te::attachPartialLowerings(MLIRContext *context) {
  PartialAmaxOp::attachInterface<PartialAmaxLowering>(*context);
  PartialCastOp::attachInterface<PartialCastLowering>(*context);
}
