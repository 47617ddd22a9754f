//===- CrossLane.cpp - reductions, broadcasts, layout conversions ---------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What crosses registers, lanes and waves. Which way each value goes follows
// from the layouts: a basis that a reduction drops is a step in registers,
// between lanes or between waves; a conversion is what analyzeConversion says.
//
//===----------------------------------------------------------------------===//

#include "SharedAccess.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

//===----------------------------------------------------------------------===//
// tile.reduce
//===----------------------------------------------------------------------===//

/// x | y << 4 for bytes below 16; four at once, where there are as many.
static Value emitNibbles(ImplicitLocOpBuilder &b, Value x, Value y) {
  auto type = cast<VectorType>(x.getType()), words = type;
  if (type.getNumElements() % 4 == 0)
    words = VectorType::get({type.getNumElements() / 4}, b.getI32Type());
  auto toWords = [&](Value bytes) -> Value {
    return vector::BitCastOp::create(b, words, bytes);
  };
  Value four = arith::ConstantOp::create(
      b, DenseElementsAttr::get(words,
                                b.getIntegerAttr(words.getElementType(), 4)));
  Value both = arith::OrIOp::create(b, toWords(x),
                                    arith::ShLIOp::create(b, toWords(y), four));
  return vector::BitCastOp::create(b, type, both);
}

Value te::emitCombine(ImplicitLocOpBuilder &b, ReduceKind kind, Value x,
                      Value y) {
  switch (kind) {
  case ReduceKind::MaxNum:
    return arith::MaxNumFOp::create(b, x, y);
  case ReduceKind::Add:
    return arith::AddFOp::create(b, x, y, arith::FastMathFlags::contract);
  case ReduceKind::Or:
    return arith::OrIOp::create(b, x, y);
  case ReduceKind::Nibbles:
    return emitNibbles(b, x, y);
  }
  return {};
}

/// Folds register bits that the block covers. Halves of the vector meet; sums
/// go along it first, so that each product that is added takes one instruction,
/// in a few chains side by side.
static Value reduceRegisters(ImplicitLocOpBuilder &b, ReduceKind kind,
                             Value value, const LinearLayout &from,
                             ArrayRef<int64_t> block) {
  constexpr size_t kChainBits = 2;
  SmallVector<int64_t> bases(from.getBases(LayoutInput::Register));
  SmallVector<size_t> folded; // bits, the highest first
  for (size_t bit = bases.size(); bit-- > 0;) {
    SmallVector<int64_t> at = from.toCoordinates(bases[bit]);
    if (llvm::all_of(llvm::zip_equal(at, block), [](auto pair) {
          auto [c, size] = pair;
          return c / size == 0;
        }))
      folded.push_back(bit);
  }
  auto fold = [&](ArrayRef<size_t> bits) {
    SmallVector<SmallVector<int64_t>> parts(int64_t(1) << bits.size());
    for (int64_t reg = 0; reg < int64_t(1) << bases.size(); ++reg) {
      size_t part = 0;
      for (size_t bit : bits)
        part = part << 1 | (reg >> bit & 1);
      parts[part].push_back(reg);
    }
    Value result = emitSelectElements(b, value, parts.front());
    for (ArrayRef<int64_t> part : ArrayRef(parts).drop_front())
      result = emitCombine(b, kind, result, emitSelectElements(b, value, part));
    value = result;
    for (size_t bit : bits)
      bases.erase(bases.begin() + bit);
  };
  ArrayRef<size_t> rest(folded);
  if (kind == ReduceKind::Add && folded.size() > kChainBits) {
    fold(rest.drop_back(kChainBits));
    rest = rest.take_back(kChainBits);
  }
  for (size_t bit : rest)
    fold(bit);
  return value;
}

/// The same for OR, by one op a result: LLVM sees a register in the bytes that
/// make it up.
static Value joinWords(ImplicitLocOpBuilder &b, Value value,
                       const LinearLayout &from, const LinearLayout &to) {
  SmallVector<SmallVector<int64_t>> parts(to.getNumRegisters());
  for (auto [reg, result] : llvm::enumerate(matchBlocks(from, to)))
    parts[result].push_back(reg);
  SmallVector<Value> words;
  for (ArrayRef<int64_t> picks : parts)
    words.push_back(vector::ReductionOp::create(
        b, vector::CombiningKind::OR, emitSelectElements(b, value, picks)));
  return vector::FromElementsOp::create(
      b, VectorType::get({int64_t(words.size())}, b.getI32Type()), words);
}

