//===- Views.cpp - slices and reshapes of buffers -------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A view's dimensions are lists of factors, each a size and a stride: of a
// slice that is collapsed afterwards, rows are no longer evenly apart. Such
// rows are gathered, or scattered, by their numbers in units of the strides'
// common divisor.
//
//===----------------------------------------------------------------------===//

#include "Views.h"

#include "te/Region/Region.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"

#include <numeric>

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

namespace {
/// A size, or a number of elements in memory: a constant, or a value that
/// `divisor` is known to divide.
struct Number {
  Value value; // null: the constant `divisor`
  int64_t divisor = 1;

  bool is(int64_t constant) const { return !value && divisor == constant; }
  bool operator==(const Number &other) const {
    return value == other.value && divisor == other.divisor;
  }
};

struct Factor {
  Number size, stride;
  /// The stride is the next factor's, in this dimension or the one after it,
  /// times its size.
  bool joins = true;
};
using Dimension = SmallVector<Factor, 2>;
} // namespace

/// Factors in a row that join become one.
static Dimension join(ArrayRef<Factor> factors,
                      function_ref<Number(Number, Number)> times) {
  Dimension joined;
  for (const Factor &factor : factors) {
    if (!joined.empty() && joined.back().joins)
      joined.back() = {times(joined.back().size, factor.size), factor.stride,
                       factor.joins};
    else
      joined.push_back(factor);
  }
  return joined;
}

namespace {

/// A tensor in a buffer.
class View {
public:
  View(TileContext &ctx, Operation *op) : ctx(ctx), op(op) {}

  /// All of a buffer.
  void start(Value buffer, Value tensor);
  LogicalResult follow(Operation *view);
  LogicalResult slice(ArrayRef<OpFoldResult> offsets,
                      ArrayRef<OpFoldResult> sizes, Value source,
                      const llvm::SmallBitVector &dropped);
  LogicalResult expand(ArrayRef<ReassociationIndices> groups, Value shape);
  void collapse(ArrayRef<ReassociationIndices> groups);
  LogicalResult permute(PermuteOp op);

  Value load(Type elementType);
  void store(Value tile);
  /// The last dimension lies side by side, or where tiles are transposed, the
  /// one before it.
  LogicalResult verifyRows();

private:
  Number number(OpFoldResult size);
  Number times(Number x, Number y);
  Number plus(Number x, Number y);
  OpFoldResult fold(Number x);
  Value asIndex(Number x) {
    return getValueOrCreateConstantIndexOp(ctx.b, ctx.b.getLoc(), fold(x));
  }
  Number getSize(Value tensor, int64_t dim) {
    return number(ctx.getDim(tensor, dim));
  }
  bool isWhole(Value source, int64_t dim, OpFoldResult offset,
               OpFoldResult size);
  Value loadTransposed(Type elementType);
  Dimension getRows() const;
  Dimension joinRows() {
    return join(getRows(), [&](Number x, Number y) { return times(x, y); });
  }
  std::pair<Value, Value> emitMatrix(const LinearLayout &layout);
  Value emitNumbers(ArrayRef<Factor> rows, int64_t unit,
                    const LinearLayout &layout);
  InFlightDiagnostic error() {
    return op->emitError() << "'" << op->getName() << "' ";
  }

  TileContext &ctx;
  Operation *op; // that errors are about
  Value buffer;
  SmallVector<Dimension> dims;
  Number offset{{}, 0};
  bool isTransposed = false; // columns of its last two dimensions are rows
};
} // namespace

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Number View::number(OpFoldResult size) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return {Value(), *constant};
  return {cast<Value>(size), 1};
}

OpFoldResult View::fold(Number x) {
  if (x.value)
    return x.value;
  return ctx.b.getIndexAttr(x.divisor);
}

Number View::times(Number x, Number y) {
  int64_t product = x.divisor * y.divisor;
  if (!x.value && !y.value)
    return {Value(), product};
  return {ctx.b.createOrFold<arith::MulIOp>(asIndex(x), asIndex(y)), product};
}

Number View::plus(Number x, Number y) {
  if (!x.value && !y.value)
    return {Value(), x.divisor + y.divisor};
  return {ctx.b.createOrFold<arith::AddIOp>(asIndex(x), asIndex(y)),
          std::gcd(x.divisor, y.divisor)};
}

//===----------------------------------------------------------------------===//
// From view to view
//===----------------------------------------------------------------------===//

