//===- Variants.cpp - kernels for ranges of a size
//-------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Variants.h"

#include "te/Region/Region.h"
#include "te/Schedule/ResourceModel.h"
#include "te/Schedule/TuningDatabase.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::te;

bool te::hasRangedSize(FusionOp fusion) {
  SmallVector<Operation *> ops = getRegionOps(fusion);
  return !ops.empty() && getSubkernels(ops).size() == 1 &&
         findAnchor(ops).value && getRangedSize(getTileDemand(ops));
}

/// The size that the region's variants are for, in host code.
static Value emitRangedSize(ImplicitLocOpBuilder &b, FusionOp fusion) {
  auto leaf = [&](Value source, int64_t dim) -> Value {
    auto argument = cast<BlockArgument>(source);
    Value host = fusion.getInputs()[argument.getArgNumber()];
    if (dim < 0)
      return host;
    return b.createOrFold<DimOp>(b.getIndexType(), host, uint64_t(dim));
  };
  auto getDim = [&](Value inner, int64_t i) {
    return emitSize(b, inner, i, leaf);
  };
  SmallVector<Operation *> ops = getRegionOps(fusion);
  TileDemand demand = getTileDemand(ops);
  if (getRangedSize(demand) == &TileDemand::depth)
    return getDim(demand.gemm.getA(), demand.gemm.getKDimA());
  return emitRows(b, findAnchor(ops), getDim);
}

namespace {
/// One region on its way to its variants.
struct VariantEmitter {
  ImplicitLocOpBuilder &b;
  FusionOp fusion;
  StringRef suffix; // of kernels, before the end of a range
  ArrayRef<Variant> variants;
  Value size;

  FusionOp emitOne(size_t index) {
    const Variant &variant = variants[index];
    // The first of those with its schedule: they share a kernel.
    const Variant &first = *llvm::find_if(variants, [&](const Variant &other) {
      return other.schedule == variant.schedule;
    });
    auto made = cast<FusionOp>(b.clone(*fusion.getOperation()));
    if (first.most != INT64_MAX)
      made.setKernel((fusion.getKernel() + suffix + Twine(first.most)).str());
    made.setScheduleAttr(first.schedule);
    if (first.tuned)
      made->setAttr(kTunedAttr, first.tuned);
    SmallVector<int64_t> range = {index ? variants[index - 1].most + 1 : 0};
    if (variant.most != INT64_MAX)
      range.push_back(variant.most);
    made.setRange(ArrayRef<int64_t>(range));
    return made;
  }

  /// This variant and all that follow.
  SmallVector<Value> emitFrom(size_t index) {
    if (index + 1 == variants.size())
      return emitOne(index).getResults();
    Value most = arith::ConstantIndexOp::create(b, variants[index].most);
    Value isHere =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ule, size, most);
    auto branch = scf::IfOp::create(b, fusion.getResultTypes(), isHere,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, emitOne(index).getResults());
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, emitFrom(index + 1));
    return branch.getResults();
  }
};
} // namespace

void te::emitVariants(FusionOp fusion, ArrayRef<Variant> variants) {
  ImplicitLocOpBuilder b(fusion.getLoc(), fusion);
  Value size = emitRangedSize(b, fusion);
  bool isDepth =
      getRangedSize(getTileDemand(getRegionOps(fusion))) == &TileDemand::depth;
  fusion->replaceAllUsesWith(
      VariantEmitter{b, fusion, isDepth ? "_k" : "_rows", variants, size}
          .emitFrom(0));
  fusion.erase();
}
