//===- Prepare.cpp - what kernels are made of -----------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prepare.h"

#include "Orders.h"
#include "Rows.h"

#include "te/Region/Region.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/FoldUtils.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::te;

static SmallVector<OpResult> getResults(QuantizeOp op,
                                        Granularity granularity) {
  return llvm::filter_to_vector(op.getScaledResults(), [&](OpResult result) {
    return cast<ScaledType>(result.getType()).getScaling().getGranularity() ==
           granularity;
  });
}

/// True where a result's scale needs the amax of the whole tensor, which no
/// operand gives.
static bool needsAmax(QuantizeOp op) {
  return !op.getScale() && !op.getAmax() &&
         !getResults(op, Granularity::Tensor).empty();
}

/// One op for each granularity among the results, so that no scheme is kept to
/// another's tile (they share a region where one fits all). The amax is an op
/// too: what current scaling is computed from.
static void split(QuantizeOp op) {
  OpBuilder builder(op);
  auto scalar = RankedTensorType::get({}, builder.getF32Type());
  bool isCurrent = needsAmax(op);
  OpResult given = op.getAmaxResult();
  Value amax;
  if (isCurrent || given)
    amax = AmaxOp::create(builder, op.getLoc(), scalar, op.getInput(),
                          op.getNoop());
  for (Granularity granularity :
       {Granularity::Tensor, Granularity::Row, Granularity::Block}) {
    SmallVector<OpResult> results = getResults(op, granularity);
    if (results.empty())
      continue;
    SmallVector<Type> types = llvm::map_to_vector(
        results, [](OpResult result) { return result.getType(); });
    bool takesAmax = isCurrent && granularity == Granularity::Tensor;
    auto part = QuantizeOp::create(
        builder, op.getLoc(), types, op.getInput(), op.getScale(),
        takesAmax ? amax : Value(), op.getNoop(), op.getRng(), op.getHadamard(),
        op.getSignMaskAttr(), op.getStochastic(), op.getEpsilonAttr());
    for (auto [before, after] : llvm::zip_equal(results, part.getResults()))
      before.replaceAllUsesWith(after);
  }
  if (given)
    given.replaceAllUsesWith(amax);
  op.erase();
}

/// Of one tensor, in any order of its dimensions, one amax; what a function
/// returns is each value once.
static void shareAmaxes(func::FuncOp func) {
  llvm::DenseMap<std::pair<Value, Value>, AmaxOp> first;
  func.walk([&](AmaxOp op) {
    if (op->getParentOfType<FusionOp>())
      return;
    while (auto permute = op.getInput().getDefiningOp<PermuteOp>())
      op.getInputMutable().assign(permute.getInput());
    AmaxOp same =
        first.try_emplace({op.getInput(), op.getNoop()}, op).first->second;
    if (same == op || same->getBlock() != op->getBlock() ||
        llvm::any_of(op->getUsers(), llvm::IsaPred<func::ReturnOp>))
      return;
    op.replaceAllUsesWith(same.getResult());
    op.erase();
  });
}

/// A gradient of a bias is a pass over A of its own.
static void splitBiasGrad(GemmOp op) {
  Value grad = op.getBiasGrad();
  if (!grad || grad.use_empty())
    return;
  OpBuilder builder(op);
  Value a = op.getA();
  if (auto scaled = dyn_cast<ScaledType>(a.getType()))
    a = DequantizeOp::create(
        builder, op.getLoc(),
        RankedTensorType::get(scaled.getShape(), builder.getF32Type()), a);
  Value sum = BiasGradOp::create(builder, op.getLoc(), grad.getType(), a);
  grad.replaceAllUsesWith(sum);
}

/// Sizes are computed from those of the function's arguments.
static void resolveSizes(func::FuncOp func) {
  func.walk([](Operation *op) {
    auto dim = dyn_cast<DimOp>(op);
    auto tensorDim = dyn_cast<tensor::DimOp>(op);
    std::optional<int64_t> index;
    if (dim)
      index = dim.getDimension();
    else if (tensorDim)
      index = tensorDim.getConstantIndex();
    if (!index || op->getParentOfType<FusionOp>())
      return;
    auto type = cast<ShapedType>(op->getOperand(0).getType());
    if (*index < 0 || !type.hasRank() || *index >= type.getRank())
      return;
    ImplicitLocOpBuilder b(op->getLoc(), op);
    Value tensor = op->getOperand(0);
    Value size = emitSize(b, tensor, *index, [&](Value source, int64_t i) {
      if (i < 0)
        return source;
      return b.createOrFold<DimOp>(b.getIndexType(), source, uint64_t(i));
    });
    op->getResult(0).replaceAllUsesWith(size);
    op->erase();
  });
}

