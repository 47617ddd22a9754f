//===- Constant.cpp - constants in the reference -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// arith.constant and te.full_like.
//
//===----------------------------------------------------------------------===//
#include "Handlers.h"

#include "te/Dialect/TE/IR/TE.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::ref;

/// Copies the elements of a constant, each as the tensor's type has it.
static bool copyElements(Attribute value, HostTensor &tensor) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || blob->getData().size() != tensor.bytes.size())
      return false;
    llvm::copy(blob->getData(), tensor.bytes.begin());
    return true;
  }
  auto elements = dyn_cast<DenseElementsAttr>(value);
  if (!elements)
    return false;
  int64_t index = 0;
  if (findFormat(tensor.type))
    for (const APFloat &element : elements.getValues<APFloat>())
      storeCode(tensor, index++, element.bitcastToAPInt().getZExtValue());
  else
    for (const APInt &element : elements.getValues<APInt>())
      storeInteger(tensor, index++,
                   element.getBitWidth() == 1 ? element.getZExtValue()
                                              : element.getSExtValue());
  return true;
}

/// A tensor, or an index.
static LogicalResult runConstant(Operation *op, Frame &frame) {
  Attribute value = cast<arith::ConstantOp>(op).getValue();
  Type type = op->getResult(0).getType();
  if (auto number = dyn_cast<IntegerAttr>(value); number && type.isIndex()) {
    HostTensor index = HostTensor::zeros(DType::I64, {});
    index.store<int64_t>(0, number.getInt());
    return frame.set(op->getResult(0), {{}, {std::move(index)}});
  }
  auto tensorType = dyn_cast<RankedTensorType>(type);
  auto dtype =
      tensorType ? getDType(tensorType.getElementType()) : std::nullopt;
  std::vector<int64_t> shape;
  HostTensor tensor;
  if (dtype) {
    shape = tensorType.getShape().vec();
    tensor = HostTensor::zeros(*dtype, shape);
  }
  if (!dtype || *dtype == DType::F4E2M1FN || !copyElements(value, tensor))
    return op->emitError() << "the reference interpreter knows constants that "
                              "are dense tensors of floats or integers, or an "
                              "index; this is "
                           << type;
  return frame.set(op->getResult(0), {std::move(shape), {std::move(tensor)}});
}

/// A constant of the shape that another tensor has.
static LogicalResult runFullLike(Operation *operation, Frame &frame) {
  auto op = cast<FullLikeOp>(operation);
  std::vector<int64_t> shape = frame.get(op.getInput()).shape;
  Attribute value = op.getValue();
  Type element = op.getValue().getType();
  HostTensor tensor = HostTensor::zeros(*getDType(element), shape);
  copyElements(
      SplatElementsAttr::get(RankedTensorType::get(shape, element), value),
      tensor);
  return frame.set(op->getResult(0), {std::move(shape), {std::move(tensor)}});
}

ArrayRef<HandlerEntry> mlir::te::ref::getConstantHandlers() {
  static constexpr HandlerEntry kHandlers[] = {
      {"arith.constant", runConstant},
      {"te.full_like", runFullLike},
  };
  return kHandlers;
}