void View::start(Value from, Value tensor) {
  buffer = from;
  Number stride{{}, 1};
  int64_t rank = cast<ShapedType>(tensor.getType()).getRank();
  dims.resize(rank);
  for (int64_t i = rank; i-- > 0;) {
    Number size = getSize(tensor, i);
    dims[i].push_back({size, stride, /*joins=*/i + 1 < rank});
    stride = times(stride, size);
  }
}

/// True where a slice takes all of a dimension.
bool View::isWhole(Value source, int64_t dim, OpFoldResult offset,
                   OpFoldResult size) {
  return getConstantIntValue(offset) == 0 &&
         number(size) == getSize(source, dim);
}

LogicalResult View::slice(ArrayRef<OpFoldResult> offsets,
                          ArrayRef<OpFoldResult> sizes, Value source,
                          const llvm::SmallBitVector &dropped) {
  for (int64_t i = 0, e = dims.size(); i < e; ++i) {
    if (isWhole(source, i, offsets[i], sizes[i]))
      continue;
    if (dims[i].size() != 1)
      return error() << "takes a part of dimension " << i
                     << ", whose elements are not evenly apart in memory; "
                        "slice before the reshape (V1)";
    offset = plus(offset, times(number(offsets[i]), dims[i][0].stride));
    dims[i][0].size = number(sizes[i]);
    if (i > 0)
      dims[i - 1].back().joins = false;
  }
  for (int64_t i = dims.size(); i-- > 0;)
    if (dropped[i]) {
      if (i > 0)
        dims[i - 1].back().joins &= dims[i].back().joins;
      dims.erase(dims.begin() + i);
    }
  return success();
}

LogicalResult View::expand(ArrayRef<ReassociationIndices> groups, Value shape) {
  SmallVector<Dimension> expanded;
  for (auto [dim, group] : llvm::zip_equal(dims, groups)) {
    if (group.size() == 1) {
      expanded.push_back(dim);
      continue;
    }
    SmallVector<Number> sizes = llvm::map_to_vector(
        group, [&](int64_t i) { return getSize(shape, i); });
    if (dim.size() != 1) {
      // What an earlier reshape joined is split again.
      bool isSame = llvm::equal(dim, sizes, [](const Factor &f, Number size) {
        return f.size == size;
      });
      if (!isSame)
        return error()
               << "splits a dimension whose elements are not "
                  "evenly apart in memory; reshape before the slice (V1)";
      for (const Factor &factor : dim)
        expanded.push_back({factor});
      continue;
    }
    Dimension parts(group.size());
    Number stride = dim[0].stride;
    for (size_t i = group.size(); i-- > 0;) {
      parts[i] = {sizes[i], stride, i + 1 < group.size() || dim[0].joins};
      stride = times(stride, sizes[i]);
    }
    for (const Factor &factor : parts)
      expanded.push_back({factor});
  }
  dims = std::move(expanded);
  return success();
}

void View::collapse(ArrayRef<ReassociationIndices> groups) {
  SmallVector<Dimension> collapsed;
  for (const ReassociationIndices &group : groups) {
    Dimension all;
    for (int64_t i : group)
      llvm::append_range(all, dims[i]);
    collapsed.push_back(
        join(all, [&](Number x, Number y) { return times(x, y); }));
  }
  dims = std::move(collapsed);
}

LogicalResult View::permute(PermuteOp op) {
  ArrayRef<int64_t> permutation = op.getPermutation();
  if (!op.keepsRows() && !op.isTransposition())
    return error() << "moves the last dimension; te-fuse makes such an order "
                      "of others, outside of regions (V1)";
  SmallVector<Dimension> before = std::move(dims);
  dims.clear();
  for (auto [i, from] : llvm::enumerate(permutation)) {
    dims.push_back(before[from]);
    dims.back().back().joins &=
        i + 1 < permutation.size() && permutation[i + 1] == from + 1;
  }
  isTransposed = !op.keepsRows();
  return success();
}

