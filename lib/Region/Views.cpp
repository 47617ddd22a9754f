//===- Views.cpp - slices, reshapes and orders of tensors -----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Region/Region.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::te;

bool te::isView(Operation *op) {
  return isa<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp, tensor::CastOp, PermuteOp>(op);
}

/// A reshape's source, where `fits` says yes to its groups of dimensions.
static Value
getReshaped(Value value,
            function_ref<bool(ArrayRef<ReassociationIndices>)> fits) {
  return llvm::TypeSwitch<Operation *, Value>(value.getDefiningOp())
      .Case([&](tensor::CastOp op) -> Value { // each dimension by itself
        SmallVector<ReassociationIndices> groups;
        for (int64_t i = 0; i < op.getType().getRank(); ++i)
          groups.push_back({i});
        return fits(groups) ? op.getSource() : Value();
      })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
          [&](auto op) -> Value {
            return fits(op.getReassociationIndices()) ? op.getSrc() : Value();
          })
      .Default([](Operation *) { return Value(); });
}

static Value
stripReshapes(Value value,
              function_ref<bool(ArrayRef<ReassociationIndices>)> fits) {
  while (value.getDefiningOp())
    if (Value source = getReshaped(value, fits))
      value = source;
    else
      break;
  return value;
}

Value te::getTileRoot(Value value) {
  return stripReshapes(value, [](ArrayRef<ReassociationIndices> groups) {
    return !groups.empty() && groups.back().size() == 1;
  });
}

Value te::getRoot(OpOperand &operand) {
  if (!getMap(operand).isInserted())
    return getTileRoot(operand.get());
  return stripReshapes(operand.get(),
                       [](ArrayRef<ReassociationIndices>) { return true; });
}

Value te::getSliceSource(Value value) {
  bool isSlice = false;
  while (Operation *view = value.getDefiningOp()) {
    if (!isView(view))
      break;
    isSlice |= isa<tensor::ExtractSliceOp, PermuteOp>(view);
    value = view->getOperand(0);
  }
  return isSlice ? value : Value();
}

bool te::isTransposed(Value value) {
  auto permute = value.getDefiningOp<PermuteOp>();
  return permute && !permute.keepsRows();
}

bool te::isTransposedByMatrix(Value value) {
  return isTransposed(value) && cast<ShapedType>(value.getType()).getRank() > 2;
}

Value te::getTransposedSource(Value value) {
  value = getTileRoot(value);
  if (!isTransposed(value) || isTransposedByMatrix(value))
    return {};
  return getTileRoot(value.getDefiningOp<PermuteOp>().getInput());
}
