//===- TileContext.cpp - what a te op sees of its kernel ------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Conversion/TEToTile/TileContext.h"

#include "RowSweep.h"
#include "Views.h"

#include "te/Dialect/Tile/IR/MMALayout.h"
#include "te/Region/Region.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

LinearLayout TileContext::getLoadLayout() const {
  if (loadLayout)
    return *loadLayout;
  if (MatmulAttr matmul = schedule.getMatmul())
    return getMMAResultLayout(*MMA::lookup(matmul.getMma()),
                              schedule.getTile()[0], schedule.getTile()[1],
                              {matmul.getWaves()[0], matmul.getWaves()[1]});
  return LinearLayout::rowMajor(schedule.getTile(), schedule.getVector(),
                                llvm::Log2_32(target.waveSize),
                                llvm::Log2_64(schedule.getWaves()));
}

LinearLayout TileContext::getStoreLayout(ArrayRef<int64_t> shape,
                                         unsigned elementBits,
                                         LayoutAttr order) const {
  int64_t vector = target.maxAccessBytes * 8 / elementBits;
  unsigned lanes = llvm::Log2_32(target.waveSize),
           waves = llvm::Log2_64(schedule.getWaves());
  if (order)
    return LinearLayout::inOrder(shape, order.getLayout(), vector, lanes,
                                 waves);
  return LinearLayout::rowMajor(shape, std::min(vector, shape.back()), lanes,
                                waves);
}

LinearLayout TileContext::getTransposedLayout(unsigned elementBits) const {
  ArrayRef<int64_t> tile = schedule.getTile();
  int64_t lanes = schedule.getWaves() * target.waveSize;
  int64_t widest = target.maxAccessBytes * 8 / elementBits;
  int64_t least = elementBits < 8 ? 8 / elementBits : 1; // of one byte
  int64_t vector = std::clamp(tile[0] * tile[1] / lanes, least, widest);
  return LinearLayout::rowMajor({tile[1], tile[0]}, std::min(vector, tile[0]),
                                llvm::Log2_32(target.waveSize),
                                llvm::Log2_64(schedule.getWaves()));
}

TileContext TileContext::getTransposed() const {
  TileContext transposed = *this;
  ArrayRef<int64_t> tile = schedule.getTile();
  transposed.schedule = schedule.withTile({tile[1], tile[0]});
  transposed.loadLayout = getLoadLayout().transpose();
  std::swap(transposed.rows, transposed.cols);
  std::swap(transposed.staticRows, transposed.staticCols);
  std::swap(transposed.tileRow, transposed.tileCol);
  std::swap(transposed.wholeRows, transposed.wholeCols);
  transposed.isTransposed = !isTransposed;
  transposed.forgetTiles();
  return transposed;
}

/// The one value of an immediate (isImmediate), or null.
static TypedAttr getImmediate(Value tensor) {
  DenseElementsAttr value;
  return matchPattern(tensor, m_Constant(&value))
             ? cast<TypedAttr>(value.getSplatValue<Attribute>())
             : TypedAttr();
}

Value TileContext::getTile(Value tensor) {
  tensor = getTileRoot(tensor);
  Value &tile = tiles[tensor];
  if (tile)
    return tile;
  Type elementType = getElementTypeOrSelf(tensor.getType());
  if (TypedAttr value = getImmediate(tensor))
    return tile = constant(value, getLoadLayout());
  if (tensor.getDefiningOp()) {
    FailureOr<Value> loaded = loadView(*this, tensor);
    hasFailed |= failed(loaded);
    return tile = succeeded(loaded)
                      ? *loaded
                      : constant(getTileType(elementType, b.getContext(),
                                             getLoadLayout()),
                                 0);
  }
  Value source = viewMatrix(getBuffers(tensor).data, rows, cols);
  return tile = fromStored(load(source, tileRow, tileCol,
                                getStoredType(elementType), getLoadLayout()),
                           elementType);
}

Type te::getStoredType(Type element) {
  // E8M0, two fp4 codes, and a bit are bytes.
  return isa<Float8E8M0FNUType, Float4E2M1FNType>(element) ||
                 element.isInteger(1)
             ? IntegerType::get(element.getContext(), 8)
             : element;
}

Value TileContext::fromStored(Value tile, Type elementType) {
  if (!elementType.isInteger(1))
    return tile;
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, tile,
                               intConstant(tile.getType(), 0));
}

Value TileContext::toStored(Value tile) {
  Type type = tile.getType();
  if (!getElementTypeOrSelf(type).isInteger(1))
    return tile;
  return arith::ExtUIOp::create(b, withElementType(type, b.getI8Type()), tile);
}

