//===- OutlineLaunch.cpp - the host code of a region ----------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnSums.h"
#include "Outliner.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

Value te::emitTileCount(ImplicitLocOpBuilder &b, Value extent, int64_t multiple,
                        int64_t tile, bool atLeastOne) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value count;
  if (multiple > tile) // ceil(rup(n, multiple) / tile), both powers of two
    count = b.createOrFold<arith::MulIOp>(
        b.createOrFold<arith::CeilDivUIOp>(extent, constant(multiple)),
        constant(multiple / tile));
  else
    count = b.createOrFold<arith::CeilDivUIOp>(extent, constant(tile));
  return atLeastOne ? b.createOrFold<arith::MaxUIOp>(count, constant(1))
                    : count;
}

/// The size of a dimension, in host code: what the launch that made the value
/// was told, or the argument's own.
static Value emitDim(ImplicitLocOpBuilder &b, Value value, int64_t i) {
  return emitSize(b, value, i, [&](Value source, int64_t dim) -> Value {
    if (dim < 0)
      return source;
    if (auto launch = source.getDefiningOp<LaunchOp>())
      return launch.getDynamicSize(cast<OpResult>(source), dim);
    return b.createOrFold<DimOp>(b.getIndexType(), source, uint64_t(dim));
  });
}

Value Outliner::emitHostDim(ImplicitLocOpBuilder &b, Value inner, int64_t i) {
  return emitSize(b, inner, i, [&](Value source, int64_t dim) {
    Value host = getHostValue(source);
    return dim < 0 ? host : emitDim(b, host, dim);
  });
}

/// The kernel that sets an amax to 0 before workgroups fold into it.
static KernelOp emitZeroKernel(ImplicitLocOpBuilder &b, FusionOp fusion,
                               bool hasNoop) {
  SmallVector<Type> types;
  Type f32 = RankedTensorType::get({}, b.getF32Type());
  for (int i = 0; i < 1 + hasNoop; ++i)
    addPointerTypes(f32, types);
  auto kernel =
      KernelOp::create(b, (fusion.getKernel() + "_zero").str(),
                       fusion.getScheduleAttr().getTarget(), 1, types);
  OpBuilder::InsertionGuard guard(b);
  Block &body = kernel.getBody().front();
  b.setInsertionPointToStart(&body);
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0f));
  emitUnlessNoop(b, hasNoop ? body.getArgument(0) : Value(), [&] {
    memref::StoreOp::create(b, zero, body.getArguments().back(), ValueRange());
  });
  return kernel;
}

/// The types of what the kernel writes: partial sums in place of sums.
SmallVector<Type> Outliner::getLaunchTypes() {
  SmallVector<Type> types(fusion.getResultTypes());
  for (auto [i, yielded] :
       llvm::enumerate(fusion.getBody().front().getTerminator()->getOperands()))
    if (llvm::is_contained(sums, yielded))
      types[i] = getPartialType(cast<OpResult>(yielded));
  return types;
}

/// The dynamic sizes of what the kernel writes.
SmallVector<Value> Outliner::emitSizes(ImplicitLocOpBuilder &b, Value groups) {
  SmallVector<Value> sizes;
  for (Value inner : getYielded()) {
    if (llvm::is_contained(sums, inner))
      sizes.push_back(groups);
    for (auto [i, size] :
         llvm::enumerate(cast<ShapedType>(inner.getType()).getShape()))
      if (ShapedType::isDynamic(size))
        sizes.push_back(emitHostDim(b, inner, i));
  }
  return sizes;
}

/// Launches the kernel that sets an amax to 0.
LaunchOp Outliner::emitZero(ImplicitLocOpBuilder &b, Type amax) {
  Value flag = getHostValue(noop);
  if (!made.zero) {
    ImplicitLocOpBuilder atEnd(fusion.getLoc(), fusion.getContext());
    atEnd.setInsertionPointToEnd(fusion->getParentOfType<ModuleOp>().getBody());
    made.zero = emitZeroKernel(atEnd, fusion, bool(flag));
    symbols.insert(made.zero);
  }
  Value one = arith::ConstantIndexOp::create(b, 1);
  return LaunchOp::create(b, TypeRange(amax), made.zero.getSymName(), one, one,
                          flag ? ValueRange(flag) : ValueRange(), ValueRange(),
                          ValueRange(), ValueRange());
}

