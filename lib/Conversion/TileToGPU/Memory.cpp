//===- Memory.cpp - tile loads and stores ---------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tile.load, tile.store and tile.atomic_max as vector accesses of one lane. A
// whole tile takes straight-line code; a ragged one masks each vector: all,
// nothing, or, where the row ends inside a vector, pieces of halving sizes. A
// lane's only access is always masked: there is nothing for it to overlap with.
//
//===----------------------------------------------------------------------===//

#include "BufferAccess.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

namespace {
/// One tile's accesses: where each vector of a lane lies.
struct TileAccess {
  ImplicitLocOpBuilder &b;
  Value view;
  VectorType vectorType; // of one access
  int64_t divisible;
  Value row, col;   // of register 0 of this lane, index
  Value rows, cols; // the view's extents, index
  Value window;     // elements of the buffer, null: as the view says
  SmallVector<std::pair<int64_t, int64_t>>
      offsets;                // of each vector, in the tile
  bool wholeColumns = false;  // all of them are inside of the view
  int64_t interleave = 0;     // columns lie in runs of so many, and gaps
  SmallVector<Value> numbers; // of each vector's row, where they are given
  /// i1: whole vectors are aligned, where the row's length does not tell and
  /// the target asks for it; else null.
  Value aligned;

  Value offset(Value base, int64_t by) {
    return b.createOrFold<arith::AddIOp>(base,
                                         arith::ConstantIndexOp::create(b, by));
  }
  std::pair<Value, Value> position(unsigned vector) {
    Value c = offset(col, offsets[vector].second);
    if (!numbers.empty())
      return {b.createOrFold<arith::AddIOp>(row, numbers[vector]), c};
    return {offset(row, offsets[vector].first), c};
  }
  int64_t size() const { return vectorType.getNumElements(); }
  /// The alignment that the view's row length guarantees, up to the access.
  llvm::MaybeAlign alignment(int64_t elements) {
    return llvm::MaybeAlign(std::min(elements, divisible) *
                            getElementBytes(vectorType));
  }
  VectorType slice(int64_t elements) {
    return VectorType::get({elements}, vectorType.getElementType());
  }
  Value zeros(int64_t elements) {
    return arith::ConstantOp::create(b, b.getZeroAttr(slice(elements)));
  }

  Value isRowInside(Value r) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, r, rows);
  }
  /// Elements of this vector that lie inside the view, at least 0: i32.
  Value available(Value r, Value c) {
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value most = arith::ConstantIndexOp::create(b, size());
    Value left = arith::SubIOp::create(b, cols, c);
    left =
        arith::MinSIOp::create(b, arith::MaxSIOp::create(b, left, zero), most);
    Value inside = isRowInside(r);
    left = arith::SelectOp::create(b, inside, left, zero);
    return arith::IndexCastOp::create(b, b.getI32Type(), left);
  }
  /// Column of the piece of `elements` among `count`, and whether there is one.
  std::pair<Value, Value> piece(Value c, Value count, int64_t elements) {
    Value before = arith::AndIOp::create(b, count, emitI32(b, -2 * elements));
    Value bit = arith::AndIOp::create(b, count, emitI32(b, elements));
    Value present =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bit, emitI32(b, 0));
    return {arith::AddIOp::create(b, c, toIndex(b, before)), present};
  }

  /// Where a column lies in its row.
  Value place(Value c) {
    if (interleave == 0)
      return c;
    Value run = arith::ConstantIndexOp::create(b, interleave);
    Value gaps =
        arith::MulIOp::create(b, arith::DivUIOp::create(b, c, run), run);
    return arith::AddIOp::create(b, c, gaps);
  }
  Value load(Value r, Value c, int64_t elements) {
    return vector::LoadOp::create(b, slice(elements), view,
                                  ValueRange{r, place(c)},
                                  /*nontemporal=*/false, alignment(elements));
  }
  void store(Value vector, Value r, Value c) {
    int64_t elements = cast<VectorType>(vector.getType()).getNumElements();
    vector::StoreOp::create(b, vector, view, ValueRange{r, place(c)},
                            /*nontemporal=*/false, alignment(elements));
  }
  /// What access `number` stores of all that a lane holds.
  Value part(Value all, unsigned number) {
    if (offsets.size() == 1)
      return all;
    return vector::ExtractStridedSliceOp::create(
        b, all, ArrayRef<int64_t>{int64_t(number) * size()},
        ArrayRef<int64_t>{size()}, ArrayRef<int64_t>{1});
  }
  /// A whole vector, known to be aligned where `aligned` is; or tested.
  Value loadWhole(Value r, Value c, bool isAligned);
  void storeWhole(Value vector, Value r, Value c, bool isAligned);
  Value maskedLoad(Value r, Value c);
  void maskedStore(Value vector, Value r, Value c);

  /// Where [r, c] lies in the buffer.
  Value flatten(Value r, Value c);
  /// i1, for each element of the vector at [r, c]: is it in the window.
  SmallVector<Value> inWindow(Value r, Value c);
  Value windowLoad(Value r, Value c);
  void windowStore(Value vector, Value r, Value c);
};
} // namespace

