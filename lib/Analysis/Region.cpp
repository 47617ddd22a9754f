//===- Region.cpp - ops that one kernel computes together -----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Analysis/Region.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/TypeSwitch.h"

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

bool te::isView(Operation *op) {
  return isa<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp>(op);
}

/// A reshape's source, where `fits` says yes to its groups of dimensions.
static Value
getReshaped(Value value,
            function_ref<bool(ArrayRef<ReassociationIndices>)> fits) {
  return llvm::TypeSwitch<Operation *, Value>(value.getDefiningOp())
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
  if (getExtent(operand) != Extent::Parts)
    return getTileRoot(operand.get());
  return stripReshapes(operand.get(),
                       [](ArrayRef<ReassociationIndices>) { return true; });
}

Value te::getSliceSource(Value value) {
  bool isSlice = false;
  while (Operation *view = value.getDefiningOp()) {
    if (!isView(view))
      break;
    isSlice |= isa<tensor::ExtractSliceOp>(view);
    value = view->getOperand(0);
  }
  return isSlice ? value : Value();
}

Extent te::getExtent(OpOperand &operand) {
  auto op = dyn_cast<TileLoweringInterface>(operand.getOwner());
  return op ? op.getOperandExtent(operand.getOperandNumber()) : Extent::Tile;
}

Extent te::getExtent(OpResult result) {
  auto op = dyn_cast<TileLoweringInterface>(result.getOwner());
  return op ? op.getResultExtent(result.getResultNumber()) : Extent::Tile;
}

bool te::isPerMatrix(Operation *op) {
  return llvm::any_of(
      llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()),
      [](Type type) {
        auto scaled = dyn_cast<ScaledType>(type);
        return scaled && scaled.getScaling().isPerMatrix();
      });
}

bool te::needsWholeRows(Operation *op) {
  auto tiled = dyn_cast<TileLoweringInterface>(op);
  return tiled && tiled.needsWholeRows();
}

bool te::needsWholeColumns(Operation *op) {
  auto tiled = dyn_cast<TileLoweringInterface>(op);
  return tiled && tiled.needsWholeColumns();
}

static bool readsRowStatistics(Operation *op) {
  auto tiled = dyn_cast<TileLoweringInterface>(op);
  return tiled && tiled.needsWholeRows() && tiled.readsRowStatistics();
}

SmallVector<Operation *> te::getProducers(ArrayRef<Operation *> ops,
                                          ArrayRef<Value> values) {
  llvm::SmallPtrSet<Operation *, 8> needed;
  for (Value value : values)
    needed.insert(value.getDefiningOp());
  for (Operation *op : llvm::reverse(ops))
    if (llvm::any_of(op->getUsers(),
                     [&](Operation *user) { return needed.contains(user); }))
      needed.insert(op);
  return llvm::filter_to_vector(
      ops, [&](Operation *op) { return needed.contains(op); });
}

SmallVector<Operation *> te::getStatisticOps(ArrayRef<Operation *> ops) {
  SmallVector<Value> read;
  for (Operation *op : ops)
    if (readsRowStatistics(op))
      llvm::append_range(read, op->getResults());
  return getProducers(ops, read);
}

SmallVector<Value> te::getKeptValues(ArrayRef<Operation *> ops) {
  llvm::SmallPtrSet<Operation *, 8> late; // depend on row statistics
  llvm::SetVector<Value> kept;
  for (Operation *op : ops) {
    bool reads = readsRowStatistics(op);
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *producer = operand.get().getDefiningOp();
      if (producer && late.contains(producer))
        late.insert(op);
      else if (reads && getExtent(operand) == Extent::Tile &&
               !(producer && isSplatConstant(producer)))
        kept.insert(operand.get());
    }
    if (reads)
      late.insert(op);
  }
  return kept.takeVector();
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
  if (extent == Extent::Shard)
    return sharded;
  ArrayRef<int64_t> shape = cast<ShapedType>(value.getType()).getShape();
  if (perMatrix)
    return flatten(shape.take_back(2));
  if (extent == Extent::Row) {
    SmallVector<int64_t> column(shape);
    column.push_back(1);
    return flatten(column);
  }
  auto extents = flatten(shape);
  if (extent == Extent::Wide && !ShapedType::isDynamic(extents.second))
    extents.second /= 2;
  return extents;
}

Anchor te::findAnchor(ArrayRef<Operation *> ops) {
  Anchor others[] = {{Value(), Extent::Wide},
                     {Value(), Extent::Row},
                     {Value(), Extent::Shard}};
  for (Operation *op : ops)
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *producer = getRoot(operand).getDefiningOp();
      if (producer &&
          (llvm::is_contained(ops, producer) || isSplatConstant(producer)))
        continue;
      if (getExtent(operand) == Extent::Tile)
        return {
            operand.get(), Extent::Tile, {}, llvm::any_of(ops, isPerMatrix)};
      for (Anchor &other : others) {
        if (getExtent(operand) != other.extent || other.value)
          continue;
        other.value = operand.get();
        if (other.extent == Extent::Shard)
          other.sharded = cast<TileLoweringInterface>(op).getShardedExtents();
      }
    }
  auto it = llvm::find_if(others, [](const Anchor &a) { return a.value; });
  return it == std::end(others) ? Anchor() : *it;
}

