//===- Handlers.cpp - te ops in the reference -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Handlers.h"
#include "te/Dialect/TE/IR/TE.h"
#include "te/Reference/Hadamard.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::ref;

/// True where the flag is there and is 1.0: the results keep what they kept.
static bool isNoop(Value flag, const Frame &frame) {
  return flag && loadElement(frame.get(flag).buffers[0], 0) == 1.0;
}

/// Gives every result the contents that its buffers had before the program ran.
static LogicalResult leaveResults(Operation *op, ArrayRef<int64_t> shape,
                                  Frame &frame) {
  for (OpResult result : op->getResults()) {
    bool isScalar = cast<ShapedType>(result.getType()).getRank() == 0;
    auto value =
        makeValue(op->getLoc(), result.getType(),
                  isScalar ? ArrayRef<int64_t>() : shape, frame.options.poison);
    if (failed(value) || failed(frame.set(result, std::move(*value))))
      return failure();
  }
  return success();
}

static TensorValue makeScalar(float number) {
  HostTensor tensor = HostTensor::zeros(DType::F32, {});
  tensor.store<float>(0, number);
  return {{}, {std::move(tensor)}};
}

static LogicalResult quantizeInto(QuantizeOp op, OpResult result,
                                  const HostTensor &input,
                                  QuantizeOptions options, Frame &frame) {
  auto type = cast<ScaledType>(result.getType());
  ScalingAttr attr = type.getScaling();
  if (options.random)
    options.random->columnwise = attr.isColumnwise();
  HostTensor transformed;
  if (op.getHadamard())
    transformed =
        hadamard(input, Matrix::flatten(input.shape, getScaling(attr)),
                 attr.isColumnwise(), op.getSignMask().value_or(0));
  auto quantized =
      quantize(op.getHadamard() ? transformed : input,
               *getDType(type.getElementType()), getScaling(attr), options);
  if (!quantized)
    return op.emitError() << llvm::toString(quantized.takeError());
  return frame.set(
      result, {input.shape,
               {std::move(quantized->data), std::move(quantized->scales)}});
}

static LogicalResult runQuantize(Operation *operation, Frame &frame) {
  auto op = cast<QuantizeOp>(operation);
  const HostTensor input = frame.get(op.getInput()).buffers[0];
  if (isNoop(op.getNoop(), frame))
    return leaveResults(op, input.shape, frame);
  QuantizeOptions options;
  if (op.getScale())
    options.scale = float(loadElement(frame.get(op.getScale()).buffers[0], 0));
  if (op.getAmax())
    options.amax = float(loadElement(frame.get(op.getAmax()).buffers[0], 0));
  if (op.getRng()) {
    const HostTensor &state = frame.get(op.getRng()).buffers[0];
    options.random = RandomState{uint64_t(state.load<int64_t>(0)),
                                 uint64_t(state.load<int64_t>(1))};
  }
  if (op.getEpsilon())
    options.epsilon = op.getEpsilon()->convertToFloat();
  for (OpResult result : op.getScaledResults())
    if (failed(quantizeInto(op, result, input, options, frame)))
      return failure();
  if (OpResult amax = op.getAmaxResult())
    return frame.set(amax, makeScalar(computeAmax(input)));
  return success();
}

static LogicalResult runDequantize(Operation *operation, Frame &frame) {
  auto op = cast<DequantizeOp>(operation);
  auto type = cast<ScaledType>(op.getInput().getType());
  const TensorValue &input = frame.get(op.getInput());
  DType resultType =
      *getDType(cast<ShapedType>(op.getResult().getType()).getElementType());
  auto result = dequantize(
      {input.buffers[0], input.buffers[1]}, *getDType(type.getElementType()),
      getScaling(type.getScaling()), input.shape, resultType);
  if (!result)
    return op.emitError() << llvm::toString(result.takeError());
  return frame.set(op->getResult(0), {input.shape, {std::move(*result)}});
}

/// te.transpose and te.relayout.
static LogicalResult runMove(Operation *op, Frame &frame) {
  auto from = cast<ScaledType>(op->getOperand(0).getType());
  auto to = cast<ScaledType>(op->getResult(0).getType());
  const TensorValue &input = frame.get(op->getOperand(0));
  auto moved = relayout(
      {input.buffers[0], input.buffers[1]}, *getDType(from.getElementType()),
      getScaling(from.getScaling()), getScaling(to.getScaling()), input.shape);
  if (!moved)
    return op->emitError() << llvm::toString(moved.takeError());
  return frame.set(
      op->getResult(0),
      {input.shape, {std::move(moved->data), std::move(moved->scales)}});
}

static LogicalResult runAmax(Operation *operation, Frame &frame) {
  auto op = cast<AmaxOp>(operation);
  if (isNoop(op.getNoop(), frame))
    return leaveResults(op, {}, frame);
  return frame.set(op->getResult(0), makeScalar(computeAmax(
                                         frame.get(op.getInput()).buffers[0])));
}

static LogicalResult runDim(Operation *operation, Frame &frame) {
  auto op = cast<DimOp>(operation);
  HostTensor size = HostTensor::zeros(DType::I64, {});
  size.store<int64_t>(0, frame.get(op.getInput()).shape[op.getDimension()]);
  return frame.set(op->getResult(0), {{}, {std::move(size)}});
}

/// Runs a block of the op in `inner`; what it yields are the op's results.
static LogicalResult runBody(Operation *op, Block &body, Frame &inner,
                             Frame &frame) {
  auto yielded = runBlock(body, inner);
  if (failed(yielded))
    return failure();
  for (auto [result, value] : llvm::zip_equal(op->getResults(), *yielded))
    if (failed(frame.set(result, std::move(value))))
      return failure();
  return success();
}

static LogicalResult runFusion(Operation *operation, Frame &frame) {
  auto op = cast<FusionOp>(operation);
  Block &body = op.getBody().front();
  Frame inner(frame.options);
  for (auto [argument, input] :
       llvm::zip_equal(body.getArguments(), op.getInputs()))
    inner.values[argument] = frame.get(input);
  return runBody(op, body, inner, frame);
}

static LogicalResult runIf(Operation *operation, Frame &frame) {
  auto op = cast<scf::IfOp>(operation);
  bool holds = frame.get(op.getCondition()).buffers[0].load<int8_t>(0);
  Region &branch = holds ? op.getThenRegion() : op.getElseRegion();
  if (branch.empty())
    return success();
  return runBody(op, branch.front(), frame, frame);
}

static ArrayRef<HandlerEntry> getQuantizeHandlers() {
  static constexpr HandlerEntry kHandlers[] = {
      {"te.quantize", runQuantize}, {"te.dequantize", runDequantize},
      {"te.transpose", runMove},    {"te.relayout", runMove},
      {"te.amax", runAmax},         {"te.dim", runDim},
      {"te.fusion", runFusion},     {"scf.if", runIf},
  };
  return kHandlers;
}

LogicalResult mlir::te::ref::interpretOp(Operation *op, Frame &frame) {
  StringRef name = op->getName().getStringRef();
  for (ArrayRef<HandlerEntry> table :
       {getQuantizeHandlers(), getNormHandlers(), getActivationHandlers(),
        getGemmHandlers(), getRopeHandlers(), getAttentionHandlers(),
        getUpdateScaleHandlers(), getPartialHandlers(), getArithHandlers(),
        getTensorHandlers(), getConstantHandlers()})
    for (const HandlerEntry &handler : table)
      if (handler.name == name)
        return handler.run(op, frame);
  return op->emitError() << "the reference interpreter does not know '" << name
                         << "'; run it on the te level of the program";
}