void TileContext::define(Value tensor, Value tile) {
  tiles[tensor] = tile;
  if (hasBuffers(tensor))
    storeWide(toStored(tile), viewMatrix(getBuffers(tensor).data, rows, cols));
}

Value TileContext::toStoreLayout(Value tile) {
  Type elementType = getElementTypeOrSelf(tile.getType());
  ArrayRef<int64_t> shape = cast<ShapedType>(tile.getType()).getShape();
  unsigned bits = elementType.getIntOrFloatBitWidth();
  // Waves that computed a part of the result store it.
  if (schedule.getMatmul())
    return convert(tile, getLayout(tile.getType())
                             .withinWaves(target.maxAccessBytes * 8 / bits));
  return convert(tile, getStoreLayout(shape, bits));
}

void TileContext::storeWide(Value tile, Value view, int64_t interleave) {
  store(toStoreLayout(tile), view, tileRow, tileCol, /*divisible=*/1,
        /*order=*/{}, interleave);
}

Value TileContext::viewHalf(Value buffer, Half half, OpFoldResult rows) {
  Value stride =
      b.createOrFold<arith::MulIOp>(cols, arith::ConstantIndexOp::create(b, 2));
  OpFoldResult offset = b.getIndexAttr(0);
  if (half.second && half.interleave > 0)
    offset = b.getIndexAttr(half.interleave);
  else if (half.second)
    offset = cols;
  if (!rows)
    rows = this->rows;
  return view(buffer, rows, cols, stride, offset);
}

Value TileContext::getHalf(Value tensor, Half half) {
  if (auto it = wideTiles.find(tensor); it != wideTiles.end())
    return half.second ? it->second.second : it->second.first;
  Type elementType = getElementTypeOrSelf(tensor.getType());
  return load(viewHalf(getBuffers(tensor).data, half), tileRow, tileCol,
              elementType, getLoadLayout(), /*divisible=*/1, /*order=*/{},
              half.interleave);
}

void TileContext::storeHalf(Value tile, Value tensor, Half half) {
  storeWide(tile, viewHalf(getBuffers(tensor).data, half), half.interleave);
}

void TileContext::defineWide(Value tensor, Value first, Value second,
                             int64_t interleave) {
  wideTiles[tensor] = {first, second};
  if (!hasBuffers(tensor))
    return;
  storeHalf(first, tensor, {false, interleave});
  storeHalf(second, tensor, {true, interleave});
}

LogicalResult TileContext::forEachHalf(Value tensor,
                                       function_ref<LogicalResult()> body) {
  auto [first, second] = wideTiles.lookup(tensor);
  Value start = tileCol, half = cols;
  int64_t staticHalf = staticCols;
  staticCols *= 2; // F4: it is known
  cols = arith::ConstantIndexOp::create(b, staticCols);
  LogicalResult result = success();
  for (Value tile : {first, second}) {
    tiles[tensor] = tile;
    result = body();
    if (failed(result))
      break;
    tileCol = arith::AddIOp::create(b, start, half);
  }
  tiles.erase(tensor);
  tileCol = start;
  cols = half;
  staticCols = staticHalf;
  return result;
}

Value TileContext::loadRows(Value tensor) {
  if (TypedAttr value = getImmediate(tensor))
    return constant(value, getLoadLayout().project({1, schedule.getTile()[1]}));
  return loadRowsOf(getBuffers(tensor).data);
}

Value TileContext::loadRowsOf(Value buffer) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  return load(view(buffer, rows, b.getIndexAttr(1)), tileRow, zero,
              llvm::cast<MemRefType>(buffer.getType()).getElementType(),
              getLoadLayout().project({1, schedule.getTile()[1]}));
}

Value TileContext::loadColumns(Value tensor) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Type element = getElementTypeOrSelf(tensor.getType());
  LinearLayout layout = getLoadLayout().project({schedule.getTile()[0], 1});
  if (TypedAttr value = getImmediate(tensor))
    return constant(value, layout);
  if (Value staged = sweep ? sweep->getStaged(tensor) : Value())
    return LoadOp::create(
        b, getTileType(element, b.getContext(), layout), staged, zero, tileCol,
        /*rows=*/Value(), /*window=*/Value(),
        /*divisible=*/schedule.getTile()[1], /*in_bounds=*/true,
        /*columns_in_bounds=*/true, /*first_replica=*/false, LayoutAttr(),
        /*interleave=*/0);
  return loadColumnsOf(getBuffers(tensor).data);
}

