//===- StagedOperands.cpp - tiles on their way to products ----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StagedOperands.h"

#include "PipelineSchedule.h"
#include "ReadOnly.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

LoadOp te::tile::findLoad(Value tile) {
  while (Operation *op = tile.getDefiningOp()) {
    if (auto load = dyn_cast<LoadOp>(op))
      return load;
    if (auto branch = dyn_cast<scf::IfOp>(op))
      tile =
          branch.thenYield().getOperand(cast<OpResult>(tile).getResultNumber());
    else if (op->getNumOperands() > 0)
      tile = op->getOperand(0);
    else
      break;
  }
  return {};
}

/// The tile follows from loads alone, in the loop's body.
static bool comesFromMemory(Value tile, scf::ForOp loop) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.omitUsesFromAbove = false; // in branches
  options.inclusive = true;
  options.filter = [&](Operation *op) {
    return op->getBlock() == loop.getBody();
  };
  if (failed(getBackwardSlice(tile, &slice, options)))
    return false;
  bool loads = false;
  for (Operation *op : slice) {
    auto load = dyn_cast<LoadOp>(op);
    loads |= bool(load);
    bool followsFromCarried = false;
    op->walk([&](Operation *inner) {
      followsFromCarried |=
          llvm::any_of(inner->getOperands(), [&](Value value) {
            return llvm::is_contained(loop.getRegionIterArgs(), value);
          });
    });
    if (isa<MmaOp>(op) || followsFromCarried ||
        !(load ? isReadOnly(load.getView()) : isPure(op)))
      return false;
  }
  return loads;
}

/// Whether products multiply the tile, or it is for what follows from products:
/// scales, say. Nothing where it is for both, or for another operand.
static std::optional<bool> isMultiplied(Value tile,
                                        const DenseSet<Operation *> &late) {
  std::optional<bool> known;
  for (OpOperand &use : tile.getUses()) {
    Operation *user = use.getOwner();
    std::optional<bool> here;
    if (auto mma = dyn_cast<MmaOp>(user))
      here = use.get() == mma.getA() || use.get() == mma.getB();
    else if (late.contains(user))
      here = false;
    else if (user->getNumResults() == 1 && isPure(user) &&
             isMultiplied(user->getResult(0), late) == false)
      here = false;
    if (!here || (known && known != here))
      return std::nullopt;
    known = here;
  }
  return known;
}

static SmallVector<StagedOperand> findOperands(scf::ForOp loop) {
  SmallVector<StagedOperand> operands;
  DenseSet<Operation *> late = findLate(loop);
  for (auto convert : loop.getBody()->getOps<ConvertLayoutOp>()) {
    Value tile = convert.getInput();
    std::optional<bool> multiplied = isMultiplied(convert.getResult(), late);
    if (analyzeConversion(getLayout(tile.getType()),
                          getLayout(convert.getType()))
                .kind == ConversionKind::Registers ||
        !multiplied || !comesFromMemory(tile, loop))
      continue;
    auto transpose = tile.getDefiningOp<TransposeOp>();
    operands.push_back({convert, transpose ? transpose.getInput() : tile,
                        bool(transpose), !*multiplied});
  }
  return operands;
}

/// A tile of the same kind that the iteration loads from farther on in the same
/// rows, or columns.
static bool isAfter(const StagedOperand &operand, const StagedOperand &before,
                    scf::ForOp loop) {
  LoadOp own = findLoad(operand.tile), other = findLoad(before.tile);
  ConvertLayoutOp to = operand.convert, from = before.convert;
  if (!own || !other || own.getView() != other.getView() ||
      own.getType() != other.getType() || to.getType() != from.getType() ||
      operand.tile.getType() != before.tile.getType() ||
      operand.isTransposed != before.isTransposed)
    return false;
  auto moves = [&](Value value) {
    SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.inclusive = true;
    options.filter = [&](Operation *op) { return loop->isProperAncestor(op); };
    if (value == loop.getInductionVar())
      return true;
    return succeeded(getBackwardSlice(value, &slice, options)) &&
           llvm::any_of(slice, [&](Operation *op) {
             return llvm::is_contained(op->getOperands(),
                                       loop.getInductionVar());
           });
  };
  return (own.getRow() == other.getRow() && moves(own.getColumn())) ||
         (own.getColumn() == other.getColumn() && moves(own.getRow()));
}

std::vector<std::vector<StagedOperand>>
te::tile::findStagedOperands(scf::ForOp loop) {
  std::vector<std::vector<StagedOperand>> groups;
  for (const StagedOperand &operand : findOperands(loop)) {
    auto group = llvm::find_if(groups, [&](ArrayRef<StagedOperand> before) {
      return isAfter(operand, before.back(), loop);
    });
    if (group == groups.end())
      groups.push_back({operand});
    else
      group->push_back(operand);
  }
  return groups;
}
