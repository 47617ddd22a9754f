//===- SplitK.cpp - te-split-k --------------------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cuts K of a te.gemm into the splits that its region's schedule asks for,
// after te-schedule:
//   te-opt --pass-pipeline='builtin.module(func.func(te-split-k))'
//
//   %y = te.fusion "f_0" (%a = %x, %b = %w) attributes {schedule = S} {
//     %d = te.gemm %a, %b ...
//     %e = arith.addf %d, ...
//   }
// ==>
//   %p = te.fusion "f_0" (%a = %x, %b = %w) attributes {schedule = S} {
//     %d = te.gemm %a, %b {split_k = 4} ...
//   }
//   %y = te.fusion "f_0_sum" (%a = %p) attributes {schedule = ...} {
//     %d = te.gemm_sum %a ...
//     %e = arith.addf %d, ...
//   }
//
// With `whole_rows = R` the first region computes the first R rows as it did,
// and partials of the others; the second one adds those up, and writes what
// follows from them into the first one's results.
//
//   %p, %e = te.fusion "f_0" ... {
//     %d, %rest = te.gemm %a, %b ... rest tensor<4x64x..>
//     %e = arith.addf %d, ...
//   }
//   %y = te.fusion "f_0_sum" (%a = %p) inits(%e) ...
//
// Limits: the sum's schedule is the pass's choice.
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/TE/Transforms/Passes.h"
#include "te/Schedule/ResourceModel.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;

namespace mlir::te {
#define GEN_PASS_DEF_SPLITKPASS
#include "te/Dialect/TE/Transforms/Passes.h.inc"
} // namespace mlir::te

/// The splits that a region's schedule cuts K into and that are not there
/// yet; 1 where there is nothing to do.
static int64_t getSplits(FusionOp fusion) {
  ScheduleAttr schedule = fusion.getScheduleAttr();
  GemmOp gemm = findGemm(getRegionOps(fusion));
  return schedule && schedule.getMatmul() && gemm && gemm.countSplits() == 1
             ? schedule.getGrid().getSplitK()
             : 1;
}

/// The region that makes the partial sums.
static FusionOp emitPartialSums(OpBuilder &builder, FusionOp fusion,
                                GemmOp gemm, int64_t count) {
  std::array<Value, 2> factors = {gemm.getA(), gemm.getB()}, inputs = factors;
  for (Value &input : inputs)
    input =
        fusion
            .getInputs()[cast<BlockArgument>(getSource(input)).getArgNumber()];
  SmallVector<int64_t> shape(gemm.getResult().getType().getShape());
  shape.insert(shape.begin(), count);
  Type type = RankedTensorType::get(shape, builder.getF32Type());
  Location loc = fusion.getLoc();
  auto made = FusionOp::create(builder, loc, type, inputs,
                               /*inits=*/ValueRange(), fusion.getKernelAttr(),
                               fusion.getScheduleAttr(),
                               fusion.getNotFusedAttr(), fusion.getRangeAttr());
  made->setDiscardableAttrs(fusion->getDiscardableAttrDictionary());
  OpBuilder::InsertionGuard guard(builder);
  Block &body = made.getBody().emplaceBlock();
  body.addArguments(made.getInputs().getTypes(), {loc, loc});
  builder.setInsertionPointToEnd(&body);
  for (auto [factor, argument] :
       llvm::zip_equal(factors, body.getArguments())) {
    Value source = getSource(factor), operand = argument;
    if (source != factor) {
      IRMapping mapping;
      mapping.map(source, argument);
      operand = builder.clone(*factor.getDefiningOp(), mapping)->getResult(0);
    }
    factor = operand;
  }
  auto product = GemmOp::create(
      builder, gemm.getLoc(), type, /*aux=*/Type(), /*bias_grad=*/Type(),
      /*rest=*/Type(), factors[0], factors[1], /*bias=*/Value(),
      /*dgelu=*/Value(), /*accumulate=*/Value(), gemm.getTransposeA(),
      gemm.getTransposeB(), /*gelu=*/false, llvm::APFloat(1.0f),
      /*beta=*/FloatAttr(), builder.getI64IntegerAttr(count));
  YieldOp::create(builder, loc, product.getResult());
  return made;
}

