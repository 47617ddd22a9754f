//===- SharedKernels.cpp - regions that one kernel computes ---------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two regions have one kernel where their ops, types, attributes and schedules
// are the same, whatever tensors they read and wherever they stand. What a
// kernel is told of its operands is in their types, but for one thing: an index
// that is the size of another operand.
//
//===----------------------------------------------------------------------===//

#include "te/Region/SharedKernels.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace mlir::te;

/// For each index among the operands: which operand's size it is, and of which
/// dimension; where it is none's, nothing.
static SmallVector<std::optional<std::pair<int64_t, int64_t>>>
getIndexOperands(FusionOp fusion) {
  SmallVector<std::optional<std::pair<int64_t, int64_t>>> sizes;
  for (Value input : fusion.getInputs()) {
    if (!input.getType().isIndex())
      continue;
    auto &size = sizes.emplace_back();
    if (auto dim = input.getDefiningOp<DimOp>())
      if (auto it = llvm::find(fusion.getInputs(), dim.getInput());
          it != fusion.getInputs().end())
        size = {it - fusion.getInputs().begin(), dim.getDimension()};
  }
  return sizes;
}

namespace {
/// Compares te.fusion ops as kernels.
struct KernelInfo : llvm::DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *op) {
    auto fusion = cast<FusionOp>(const_cast<Operation *>(op));
    llvm::hash_code hash = llvm::hash_combine(
        fusion.getScheduleAttr().getAsOpaquePointer(),
        llvm::hash_combine_range(fusion->operand_type_begin(),
                                 fusion->operand_type_end()));
    for (Operation &inner : fusion.getBody().front())
      hash = llvm::hash_combine(
          hash, OperationEquivalence::computeHash(
                    &inner, OperationEquivalence::ignoreHashValue,
                    OperationEquivalence::ignoreHashValue,
                    OperationEquivalence::IgnoreLocations));
    return hash;
  }
  static bool isEqual(const Operation *left, const Operation *right) {
    if (left == right)
      return true;
    if (llvm::is_contained({getEmptyKey(), getTombstoneKey()}, left) ||
        llvm::is_contained({getEmptyKey(), getTombstoneKey()}, right))
      return false;
    return haveOneKernel(cast<FusionOp>(const_cast<Operation *>(left)),
                         cast<FusionOp>(const_cast<Operation *>(right)));
  }
};
} // namespace

bool te::haveOneKernel(FusionOp left, FusionOp right) {
  return left.getScheduleAttr() == right.getScheduleAttr() &&
         left->getDiscardableAttrDictionary() ==
             right->getDiscardableAttrDictionary() &&
         left.getInputs().getTypes() == right.getInputs().getTypes() &&
         left.getInits().getTypes() == right.getInits().getTypes() &&
         left.getResultTypes() == right.getResultTypes() &&
         getIndexOperands(left) == getIndexOperands(right) &&
         OperationEquivalence::isRegionEquivalentTo(
             &left.getBody(), &right.getBody(),
             OperationEquivalence::IgnoreLocations);
}

SmallVector<SmallVector<FusionOp>> te::groupByKernel(Operation *root) {
  llvm::DenseMap<Operation *, unsigned, KernelInfo> numbers;
  SmallVector<SmallVector<FusionOp>> groups;
  root->walk([&](FusionOp fusion) {
    auto [it, isNew] = numbers.try_emplace(fusion, groups.size());
    if (isNew)
      groups.emplace_back();
    groups[it->second].push_back(fusion);
  });
  return groups;
}

struct RegionAnswers::Impl {
  /// Operands of the regions that are kept, in place of those of a program.
  Block operands;
  llvm::DenseMap<Operation *, std::optional<std::string>, KernelInfo> answers;
};

RegionAnswers::RegionAnswers() : impl(std::make_unique<Impl>()) {}

RegionAnswers::~RegionAnswers() {
  for (Operation *region : llvm::make_first_range(impl->answers))
    region->erase();
}

std::optional<std::string>
RegionAnswers::get(FusionOp region,
                   function_ref<std::optional<std::string>()> compute) {
  // The program's values must not have uses that are none of it.
  for (OpOperand &operand : region->getOpOperands())
    operand.set(impl->operands.addArgument(operand.get().getType(),
                                           operand.get().getLoc()));
  auto it = impl->answers.find(region);
  if (it != impl->answers.end()) {
    region.erase();
    return it->second;
  }
  std::optional<std::string> answer = compute();
  impl->answers[region] = answer;
  return answer;
}