/// i1: that the lane's number has this bit.
static Value hasLaneBit(ImplicitLocOpBuilder &b, const KernelState &state,
                        int64_t bit) {
  return arith::CmpIOp::create(
      b, arith::CmpIPredicate::ne,
      arith::AndIOp::create(b, state.lane, emitI32(b, bit)), emitI32(b, 0));
}

/// What this lane and the one whose number differs in `bit` have.
static Value combineLanes(ImplicitLocOpBuilder &b, const KernelState &state,
                          ReduceKind kind, Value value, int64_t bit) {
  Value other = emitShuffleXor(b, state, value, bit);
  if (kind != ReduceKind::Nibbles)
    return emitCombine(b, kind, value, other);
  Value odd = hasLaneBit(b, state, bit);
  return emitCombine(b, kind, arith::SelectOp::create(b, odd, other, value),
                     arith::SelectOp::create(b, odd, value, other));
}

static void emitWait(ImplicitLocOpBuilder &b, SharedTurn turn) {
  if (turn.waits)
    gpu::BarrierOp::create(b);
}

/// Every wave writes its part; every wave reads all parts that it shares blocks
/// with (`shared`: wave bits).
static Value reduceWaves(ImplicitLocOpBuilder &b, const KernelState &state,
                         ReduceKind kind, Value value, int64_t shared,
                         SharedTurn turn) {
  auto type = cast<VectorType>(value.getType());
  int64_t elementBytes = getElementBytes(type);
  int64_t chunk = std::min<int64_t>(
      type.getNumElements(), state.target->maxAccessBytes / elementBytes);
  int64_t chunkBytes = chunk * elementBytes;
  int64_t waveBytes =
      type.getNumElements() * elementBytes * state.target->waveSize;
  // [wave][chunk][lane]: neighbouring lanes touch neighbouring banks.
  auto address = [&](Value wave, int64_t c) {
    Value offset = arith::MulIOp::create(b, wave, emitI32(b, waveBytes));
    Value lane = arith::MulIOp::create(b, state.lane, emitI32(b, chunkBytes));
    Value base = arith::AddIOp::create(b, offset, lane);
    return b.createOrFold<arith::AddIOp>(
        base, emitI32(b, turn.place + c * chunkBytes * state.target->waveSize));
  };
  int64_t chunks = type.getNumElements() / chunk;
  emitWait(b, turn);
  for (int64_t c = 0; c < chunks; ++c) {
    Value part = vector::ExtractStridedSliceOp::create(
        b, value, ArrayRef<int64_t>{c * chunk}, ArrayRef<int64_t>{chunk},
        ArrayRef<int64_t>{1});
    emitLdsStore(b, state, part, address(state.wave, c));
  }
  gpu::BarrierOp::create(b);

  Value first = arith::AndIOp::create(b, state.wave, emitI32(b, ~shared));
  Value result;
  for (int64_t other = 0; other < state.waves; ++other) {
    if (other & ~shared)
      continue;
    Value wave = b.createOrFold<arith::OrIOp>(first, emitI32(b, other));
    Value part = arith::ConstantOp::create(b, b.getZeroAttr(type));
    for (int64_t c = 0; c < chunks; ++c)
      part = vector::InsertStridedSliceOp::create(
          b,
          emitLdsLoad(b, state, VectorType::get({chunk}, type.getElementType()),
                      address(wave, c)),
          part, ArrayRef<int64_t>{c * chunk}, ArrayRef<int64_t>{1});
    result = result ? emitCombine(b, kind, result, part) : part;
  }
  return result;
}

