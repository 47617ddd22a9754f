//===- Region.cpp - ops that one kernel computes together -----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Region/Region.h"

#include "te/Region/Contraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace mlir::te;

/// Elementwise on tensors of one shape, with one result.
bool te::isElementwise(Operation *op) {
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
  return isa<IterationSpaceInterface, tensor::ConcatOp>(op) ||
         isElementwise(op);
}

static bool isSplatConstant(Value value) {
  DenseElementsAttr elements;
  return matchPattern(value, m_Constant(&elements)) && elements.isSplat();
}

bool te::isImmediate(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (!isRegionOp(op) || !isSplatConstant(operand.get()))
    return false;
  IndexMap map = getMap(operand);
  if (map.isTile()) // another operand says how large the tiles are
    return isElementwise(op) &&
           !llvm::all_of(op->getOperands(), isSplatConstant);
  if (map.isRow() || map.isColumn())
    return !needsWholeColumns(op) && !isa<GemmOp, GemmSumOp>(op);
  return map.isScalar() &&
         cast<ShapedType>(operand.get().getType()).getRank() == 0 &&
         operand.get() != getNoopFlag(op);
}

/// True for an op that computes the same way on tiles of any orientation.
static bool canTranspose(Operation *op) {
  auto fits = [](IndexMap map) { return map.isTile() || map.isScalar(); };
  return isRegionOp(op) && !needsWholeRows(op) && !needsWholeColumns(op) &&
         llvm::all_of(op->getOpOperands(),
                      [&](OpOperand &o) { return fits(getMap(o)); }) &&
         llvm::all_of(op->getResults(), [&](OpResult result) {
           return result.use_empty() || fits(getMap(result));
         });
}

llvm::SmallPtrSet<Operation *, 4>
te::getTransposedOps(ArrayRef<Operation *> ops) {
  llvm::SmallPtrSet<Operation *, 4> transposed;
  auto isRead = [&](Value tile) { // as it is
    return llvm::any_of(ops, [&](Operation *op) {
      return llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
        return getMap(operand).isTile() && getRoot(operand) == tile;
      });
    });
  };
  auto transposes = [&](OpOperand &operand) {
    if (Value source = getTransposedSource(operand.get()))
      return llvm::is_contained(ops, source.getDefiningOp()) || isRead(source);
    return transposed.contains(getRoot(operand).getDefiningOp());
  };
  for (Operation *op : ops) {
    if (!canTranspose(op))
      continue;
    bool all = true, any = false;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!getMap(operand).isTile() || isImmediate(operand))
        continue;
      bool isTransposed = transposes(operand);
      all &= isTransposed;
      any |= isTransposed;
    }
    if (all && any)
      transposed.insert(op);
  }
  return transposed;
}

/// Takes each matrix by itself as its types say.
static bool hasMatrixTypes(Operation *op) {
  return llvm::any_of(
      llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()),
      [](Type type) {
        auto scaled = dyn_cast<ScaledType>(type);
        return scaled && scaled.getScaling().isPerMatrix();
      });
}

bool te::readsTransposedMatrices(Operation *op) {
  return isElementwise(op) || isa<CopyOp, AmaxOp>(op) || hasMatrixTypes(op);
}

IndexMap te::getMap(OpOperand &operand) {
  if (auto op = dyn_cast<IterationSpaceInterface>(operand.getOwner()))
    return op.getOperandMap(operand.getOperandNumber());
  return isa<tensor::ConcatOp>(operand.getOwner()) ? "+" : "mn";
}

IndexMap te::getMap(OpResult result) {
  if (auto op = dyn_cast<IterationSpaceInterface>(result.getOwner()))
    return op.getResultMap(result.getResultNumber());
  return isa<tensor::ConcatOp>(result.getOwner()) ? "+" : "mn";
}

bool te::readsTiles(OpOperand &operand) {
  IndexMap map = getMap(operand);
  return map.isTile() || map.isInserted();
}

