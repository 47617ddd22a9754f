//===- RopeLowerings.cpp - rotary embeddings as tile code -----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TileLoweringInterface of te.rope and te.rope_bwd: docs/spec.md,
// in f32. A row of the tile is a head of a token. What
// belongs to a token (its position, its angles, their sines) is computed once
// for all rows of the tile that are known to be heads of one token, by all
// lanes, and handed to those that hold these rows.
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

namespace {
/// The tokens of a tile, an i32 a block of heads: a tile of one column.
template <typename Op> class Tokens {
public:
  Tokens(TileContext &ctx, Op op, const LinearLayout &layout)
      : ctx(ctx), b(ctx.b), op(op),
        type(getTileType(b.getI32Type(), b.getContext(), layout)) {}

  /// The row of freqs of each token; -1 of those that are in no sequence.
  Value emitPositions();

private:
  Value constant(int64_t value) { return ctx.intConstant(type, value); }
  Value toI32(Value index) {
    return arith::IndexCastOp::create(b, b.getI32Type(), index);
  }
  template <typename Arith> Value make(Value x, Value y) {
    return Arith::create(b, x, y);
  }
  Value compare(arith::CmpIPredicate how, Value x, Value y) {
    return arith::CmpIOp::create(b, how, x, y);
  }
  /// A size that something is divided by, as a tile.
  Value getDivisor(unsigned dim) {
    Value size = ctx.getDim(op.getInput(), dim);
    size =
        arith::MaxUIOp::create(b, size, arith::ConstantIndexOp::create(b, 1));
    return ctx.splat(toI32(size), type);
  }
  Value emitTokens(unsigned headDim);
  void findSequences(Value tokens);
  void searchSequences(Value tokens);
  Value emitChunkStart();

  TileContext &ctx;
  ImplicitLocOpBuilder &b;
  Op op;
  Type type;
  Value sequence, place, length; // length: of what the tensor holds of it
};
} // namespace

/// Numbers of the tokens in memory.
template <typename Op> Value Tokens<Op>::emitTokens(unsigned headDim) {
  int64_t block =
      ctx.schedule.getTile()[0] / cast<ShapedType>(type).getDimSize(0);
  Value row =
      make<arith::MulIOp>(CoordinateOp::create(b, type, 0), constant(block));
  row = make<arith::AddIOp>(row, ctx.splat(toI32(ctx.tileRow), type));
  return make<arith::DivUIOp>(row, getDivisor(headDim));
}

/// thd: the sequence whose offsets have the token between them.
template <typename Op> void Tokens<Op>::searchSequences(Value tokens) {
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value zero = index(0), one = index(1);
  Value count = ctx.getDim(op.getCuSeqlens(), 0);
  Value view = ctx.view(ctx.getBuffers(op.getCuSeqlens()).data, count,
                        b.getIndexAttr(1));
  Value size =
      arith::ConstantOp::create(b, b.getI32IntegerAttr(op.getCpSize()));
  auto loadOffset = [&](Value i) -> Value {
    Value offset = memref::LoadOp::create(b, view, ValueRange{i, zero});
    return arith::DivSIOp::create(b, offset, size);
  };
  Value start[] = {constant(-1), constant(0), constant(0)};
  auto loop = scf::ForOp::create(b, one, count, one, start);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value i = loop.getInductionVar();
  Value previous = arith::SubIOp::create(b, i, one);
  Value first = loadOffset(previous), end = loadOffset(i);
  Value inside = make<arith::AndIOp>(
      compare(arith::CmpIPredicate::sle, ctx.splat(first, type), tokens),
      compare(arith::CmpIPredicate::slt, tokens, ctx.splat(end, type)));
  Value found[] = {ctx.splat(toI32(previous), type),
                   make<arith::SubIOp>(tokens, ctx.splat(first, type)),
                   ctx.splat(arith::SubIOp::create(b, end, first), type)};
  SmallVector<Value> next;
  for (auto [value, carried] : llvm::zip_equal(found, loop.getRegionIterArgs()))
    next.push_back(arith::SelectOp::create(b, inside, value, carried));
  scf::YieldOp::create(b, next);
  sequence = loop.getResult(0);
  place = loop.getResult(1);
  length = loop.getResult(2);
}

