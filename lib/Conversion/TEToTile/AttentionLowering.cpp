//===- AttentionLowering.cpp - attention as tile code ---------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TileLoweringInterface of te.attention: a workgroup has a tile of queries of
// one head, and goes through the keys step by step. Each wave has rows of its
// own, so that what is computed over a row stays in it.
//
//   %o, %lse = te.attention bshd %q, %k, %v : ..
// ==>
//   %a = tile.load %q[..]
//   %acc, %m, %l = scf.for %j = .. iter_args(%acc = 0, %m = -inf, %l = 0) {
//     %s = tile.mma %a, (tile.load %k[%j, ..]), 0
//     if (tile.reduce maxnum %s) > %m + 8 / (scale * log2(e)) anywhere {
//       %m' = its maximum and %m's
//       %acc, %l *= exp2((%m - %m') * scale * log2(e))
//     }
//     %p = exp2((%s - %m') * scale * log2(e))
//     %l' = %l + tile.reduce add %p
//     tile.mma %p, tile.transpose (tile.load %v[%j, ..]), %acc
//   }
//   %o = %acc / %l, %lse = %m * scale + log %l
//
// Steps whose keys all queries see come first, in a loop of their own; the
// others mask their scores (a select after the first product). Heads whose
// size is no power of two are multiplied in such parts.
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"

#include "te/Conversion/TEToTile/Products.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

static constexpr double kInf = std::numeric_limits<double>::infinity();

namespace {
class AttentionEmitter {
public:
  AttentionEmitter(TileContext &ctx, AttentionOp op)
      : ctx(ctx), b(ctx.b), op(op), matmul(ctx.schedule.getMatmul()),
        mma(*MMA::lookup(matmul.getMma())),
        element(getElementTypeOrSelf(op.getQ().getType())),
        waves{matmul.getWaves()[0], matmul.getWaves()[1]},
        queries(ctx.schedule.getTile()[0]), keys(matmul.getK()),
        scale(op.getScaleOrDefault() * llvm::numbers::log2e) {}

  void emit();

private:
  /// What is carried from step to step: the rows of O, and of each row the
  /// largest product and the sum of exponentials so far.
  struct State {
    Value o, most, sum;
  };

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value multiply(Value x, Value y) {
    return b.createOrFold<arith::MulIOp>(x, y);
  }
  Type f32Tile(const LinearLayout &layout) {
    return getTileType(b.getF32Type(), b.getContext(), layout);
  }
  Value viewHead(Value tensor, Value head);
  SmallVector<Value> loadQueries();
  Value emitProducts(ArrayRef<Value> q, Value view, Value key);
  Value emitMask(Value products, Value key);
  std::pair<Value, Value> countSteps();
  State emitStep(ArrayRef<Value> q, Value k, Value v, Value key, bool isMasked,
                 State state);
  Value scaleRows(Value rows);
  Value emitExponential(Value x, Value shift);
  State rescale(Value most, State state);
  void store(State state);

  TileContext &ctx;
  ImplicitLocOpBuilder &b;
  AttentionOp op;
  MatmulAttr matmul;
  const MMA &mma;
  Type element;
  MMAWaves waves;
  int64_t queries, keys;
  double scale; // of what exp2 is taken of
  Value batch, head, numKeys;
};
} // namespace

/// The rows of one head, as a matrix.
Value AttentionEmitter::viewHead(Value tensor, Value head) {
  SmallVector<Value> strides(AttentionOp::kLastDim + 1, index(1));
  for (unsigned dim = AttentionOp::kLastDim; dim > 0; --dim)
    strides[dim - 1] = multiply(strides[dim], ctx.getDim(tensor, dim));
  unsigned sequence = op.getSequenceDim();
  Value offset =
      b.createOrFold<arith::AddIOp>(multiply(batch, strides[op.getBatchDim()]),
                                    multiply(head, strides[op.getHeadDim()]));
  return ctx.view(ctx.getBuffers(tensor).data, ctx.getDim(tensor, sequence),
                  ctx.getDim(tensor, AttentionOp::kLastDim), strides[sequence],
                  offset);
}