/// `then` where the condition holds, else `otherwise`, as values of one type.
static Value emitIf(ImplicitLocOpBuilder &b, Value condition, Type type,
                    function_ref<Value()> then,
                    function_ref<Value()> otherwise) {
  auto branch = scf::IfOp::create(b, TypeRange(type), condition, /*else=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, then());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, otherwise());
  return branch.getResult(0);
}

static void emitIf(ImplicitLocOpBuilder &b, Value condition,
                   function_ref<void()> then,
                   function_ref<void()> otherwise = {}) {
  auto branch = scf::IfOp::create(b, TypeRange(), condition, bool(otherwise));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  then();
  if (!otherwise)
    return;
  b.setInsertionPointToStart(branch.elseBlock());
  otherwise();
}

static Value emitIsFull(ImplicitLocOpBuilder &b, Value count, int64_t size) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, count,
                               emitI32(b, size));
}

Value TileAccess::flatten(Value r, Value c) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, view);
  Value start = b.createOrFold<arith::MulIOp>(r, metadata.getStrides()[0]);
  return b.createOrFold<arith::AddIOp>(
      b.createOrFold<arith::AddIOp>(metadata.getOffset(), start), c);
}

SmallVector<Value> TileAccess::inWindow(Value r, Value c) {
  Value count = available(r, c), first = flatten(r, c);
  SmallVector<Value> inside;
  for (int64_t i = 0; i < size(); ++i) {
    // Of what lies before the buffer, as an unsigned number it is behind it.
    Value is = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                     offset(first, i), window);
    Value exists = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, count,
                                         emitI32(b, i));
    inside.push_back(arith::AndIOp::create(b, is, exists));
  }
  return inside;
}

Value TileAccess::windowLoad(Value r, Value c) {
  Value result = zeros(size());
  for (auto [i, inside] : llvm::enumerate(inWindow(r, c))) {
    Value one = emitIf(
        b, inside, slice(1), [&] { return load(r, offset(c, i), 1); },
        [&] { return zeros(1); });
    result = vector::InsertStridedSliceOp::create(
        b, one, result, ArrayRef<int64_t>{int64_t(i)}, ArrayRef<int64_t>{1});
  }
  return result;
}

void TileAccess::windowStore(Value vector, Value r, Value c) {
  for (auto [i, inside] : llvm::enumerate(inWindow(r, c))) {
    Value one = vector::ExtractStridedSliceOp::create(
        b, vector, ArrayRef<int64_t>{int64_t(i)}, ArrayRef<int64_t>{1},
        ArrayRef<int64_t>{1});
    emitIf(b, inside, [&] { store(one, r, offset(c, i)); });
  }
}

Value TileAccess::loadWhole(Value r, Value c, bool isAligned) {
  auto narrow = [&] { return load(r, c, size()); };
  auto wide = [&]() -> Value {
    return vector::LoadOp::create(
        b, vectorType, view, ValueRange{r, place(c)}, /*nontemporal=*/false,
        llvm::MaybeAlign(size() * getElementBytes(vectorType)));
  };
  if (!aligned)
    return narrow();
  return isAligned ? wide() : emitIf(b, aligned, vectorType, wide, narrow);
}

