//===- RowVariants.cpp - kernels for ranges of rows -----------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RowVariants.h"

#include "te/Region/Region.h"
#include "te/Schedule/TuningDatabase.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::te;

bool te::hasUnknownRows(FusionOp fusion) {
  SmallVector<Operation *> ops = getRegionOps(fusion);
  if (ops.empty() || getParts(ops).size() != 1)
    return false;
  Anchor anchor = findAnchor(ops);
  return anchor.value && ShapedType::isDynamic(anchor.getExtents().first);
}

/// The region's number of rows, in host code.
static Value emitHostRows(ImplicitLocOpBuilder &b, FusionOp fusion) {
  auto leaf = [&](Value source, int64_t dim) -> Value {
    auto argument = cast<BlockArgument>(source);
    Value host = fusion.getInputs()[argument.getArgNumber()];
    if (dim < 0)
      return host;
    return b.createOrFold<DimOp>(b.getIndexType(), host, uint64_t(dim));
  };
  return emitRows(
      b, findAnchor(getRegionOps(fusion)),
      [&](Value inner, int64_t i) { return emitSize(b, inner, i, leaf); });
}

namespace {
/// One region on its way to its variants.
struct VariantEmitter {
  ImplicitLocOpBuilder &b;
  FusionOp fusion;
  ArrayRef<RowVariant> variants;
  Value rows;

  FusionOp emitOne(size_t index) {
    const RowVariant &variant = variants[index];
    // The first of those with its schedule: they share a kernel.
    const RowVariant &first =
        *llvm::find_if(variants, [&](const RowVariant &other) {
          return other.schedule == variant.schedule;
        });
    auto made = cast<FusionOp>(b.clone(*fusion.getOperation()));
    if (first.most != INT64_MAX)
      made.setKernel((fusion.getKernel() + "_rows" + Twine(first.most)).str());
    made.setScheduleAttr(first.schedule);
    if (first.tuned)
      made->setAttr(kTunedAttr, first.tuned);
    SmallVector<int64_t> range = {index ? variants[index - 1].most + 1 : 0};
    if (variant.most != INT64_MAX)
      range.push_back(variant.most);
    made.setRows(ArrayRef<int64_t>(range));
    return made;
  }

  /// This variant and all that follow.
  SmallVector<Value> emitFrom(size_t index) {
    if (index + 1 == variants.size())
      return emitOne(index).getResults();
    Value most = arith::ConstantIndexOp::create(b, variants[index].most);
    Value isHere =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ule, rows, most);
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

void te::emitVariants(FusionOp fusion, ArrayRef<RowVariant> variants) {
  ImplicitLocOpBuilder b(fusion.getLoc(), fusion);
  Value rows = emitHostRows(b, fusion);
  fusion->replaceAllUsesWith(
      VariantEmitter{b, fusion, variants, rows}.emitFrom(0));
  fusion.erase();
}