bool te::isPerMatrix(Operation *op) {
  if (auto gemm = dyn_cast<GemmOp>(op))
    return gemm.isBatched() || gemm.getSplitK();
  return llvm::any_of(op->getOperands(), isTransposedByMatrix) ||
         hasMatrixTypes(op);
}

bool te::readsWholeRows(Operation *op) {
  return llvm::any_of(op->getOpOperands(), [](OpOperand &operand) {
    return getMap(operand).readsWholeRows();
  });
}

bool te::needsWholeRows(Operation *op) {
  // A number a row is a sum over what there are tiles of.
  return readsWholeRows(op) ||
         (llvm::any_of(
              op->getResults(),
              [](OpResult result) { return getMap(result).isRow(); }) &&
          llvm::any_of(op->getOpOperands(), [](OpOperand &operand) {
            return getMap(operand).isTile();
          }));
}

bool te::needsWholeColumns(Operation *op) {
  return llvm::any_of(op->getOpOperands(), [](OpOperand &operand) {
    return getMap(operand).readsWholeColumns();
  });
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
    if (readsWholeRows(op))
      llvm::append_range(read, op->getResults());
  return getProducers(ops, read);
}

SmallVector<Value> te::getKeptValues(ArrayRef<Operation *> ops) {
  llvm::SmallPtrSet<Operation *, 8> late; // depend on row statistics
  llvm::SetVector<Value> kept;
  for (Operation *op : ops) {
    bool reads = readsWholeRows(op);
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *producer = operand.get().getDefiningOp();
      if (producer && late.contains(producer))
        late.insert(op);
      else if (getMap(operand).readsWholeRows() && !isImmediate(operand))
        kept.insert(operand.get());
    }
    if (reads)
      late.insert(op);
  }
  return kept.takeVector();
}

Value te::getNoopFlag(Operation *op) {
  auto space = dyn_cast<IterationSpaceInterface>(op);
  return space ? space.getNoopFlag() : Value();
}

bool te::isAmax(Value value) {
  auto result = dyn_cast<OpResult>(value);
  return result && isa<QuantizeOp, AmaxOp>(result.getOwner()) &&
         getMap(result).isScalar();
}

