//===- Tensor.cpp - tensor ops that move data in the reference -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// te.copy, te.permute, tensor.cast, collapse_shape, expand_shape,
// extract_slice, insert_slice, concat, dim and empty. Bits are copied as they
// are.
//
//===----------------------------------------------------------------------===//
#include "Handlers.h"

#include "te/Dialect/TE/IR/TE.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::ref;

using Sizes = SmallVector<int64_t>;

/// Numbers of which some are attributes and some values.
static Sizes evaluate(ArrayRef<OpFoldResult> numbers, const Frame &frame) {
  Sizes values;
  for (OpFoldResult number : numbers)
    if (auto value = dyn_cast<Value>(number))
      values.push_back(frame.get(value).buffers[0].load<int64_t>(0));
    else
      values.push_back(cast<IntegerAttr>(cast<Attribute>(number)).getInt());
  return values;
}

/// The position of element `index` of a box of `sizes`, that stands in a tensor
/// of `shape` from `offsets` on.
static int64_t locate(int64_t index, ArrayRef<int64_t> sizes,
                      ArrayRef<int64_t> offsets, ArrayRef<int64_t> strides,
                      ArrayRef<int64_t> shape) {
  int64_t position = 0, factor = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    position += (offsets[axis] + index % sizes[axis] * strides[axis]) * factor;
    index /= sizes[axis];
    factor *= shape[axis];
  }
  return position;
}

static void copyElement(const HostTensor &from, int64_t source, HostTensor &to,
                        int64_t target) {
  unsigned bytes = rt::getInfo(to.type).bytes;
  std::copy_n(from.bytes.begin() + source * bytes, bytes,
              to.bytes.begin() + target * bytes);
  if (!from.bounds.empty() || !to.bounds.empty()) {
    to.bounds.resize(to.getNumUnits());
    to.bounds[target] = from.bounds.empty() ? 0 : from.bounds[source];
  }
  if (from.unspecified.empty() && to.unspecified.empty())
    return;
  to.unspecified.resize(to.bytes.size());
  for (unsigned i = 0; i < bytes; ++i)
    to.unspecified[target * bytes + i] =
        from.unspecified.empty() ? 0 : from.unspecified[source * bytes + i];
}

/// The box lies inside of the tensor.
static LogicalResult checkBox(Operation *op, ArrayRef<int64_t> sizes,
                              ArrayRef<int64_t> offsets,
                              ArrayRef<int64_t> strides,
                              ArrayRef<int64_t> shape) {
  for (auto [axis, size] : llvm::enumerate(sizes)) {
    int64_t last = offsets[axis] + (size - 1) * strides[axis];
    if (size < 0 ||
        (size > 0 && (offsets[axis] < 0 || last < 0 ||
                      offsets[axis] >= shape[axis] || last >= shape[axis])))
      return op->emitError()
             << "dimension " << axis << ": " << size << " element(s) from "
             << offsets[axis] << " with stride " << strides[axis]
             << " are not inside of " << shape[axis];
  }
  return success();
}

/// The same elements in another shape.
static LogicalResult reshape(OpResult result, Value from,
                             ArrayRef<int64_t> shape, Frame &frame) {
  TensorValue value = frame.get(from);
  value.shape = shape.vec();
  return frame.set(result, std::move(value));
}

static LogicalResult runCast(Operation *op, Frame &frame) {
  TensorValue value = frame.get(op->getOperand(0));
  return frame.set(op->getResult(0), std::move(value));
}

static LogicalResult runCollapseShape(Operation *operation, Frame &frame) {
  auto op = cast<tensor::CollapseShapeOp>(operation);
  const std::vector<int64_t> &from = frame.get(op.getSrc()).shape;
  Sizes shape;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    shape.push_back(1);
    for (int64_t axis : group)
      shape.back() *= from[axis];
  }
  return reshape(op->getResult(0), op.getSrc(), shape, frame);
}

static LogicalResult runExpandShape(Operation *operation, Frame &frame) {
  auto op = cast<tensor::ExpandShapeOp>(operation);
  Sizes shape = evaluate(op.getMixedOutputShape(), frame);
  return reshape(op->getResult(0), op.getSrc(), shape, frame);
}

static LogicalResult runExtractSlice(Operation *operation, Frame &frame) {
  auto op = cast<tensor::ExtractSliceOp>(operation);
  const TensorValue source = frame.get(op.getSource());
  Sizes offsets = evaluate(op.getMixedOffsets(), frame);
  Sizes sizes = evaluate(op.getMixedSizes(), frame);
  Sizes strides = evaluate(op.getMixedStrides(), frame);
  if (failed(checkBox(op, sizes, offsets, strides, source.shape)))
    return failure();
  std::vector<int64_t> shape;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (auto [axis, size] : llvm::enumerate(sizes))
    if (!dropped[axis])
      shape.push_back(size);
  HostTensor result = HostTensor::zeros(source.buffers[0].type, shape);
  for (int64_t i = 0, e = result.getNumUnits(); i < e; ++i)
    copyElement(source.buffers[0],
                locate(i, sizes, offsets, strides, source.shape), result, i);
  return frame.set(op->getResult(0), {std::move(shape), {std::move(result)}});
}

