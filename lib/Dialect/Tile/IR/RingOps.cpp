//===- RingOps.cpp - tile.ring, and what fills and reads it --------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

LogicalResult StagingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  int64_t slots, bool direct, bool unroll) {
  if (slots >= 2)
    return success();
  return emitError() << slots
                     << " slots, but one is read while another is filled; "
                        "give 2 or more (T27)";
}

LogicalResult RingOp::verify() {
  auto ring = getRing().getType();
  ArrayRef<int64_t> slot = ring.getShape().drop_front();
  auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(ring.getMemorySpace());
  if (!space || space.getValue() != gpu::AddressSpace::Workgroup ||
      !ring.hasStaticShape() || !ring.getLayout().isIdentity())
    return emitOpError() << "a ring is slots x rows x columns of LDS, of "
                            "known sizes; this is "
                         << ring << " (T21)";
  if (getSource().getShape() != slot)
    return emitOpError() << "tiles are stored as " << getSource()
                         << ", whose shape is not the slot's (T21)";
  ArrayRef<int64_t> slice = getTarget().getShape();
  if (slice.size() != 2 || (slice[0] != slot[0] && slice[1] != slot[1]) ||
      slot[0] % slice[0] != 0 || slot[1] % slice[1] != 0)
    return emitOpError() << "slices are loaded as " << getTarget()
                         << ", which are not all rows and a share of the "
                            "columns of a slot, or all columns and a share of "
                            "the rows (T21)";
  return success();
}

unsigned RingOp::getSliceDim() {
  return getTarget().getLayout().getShape()[0] == getSource().getShape()[0];
}

/// The ring, and that `tile` has its elements in `expected`.
static LogicalResult verifyTile(Operation *op, Value ring, Type tile,
                                function_ref<LayoutAttr(RingOp)> expected) {
  auto def = ring.getDefiningOp<RingOp>();
  if (!def)
    return op->emitOpError("the ring is not that of a tile.ring (T21)");
  if (!isTile(tile) || getLayout(tile) != expected(def).getLayout())
    return op->emitOpError()
           << "the tile is " << tile << ", but the ring's layout is "
           << expected(def) << " (T21)";
  if (getElementTypeOrSelf(tile) != def.getRing().getType().getElementType())
    return op->emitOpError()
           << "the tile's elements are " << getElementTypeOrSelf(tile)
           << ", the ring's " << def.getRing().getType().getElementType()
           << " (T21)";
  return success();
}

LogicalResult LocalStoreOp::verify() {
  return verifyTile(*this, getRing(), getTile().getType(),
                    [](RingOp ring) { return ring.getSource(); });
}

LogicalResult AsyncCopyOp::verify() {
  auto ring = getRing().getDefiningOp<RingOp>();
  if (!ring)
    return emitOpError("the ring is not that of a tile.ring (T21)");
  Type element = ring.getRing().getType().getElementType();
  if (getView().getType().getElementType() != element)
    return emitOpError() << "elements of "
                         << getView().getType().getElementType()
                         << " go to a ring of " << element
                         << " as they are; load, convert and store them (T22)";
  if (failed(verifyRowInterleave(*this, getRowInterleave(), bool(getOrder()))))
    return failure();
  return verifyOrder(*this, /*rank=*/2, getOrder());
}

LogicalResult AsyncWaitOp::verify() {
  if (!getPending().empty() && getPending().size() != getRings().size())
    return emitOpError() << "pending has " << getPending().size()
                         << " numbers of tiles, and there are "
                         << getRings().size()
                         << " rings; give one for each (T22)";
  for (int64_t tiles : getPending())
    if (tiles < 0)
      return emitOpError() << "pending = " << tiles
                           << " is no number of tiles; give 0 or more (T22)";
  if (int64_t behind = getOutstanding(); behind < 0)
    return emitOpError()
           << "outstanding = " << behind
           << " is no number of instructions; give 0 or more (T22)";
  for (Value ring : getRings())
    if (!ring.getDefiningOp<RingOp>())
      return emitOpError("the ring is not that of a tile.ring (T21)");
  return success();
}

LogicalResult LocalLoadOp::verify() {
  if (failed(verifyTile(*this, getRing(), getType(),
                        [](RingOp ring) { return ring.getTarget(); })))
    return failure();
  unsigned dim = getRing().getDefiningOp<RingOp>().getSliceDim();
  int64_t size = cast<ShapedType>(getType()).getDimSize(dim),
          all = getRing().getType().getDimSize(1 + dim);
  std::optional<int64_t> offset = getConstantIntValue(getOffset());
  if (offset && (*offset < 0 || *offset % size != 0 || *offset >= all))
    return emitOpError() << (dim ? "columns" : "rows") << " from " << *offset
                         << " on are no slice of " << all << " in slices of "
                         << size << " (T21)";
  return success();
}
