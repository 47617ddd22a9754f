//===- RegionRules.cpp - what may share a region --------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// findConflict: rules F3 to F12 of docs/spec.md.
//
//===----------------------------------------------------------------------===//

#include "te/Region/Contraction.h"
#include "te/Region/Region.h"
#include "te/Region/StorageOrder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::te;

/// What ties a subkernel to others: tensors that it reads slices of, and
/// concats whose operands it writes.
static SmallVector<Value> getTies(ArrayRef<Operation *> subkernel,
                                  ArrayRef<Operation *> ops) {
  SmallVector<Value> ties;
  for (Operation *op : subkernel)
    for (OpOperand &operand : op->getOpOperands())
      if (Value source = getSliceSource(operand.get());
          source && getMap(operand).isTile())
        ties.push_back(source);
  for (Operation *op : ops)
    for (OpOperand &operand : op->getOpOperands())
      if (getMap(operand).isInserted() &&
          llvm::is_contained(subkernel, getRoot(operand).getDefiningOp()))
        ties.push_back(op->getResult(0));
  return ties;
}

/// The first op of a subkernel that is not tied to the first subkernel.
static Operation *findStranger(ArrayRef<SmallVector<Operation *>> subkernels,
                               ArrayRef<Operation *> ops) {
  llvm::SmallDenseSet<Value> known;
  SmallVector<bool> reached(subkernels.size());
  for (bool grows = true; grows;) {
    grows = false;
    for (auto [subkernel, isReached] : llvm::zip_equal(subkernels, reached)) {
      SmallVector<Value> ties = getTies(subkernel, ops);
      bool joins =
          &subkernel == subkernels.begin() ||
          llvm::any_of(ties, [&](Value v) { return known.contains(v); });
      if (isReached || !joins)
        continue;
      isReached = grows = true;
      known.insert(ties.begin(), ties.end());
    }
  }
  auto it = llvm::find(reached, false);
  return it == reached.end() ? nullptr
                             : subkernels[it - reached.begin()].front();
}

Operation *te::getWideProducer(Operation *op) {
  if (!isa<QuantizeOp, AmaxOp>(op))
    return nullptr;
  auto result = dyn_cast<OpResult>(op->getOperand(0));
  return result && isRegionOp(result.getOwner()) && getMap(result).isHalves()
             ? result.getOwner()
             : nullptr;
}

/// Why an op can't read both halves of a wide result of its own region.
static std::optional<std::string> whyNotWide(Operation *op) {
  int64_t wide =
      cast<ShapedType>(op->getOperand(0).getType()).getShape().back();
  if (ShapedType::isDynamic(wide) || wide % (2 * kWideUnit) != 0)
    return "reads a result of two halves, whose length is not known to be "
           "a multiple of " +
           std::to_string(kWideUnit) +
           "; move the two into regions of their own (F4)";
  auto gated = cast<GatedActivationBwdOp>(getWideProducer(op));
  if (gated.getInterleave() != 0)
    return std::string("reads a result of two halves that lie interleaved; "
                       "move the two into regions of their own (F4)");
  if (needsWholeRows(op) || isPerMatrix(op))
    return std::string("a row or a matrix by itself is more than a half of "
                       "the result that is read; move the two into regions of "
                       "their own (F4)");
  return std::nullopt;
}

/// Why a te.gemm can't have the columns of every other run in one tile.
static std::optional<std::string> whyNotRuns(GemmOp gemm, int64_t run) {
  if (!llvm::isPowerOf2_64(run) && run % kWideUnit != 0)
    return "reads the result of te.gemm in runs of " + std::to_string(run) +
           " columns, neither a power of two nor a multiple of " +
           std::to_string(kWideUnit) +
           "; move the two into regions of their own (F10)";
  auto scaled = dyn_cast<ScaledType>(getSource(gemm.getB()).getType());
  bool liesByColumns = gemm.getTransposeB();
  if (scaled) {
    ScalingAttr scaling = scaled.getScaling();
    liesByColumns &= !scaling.isTransposed() && !getDataOrder(scaled) &&
                     !getScaleOrder(scaled) &&
                     (!scaling.isBlock() ||
                      (scaling.getBlockRows() == 1 &&
                       scaled.getScaleStorage().front().firstDim == 0));
  }
  if (liesByColumns)
    return std::nullopt;
  return std::string(
      "reads the result of te.gemm in runs of columns, but B does not lie "
      "row by row, each a column of the result with a row of scales (N x K, "
      "transpose_b, linear); move the two into regions of their own (F10)");
}