/// Launches the kernel that adds up partial sums, for each width; gives the
/// sums, in their order.
SmallVector<Value> Outliner::emitFinish(ImplicitLocOpBuilder &b,
                                        ValueRange partial, Value groups,
                                        Value cols) {
  SmallVector<Value> results(sums.size());
  bool isNew = made.finish.empty();
  unsigned next = 0;
  for (unsigned halves : {1, 2}) {
    SmallVector<OpResult> same;
    SmallVector<Value> inputs, sizes;
    SmallVector<Type> types;
    for (auto [sum, value] : llvm::zip_equal(sums, partial)) {
      if (getHalves(sum) != halves)
        continue;
      same.push_back(sum);
      inputs.push_back(value);
      types.push_back(sum.getType());
      if (!cast<ShapedType>(sum.getType()).hasStaticShape())
        sizes.push_back(emitHostDim(b, sum, 0));
    }
    if (same.empty())
      continue;
    ScheduleAttr schedule = chooseFinishSchedule(same, target);
    if (isNew) {
      ImplicitLocOpBuilder atEnd(fusion.getLoc(), fusion.getContext());
      atEnd.setInsertionPointToEnd(
          fusion->getParentOfType<ModuleOp>().getBody());
      made.finish.push_back(emitFinishKernel(
          atEnd, (fusion.getKernel() + "_sum").str(), target, schedule, same));
      symbols.insert(made.finish.back());
    }
    KernelOp kernel = made.finish[next++];
    Value one = arith::ConstantIndexOp::create(b, 1);
    Value wide = b.createOrFold<arith::MulIOp>(
        cols, arith::ConstantIndexOp::create(b, halves));
    Value grid = emitTileCount(b, wide, 1, schedule.getTile()[1],
                               /*atLeastOne=*/false);
    auto launch =
        LaunchOp::create(b, types, kernel.getSymName(), grid, one, inputs,
                         ValueRange(), ValueRange{groups, wide}, sizes);
    for (auto [sum, result] : llvm::zip_equal(same, launch.getResults()))
      results[llvm::find(sums, sum) - sums.begin()] = result;
  }
  return results;
}

/// The number of tiles down the rows of a subkernel, from the first row on that
/// is computed, in host code or a kernel's.
Value Outliner::emitGroups(ImplicitLocOpBuilder &b, const Subkernel &subkernel,
                           Value rows) {
  Value count = emitTileCount(b, rows, subkernel.cover.rowMultiple,
                              getGroupRows(), subkernel.cover.needsRow);
  if (firstRow)
    count = b.createOrFold<arith::SubIOp>(
        count, arith::ConstantIndexOp::create(b, firstRow / getGroupRows()));
  return count;
}

/// The number of workgroups along the rows of a subkernel, in host code.
Value Outliner::emitGroupCount(ImplicitLocOpBuilder &b,
                               const Subkernel &subkernel, Value rows) {
  if (subkernel.computesColumns())
    return arith::ConstantIndexOp::create(b, 1);
  Value count = emitGroups(b, subkernel, rows);
  if (GemmOp gemm = findGemm(subkernel.ops); gemm && gemm.getRest()) {
    Value whole = arith::ConstantIndexOp::create(b, getWholeGroups());
    count = b.createOrFold<arith::AddIOp>(
        whole, b.createOrFold<arith::MulIOp>(
                   b.createOrFold<arith::SubIOp>(count, whole),
                   arith::ConstantIndexOp::create(b, gemm.countSplits())));
  }
  if (sumsGroups())
    count = b.createOrFold<arith::MinUIOp>(
        count, arith::ConstantIndexOp::create(
                   b, fusion.getScheduleAttr().getGrid().getWorkgroups()));
  for (unsigned i : subkernel.anchor.getMatrixDims())
    count = b.createOrFold<arith::MulIOp>(
        count, emitHostDim(b, subkernel.anchor.value, i));
  return count;
}