/// The region, which also makes partial sums of all rows from `wholeRows` on:
/// its first result.
static FusionOp emitRest(OpBuilder &builder, FusionOp fusion, GemmOp gemm,
                         int64_t count, int64_t wholeRows) {
  auto [rows, cols] = findAnchor(gemm.getOperation()).getExtents();
  Type rest = RankedTensorType::get({count, rows - wholeRows, cols},
                                    builder.getF32Type());
  SmallVector<Type> types = {rest};
  llvm::append_range(types, fusion.getResultTypes());
  auto made = FusionOp::create(
      builder, fusion.getLoc(), types, fusion.getInputs(),
      /*inits=*/ValueRange(), fusion.getKernelAttr(), fusion.getScheduleAttr(),
      fusion.getNotFusedAttr(), fusion.getRangeAttr());
  made->setDiscardableAttrs(fusion->getDiscardableAttrDictionary());
  IRMapping mapping;
  fusion.getBody().cloneInto(&made.getBody(), mapping);
  Operation *product = mapping.lookup(gemm.getOperation());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(product);
  auto both = GemmOp::create(
      builder, gemm.getLoc(), gemm.getResult().getType(),
      gemm.getAux() ? gemm.getAux().getType() : Type(), /*bias_grad=*/Type(),
      rest, product->getOperand(0), product->getOperand(1),
      mapping.lookupOrNull(gemm.getBias()),
      mapping.lookupOrNull(gemm.getDgelu()),
      mapping.lookupOrNull(gemm.getAccumulate()), gemm.getTransposeA(),
      gemm.getTransposeB(), gemm.getGelu(), gemm.getAlpha(), gemm.getBetaAttr(),
      /*partials=*/IntegerAttr());
  product->replaceAllUsesWith(both->getResults().drop_back());
  product->erase();
  Operation *yield = made.getBody().front().getTerminator();
  yield->insertOperands(0, both.getRest());
  return made;
}

/// The region that adds up `partials`, and computes the rest of `fusion`: where
/// `begun` are given, of the rows that these lack.
static FusionOp emitSum(OpBuilder &builder, FusionOp fusion, GemmOp gemm,
                        Value partials, ValueRange begun) {
  Location loc = fusion.getLoc();
  Block &before = fusion.getBody().front();
  auto isRead = [&](BlockArgument argument) {
    return llvm::any_of(argument.getUses(), [&](OpOperand &use) {
      bool isFactor = use.getOwner() == gemm && use.getOperandNumber() < 2;
      return !isFactor && !isPrologue(use.getOwner());
    });
  };
  SmallVector<Value> inputs = {partials};
  SmallVector<BlockArgument> arguments;
  for (BlockArgument argument : before.getArguments())
    if (isRead(argument)) {
      arguments.push_back(argument);
      inputs.push_back(fusion.getInputs()[argument.getArgNumber()]);
    }
  auto made =
      FusionOp::create(builder, loc, fusion.getResultTypes(), inputs, begun,
                       (fusion.getKernel() + "_sum").str(), ScheduleAttr(),
                       ArrayAttr(), fusion.getRangeAttr());
  OpBuilder::InsertionGuard guard(builder);
  Block &body = made.getBody().emplaceBlock();
  builder.setInsertionPointToEnd(&body);
  IRMapping mapping;
  BlockArgument sums = body.addArgument(partials.getType(), loc);
  for (BlockArgument argument : arguments)
    mapping.map(argument, body.addArgument(argument.getType(), loc));
  for (Operation &op : before) {
    if (isPrologue(&op))
      continue;
    if (&op != gemm) {
      builder.clone(op, mapping);
      continue;
    }
    auto sum =
        GemmSumOp::create(builder, gemm.getLoc(), gemm.getResult().getType(),
                          gemm.getAux() ? gemm.getAux().getType() : Type(),
                          sums, mapping.lookupOrNull(gemm.getBias()),
                          mapping.lookupOrNull(gemm.getDgelu()),
                          mapping.lookupOrNull(gemm.getAccumulate()),
                          gemm.getGelu(), gemm.getAlpha(), gemm.getBetaAttr());
    mapping.map(gemm.getResult(), sum.getResult());
    if (gemm.getAux())
      mapping.map(gemm.getAux(), sum.getAux());
  }
  return made;
}

