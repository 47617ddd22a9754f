//===- Interpreter.cpp - runs te functions on host tensors -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Reference/Interpreter.h"
#include "Handlers.h"
#include "te/Dialect/TE/IR/TE.h"

using namespace mlir;
using namespace mlir::te;
using ref::TensorValue;

const TensorValue &ref::Frame::get(Value value) const {
  auto it = values.find(value);
  assert(it != values.end() && "SSA: a definition dominates its uses");
  return it->second;
}

/// An op's result has the buffers that its type asks for: a guard against an
/// interpreter and a type that disagree.
LogicalResult ref::Frame::set(OpResult result, TensorValue value) {
  auto expected = makeValue(result.getLoc(), result.getType(), value.shape, 0);
  if (failed(expected))
    return failure();
  for (auto [found, wanted] : llvm::zip_equal(value.buffers, expected->buffers))
    if (found.bytes.size() != wanted.bytes.size() || found.type != wanted.type)
      return emitError(result.getLoc())
             << "result #" << result.getResultNumber() << " has "
             << found.bytes.size() << " bytes of "
             << rt::getInfo(found.type).name << ", but its type needs "
             << wanted.bytes.size() << " of " << rt::getInfo(wanted.type).name;
  values[result] = std::move(value);
  return success();
}

/// Runs the ops of a block up to its terminator, whose operands are returned.
FailureOr<std::vector<TensorValue>> ref::runBlock(Block &block, Frame &frame) {
  for (Operation &op : block.without_terminator())
    if (failed(interpretOp(&op, frame)))
      return failure();
  std::vector<TensorValue> results;
  for (Value operand : block.getTerminator()->getOperands())
    results.push_back(frame.get(operand));
  return results;
}

/// `value` fits an argument of that type.
static LogicalResult checkArgument(BlockArgument argument,
                                   const TensorValue &value) {
  auto expected =
      ref::makeValue(argument.getLoc(), argument.getType(), value.shape, 0);
  if (failed(expected))
    return failure();
  if (value.buffers.size() != expected->buffers.size())
    return emitError(argument.getLoc())
           << "argument #" << argument.getArgNumber() << " has "
           << value.buffers.size() << " buffers, expected "
           << expected->buffers.size();
  for (auto [found, wanted] : llvm::zip_equal(value.buffers, expected->buffers))
    if (found.type != wanted.type || found.bytes.size() != wanted.bytes.size())
      return emitError(argument.getLoc())
             << "argument #" << argument.getArgNumber() << " has "
             << found.bytes.size() << " bytes of "
             << rt::getInfo(found.type).name << ", expected "
             << wanted.bytes.size() << " of " << rt::getInfo(wanted.type).name;
  return success();
}

FailureOr<std::vector<TensorValue>>
ref::interpret(func::FuncOp function, ArrayRef<TensorValue> arguments,
               const InterpreterOptions &options) {
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return function.emitError()
           << "the reference interpreter runs functions of one block";
  Block &body = function.getBody().front();
  if (arguments.size() != body.getNumArguments())
    return function.emitError() << "takes " << body.getNumArguments()
                                << " arguments, found " << arguments.size();
  Frame frame(options);
  for (auto [argument, value] :
       llvm::zip_equal(body.getArguments(), arguments)) {
    if (failed(checkArgument(argument, value)))
      return failure();
    frame.values[argument] = value;
  }
  return runBlock(body, frame);
}