void TileAccess::storeWhole(Value vector, Value r, Value c, bool isAligned) {
  auto narrow = [&] { store(vector, r, c); };
  auto wide = [&] {
    vector::StoreOp::create(
        b, vector, view, ValueRange{r, place(c)}, /*nontemporal=*/false,
        llvm::MaybeAlign(size() * getElementBytes(vectorType)));
  };
  if (!aligned)
    return narrow();
  return isAligned ? wide() : emitIf(b, aligned, wide, narrow);
}

Value TileAccess::maskedLoad(Value r, Value c) {
  if (window)
    return windowLoad(r, c);
  if (wholeColumns)
    return emitIf(
        b, isRowInside(r), vectorType,
        [&] { return loadWhole(r, c, /*isAligned=*/false); },
        [&] { return zeros(size()); });
  Value count = available(r, c);
  auto tail = [&]() -> Value {
    // From the smallest piece, which is last in memory, to the largest: each
    // goes in front.
    Value result = zeros(size());
    for (int64_t n = divisible; n < size(); n *= 2) {
      auto [column, present] = piece(c, count, n);
      result = emitIf(
          b, present, vectorType,
          [&]() -> Value {
            Value front = load(r, column, n);
            SmallVector<int64_t> widen(size(), 0), merge;
            std::iota(widen.begin(), widen.begin() + n, 0);
            for (int64_t i = 0; i < size(); ++i)
              merge.push_back(i < n ? i : size() + i - n);
            Value wide = vector::ShuffleOp::create(b, front, front, widen);
            return vector::ShuffleOp::create(b, wide, result, merge);
          },
          [&] { return result; });
    }
    return result;
  };
  return emitIf(
      b, emitIsFull(b, count, size()), vectorType,
      [&] { return loadWhole(r, c, /*isAligned=*/false); }, tail);
}

void TileAccess::maskedStore(Value vector, Value r, Value c) {
  if (window)
    return windowStore(vector, r, c);
  if (wholeColumns)
    return emitIf(b, isRowInside(r),
                  [&] { storeWhole(vector, r, c, /*isAligned=*/false); });
  Value count = available(r, c);
  auto tail = [&] {
    // From the largest piece, which is first in memory; what it took is shifted
    // out.
    Value rest = vector;
    for (int64_t n = size() / 2; n >= divisible; n /= 2) {
      auto [column, present] = piece(c, count, n);
      Value front = vector::ExtractStridedSliceOp::create(
          b, rest, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{n},
          ArrayRef<int64_t>{1});
      emitIf(b, present, [&] { store(front, r, column); });
      SmallVector<int64_t> shift;
      for (int64_t i = 0; i < size(); ++i)
        shift.push_back((i + n) % size());
      Value shifted = emitSelectElements(b, rest, shift);
      rest = arith::SelectOp::create(b, present, shifted, rest);
    }
  };
  Value full = emitIsFull(b, count, size());
  auto whole = [&] { storeWhole(vector, r, c, /*isAligned=*/false); };
  if (divisible >= size())
    return emitIf(b, full, whole);
  emitIf(b, full, whole, tail);
}

/// Where [row, col] of a matrix in `order` lies: a row of units, and the offset
/// in it.
static std::pair<Value, Value> emitPlace(ImplicitLocOpBuilder &b,
                                         const LinearLayout &order, Value row,
                                         Value col) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  int64_t rows = order.getShape()[0], cols = order.getShape()[1];
  Value inside = b.createOrFold<arith::AddIOp>(
      b.createOrFold<arith::MulIOp>(
          b.createOrFold<arith::RemUIOp>(row, constant(rows)), constant(cols)),
      b.createOrFold<arith::RemUIOp>(col, constant(cols)));
  SmallVector<int64_t> columns(llvm::Log2_64(rows * cols));
  for (auto [bit, from] :
       llvm::enumerate(order.getBases(LayoutInput::Register)))
    columns[llvm::Log2_64(from)] = int64_t(1) << bit;
  Value offset = emitLinearMap(
      b, b.createOrFold<arith::IndexCastUIOp>(b.getI32Type(), inside), columns);
  Value units = b.createOrFold<arith::MulIOp>(
      b.createOrFold<arith::DivUIOp>(col, constant(cols)),
      constant(rows * cols));
  return {b.createOrFold<arith::DivUIOp>(row, constant(rows)),
          b.createOrFold<arith::AddIOp>(units, toIndex(b, offset))};
}