/// Sizes of powers of two that make up a head, the last one perhaps with
/// columns that the tensor does not have.
static SmallVector<int64_t> getChunks(int64_t size, int64_t least) {
  SmallVector<int64_t> chunks;
  while (size > 0) {
    chunks.push_back(std::max<int64_t>(llvm::bit_floor(uint64_t(size)), least));
    size -= chunks.back();
  }
  return chunks;
}

/// A tile of this workgroup's queries for each part of the head. A negative
/// scale is theirs, so that the largest product has the largest exponent; one
/// of 0 makes all products 0.
SmallVector<Value> AttentionEmitter::loadQueries() {
  Value view = viewHead(op.getQ(), head);
  SmallVector<Value> tiles;
  Value column = index(0);
  double sign = scale > 0 ? 1 : scale < 0 ? -1 : 0;
  int64_t size =
      cast<ShapedType>(op.getQ().getType()).getDimSize(AttentionOp::kLastDim);
  for (int64_t chunk : getChunks(size, mma.k)) {
    LinearLayout layout = getMMAOperandLayout(
        mma, *getMMAFormat(element), MMASide::A, queries, chunk, waves);
    Value tile = ctx.load(view, ctx.tileRow, column, element, layout);
    if (sign != 1)
      tile = arith::MulFOp::create(b, tile, ctx.constant(tile.getType(), sign));
    tiles.push_back(tile);
    column = b.createOrFold<arith::AddIOp>(column, index(chunk));
  }
  scale = sign == 0 ? 1 : std::fabs(scale);
  return tiles;
}

/// Q K^T of a step's keys.
Value AttentionEmitter::emitProducts(ArrayRef<Value> q, Value view, Value key) {
  Value sum =
      ctx.constant(f32Tile(getMMAResultLayout(mma, queries, keys, waves)), 0.0);
  int64_t column = 0;
  for (Value left : q) {
    int64_t columns = cast<ShapedType>(left.getType()).getDimSize(1);
    Value right = emitOperand(
        ctx, emitWideLoad(ctx, view, key, index(column), {keys, columns}),
        MMASide::B);
    sum = emitProduct(ctx, left, right, sum);
    column += columns;
  }
  return sum;
}

/// -Inf in place of products that queries do not see.
Value AttentionEmitter::emitMask(Value products, Value key) {
  LinearLayout layout = getLayout(products.getType());
  LinearLayout ofRows = layout.project({1, keys});
  Type i32 = getTileType(b.getI32Type(), b.getContext(), layout),
       rows = getTileType(b.getI32Type(), b.getContext(), ofRows);
  auto splat = [&](Value number) {
    return ctx.splat(arith::IndexCastOp::create(b, b.getI32Type(), number),
                     rows);
  };
  // The first key of the step that a row does not see.
  Value end = splat(arith::SubIOp::create(b, numKeys, key));
  if (op.getCausal()) { // key + column <= row + keys - queries
    Value ahead = arith::SubIOp::create(
        b,
        arith::AddIOp::create(b, arith::AddIOp::create(b, ctx.tileRow, numKeys),
                              index(1)),
        arith::AddIOp::create(b, ctx.rows, key));
    end = arith::MinSIOp::create(
        b, end,
        arith::AddIOp::create(b, CoordinateOp::create(b, rows, 0),
                              splat(ahead)));
  }
  // Not in registers all along the loop.
  Value columns =
      OptimizationBarrierOp::create(b, CoordinateOp::create(b, i32, 1));
  Value seen = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, columns,
                                     ctx.broadcast(end, layout));
  return arith::SelectOp::create(b, seen, products,
                                 ctx.constant(products.getType(), -kInf));
}

/// Numbers of rows times the scale; 0 of -Inf, where a row has seen nothing.
Value AttentionEmitter::scaleRows(Value rows) {
  Value scaled =
      arith::MulFOp::create(b, rows, ctx.constant(rows.getType(), scale));
  return emitZeroWhere(ctx, rows, -kInf, scaled);
}

