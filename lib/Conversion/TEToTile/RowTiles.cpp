//===- RowTiles.cpp - tiles that sweeps along a row keep ------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a workgroup sweeps more than once stays in registers (keep), or in
// LDS: read once a column (stage), copied there, or stored by the first sweep.
//
//===----------------------------------------------------------------------===//

#include "RowSweep.h"

#include "te/Schedule/ResourceModel.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

/// Puts what is read once a column into LDS, a whole row of tiles.
void RowSweep::stage() {
  auto &b = ctx.b;
  int64_t cols = getStagedColumns(getTileDemand(ops), ctx.schedule, ctx.target);
  if (cols == 0)
    return;
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  for (Operation *op : ops)
    for (OpOperand &operand : op->getOpOperands()) {
      Value tensor = operand.get();
      if (!getMap(operand).isColumn() || !ctx.hasBuffers(tensor) ||
          staged.contains(tensor))
        continue;
      Type element = getElementTypeOrSelf(tensor.getType());
      Value view =
          ctx.view(ctx.getBuffers(tensor).data, b.getIndexAttr(1), ctx.cols);
      Value tile = ctx.load(
          view, zero, zero, element,
          ctx.getStoreLayout({1, cols}, element.getIntOrFloatBitWidth()));
      staged[tensor] =
          StageOp::create(b,
                          MemRefType::get({1, cols}, element,
                                          MemRefLayoutAttrInterface(), space),
                          tile);
    }
}

/// Tiles that are computed between two fences: enough loads in flight, and code
/// that the backend orders in a moment.
static constexpr int64_t kFencedTiles = 4;

/// Keeps the tiles that the sweeps begin with: tile after tile of a row is
/// loaded (or computed) as straight-line code.
LogicalResult RowSweep::keep(Body body) {
  SmallVector<Value> values = getKeptValues(ops);
  SmallVector<Operation *> producers = getProducers(ops, values);
  llvm::MapVector<Value, SmallVector<Value>> tiles;
  for (int64_t i = 0; i < *getConstantIntValue(last); ++i) {
    if (failed(emitTile(producers, body,
                        arith::ConstantIndexOp::create(ctx.b, i))))
      return failure();
    for (Value value : values)
      tiles[value].push_back(ctx.getTile(value));
    if (!producers.empty() && (i + 1) % kFencedTiles == 0)
      FenceOp::create(ctx.b);
  }
  kept = std::move(tiles);
  return success();
}

/// A place in LDS for a share's tiles of this type. Each lane loads what it
/// stored there, or copied, itself.
RingOp RowSweep::makeRing(RankedTensorType type) {
  auto &b = ctx.b;
  auto layout = LayoutAttr::get(b.getContext(), getLayout(type));
  return RingOp::create(
      b,
      MemRefType::get({share, type.getDimSize(0), type.getDimSize(1)},
                      type.getElementType(), MemRefLayoutAttrInterface(),
                      gpu::AddressSpaceAttr::get(b.getContext(),
                                                 gpu::AddressSpace::Workgroup)),
      layout, layout);
}

/// Asks for all tiles of the share that the sweeps begin with, where these are
/// arguments: what is on its way takes no registers, and none of L1, of which
/// LDS leaves little.
void RowSweep::copyAhead() {
  auto &b = ctx.b;
  std::optional<int64_t> count = getConstantIntValue(last);
  SmallVector<Value> values = getKeptValues(ops);
  if (!count || !llvm::all_of(values, llvm::IsaPred<BlockArgument>))
    return;
  llvm::MapVector<Value, std::pair<Value, Type>> copied;
  for (int64_t i = 0; i < *count; ++i) {
    moveTo(arith::ConstantIndexOp::create(b, i));
    auto loads = llvm::map_to_vector(values, [&](Value value) {
      return ctx.getTile(value).getDefiningOp<LoadOp>();
    });
    if (!llvm::all_of(loads, [&](LoadOp load) {
          return load && load.isCopy(ctx.target.laneCopyBytes);
        }))
      return;
    for (auto [value, load] : llvm::zip_equal(values, loads)) {
      auto &[ring, type] = copied[value];
      if (!ring) {
        type = load.getType();
        ring = makeRing(load.getType());
      }
      AsyncCopyOp::create(b, load.getView(), load.getRow(), load.getColumn(),
                          ring, chunk, load.getInBounds(),
                          /*order=*/LayoutAttr());
      load.erase();
    }
  }
  rings = std::move(copied);
}

/// Puts the tiles that the sweeps begin with into LDS.
void RowSweep::storeTiles() {
  auto &b = ctx.b;
  for (Value value : getKeptValues(ops)) {
    Value tile = ctx.getTile(value);
    auto type = cast<RankedTensorType>(tile.getType());
    Value ring;
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(loop);
      ring = makeRing(type);
    }
    LocalStoreOp::create(b, tile, ring, chunk);
    rings[value] = {ring, type};
  }
}