/// Launches a kernel that writes partial results of rows.
void Outliner::emitPartialLaunch(ImplicitLocOpBuilder &b,
                                 const RegionKernels::Kernel &kernel,
                                 Value gridX, Value gridY, Value rows,
                                 ValueRange inputs, ValueRange sizes) {
  SmallVector<Value> dynamic;
  if (!kernel.partial.hasStaticShape())
    dynamic.push_back(rows);
  KernelOp op = kernel.op;
  auto launch =
      LaunchOp::create(b, TypeRange(kernel.partial), op.getSymName(), gridX,
                       gridY, inputs, ValueRange(), sizes, dynamic);
  partials.push_back(launch.getResult(0));
}

void Outliner::emitLaunch(const RegionKernels::Kernel &kernel) {
  ImplicitLocOpBuilder b(fusion.getLoc(), fusion);
  ScheduleAttr schedule = fusion.getScheduleAttr();
  SmallVector<Value> sizes, inits, inputs, groups;
  Value gridX, rows, cols, one = arith::ConstantIndexOp::create(b, 1);
  for (const Subkernel &subkernel : subkernels) {
    auto hostDim = [&](Value inner, int64_t i) {
      return emitHostDim(b, inner, i);
    };
    rows = emitRows(b, subkernel.anchor, hostDim);
    cols = emitColumns(b, subkernel.anchor, hostDim);
    const Cover &cover = subkernel.cover;
    // Several subkernels have one column of tiles each.
    Value columns = emitTileCount(b, cols, cover.colMultiple,
                                  schedule.getTile()[1], cover.needsCol);
    groups.push_back(emitGroupCount(b, subkernel, rows));
    if (subkernels.size() > 1)
      groups.back() = b.createOrFold<arith::MulIOp>(
          groups.back(), std::exchange(columns, one));
    gridX = gridX ? b.createOrFold<arith::MaxUIOp>(gridX, columns) : columns;
    if (schedule.getSweep() != SweepKind::None)
      gridX =
          arith::ConstantIndexOp::create(b, schedule.getGrid().getRowSplit());
    if (subkernels.size() > 1)
      continue;
    auto [knownRows, knownCols] = subkernel.anchor.getExtents();
    if (ShapedType::isDynamic(knownRows))
      sizes.push_back(rows);
    if (ShapedType::isDynamic(knownCols))
      sizes.push_back(cols);
  }
  Value gridY = groups.front();
  for (Value more : ArrayRef(groups).drop_front())
    gridY = b.createOrFold<arith::AddIOp>(gridY, more);
  if (subkernels.size() > 1)
    llvm::append_range(sizes, groups);
  for (auto [argument, dim] : kernel.sizes) {
    Value host = fusion.getInputs()[argument];
    sizes.push_back(dim < 0 ? host : emitDim(b, host, dim));
  }
  for (Value input : fusion.getInputs())
    if (!input.getType().isIndex())
      inputs.push_back(input);
  llvm::append_range(inputs, partials);
  if (kernel.partial)
    return emitPartialLaunch(b, kernel, gridX, gridY, rows, inputs, sizes);

  // An amax, always the last, is zeroed first, then folded into.
  ValueRange yielded = getYielded();
  llvm::append_range(inits, fusion.getInits());
  if (inits.empty() && !yielded.empty() && isAmax(yielded.back()))
    inits.push_back(emitZero(b, yielded.back().getType()).getResult(0));
  Value x = hasOneColumn() ? gridY : gridX, y = hasOneColumn() ? gridX : gridY;
  if (int64_t cluster = schedule.getGrid().getCluster(); cluster > 1) {
    x = b.createOrFold<arith::MulIOp>(
        gridY, arith::ConstantIndexOp::create(b, cluster));
    y = one;
  }
  KernelOp op = kernel.op;
  auto launch = LaunchOp::create(b, getLaunchTypes(), op.getSymName(), x, y,
                                 inputs, inits, sizes, emitSizes(b, gridY));
  SmallVector<Value> results(launch.getResults()), partial;
  for (auto [inner, result] : llvm::zip_equal(yielded, launch.getResults()))
    if (llvm::is_contained(sums, inner))
      partial.push_back(result);
  SmallVector<Value> finished = emitFinish(b, partial, gridY, cols);
  for (auto [inner, result] : llvm::zip_equal(yielded, results))
    if (auto it = llvm::find(sums, inner); it != sums.end())
      result = finished[it - sums.begin()];
  fusion->replaceAllUsesWith(results);
}