/// Why an op can't read the halves of a te.gemm's result where it is computed.
static std::optional<std::string> whyNotGate(GatedActivationOp gate) {
  auto hasMore = [](auto product) {
    return product.getAux() || product.getGelu() || product.getDgelu() ||
           product.getAccumulate();
  };
  auto gemm = gate.getInput().getDefiningOp<GemmOp>();
  bool isMore = gemm ? gemm.isBatched() || gemm.getSplitK() || hasMore(gemm)
                     : hasMore(gate.getInput().getDefiningOp<GemmSumOp>());
  if (isMore)
    return std::string(
        "reads halves of the result of a te.gemm of pairs or with split_k, or "
        "whose epilogue is more than alpha and a bias; move the two into "
        "regions of their own (F10)");
  int64_t wide = cast<ShapedType>(gate.getInput().getType()).getShape().back();
  if (ShapedType::isDynamic(wide) || wide % (2 * kWideUnit) != 0)
    return "reads halves of the result of te.gemm, whose length is not "
           "known to be a multiple of " +
           std::to_string(kWideUnit) +
           "; move the two into regions of their own (F10)";
  if (int64_t run = gate.getInterleave(); run && gemm)
    return whyNotRuns(gemm, run);
  return std::nullopt;
}

/// F4: what stays inside of the region stays in registers.
static std::optional<Conflict> findEscape(ArrayRef<Operation *> ops) {
  llvm::SmallPtrSet<Operation *, 4> transposed = getTransposedOps(ops);
  llvm::SmallPtrSet<Operation *, 16> inside(llvm::from_range, ops);
  GatedActivationOp gate = findGate(ops);
  for (Operation *op : ops)
    for (OpOperand &operand : op->getOpOperands()) {
      Value source = getTransposedSource(operand.get());
      if (Operation *producer = source ? source.getDefiningOp() : nullptr;
          producer && inside.contains(producer) &&
          !(transposed.contains(op) && isTileValue(source) &&
            !transposed.contains(producer) && getFirstRow(ops) == 0))
        return Conflict{
            op, ("reads a result of '" + producer->getName().getStringRef() +
                 "' with rows for columns, but computes over rows or columns, "
                 "or reads another tensor as it is; move the two into regions "
                 "of their own (F12)")
                    .str()};
      Value root = getRoot(operand);
      Operation *producer = root.getDefiningOp();
      if (producer && isView(producer) && isa<FusionOp>(op->getParentOp()) &&
          !readsTiles(operand))
        return Conflict{op, ("operand #" + Twine(operand.getOperandNumber()) +
                             " is a view, but is not read by tiles of its own "
                             "shape; te.copy it outside of the region (F4)")
                                .str()};
      if (gate == op && operand.getOperandNumber() == 0) {
        if (std::optional<std::string> why = whyNotGate(gate))
          return Conflict{op, *why};
        continue;
      }
      if (inside.contains(producer) && operand.getOperandNumber() == 0 &&
          getWideProducer(op) == producer) {
        if (std::optional<std::string> why = whyNotWide(op))
          return Conflict{op, *why};
        continue;
      }
      if (!inside.contains(producer) ||
          (isTileValue(root) && !needsWholeColumns(op) && readsTiles(operand)))
        continue;
      return Conflict{
          op, ("reads a result of '" + producer->getName().getStringRef() +
               "' in its own region, which is complete only when the kernel "
               "ends; move the two into regions of their own (F4)")
                  .str()};
    }
  return std::nullopt;
}

