//===- CrossLane.cpp - broadcasts, layout conversions, exchanges ----------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What crosses registers, lanes and waves. Which way each value goes follows
// from the layouts: a conversion is what analyzeConversion says.
//
//===----------------------------------------------------------------------===//

#include "SharedAccess.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

//===----------------------------------------------------------------------===//
// tile.broadcast
//===----------------------------------------------------------------------===//

namespace {
struct BroadcastPattern : TilePattern<BroadcastOp> {
  using TilePattern::TilePattern;
  LogicalResult
  matchAndRewrite(BroadcastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(
        op,
        emitSelectElements(b, adaptor.getInput(),
                           matchBlocks(getLayout(op.getType()),
                                       getLayout(op.getInput().getType()))));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Layout changes
//===----------------------------------------------------------------------===//

struct TransposePattern : TilePattern<TransposeOp> {
  using TilePattern::TilePattern;
  LogicalResult
  matchAndRewrite(TransposeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    LinearLayout from = getLayout(op.getInput().getType()),
                 to = getLayout(op.getType());
    SmallVector<int64_t> picks;
    for (int64_t reg = 0; reg < to.getNumRegisters(); ++reg) {
      SmallVector<int64_t> at = to.toCoordinates(to.apply(reg, 0, 0));
      picks.push_back(
          from.findRegister(from.toFlat({at[1], at[0]})).value_or(0));
    }
    rewriter.replaceOp(op, emitPermuted(b, state, adaptor.getInput(), picks));
    return success();
  }
};

struct ConvertLayoutPattern : TilePattern<ConvertLayoutOp> {
  using TilePattern::TilePattern;

  /// The registers of `value`, kept in the order of `bases`, in the order of
  /// `to`.
  Value reorder(ImplicitLocOpBuilder &b, Value value, ArrayRef<int64_t> bases,
                const LinearLayout &to) const {
    LinearLayout kept(to.getShape(), bases, {}, {});
    SmallVector<int64_t> picks;
    for (int64_t reg = 0; reg < to.getNumRegisters(); ++reg)
      picks.push_back(kept.findRegister(to.apply(reg, 0, 0)).value_or(0));
    return emitPermuted(b, state, value, picks);
  }

  /// Lane bit `lane` and register bit `reg` change places.
  Value swap(ImplicitLocOpBuilder &b, Value value, unsigned lane,
             unsigned reg) const {
    int64_t count = cast<VectorType>(value.getType()).getNumElements();
    SmallVector<int64_t> low, high, merge(count);
    for (int64_t r = 0; r < count; ++r) {
      SmallVector<int64_t> &half = (r >> reg) & 1 ? high : low;
      merge[r] = int64_t(half.size()) + ((r >> reg) & 1 ? count / 2 : 0);
      half.push_back(r);
    }
    Value lo = emitSelectElements(b, value, low),
          hi = emitSelectElements(b, value, high);
    Value odd = hasLaneBit(b, state, int64_t(1) << lane);
    Value sent = arith::SelectOp::create(b, odd, lo, hi);
    Value kept = arith::SelectOp::create(b, odd, hi, lo);
    Value received = emitShuffleXor(b, state, sent, int64_t(1) << lane);
    Value newLow = arith::SelectOp::create(b, odd, received, kept);
    Value newHigh = arith::SelectOp::create(b, odd, kept, received);
    return vector::ShuffleOp::create(b, newLow, newHigh, merge);
  }

  Value throughLds(ImplicitLocOpBuilder &b, Value value,
                   const LinearLayout &from, const LinearLayout &to,
                   SharedScratch scratch) const;

  LogicalResult
  matchAndRewrite(ConvertLayoutOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    LinearLayout from = getLayout(op.getInput().getType()),
                 to = getLayout(op.getType());
    LayoutConversion conversion = analyzeConversion(from, to);
    Value value = adaptor.getInput();
    if (conversion.kind == ConversionKind::Shared ||
        state.throughLds.contains(op)) {
      rewriter.replaceOp(
          op, throughLds(b, value, from, to, state.scratch.lookup(op)));
      return success();
    }
    SmallVector<int64_t> bases(from.getBases(LayoutInput::Register));
    for (auto [lane, reg] : conversion.swaps) {
      value = swap(b, value, lane, reg);
      bases[reg] = from.getBases(LayoutInput::Lane)[lane];
    }
    rewriter.replaceOp(op, reorder(b, value, bases, to));
    return success();
  }
};
} // namespace

Value ConvertLayoutPattern::throughLds(ImplicitLocOpBuilder &b, Value value,
                                       const LinearLayout &from,
                                       const LinearLayout &to,
                                       SharedScratch scratch) const {
  Type element = getElementTypeOrSelf(value.getType());
  SharedLayout shared =
      getSharedLayout(from, to, getElementBytes(element), *state.target);
  SharedAccess access(b, state, shared, element, scratch.place);
  emitWait(b, scratch);
  return access.exchange(value, from, to);
}

//===----------------------------------------------------------------------===//
// tile.reduce_or, tile.scaled_trunc
//===----------------------------------------------------------------------===//

namespace {
struct ReduceOrPattern : TilePattern<ReduceOrOp> {
  using TilePattern::TilePattern;
  LogicalResult
  matchAndRewrite(ReduceOrOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value lane = vector::ReductionOp::create(b, vector::CombiningKind::OR,
                                             adaptor.getCondition());
    Value word = arith::ExtUIOp::create(b, b.getI32Type(), lane);
    Value wave =
        gpu::SubgroupReduceOp::create(b, word, gpu::AllReduceOperation::OR,
                                      /*uniform=*/true);
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, arith::CmpIPredicate::ne,
                                               wave, emitI32(b, 0));
    return success();
  }
};

struct ScaledTruncPattern : TilePattern<ScaledTruncOp> {
  using TilePattern::TilePattern;
  LogicalResult
  matchAndRewrite(ScaledTruncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    LinearLayout layout = getLayout(op.getInput().getType()),
                 blocks = getLayout(op.getScale().getType());
    SmallVector<int64_t> picks = matchBlocks(layout, blocks);
    bool isFP4 = op.getType().getElementType().isInteger(8);
    Type element = isFP4 ? Float4E2M1FNType::get(b.getContext())
                         : op.getType().getElementType();
    VectorType type = getDistributedType(op.getType());
    int64_t codes = isFP4 ? 2 : 1; // of one element of the result
    int64_t size = std::min<int64_t>(
        layout.getContiguity(), layout.getShape()[1] / blocks.getShape()[1]);
    Value result = arith::ConstantOp::create(b, b.getZeroAttr(type));
    auto scaleType = Float8E8M0FNUType::get(b.getContext());
    for (int64_t first = 0; first < codes * type.getNumElements();
         first += size) {
      Value byte =
          vector::ExtractOp::create(b, adaptor.getScale(), picks[first]);
      Value scale = vector::BroadcastOp::create(
          b, VectorType::get({size}, scaleType),
          arith::BitcastOp::create(b, scaleType, byte));
      Value part = vector::ExtractStridedSliceOp::create(
          b, adaptor.getInput(), ArrayRef<int64_t>{first},
          ArrayRef<int64_t>{size}, ArrayRef<int64_t>{1});
      Value rounded = arith::ScalingTruncFOp::create(
          b, VectorType::get({size}, element), part, scale,
          arith::RoundingModeAttr(), arith::FastMathFlagsAttr());
      if (isFP4)
        rounded = vector::BitCastOp::create(
            b, VectorType::get({size / codes}, b.getI8Type()), rounded);
      result = vector::InsertStridedSliceOp::create(
          b, rounded, result, ArrayRef<int64_t>{first / codes},
          ArrayRef<int64_t>{1});
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};
} // namespace

namespace {
struct ExchangePattern : TilePattern<ExchangeOp> {
  using TilePattern::TilePattern;

