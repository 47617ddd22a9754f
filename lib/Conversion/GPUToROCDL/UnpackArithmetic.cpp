//===- UnpackArithmetic.cpp - te-unpack-arithmetic ------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Packed f32 instructions do not issue while a matrix instruction of the SIMD
// computes; others do, four clocks after it (docs/decisions/0031). So in loops
// that have both, vectors of f32 are computed element by element. Before
// te-gpu-to-amdgpu:
//   te-opt --te-unpack-arithmetic
//
//   %2 = arith.mulf %0, %1 : vector<2xf32>
// ==>
//   %a = vector.extract %0[0]; %b = vector.extract %1[0]
//   %c = arith.mulf %a, %b : f32
//   ..
//   %2 = vector.from_elements %c, %f : vector<2xf32>
//
// Limits: vectors of one dimension, in the body of the loop itself: branches
// are seldom taken.
//
//===----------------------------------------------------------------------===//

#include "te/Conversion/Passes.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::te;

namespace mlir::te {
#define GEN_PASS_DEF_UNPACKARITHMETICPASS
#include "te/Conversion/Passes.h.inc"
} // namespace mlir::te

static bool hasProducts(scf::ForOp loop) {
  return llvm::any_of(*loop.getBody(), [](Operation &op) {
    return isa<amdgpu::MFMAOp, amdgpu::ScaledMFMAOp>(op);
  });
}

/// The backend has a packed instruction for it.
static bool isPacked(Operation *op) {
  if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, math::FmaOp>(op))
    return false;
  auto type = dyn_cast<VectorType>(op->getResult(0).getType());
  return type && type.getRank() == 1 && type.getElementType().isF32();
}

static void unpack(Operation *op) {
  IRRewriter rewriter(op);
  ImplicitLocOpBuilder b(op->getLoc(), rewriter);
  auto type = cast<VectorType>(op->getResult(0).getType());
  SmallVector<Value> elements;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    IRMapping map;
    for (Value operand : op->getOperands())
      map.map(operand, vector::ExtractOp::create(b, operand, i).getResult());
    Operation *made = b.clone(*op, map);
    made->getResult(0).setType(type.getElementType());
    elements.push_back(made->getResult(0));
  }
  rewriter.replaceOp(op, vector::FromElementsOp::create(b, type, elements));
}

namespace {
struct UnpackArithmeticPass
    : te::impl::UnpackArithmeticPassBase<UnpackArithmeticPass> {
  void runOnOperation() override {
    SmallVector<Operation *> packed;
    getOperation().walk([&](scf::ForOp loop) {
      if (hasProducts(loop))
        for (Operation &op : *loop.getBody())
          if (isPacked(&op))
            packed.push_back(&op);
    });
    for (Operation *op : packed)
      unpack(op);
  }
};
} // namespace
