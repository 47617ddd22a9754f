//===- ElementOrder.cpp - large tiles element by element ------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementOrder.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Scalar/Sink.h"

using namespace mlir::te;

/// What may stand anywhere between its operands and its users.
static bool isMovable(const llvm::Instruction &inst) {
  return !inst.isTerminator() && !llvm::isa<llvm::PHINode>(inst) &&
         !llvm::isa<llvm::AllocaInst>(inst) && !inst.mayReadOrWriteMemory() &&
         !inst.mayHaveSideEffects() && !inst.isEHPad() &&
         !(llvm::isa<llvm::CallBase>(inst) &&
           llvm::cast<llvm::CallBase>(inst).isConvergent());
}

/// What stays keeps its order; in front of it comes what it reads, operand
/// after operand.
static void reorder(llvm::BasicBlock &block) {
  llvm::SmallVector<llvm::Instruction *> order;
  llvm::DenseSet<llvm::Instruction *> placed;
  auto place = [&](llvm::Instruction *root) {
    // What is in the middle of its operands, and which is next.
    llvm::SmallVector<std::pair<llvm::Instruction *, unsigned>> work;
    work.push_back({root, 0});
    while (!work.empty()) {
      auto &[inst, next] = work.back();
      if (next == inst->getNumOperands()) {
        if (placed.insert(inst).second)
          order.push_back(inst);
        work.pop_back();
        continue;
      }
      auto *operand =
          llvm::dyn_cast<llvm::Instruction>(inst->getOperand(next++));
      if (operand && operand->getParent() == &block && isMovable(*operand) &&
          !placed.contains(operand))
        work.push_back({operand, 0});
    }
  };
  for (llvm::Instruction &inst : block)
    if (!isMovable(inst) && !llvm::isa<llvm::PHINode>(inst) &&
        !inst.isTerminator())
      place(&inst);
  for (llvm::Instruction &inst : block)
    if (isMovable(inst) && !placed.contains(&inst))
      place(&inst);
  for (llvm::Instruction *inst : order)
    inst->moveBefore(block.getTerminator()->getIterator());
}

llvm::PreservedAnalyses
ElementOrderPass::run(llvm::Function &function,
                      llvm::FunctionAnalysisManager &analyses) {
  llvm::SinkingPass().run(function, analyses);
  for (llvm::BasicBlock &block : function)
    reorder(block);
  return llvm::PreservedAnalyses::none();
}