  Value throughLds(ImplicitLocOpBuilder &b, ExchangeOp op, Value value) const;

  LogicalResult
  matchAndRewrite(ExchangeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    LinearLayout layout = getLayout(op.getType());
    std::optional<int64_t> flat = getPartnerBasis(op);
    if (!flat) {
      rewriter.replaceOp(op, throughLds(b, op, adaptor.getInput()));
      return success();
    }
    ArrayRef<int64_t> lanes = layout.getBases(LayoutInput::Lane);
    if (auto *lane = llvm::find(lanes, *flat); lane != lanes.end()) {
      rewriter.replaceOp(op,
                         emitShuffleXor(b, state, adaptor.getInput(),
                                        int64_t(1) << (lane - lanes.begin())));
      return success();
    }
    SmallVector<int64_t> picks;
    for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg)
      picks.push_back(
          layout.findRegister(layout.apply(reg, 0, 0) ^ *flat).value_or(0));
    rewriter.replaceOp(op, emitSelectElements(b, adaptor.getInput(), picks));
    return success();
  }
};
} // namespace

/// The tile lies row-major in LDS; each lane reads where its partners wrote.
Value ExchangePattern::throughLds(ImplicitLocOpBuilder &b, ExchangeOp op,
                                  Value value) const {
  LinearLayout layout = getLayout(op.getType());
  auto type = cast<VectorType>(value.getType());
  int64_t bytes = getElementBytes(type), stride = op.getStride();
  int64_t rowLength = layout.getShape()[1];
  int64_t size = std::min(layout.getContiguity(),
                          int64_t(state.target->maxAccessBytes) / bytes);
  auto [laneRow, laneCol] = emitLaneCoordinates(b, state, layout);
  auto constant = [&](int64_t number) { return emitI32(b, number); };
  auto toI32 = [&](Value index) {
    return b.createOrFold<arith::IndexCastUIOp>(b.getI32Type(), index);
  };
  auto add = [&](Value x, Value y) {
    return b.createOrFold<arith::AddIOp>(x, y);
  };
  auto times = [&](Value x, int64_t factor) {
    return b.createOrFold<arith::MulIOp>(x, constant(factor));
  };
  Value start[] = {toI32(laneRow), toI32(laneCol)};
  SharedScratch scratch = state.scratch.lookup(op);
  auto address = [&](Value row, Value col) {
    return add(times(add(times(row, rowLength), col), bytes),
               constant(scratch.place));
  };
  auto position = [&](int64_t reg, unsigned dim) {
    int64_t at = layout.toCoordinates(layout.apply(reg, 0, 0))[dim];
    return add(start[dim], constant(at));
  };
  auto slice = [&](int64_t first, int64_t count) -> Value {
    return vector::ExtractStridedSliceOp::create(
        b, value, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{count},
        ArrayRef<int64_t>{1});
  };

  emitWait(b, scratch);
  emitByOwner(b, state, layout, [&] {
    for (int64_t reg = 0; reg < type.getNumElements(); reg += size)
      emitLdsStore(b, state, slice(reg, size),
                   address(position(reg, 0), position(reg, 1)));
  });
  gpu::BarrierOp::create(b);

  // As many at once as lie in one run.
  unsigned dim = op.getDimension();
  if (dim == 1)
    size = std::min(size, int64_t(1) << llvm::countr_zero(uint64_t(stride)));
  Value last = constant(layout.getShape()[dim] - (dim == 1 ? size : 1));
  Value result = arith::ConstantOp::create(b, b.getZeroAttr(type));
  for (int64_t reg = 0; reg < type.getNumElements(); reg += size) {
    Value at[] = {position(reg, 0), position(reg, 1)};
    Value run = arith::DivUIOp::create(b, at[dim], constant(stride));
    Value odd = arith::AndIOp::create(b, run, constant(1));
    Value step =
        arith::SubIOp::create(b, constant(stride), times(odd, 2 * stride));
    // Partners beyond the tile are unspecified, but not beyond LDS.
    at[dim] = arith::MinUIOp::create(b, add(at[dim], step), last);
    Value part =
        emitLdsLoad(b, state, VectorType::get({size}, type.getElementType()),
                    address(at[0], at[1]));
    result = vector::InsertStridedSliceOp::create(
        b, part, result, ArrayRef<int64_t>{reg}, ArrayRef<int64_t>{1});
  }
  return result;
}

void te::populateCrossLanePatterns(RewritePatternSet &patterns,
                                   const TypeConverter &types,
                                   const KernelState &state) {
  patterns.add<BroadcastPattern, TransposePattern, ConvertLayoutPattern,
               ReduceOrPattern, ScaledTruncPattern, ExchangePattern>(
      types, patterns.getContext(), state);
}
