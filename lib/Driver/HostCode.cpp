//===- HostCode.cpp - what functions of the host may do -------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "HostCode.h"

#include "te/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::te;

LogicalResult te::narrow(LaunchRange &range, Value condition, bool holds) {
  using Predicate = arith::CmpIPredicate;
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  std::optional<int64_t> bound =
      compare ? getConstantIntValue(compare.getRhs()) : std::nullopt;
  if (!bound || *bound < 0 || (range.size && range.size != compare.getLhs()))
    return failure();
  range.size = compare.getLhs();
  Predicate predicate = compare.getPredicate();
  if (!holds)
    predicate = arith::invertPredicate(predicate);
  switch (predicate) {
  case Predicate::ult:
    range.most = std::min(range.most, *bound - 1);
    return success();
  case Predicate::ule:
    range.most = std::min(range.most, *bound);
    return success();
  case Predicate::ugt:
    range.least = std::max(range.least, *bound + 1);
    return success();
  case Predicate::uge:
    range.least = std::max(range.least, *bound);
    return success();
  default:
    return failure();
  }
}

bool te::isReshape(Operation *op) {
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(
      op);
}

Value te::getBufferOwner(Value value) {
  while (Operation *op = value.getDefiningOp())
    if (isReshape(op))
      value = op->getOperand(0);
    else
      break;
  return value;
}

LogicalResult te::verifyHostOp(Operation *op) {
  if (isa<tile::LaunchOp, arith::ConstantOp, scf::IfOp, func::FuncOp>(op) ||
      isReshape(op) || op->hasTrait<OpTrait::IsTerminator>())
    return success();
  if (!op->use_empty() &&
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<ShapedType>)) {
    bool isStored = isa<tensor::InsertSliceOp, tensor::EmptyOp>(op);
    return op->emitError()
           << op->getName() << " has no kernel yet"
           << (isStored
                   ? "; insert slices into tensors without a step, and cover "
                     "with them what tensor.empty gives; its semantics run "
                     "with te-run --device=reference"
                   : "; docs/spec.md lists the ops that have one");
  }
  if (!isPure(op))
    return op->emitError() << "'" << op->getName()
                           << "' cannot run on the host side";
  return success();
}
