//===- TileAccess.cpp - the accesses of one tile --------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileAccess.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

Value te::emitIf(ImplicitLocOpBuilder &b, Value condition, Type type,
                 function_ref<Value()> then, function_ref<Value()> otherwise) {
  auto branch = scf::IfOp::create(b, TypeRange(type), condition, /*else=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, then());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, otherwise());
  return branch.getResult(0);
}

void te::emitIf(ImplicitLocOpBuilder &b, Value condition,
                function_ref<void()> then, function_ref<void()> otherwise) {
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
    // From the smallest chunk, which is last in memory, to the largest: each
    // goes in front.
    Value result = zeros(size());
    for (int64_t n = divisible; n < size(); n *= 2) {
      auto [column, present] = chunk(c, count, n);
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
    // From the largest chunk, which is first in memory; what it took is shifted
    // out.
    Value rest = vector;
    for (int64_t n = size() / 2; n >= divisible; n /= 2) {
      auto [column, present] = chunk(c, count, n);
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

TilePlace te::placeInView(ImplicitLocOpBuilder &b,
                          std::optional<LayoutAttr> attr, int64_t rowRun,
                          TilePlace at) {
  if (rowRun > 0)
    at.tile = getTileType(getElementTypeOrSelf(at.tile), b.getContext(),
                          getLayout(at.tile).spreadRows(rowRun));
  if (!attr)
    return at;
  LinearLayout order = attr->getLayout();
  auto [tile, view, row, col] = at;
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
  return {getTileType(getElementTypeOrSelf(tile), b.getContext(),
                      getLayout(tile).place(order)),
          view, b.createOrFold<arith::DivUIOp>(row, constant(rows)),
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

TileAccess te::makeAccess(ImplicitLocOpBuilder &b, const KernelState &state,
                          TilePlace at, Value rows, int64_t divisible,
                          Value window, int64_t interleave) {
  auto [tileType, view, row, col] = at;
  LinearLayout layout = getLayout(tileType);
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

Value te::emitIsInterior(ImplicitLocOpBuilder &b, TileAccess &access, Value row,
                         Value col, ArrayRef<int64_t> shape) {
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
