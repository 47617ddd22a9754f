//===- RegionBuilder.cpp - ops as a te.fusion region ----------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionBuilder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::te;

/// The tensor that an operand is, or that it is a part of or turns, in the
/// shape that it has there, and without reshapes.
static std::pair<Value, Value> getWhole(Value value) {
  Value source = getSliceSource(value);
  if (!source)
    return {value, getTileRoot(value)};
  Value whole;
  for (; value != source; value = value.getDefiningOp()->getOperand(0))
    if (isa<tensor::ExtractSliceOp, PermuteOp>(value.getDefiningOp()))
      whole = value.getDefiningOp()->getOperand(0);
  return {whole, source};
}

namespace {
/// What a group needs from outside, and gives.
struct Surroundings {
  Surroundings(ArrayRef<Operation *> ops, const Prologues &prologues)
      : ops(ops), prologues(prologues) {
    llvm::SmallDenseMap<Value, Value> readAs;
    for (Operation *op : ops)
      for (OpOperand &operand : op->getOpOperands()) {
        auto [tensor, root] = getWhole(operand.get());
        if (getMap(operand).isTile() &&
            readAs.try_emplace(root, tensor).first->second != tensor)
          reshaped.insert(root);
      }
    for (Operation *op : ops)
      for (OpOperand &operand : op->getOpOperands())
        read(operand.get(),
             readsTiles(operand) ? getRoot(operand) : operand.get());
    for (Operation *op : ops)
      for (OpResult result : op->getResults())
        if (isReadOutside(result))
          yielded.push_back(result);
    llvm::stable_sort(yielded,
                      [](Value a, Value b) { return isAmax(a) < isAmax(b); });
  }

  bool isInside(Operation *op) const {
    return op && (llvm::is_contained(ops, op) || copied.contains(op));
  }

  ArrayRef<Operation *> ops;
  const Prologues &prologues;
  SetVector<Value> inputs;
  SetVector<Operation *> copied; // constants, views and prologues
  SmallVector<Value> yielded;

private:
  llvm::SmallDenseSet<Value> reshaped; // read in several shapes

  /// A reshape of a whole buffer is a buffer; other views, and what is between
  /// two ops of the group or makes one tensor of two, go into the region.
  void read(Value value, Value root) {
    Operation *producer = value.getDefiningOp();
    if (isInside(producer))
      return;
    bool isCopied = isa_and_present<arith::ConstantOp>(producer);
    Value source = getSliceSource(value);
    bool isCopiedView =
        producer && isView(producer) &&
        (source || isInside(root.getDefiningOp()) || reshaped.contains(root));
    if (isCopiedView || prologues.ops.contains(producer)) {
      isCopied = true;
      for (Value operand : producer->getOperands())
        read(operand, source ? source : root);
    }
    if (isCopied)
      copied.insert(producer);
    else
      inputs.insert(value);
  }
  bool isReadOutside(Value value) const {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      return copied.contains(user) ? isReadOutside(user->getResult(0))
                                   : !isInside(user);
    });
  }
};
} // namespace

BuiltRegion te::buildRegion(OpBuilder &builder, ArrayRef<Operation *> ops,
                            StringRef kernel, const Prologues &prologues) {
  Surroundings region(ops, prologues);
  Location loc = ops.back()->getLoc();
  auto fusion = FusionOp::create(
      builder, loc, TypeRange(ValueRange(region.yielded)),
      region.inputs.getArrayRef(), /*inits=*/ValueRange(), kernel,
      ScheduleAttr(), ArrayAttr(), DenseI64ArrayAttr());
  Block &body = fusion.getBody().emplaceBlock();
  IRMapping mapping;
  for (Value input : region.inputs)
    mapping.map(input, body.addArgument(input.getType(), input.getLoc()));
  OpBuilder inside = OpBuilder::atBlockEnd(&body);
  SmallVector<Operation *> all(region.copied.getArrayRef());
  llvm::append_range(all, ops);
  llvm::sort(all,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : all)
    inside.clone(*op, mapping);
  YieldOp::create(inside, loc,
                  llvm::map_to_vector(region.yielded, [&](Value value) {
                    return mapping.lookup(value);
                  }));
  return {fusion, std::move(region.yielded)};
}
