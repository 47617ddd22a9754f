//===- Orders.cpp - te.permute and tensor.insert_slice --------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Orders.h"

#include "te/Region/Region.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::te;

/// Replaces an op that moves nothing; what a function returns has a buffer of
/// its own.
static void replaceWith(Operation *op, ImplicitLocOpBuilder &b, Value value) {
  if (value.getType() != op->getResult(0).getType())
    value = tensor::CastOp::create(b, op->getResult(0).getType(), value);
  if (llvm::any_of(op->getUsers(), llvm::IsaPred<func::ReturnOp>))
    value = CopyOp::create(b, value);
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
}

//===----------------------------------------------------------------------===//
// te.permute
//===----------------------------------------------------------------------===//

namespace {
/// Dimensions that stay side by side: the first of them in the input, and in
/// the result.
struct Run {
  int64_t from, to;
};
} // namespace

/// The runs of an order, as the result has them.
static SmallVector<Run> findRuns(ArrayRef<int64_t> shape,
                                 ArrayRef<int64_t> permutation) {
  auto next = [&](int64_t dim) { // after it, of more than one element
    do
      ++dim;
    while (dim < int64_t(shape.size()) && shape[dim] == 1);
    return dim;
  };
  SmallVector<Run> runs;
  int64_t expected = -1;
  for (auto [to, from] : llvm::enumerate(permutation)) {
    if (shape[from] == 1)
      continue;
    if (from != expected)
      runs.push_back({from, int64_t(to)});
    expected = next(from);
  }
  return runs;
}

/// All dimensions up to `rank`, in groups that begin with these ones (the first
/// with 0).
static SmallVector<ReassociationIndices> getGroups(SmallVector<int64_t> starts,
                                                   int64_t rank) {
  SmallVector<ReassociationIndices> groups(std::max<size_t>(starts.size(), 1));
  starts.push_back(rank);
  int64_t dim = 0;
  for (auto [i, group] : llvm::enumerate(groups))
    for (int64_t end = i + 1 < starts.size() ? starts[i + 1] : rank; dim < end;
         ++dim)
      group.push_back(dim);
  return groups;
}

static Value emitCollapse(ImplicitLocOpBuilder &b, Value tensor,
                          ArrayRef<ReassociationIndices> groups) {
  bool isSame = int64_t(groups.size()) ==
                cast<RankedTensorType>(tensor.getType()).getRank();
  return isSame ? tensor : tensor::CollapseShapeOp::create(b, tensor, groups);
}

static Value emitPermute(ImplicitLocOpBuilder &b, Value tensor,
                         ArrayRef<int64_t> order) {
  if (isIdentityPermutation(order))
    return tensor;
  auto type = cast<RankedTensorType>(tensor.getType());
  return PermuteOp::create(
      b, type.clone(applyPermutation(type.getShape(), order)), tensor, order);
}

/// Runs in another order: as one view, or rows put in order before a
/// transposition and after it.
static Value emitOrder(ImplicitLocOpBuilder &b, Value tensor,
                       ArrayRef<int64_t> order) {
  int64_t rank = order.size(), last = rank - 1, inner = order.back();
  auto swapped = llvm::to_vector(llvm::seq<int64_t>(rank));
  std::swap(swapped[last], swapped[last - 1]);
  if (inner == last || ArrayRef(swapped) == order)
    return emitPermute(b, tensor, order);
  SmallVector<int64_t> first(llvm::make_filter_range(
      llvm::seq<int64_t>(last), [&](int64_t dim) { return dim != inner; }));
  first.append({inner, last});
  if (!isIdentityPermutation(first))
    tensor = CopyOp::create(b, emitPermute(b, tensor, first)).getResult();
  tensor = emitPermute(b, tensor, swapped);
  SmallVector<int64_t> have = applyPermutation(ArrayRef(first), swapped), back;
  for (int64_t dim : order)
    back.push_back(llvm::find(have, dim) - have.begin());
  return emitPermute(b, tensor, back);
}

