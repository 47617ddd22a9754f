//===- Exchanges.cpp - what surrounds a cluster's exchanges ---------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops are lowered without a look at clusters. Then exchanges that do not wait
// for each other become one, and what is f32 before one and read after it
// is computed again there, from the tiles that were read: while workgroups wait
// for each other, registers hold these, in half the space.
//
//===----------------------------------------------------------------------===//

#include "Outliner.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

/// The two as one, in the place of the first; null where the second waits for
/// the first.
static ClusterReduceOp join(IRRewriter &rewriter, ClusterReduceOp first,
                            ClusterReduceOp second) {
  if (first.getKind() != second.getKind() ||
      first.getInputs().getTypes().front() !=
          second.getInputs().getTypes().front() ||
      failed(moveValueDefinitions(rewriter, second.getInputs(), first)))
    return {};
  SmallVector<Value> inputs(first.getInputs());
  llvm::append_range(inputs, second.getInputs());
  rewriter.setInsertionPoint(first);
  auto both = ClusterReduceOp::create(rewriter, first.getLoc(), first.getKind(),
                                      inputs);
  size_t count = first.getNumResults();
  rewriter.replaceOp(first, both.getResults().take_front(count));
  rewriter.replaceOp(second, both.getResults().drop_front(count));
  return both;
}

static void joinExchanges(KernelOp kernel) {
  IRRewriter rewriter(kernel.getContext());
  llvm::MapVector<Block *, SmallVector<ClusterReduceOp>> found;
  kernel.walk([&](ClusterReduceOp op) { found[op->getBlock()].push_back(op); });
  for (auto &[block, ops] : found) {
    ClusterReduceOp first;
    for (ClusterReduceOp op : ops) {
      ClusterReduceOp both =
          first ? join(rewriter, first, op) : ClusterReduceOp();
      first = both ? both : op;
    }
  }
}

namespace {
/// What is computed anew at one place: all that is read from `place` on.
class Again {
public:
  Again(Operation *place) : place(place), b(place) {}
  void run();

private:
  Value get(Value value);
  bool isBefore(Operation *op) const {
    return op->getBlock() == place->getBlock() && op->isBeforeInBlock(place);
  }

  Operation *place;
  OpBuilder b;
  IRMapping made;
};
} // namespace

/// A tile of more than one column.
static bool isWhole(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isTile(type) && type.getRank() == 2 && type.getDimSize(1) > 1;
}

/// An instruction or two for an element, or none.
static bool isCheap(Operation *op) {
  bool isLong =
      isa<arith::DivFOp>(op) ||
      (isa<math::MathDialect>(op->getDialect()) && !isa<math::AbsFOp>(op));
  return isPure(op) && op->getNumResults() == 1 && !isLong &&
         (op->hasTrait<OpTrait::Elementwise>() || isa<BroadcastOp>(op));
}

/// Elements that stand two and more in a register.
static bool isPacked(Value value) {
  unsigned bits = getElementTypeOrSelf(value).getIntOrFloatBitWidth();
  return bits == 8 || bits == 16;
}

Value Again::get(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isWhole(value) || !op || !isBefore(op))
    return value;
  if (Value known = made.lookupOrNull(value))
    return known;
  bool isKept = isPacked(value) && !isa<math::AbsFOp>(op);
  if (!isKept && !isCheap(op))
    return value;
  Value again;
  if (isKept) {
    again = OptimizationBarrierOp::create(b, value.getLoc(), value);
  } else {
    IRMapping operands;
    for (Value operand : op->getOperands())
      operands.map(operand, get(operand));
    again = b.clone(*op, operands)->getResult(0);
  }
  made.map(value, again);
  return again;
}

void Again::run() {
  SmallVector<Value> values;
  for (Operation &op : *place->getBlock()) {
    if (&op == place)
      break;
    llvm::copy_if(op.getResults(), std::back_inserter(values), isWhole);
  }
  llvm::SmallPtrSet<Operation *, 32> later;
  for (Operation *op = place; op; op = op->getNextNode())
    later.insert(op);
  for (Value value : values) {
    auto isAfter = [&](OpOperand &use) {
      return later.contains(
          place->getBlock()->findAncestorOpInBlock(*use.getOwner()));
    };
    if (llvm::any_of(value.getUses(), isAfter))
      value.replaceUsesWithIf(get(value), isAfter);
  }
}

void te::finishExchanges(KernelOp kernel) {
  joinExchanges(kernel);
  SmallVector<Operation *> places;
  kernel.walk([&](ClusterReduceOp op) { places.push_back(op->getNextNode()); });
  for (Operation *place : places)
    Again(place).run();
}
