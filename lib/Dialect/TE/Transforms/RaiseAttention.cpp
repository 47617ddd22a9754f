//===- RaiseAttention.cpp - te-raise-attention ----------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds attention in products and a softmax, before te-fuse:
//   te-opt
//   --pass-pipeline='builtin.module(func.func(te-raise-attention{target=gfx950}))'
//
//   %s = te.gemm %q, %k transpose_b : tensor<2x8x?x128xbf16>, ..
//   %p = te.softmax %s {scale = 0.125 : f32, causal} : ..
//   %o = te.gemm %p, %v : ..
// ==>
//   %o, %lse = te.attention bhsd %q, %k, %v {scale = 0.125 : f32, causal,
//   raised}
//
// Casts between them go, as scores and probabilities are not stored. Matrices
// of rank 2 and 3 are heads of one batch, or of many. Where all operands are a
// te.permute of one order, that order is the op's format.
//
// Limits: the second product's A and the first one's operands are bf16 or f16,
// nobody else reads what is in between, no product has an epilogue but alpha in
// the first one, and a schedule for the attention fits the target.
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/TE/Transforms/Passes.h"
#include "te/Schedule/ResourceModel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::te;

namespace mlir::te {
#define GEN_PASS_DEF_RAISEATTENTIONPASS
#include "te/Dialect/TE/Transforms/Passes.h.inc"
} // namespace mlir::te

namespace {
/// Ops that are an attention together.
struct Chain {
  GemmOp scores;
  SoftmaxOp softmax;
  GemmOp output;
};
} // namespace

static int64_t getRank(Value value) {
  return cast<ShapedType>(value.getType()).getRank();
}