/// i1: vectors of `size` elements at multiples of it from `col` on are aligned,
/// in every row of the view (whose buffer is). Elements are bytes or halves of
/// a vector: both are powers of two.
static Value emitIsAligned(ImplicitLocOpBuilder &b, Value view, Value col,
                           int64_t size) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, view);
  Value bits = b.createOrFold<arith::OrIOp>(
      b.createOrFold<arith::OrIOp>(metadata.getOffset(),
                                   metadata.getStrides().front()),
      col);
  Value rest = arith::AndIOp::create(
      b, bits, arith::ConstantIndexOp::create(b, size - 1));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rest,
                               arith::ConstantIndexOp::create(b, 0));
}

/// The accesses of a tile with this layout at [row, col] of `view`; `rows` are
/// the distributed numbers of its rows, or null.
static TileAccess makeAccess(ImplicitLocOpBuilder &b, const KernelState &state,
                             Type tileType, Value view, Value row, Value col,
                             Value rows, int64_t divisible, Value window,
                             std::optional<LayoutAttr> order,
                             int64_t interleave) {
  LinearLayout layout = getLayout(tileType);
  if (order) {
    LinearLayout unit = order->getLayout();
    std::tie(row, col) = emitPlace(b, unit, row, col);
    layout = layout.place(unit);
    divisible = unit.getNumElements();
  }
  Type element = getElementTypeOrSelf(tileType);
  int64_t most = state.target->maxAccessBytes / getElementBytes(element);
  int64_t size = std::min(layout.getContiguity(), most);
  if (interleave > 0) // a vector lies inside of a run
    size =
        std::min(size, int64_t(1) << llvm::countr_zero(uint64_t(interleave)));
  auto [laneRow, laneCol] = emitLaneCoordinates(b, state, layout);
  TileAccess access{b,
                    view,
                    VectorType::get({size}, element),
                    std::min(divisible, size),
                    rows ? row : b.createOrFold<arith::AddIOp>(row, laneRow),
                    b.createOrFold<arith::AddIOp>(col, laneCol),
                    b.createOrFold<memref::DimOp>(view, int64_t(0)),
                    b.createOrFold<memref::DimOp>(view, int64_t(1)),
                    window,
                    {},
                    /*wholeColumns=*/false,
                    interleave,
                    {},
                    Value()};
  if (!state.target->hasUnalignedAccesses && access.divisible < size)
    access.aligned = emitIsAligned(b, view, col, size);
  SmallVector<int64_t> picks = matchBlocks(
      layout, rows ? layout.project({1, layout.getShape()[1]}) : layout);
  for (int64_t reg = 0; reg < layout.getNumRegisters(); reg += size) {
    SmallVector<int64_t> at = layout.toCoordinates(layout.apply(reg, 0, 0));
    access.offsets.push_back({at[0], at[1]});
    if (rows)
      access.numbers.push_back(arith::IndexCastOp::create(
          b, b.getIndexType(), vector::ExtractOp::create(b, rows, picks[reg])));
  }
  return access;
}