static SmallVector<Value> getTileValues(Operation *op) {
  SmallVector<Value> values;
  for (OpOperand &operand : op->getOpOperands())
    if (getExtent(operand) == Extent::Tile &&
        !(operand.get().getDefiningOp() &&
          isSplatConstant(operand.get().getDefiningOp())))
      values.push_back(getTileRoot(operand.get()));
  for (OpResult result : op->getResults())
    if (getExtent(result) == Extent::Tile)
      values.push_back(result);
  return values;
}

/// M and K of an op's tiles, where both are known.
static std::optional<std::pair<int64_t, int64_t>> getStatic(Operation *op) {
  Anchor anchor = findAnchor(op);
  // Matrices, or shards, of one size say nothing about how many there are, and
  // where they lie.
  if (!anchor.value || anchor.perMatrix || anchor.extent == Extent::Shard ||
      !cast<ShapedType>(anchor.value.getType()).hasStaticShape())
    return std::nullopt;
  return anchor.getExtents();
}

SmallVector<SmallVector<Operation *>> te::getParts(ArrayRef<Operation *> ops) {
  // Ops have one extent where they share a value that has it, or where both are
  // static and the same.
  llvm::EquivalenceClasses<Operation *> classes;
  llvm::SmallDenseMap<Value, Operation *> byValue;
  std::map<std::pair<int64_t, int64_t>, Operation *> byExtent;
  SmallVector<Operation *> tiled;
  for (Operation *op : ops) {
    SmallVector<Value> values = getTileValues(op);
    auto extent = getStatic(op);
    if (values.empty() && !extent && !findAnchor(op).value)
      continue;
    tiled.push_back(op);
    classes.insert(op);
    for (Value value : values)
      classes.unionSets(op, byValue.try_emplace(value, op).first->second);
    if (Operation *wide = getWideProducer(op); llvm::is_contained(ops, wide)) {
      classes.unionSets(op, wide);
      continue;
    }
    if (extent)
      classes.unionSets(op, byExtent.try_emplace(*extent, op).first->second);
  }
  llvm::MapVector<Operation *, SmallVector<Operation *>> parts;
  for (Operation *op : tiled)
    parts[classes.getLeaderValue(op)].push_back(op);
  return llvm::to_vector(llvm::make_second_range(parts));
}

/// What ties a part to others: tensors that it reads slices of, and those that
/// it writes parts of.
static SmallVector<Value> getTies(ArrayRef<Operation *> part,
                                  ArrayRef<Operation *> ops) {
  SmallVector<Value> ties;
  for (Operation *op : part)
    for (OpOperand &operand : op->getOpOperands())
      if (Value source = getSliceSource(operand.get());
          source && getExtent(operand) == Extent::Tile)
        ties.push_back(source);
  for (Operation *op : ops)
    for (OpOperand &operand : op->getOpOperands())
      if (getExtent(operand) == Extent::Parts &&
          llvm::is_contained(part, getRoot(operand).getDefiningOp()))
        ties.push_back(op->getResult(0));
  return ties;
}

