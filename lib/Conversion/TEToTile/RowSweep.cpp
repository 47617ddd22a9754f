//===- RowSweep.cpp - rows that a tile does not hold whole ----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowSweep.h"

#include "ColumnSums.h"

#include "te/Schedule/ResourceModel.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

RowSweep::RowSweep(TileContext &ctx, ArrayRef<Operation *> ops, Value chunks,
                   RowSplits *splits)
    : ctx(ctx), ops(ops), splits(splits),
      first(arith::ConstantIndexOp::create(ctx.b, 0)), last(chunks),
      before(first) {
  if (splits)
    std::tie(first, last) = splits->getChunks(ctx, chunks);
  if (int64_t cluster = ctx.schedule.getGrid().getCluster(); cluster > 1) {
    auto &b = ctx.b;
    int64_t count = *getConstantIntValue(chunks);
    share = llvm::divideCeil(count, cluster);
    last = arith::ConstantIndexOp::create(b, share);
    before = arith::MulIOp::create(
        b, gpu::ClusterBlockIdOp::create(b, gpu::Dimension::x), last);
    if (count % cluster != 0)
      last = arith::MinUIOp::create(b, last,
                                    arith::SubIOp::create(b, chunks, before));
  }
}

bool RowSweep::keeps() const {
  return ctx.schedule.getSweep() == te::SweepKind::Keep;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Type RowSweep::getRowType() const {
  return getTileType(
      ctx.b.getF32Type(), ctx.b.getContext(),
      ctx.getLoadLayout().project({1, ctx.schedule.getTile()[1]}));
}

/// True where a value is computed from a reduction that this sweep does not
/// know yet.
bool RowSweep::isUnknown(Value value) const {
  SmallVector<Value> work{value};
  llvm::SmallPtrSet<Operation *, 32> seen;
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (placeholders.contains(op))
      return true;
    op->walk([&](Operation *inner) {
      llvm::append_range(work, inner->getOperands());
    });
  }
  return false;
}

/// What earlier kernels folded, combined before this sweep's loop.
SmallVector<Value> RowSweep::merge(unsigned number, const Fold &fold) {
  OpBuilder::InsertionGuard guard(ctx.b);
  ctx.b.setInsertionPoint(loop);
  return fold.merge(splits->loadPartials(ctx, number, fold.numPartials));
}

/// The results of the next reduction: known from an earlier sweep, or folded in
/// this one, or in a later one.
SmallVector<Value> RowSweep::fold(unsigned numResults, Value input, Fold fold) {
  unsigned index = next++;
  if (index >= known.size())
    known.resize(index + 1);
  if (known[index].empty() && splits && splits->isFolded(index))
    known[index] = merge(index, fold);
  if (!known[index].empty())
    return known[index];
  if (splits)
    splits->postpone(index);
  if (!isUnknown(input)) {
    fold.index = index;
    folds.push_back(std::move(fold));
  }
  SmallVector<Value> unknown;
  for (unsigned i = 0; i < numResults; ++i) {
    unknown.push_back(ctx.constant(getRowType(), 0.0));
    placeholders.insert(unknown.back().getDefiningOp());
  }
  return unknown;
}

Value RowSweep::reduceRow(ReduceKind kind, Value tile) {
  return ctx.exchange(
      kind, ReduceOp::create(
                ctx.b, getRowType(), kind, tile,
                ctx.b.getDenseI64ArrayAttr({1, ctx.schedule.getTile()[1]})));
}

/// Of a tile of rows x splits.
Value RowSweep::reduceSplits(ReduceKind kind, Value tile) {
  return ctx.convert(
      ctx.reduce(kind, tile,
                 {1, cast<ShapedType>(tile.getType()).getDimSize(1)}),
      getLayout(getRowType()));
}