/// i1: the whole tile lies inside the view, and whole vectors are aligned.
static Value emitIsInterior(ImplicitLocOpBuilder &b, TileAccess &access,
                            Value row, Value col, ArrayRef<int64_t> shape) {
  auto fits = [&](Value offset, int64_t size, Value extent) -> Value {
    Value end = access.offset(offset, size);
    return arith::CmpIOp::create(b, arith::CmpIPredicate::sle, end, extent);
  };
  Value inside = fits(row, shape[0], access.rows);
  if (!access.wholeColumns)
    inside = arith::AndIOp::create(b, inside, fits(col, shape[1], access.cols));
  if (access.aligned)
    inside = arith::AndIOp::create(b, inside, access.aligned);
  if (!access.window)
    return inside;
  Value last = access.flatten(access.offset(row, shape[0] - 1),
                              access.offset(col, shape[1] - 1));
  for (Value at : {access.flatten(row, col), last})
    inside = arith::AndIOp::create(
        b, inside,
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, at, access.window));
  return inside;
}

/// An access whose mask costs as much as a test of the whole tile.
static bool isSingle(const TileAccess &access) {
  return access.offsets.size() == 1 && !access.window;
}

static Value concatenate(ImplicitLocOpBuilder &b, ArrayRef<Value> parts,
                         VectorType type) {
  if (parts.size() == 1)
    return parts.front();
  Value result = arith::ConstantOp::create(b, b.getZeroAttr(type));
  int64_t offset = 0;
  for (Value part : parts) {
    result = vector::InsertStridedSliceOp::create(
        b, part, result, ArrayRef<int64_t>{offset}, ArrayRef<int64_t>{1});
    offset += cast<VectorType>(part.getType()).getNumElements();
  }
  return result;
}

