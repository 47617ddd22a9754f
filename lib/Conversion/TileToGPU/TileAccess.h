//===- TileAccess.h - the accesses of one tile ------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where each vector of a lane lies in memory, and how one is read or written:
// whole, masked, in chunks where the row ends inside of it, or inside a window.
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_TILETOGPU_TILEACCESS_H
#define TE_LIB_CONVERSION_TILETOGPU_TILEACCESS_H

#include "Distribution.h"

namespace mlir::te {

/// `then` where the condition holds, else `otherwise`, as values of one type.
Value emitIf(ImplicitLocOpBuilder &b, Value condition, Type type,
             function_ref<Value()> then, function_ref<Value()> otherwise);
void emitIf(ImplicitLocOpBuilder &b, Value condition, function_ref<void()> then,
            function_ref<void()> otherwise = {});

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
  /// Column of the chunk of `elements` among `count`, and whether there is one.
  std::pair<Value, Value> chunk(Value c, Value count, int64_t elements) {
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

/// A tile at [row, col] of a view.
struct TilePlace {
  Type tile;
  Value view, row, col;
};
/// As the view has it: of a matrix in an order of its own a row of units is a
/// row of the view; rows in runs of `rowRun` (0: all in one) have gaps.
TilePlace placeInView(ImplicitLocOpBuilder &b,
                      std::optional<tile::LayoutAttr> order, int64_t rowRun,
                      TilePlace at);

/// The accesses of a tile; `rows` are the distributed numbers of its rows, or
/// null.
TileAccess makeAccess(ImplicitLocOpBuilder &b, const KernelState &state,
                      TilePlace at, Value rows, int64_t divisible, Value window,
                      int64_t interleave);

/// i1: the whole tile lies inside the view, and whole vectors are aligned.
Value emitIsInterior(ImplicitLocOpBuilder &b, TileAccess &access, Value row,
                     Value col, ArrayRef<int64_t> shape);

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_TILETOGPU_TILEACCESS_H