template <typename Op> void Tokens<Op>::findSequences(Value tokens) {
  bool isSequenceFirst = op.getFormat() == SequenceFormat::SBHD;
  Value inner = getDivisor(1);
  Value quotient = make<arith::DivUIOp>(tokens, inner);
  Value rest = make<arith::RemUIOp>(tokens, inner);
  std::tie(place, sequence) =
      isSequenceFirst ? std::pair(quotient, rest) : std::pair(rest, quotient);
  length = ctx.splat(toI32(ctx.getDim(op.getInput(), !isSequenceFirst)), type);
}

/// Context parallelism: where the chunk that a token is in starts, less its
/// place in what the tensor holds.
template <typename Op> Value Tokens<Op>::emitChunkStart() {
  int64_t size = op.getCpSize(), rank = op.getCpRank();
  Value half = make<arith::ShRSIOp>(length, constant(1));
  Value early = make<arith::MulIOp>(half, constant(rank));
  Value late =
      make<arith::SubIOp>(make<arith::MulIOp>(length, constant(size)),
                          make<arith::MulIOp>(half, constant(rank + 2)));
  return arith::SelectOp::create(
      b, compare(arith::CmpIPredicate::slt, place, half), early, late);
}

template <typename Op> Value Tokens<Op>::emitPositions() {
  bool isThd = op.getFormat() == SequenceFormat::THD;
  Value tokens = emitTokens(isThd ? 1 : 2);
  if (isThd)
    searchSequences(tokens);
  else
    findSequences(tokens);
  Value position = place;
  if (op.getCpSize() > 1)
    position = make<arith::AddIOp>(position, emitChunkStart());
  if (Value starts = op.getStartPositions()) {
    Value view = ctx.view(ctx.getBuffers(starts).data, ctx.getDim(starts, 0),
                          b.getIndexAttr(1));
    position = make<arith::AddIOp>(
        position, ctx.loadRowsAt(view, sequence, getLayout(type)));
  }
  if (!isThd)
    return position;
  Value isNowhere = compare(arith::CmpIPredicate::slt, sequence, constant(0));
  return arith::SelectOp::create(b, isNowhere, constant(-1), position);
}

namespace {
/// What each element of a tile is multiplied by, and which elements are copied.
struct Rotation {
  Value cosine, sine, isCopied;
};
} // namespace

/// The lanes that share the angles of a tile out among them, where `layout` has
/// several of them hold one.
static LinearLayout shareOut(TileContext &ctx, const LinearLayout &layout) {
  bool hasReplicas =
      llvm::is_contained(layout.getBases(LayoutInput::Lane), 0) ||
      llvm::is_contained(layout.getBases(LayoutInput::Wave), 0);
  if (!hasReplicas)
    return layout;
  constexpr int64_t kWords = 4; // f32 numbers that a lane loads at once
  int64_t lanes = ctx.target.waveSize * ctx.schedule.getWaves();
  int64_t each = std::max<int64_t>(layout.getNumElements() / lanes, 1);
  return LinearLayout::rowMajor(layout.getShape(), std::min(each, kWords),
                                llvm::Log2_32(ctx.target.waveSize),
                                llvm::Log2_64(ctx.schedule.getWaves()));
}

