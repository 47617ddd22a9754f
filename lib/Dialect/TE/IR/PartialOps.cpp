//===- PartialOps.cpp - verifiers of te.partial_amax, te.partial_cast -----===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constraint numbers (P1, ...) are those of docs/spec.md.
//
//===----------------------------------------------------------------------===//
#include "Verifiers.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;

/// P1, and P2 for one type.
static LogicalResult verifyWhole(Operation *op, Type type,
                                 ArrayRef<int64_t> shape) {
  auto whole = dyn_cast<ScaledType>(type);
  if (!whole || !whole.hasStaticShape())
    return op->emitOpError()
           << "the whole is " << type
           << "; it is a !te.scaled of static shape, which "
              "says where an element of the shard belongs (P1)";
  if (whole.getShape() != shape)
    return op->emitOpError()
           << "the shard is a part of one tensor, but the types in `of` "
              "have different shapes: "
           << type << " (P1)";
  ScalingAttr scaling = whole.getScaling();
  if (whole.isFP4() || !scaling.isBlock() || scaling.isPerMatrix() ||
      scaling.withLayouts(ScaleLayout::Linear, te::DataLayout::Linear) !=
          scaling)
    return op->emitOpError()
           << "the whole is " << type
           << "; shards are cast to fp8 in blocks of the tensor, data and "
              "scales linear (P2)";
  return success();
}

/// P1, P2.
template <typename Op> static LogicalResult verifyWholes(Op op) {
  size_t count = op.getOf().size();
  if (count == 0 || count > 2)
    return op.emitOpError() << "`of` has " << count
                            << " types; give one for each direction, at most "
                               "two (P2)";
  auto first = dyn_cast<ShapedType>(cast<TypeAttr>(op.getOf()[0]).getValue());
  for (Attribute type : op.getOf())
    if (failed(verifyWhole(op, cast<TypeAttr>(type).getValue(),
                           first ? first.getShape() : ArrayRef<int64_t>())))
      return failure();
  if (count == 2 && (op.getWhole(0).getScaling().isColumnwise() ||
                     !op.getWhole(1).getScaling().isColumnwise()))
    return op.emitOpError() << "of the two types one is rowwise, the first, "
                               "and one columnwise (P2)";
  return success();
}

/// P3: `values`, one for each type.
template <typename Op>
static LogicalResult verifyBlocks(Op op, StringRef what, ValueRange values) {
  if (values.size() != op.getNumWholes())
    return op.emitOpError()
           << "there are " << values.size() << " " << what << " for "
           << op.getNumWholes() << " types in `of`; give one for each (P3)";
  auto [rows, cols] = op.getMatrix();
  for (auto [i, value] : llvm::enumerate(values)) {
    ScalingAttr scaling = op.getWhole(i).getScaling();
    int64_t grid[] = {int64_t(llvm::divideCeil(rows, scaling.getBlockRows())),
                      int64_t(llvm::divideCeil(cols, scaling.getBlockCols()))};
    if (failed(verifyShape(op, "P3", what, grid, value.getType(),
                           "it has one number a block")))
      return failure();
  }
  return success();
}

LogicalResult PartialAmaxOp::verify() {
  return failure(failed(verifyWholes(*this)) ||
                 failed(verifyBlocks(*this, "amaxes", getAmaxes())));
}

LogicalResult PartialCastOp::verify() {
  if (failed(verifyWholes(*this)) ||
      failed(verifyBlocks(*this, "scales", getScales())))
    return failure();
  if (getCodes().size() != getNumWholes())
    return emitOpError() << "there are " << getCodes().size() << " results for "
                         << getNumWholes()
                         << " types in `of`; give one for each (P4)";
  for (unsigned i = 0; i < getNumWholes(); ++i) {
    ScaledType whole = getWhole(i);
    Type scale = whole.getScaling().getScaleType();
    if (getElementTypeOrSelf(getScales()[i].getType()) != scale)
      return emitOpError() << "scales are " << getScales()[i].getType()
                           << ", but those of " << whole << " are " << scale
                           << " (P3)";
    if (failed(verifyShape(*this, "P4", "the result", getShape(getShard()),
                           getCodes()[i].getType(),
                           "it has the shard's length")))
      return failure();
    if (getElementTypeOrSelf(getCodes()[i].getType()) != whole.getElementType())
      return emitOpError() << "the result is " << getCodes()[i].getType()
                           << ", but the elements of the whole are "
                           << whole.getElementType() << " (P4)";
  }
  return success();
}