/// What a value is a cast of, by ops that nobody else reads.
static Value stripCasts(Value value) {
  while (value.hasOneUse() &&
         isa_and_present<arith::TruncFOp, arith::ExtFOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// Nothing but the product, times alpha.
static bool isPlain(GemmOp gemm) {
  return !gemm.getTransposeA() && !gemm.getBias() && !gemm.getGelu() &&
         !gemm.getDgelu() && !gemm.getAccumulate() && !gemm.getAux() &&
         !gemm.getBiasGrad() && !gemm.getRest() && !gemm.getSplitK() &&
         getRank(gemm.getA()) == getRank(gemm.getB()) &&
         getRank(gemm.getA()) <= 4;
}

static std::optional<Chain> match(GemmOp output) {
  Value probabilities = stripCasts(output.getA());
  auto softmax = probabilities.getDefiningOp<SoftmaxOp>();
  if (!softmax || !probabilities.hasOneUse())
    return std::nullopt;
  Value products = stripCasts(softmax.getInput());
  auto scores = products.getDefiningOp<GemmOp>();
  if (!scores || !products.hasOneUse() || !isPlain(scores) ||
      !isPlain(output) || !scores.getTransposeB() || output.getTransposeB() ||
      !output.getAlpha().isExactlyValue(1.0))
    return std::nullopt;
  Type element = getElementTypeOrSelf(scores.getA().getType());
  bool isSame = llvm::all_of(
      std::array{scores.getB(), output.getB()}, [&](Value operand) {
        return getElementTypeOrSelf(operand.getType()) == element;
      });
  if (!isSame || !(element.isBF16() || element.isF16()) ||
      isa<ScaledType>(scores.getA().getType()))
    return std::nullopt;
  return Chain{scores, softmax, output};
}

/// Of matrices: the dimensions that a head's batch, number, rows and columns
/// are.
static SmallVector<ReassociationIndices> getGroups(int64_t rank) {
  switch (rank) {
  case 2:
    return {{0, 1, 2}, {3}};
  case 3:
    return {{0, 1}, {2}, {3}};
  default:
    return {{0}, {1}, {2}, {3}};
  }
}

/// A tensor of matrices as (b, h, s, d).
static Value toHeads(ImplicitLocOpBuilder &b, Value value) {
  int64_t rank = getRank(value);
  if (rank == 4)
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0; dim < rank; ++dim)
    sizes.push_back(
        type.isDynamicDim(dim)
            ? OpFoldResult(
                  DimOp::create(b, b.getIndexType(), value, dim).getResult())
            : OpFoldResult(b.getIndexAttr(shape[dim])));
  while (shape.size() < 4) { // before the rows
    shape.insert(shape.end() - 2, 1);
    sizes.insert(sizes.end() - 2, b.getIndexAttr(1));
  }
  return tensor::ExpandShapeOp::create(b, type.clone(shape), value,
                                       getGroups(rank), sizes);
}

namespace {
/// The order of an operand's source, where it is a te.permute to bhsd.
struct Order {
  AttentionFormat format;
  std::array<int64_t, 4> permutation;
};
} // namespace

static constexpr Order kOrders[] = {{AttentionFormat::BSHD, {0, 2, 1, 3}},
                                    {AttentionFormat::SBHD, {1, 2, 0, 3}}};

static const Order *findOrder(ArrayRef<Value> operands) {
  auto isOf = [&](const Order &order) {
    return llvm::all_of(operands, [&](Value operand) {
      auto permute = operand.getDefiningOp<PermuteOp>();
      return permute && permute.getPermutation() == ArrayRef(order.permutation);
    });
  };
  auto it = llvm::find_if(kOrders, isOf);
  return it == std::end(kOrders) ? nullptr : it;
}

/// The attention of (b, h, s, d) operands, which may be permuted from another
/// order: `o` in bhsd. Null where the op is not valid.
static AttentionOp emitAttention(ImplicitLocOpBuilder &b,
                                 SmallVector<Value> operands, Type element,
                                 Chain chain) {
  const Order *order = findOrder(operands);
  AttentionFormat format = order ? order->format : AttentionFormat::BHSD;
  if (order)
    for (Value &operand : operands)
      operand = operand.getDefiningOp<PermuteOp>().getInput();
  auto q = cast<RankedTensorType>(operands[0].getType());
  SmallVector<int64_t> shape(q.getShape());
  shape.back() = cast<ShapedType>(operands[2].getType()).getShape().back();
  float scale = chain.scores.getAlpha().convertToFloat() *
                chain.softmax.getScale().convertToFloat();
  auto op =
      AttentionOp::create(b, RankedTensorType::get(shape, element),
                          RankedTensorType::get({}, b.getF32Type()), format,
                          operands[0], operands[1], operands[2],
                          b.getF32FloatAttr(scale), chain.softmax.getCausal());
  SmallVector<int64_t> ofLse{shape[op.getBatchDim()], shape[op.getHeadDim()],
                             shape[op.getSequenceDim()]};
  op.getLse().setType(RankedTensorType::get(ofLse, b.getF32Type()));
  op->setAttr(kRaisedAttr, b.getStringAttr("te.gemm, te.softmax and te.gemm"));
  return op;
}

/// The inverse of an order's permutation, back to the op's format.
static SmallVector<int64_t> invert(ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> inverse(permutation.size());
  for (auto [i, dim] : llvm::enumerate(permutation))
    inverse[dim] = i;
  return inverse;
}

/// The result in the order of the chain's, for those that read it; a reader
/// that permutes it back to the op's format reads the op.
static void replaceResult(ImplicitLocOpBuilder &b, AttentionOp op,
                          GemmOp output) {
  Value o = op.getResult();
  if (op.getFormat() != AttentionFormat::BHSD) {
    auto order = llvm::find_if(kOrders, [&](const Order &candidate) {
      return candidate.format == op.getFormat();
    });
    SmallVector<int64_t> back = invert(order->permutation);
    for (Operation *user :
         llvm::make_early_inc_range(output.getResult().getUsers()))
      if (auto permute = dyn_cast<PermuteOp>(user);
          permute && permute.getPermutation() == ArrayRef(back)) {
        permute.replaceAllUsesWith(o);
        permute.erase();
      }
    SmallVector<int64_t> shape;
    for (int64_t dim : order->permutation)
      shape.push_back(cast<ShapedType>(o.getType()).getDimSize(dim));
    o = PermuteOp::create(b, cast<RankedTensorType>(o.getType()).clone(shape),
                          o, b.getDenseI64ArrayAttr(order->permutation));
  }
  if (int64_t rank = getRank(output.getResult()); rank < 4)
    o = tensor::CollapseShapeOp::create(b, output.getResult().getType(), o,
                                        getGroups(rank));
  output.getResult().replaceAllUsesWith(o);
}

namespace {
struct RaiseAttentionPass
    : te::impl::RaiseAttentionPassBase<RaiseAttentionPass> {
  using RaiseAttentionPassBase::RaiseAttentionPassBase;

  /// True where kernels of the target compute it.
  bool fits(AttentionOp op, const Target &chip) {
    TileDemand demand = getTileDemand(op.getOperation());
    ScheduleAttr schedule = chooseSchedule(op.getContext(), demand, chip);
    return !findViolation(demand, schedule, chip);
  }

  void raise(GemmOp output, const Target &chip) {
    std::optional<Chain> chain = match(output);
    if (!chain)
      return;
    ImplicitLocOpBuilder b(output.getLoc(), output);
    SmallVector<Value> operands;
    for (Value operand :
         {chain->scores.getA(), chain->scores.getB(), output.getB()})
      operands.push_back(toHeads(b, operand));
    AttentionOp op = emitAttention(
        b, operands, output.getResult().getType().getElementType(), *chain);
    // The rules of the op without an error, as the chain is valid too.
    ScopedDiagnosticHandler quiet(&getContext(),
                                  [](Diagnostic &) { return success(); });
    if (failed(op.verify()) || !fits(op, chip)) {
      op.erase();
      return;
    }
    ++numRaised;
    replaceResult(b, op, output);
  }

  void runOnOperation() override {
    llvm::Expected<const Target *> chip = Target::get(target);
    if (!chip) {
      getOperation().emitError(llvm::toString(chip.takeError()));
      return signalPassFailure();
    }
    SmallVector<GemmOp> products;
    getOperation().walk([&](GemmOp gemm) {
      if (!gemm->getParentOfType<FusionOp>()) // someone wrote that
        products.push_back(gemm);
    });
    for (GemmOp gemm : products)
      raise(gemm, **chip);
  }
};
} // namespace