/// True where a reader of a view finds its elements where they lie.
static bool readsInPlace(OpOperand &use) {
  Operation *user = use.getOwner();
  Value value = use.get();
  if (auto permute = dyn_cast<PermuteOp>(user);
      permute && !permute.keepsRows() && !isTransposed(value))
    return isa<tensor::ExtractSliceOp>(value.getDefiningOp()) &&
           permute.getType().getRank() == 2;
  if (isView(user))
    return !isTransposed(value);
  if (!isRegionOp(user) || !readsTiles(use))
    return false;
  if (isTransposedByMatrix(value))
    return getMap(use).isTile() && readsTransposedMatrices(user);
  return !isPerMatrix(user) && !needsWholeColumns(user);
}

/// Copies views that someone reads who wants a buffer.
static void copyViews(func::FuncOp func) {
  func.walk([](Operation *op) {
    if (!isView(op) || !getSliceSource(op->getResult(0)) ||
        op->getParentOfType<FusionOp>())
      return;
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : op->getResult(0).getUses())
      if (!readsInPlace(use))
        uses.push_back(&use);
    if (uses.empty())
      return;
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    auto copy = CopyOp::create(builder, op->getLoc(), op->getResult(0));
    for (OpOperand *use : uses)
      use->set(copy.getResult());
  });
}

/// A buffer that others read by tiles, which may be a view in their region, has
/// a reshape of its own.
static void partReshapes(func::FuncOp func) {
  func.walk([](Operation *op) {
    if (!isRegionOp(op) || op->getParentOfType<FusionOp>())
      return;
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *view = operand.get().getDefiningOp();
      if ((readsTiles(operand) && !isConversion(op)) || !view ||
          !isView(view) || getSliceSource(operand.get()) || view->hasOneUse())
        continue;
      operand.set(OpBuilder(view).clone(*view)->getResult(0));
    }
  });
}

/// Views of constants that are constants themselves; a constant that is
/// returned has a buffer of its own.
static void foldConstants(func::FuncOp func) {
  OperationFolder folder(func.getContext());
  func.walk([&](Operation *op) {
    if (isView(op) && matchPattern(op->getOperand(0), m_Constant()))
      (void)folder.tryToFold(op);
  });
  func.walk([](func::ReturnOp op) {
    OpBuilder builder(op);
    for (OpOperand &operand : op->getOpOperands())
      if (matchPattern(operand.get(), m_Constant()))
        operand.set(
            CopyOp::create(builder, operand.get().getLoc(), operand.get()));
  });
}

void te::dropDead(func::FuncOp func) {
  for (Block &block : func.getBody())
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (!isa<FusionOp>(op) && isOpTriviallyDead(&op))
        op.erase();
}

void te::prepare(func::FuncOp func) {
  RewritePatternSet patterns(func.getContext());
  TransposeDataOp::getCanonicalizationPatterns(patterns, func.getContext());
  RelayoutOp::getCanonicalizationPatterns(patterns, func.getContext());
  PermuteOp::getCanonicalizationPatterns(patterns, func.getContext());
  walkAndApplyPatterns(func, std::move(patterns));
  foldConstants(func);
  dropDead(func);
  resolveSizes(func);
  SmallVector<Operation *> ops;
  func.walk([&](Operation *op) {
    if (!op->getParentOfType<FusionOp>())
      ops.push_back(op);
  });
  for (Operation *op : ops)
    if (auto quantize = dyn_cast<QuantizeOp>(op)) {
      bool hasRows = !getResults(quantize, Granularity::Row).empty(),
           hasBlocks = !getResults(quantize, Granularity::Block).empty();
      if (needsAmax(quantize) || (hasRows && hasBlocks))
        split(quantize);
    } else if (auto gemm = dyn_cast<GemmOp>(op)) {
      splitBiasGrad(gemm);
    } else if (auto permute = dyn_cast<PermuteOp>(op)) {
      splitOrder(permute);
    } else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
      concatenate(insert);
    }
  shareAmaxes(func);
  resolveSizes(func); // of what came in
  copyViews(func);
  copySeparateRows(func);
  partReshapes(func);
}