LogicalResult View::follow(Operation *view) {
  op = view;
  if (isTransposed)
    return error() << "is a view of a transposed one, whose rows lie apart; "
                      "te.copy that first (V1)";
  if (auto permute = dyn_cast<PermuteOp>(view))
    return this->permute(permute);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(view)) {
    if (!slice.hasUnitStride())
      return error() << "takes elements with a step; kernels read every "
                        "element between an offset and a size (V1)";
    auto given = [&](ArrayRef<OpFoldResult> numbers) {
      return llvm::map_to_vector(numbers, [&](OpFoldResult n) -> OpFoldResult {
        auto value = dyn_cast<Value>(n);
        return value ? ctx.getDim(value, -1) : n;
      });
    };
    return this->slice(given(slice.getMixedOffsets()),
                       given(slice.getMixedSizes()), slice.getSource(),
                       slice.getDroppedDims());
  }
  if (isa<tensor::CastOp>(view))
    return success();
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(view))
    return this->expand(expand.getReassociationIndices(), expand.getResult());
  collapse(cast<tensor::CollapseShapeOp>(view).getReassociationIndices());
  return success();
}

//===----------------------------------------------------------------------===//
// As a matrix
//===----------------------------------------------------------------------===//

Dimension View::getRows() const {
  Dimension rows;
  if (dims.empty()) // one element
    return rows;
  for (const Dimension &dim : ArrayRef(dims).drop_back())
    for (const Factor &factor : dim)
      rows.push_back(factor);
  return rows;
}

LogicalResult View::verifyRows() {
  auto product = [&](Number x, Number y) { return times(x, y); };
  if (dims.empty())
    return success();
  Dimension last = join(dims.back(), product);
  if (isTransposed) {
    // One matrix, or this workgroup's of many that are evenly apart.
    Dimension rows = joinRows();
    if (last.size() == 1 && rows.back().stride.is(1) &&
        rows.size() == (ctx.matrix ? 2 : 1))
      return success();
  } else if (last.size() == 1 && last[0].stride.is(1)) {
    return success();
  }
  return error() << "gives rows whose elements do not lie side by side; keep "
                    "the last dimension whole in the reshape (V1)";
}

/// The numbers of the tile's rows, in units; -1 beyond the last one.
Value View::emitNumbers(ArrayRef<Factor> rows, int64_t unit,
                        const LinearLayout &layout) {
  auto &b = ctx.b;
  Type type = getTileType(b.getI32Type(), b.getContext(),
                          layout.project({1, layout.getShape()[1]}));
  auto toTile = [&](Value index) {
    return ctx.splat(arith::IndexCastOp::create(b, b.getI32Type(), index),
                     type);
  };
  Value row = arith::AddIOp::create(b, CoordinateOp::create(b, type, 0),
                                    toTile(ctx.tileRow));
  Value rest = row, sum;
  for (auto [i, factor] : llvm::reverse(llvm::enumerate(rows))) {
    Value index = rest;
    if (i > 0) {
      Value size = arith::MaxUIOp::create(b, asIndex(factor.size),
                                          arith::ConstantIndexOp::create(b, 1));
      Value divisor = toTile(size);
      index = arith::RemUIOp::create(b, rest, divisor);
      rest = arith::DivUIOp::create(b, rest, divisor);
    }
    Value step = b.createOrFold<arith::DivUIOp>(
        asIndex(factor.stride), arith::ConstantIndexOp::create(b, unit));
    Value part = arith::MulIOp::create(b, index, toTile(step));
    sum = sum ? arith::AddIOp::create(b, sum, part).getResult() : part;
  }
  if (ctx.wholeRows)
    return sum;
  Value isInside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, row,
                                         toTile(ctx.rows));
  return arith::SelectOp::create(b, isInside, sum, ctx.intConstant(type, -1));
}

/// A matrix with the view's rows among its own: evenly apart, or with the
/// numbers of the tile's.
std::pair<Value, Value> View::emitMatrix(const LinearLayout &layout) {
  Dimension rows = joinRows();
  if (rows.empty())
    rows.push_back({{{}, 1}, {{}, 0}, false});
  if (rows.size() == 1)
    return {ctx.view(buffer, ctx.rows, ctx.cols, fold(rows[0].stride),
                     fold(offset)),
            Value()};
  int64_t unit = 0;
  for (const Factor &factor : rows)
    unit = std::gcd(unit, factor.stride.divisor);
  unit = std::max<int64_t>(unit, 1);
  Value numbers = emitNumbers(rows, unit, layout);
  // As many rows as a number may name: those beyond the last one are -1.
  OpFoldResult count = ctx.b.getIndexAttr(std::numeric_limits<int32_t>::max());
  return {
      ctx.view(buffer, count, ctx.cols, ctx.b.getIndexAttr(unit), fold(offset)),
      numbers};
}

