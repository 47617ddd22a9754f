//===- Rows.cpp - views whose rows lie apart ------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rows.h"

#include "te/Dialect/TE/IR/TE.h"
#include "te/Region/Region.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::te;

namespace {
/// A part of a dimension whose elements are evenly apart: as far as all
/// elements of the next part together, where the two join.
struct Factor {
  int64_t size; // or ShapedType::kDynamic
  bool joins;
};
/// Of each dimension of a tensor, where the view of it can be read (as
/// TEToTile/Views.cpp does).
using Factors = SmallVector<SmallVector<Factor, 2>>;
} // namespace

static Factors getWhole(Value tensor) {
  ArrayRef<int64_t> shape = cast<ShapedType>(tensor.getType()).getShape();
  Factors factors;
  for (auto [i, size] : llvm::enumerate(shape))
    factors.push_back({{size, i + 1 < shape.size()}});
  return factors;
}

/// True where the elements of the last dimension are evenly apart.
static bool keepsRows(const Factors &factors) {
  return factors.empty() || factors.back().size() == 1;
}

static int64_t multiply(int64_t x, int64_t y) {
  return ShapedType::isDynamic(x) || ShapedType::isDynamic(y)
             ? ShapedType::kDynamic
             : x * y;
}

/// The tensor, and its dimension, whose size a view's is, through casts and
/// reshapes of other dimensions.
static std::pair<Value, int64_t> findSize(Value tensor, int64_t dim) {
  while (Operation *view = tensor.getDefiningOp()) {
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(view)) {
      auto collapse = dyn_cast<tensor::CollapseShapeOp>(view);
      auto groups =
          collapse
              ? collapse.getReassociationIndices()
              : cast<tensor::ExpandShapeOp>(view).getReassociationIndices();
      auto group = collapse ? groups.begin() + dim
                            : llvm::find_if(groups, [&](const auto &dims) {
                                return llvm::is_contained(dims, dim);
                              });
      if (group->size() != 1)
        break;
      dim = collapse ? group->front() : group - groups.begin();
    } else if (!isa<tensor::CastOp>(view)) {
      break;
    }
    tensor = view->getOperand(0);
  }
  return {tensor, dim};
}

/// True where a slice is known to take all of a dimension.
static bool isWhole(tensor::ExtractSliceOp op, int64_t dim) {
  if (op.getStaticOffsets()[dim] != 0)
    return false;
  OpFoldResult size = op.getMixedSizes()[dim];
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return known == op.getSourceType().getDimSize(dim);
  auto asked = cast<Value>(size).getDefiningOp<DimOp>();
  return asked &&
         findSize(op.getSource(), dim) ==
             std::pair(asked.getInput(), int64_t(asked.getDimension()));
}

static std::optional<Factors> slice(Factors factors,
                                    tensor::ExtractSliceOp op) {
  if (!op.hasUnitStride())
    return std::nullopt;
  for (auto [i, to] : llvm::enumerate(op.getStaticSizes())) {
    if (isWhole(op, i))
      continue;
    if (factors[i].size() != 1)
      return std::nullopt;
    factors[i].front().size = to;
    if (i > 0)
      factors[i - 1].back().joins = false;
  }
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (size_t i = factors.size(); i-- > 0;)
    if (dropped[i]) {
      if (i > 0)
        factors[i - 1].back().joins &= factors[i].back().joins;
      factors.erase(factors.begin() + i);
    }
  return factors;
}

static std::optional<Factors> expand(const Factors &factors,
                                     tensor::ExpandShapeOp op) {
  Factors result;
  ArrayRef<int64_t> shape = op.getResultType().getShape();
  for (auto [dim, group] :
       llvm::zip_equal(factors, op.getReassociationIndices())) {
    if (group.size() == 1) {
      result.push_back(dim);
      continue;
    }
    if (dim.size() == 1) {
      for (int64_t i : group)
        result.push_back({{shape[i], i != group.back() || dim[0].joins}});
      continue;
    }
    // What an earlier reshape joined is split again, or nothing.
    if (dim.size() != group.size())
      return std::nullopt;
    for (auto [factor, i] : llvm::zip_equal(dim, group)) {
      if (factor.size != shape[i])
        return std::nullopt;
      result.push_back({factor});
    }
  }
  return result;
}

/// What a view makes of its source.
static std::optional<Factors> follow(const Factors &factors, Operation *view) {
  if (auto op = dyn_cast<tensor::ExtractSliceOp>(view))
    return slice(factors, op);
  if (auto op = dyn_cast<tensor::ExpandShapeOp>(view))
    return expand(factors, op);
  if (auto op = dyn_cast<tensor::CollapseShapeOp>(view)) {
    Factors result;
    for (const ReassociationIndices &group : op.getReassociationIndices()) {
      auto &all = result.emplace_back();
      for (int64_t i : group)
        for (const Factor &factor : factors[i]) {
          if (all.empty() || !all.back().joins)
            all.push_back(factor);
          else
            all.back() = {multiply(all.back().size, factor.size), factor.joins};
        }
    }
    return result;
  }
  return isa<tensor::CastOp>(view) ? factors : getWhole(view->getResult(0));
}

/// The view before which a copy lets `read` be read; null where it can be,
/// or where none helps.
static Operation *findBreak(Value read) {
  SmallVector<Operation *> views;
  for (Value value = read;
       value.getDefiningOp() && isView(value.getDefiningOp());
       value = value.getDefiningOp()->getOperand(0))
    views.push_back(value.getDefiningOp());
  if (views.empty())
    return nullptr;
  Factors factors = getWhole(views.back()->getOperand(0));
  Operation *before = nullptr; // the last one whose source is a view with rows
  for (Operation *view : llvm::reverse(views)) {
    if (view != views.back() && keepsRows(factors))
      before = view;
    std::optional<Factors> next = follow(factors, view);
    if (!next)
      return before;
    factors = std::move(*next);
  }
  return keepsRows(factors) ? nullptr : before;
}

void te::copySeparateRows(func::FuncOp func) {
  func.walk([](Operation *op) {
    if (!isRegionOp(op) || op->getParentOfType<FusionOp>())
      return;
    for (Value operand : op->getOperands())
      while (Operation *view =
                 getSliceSource(operand) ? findBreak(operand) : nullptr) {
        OpBuilder builder(view);
        auto copy =
            CopyOp::create(builder, view->getLoc(), view->getOperand(0));
        view->setOperand(0, copy.getResult());
      }
  });
}
