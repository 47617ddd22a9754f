//===- OutlineOrder.cpp - which workgroup computes which tile -------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Outliner.h"

#include "te/Schedule/ResourceModel.h"
#include "te/Target/Timing.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

/// A number of 32 bits that all lanes have, for scalar units: vector units
/// divide, and LLVM would keep the quotient in vector registers, with a loop
/// around each load that takes an offset from there.
static Value emitScalar(ImplicitLocOpBuilder &b, Value number,
                        const Target &target) {
  if (!target.amd)
    return number;
  Type i32 = b.getI32Type();
  Value narrow = b.createOrFold<arith::IndexCastUIOp>(i32, number);
  narrow = gpu::SubgroupBroadcastOp::create(
      b, narrow, /*lane=*/Value(), gpu::BroadcastType::first_active_lane);
  return arith::IndexCastUIOp::create(b, b.getIndexType(), narrow);
}

/// The column and the row of the tile that workgroup (x, y) computes, of
/// `columns` x `rows` of them, where each XCD has a run of tiles: of `group`
/// rows, column by column. Workgroups are dealt out to XCDs round-robin.
static std::pair<Value, Value> emitOrder(ImplicitLocOpBuilder &b, Value x,
                                         Value y, Value columns, Value rows,
                                         int64_t group, const Target &target) {
  // Grids fit 32 bits, and so do their divisions.
  Type i32 = b.getI32Type();
  auto narrow = [&](Value value) {
    return b.createOrFold<arith::IndexCastUIOp>(i32, value);
  };
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, i32, value);
  };
  auto mul = [&](Value l, Value r) {
    return b.createOrFold<arith::MulIOp>(l, r);
  };
  auto div = [&](Value l, Value r) {
    return b.createOrFold<arith::DivUIOp>(l, r);
  };
  auto rem = [&](Value l, Value r) {
    return b.createOrFold<arith::RemUIOp>(l, r);
  };
  auto add = [&](Value l, Value r) {
    return b.createOrFold<arith::AddIOp>(l, r);
  };
  auto sub = [&](Value l, Value r) {
    return b.createOrFold<arith::SubIOp>(l, r);
  };
  auto min = [&](Value l, Value r) {
    return b.createOrFold<arith::MinUIOp>(l, r);
  };
  columns = narrow(columns);
  rows = narrow(rows);
  Value xcds = constant(Timing::lookup(target.name)->xcds),
        height = constant(group);
  Value own = add(mul(narrow(y), columns), narrow(x)), all = mul(columns, rows);
  // The first XCDs have one more where they do not have as many each.
  Value xcd = rem(own, xcds);
  Value tile = add(div(own, xcds),
                   add(mul(xcd, div(all, xcds)), min(xcd, rem(all, xcds))));
  Value ofGroup = mul(columns, height);
  Value number = div(tile, ofGroup), first = mul(number, height);
  if (std::optional<int64_t> known = getConstantIntValue(rows);
      !known || *known % group)
    height = min(height, sub(rows, first));
  Value inside = sub(tile, mul(number, ofGroup));
  auto widen = [&](Value value) {
    return emitScalar(
        b, arith::IndexCastUIOp::create(b, b.getIndexType(), value), target);
  };
  return {widen(div(inside, height)), widen(add(first, rem(inside, height)))};
}

/// The schedule orders tiles.
bool Outliner::orders() {
  return fusion.getScheduleAttr().getGrid().getGroupM() && !hasOneColumn() &&
         Timing::lookup(target.name);
}

/// The same for a subkernel whose schedule orders its tiles.
std::pair<Value, Value> Outliner::emitOrder(TileContext &ctx,
                                            const Subkernel &subkernel, Value x,
                                            Value y) {
  if (GemmOp gemm = findGemm(subkernel.ops); gemm && gemm.getRest())
    return emitRestOrder(ctx, subkernel, x, y);
  if (!orders())
    return {x, y};
  auto &b = ctx.b;
  const Cover &cover = subkernel.cover;
  Value columns = emitTileCount(b, ctx.cols, cover.colMultiple,
                                ctx.schedule.getTile()[1], cover.needsCol);
  Value rows = emitTileCount(b, ctx.rows, cover.rowMultiple, getGroupRows(),
                             cover.needsRow);
  for (unsigned i : subkernel.anchor.getMatrixDims())
    rows = b.createOrFold<arith::MulIOp>(rows,
                                         ctx.getDim(subkernel.anchor.value, i));
  return ::emitOrder(b, x, y, columns, rows, ctx.schedule.getGrid().getGroupM(),
                     target);
}

/// The same where a te.gemm's last rows are cut into splits of K: workgroups of
/// the other rows come first, then those of each split.
std::pair<Value, Value> Outliner::emitRestOrder(TileContext &ctx,
                                                const Subkernel &subkernel,
                                                Value x, Value y) {
  auto &b = ctx.b;
  Value whole = arith::ConstantIndexOp::create(b, getWholeGroups()),
        zero = arith::ConstantIndexOp::create(b, 0);
  Value rest =
      b.createOrFold<arith::SubIOp>(emitGroups(b, subkernel, ctx.rows), whole);
  Value count =
      arith::ConstantIndexOp::create(b, findGemm(subkernel.ops).countSplits());
  ctx.isWhole = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, y, whole);
  auto select = [&](Value ofSplit, Value other) -> Value {
    return arith::SelectOp::create(b, ctx.isWhole, other, ofSplit);
  };
  Value columns =
      emitTileCount(b, ctx.cols, subkernel.cover.colMultiple,
                    ctx.schedule.getTile()[1], subkernel.cover.needsCol);
  Value rows = select(b.createOrFold<arith::MulIOp>(rest, count), whole);
  y = arith::SubIOp::create(b, y, select(whole, zero));
  if (orders())
    std::tie(x, y) = ::emitOrder(b, x, y, columns, rows,
                                 ctx.schedule.getGrid().getGroupM(), target);
  ctx.split =
      emitScalar(b, select(arith::DivUIOp::create(b, y, rest), zero), target);
  Value row =
      arith::AddIOp::create(b, arith::RemUIOp::create(b, y, rest), whole);
  return {x, emitScalar(b, select(row, y), target)};
}