/// The sine has a minus sign in the first column of each pair.
template <typename Op>
static Rotation emitRotation(TileContext &ctx, Op op,
                             const LinearLayout &layout, int64_t columns) {
  auto &b = ctx.b;
  int64_t heads = std::min<int64_t>(op.getSharedHeads(), layout.getShape()[0]);
  LinearLayout kept = layout.project({heads, 1});
  LinearLayout shared = shareOut(ctx, kept);
  LinearLayout tokens = shared.project({1, layout.getShape()[1]});
  Value positions = Tokens<Op>(ctx, op, tokens).emitPositions();
  Value known = ctx.getDim(op.getFreqs(), 0);
  Value view = ctx.view(ctx.getBuffers(op.getFreqs()).data, known,
                        b.getIndexAttr(columns));
  Value angles = ctx.loadRowsAt(view, positions, shared);
  // On the way through LDS replicas are left out.
  if (analyzeConversion(shared, kept).kind == ConversionKind::Shared)
    angles.getDefiningOp<LoadOp>().setFirstReplica(true);
  Value cosine = math::CosOp::create(b, angles),
        sine = math::SinOp::create(b, angles);

  Type i32 = getTileType(b.getI32Type(), b.getContext(), shared);
  Value column = CoordinateOp::create(b, i32, 1);
  auto isBelow = [&](Value x, Value bound) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, x, bound);
  };
  Value place = column;
  int64_t firsts = columns / 2;
  if (op.getInterleaved()) {
    place = arith::AndIOp::create(b, column, ctx.intConstant(i32, 1));
    firsts = 1;
  }
  Value isFirst = isBelow(place, ctx.intConstant(i32, firsts));
  Value negative = arith::NegFOp::create(b, sine);
  sine = arith::SelectOp::create(b, isFirst, negative, sine);

  Value last = arith::IndexCastOp::create(b, b.getI32Type(), known);
  Value isRotated =
      isBelow(ctx.broadcast(positions, shared), ctx.splat(last, i32));
  if (columns < layout.getShape()[1])
    isRotated = arith::AndIOp::create(
        b, isRotated, isBelow(column, ctx.intConstant(i32, columns)));
  // No cosine is 2: where an element is copied.
  cosine = arith::SelectOp::create(b, isRotated, cosine,
                                   ctx.constant(cosine.getType(), 2.0));
  cosine = ctx.convert(cosine, kept);
  Value isCopied = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, cosine,
                                         ctx.constant(cosine.getType(), 2.0));
  return {ctx.broadcast(cosine, layout),
          ctx.broadcast(ctx.convert(sine, kept), layout),
          ctx.broadcast(isCopied, layout)};
}

/// y_i = x_i * cos(f_i) +- x_j * sin(f_i), where j is i's partner; the gradient
/// takes the sine, and its sign, of the partner's angle.
template <typename Op>
static LogicalResult emitRope(Op op, bool isBackward, TileContext &ctx) {
  auto &b = ctx.b;
  int64_t columns = op.getFreqs().getType().getDimSize(1);
  if (ShapedType::isDynamic(columns))
    return op.emitError() << "a kernel knows how many columns it rotates; "
                             "give the last dimension of "
                          << op.getFreqs().getType() << ", freqs, a size (R2)";
  Value tile = ctx.getTile(op.getInput());
  Value x = ctx.toF32(tile), y = x;
  if (columns > 0) {
    LinearLayout layout = getLayout(tile.getType());
    Rotation rotation = emitRotation(ctx, op, layout, columns);
    auto exchange = [&](Value value) -> Value {
      return ExchangeOp::create(b, value.getType(), value, 1, op.getDistance());
    };
    auto times = [&](Value value) -> Value {
      return arith::MulFOp::create(b, value, rotation.sine);
    };
    Value other =
        isBackward ? exchange(times(x)) : times(ctx.toF32(exchange(tile)));
    Value rotated = math::FmaOp::create(b, x, rotation.cosine, other);
    y = arith::SelectOp::create(b, rotation.isCopied, x, rotated);
  }
  ctx.define(op.getResult(),
             ctx.round(y, getElementTypeOrSelf(op.getResult().getType())));
  return success();
}

namespace {
template <typename Op, bool isBackward>
struct RopeLowering
    : TileLoweringInterface::ExternalModel<RopeLowering<Op, isBackward>, Op> {
  LogicalResult lowerToTile(Operation *op, TileContext &ctx) const {
    return emitRope(cast<Op>(op), isBackward, ctx);
  }
};
} // namespace

void te::attachRopeLowerings(MLIRContext *context) {
  RopeOp::attachInterface<RopeLowering<RopeOp, false>>(*context);
  RopeBwdOp::attachInterface<RopeLowering<RopeBwdOp, true>>(*context);
}