/// The largest power of two that divides all of these.
static int64_t getCommon(ArrayRef<int64_t> numbers) {
  int64_t common = 0;
  for (int64_t number : numbers)
    common = std::gcd(common, number);
  return common == 0 ? std::numeric_limits<int32_t>::max() / 2 + 1
                     : int64_t(1) << llvm::countr_zero(uint64_t(common));
}

/// A tile is read as it lies in memory, in wide accesses, and transposed.
Value View::loadTransposed(Type elementType) {
  Dimension rows = joinRows();
  Factor row = rows.back(), col = join(dims.back(), [&](Number x, Number y) {
                                    return times(x, y);
                                  }).front();
  if (ctx.matrix)
    offset = plus(offset, times({ctx.matrix, 1}, rows.front().stride));
  LinearLayout layout =
      ctx.getTransposedLayout(elementType.getIntOrFloatBitWidth());
  Value tile = ctx.load(
      ctx.view(buffer, fold(col.size), fold(row.size), fold(col.stride),
               fold(offset)),
      ctx.tileCol, ctx.tileRow, elementType, layout,
      getCommon({row.size.divisor, col.stride.divisor, offset.divisor}));
  ctx.setInBounds(tile, ctx.wholeCols, ctx.wholeRows);
  return ctx.convert(ctx.transpose(tile), ctx.getLoadLayout());
}

Value View::load(Type elementType) {
  if (isTransposed)
    return loadTransposed(elementType);
  LinearLayout layout = ctx.getLoadLayout();
  auto [matrix, numbers] = emitMatrix(layout);
  return ctx.load(matrix, numbers, elementType, layout);
}

void View::store(Value tile) {
  tile = ctx.toStoreLayout(tile);
  auto [matrix, numbers] = emitMatrix(getLayout(tile.getType()));
  ctx.store(tile, matrix, numbers);
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

/// The views that `value` comes through, the first one first.
static SmallVector<Operation *> getChain(Value &value) {
  SmallVector<Operation *> chain;
  while (Operation *view = value.getDefiningOp()) {
    if (!isView(view))
      break;
    chain.push_back(view);
    value = view->getOperand(0);
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

FailureOr<Value> te::loadView(TileContext &ctx, Value value) {
  Value source = value;
  SmallVector<Operation *> chain = getChain(source);
  View view(ctx, chain.back());
  if (!ctx.hasBuffers(source))
    return chain.back()->emitError()
           << "'" << chain.back()->getName()
           << "' is a view of what its own region computes, which is complete "
              "only when the kernel ends; move the two into regions of their "
              "own (V1)";
  view.start(ctx.getBuffers(source).data, source);
  for (Operation *op : chain)
    if (failed(view.follow(op)))
      return failure();
  if (failed(view.verifyRows()))
    return failure();
  Type element = getElementTypeOrSelf(value.getType());
  return ctx.fromStored(view.load(getStoredType(element)), element);
}

LogicalResult te::storePart(TileContext &ctx, tensor::ConcatOp concat,
                            unsigned operand, Value root, Value tile) {
  Value part = concat.getInputs()[operand];
  int64_t rank = concat.getResultType().getRank(), dim = concat.getDim();
  auto zero = ctx.b.getIndexAttr(0);
  SmallVector<OpFoldResult> offsets(rank, zero), sizes;
  Value start = arith::ConstantIndexOp::create(ctx.b, 0);
  for (Value before : concat.getInputs().take_front(operand))
    start = ctx.b.createOrFold<arith::AddIOp>(start, ctx.getDim(before, dim));
  offsets[dim] = start;
  for (int64_t i = 0; i < rank; ++i)
    sizes.push_back(ctx.getDim(i == dim ? part : concat.getResult(), i));
  View view(ctx, concat);
  view.start(ctx.getBuffers(concat.getResult()).data, concat.getResult());
  if (failed(view.slice(offsets, sizes, concat.getResult(),
                        llvm::SmallBitVector(rank))))
    return failure();
  // Back from the operand to what is reshaped: the other way round.
  SmallVector<Operation *> chain = getChain(part);
  for (Operation *op : llvm::reverse(chain)) {
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      view.collapse(expand.getReassociationIndices());
    else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op);
             collapse && failed(view.expand(collapse.getReassociationIndices(),
                                            collapse.getSrc())))
      return failure();
    if (op->getOperand(0) == root)
      break;
  }
  if (failed(view.verifyRows()))
    return failure();
  view.store(ctx.toStored(tile));
  return success();
}