/// The shape of an op's first tile.
static ArrayRef<int64_t> getTileShape(Operation *op) {
  if (Operation *product = findProduct(op))
    return cast<ShapedType>(product->getResult(0).getType()).getShape();
  for (OpOperand &operand : op->getOpOperands())
    if (getMap(operand).isTile())
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
    return view && isView(view) && !isTransposed(operand.get()) &&
           (getSliceSource(operand.get()) ||
            view->getParentOfType<FusionOp>() ||
            llvm::is_contained(ops, getRoot(operand).getDefiningOp()));
  };
  auto it = llvm::find_if(ops, [&](Operation *op) {
    bool isWhole = !isElementwise(op) && !isa<AmaxOp>(op) && !isPerMatrix(op);
    return isWhole || getTileShape(op) != shape ||
           llvm::any_of(op->getOpOperands(), readsView);
  });
  return it == ops.end() ? nullptr : *it;
}

/// F9: an op that reads matrices one by one, as they lie transposed, and could
/// not.
static Operation *findMatrixReader(ArrayRef<Operation *> ops) {
  auto it = llvm::find_if(ops, [](Operation *op) {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      return isTransposedByMatrix(operand) && !readsTransposedMatrices(op);
    });
  });
  return it == ops.end() ? nullptr : *it;
}

/// F7: subkernels of one region share a schedule and its grid.
static std::optional<Conflict>
findUneven(ArrayRef<SmallVector<Operation *>> subkernels) {
  if (subkernels.size() < 2)
    return std::nullopt;
  bool isKnown = llvm::none_of(subkernels, [](ArrayRef<Operation *> subkernel) {
    return ShapedType::isDynamic(findAnchor(subkernel).getExtents().second);
  });
  for (ArrayRef<Operation *> subkernel : subkernels) {
    auto whole = llvm::find_if(subkernel, needsWholeRows);
    if (!isKnown && whole != subkernel.end())
      return Conflict{
          *whole,
          "computes over whole rows, and subkernels of the region "
          "have rows of unknown lengths; give their last "
          "dimensions static sizes, or move the subkernels into regions "
          "of their own (F7)"};
    for (Operation *op : subkernel)
      for (OpResult result : op->getResults())
        if (!result.use_empty() && getMap(result).isPerColumn())
          return Conflict{
              op,
              "sums over all rows are for a region of one "
              "subkernel; move the subkernels into regions of their own (F7)"};
  }
  return std::nullopt;
}

/// F10: next to an op that reads halves of a product, others have tiles of its
/// result.
static std::optional<Conflict> findGateConflict(ArrayRef<Operation *> ops) {
  GatedActivationOp gate = findGate(ops);
  if (!gate)
    return std::nullopt;
  for (Operation *op : ops) {
    if (op == gate || op == gate.getInput().getDefiningOp())
      continue;
    if (ArrayRef<int64_t> shape = getTileShape(op);
        !shape.empty() &&
        shape != cast<ShapedType>(gate.getResult().getType()).getShape())
      return Conflict{op, "reads another tensor than the result of "
                          "te.gated_activation, which reads halves of "
                          "te.gemm's; move it into a region of its own (F10)"};
  }
  return std::nullopt;
}

/// True for an operand of a concat that nobody computes, and that has not the
/// size of what a product does.
static bool isCopiedWith(OpOperand &operand, Operation *product,
                         ArrayRef<Operation *> ops) {
  Value root = getRoot(operand);
  if (!getMap(operand).isInserted() ||
      llvm::is_contained(ops, root.getDefiningOp()))
    return false;
  auto type = cast<ShapedType>(root.getType());
  return !type.hasStaticShape() ||
         type.getShape() !=
             cast<ShapedType>(product->getResult(0).getType()).getShape();
}