bool te::isTileValue(Value value) {
  auto result = dyn_cast<OpResult>(value);
  return result && isRegionOp(result.getOwner()) && getMap(result).isTile() &&
         isa<RankedTensorType>(result.getType());
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

std::pair<int64_t, int64_t> Anchor::getExtents() const {
  if (map.isRun())
    return whole;
  ArrayRef<int64_t> shape = cast<ShapedType>(value.getType()).getShape();
  if (map.isPartialSums())
    return flatten(shape.drop_front());
  if (map.isTileOfMany())
    return {shape[*map.find('m')], shape[*map.find('n')]};
  if (perMatrix)
    return flatten(shape.take_back(2));
  if (map.isRow()) {
    SmallVector<int64_t> column(shape);
    column.push_back(1);
    return flatten(column);
  }
  auto extents = flatten(shape);
  if (map.isHalves() && !ShapedType::isDynamic(extents.second))
    extents.second /= 2;
  return extents;
}

SmallVector<unsigned> Anchor::getMatrixDims() const {
  if (!perMatrix)
    return {};
  if (map.isPartialSums())
    return {0};
  unsigned rank = cast<ShapedType>(value.getType()).getRank();
  if (!map.isTileOfMany())
    return llvm::to_vector(llvm::seq(0u, rank - 2));
  return llvm::filter_to_vector(llvm::seq(0u, rank), [&](unsigned dim) {
    return dim != map.find('m') && dim != map.find('n');
  });
}

GemmOp te::findGemm(ArrayRef<Operation *> ops) {
  auto it = llvm::find_if(ops, llvm::IsaPred<GemmOp>);
  return it == ops.end() ? GemmOp() : cast<GemmOp>(*it);
}

/// Rows that are before those that there are splits of.
static int64_t getFirstRow(GemmSumOp sum) {
  auto splits = cast<RankedTensorType>(sum.getPartials().getType());
  ArrayRef<int64_t> shape = sum.getResult().getType().getShape();
  return splits.hasStaticShape() && !ShapedType::isDynamicShape(shape)
             ? flatten(shape).first -
                   flatten(splits.getShape().drop_front()).first
             : 0;
}

int64_t te::getFirstRow(ArrayRef<Operation *> ops) {
  auto it = llvm::find_if(ops, llvm::IsaPred<GemmSumOp>);
  return it == ops.end() ? 0 : ::getFirstRow(cast<GemmSumOp>(*it));
}

static bool isGateOf(Operation *op, Operation *product) {
  auto gate = dyn_cast<GatedActivationOp>(op);
  return gate && gate.getInput() == product->getResult(0) &&
         gate->getBlock() == product->getBlock();
}

static GatedActivationOp findGateAmong(ArrayRef<Operation *> ops,
                                       Operation *product) {
  auto it =
      llvm::find_if(ops, [&](Operation *op) { return isGateOf(op, product); });
  return it == ops.end() ? GatedActivationOp() : cast<GatedActivationOp>(*it);
}

GatedActivationOp te::findGate(ArrayRef<Operation *> ops) {
  auto product = llvm::find_if(ops, llvm::IsaPred<GemmOp, GemmSumOp>);
  return product == ops.end() ? GatedActivationOp()
                              : findGateAmong(ops, *product);
}

GatedActivationOp te::findGate(Operation *product) {
  return findGateAmong(
      SmallVector<Operation *>(product->getResult(0).getUsers()), product);
}

bool te::isConversion(Operation *op) {
  bool isCast =
      isa<arith::ExtFOp, arith::TruncFOp>(op) && isElementwise(op) &&
      getElementTypeOrSelf(op->getOperand(0)).getIntOrFloatBitWidth() >= 16;
  if (auto truncate = dyn_cast<arith::TruncFOp>(op)) // not to fp8
    isCast &=
        getElementTypeOrSelf(truncate.getType()).getIntOrFloatBitWidth() >= 16;
  auto isFactor = [&](OpOperand &use) {
    return isa<GemmOp>(use.getOwner()) && use.getOperandNumber() < 2 &&
           use.getOwner() == *op->user_begin();
  };
  return (isCast || isa<DequantizeOp>(op)) && !op->use_empty() &&
         llvm::all_of(op->getUses(), isFactor);
}

bool te::isPrologue(Operation *op) {
  return isa_and_present<FusionOp>(op->getParentOp()) && isConversion(op);
}

Value te::getSource(Value operand) {
  Operation *producer = operand.getDefiningOp();
  return producer && isPrologue(producer) ? producer->getOperand(0) : operand;
}

bool te::hasPrologue(GemmOp gemm) {
  return getSource(gemm.getA()) != gemm.getA() ||
         getSource(gemm.getB()) != gemm.getB();
}

Anchor te::findAnchor(ArrayRef<Operation *> all) {
  llvm::SmallPtrSet<Operation *, 4> transposed = getTransposedOps(all);
  SmallVector<Operation *> ops = llvm::filter_to_vector(
      all, [&](Operation *op) { return !transposed.contains(op); });
  if (GemmOp gemm = findGemm(ops))
    return {gemm.getResult(),
            findGate(ops) ? IndexMap("m(hn)")
                          : getMap(cast<OpResult>(gemm.getResult())),
            {},
            llvm::any_of(ops, isPerMatrix)};
  if (Contraction contraction = findContraction(ops))
    return {contraction.op->getResult(0), "mn"};
  for (Operation *op : ops)
    for (OpResult result : op->getResults())
      if (IndexMap map = getMap(result); map.isTileOfMany())
        return {result, map, {}, /*perMatrix=*/true};
  GatedActivationOp gate = findGate(ops);
  for (Operation *op : ops)
    if (auto sum = dyn_cast<GemmSumOp>(op);
        sum && (gate || ::getFirstRow(sum) > 0))
      return {sum.getResult(), gate ? "m(hn)" : "mn"};
  Anchor others[] = {
      {Value(), "m(hn)"}, {Value(), "m"}, {Value(), "(mn)"}, {Value(), "smn"}};
  for (Operation *op : ops)
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *producer = getRoot(operand).getDefiningOp();
      if (isImmediate(operand) ||
          (producer && llvm::is_contained(ops, producer)))
        continue;
      IndexMap map = getMap(operand);
      if (map.isTile())
        return {operand.get(), "mn", {}, llvm::any_of(ops, isPerMatrix)};
      for (Anchor &other : others) {
        if (!map.hasSameDims(other.map) || other.value)
          continue;
        other.value = operand.get();
        if (map.isRun())
          other.whole = cast<IterationSpaceInterface>(op).getWholeSizes();
      }
    }
  auto it = llvm::find_if(others, [](const Anchor &a) { return a.value; });
  return it == std::end(others) ? Anchor() : *it;
}