static LogicalResult runPermute(Operation *operation, Frame &frame) {
  auto op = cast<PermuteOp>(operation);
  const TensorValue source = frame.get(op.getInput());
  ArrayRef<int64_t> permutation = op.getPermutation();
  std::vector<int64_t> shape;
  for (int64_t axis : permutation)
    shape.push_back(source.shape[axis]);
  HostTensor result = HostTensor::zeros(source.buffers[0].type, shape);
  Sizes at(shape.size());
  for (int64_t i = 0, e = result.getNumUnits(); i < e; ++i) {
    int64_t rest = i, position = 0;
    for (size_t axis = shape.size(); axis-- > 0; rest /= shape[axis])
      at[permutation[axis]] = rest % shape[axis];
    for (size_t axis = 0; axis < at.size(); ++axis)
      position = position * source.shape[axis] + at[axis];
    copyElement(source.buffers[0], position, result, i);
  }
  return frame.set(op->getResult(0), {std::move(shape), {std::move(result)}});
}

static LogicalResult runInsertSlice(Operation *operation, Frame &frame) {
  auto op = cast<tensor::InsertSliceOp>(operation);
  const TensorValue source = frame.get(op.getSource());
  TensorValue dest = frame.get(op.getDest());
  Sizes offsets = evaluate(op.getMixedOffsets(), frame);
  Sizes sizes = evaluate(op.getMixedSizes(), frame);
  Sizes strides = evaluate(op.getMixedStrides(), frame);
  if (failed(checkBox(op, sizes, offsets, strides, dest.shape)))
    return failure();
  for (int64_t i = 0, e = source.buffers[0].getNumUnits(); i < e; ++i)
    copyElement(source.buffers[0], i, dest.buffers[0],
                locate(i, sizes, offsets, strides, dest.shape));
  return frame.set(op->getResult(0), std::move(dest));
}

static LogicalResult runConcat(Operation *operation, Frame &frame) {
  auto op = cast<tensor::ConcatOp>(operation);
  size_t axis = op.getDim();
  std::vector<int64_t> shape = frame.get(op.getInputs().front()).shape;
  shape[axis] = 0;
  for (Value input : op.getInputs())
    shape[axis] += frame.get(input).shape[axis];
  DType type = frame.get(op.getInputs().front()).buffers[0].type;
  HostTensor result = HostTensor::zeros(type, shape);
  Sizes offsets(shape.size(), 0), strides(shape.size(), 1);
  for (Value input : op.getInputs()) {
    const TensorValue &source = frame.get(input);
    for (int64_t i = 0, e = source.buffers[0].getNumUnits(); i < e; ++i)
      copyElement(source.buffers[0], i, result,
                  locate(i, source.shape, offsets, strides, shape));
    offsets[axis] += source.shape[axis];
  }
  return frame.set(op->getResult(0), {std::move(shape), {std::move(result)}});
}

static LogicalResult runDim(Operation *operation, Frame &frame) {
  auto op = cast<tensor::DimOp>(operation);
  int64_t axis = frame.get(op.getIndex()).buffers[0].load<int64_t>(0);
  const std::vector<int64_t> &shape = frame.get(op.getSource()).shape;
  if (axis < 0 || axis >= int64_t(shape.size()))
    return op->emitError() << "dimension " << axis
                           << " does not exist; the rank is " << shape.size();
  HostTensor size = HostTensor::zeros(DType::I64, {});
  size.store<int64_t>(0, shape[axis]);
  return frame.set(op->getResult(0), {{}, {std::move(size)}});
}

/// Whatever is in it is unspecified.
static LogicalResult runEmpty(Operation *operation, Frame &frame) {
  auto op = cast<tensor::EmptyOp>(operation);
  Sizes shape = evaluate(op.getMixedSizes(), frame);
  auto value =
      makeValue(op.getLoc(), op.getType(), shape, frame.options.poison);
  if (failed(value))
    return failure();
  HostTensor &buffer = value->buffers[0];
  buffer.unspecified.assign(buffer.bytes.size(), 0xFF);
  return frame.set(op->getResult(0), std::move(*value));
}

ArrayRef<HandlerEntry> mlir::te::ref::getTensorHandlers() {
  static constexpr HandlerEntry kHandlers[] = {
      {"te.copy", runCast},
      {"tensor.cast", runCast},
      {"tensor.collapse_shape", runCollapseShape},
      {"tensor.concat", runConcat},
      {"tensor.dim", runDim},
      {"tensor.empty", runEmpty},
      {"tensor.expand_shape", runExpandShape},
      {"tensor.extract_slice", runExtractSlice},
      {"te.permute", runPermute},
      {"tensor.insert_slice", runInsertSlice},
  };
  return kHandlers;
}
