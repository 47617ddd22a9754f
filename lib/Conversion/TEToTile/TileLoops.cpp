//===- TileLoops.cpp - loops of a kernel, and the passes' marks -----------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Conversion/TEToTile/TileContext.h"

#include "te/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::te;

void TileContext::markPrefetched(scf::ForOp loop) {
  if (prefetches)
    loop->setAttr(tile::PrefetchLoadsMarker, b.getUnitAttr());
}

void TileContext::markStaged(scf::ForOp loop, bool isLong) {
  PipelineAttr pipeline = schedule.getPipeline();
  if (pipeline.getStages() > 1)
    loop->setAttr(tile::StagingMarker,
                  tile::StagingAttr::get(b.getContext(), pipeline.getStages(),
                                         pipeline.getDirectToLds(), isLong));
  if (pipeline.getPingPong())
    loop->setAttr(tile::PingPongMarker, b.getUnitAttr());
}

scf::ForOp
TileContext::loop(Value count, ValueRange start,
                  function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  auto loop = scf::ForOp::create(b, zero, count, one, start);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> carried =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  scf::YieldOp::create(b, carried);
  return loop;
}

SmallVector<Value>
TileContext::forEachRowTile(ValueRange start,
                            function_ref<SmallVector<Value>(ValueRange)> body) {
  int64_t size = schedule.getTile()[0];
  Value tileRows = arith::ConstantIndexOp::create(b, size);
  Value padded = b.createOrFold<arith::AddIOp>(
      rows, arith::ConstantIndexOp::create(b, size - 1));
  Value tiles = b.createOrFold<arith::DivUIOp>(padded, tileRows);
  Value before = tileRow;
  scf::ForOp walk = loop(tiles, start, [&](Value i, ValueRange carried) {
    tileRow = arith::MulIOp::create(b, i, tileRows);
    return body(carried);
  });
  markPrefetched(walk);
  tileRow = before;
  return SmallVector<Value>(walk.getResults());
}
