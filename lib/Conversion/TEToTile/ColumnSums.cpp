//===- ColumnSums.cpp - sums over all rows, in two stages -----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnSums.h"

#include "te/Region/Region.h"
#include "te/Target/Timing.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

/// Vectors that a lane of the second kernel loads at once: it has little else
/// to wait for memory with.
static constexpr int64_t kFinishVectors = 2;

unsigned te::getHalves(OpResult sum) {
  return getMap(sum).isHalvesColumn() ? 2 : 1;
}

SmallVector<OpResult> te::getColumnSums(FusionOp fusion) {
  SmallVector<OpResult> sums;
  for (Value yielded : fusion.getBody().front().getTerminator()->getOperands())
    if (getMap(cast<OpResult>(yielded)).isPerColumn() &&
        !needsWholeColumns(yielded.getDefiningOp()))
      sums.push_back(cast<OpResult>(yielded));
  return sums;
}

RankedTensorType te::getPartialType(OpResult sum) {
  auto type = cast<RankedTensorType>(sum.getType());
  return RankedTensorType::get({ShapedType::kDynamic, type.getDimSize(0)},
                               Float32Type::get(sum.getContext()));
}

/// The sum of each column of an f32 tile, in one row.
static Value emitReduceColumns(TileContext &ctx, Value tile) {
  return ctx.reduceSpread(ReduceKind::Add, tile,
                          {cast<ShapedType>(tile.getType()).getDimSize(0), 1});
}

/// The runs of columns that the halves of a wide sum lie in.
static int64_t getInterleave(OpResult sum) {
  auto op = dyn_cast<GatedActivationBwdOp>(sum.getOwner());
  return op ? op.getInterleave() : 0;
}

/// Stores one row of partial sums.
static void storePartial(TileContext &ctx, OpResult sum, bool second,
                         Value group, Value row) {
  auto &b = ctx.b;
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value rows = b.createOrFold<arith::AddIOp>(group, one);
  Value buffer = ctx.getBuffers(sum).data;
  int64_t interleave = getInterleave(sum);
  Value view = getHalves(sum) == 1
                   ? ctx.view(buffer, rows, ctx.cols)
                   : ctx.viewHalf(buffer, {second, interleave}, rows);
  ctx.store(row, view, group, ctx.tileCol, /*divisible=*/1, /*order=*/{},
            interleave);
}

static SmallVector<TileContext::ColumnSum> getKeys(ArrayRef<OpResult> sums) {
  SmallVector<TileContext::ColumnSum> keys;
  for (OpResult sum : sums)
    for (unsigned half = 0; half < getHalves(sum); ++half)
      keys.push_back({sum, half});
  return keys;
}

static Value emitZeros(TileContext &ctx) {
  return ctx.constant(
      getTileType(ctx.b.getF32Type(), ctx.b.getContext(), ctx.getLoadLayout()),
      0.0);
}

void te::seedColumnSums(TileContext &ctx, ArrayRef<OpResult> sums) {
  for (TileContext::ColumnSum key : getKeys(sums))
    ctx.columnSums[key] = emitZeros(ctx);
}

void te::storeColumnSums(TileContext &ctx, ArrayRef<OpResult> sums,
                         Value group) {
  for (TileContext::ColumnSum key : getKeys(sums))
    storePartial(ctx, cast<OpResult>(key.first), key.second, group,
                 emitReduceColumns(ctx, ctx.columnSums[key]));
}

/// A loop over [from, to) that carries the sums.
static LogicalResult sumRows(TileContext &ctx, ArrayRef<OpResult> sums,
                             Value from, Value to, Value step,
                             function_ref<LogicalResult(Value)> body) {
  auto &b = ctx.b;
  SmallVector<TileContext::ColumnSum> keys = getKeys(sums);
  auto getSums = [&] {
    return llvm::map_to_vector(
        keys, [&](TileContext::ColumnSum key) { return ctx.columnSums[key]; });
  };
  auto setSums = [&](ValueRange values) {
    for (auto [key, value] : llvm::zip_equal(keys, values))
      ctx.columnSums[key] = value;
  };
  auto loop = scf::ForOp::create(b, from, to, step, getSums());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    setSums(loop.getRegionIterArgs());
    if (failed(body(loop.getInductionVar())))
      return failure();
    if (!keys.empty()) // else it is there
      scf::YieldOp::create(b, getSums());
  }
  ctx.markPrefetched(loop);
  setSums(loop.getResults());
  return success();
}