Value RowSweep::reduce(ReduceKind kind, Value tile, double start) {
  Fold f;
  f.types = {tile.getType()};
  f.start = start;
  f.update = [this, kind, tile](ValueRange carried) -> SmallVector<Value> {
    if (kind == ReduceKind::Add)
      return {arith::AddFOp::create(ctx.b, carried[0], tile,
                                    arith::FastMathFlags::contract)};
    return {arith::MaxNumFOp::create(ctx.b, carried[0], tile)};
  };
  f.finish = [this, kind](ValueRange carried) -> SmallVector<Value> {
    return {reduceRow(kind, carried[0])};
  };
  f.finishSplit = f.finish;
  f.merge = [this, kind](ValueRange partials) -> SmallVector<Value> {
    return {reduceSplits(kind, partials[0])};
  };
  return fold(1, tile, std::move(f)).front();
}

/// How many of the row's tiles from `first` to `last` have an element at each
/// position: f32.
static Value emitPassed(TileContext &ctx, Type type, Value first, Value last) {
  auto &b = ctx.b;
  int64_t width = ctx.schedule.getTile()[1];
  Type i32 = withElementType(type, b.getI32Type());
  auto splat = [&](Value index) {
    return ctx.splat(arith::IndexCastOp::create(b, b.getI32Type(), index), i32);
  };
  Value left = arith::SubIOp::create(
      b, splat(ctx.cols), CoordinateOp::create(b, i32, /*dimension=*/1));
  left = arith::AddIOp::create(b, left, ctx.intConstant(i32, width - 1));
  left = arith::ShRSIOp::create(b, left,
                                ctx.intConstant(i32, llvm::Log2_64(width)));
  left = arith::SubIOp::create(b, arith::MinSIOp::create(b, left, splat(last)),
                               splat(first));
  left = arith::MaxSIOp::create(b, left, ctx.intConstant(i32, 0));
  return arith::SIToFPOp::create(b, type, left);
}

/// Each position of the tile keeps the first element that passes it, how far
/// the mean of all that do is from that, and the sum of their squared
/// deviations (Welford); positions are merged at the end (Chan et al.).
Moments RowSweep::getMoments(Value tile) {
  Type type = tile.getType();
  Value number = arith::SubIOp::create(ctx.b, chunk, first);
  Value row = ctx.tileRow, col = ctx.tileCol;
  Fold f;
  f.types.assign(3, type); // first element, mean less that, squares
  f.update = [=, this](ValueRange carried) -> SmallVector<Value> {
    auto &b = ctx.b;
    Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number,
                                          arith::ConstantIndexOp::create(b, 0));
    Value begin =
        arith::SelectOp::create(b, ctx.splat(isFirst, type), tile, carried[0]);
    Value count = arith::UIToFPOp::create(
        b, b.getF32Type(),
        arith::IndexCastOp::create(b, b.getI32Type(), number));
    Value one = arith::ConstantOp::create(b, b.getF32FloatAttr(1.0f));
    Value inverse =
        arith::DivFOp::create(b, one, arith::AddFOp::create(b, count, one));
    Value distance = arith::SubFOp::create(b, tile, begin);
    Value delta = arith::SubFOp::create(b, distance, carried[1]);
    Value mean =
        math::FmaOp::create(b, delta, ctx.splat(inverse, type), carried[1]);
    Value squares = math::FmaOp::create(
        b, delta, arith::SubFOp::create(b, distance, mean), carried[2]);
    if (!ctx.wholeRows || !ctx.wholeCols) {
      Value inside =
          ctx.isInside(getLayout(type), row, col, ctx.rows, ctx.cols);
      mean = arith::SelectOp::create(b, inside, mean, carried[1]);
      squares = arith::SelectOp::create(b, inside, squares, carried[2]);
    }
    return {begin, mean, squares};
  };
  // Of the elements that the workgroup sees, or all workgroups of a cluster; a
  // share is `unit` for each.
  auto merge = [=, this](ValueRange carried, Value unit) {
    auto &b = ctx.b;
    Value passed =
        emitPassed(ctx, type, b.createOrFold<arith::AddIOp>(before, first),
                   b.createOrFold<arith::AddIOp>(before, last));
    Value each = ctx.splat(unit, type);
    return mergeMoments(
        ctx,
        {carried[0], carried[1], arith::MulFOp::create(b, carried[2], each)},
        arith::MulFOp::create(b, passed, each),
        [&](ReduceKind kind, Value tile) { return reduceRow(kind, tile); });
  };
  auto list = [](Moments moments) -> SmallVector<Value> {
    return {moments.center, moments.rest, moments.squares};
  };
  f.finish = [=, this](ValueRange carried) {
    return list(merge(carried, ctx.getRowShare()));
  };
  // Splits are merged like positions.
  f.numPartials = 3;
  f.finishSplit = [=, this](ValueRange carried) {
    Value one = arith::ConstantOp::create(ctx.b, ctx.b.getF32FloatAttr(1.0f));
    return list(merge(carried,
                      arith::DivFOp::create(ctx.b, one, splits->getSize(ctx))));
  };
  f.merge = [=, this](ValueRange partials) -> SmallVector<Value> {
    auto &b = ctx.b;
    Type type = partials[0].getType();
    Value shares = arith::MulFOp::create(b, splits->getSizes(ctx, type),
                                         ctx.splat(ctx.getRowShare(), type));
    auto all = list(mergeMoments(
        ctx,
        {partials[0], partials[1],
         arith::MulFOp::create(b, partials[2], shares)},
        shares, [&](ReduceKind kind, Value tile) {
          return ctx.reduce(
              kind, tile, {1, cast<ShapedType>(tile.getType()).getDimSize(1)});
        }));
    for (Value &value : all)
      value = ctx.convert(value, getLayout(getRowType()));
    return all;
  };
  SmallVector<Value> results = fold(3, tile, std::move(f));
  return {results[0], results[1], results[2]};
}

