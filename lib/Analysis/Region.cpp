//===- Region.cpp - ops that one kernel computes together -----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Analysis/Region.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::te;

/// Elementwise on tensors of one shape, with one result.
static bool isElementwise(Operation *op) {
  if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() != 1 ||
      op->getNumOperands() == 0)
    return false;
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!result || result.getRank() == 0)
    return false;
  return llvm::all_of(op->getOperandTypes(), [&](Type type) {
    auto operand = dyn_cast<RankedTensorType>(type);
    return operand && operand.getShape() == result.getShape();
  });
}

bool te::isRegionOp(Operation *op) {
  return isa<TileLoweringInterface>(op) || isElementwise(op);
}

bool te::isSplatConstant(Operation *op) {
  DenseElementsAttr value;
  return matchPattern(op, m_Constant(&value)) && value.isSplat();
}

Extent te::getExtent(OpOperand &operand) {
  auto op = dyn_cast<TileLoweringInterface>(operand.getOwner());
  return op ? op.getOperandExtent(operand.getOperandNumber()) : Extent::Tile;
}

Extent te::getExtent(OpResult result) {
  auto op = dyn_cast<TileLoweringInterface>(result.getOwner());
  return op ? op.getResultExtent(result.getResultNumber()) : Extent::Tile;
}

bool te::needsWholeRows(Operation *op) {
  auto tiled = dyn_cast<TileLoweringInterface>(op);
  return tiled && tiled.needsWholeRows();
}

int64_t te::getSharedRows(ArrayRef<Operation *> ops) {
  constexpr int64_t kMost = 4; // more take registers, and save little
  int64_t rows = 1;
  for (Operation *op : ops)
    if (auto tiled = dyn_cast<TileLoweringInterface>(op))
      rows = std::max(rows, std::min(tiled.getSharedRows(), kMost));
  return rows;
}

Value te::getNoopFlag(Operation *op) {
  auto tiled = dyn_cast<TileLoweringInterface>(op);
  return tiled ? tiled.getNoopFlag() : Value();
}

bool te::isAmax(Value value) {
  auto result = dyn_cast<OpResult>(value);
  return result && isa<QuantizeOp, AmaxOp>(result.getOwner()) &&
         getExtent(result) == Extent::Scalar;
}

bool te::isTileValue(Value value) {
  auto result = dyn_cast<OpResult>(value);
  return result && isRegionOp(result.getOwner()) &&
         getExtent(result) == Extent::Tile &&
         isa<RankedTensorType>(result.getType());
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

std::pair<int64_t, int64_t> Anchor::getExtents() const {
  auto extents = flatten(cast<ShapedType>(value.getType()).getShape());
  if (isWide && !ShapedType::isDynamic(extents.second))
    extents.second /= 2;
  return extents;
}

Anchor te::findAnchor(ArrayRef<Operation *> ops) {
  Anchor wide;
  for (Operation *op : ops)
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *producer = operand.get().getDefiningOp();
      if (producer &&
          (llvm::is_contained(ops, producer) || isSplatConstant(producer)))
        continue;
      if (getExtent(operand) == Extent::Tile)
        return {operand.get(), false};
      if (getExtent(operand) == Extent::Wide && !wide.value)
        wide = {operand.get(), true};
    }
  return wide;
}

static SmallVector<Value> getTileValues(Operation *op) {
  SmallVector<Value> values;
  for (OpOperand &operand : op->getOpOperands())
    if (getExtent(operand) == Extent::Tile &&
        !(operand.get().getDefiningOp() &&
          isSplatConstant(operand.get().getDefiningOp())))
      values.push_back(operand.get());
  for (OpResult result : op->getResults())
    if (getExtent(result) == Extent::Tile)
      values.push_back(result);
  return values;
}

/// M and K of an op's tiles, where both are known.
static std::optional<std::pair<int64_t, int64_t>> getStatic(Operation *op) {
  Anchor anchor = findAnchor(op);
  if (!anchor.value ||
      !cast<ShapedType>(anchor.value.getType()).hasStaticShape())
    return std::nullopt;
  return anchor.getExtents();
}

/// An op that is not known to have the first one's M x K extent: ops have the
/// same where they share a value that has it, or where both are static.
static Operation *findStranger(ArrayRef<Operation *> ops) {
  llvm::SmallDenseSet<Value> known;
  llvm::SmallPtrSet<Operation *, 8> reached;
  auto extent = getStatic(ops.front());
  for (bool grows = true; grows;) {
    grows = false;
    for (Operation *op : ops) {
      SmallVector<Value> values = getTileValues(op);
      bool joins =
          op == ops.front() || (extent && getStatic(op) == extent) ||
          llvm::any_of(values, [&](Value v) { return known.contains(v); });
      if (!joins || !reached.insert(op).second)
        continue;
      known.insert(values.begin(), values.end());
      grows = true;
    }
  }
  auto it =
      llvm::find_if(ops, [&](Operation *op) { return !reached.contains(op); });
  return it == ops.end() ? nullptr : *it;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// F4: what stays inside of the region stays in registers.
static std::optional<Conflict> findEscape(ArrayRef<Operation *> ops) {
  for (Operation *op : ops)
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *producer = operand.get().getDefiningOp();
      if (!producer || !llvm::is_contained(ops, producer) ||
          (isTileValue(operand.get()) && getExtent(operand) == Extent::Tile))
        continue;
      return Conflict{
          op, ("F4: reads a result of '" + producer->getName().getStringRef() +
               "' in its own region, which is complete only when the kernel "
               "ends; put the two into regions of their own")
                  .str()};
    }
  return std::nullopt;
}

std::optional<Conflict> te::findConflict(ArrayRef<Operation *> ops) {
  if (ops.empty())
    return std::nullopt;
  if (std::optional<Conflict> escape = findEscape(ops))
    return escape;
  if (Operation *stranger = findStranger(ops))
    return Conflict{
        stranger, ("F5: walks over another tensor than '" +
                   ops.front()->getName().getStringRef() +
                   "', of a size that may differ; put the two into regions of "
                   "their own")
                      .str()};
  auto flagged = llvm::find_if(ops, llvm::IsaPred<TileLoweringInterface>);
  unsigned amaxes = 0;
  for (Operation *op : ops) {
    if (isa<TileLoweringInterface>(op) &&
        getNoopFlag(op) != getNoopFlag(*flagged))
      return Conflict{op, ("F6: has another noop flag than '" +
                           (*flagged)->getName().getStringRef() +
                           "'; the ops of a region run, or do not, together")
                              .str()};
    for (OpResult result : op->getResults())
      amaxes += isAmax(result) && !result.use_empty();
    if (amaxes > 1)
      return Conflict{op, "F3: a region has at most one amax"};
  }
  return std::nullopt;
}

SmallVector<Operation *> te::getRegionOps(FusionOp fusion) {
  SmallVector<Operation *> ops;
  for (Operation &op : fusion.getBody().front().without_terminator())
    if (!isSplatConstant(&op))
      ops.push_back(&op);
  return ops;
}