/// Steps whose keys all queries of the workgroup see, and those that have a key
/// which one of them sees.
std::pair<Value, Value> AttentionEmitter::countSteps() {
  auto floor = [&](Value count) {
    return b.createOrFold<arith::DivUIOp>(count, index(keys));
  };
  auto ceil = [&](Value count) {
    return floor(b.createOrFold<arith::AddIOp>(count, index(keys - 1)));
  };
  if (!op.getCausal())
    return {floor(numKeys), ceil(numKeys)};
  // Of the first query and the last one, which perhaps see none, or all.
  auto countSeen = [&](int64_t query) -> Value {
    Value seen = arith::SubIOp::create(
        b,
        arith::AddIOp::create(
            b, arith::AddIOp::create(b, ctx.tileRow, index(query + 1)),
            numKeys),
        ctx.rows);
    return arith::MinSIOp::create(b, arith::MaxSIOp::create(b, seen, index(0)),
                                  numKeys);
  };
  return {floor(countSeen(0)), ceil(countSeen(queries - 1))};
}

Value AttentionEmitter::emitExponential(Value x, Value shift) {
  Value power =
      math::FmaOp::create(b, x, ctx.constant(x.getType(), scale), shift);
  return math::Exp2Op::create(b, power, arith::FastMathFlags::afn);
}

/// The state relative to `most`, where one of the wave's rows has a product so
/// much larger than the largest before that probabilities would be too large:
/// seldom, but for the first step.
AttentionEmitter::State AttentionEmitter::rescale(Value most, State state) {
  constexpr double largest = 8; // probabilities are at most 2 to this
  Type type = most.getType();
  Value limit =
      arith::AddFOp::create(b, state.most, ctx.constant(type, largest / scale));
  Value grows =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, most, limit);
  auto branch = scf::IfOp::create(
      b, ValueRange{state.o, state.most, state.sum}.getTypes(),
      ReduceOrOp::create(b, b.getI1Type(), grows), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, ValueRange{state.o, state.most, state.sum});
  b.setInsertionPointToStart(branch.thenBlock());
  Value next = arith::MaxNumFOp::create(b, state.most, most);
  Value factor = emitExponential(
      state.most, arith::NegFOp::create(b, scaleRows(next)).getResult());
  Value o = arith::MulFOp::create(
            b, state.o, ctx.broadcast(factor, getLayout(state.o.getType()))),
        sum = arith::MulFOp::create(b, state.sum, factor);
  scf::YieldOp::create(b, ValueRange{o, next, sum});
  return {branch.getResult(0), branch.getResult(1), branch.getResult(2)};
}

AttentionEmitter::State AttentionEmitter::emitStep(ArrayRef<Value> q, Value k,
                                                   Value v, Value key,
                                                   bool isMasked, State state) {
  Value s = emitProducts(q, k, key);
  if (isMasked)
    s = emitMask(s, key);
  LinearLayout layout = getLayout(s.getType());
  state = rescale(ctx.reduce(ReduceKind::MaxNum, s, {1, keys}), state);
  Value shift = arith::NegFOp::create(b, scaleRows(state.most));
  Value p = emitExponential(s, ctx.broadcast(shift, layout));
  Value sum = arith::AddFOp::create(b, state.sum,
                                    ctx.reduce(ReduceKind::Add, p, {1, keys}));
  int64_t size = ctx.schedule.getTile()[1];
  auto operand = [&](MMASide side, int64_t outer) {
    return getMMAOperandLayout(mma, *getMMAFormat(element), side, outer, keys,
                               waves);
  };
  LinearLayout ofP = operand(MMASide::A, queries),
               ofV = operand(MMASide::B, size);
  // The lanes that have scores multiply them, in whatever order of keys.
  if (std::optional<KOrder> order = findKOrder(layout, ofP)) {
    ofP = layout;
    ofV = reorderK(ofV, *order);
  }
  Value left = ctx.convert(ctx.round(p, element), ofP);
  Value right = ctx.convert(
      ctx.transpose(emitWideLoad(ctx, v, key, index(0), {keys, size})), ofV);
  return {emitProduct(ctx, left, right, state.o), state.most, sum};
}