/// Every wave's part is a tile of blocks in LDS (`parts`: who wrote what);
/// every lane reads its own blocks of all of them.
static Value spreadWaves(ImplicitLocOpBuilder &b, const KernelState &state,
                         ReduceKind kind, Value value,
                         const LinearLayout &parts, int64_t shared,
                         const LinearLayout &to, SharedTurn turn) {
  Type element = getElementTypeOrSelf(value.getType());
  SharedLayout order =
      getSharedLayout(parts, to, getElementBytes(element), *state.target);
  int64_t count = int64_t(1) << llvm::popcount(uint64_t(shared)),
          bytes = order.getBytes();
  auto access = [&](Value start) {
    return SharedAccess(b, state, order, element, start, turn.place,
                        count * bytes);
  };
  // Where each wave's part starts.
  SmallVector<int64_t> starts;
  for (int64_t bit = 1, next = bytes; bit < state.waves; bit *= 2) {
    starts.push_back(shared & bit ? next : 0);
    next <<= (shared & bit) != 0;
  }
  LinearLayout lanes(parts.getShape(), parts.getBases(LayoutInput::Register),
                     parts.getBases(LayoutInput::Lane), {});
  emitWait(b, turn);
  emitByOwner(b, state, lanes, [&] {
    access(emitLinearMap(b, state.wave, starts)).put(value, parts);
  });
  gpu::BarrierOp::create(b);
  Value result;
  for (int64_t part = 0; part < count; ++part) {
    Value mine = access(emitI32(b, part * bytes)).get(to);
    result = result ? emitCombine(b, kind, result, mine) : mine;
  }
  return result;
}

namespace {
struct ReducePattern : TilePattern<ReduceOp> {
  using TilePattern::TilePattern;
  LogicalResult
  matchAndRewrite(ReduceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    LinearLayout from = getLayout(op.getInput().getType()),
                 to = getLayout(op.getType()),
                 parts = from.project(op.getBlock());
    bool isWords = op.getKind() == ReduceKind::Or &&
                   getElementTypeOrSelf(op.getType()).isInteger(32);
    Value value = isWords ? joinWords(b, adaptor.getInput(), from, parts)
                          : reduceRegisters(b, op.getKind(), adaptor.getInput(),
                                            from, op.getBlock());
    for (auto [bit, bases] :
         llvm::enumerate(llvm::zip_equal(from.getBases(LayoutInput::Lane),
                                         parts.getBases(LayoutInput::Lane)))) {
      auto [before, after] = bases;
      if (before != 0 && after == 0)
        value = combineLanes(b, state, op.getKind(), value, int64_t(1) << bit);
    }
    SharedTurn turn = state.turns.lookup(op);
    if (int64_t shared = from.getWavesOfBlock(op.getBlock()))
      value = parts == to
                  ? reduceWaves(b, state, op.getKind(), value, shared, turn)
                  : spreadWaves(b, state, op.getKind(), value, parts, shared,
                                to, turn);
    rewriter.replaceOp(op, value);
    return success();
  }
};

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

  /// The registers of `value`, held in the order of `bases`, in the order of
  /// `to`.
  Value reorder(ImplicitLocOpBuilder &b, Value value, ArrayRef<int64_t> bases,
                const LinearLayout &to) const {
    LinearLayout held(to.getShape(), bases, {}, {});
    SmallVector<int64_t> picks;
    for (int64_t reg = 0; reg < to.getNumRegisters(); ++reg)
      picks.push_back(held.findRegister(to.apply(reg, 0, 0)).value_or(0));
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
                   SharedTurn turn) const;

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
          op, throughLds(b, value, from, to, state.turns.lookup(op)));
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
                                       SharedTurn turn) const {
  Type element = getElementTypeOrSelf(value.getType());
  SharedLayout shared =
      getSharedLayout(from, to, getElementBytes(element), *state.target);
  SharedAccess access(b, state, shared, element, turn.place);
  emitWait(b, turn);
  return access.exchange(value, from, to);
}

//===----------------------------------------------------------------------===//
// tile.any, tile.scaled_trunc
//===----------------------------------------------------------------------===//

namespace {
struct AnyPattern : TilePattern<AnyOp> {
  using TilePattern::TilePattern;
  LogicalResult
  matchAndRewrite(AnyOp op, OpAdaptor adaptor,
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
  SharedTurn turn = state.turns.lookup(op);
  auto address = [&](Value row, Value col) {
    return add(times(add(times(row, rowLength), col), bytes),
               constant(turn.place));
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

  emitWait(b, turn);
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
  patterns.add<ReducePattern, BroadcastPattern, TransposePattern,
               ConvertLayoutPattern, AnyPattern, ScaledTruncPattern,
               ExchangePattern>(types, patterns.getContext(), state);
}