/// The first op of a part that is not tied to the first part.
static Operation *findStranger(ArrayRef<SmallVector<Operation *>> parts,
                               ArrayRef<Operation *> ops) {
  llvm::SmallDenseSet<Value> known;
  SmallVector<bool> reached(parts.size());
  for (bool grows = true; grows;) {
    grows = false;
    for (auto [part, isReached] : llvm::zip_equal(parts, reached)) {
      SmallVector<Value> ties = getTies(part, ops);
      bool joins = &part == parts.begin() || llvm::any_of(ties, [&](Value v) {
        return known.contains(v);
      });
      if (isReached || !joins)
        continue;
      isReached = grows = true;
      known.insert(ties.begin(), ties.end());
    }
  }
  auto it = llvm::find(reached, false);
  return it == reached.end() ? nullptr : parts[it - reached.begin()].front();
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

Operation *te::getWideProducer(Operation *op) {
  if (!isa<QuantizeOp, AmaxOp>(op))
    return nullptr;
  auto result = dyn_cast<OpResult>(op->getOperand(0));
  return result && isRegionOp(result.getOwner()) &&
                 getExtent(result) == Extent::Wide
             ? result.getOwner()
             : nullptr;
}

/// Why an op can't read both halves of a wide result of its own region.
static std::optional<std::string> whyNotWide(Operation *op) {
  int64_t wide =
      cast<ShapedType>(op->getOperand(0).getType()).getShape().back();
  if (ShapedType::isDynamic(wide) || wide % (2 * kWideUnit) != 0)
    return "F4: reads a result of two halves, whose length is not known to be "
           "a multiple of " +
           std::to_string(kWideUnit) +
           "; put the two into regions of their own";
  auto gated = cast<GatedActivationBwdOp>(getWideProducer(op));
  if (gated.getInterleave() != 0)
    return std::string("F4: reads a result of two halves that lie interleaved; "
                       "put the two into regions of their own");
  if (needsWholeRows(op) || isPerMatrix(op))
    return std::string("F4: a row or a matrix by itself is more than a half of "
                       "the result that is read; put the two into regions of "
                       "their own");
  return std::nullopt;
}

/// F4: what stays inside of the region stays in registers.
static std::optional<Conflict> findEscape(ArrayRef<Operation *> ops) {
  for (Operation *op : ops)
    for (OpOperand &operand : op->getOpOperands()) {
      Value root = getRoot(operand);
      Operation *producer = root.getDefiningOp();
      Extent extent = getExtent(operand);
      if (producer && isView(producer) && isa<FusionOp>(op->getParentOp()) &&
          extent != Extent::Tile && extent != Extent::Parts)
        return Conflict{op,
                        ("F4: operand #" + Twine(operand.getOperandNumber()) +
                         " is a view, but is not read by tiles of its own "
                         "shape; te.copy it outside of the region")
                            .str()};
      if (producer && llvm::is_contained(ops, producer) &&
          operand.getOperandNumber() == 0 && getWideProducer(op) == producer) {
        if (std::optional<std::string> why = whyNotWide(op))
          return Conflict{op, *why};
        continue;
      }
      if (!producer || !llvm::is_contained(ops, producer) ||
          (isTileValue(root) &&
           (extent == Extent::Tile || extent == Extent::Parts)))
        continue;
      return Conflict{
          op, ("F4: reads a result of '" + producer->getName().getStringRef() +
               "' in its own region, which is complete only when the kernel "
               "ends; put the two into regions of their own")
                  .str()};
    }
  return std::nullopt;
}

/// The shape of an op's first tile.
static ArrayRef<int64_t> getTileShape(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (getExtent(operand) == Extent::Tile)
      return cast<ShapedType>(operand.get().getType()).getShape();
  return {};
}

/// Where one op takes each matrix by itself: an op that could not, or that has
/// tensors of another shape, or reads a view.
static Operation *findWholeTensorOp(ArrayRef<Operation *> ops) {
  auto each = llvm::find_if(ops, isPerMatrix);
  if (each == ops.end())
    return nullptr;
  ArrayRef<int64_t> shape = getTileShape(*each);
  // Of a buffer as a whole, outside of a region, it is a buffer.
  auto readsView = [&](OpOperand &operand) {
    Operation *view = operand.get().getDefiningOp();
    return view && isView(view) &&
           (getSliceSource(operand.get()) ||
            view->getParentOfType<FusionOp>() ||
            llvm::is_contained(ops, getRoot(operand).getDefiningOp()));
  };
  auto it = llvm::find_if(ops, [&](Operation *op) {
    bool isWhole =
        isa<TileLoweringInterface>(op) && !isa<AmaxOp>(op) && !isPerMatrix(op);
    return isWhole || getTileShape(op) != shape ||
           llvm::any_of(op->getOpOperands(), readsView);
  });
  return it == ops.end() ? nullptr : *it;
}

/// F7: parts of one region share a schedule and its grid.
static std::optional<Conflict>
findUneven(ArrayRef<SmallVector<Operation *>> parts) {
  if (parts.size() < 2)
    return std::nullopt;
  for (ArrayRef<Operation *> part : parts) {
    if (ShapedType::isDynamic(findAnchor(part).getExtents().second))
      return Conflict{part.front(),
                      "F7: parts of one region have rows of a known length; "
                      "give the last dimension a static size, or put the "
                      "parts into regions of their own"};
    for (Operation *op : part)
      for (OpResult result : op->getResults())
        if (Extent extent = getExtent(result);
            !result.use_empty() &&
            (extent == Extent::Column || extent == Extent::WideColumn))
          return Conflict{op, "F7: sums over all rows are for a region of one "
                              "part; put the parts into regions of their own"};
  }
  return std::nullopt;
}

std::optional<Conflict> te::findConflict(ArrayRef<Operation *> ops) {
  if (ops.empty())
    return std::nullopt;
  if (std::optional<Conflict> escape = findEscape(ops))
    return escape;
  auto walker = llvm::find_if(ops, needsWholeColumns);
  if (walker != ops.end() && ops.size() > 1)
    return Conflict{*walker,
                    "F8: walks down whole columns, tile after tile; such an op "
                    "is alone in its region"};
  if (Operation *other = findWholeTensorOp(ops))
    return Conflict{other, "F9: walks over the tensor as one matrix, but an op "
                           "of the region over its matrices, one by one "
                           "(per = matrix); put the two into regions of their "
                           "own"};
  SmallVector<SmallVector<Operation *>> parts = getParts(ops);
  if (Operation *stranger = findStranger(parts, ops))
    return Conflict{
        stranger, ("F5: walks over another tensor than '" +
                   ops.front()->getName().getStringRef() +
                   "', of a size that may differ; put the two into regions of "
                   "their own")
                      .str()};
  if (std::optional<Conflict> conflict = findUneven(parts))
    return conflict;
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
    if (!isSplatConstant(&op) && !isView(&op))
      ops.push_back(&op);
  return ops;
}