void te::splitOrder(PermuteOp op) {
  auto type = cast<RankedTensorType>(op.getInput().getType());
  ArrayRef<int64_t> permutation = op.getPermutation();
  SmallVector<Run> runs = findRuns(type.getShape(), permutation);
  if (type.getRank() < 2 ||
      (runs.size() > 1 && (op.keepsRows() || op.isTransposition())))
    return;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  SmallVector<int64_t> to =
      llvm::map_to_vector(runs, [](Run run) { return run.to; });
  SmallVector<int64_t> from =
      llvm::map_to_vector(runs, [](Run run) { return run.from; });
  SmallVector<int64_t> sorted(from);
  llvm::sort(sorted);
  SmallVector<int64_t> order = llvm::map_to_vector(from, [&](int64_t dim) {
    return int64_t(llvm::find(sorted, dim) - sorted.begin());
  });
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, b.getLoc(), op.getInput());
  Value tensor =
      emitCollapse(b, op.getInput(), getGroups(sorted, type.getRank()));
  if (order.size() > 1)
    tensor = emitOrder(b, tensor, order);
  SmallVector<ReassociationIndices> groups = getGroups(to, type.getRank());
  if (int64_t(groups.size()) != type.getRank())
    tensor = tensor::ExpandShapeOp::create(
        b, op.getType(), tensor, groups,
        applyPermutation(ArrayRef(sizes), permutation));
  if (order.size() < 2)
    return replaceWith(op, b, tensor);
  op.replaceAllUsesWith(tensor);
  op.erase();
}

//===----------------------------------------------------------------------===//
// tensor.insert_slice
//===----------------------------------------------------------------------===//

/// The size of a dimension, as far as it can be told from others.
static OpFoldResult emitKnownSize(ImplicitLocOpBuilder &b, Value tensor,
                                  int64_t dim) {
  if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
    return empty.getMixedSizes()[dim];
  return getAsOpFoldResult(
      emitSize(b, tensor, dim, [&](Value source, int64_t i) -> Value {
        return i < 0 ? source
                     : b.createOrFold<DimOp>(b.getIndexType(), source,
                                             uint64_t(i));
      }));
}

/// The same number, for all that is known.
static bool areSame(OpFoldResult x, OpFoldResult y) {
  if (isEqualConstantIntOrValue(x, y))
    return true;
  auto dim = [](OpFoldResult size) {
    auto value = dyn_cast<Value>(size);
    return value ? value.getDefiningOp<DimOp>() : DimOp();
  };
  DimOp first = dim(x), second = dim(y);
  return first && second && first.getInput() == second.getInput() &&
         first.getDimension() == second.getDimension();
}

static OpFoldResult emitSum(ImplicitLocOpBuilder &b, OpFoldResult x,
                            OpFoldResult y, int64_t sign = 1) {
  std::optional<int64_t> first = getConstantIntValue(x),
                         second = getConstantIntValue(y);
  if (first && second)
    return b.getIndexAttr(*first + sign * *second);
  auto value = [&](OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), number);
  };
  if (sign > 0)
    return b.createOrFold<arith::AddIOp>(value(x), value(y));
  return b.createOrFold<arith::SubIOp>(value(x), value(y));
}

static Value emitRange(ImplicitLocOpBuilder &b, Value tensor, int64_t dim,
                       Range range) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t i :
       llvm::seq(cast<RankedTensorType>(tensor.getType()).getRank()))
    sizes.push_back(emitKnownSize(b, tensor, i));
  SmallVector<OpFoldResult> starts(sizes.size(), b.getIndexAttr(0)),
      steps(sizes.size(), b.getIndexAttr(1));
  if (isConstantIntValue(range.offset, 0) && areSame(range.size, sizes[dim]))
    return tensor;
  starts[dim] = range.offset;
  sizes[dim] = range.size;
  if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
    return tensor::EmptyOp::create(b, sizes, empty.getType().getElementType());
  return tensor::ExtractSliceOp::create(b, tensor, starts, sizes, steps);
}