/// F10: what a region with a product may not have: its workgroups have one tile
/// of the result each.
static std::optional<Conflict> findProductConflict(ArrayRef<Operation *> ops) {
  Operation *product = findProduct(ops);
  if (!product)
    return std::nullopt;
  std::string name = product->getName().getStringRef().str();
  for (Operation *op : ops) {
    if (op != product && findProduct(op))
      return Conflict{op, "a region has at most one product, such as " + name +
                              "; move the two into regions of their own (F10)"};
    if (llvm::any_of(op->getOperands(), isTransposed))
      return Conflict{op, "reads a tile that lies transposed, which a "
                          "workgroup of " +
                              name +
                              " does not; move the two into regions of their "
                              "own (F10)"};
    if (llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
          return isCopiedWith(operand, product, ops);
        }))
      return Conflict{
          op, "copies another tensor next to the result of " + name +
                  ", which is copied as a subkernel of its own; move the "
                  "two into regions of their own (F10)"};
    if (needsWholeRows(op))
      return Conflict{op, "computes over whole rows, which a workgroup of " +
                              name +
                              " does not hold; move the two into regions of "
                              "their own (F10)"};
    for (OpResult result : op->getResults())
      if (!result.use_empty() && getMap(result).isPerColumn())
        return Conflict{op, "sums over all rows, of which a workgroup of " +
                                name +
                                " holds a tile; move the two into regions of "
                                "their own (F10)"};
  }
  if (auto gemm = dyn_cast<GemmOp>(product);
      gemm && gemm.getBiasGrad() && !gemm.getBiasGrad().use_empty())
    return Conflict{gemm, "bias_grad is a sum over A, and no tile of D; "
                          "use te.bias_grad in a region of its own (te-fuse "
                          "does) (F10)"};
  return std::nullopt;
}

/// True where another op than those of a region reads a result, perhaps
/// reshaped.
static bool isReadOutside(Operation *op, ArrayRef<Operation *> ops) {
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    return isView(user) ? isReadOutside(user, ops)
                        : !llvm::is_contained(ops, user);
  });
}

std::optional<Conflict> te::findConflict(ArrayRef<Operation *> ops) {
  if (ops.empty())
    return std::nullopt;
  if (std::optional<Conflict> escape = findEscape(ops))
    return escape;
  if (std::optional<Conflict> conflict = findGateConflict(ops))
    return conflict;
  if (std::optional<Conflict> conflict = findProductConflict(ops))
    return conflict;
  auto columnOp = llvm::find_if(ops, needsWholeColumns);
  if (columnOp != ops.end()) {
    if (llvm::all_of(ops, needsWholeColumns)) // each is a subkernel of its own
      return std::nullopt;
    return Conflict{*columnOp,
                    "computes whole columns, tile after tile; such ops "
                    "share a region with each other only (F8)"};
  }
  if (Operation *reader = findMatrixReader(ops))
    return Conflict{reader, "reads matrices that lie transposed as one "
                            "tensor; te.copy them in a region of its own (F9)"};
  if (Operation *other = findWholeTensorOp(ops))
    return Conflict{other, "iterates over the tensor as one matrix, but an op "
                           "of the region over its matrices, one by one "
                           "(per = matrix); move the two into regions of their "
                           "own (F9)"};
  SmallVector<SmallVector<Operation *>> subkernels = getSubkernels(ops);
  if (Operation *stranger = findStranger(subkernels, ops))
    return Conflict{
        stranger, ("iterates over another tensor than '" +
                   ops.front()->getName().getStringRef() +
                   "', of a size that may differ; move the two into regions of "
                   "their own (F5)")
                      .str()};
  if (Operation *product = findProduct(ops); product && subkernels.size() > 1)
    return Conflict{
        product,
        ("a region with a " + product->getName().getStringRef() +
         " has one subkernel; move the other subkernels into regions of their "
         "own (F10)")
            .str()};
  if (std::optional<Conflict> conflict = findUneven(subkernels))
    return conflict;
  // An elementwise op runs for those that read it.
  auto hasFlag = [&](Operation *op) {
    return !isElementwise(op) || isReadOutside(op, ops);
  };
  auto flagged = llvm::find_if(ops, hasFlag);
  unsigned amaxes = 0;
  for (Operation *op : ops) {
    if (hasFlag(op) && getNoopFlag(op) != getNoopFlag(*flagged))
      return Conflict{op,
                      ("has another noop flag than '" +
                       (*flagged)->getName().getStringRef() +
                       "'; the ops of a region run, or do not, together (F6)")
                          .str()};
    for (OpResult result : op->getResults())
      amaxes += isAmax(result) && !result.use_empty();
    if (amaxes > 1)
      return Conflict{op, "a region has at most one amax (F3)"};
  }
  return std::nullopt;
}