Value TileContext::loadColumnsOf(Value buffer) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Type element = llvm::cast<MemRefType>(buffer.getType()).getElementType();
  LinearLayout layout = getLoadLayout().project({schedule.getTile()[0], 1});
  if (!halfColumns || halfColumns->half.interleave == 0)
    return load(view(buffer, b.getIndexAttr(1), cols), zero, tileCol, element,
                layout);
  TileContext one = *this;
  one.cols = halfColumns->cols;
  return load(one.viewHalf(buffer, halfColumns->half, b.getIndexAttr(1)), zero,
              halfColumns->tileCol, element, layout, /*divisible=*/1,
              /*order=*/{}, halfColumns->half.interleave);
}

/// The largest power of two that divides a view's row length, as far as it is
/// known from its type or by the caller. The tile's column offset is a multiple
/// of the tile's width, itself a power of two. `isMatrix`: the view is one of
/// many matrices in a buffer.
static int64_t getDivisible(Type view, Type tile, int64_t known,
                            bool isMatrix = false) {
  int64_t cols = llvm::cast<MemRefType>(view).getShape()[1];
  int64_t width = llvm::cast<ShapedType>(tile).getShape()[1];
  if (ShapedType::isDynamic(cols))
    return std::min(known, width);
  // A view that is not whole has rows that start elsewhere.
  auto [strides, offset] = llvm::cast<MemRefType>(view).getStridesAndOffset();
  if (isMatrix) // whose offset is a number of rows
    offset = cols;
  for (int64_t number : {cols, strides.front(), offset})
    if (ShapedType::isDynamic(number))
      width = std::min(width, known);
    else if (number != 0)
      width = std::min<int64_t>(
          width, int64_t(1) << llvm::countr_zero(uint64_t(number)));
  return width;
}

Value TileContext::loadRowsAt(Value view, Value rows,
                              const LinearLayout &layout) {
  Type element = llvm::cast<MemRefType>(view.getType()).getElementType();
  Type type = getTileType(element, b.getContext(), layout);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  return LoadOp::create(b, type, view, zero, zero, rows, /*window=*/Value(),
                        getDivisible(view.getType(), type, /*known=*/1),
                        /*in_bounds=*/false, /*columns_in_bounds=*/false,
                        /*first_replica=*/false, LayoutAttr(),
                        /*interleave=*/0);
}

void TileContext::defineRows(Value tensor, Value tile) {
  if (hasBuffers(tensor))
    storeRows(tile, getBuffers(tensor).data);
}

void TileContext::storeRows(Value tile, Value buffer) {
  // Padding of scales may have tiles of its own, to the right: outside of this
  // view's only column.
  store(tile, view(buffer, rows, b.getIndexAttr(1)), tileRow, tileCol);
}

void TileContext::storeColumns(Value tile, Value buffer) {
  store(tile, view(buffer, b.getIndexAttr(1), cols),
        arith::ConstantIndexOp::create(b, 0), tileCol);
}

Value TileContext::getRowShare() {
  Value count = arith::UIToFPOp::create(
      b, b.getF32Type(), arith::IndexCastOp::create(b, b.getI32Type(), cols));
  Value one = arith::ConstantOp::create(b, b.getF32FloatAttr(1.0f));
  return arith::DivFOp::create(b, one, count);
}

void TileContext::defineRowSum(Value tensor, Value tile) {
  if (sweep)
    return sweep->defineRowSum(tensor, tile);
  defineRows(tensor, reduceRows(ReduceKind::Add, tile));
}

Value TileContext::reduceRows(ReduceKind kind, Value tile, double start) {
  if (sweep)
    return sweep->reduce(kind, tile, start);
  return exchange(
      kind,
      reduce(kind, tile, {1, cast<ShapedType>(tile.getType()).getDimSize(1)}));
}

Value TileContext::exchange(ReduceKind kind, Value rows) {
  if (schedule.getGrid().getCluster() == 1)
    return rows;
  return ClusterReduceOp::create(b, kind, rows).getResult(0);
}

Value TileContext::getScalar(Value tensor) {
  if (TypedAttr value = getImmediate(tensor))
    return arith::ConstantOp::create(b, value);
  return memref::LoadOp::create(b, getBuffers(tensor).data, ValueRange());
}

Value TileContext::view(Value buffer, OpFoldResult rows, OpFoldResult cols,
                        OpFoldResult stride, OpFoldResult offset) {
  auto fold = [](OpFoldResult size) -> OpFoldResult {
    if (std::optional<int64_t> constant = getConstantIntValue(size))
      return IntegerAttr::get(IndexType::get(size.getContext()), *constant);
    return size;
  };
  rows = fold(rows);
  cols = fold(cols);
  stride = stride ? fold(stride) : cols;
  offset = offset ? fold(offset) : b.getIndexAttr(0);
  auto pointer = llvm::cast<MemRefType>(buffer.getType());
  auto dim = [](OpFoldResult size) {
    return getConstantIntValue(size).value_or(ShapedType::kDynamic);
  };
  auto type = MemRefType::get(
      {dim(rows), dim(cols)}, pointer.getElementType(),
      StridedLayoutAttr::get(b.getContext(), dim(offset), {dim(stride), 1}),
      pointer.getMemorySpace());
  return memref::ReinterpretCastOp::create(
      b, type, buffer, offset, ArrayRef<OpFoldResult>{rows, cols},
      ArrayRef<OpFoldResult>{stride, b.getIndexAttr(1)});
}