LogicalResult te::emitRowTiles(TileContext &ctx, ArrayRef<OpResult> sums,
                               Value group, Value groups,
                               function_ref<LogicalResult()> body) {
  auto &b = ctx.b;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  int64_t count = ctx.schedule.getGrid().getRowTiles();
  auto emitTile = [&](Value tile) {
    ctx.tileRow =
        arith::MulIOp::create(b, tile, constant(ctx.schedule.getTile()[0]));
    return body();
  };
  auto emitGroup = [&](Value group) -> LogicalResult {
    if (count == 1)
      return emitTile(group);
    Value first = arith::MulIOp::create(b, group, constant(count));
    return sumRows(
        ctx, sums, constant(0), constant(count), constant(1),
        [&](Value i) { return emitTile(arith::AddIOp::create(b, first, i)); });
  };
  seedColumnSums(ctx, sums);
  LogicalResult result =
      !groups ? emitGroup(group)
              : sumRows(ctx, sums, group, groups,
                        arith::MinUIOp::create(
                            b, groups,
                            constant(ctx.schedule.getGrid().getWorkgroups())),
                        [&](Value next) {
                          // Tile (0, 0) is the first workgroup's first.
                          ctx.firstWorkgroup = arith::CmpIOp::create(
                              b, arith::CmpIPredicate::eq,
                              arith::AddIOp::create(b, ctx.tileCol, next),
                              constant(0));
                          return emitGroup(next);
                        });
  if (succeeded(result))
    storeColumnSums(ctx, sums, group);
  return result;
}

//===----------------------------------------------------------------------===//
// The second kernel
//===----------------------------------------------------------------------===//

ScheduleAttr te::chooseFinishSchedule(ArrayRef<OpResult> sums,
                                      const Target &target) {
  constexpr int64_t bytes = 4;
  int64_t waves = target.workgroupWaves, vector = target.maxAccessBytes / bytes;
  int64_t cols = kCacheLineBytes / bytes;
  int64_t rows = waves * target.waveSize * vector * kFinishVectors / cols;
  return ScheduleAttr::get(sums.front().getContext(), target.name, {rows, cols},
                           waves, vector);
}

KernelOp te::emitFinishKernel(ImplicitLocOpBuilder &b, StringRef name,
                              const Target &target, ScheduleAttr schedule,
                              ArrayRef<OpResult> sums) {
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Global);
  auto pointer = [&](Type element) {
    return MemRefType::get({}, element, MemRefLayoutAttrInterface(), space);
  };
  SmallVector<Type> types(sums.size(), pointer(b.getF32Type()));
  for (OpResult sum : sums)
    types.push_back(pointer(getElementTypeOrSelf(sum.getType())));
  types.append(2, b.getIndexType());
  auto kernel = KernelOp::create(b, name, schedule.getTarget(),
                                 schedule.getWaves(), types);
  OpBuilder::InsertionGuard guard(b);
  Block &body = kernel.getBody().front();
  b.setInsertionPointToStart(&body);
  TileContext ctx(b, target, schedule);
  ctx.rows = body.getArgument(types.size() - 2);
  ctx.cols = body.getArgument(types.size() - 1);
  ctx.staticRows = ctx.staticCols = ShapedType::kDynamic;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value x = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  ctx.tileCol = arith::MulIOp::create(b, x, constant(schedule.getTile()[1]));
  Type f32 = getTileType(b.getF32Type(), b.getContext(), ctx.getLoadLayout());
  SmallVector<Value> zeros(sums.size(), ctx.constant(f32, 0.0));
  SmallVector<Value> totals =
      ctx.forEachRowTile(zeros, [&](ValueRange carried) {
        SmallVector<Value> next;
        for (auto [k, value] : llvm::enumerate(carried)) {
          Value part = ctx.load(
              ctx.view(body.getArgument(k), ctx.rows, ctx.cols), ctx.tileRow,
              ctx.tileCol, b.getF32Type(), ctx.getLoadLayout());
          next.push_back(arith::AddFOp::create(b, value, part));
        }
        return next;
      });
  for (auto [k, total] : llvm::enumerate(totals)) {
    Value row = ctx.round(emitReduceColumns(ctx, total),
                          getElementTypeOrSelf(sums[k].getType()));
    ctx.storeColumns(row, body.getArgument(sums.size() + k));
  }
  return kernel;
}