void RowSweep::defineRowSum(Value tensor, Value tile) {
  if (!ctx.hasBuffers(tensor))
    return;
  Fold f;
  f.types = {tile.getType()};
  f.update = [this, tile](ValueRange carried) -> SmallVector<Value> {
    return {arith::AddFOp::create(ctx.b, carried[0], tile,
                                  arith::FastMathFlags::contract)};
  };
  f.finish = [this, tensor](ValueRange carried) -> SmallVector<Value> {
    ctx.defineRows(tensor, reduceRow(ReduceKind::Add, carried[0]));
    return {};
  };
  folds.push_back(std::move(f));
}

//===----------------------------------------------------------------------===//
// Sweeps
//===----------------------------------------------------------------------===//

/// Drops what a sweep computes and does not use.
static void eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// To tile number `at` of the row, or of a cluster's share.
void RowSweep::moveTo(Value at) {
  auto &b = ctx.b;
  chunk = at;
  ctx.tileCol = arith::MulIOp::create(
      b, b.createOrFold<arith::AddIOp>(before, at),
      arith::ConstantIndexOp::create(b, ctx.schedule.getTile()[1]));
  ctx.forgetTiles();
}

/// Lowers `ops` for one tile.
LogicalResult RowSweep::emitTile(ArrayRef<Operation *> ops, Body body,
                                 Value at) {
  auto &b = ctx.b;
  moveTo(at);
  folds.clear();
  placeholders.clear();
  next = 0;
  for (auto &[value, tiles] : kept)
    ctx.setTile(value, SelectOp::create(b, tiles.front().getType(), at, tiles));
  Value zero = arith::ConstantIndexOp::create(b, 0);
  for (auto &[value, place] : rings)
    ctx.setTile(value,
                LocalLoadOp::create(b, place.second, place.first, at, zero));
  return body(ops);
}

SmallVector<Value> RowSweep::getStarts() {
  SmallVector<Value> starts;
  for (Fold &f : folds)
    for (Type type : f.types)
      starts.push_back(ctx.constant(type, f.start));
  return starts;
}

/// What is carried, after one more tile.
SmallVector<Value> RowSweep::update(ValueRange carried) {
  SmallVector<Value> updated;
  for (Fold &f : folds) {
    llvm::append_range(updated, f.update(carried.take_front(f.types.size())));
    carried = carried.drop_front(f.types.size());
  }
  return updated;
}

/// After a sweep: what its folds have come to.
void RowSweep::finish(ValueRange carried) {
  for (Fold &f : folds) {
    ValueRange own = carried.take_front(f.types.size());
    carried = carried.drop_front(f.types.size());
    if (splits && f.index) {
      splits->storePartials(ctx, *f.index, f.finishSplit(own));
      continue;
    }
    SmallVector<Value> results = f.finish(own);
    if (f.index)
      known[*f.index] = std::move(results);
  }
}

