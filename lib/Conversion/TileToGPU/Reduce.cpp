//===- Reduce.cpp - tile.reduce -------------------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks are folded within a lane, then between lanes, then between waves: a
// basis that the block's layout drops is a step in one of them.
//
//===----------------------------------------------------------------------===//

#include "SharedAccess.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

/// x + 16 y for bytes below 16; four at once, where there are as many. A chip
/// has an instruction for both.
static Value emitNibbles(ImplicitLocOpBuilder &b, Value x, Value y) {
  auto type = cast<VectorType>(x.getType()), words = type;
  if (type.getNumElements() % 4 == 0)
    words = VectorType::get({type.getNumElements() / 4}, b.getI32Type());
  auto toWords = [&](Value bytes) -> Value {
    return vector::BitCastOp::create(b, words, bytes);
  };
  Value sixteen = arith::ConstantOp::create(
      b, DenseElementsAttr::get(words,
                                b.getIntegerAttr(words.getElementType(), 16)));
  Value both = arith::AddIOp::create(
      b, toWords(x), arith::MulIOp::create(b, toWords(y), sixteen));
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
/// in a few chains side by side, and maxima of AMD's chips go along it, two
/// numbers in one instruction.
static Value reduceRegisters(ImplicitLocOpBuilder &b, const KernelState &state,
                             ReduceKind kind, Value value,
                             const LinearLayout &from,
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
  if (kind == ReduceKind::MaxNum && state.target->amd && !folded.empty()) {
    fold(rest);
    rest = {};
  } else if (kind == ReduceKind::Add && folded.size() > kChainBits) {
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

/// No number of the tile is negative.
static bool isMagnitude(Value tile) {
  if (auto most = tile.getDefiningOp<arith::MaxNumFOp>())
    return isMagnitude(most.getLhs()) && isMagnitude(most.getRhs());
  return tile.getDefiningOp<math::AbsFOp>() ||
         matchPattern(tile, m_PosZeroFloat());
}

/// The largest magnitude that the lanes of a wave have, by one instruction
/// each: as whole numbers they have the same order, and NaN, which counts for
/// nothing, is -1.
static Value reduceMagnitudes(ImplicitLocOpBuilder &b, Value value) {
  auto words = VectorType::get(cast<VectorType>(value.getType()).getShape(),
                               b.getI32Type());
  Value bits = arith::SelectOp::create(
      b, arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, value, value),
      arith::ConstantOp::create(
          b, DenseElementsAttr::get(words, b.getI32IntegerAttr(-1))),
      arith::BitcastOp::create(b, words, value));
  SmallVector<Value> most;
  for (int64_t i = 0; i < words.getNumElements(); ++i)
    most.push_back(
        gpu::SubgroupReduceOp::create(b, vector::ExtractOp::create(b, bits, i),
                                      gpu::AllReduceOperation::MAXSI,
                                      /*uniform=*/true));
  return arith::BitcastOp::create(
      b, value.getType(), vector::FromElementsOp::create(b, words, most));
}

/// Every wave writes its part; every wave reads all parts that it shares blocks
/// with (`shared`: wave bits).
static Value reduceWaves(ImplicitLocOpBuilder &b, const KernelState &state,
                         ReduceKind kind, Value value, int64_t shared,
                         SharedScratch scratch) {
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
        base,
        emitI32(b, scratch.place + c * chunkBytes * state.target->waveSize));
  };
  int64_t chunks = type.getNumElements() / chunk;
  emitWait(b, scratch);
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
                         const LinearLayout &to, SharedScratch scratch) {
  Type element = getElementTypeOrSelf(value.getType());
  SharedLayout order =
      getSharedLayout(parts, to, getElementBytes(element), *state.target);
  int64_t count = int64_t(1) << llvm::popcount(uint64_t(shared)),
          bytes = order.getBytes();
  auto access = [&](Value start) {
    return SharedAccess(b, state, order, element, start, scratch.place,
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
  emitWait(b, scratch);
  emitByOwner(b, state, lanes, [&] {
    access(emitLinearMap(b, state.wave, starts)).store(value, parts);
  });
  gpu::BarrierOp::create(b);
  Value result;
  for (int64_t part = 0; part < count; ++part) {
    Value own = access(emitI32(b, part * bytes)).get(to);
    result = result ? emitCombine(b, kind, result, own) : own;
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
    Value value =
        isWords ? joinWords(b, adaptor.getInput(), from, parts)
                : reduceRegisters(b, state, op.getKind(), adaptor.getInput(),
                                  from, op.getBlock());
    SmallVector<int64_t> lanes; // bits of those that share blocks
    for (auto [bit, bases] :
         llvm::enumerate(llvm::zip_equal(from.getBases(LayoutInput::Lane),
                                         parts.getBases(LayoutInput::Lane))))
      if (std::get<0>(bases) != 0 && std::get<1>(bases) == 0)
        lanes.push_back(int64_t(1) << bit);
    if (!state.target->amd &&
        int64_t(1) << lanes.size() == state.target->waveSize &&
        op.getKind() == ReduceKind::MaxNum && isMagnitude(op.getInput()) &&
        getElementTypeOrSelf(op.getType()).isF32())
      value = reduceMagnitudes(b, value);
    else
      for (int64_t bit : lanes)
        value = combineLanes(b, state, op.getKind(), value, bit);
    SharedScratch scratch = state.scratch.lookup(op);
    if (int64_t shared = from.getWavesOfBlock(op.getBlock()))
      value = parts == to
                  ? reduceWaves(b, state, op.getKind(), value, shared, scratch)
                  : spreadWaves(b, state, op.getKind(), value, parts, shared,
                                to, scratch);
    rewriter.replaceOp(op, value);
    return success();
  }
};
} // namespace

void te::populateReducePatterns(RewritePatternSet &patterns,
                                const TypeConverter &types,
                                const KernelState &state) {
  patterns.add<ReducePattern>(types, patterns.getContext(), state);
}