namespace {
struct LoadPattern : TilePattern<LoadOp> {
  using TilePattern::TilePattern;
  LogicalResult
  matchAndRewrite(LoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    TileAccess access =
        makeAccess(b, state, op.getType(), op.getView(), op.getRow(),
                   op.getColumn(), adaptor.getRows(), op.getDivisible(),
                   op.getWindow(), op.getOrder(), op.getInterleave());
    access.wholeColumns = op.getColumnsInBounds();
    VectorType type = getDistributedType(op.getType());
    // One element is the same for all lanes: the scalar unit reads it.
    bool bounded = op.getColumnsInBounds() && !op.getInBounds() &&
                   !op.getRows() && op.getInterleave() == 0 &&
                   op.getType().getNumElements() > 1 &&
                   BufferAccess::isPossible(state, op.getType(), op.getView());
    auto all = [&](bool masked) {
      SmallVector<Value> parts;
      for (unsigned v = 0; v < access.offsets.size(); ++v) {
        auto [r, c] = access.position(v);
        parts.push_back(masked ? access.maskedLoad(r, c)
                               : access.loadWhole(r, c, /*isAligned=*/true));
      }
      return concatenate(b, parts, type);
    };
    auto read = [&]() -> Value {
      if (op.getOrder() || op.getRows() || isSingle(access))
        return all(/*masked=*/!op.getInBounds() || access.aligned);
      if (op.getInBounds() && !access.aligned)
        return all(/*masked=*/false);
      return emitIf(
          b,
          emitIsInterior(b, access, op.getRow(), op.getColumn(),
                         op.getType().getShape()),
          type, [&] { return all(false); }, [&] { return all(true); });
    };
    auto readRows = [&]() -> Value {
      BufferAccess rows(b, state, op.getType(), op.getView(), op.getRow(),
                        op.getColumn());
      SmallVector<Value> parts;
      for (auto [r, c] : access.offsets)
        parts.push_back(rows.load(access.vectorType, r, c));
      return concatenate(b, parts, type);
    };
    auto readAny = [&]() -> Value { return bounded ? readRows() : read(); };
    Value owner = op.getFirstReplica()
                      ? emitIsOwner(b, state, getLayout(op.getType()))
                      : Value();
    auto nothing = [&]() -> Value {
      return arith::ConstantOp::create(b, b.getZeroAttr(type));
    };
    Value result = owner ? emitIf(b, owner, type, readAny, nothing) : readAny();
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct StorePattern : TilePattern<StoreOp> {
  using TilePattern::TilePattern;
  LogicalResult
  matchAndRewrite(StoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type type = op.getValue().getType();
    auto emit = [&] {
      TileAccess access =
          makeAccess(b, state, type, op.getView(), op.getRow(), op.getColumn(),
                     adaptor.getRows(), op.getDivisible(), op.getWindow(),
                     op.getOrder(), op.getInterleave());
      access.wholeColumns = op.getColumnsInBounds();
      auto part = [&](unsigned v) {
        return access.part(adaptor.getValue(), v);
      };
      if (op.getColumnsInBounds() && !op.getInBounds() && !op.getRows() &&
          op.getInterleave() == 0 &&
          BufferAccess::isPossible(state, type, op.getView())) {
        BufferAccess rows(b, state, type, op.getView(), op.getRow(),
                          op.getColumn());
        for (auto [v, at] : llvm::enumerate(access.offsets))
          rows.store(part(v), at.first, at.second);
        return;
      }
      auto all = [&](bool masked) {
        for (unsigned v = 0; v < access.offsets.size(); ++v) {
          auto [r, c] = access.position(v);
          if (masked)
            access.maskedStore(part(v), r, c);
          else
            access.storeWhole(part(v), r, c, /*isAligned=*/true);
        }
      };
      if (op.getOrder() || op.getRows() || isSingle(access))
        return all(!op.getInBounds() || access.aligned);
      if (op.getInBounds() && !access.aligned)
        return all(/*masked=*/false);
      emitIf(
          b,
          emitIsInterior(b, access, op.getRow(), op.getColumn(),
                         cast<ShapedType>(type).getShape()),
          [&] { all(false); }, [&] { all(true); });
    };
    emitByOwner(b, state, getLayout(type), emit);
    rewriter.eraseOp(op);
    return success();
  }
};

/// The tile in its part of LDS, then a barrier: loads read it from there.
struct StagePattern : TilePattern<StageOp> {
  using TilePattern::TilePattern;
  LogicalResult
  matchAndRewrite(StageOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type type = op.getTile().getType();
    Value view = memref::ViewOp::create(
        b, op.getView().getType(), state.lds,
        arith::ConstantIndexOp::create(b, state.staged.lookup(op)),
        ValueRange());
    Value zero = arith::ConstantIndexOp::create(b, 0);
    emitByOwner(b, state, getLayout(type), [&] {
      TileAccess access = makeAccess(
          b, state, type, view, zero, zero, /*rows=*/Value(),
          /*divisible=*/op.getView().getType().getShape().back(),
          /*window=*/Value(), /*order=*/std::nullopt, /*interleave=*/0);
      for (unsigned v = 0; v < access.offsets.size(); ++v) {
        auto [r, c] = access.position(v);
        access.store(access.part(adaptor.getTile(), v), r, c);
      }
    });
    gpu::BarrierOp::create(b);
    rewriter.replaceOp(op, view);
    return success();
  }
};

struct AtomicMaxPattern : TilePattern<AtomicMaxOp> {
  using TilePattern::TilePattern;
  LogicalResult
  matchAndRewrite(AtomicMaxOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto emit = [&] {
      Value value =
          vector::ExtractOp::create(b, adaptor.getValue(), int64_t(0));
      Value bits = arith::BitcastOp::create(b, b.getI32Type(), value);
      // The same address seen as an integer's: memref has no element bitcast.
      Value address =
          memref::ExtractAlignedPointerAsIndexOp::create(b, op.getTarget());
      Value raw = arith::IndexCastOp::create(b, b.getI64Type(), address);
      Value target = LLVM::IntToPtrOp::create(
          b, LLVM::LLVMPointerType::get(b.getContext(), 1), raw);
      LLVM::AtomicRMWOp::create(b, LLVM::AtomicBinOp::umax, target, bits,
                                LLVM::AtomicOrdering::monotonic,
                                state.target->deviceScope);
    };
    emitByOwner(b, state, getLayout(op.getValue().getType()), emit);
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void te::populateMemoryPatterns(RewritePatternSet &patterns,
                                const TypeConverter &types,
                                const KernelState &state) {
  patterns.add<LoadPattern, StorePattern, StagePattern, AtomicMaxPattern>(
      types, patterns.getContext(), state);
}