/// A sweep as a loop; `begin` and `end` emit code around that of the ops.
LogicalResult RowSweep::emitLoop(ArrayRef<Operation *> ops, Body body,
                                 function_ref<void()> begin,
                                 function_ref<void()> end, bool backwards) {
  auto &b = ctx.b;
  Value one = arith::ConstantIndexOp::create(b, 1);
  auto loop = scf::ForOp::create(b, first, last, one);
  this->loop = loop;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    begin();
    Value at = loop.getInductionVar();
    if (backwards)
      at = arith::SubIOp::create(
          b,
          arith::AddIOp::create(b, first, arith::SubIOp::create(b, last, one)),
          at);
    if (failed(emitTile(ops, body, at)))
      return failure();
    end();
  }
  SmallVector<Value> starts;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop);
    starts = getStarts();
  }
  IRRewriter rewriter(b.getContext());
  auto carry = [&](OpBuilder &inside, Location, ArrayRef<BlockArgument> args) {
    OpBuilder::InsertionGuard guard(b);
    b.restoreInsertionPoint(inside.saveInsertionPoint());
    return update(SmallVector<Value>(args.begin(), args.end()));
  };
  auto swept = loop.replaceWithAdditionalYields(
      rewriter, starts, /*replaceInitOperandUsesInLoop=*/false, carry);
  if (failed(swept))
    return failure();
  auto carrying = cast<scf::ForOp>(swept->getOperation());
  ctx.markPrefetched(carrying);
  this->loop = carrying;
  eraseDead(*carrying.getBody());
  b.setInsertionPointAfter(carrying);
  ctx.tileCol = arith::ConstantIndexOp::create(b, 0);
  finish(carrying.getResults());
  return success();
}

/// A sweep as straight-line code, where no tile waits for the next ones.
LogicalResult RowSweep::unroll() {
  Block *block = loop->getBlock();
  if (failed(loopUnrollFull(cast<scf::ForOp>(loop))))
    return failure();
  SmallVector<AsyncWaitOp> awaits(block->getOps<AsyncWaitOp>());
  for (auto [i, await] : llvm::enumerate(llvm::reverse(awaits)))
    if (i > 0)
      await.setPending(SmallVector<int64_t>(await.getRings().size(), i));
  return success();
}

LogicalResult RowSweep::run(ArrayRef<OpResult> sums, Value group, Body body) {
  auto nothing = [] {};
  ctx.sweep = this;
  ctx.stores = false;
  SmallVector<Operation *> statistics = getStatisticOps(ops);
  if (splits && !splits->isLast())
    return emitLoop(statistics, body, nothing, nothing);
  if (!splits)
    stage();
  bool loads = keeps() && share == 0, stores = keeps() && share > 0;
  bool readsAtOnce =
      stores && getConstantIntValue(last) &&
      estimate(getTileDemand(this->ops), ctx.schedule, ctx.target).readsShare;
  if (loads && failed(keep(body)))
    return failure();
  if (stores)
    copyAhead();
  SmallVector<Value> copied;
  for (auto &[value, place] : rings)
    copied.push_back(place.first);
  bool isKnown = splits || statistics.empty();
  while (!isKnown) {
    auto begin = [&] {
      if (!copied.empty())
        AsyncWaitOp::create(ctx.b, copied);
    };
    auto end = [&] {
      if (stores && rings.empty())
        storeTiles();
    };
    if (failed(emitLoop(statistics, body, begin, end)))
      return failure();
    if (readsAtOnce && failed(unroll()))
      return failure();
    readsAtOnce = false;
    copied.clear();
    isKnown = llvm::none_of(known, [](ArrayRef<Value> v) { return v.empty(); });
  }
  ctx.stores = true;
  // What is read again is read from its end: that is still in the caches.
  LogicalResult result = emitLoop(
      ops, body, [&] { seedColumnSums(ctx, sums); },
      [&] { storeColumnSums(ctx, sums, group); },
      /*backwards=*/!keeps() && !statistics.empty());
  ctx.sweep = nullptr;
  return result;
}
