//===- Sizes.cpp - sizes of a region's values -----------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Region/Region.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::te;

/// The operand of an op that has the sizes of its result, all but perhaps the
/// last.
static OpOperand *findShapeOperand(Operation *op) {
  Anchor anchor = findAnchor(op);
  for (OpOperand &operand : op->getOpOperands()) {
    IndexMap map = getMap(operand);
    bool isShaped =
        map.isTile() || map.isHalves() || anchor.value == operand.get();
    if (isShaped && !isImmediate(operand))
      return &operand;
  }
  return nullptr;
}

static Value emitProduct(ImplicitLocOpBuilder &b, ValueRange factors) {
  Value product = arith::ConstantIndexOp::create(b, 1);
  for (Value factor : factors)
    product = b.createOrFold<arith::MulIOp>(product, factor);
  return product;
}

/// The size of a dimension of an operand that the same iterator numbers as that
/// of a result; null where there is none.
static Value emitSizeOfIterator(OpResult result, int64_t i,
                                function_ref<Value(Value, int64_t)> of) {
  auto getIterators = [](Value value, IndexMap map) {
    return map.getIterators(cast<ShapedType>(value.getType()).getRank());
  };
  std::optional<StringRef> own = getIterators(result, getMap(result));
  if (!own)
    return {};
  for (OpOperand &operand : result.getOwner()->getOpOperands()) {
    std::optional<StringRef> other =
        getIterators(operand.get(), getMap(operand));
    if (size_t dim = other ? other->find((*own)[i]) : StringRef::npos;
        dim != StringRef::npos && !isImmediate(operand))
      return of(operand.get(), dim);
  }
  return {};
}

Value te::emitSize(ImplicitLocOpBuilder &b, Value tensor, int64_t i,
                   function_ref<Value(Value, int64_t)> leaf) {
  auto shaped = cast<ShapedType>(tensor.getType());
  if (!shaped.isDynamicDim(i))
    return arith::ConstantIndexOp::create(b, shaped.getDimSize(i));
  auto given = [&](OpFoldResult size) -> Value {
    if (std::optional<int64_t> known = getConstantIntValue(size))
      return arith::ConstantIndexOp::create(b, *known);
    return leaf(cast<Value>(size), -1);
  };
  auto of = [&](Value other, int64_t dim) {
    return emitSize(b, other, dim, leaf);
  };
  Operation *op = tensor.getDefiningOp();
  if (auto slice = dyn_cast_if_present<tensor::ExtractSliceOp>(op)) {
    SmallVector<OpFoldResult> sizes;
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    for (auto [dim, size] : llvm::enumerate(slice.getMixedSizes()))
      if (!dropped[dim])
        sizes.push_back(size);
    return given(sizes[i]);
  }
  if (auto permute = dyn_cast_if_present<PermuteOp>(op))
    return of(permute.getInput(), permute.getPermutation()[i]);
  if (auto cast = dyn_cast_if_present<tensor::CastOp>(op))
    return of(cast.getSource(), i);
  if (auto expand = dyn_cast_if_present<tensor::ExpandShapeOp>(op))
    return given(expand.getMixedOutputShape()[i]);
  if (auto collapse = dyn_cast_if_present<tensor::CollapseShapeOp>(op)) {
    SmallVector<Value> sizes;
    ReassociationIndices group = collapse.getReassociationIndices()[i];
    for (int64_t dim : group)
      sizes.push_back(of(collapse.getSrc(), dim));
    return emitProduct(b, sizes);
  }
  if (auto concat = dyn_cast_if_present<tensor::ConcatOp>(op)) {
    Value size = of(concat.getInputs().front(), i);
    if (i == int64_t(concat.getDim()))
      for (Value input : concat.getInputs().drop_front())
        size = b.createOrFold<arith::AddIOp>(size, of(input, i));
    return size;
  }
  if (!op || !isRegionOp(op))
    return leaf(tensor, i);
  if (Value size = emitSizeOfIterator(cast<OpResult>(tensor), i, of))
    return size;
  if (auto gemm = dyn_cast<GemmOp>(op)) {
    if (tensor == gemm.getBiasGrad())
      return of(gemm.getA(),
                cast<ShapedType>(gemm.getA().getType()).getRank() - 1);
    if (i == shaped.getRank() - 1)
      return of(gemm.getB(), gemm.getNDim());
    if (gemm.getSplitK()) { // the first dimension is known
      --i;
      shaped = shaped.clone(shaped.getShape().drop_front());
    }
    return of(gemm.getA(), i == shaped.getRank() - 2 ? gemm.getMDim() : i);
  }
  OpOperand *operand = findShapeOperand(op);
  auto two = [&]() -> Value { return arith::ConstantIndexOp::create(b, 2); };
  int64_t last = cast<ShapedType>(operand->get().getType()).getRank() - 1;
  bool isWide = getMap(*operand).isHalves();
  if (getMap(*operand).isPartialSums())
    return of(operand->get(), i + 1);
  IndexMap map = getMap(cast<OpResult>(tensor));
  if (map.isColumn()) {
    i = last;
  } else if (map.isHalvesColumn()) {
    if (isWide)
      return of(operand->get(), last);
    return b.createOrFold<arith::MulIOp>(of(operand->get(), last), two());
  } else if (map.isHalves() && i == last && !isWide) {
    return b.createOrFold<arith::MulIOp>(of(operand->get(), i), two());
  }
  Value size = of(operand->get(), i);
  return isWide && i == last && !map.isHalves()
             ? b.createOrFold<arith::DivUIOp>(size, two())
             : size;
}

Value te::emitRows(ImplicitLocOpBuilder &b, const Anchor &anchor,
                   function_ref<Value(Value, int64_t)> dim) {
  if (anchor.map.isRun())
    return arith::ConstantIndexOp::create(b, anchor.whole.first);
  if (anchor.map.isTileOfMany())
    return dim(anchor.value, *anchor.map.find('m'));
  int64_t end =
      cast<ShapedType>(anchor.value.getType()).getRank() - !anchor.map.isRow();
  int64_t first =
      anchor.map.isPartialSums() ? 1 : anchor.getMatrixDims().size();
  SmallVector<Value> sizes;
  for (int64_t i = first; i < end; ++i)
    sizes.push_back(dim(anchor.value, i));
  return emitProduct(b, sizes);
}

Value te::emitColumns(ImplicitLocOpBuilder &b, const Anchor &anchor,
                      function_ref<Value(Value, int64_t)> dim) {
  if (anchor.map.isRun())
    return arith::ConstantIndexOp::create(b, anchor.whole.second);
  if (anchor.map.isTileOfMany())
    return dim(anchor.value, *anchor.map.find('n'));
  int64_t rank = cast<ShapedType>(anchor.value.getType()).getRank();
  if (anchor.map.isRow() || rank == 0)
    return arith::ConstantIndexOp::create(b, 1);
  Value cols = dim(anchor.value, rank - 1);
  return anchor.map.isHalves() ? b.createOrFold<arith::DivUIOp>(
                                     cols, arith::ConstantIndexOp::create(b, 2))
                               : cols;
}