static SmallVector<Value> getTileValues(Operation *op) {
  SmallVector<Value> values;
  for (OpOperand &operand : op->getOpOperands())
    if (getMap(operand).isTile() && !isImmediate(operand))
      values.push_back(getTileRoot(operand.get()));
  for (OpResult result : op->getResults())
    if (getMap(result).isTile())
      values.push_back(result);
  return values;
}

/// M and K of an op's tiles, where both are known.
static std::optional<std::pair<int64_t, int64_t>> getStatic(Operation *op) {
  Anchor anchor = findAnchor(op);
  // Matrices, or shards, of one size say nothing about how many there are, and
  // where they lie.
  if (!anchor.value || anchor.perMatrix || anchor.map.isRun() ||
      !cast<ShapedType>(anchor.value.getType()).hasStaticShape())
    return std::nullopt;
  return anchor.getExtents();
}

SmallVector<SmallVector<Operation *>>
te::getSubkernels(ArrayRef<Operation *> ops) {
  // Ops have one extent where they share a value that has it, or where both are
  // static and the same.
  llvm::EquivalenceClasses<Operation *> classes;
  llvm::SmallDenseMap<Value, Operation *> byValue;
  std::map<std::pair<int64_t, int64_t>, Operation *> byExtent;
  SmallVector<Operation *> tiled;
  llvm::SmallPtrSet<Operation *, 4> transposed = getTransposedOps(ops);
  GatedActivationOp gate = findGate(ops);
  for (Operation *op : ops) {
    SmallVector<Value> values = getTileValues(op);
    auto extent = getStatic(op);
    if (values.empty() && !extent && !findAnchor(op).value)
      continue;
    tiled.push_back(op);
    classes.insert(op);
    if (needsWholeColumns(op)) // goes down its own
      continue;
    if (transposed.contains(op)) {
      for (Value &value : values)
        if (Value source = getTransposedSource(value))
          value = source;
      extent.reset(); // of other ops' columns and rows
    }
    for (Value value : values)
      classes.unionSets(op, byValue.try_emplace(value, op).first->second);
    if (Operation *wide = getWideProducer(op); llvm::is_contained(ops, wide)) {
      classes.unionSets(op, wide);
      continue;
    }
    if (gate && isa<GemmOp, GemmSumOp>(op)) {
      classes.insert(gate);
      classes.unionSets(op, gate);
      continue;
    }
    if (extent)
      classes.unionSets(op, byExtent.try_emplace(*extent, op).first->second);
  }
  llvm::MapVector<Operation *, SmallVector<Operation *>> subkernels;
  for (Operation *op : tiled)
    subkernels[classes.getLeaderValue(op)].push_back(op);
  return llvm::to_vector(llvm::make_second_range(subkernels));
}

SmallVector<Operation *> te::getRegionOps(FusionOp fusion) {
  SmallVector<Operation *> ops;
  for (Operation &op : fusion.getBody().front().without_terminator())
    if (!isa<arith::ConstantOp>(op) && !isView(&op) && !isPrologue(&op))
      ops.push_back(&op);
  return ops;
}