/// O, and lse; 0 and -Inf of rows that have seen nothing.
void AttentionEmitter::store(State state) {
  if (ctx.hasBuffers(op.getResult())) {
    Value o =
        arith::MulFOp::create(b, state.o,
                              ctx.broadcast(emitInverseSum(ctx, state.sum),
                                            getLayout(state.o.getType())));
    ctx.storeWide(ctx.round(o, getElementTypeOrSelf(op.getResult().getType())),
                  viewHead(op.getResult(), head));
  }
  if (!ctx.hasBuffers(op.getLse()))
    return;
  // Of a row that has seen nothing, log 0.
  Value log = math::Log2Op::create(b, state.sum, arith::FastMathFlags::afn);
  Value lse = arith::MulFOp::create(
      b, arith::AddFOp::create(b, scaleRows(state.most), log),
      ctx.constant(log.getType(), llvm::numbers::ln2));
  Value view = ctx.view(ctx.getBuffers(op.getLse()).data, ctx.rows, index(1),
                        index(1), multiply(ctx.matrix, ctx.rows));
  ctx.store(lse, view, ctx.tileRow, index(0));
}

void AttentionEmitter::emit() {
  auto q = cast<RankedTensorType>(op.getQ().getType()),
       k = cast<RankedTensorType>(op.getK().getType());
  int64_t heads = q.getDimSize(op.getHeadDim()),
          group = heads / k.getDimSize(op.getHeadDim());
  batch = arith::DivUIOp::create(b, ctx.matrix, index(heads));
  head = arith::RemUIOp::create(b, ctx.matrix, index(heads));
  Value ofKeys = b.createOrFold<arith::DivUIOp>(head, index(group));
  numKeys = ctx.getDim(op.getK(), op.getSequenceDim());
  if (op.getCausal()) { // workgroups with most keys begin first
    Value tiles = b.createOrFold<arith::DivUIOp>(
        b.createOrFold<arith::AddIOp>(ctx.rows, index(queries - 1)),
        index(queries));
    Value last = multiply(b.createOrFold<arith::SubIOp>(tiles, index(1)),
                          index(queries));
    ctx.tileRow = b.createOrFold<arith::SubIOp>(last, ctx.tileRow);
  }
  SmallVector<Value> tiles = loadQueries();
  Value keyView = viewHead(op.getK(), ofKeys),
        valueView = viewHead(op.getV(), ofKeys);
  LinearLayout ofO = ctx.getLoadLayout();
  LinearLayout ofRows =
      getMMAResultLayout(mma, queries, keys, waves).project({1, keys});
  Value zeros = ctx.constant(f32Tile(ofRows), 0.0);
  State state{ctx.constant(f32Tile(ofO), 0.0),
              ctx.constant(zeros.getType(), -kInf), zeros};
  auto [whole, all] = countSteps();
  for (bool isMasked : {false, true}) {
    Value first = isMasked ? whole : index(0);
    Value count = b.createOrFold<arith::SubIOp>(isMasked ? all : whole, first);
    if (getConstantIntValue(count) == 0)
      continue;
    scf::ForOp loop = ctx.loop(
        count, {state.o, state.most, state.sum},
        [&](Value i, ValueRange carried) {
          Value key =
              multiply(b.createOrFold<arith::AddIOp>(first, i), index(keys));
          State next = emitStep(tiles, keyView, valueView, key, isMasked,
                                {carried[0], carried[1], carried[2]});
          return SmallVector<Value>{next.o, next.most, next.sum};
        });
    ctx.markStaged(loop, /*isLong=*/!isMasked);
    state = {loop.getResult(0), loop.getResult(1), loop.getResult(2)};
  }
  store(state);
}

namespace {
struct AttentionLowering
    : TileLoweringInterface::ExternalModel<AttentionLowering, AttentionOp> {
  LogicalResult lowerToTile(Operation *op, TileContext &ctx) const {
    AttentionEmitter(ctx, cast<AttentionOp>(op)).emit();
    return success();
  }
};
} // namespace

void te::attachAttentionLowering(MLIRContext *context) {
  AttentionOp::attachInterface<AttentionLowering>(*context);
}
