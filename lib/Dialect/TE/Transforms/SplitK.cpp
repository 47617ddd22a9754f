//===- SplitK.cpp - te-split-k --------------------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cuts K of a te.gemm into the pieces that its region's schedule asks for,
// after te-schedule:
//   te-opt --pass-pipeline='builtin.module(func.func(te-split-k))'
//
//   %y = te.fusion "f_0" (%a = %x, %b = %w) attributes {schedule = S} {
//     %d = te.gemm %a, %b ...
//     %e = arith.addf %d, ...
//   }
// ==>
//   %p = te.fusion "f_0" (%a = %x, %b = %w) attributes {schedule = S} {
//     %d = te.gemm %a, %b {pieces = 4} ...
//   }
//   %y = te.fusion "f_0_sum" (%a = %p) attributes {schedule = ...} {
//     %d = te.gemm_sum %a ...
//     %e = arith.addf %d, ...
//   }
//
// Limits: the sum's schedule is the pass's choice.
//
//===----------------------------------------------------------------------===//

#include "te/Analysis/ResourceModel.h"
#include "te/Dialect/TE/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;

namespace mlir::te {
#define GEN_PASS_DEF_SPLITKPASS
#include "te/Dialect/TE/Transforms/Passes.h.inc"
} // namespace mlir::te

/// The pieces that a region's schedule cuts K into and that are not there yet;
/// 1 where there is nothing to do.
static int64_t getPieces(FusionOp fusion) {
  ScheduleAttr schedule = fusion.getScheduleAttr();
  GemmOp gemm = findGemm(getRegionOps(fusion));
  return schedule && schedule.getMatmul() && gemm && !gemm.getPieces()
             ? schedule.getMatmul().getSplitK()
             : 1;
}

/// The region that makes the pieces.
static FusionOp emitPieces(OpBuilder &builder, FusionOp fusion, GemmOp gemm,
                           int64_t count) {
  std::array<Value, 2> factors = {gemm.getA(), gemm.getB()}, inputs = factors;
  for (Value &input : inputs)
    input =
        fusion
            .getInputs()[cast<BlockArgument>(getSource(input)).getArgNumber()];
  SmallVector<int64_t> shape(gemm.getResult().getType().getShape());
  shape.insert(shape.begin(), count);
  Type type = RankedTensorType::get(shape, builder.getF32Type());
  Location loc = fusion.getLoc();
  auto made =
      FusionOp::create(builder, loc, type, inputs, fusion.getKernelAttr(),
                       fusion.getScheduleAttr(), fusion.getApartAttr());
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
      factors[0], factors[1], /*bias=*/Value(),
      /*dgelu=*/Value(), /*accumulate=*/Value(), gemm.getTransposeA(),
      gemm.getTransposeB(), /*gelu=*/false, llvm::APFloat(1.0f),
      /*beta=*/FloatAttr(), builder.getI64IntegerAttr(count));
  YieldOp::create(builder, loc, product.getResult());
  return made;
}

/// The region that adds up `pieces`, and computes the rest of `fusion`.
static FusionOp emitSum(OpBuilder &builder, FusionOp fusion, GemmOp gemm,
                        Value pieces) {
  Location loc = fusion.getLoc();
  Block &before = fusion.getBody().front();
  auto isRead = [&](BlockArgument argument) {
    return llvm::any_of(argument.getUses(), [&](OpOperand &use) {
      bool isFactor = use.getOwner() == gemm && use.getOperandNumber() < 2;
      return !isFactor && !isPrologue(use.getOwner());
    });
  };
  SmallVector<Value> inputs = {pieces};
  SmallVector<BlockArgument> arguments;
  for (BlockArgument argument : before.getArguments())
    if (isRead(argument)) {
      arguments.push_back(argument);
      inputs.push_back(fusion.getInputs()[argument.getArgNumber()]);
    }
  auto made = FusionOp::create(builder, loc, fusion.getResultTypes(), inputs,
                               (fusion.getKernel() + "_sum").str(),
                               ScheduleAttr(), ArrayAttr());
  OpBuilder::InsertionGuard guard(builder);
  Block &body = made.getBody().emplaceBlock();
  builder.setInsertionPointToEnd(&body);
  IRMapping mapping;
  BlockArgument sums = body.addArgument(pieces.getType(), loc);
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
    return count(demand.rows, schedule.getTile()[0]) *
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
    auto smaller = ScheduleAttr::get(context, target.name, {rows, cols}, waves,
                                     vector, best.getRowTiles(),
                                     best.getWorkgroups(), SweepKind::None,
                                     /*pieces=*/1, /*cluster=*/1, MatmulAttr());
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
    FusionOp pieces = emitPieces(builder, fusion, gemm, getPieces(fusion));
    FusionOp sum = emitSum(builder, fusion, gemm, pieces.getResult(0));
    TileDemand demand = getTileDemand(getRegionOps(sum));
    sum.setScheduleAttr(chooseSumSchedule(&getContext(), demand, **target));
    fusion->replaceAllUsesWith(sum.getResults());
    fusion.erase();
    ++numSplit;
    return verifySchedule([&] { return sum.emitError(); }, demand,
                          sum.getScheduleAttr(), **target);
  }

  void runOnOperation() override {
    SmallVector<FusionOp> fusions;
    getOperation().walk([&](FusionOp fusion) {
      if (getPieces(fusion) > 1)
        fusions.push_back(fusion);
    });
    for (FusionOp fusion : fusions)
      if (failed(split(fusion)))
        return signalPassFailure();
  }
};
} // namespace
