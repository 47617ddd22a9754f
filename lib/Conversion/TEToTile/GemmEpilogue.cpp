//===- GemmEpilogue.cpp - what surrounds a product ------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The epilogue of te.gemm and te.gemm_sum (docs/spec.md), on the accumulators
// of one, or on the sum of the other's pieces: the first, plus the second, and
// so on, all of them loaded at once.
//
//   %y = te.gemm_sum %p bias(%v : ..) : tensor<2x..> -> ..
// ==>
//   %a = tile.load %p[0, ..]; %b = tile.load %p[1, ..]
//   %sum = arith.addf %a, %b; ...
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"

#include "te/Conversion/TEToTile/TileContext.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

/// `v` in the order of decision 18; `aux` is written on the way.
template <class Op>
static Value emitEpilogue(TileContext &ctx, Op op, Value v) {
  auto &b = ctx.b;
  auto scale = [&](Value x, double factor) -> Value {
    return factor == 1.0
               ? x
               : arith::MulFOp::create(b, x, ctx.constant(x.getType(), factor));
  };
  auto add = [&](Value x, Value y) -> Value {
    return arith::AddFOp::create(b, x, y);
  };
  v = scale(v, op.getAlpha().convertToDouble());
  if (op.getBias())
    v = add(v, ctx.broadcast(ctx.toF32(ctx.loadColumns(op.getBias())),
                             getLayout(v.getType())));
  if (Value aux = op.getAux(); aux && !aux.use_empty())
    ctx.define(aux, ctx.round(v, getElementTypeOrSelf(aux.getType())));
  if (op.getGelu())
    v = emitGelu(ctx, v);
  if (op.getDgelu())
    v = arith::MulFOp::create(
        b, v, emitGeluDerivative(ctx, ctx.toF32(ctx.getTile(op.getDgelu()))));
  if (op.getAccumulate() && op.getBetaOrOne() != 0)
    v = add(v, scale(ctx.toF32(ctx.getTile(op.getAccumulate())),
                     op.getBetaOrOne()));
  return v;
}

Value te::emitGemmEpilogue(TileContext &ctx, GemmOp op, Value product) {
  return emitEpilogue(ctx, op, product);
}

namespace {
struct GemmSumLowering
    : TileLoweringInterface::ExternalModel<GemmSumLowering, GemmSumOp> {
  Extent getOperandExtent(Operation *operation, unsigned index) const {
    if (index == 0)
      return Extent::Pieces;
    bool isBias = index == 1 && cast<GemmSumOp>(operation).getBias();
    return isBias ? Extent::Column : Extent::Tile;
  }
  Extent getResultExtent(Operation *, unsigned) const { return Extent::Tile; }
  LogicalResult lowerToTile(Operation *operation, TileContext &ctx) const {
    auto op = cast<GemmSumOp>(operation);
    auto &b = ctx.b;
    Value buffer = ctx.getBuffers(op.getPieces()).data, sum;
    SmallVector<Value> pieces;
    TileContext last = ctx;
    last.setFirstRow(op.getPieces());
    for (int64_t s = 0, count = op.getPieces().getType().getDimSize(0);
         s < count; ++s) {
      last.matrix = arith::ConstantIndexOp::create(b, s);
      pieces.push_back(last.load(last.viewMatrix(buffer, last.rows, last.cols),
                                 last.tileRow, last.tileCol, b.getF32Type(),
                                 last.getLoadLayout()));
    }
    // One after the other they would each take memory's latency.
    b.getInsertionBlock()
        ->getParent()
        ->getParentOfType<tile::KernelOp>()
        ->setAttr(kLoadsFirstAttrName, b.getUnitAttr());
    for (Value piece : pieces)
      sum = sum ? arith::AddFOp::create(b, sum, piece).getResult() : piece;
    Value v = emitEpilogue(ctx, op, sum);
    ctx.define(op.getResult(),
               ctx.round(v, op.getResult().getType().getElementType()));
    return success();
  }
};
} // namespace

void te::attachGemmSumLowering(MLIRContext *context) {
  GemmSumOp::attachInterface<GemmSumLowering>(*context);
}