Value TileContext::viewMatrix(Value buffer, OpFoldResult rows,
                              OpFoldResult cols, LayoutAttr order) {
  auto value = [&](OpFoldResult size) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), size);
  };
  OpFoldResult offset;
  if (matrix)
    offset = b.createOrFold<arith::MulIOp>(
        matrix, b.createOrFold<arith::MulIOp>(value(rows), value(cols)));
  if (order) {
    Value unit = arith::ConstantIndexOp::create(b, order.getShape().front());
    rows = b.createOrFold<arith::DivUIOp>(value(rows), unit);
    cols = b.createOrFold<arith::MulIOp>(value(cols), unit);
  }
  return view(buffer, rows, cols, /*stride=*/{}, offset);
}

Value TileContext::load(Value view, Value row, Value col, Type elementType,
                        const LinearLayout &layout, int64_t divisible,
                        LayoutAttr order, int64_t interleave) {
  Type type = getTileType(elementType, b.getContext(), layout);
  auto [rows, cols] = isInBounds(row, col, view, type);
  return LoadOp::create(
      b, type, view, row, col, /*rows=*/Value(),
      /*window=*/Value(),
      getDivisible(view.getType(), type, divisible, bool(matrix)),
      !order && rows && cols, !order && cols,
      /*first_replica=*/false, order, interleave, rowRun);
}

Value TileContext::viewShard(Value buffer, Value start) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  return view(buffer, rows, cols, cols,
              arith::SubIOp::create(b, zero, start).getResult());
}

Value TileContext::loadShard(Value tensor, Value start) {
  Value buffer = getBuffers(tensor).data;
  Type type = getTileType(getElementTypeOrSelf(tensor.getType()),
                          b.getContext(), getLoadLayout());
  return LoadOp::create(b, type, viewShard(buffer, start), tileRow, tileCol,
                        /*rows=*/Value(), shardLength, /*divisible=*/1,
                        /*in_bounds=*/false,
                        /*columns_in_bounds=*/false, /*first_replica=*/false,
                        LayoutAttr(), /*interleave=*/0);
}

void TileContext::storeShard(Value tile, Value buffer, Value start) {
  StoreOp::create(b, tile, viewShard(buffer, start), tileRow, tileCol,
                  /*rows=*/Value(), shardLength, /*divisible=*/1,
                  /*in_bounds=*/false,
                  /*columns_in_bounds=*/false, LayoutAttr(), /*interleave=*/0);
}

Value TileContext::load(Value view, Value rows, Type elementType,
                        const LinearLayout &layout) {
  if (!rows)
    return load(view, tileRow, tileCol, elementType, layout);
  Type type = getTileType(elementType, b.getContext(), layout);
  return LoadOp::create(b, type, view, arith::ConstantIndexOp::create(b, 0),
                        tileCol, rows, /*window=*/Value(),
                        getDivisible(view.getType(), type, /*known=*/1),
                        /*in_bounds=*/wholeRows && wholeCols,
                        /*columns_in_bounds=*/wholeCols,
                        /*first_replica=*/false, LayoutAttr(),
                        /*interleave=*/0);
}

void TileContext::store(Value tile, Value view, Value rows) {
  if (!rows)
    return store(tile, view, tileRow, tileCol);
  if (!stores)
    return;
  StoreOp::create(b, tile, view, arith::ConstantIndexOp::create(b, 0), tileCol,
                  rows, /*window=*/Value(),
                  getDivisible(view.getType(), tile.getType(), 1),
                  wholeRows && wholeCols, wholeCols, LayoutAttr(),
                  /*interleave=*/0);
}

void TileContext::store(Value tile, Value view, Value row, Value col,
                        int64_t divisible, LayoutAttr order,
                        int64_t interleave) {
  if (!stores)
    return;
  auto [rows, cols] = isInBounds(row, col, view, tile.getType());
  StoreOp::create(
      b, tile, view, row, col, /*rows=*/Value(),
      /*window=*/Value(),
      getDivisible(view.getType(), tile.getType(), divisible, bool(matrix)),
      !order && rows && cols, !order && cols, order, interleave);
}

void TileContext::inFirstWorkgroup(function_ref<void()> body) {
  auto branch = scf::IfOp::create(b, firstWorkgroup, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenYield());
  body();
}
