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
struct Part {
  int64_t size; // or ShapedType::kDynamic
  bool joins;
};
/// Of each dimension of a tensor, where the view of it can be read (as
/// TEToTile/Views.cpp does).
using Parts = SmallVector<SmallVector<Part, 2>>;
} // namespace

static Parts getWhole(Value tensor) {
  ArrayRef<int64_t> shape = cast<ShapedType>(tensor.getType()).getShape();
  Parts parts;
  for (auto [i, size] : llvm::enumerate(shape))
    parts.push_back({{size, i + 1 < shape.size()}});
  return parts;
}

/// True where the elements of the last dimension are evenly apart.
static bool keepsRows(const Parts &parts) {
  return parts.empty() || parts.back().size() == 1;
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

static std::optional<Parts> slice(Parts parts, tensor::ExtractSliceOp op) {
  if (!op.hasUnitStride())
    return std::nullopt;
  for (auto [i, to] : llvm::enumerate(op.getStaticSizes())) {
    if (isWhole(op, i))
      continue;
    if (parts[i].size() != 1)
      return std::nullopt;
    parts[i].front().size = to;
    if (i > 0)
      parts[i - 1].back().joins = false;
  }
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (size_t i = parts.size(); i-- > 0;)
    if (dropped[i]) {
      if (i > 0)
        parts[i - 1].back().joins &= parts[i].back().joins;
      parts.erase(parts.begin() + i);
    }
  return parts;
}

static std::optional<Parts> expand(const Parts &parts,
                                   tensor::ExpandShapeOp op) {
  Parts result;
  ArrayRef<int64_t> shape = op.getResultType().getShape();
  for (auto [dim, group] :
       llvm::zip_equal(parts, op.getReassociationIndices())) {
    if (group.size() == 1) {
      result.push_back(dim);
      continue;
    }
    if (dim.size() == 1) {
      for (int64_t i : group)
        result.push_back({{shape[i], i != group.back() || dim[0].joins}});
      continue;
    }
    // What an earlier reshape put together comes apart again, or nothing.
    if (dim.size() != group.size())
      return std::nullopt;
    for (auto [part, i] : llvm::zip_equal(dim, group)) {
      if (part.size != shape[i])
        return std::nullopt;
      result.push_back({part});
    }
  }
  return result;
}

/// What a view makes of its source.
static std::optional<Parts> follow(const Parts &parts, Operation *view) {
  if (auto op = dyn_cast<tensor::ExtractSliceOp>(view))
    return slice(parts, op);
  if (auto op = dyn_cast<tensor::ExpandShapeOp>(view))
    return expand(parts, op);
  if (auto op = dyn_cast<tensor::CollapseShapeOp>(view)) {
    Parts result;
    for (const ReassociationIndices &group : op.getReassociationIndices()) {
      auto &all = result.emplace_back();
      for (int64_t i : group)
        for (const Part &part : parts[i]) {
          if (all.empty() || !all.back().joins)
            all.push_back(part);
          else
            all.back() = {multiply(all.back().size, part.size), part.joins};
        }
    }
    return result;
  }
  return isa<tensor::CastOp>(view) ? parts : getWhole(view->getResult(0));
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
  Parts parts = getWhole(views.back()->getOperand(0));
  Operation *before = nullptr; // the last one whose source is a view with rows
  for (Operation *view : llvm::reverse(views)) {
    if (view != views.back() && keepsRows(parts))
      before = view;
    std::optional<Parts> next = follow(parts, view);
    if (!next)
      return before;
    parts = std::move(*next);
  }
  return keepsRows(parts) ? nullptr : before;
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