/// The usual schedule, or one with tiles so small that each CU has one.
static ScheduleAttr chooseSumSchedule(MLIRContext *context,
                                      const TileDemand &demand,
                                      const Target &target) {
  ScheduleAttr best = chooseSchedule(context, demand, target);
  if (best.getSweep() != SweepKind::None)
    return best;
  auto isGood = [&](ScheduleAttr schedule) {
    if (findViolation(demand, schedule, target))
      return false;
    auto count = [&](int64_t extent, int64_t tile) {
      return ShapedType::isDynamic(extent) ? target.computeUnits
                                           : llvm::divideCeil(extent, tile);
    };
    return count(ShapedType::isDynamic(demand.rows)
                     ? demand.rows
                     : demand.rows - demand.firstRow,
                 schedule.getTile()[0]) *
               count(demand.cols, schedule.getTile()[1]) >=
           target.computeUnits;
  };
  int64_t rows = best.getTile()[0], cols = best.getTile()[1],
          vector = best.getVector(), waves = best.getWaves();
  while (!isGood(best)) {
    if (rows > demand.minRows)
      rows /= 2;
    else if (cols > std::max(demand.minCols, vector))
      cols /= 2;
    else
      break;
    while (waves > 1 && waves * target.waveSize * vector > rows * cols)
      waves /= 2;
    auto smaller = ScheduleAttr::get(
        context, target.name, {rows, cols}, waves, vector, SweepKind::None,
        {.rowTiles = best.getGrid().getRowTiles(),
         .workgroups = best.getGrid().getWorkgroups()});
    if (!findViolation(demand, smaller, target) ||
        findViolation(demand, best, target))
      best = smaller;
  }
  return best;
}

namespace {
struct SplitKPass : te::impl::SplitKPassBase<SplitKPass> {
  LogicalResult split(FusionOp fusion) {
    llvm::Expected<const Target *> target =
        Target::get(fusion.getScheduleAttr().getTarget());
    if (!target)
      return fusion.emitError(llvm::toString(target.takeError()));
    GemmOp gemm = findGemm(getRegionOps(fusion));
    OpBuilder builder(fusion);
    int64_t wholeRows = fusion.getScheduleAttr().getGrid().getWholeRows();
    FusionOp partials =
        wholeRows
            ? emitRest(builder, fusion, gemm, getSplits(fusion), wholeRows)
            : emitPartialSums(builder, fusion, gemm, getSplits(fusion));
    FusionOp sum = emitSum(builder, fusion, gemm, partials.getResult(0),
                           partials.getResults().drop_front());
    TileDemand demand = getTileDemand(getRegionOps(sum));
    sum.setScheduleAttr(
        chooseSumSchedule(&getContext(), getRegionDemand(sum), **target));
    fusion->replaceAllUsesWith(sum.getResults());
    fusion.erase();
    ++numSplit;
    return verifySchedule([&] { return sum.emitError(); }, demand,
                          sum.getScheduleAttr(), **target);
  }

  void runOnOperation() override {
    SmallVector<FusionOp> fusions;
    getOperation().walk([&](FusionOp fusion) {
      if (getSplits(fusion) > 1)
        fusions.push_back(fusion);
    });
    for (FusionOp fusion : fusions)
      if (failed(split(fusion)))
        return signalPassFailure();
  }
};
} // namespace
