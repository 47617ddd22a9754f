//===- GemmEmitter.h - the product of a te.gemm, step by step ---*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_TETOTILE_GEMMEMITTER_H
#define TE_LIB_CONVERSION_TETOTILE_GEMMEMITTER_H

#include "GemmScales.h"

namespace mlir::te {

/// Emits the product, or those of one tile of A and several of B.
class GemmEmitter {
public:
  /// `columns`: for each tile of B, the context that has its columns.
  GemmEmitter(TileContext &ctx, MutableArrayRef<TileContext> columns, GemmOp op,
              const GemmPlan &plan)
      : ctx(ctx), b(ctx.b), op(op), plan(plan),
        left(ctx, op, plan, tile::MMASide::A),
        type(tile::getTileType(ctx.b.getF32Type(), ctx.b.getContext(),
                               ctx.getLoadLayout())) {
    for (TileContext &mine : columns)
      rights.emplace_back(mine, op, plan, tile::MMASide::B);
  }
  SmallVector<Value> emitProducts();

private:
  using Kind = GemmOperand::Kind;
  int64_t countGroup() const;
  void bindSteps();
  void bindRest();
  SmallVector<Value> emitSteps();
  void check(MutableArrayRef<Value> sums, ArrayRef<GemmOperand::Seen> seen);
  /// To each sum, what its tile of B adds: `sides` and `scales` are A's and
  /// each tile of B's.
  void emitMmas(ArrayRef<Value> sides, ArrayRef<Value> scales,
                MutableArrayRef<Value> sums, int64_t part = 0);
  void scaleSums(MutableArrayRef<Value> sums);
  void emitSums(MutableArrayRef<Value> sums, ArrayRef<Value> scales,
                function_ref<void(MutableArrayRef<Value>)> addProducts);
  /// A, and the tiles of B.
  SmallVector<const GemmOperand *> getSides() const {
    SmallVector<const GemmOperand *> sides = {&left};
    for (const GemmOperand &right : rights)
      sides.push_back(&right);
    return sides;
  }
  SmallVector<Value> getZeros() {
    return SmallVector<Value>(rights.size(), ctx.constant(type, 0.0));
  }
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  int64_t getStep() const { return ctx.schedule.getMatmul().getK(); }
  bool isStaged() const { return ctx.schedule.getMatmul().getStages() > 1; }
  /// Where step `i` of the piece begins.
  Value emitK(Value i) {
    if (first)
      i = b.createOrFold<arith::AddIOp>(first, i);
    return b.createOrFold<arith::MulIOp>(i, index(getStep()));
  }

  TileContext &ctx;
  ImplicitLocOpBuilder &b;
  GemmOp op;
  const GemmPlan &plan;
  GemmOperand left;
  std::vector<GemmOperand> rights;
  Type type;        // of the accumulators of one tile of B
  Value steps;      // along K, of this workgroup's piece
  Value first = {}; // of these; null: 0
};

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_TETOTILE_GEMMEMITTER_H
