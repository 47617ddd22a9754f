//===- Fuse.cpp - te-fuse -------------------------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gathers ops into te.fusion regions: one region is one kernel. First pass of
// the pipeline:  te-opt
// --pass-pipeline='builtin.module(func.func(te-fuse{target=gfx950}))'
//
//   %n, %r = te.rms_norm %x, %g ...
//   %q = te.quantize %n : ...
// ==>
//   %q = te.fusion "f_0" (%a = %x, %b = %g : ...) -> (...) {
//     %n, %r = te.rms_norm %a, %b ...
//     %0 = te.quantize %n : ...
//     te.yield %0 : ...
//   }
//
// Ops come in the order of the program; each joins the regions that it shares
// a tile with, a producer's or one that reads the same tensor, as long as the
// rules of a region hold (te/Region/Region.h), nothing between depends on
// it, and a schedule fits (Grouping.h). Values are the unfused program's, for
// each op rounds as its types say.
//
// What no kernel computes as it stands is made of other ops first (Prepare.h).
//
// A gated activation of a te.gemm's result joins its region where the estimates
// of schedules say that one kernel is faster: more rows, no need of splits.
//
// A te.dequantize or a cast that only a te.gemm reads is a prologue of its
// region where that takes less than a kernel (Prologues.h).
//
// Slices and reshapes are copied into the regions that read them, as views.
// So is a te.permute of two dimensions: ops after it work on the tiles of the
// others, transposed. Ops that read slices of one tensor, or make parts of one,
// are one region of several parts; so are all te.update_scale that do not
// depend on each other.
//
// Limits: blocks of a function one by one; ops that only share a small operand
// (a scale, a gamma) stay separate.
//
//===----------------------------------------------------------------------===//

#include "Grouping.h"
#include "Prepare.h"
#include "RegionBuilder.h"

#include "te/Dialect/TE/IR/Names.h"
#include "te/Dialect/TE/Transforms/Passes.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::te;

namespace mlir::te {
#define GEN_PASS_DEF_FUSEPASS
#include "te/Dialect/TE/Transforms/Passes.h.inc"
} // namespace mlir::te

static void eraseWithViews(Operation *op) {
  for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
    eraseWithViews(user);
  op->erase();
}

/// Parts of a concat that the group does not compute are copied by it.
static void addCopies(Group &group) {
  for (Operation *op : SmallVector<Operation *>(group.ops))
    for (OpOperand &operand : op->getOpOperands()) {
      Value root = getRoot(operand);
      if (!getMap(operand).isInserted() ||
          llvm::is_contained(group.ops, root.getDefiningOp()))
        continue;
      SmallVector<Operation *> reshapes;
      for (Value value = operand.get(); value != root;
           value = reshapes.back()->getOperand(0))
        reshapes.push_back(value.getDefiningOp());
      OpBuilder builder(op);
      auto copy = CopyOp::create(builder, op->getLoc(), root);
      IRMapping mapping;
      mapping.map(root, copy.getResult());
      for (Operation *reshape : llvm::reverse(reshapes))
        builder.clone(*reshape, mapping);
      operand.set(mapping.lookup(operand.get()));
      group.ops.insert(llvm::find(group.ops, op), copy);
    }
}

/// Moves the ops of `group` into a region, which stands where the last one did.
static void wrap(Group &group, StringRef kernel, const Prologues &prologues) {
  addCopies(group);
  OpBuilder builder(group.ops.back());
  auto [fusion, yielded] = buildRegion(builder, group.ops, kernel, prologues);
  if (!group.notFused.empty())
    fusion.setNotFusedAttr(builder.getArrayAttr(
        SmallVector<Attribute>(group.notFused.begin(), group.notFused.end())));
  for (auto [value, result] : llvm::zip_equal(yielded, fusion.getResults()))
    value.replaceAllUsesWith(result);
  for (Operation *op : llvm::reverse(group.ops))
    eraseWithViews(op);
}

/// Constants of a region that are not immediates become its arguments.
static void hoistConstants(FusionOp fusion) {
  Block &body = fusion.getBody().front();
  OpBuilder builder(fusion);
  for (auto constant :
       llvm::make_early_inc_range(body.getOps<arith::ConstantOp>())) {
    Value argument;
    for (OpOperand &use : llvm::make_early_inc_range(constant->getUses())) {
      if (!isa<ShapedType>(constant.getType()) || isImmediate(use))
        continue;
      if (!argument) {
        fusion.getInputsMutable().append(
            builder.clone(*constant)->getResult(0));
        argument = body.addArgument(constant.getType(), constant.getLoc());
      }
      use.set(argument);
    }
    if (constant->use_empty())
      constant.erase();
  }
}

/// The kernel's name: the function's, without what assemblers do not take, and
/// a number.
static std::string nameKernel(StringRef function, unsigned number) {
  std::string name = function.str();
  for (char &c : name)
    if (!isKernelNameChar(c))
      c = '_';
  if (name.empty() || llvm::isDigit(name.front()))
    name.insert(0, "_");
  return name + "_" + std::to_string(number);
}

namespace {
struct FusePass : te::impl::FusePassBase<FusePass> {
  using FusePassBase::FusePassBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    const Target *chip = nullptr;
    if (!target.empty()) {
      llvm::Expected<const Target *> found = Target::get(target);
      if (!found) {
        func.emitError(llvm::toString(found.takeError()));
        return signalPassFailure();
      }
      chip = *found;
    }
    func.walk(hoistConstants); // of regions that someone wrote
    prepare(func);
    unsigned next = llvm::range_size(func.getOps<FusionOp>());
    for (Block &block : func.getBody()) {
      size_t ops = block.getOperations().size();
      Grouping grouping(block, chip);
      if (reportsEffort)
        func.emitRemark() << "te-fuse: ops " << ops << ", tried "
                          << grouping.numTried << ", searched "
                          << grouping.numSearched;
      for (Group &group : grouping.takeGroups())
        wrap(group, nameKernel(func.getSymName(), next++),
             grouping.getPrologues());
      for (Operation *op : grouping.getPrologues().ops)
        op->erase();
      // A region stands where its last op did; who reads a result of an earlier
      // one comes after it.
      sortTopologically(&block);
    }
    func.walk(hoistConstants);
    dropDead(func); // regions have copies
  }
};
} // namespace
