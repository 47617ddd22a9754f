//===- GemmEpilogue.cpp - what surrounds a product ------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The epilogue of te.gemm and te.gemm_sum (docs/spec.md), on the accumulators
// of one, or on the sum of the other's partials: the first, plus the second,
// and so on, all of them loaded at once.
//
//   %y = te.gemm_sum %p bias(%v : ..) : tensor<2x..> -> ..
// ==>
//   %a = tile.load %p[0, ..]; %b = tile.load %p[1, ..]
//   %sum = arith.addf %a, %b; ...
//
//===----------------------------------------------------------------------===//

#include "Lowerings.h"

#include "te/Conversion/TEToTile/TileContext.h"
#include "te/Region/Region.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

/// `v` in the order of docs/spec.md; `aux` is written on the way.
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

/// Columns in which the halves alternate, or 0: halves.
static int64_t getInterleave(Operation *product) {
  GatedActivationOp gate = findGate(product);
  return gate ? int64_t(gate.getInterleave()) : 0;
}

std::vector<TileContext> te::getProductColumns(TileContext &ctx,
                                               Operation *product) {
  if (!getMap(cast<OpResult>(product->getResult(0))).isHalves())
    return {ctx};
  auto &b = ctx.b;
  int64_t interleave = getInterleave(product);
  std::vector<TileContext> columns(2, ctx);
  for (auto [i, half] : llvm::enumerate(columns)) {
    half.halfColumns = {{/*second=*/i == 1, interleave}, ctx.tileCol, ctx.cols};
    half.staticCols *= 2; // F10: they are known
    half.cols = arith::ConstantIndexOp::create(b, half.staticCols);
  }
  Value length = ctx.cols;
  if (interleave > 0) { // so many runs of the second half are in front
    length = arith::ConstantIndexOp::create(b, interleave);
    Value before = arith::MulIOp::create(
        b, arith::DivUIOp::create(b, ctx.tileCol, length), length);
    columns[0].tileCol = arith::AddIOp::create(b, ctx.tileCol, before);
  }
  columns[1].tileCol = arith::AddIOp::create(b, columns[0].tileCol, length);
  return columns;
}

void te::defineProduct(TileContext &ctx, Operation *product, ValueRange tiles) {
  Value result = product->getResult(0);
  if (tiles.size() > 1)
    ctx.defineWide(result, tiles[0], tiles[1], getInterleave(product));
  else
    ctx.define(result, tiles[0]);
}

namespace {
struct GemmSumLowering
    : TileLoweringInterface::ExternalModel<GemmSumLowering, GemmSumOp> {

  /// The partials of a tile of all columns, or of those of a half.
  static SmallVector<Value> loadPartialSums(TileContext &ctx, GemmSumOp op,
                                            int64_t half, int64_t halves) {
    int64_t interleave = getInterleave(op);
    auto &b = ctx.b;
    Value buffer = ctx.getBuffers(op.getPartials()).data;
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, value);
    };
    auto multiply = [&](Value x, Value y) {
      return b.createOrFold<arith::MulIOp>(x, y);
    };
    TileContext last = ctx;
    last.setFirstRow(op.getPartials());
    Value pitch = multiply(last.cols, constant(halves));
    SmallVector<Value> partials;
    for (int64_t s = 0, count = op.getPartials().getType().getDimSize(0);
         s < count; ++s) {
      last.matrix = constant(s);
      Value start = b.createOrFold<arith::AddIOp>(
          multiply(multiply(last.matrix, last.rows), pitch),
          multiply(interleave ? constant(interleave) : last.cols,
                   constant(half)));
      Value view = last.view(buffer, last.rows, last.cols, pitch, start);
      partials.push_back(last.load(view, last.tileRow, last.tileCol,
                                   b.getF32Type(), last.getLoadLayout(),
                                   /*divisible=*/1, /*order=*/{}, interleave));
    }
    return partials;
  }

  LogicalResult lowerToTile(Operation *operation, TileContext &ctx) const {
    auto op = cast<GemmSumOp>(operation);
    auto &b = ctx.b;
    std::vector<TileContext> columns = getProductColumns(ctx, op);
    SmallVector<SmallVector<Value>> partials;
    for (size_t half = 0; half < columns.size(); ++half)
      partials.push_back(loadPartialSums(ctx, op, half, columns.size()));
    // One after the other they would each take memory's latency.
    b.getInsertionBlock()
        ->getParent()
        ->getParentOfType<tile::KernelOp>()
        ->setAttr(kLoadsFirstAttrName, b.getUnitAttr());
    SmallVector<Value> results;
    for (auto [own, parts] : llvm::zip_equal(columns, partials)) {
      Value sum = parts.front();
      for (Value partial : ArrayRef(parts).drop_front())
        sum = arith::AddFOp::create(b, sum, partial);
      results.push_back(ctx.round(emitEpilogue(own, op, sum),
                                  op.getResult().getType().getElementType()));
    }
    defineProduct(ctx, op, results);
    return success();
  }
};
} // namespace

void te::attachGemmSumLowering(MLIRContext *context) {
  GemmSumOp::attachInterface<GemmSumLowering>(*context);
}