/// Appends what a tensor has in a range: of the parts that it is made of, where
/// these and the range are known.
static void addParts(ImplicitLocOpBuilder &b, Value tensor, int64_t dim,
                     Range range, SmallVectorImpl<Value> &parts) {
  std::optional<int64_t> start = getConstantIntValue(range.offset),
                         size = getConstantIntValue(range.size);
  if (size == 0)
    return;
  auto concat = tensor.getDefiningOp<tensor::ConcatOp>();
  bool isKnown =
      concat && int64_t(concat.getDim()) == dim && start && size &&
      llvm::none_of(concat.getInputs(), [&](Value input) {
        return cast<RankedTensorType>(input.getType()).isDynamicDim(dim);
      });
  if (!isKnown) {
    parts.push_back(emitRange(b, tensor, dim, range));
    return;
  }
  int64_t from = *start, to = *start + *size, at = 0;
  for (Value input : concat.getInputs()) {
    int64_t length = cast<RankedTensorType>(input.getType()).getDimSize(dim);
    int64_t first = std::max(from, at), end = std::min(to, at + length);
    if (first < end)
      addParts(b, input, dim,
               {b.getIndexAttr(first - at), b.getIndexAttr(end - first),
                b.getIndexAttr(1)},
               parts);
    at += length;
  }
}

/// `tensor` with `source` in these ranges of the dimensions `dims`; it fills
/// the others.
static Value emitInserted(ImplicitLocOpBuilder &b, Value source, Value tensor,
                          ArrayRef<Range> ranges, ArrayRef<int64_t> dims) {
  if (dims.empty())
    return source;
  int64_t dim = dims.front();
  Range range = ranges[dim];
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  OpFoldResult end = emitSum(b, range.offset, range.size);
  OpFoldResult all = emitKnownSize(b, tensor, dim);
  Value middle = source;
  if (dims.size() > 1)
    middle = emitInserted(b, source, emitRange(b, tensor, dim, range), ranges,
                          dims.drop_front());
  SmallVector<Value> parts;
  addParts(b, tensor, dim, {zero, range.offset, one}, parts);
  parts.push_back(middle);
  addParts(b, tensor, dim, {end, emitSum(b, all, end, -1), one}, parts);
  return parts.size() == 1
             ? parts.front()
             : tensor::ConcatOp::create(
                   b, cast<RankedTensorType>(tensor.getType()), dim, parts);
}

/// The source with the dimensions that the slice drops, of one element each.
static Value emitFullRank(ImplicitLocOpBuilder &b, tensor::InsertSliceOp op) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  if (dropped.none())
    return op.getSource();
  SmallVector<int64_t> starts, shape;
  for (auto [dim, size] : llvm::enumerate(op.getMixedSizes())) {
    if (!dropped[dim])
      starts.push_back(dim);
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  }
  auto type = op.getSourceType().clone(shape);
  SmallVector<ReassociationIndices> groups;
  if (!starts.empty())
    groups = getGroups(starts, type.getRank());
  return tensor::ExpandShapeOp::create(b, type, op.getSource(), groups,
                                       op.getMixedSizes());
}

void te::concatenate(tensor::InsertSliceOp op) {
  if (!op.hasUnitStride())
    return;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  SmallVector<Range> ranges;
  SmallVector<int64_t> dims; // that the slice does not fill
  for (int64_t dim : llvm::seq(op.getType().getRank())) {
    OpFoldResult start = op.getMixedOffsets()[dim],
                 size = op.getMixedSizes()[dim];
    ranges.push_back({start, size, b.getIndexAttr(1)});
    if (!isConstantIntValue(start, 0) ||
        !areSame(size, emitKnownSize(b, op.getDest(), dim)))
      dims.push_back(dim);
  }
  auto concat = op.getDest().getDefiningOp<tensor::ConcatOp>();
  Value source = emitFullRank(b, op);
  if (dims.empty()) {
    replaceWith(op, b, source);
  } else {
    op.replaceAllUsesWith(emitInserted(b, source, op.getDest(), ranges, dims));
    op.erase();
  }
  if (concat && concat->use_empty())
    concat.erase();
}
