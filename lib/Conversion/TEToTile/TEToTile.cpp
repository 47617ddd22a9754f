//===- TEToTile.cpp - te-to-tile ------------------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each te.fusion becomes a tile.kernel and a tile.launch, after te-schedule:
//   te-opt --te-to-tile
//
//   %q = te.fusion "f_0" (%a = %x : tensor<?x64xbf16>) -> (...) ... {...}
// ==>
//   %q = tile.launch @f_0 grid(%gx, %gy) ins(%x : ...) sizes(%m) -> ...
//   tile.kernel @f_0(...) {...}
//
// The grid covers the padding of the scales too: outside the tensor a tile
// reads zeros, whose scale byte is the padding's. An amax starts from 0, which
// a launch of a one-lane kernel writes before.
//
// Limits: the ops of a region walk over one M x K extent.
//
//===----------------------------------------------------------------------===//

#include "ColumnSums.h"
#include "RegionCheck.h"

#include "te/Analysis/Region.h"
#include "te/Conversion/TEToTile/TileContext.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

namespace mlir::te {
#define GEN_PASS_DEF_TETOTILEPASS
#include "te/Conversion/Passes.h.inc"
} // namespace mlir::te

//===----------------------------------------------------------------------===//
// Kernel arguments
//===----------------------------------------------------------------------===//

/// Pointers to global memory of a value's buffers: data, then scales.
static void addPointerTypes(Type type, SmallVectorImpl<Type> &types) {
  MLIRContext *context = type.getContext();
  auto space = gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Global);
  auto pointer = [&](Type element) {
    return MemRefType::get({}, element, MemRefLayoutAttrInterface(), space);
  };
  auto scaled = dyn_cast<ScaledType>(type);
  types.push_back(pointer(scaled && scaled.isFP4() // two codes a byte
                              ? IntegerType::get(context, 8)
                              : getElementTypeOrSelf(type)));
  if (scaled)
    types.push_back(pointer(scaled.getScaling().isE8M0()
                                ? IntegerType::get(context, 8)
                                : scaled.getScaling().getScaleType()));
}

/// Gives `value` the next arguments as its buffers.
static void bindBuffers(TileContext &ctx, Value value, Block &body,
                        unsigned &next) {
  TileContext::Buffers buffers;
  buffers.data = body.getArgument(next++);
  if (isa<ScaledType>(value.getType()))
    buffers.scales = body.getArgument(next++);
  ctx.bindBuffers(value, buffers);
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

namespace {
/// What the tiles of a region must cover: M and K rounded up to the padding
/// that results store, and at least one tile where a result has rank 0.
struct Cover {
  int64_t rowMultiple = 1, colMultiple = 1;
  bool atLeastOne = false;
};
} // namespace

/// Of what the ops of a part yield.
static Cover getCover(ValueRange yielded, ArrayRef<Operation *> ops) {
  Cover cover;
  for (Value inner : yielded) {
    if (!llvm::is_contained(ops, inner.getDefiningOp()))
      continue;
    auto scaled = dyn_cast<ScaledType>(inner.getType());
    if (!scaled) {
      Extent extent = getExtent(cast<OpResult>(inner));
      cover.atLeastOne |= extent == Extent::Scalar || extent == Extent::Row;
      continue;
    }
    if (!scaled.getScaling().isBlock()) { // an empty tensor has a scale too
      cover.atLeastOne = true;
      continue;
    }
    for (ScaledType::StorageDim dim : scaled.getScaleStorage()) {
      bool isCols =
          dim.numDims == 1 && int64_t(dim.firstDim) == scaled.getRank() - 1;
      int64_t &multiple = isCols ? cover.colMultiple : cover.rowMultiple;
      multiple = std::max(multiple, dim.divisor * dim.multiple);
    }
  }
  return cover;
}

/// The number of tiles along one extent, in host code.
static Value emitTileCount(ImplicitLocOpBuilder &b, Value extent,
                           int64_t multiple, int64_t tile, bool atLeastOne) {
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

/// M and K of an anchor, whose sizes `dim` gives.
static std::pair<Value, Value>
emitExtents(ImplicitLocOpBuilder &b, const Anchor &anchor,
            function_ref<Value(Value, int64_t)> dim) {
  int64_t rank = cast<ShapedType>(anchor.value.getType()).getRank();
  Value rows = arith::ConstantIndexOp::create(b, 1);
  if (rank == 0)
    return {rows, rows};
  for (int64_t i = 0; i + 1 < rank; ++i)
    rows = b.createOrFold<arith::MulIOp>(rows, dim(anchor.value, i));
  Value cols = dim(anchor.value, rank - 1);
  if (anchor.isWide)
    cols = b.createOrFold<arith::DivUIOp>(cols,
                                          arith::ConstantIndexOp::create(b, 2));
  return {rows, cols};
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Calls `body` where the flag, if there is one, does not say noop.
static void emitUnlessNoop(ImplicitLocOpBuilder &b, Value flagBuffer,
                           function_ref<void()> body) {
  if (!flagBuffer)
    return body();
  Value flag = memref::LoadOp::create(b, flagBuffer, ValueRange());
  Value one = arith::ConstantOp::create(b, b.getF32FloatAttr(1.0f));
  Value run = arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, flag, one);
  auto branch = scf::IfOp::create(b, run, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenYield());
  body();
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

namespace {
/// Ops that walk over one extent.
struct Part {
  SmallVector<Operation *> ops;
  Anchor anchor;
  Cover cover;
};

/// One fusion on its way to a kernel and its launches.
struct Outliner {
  FusionOp fusion;
  const Target &target;
  SymbolTable &symbols;
  SmallVector<Operation *> ops;
  SmallVector<Part> parts;
  Value noop;
  SmallVector<OpResult> sums; // yielded: over all rows
  /// Sizes that lowerings asked for: arguments of the kernel behind the others.
  /// An index of the region has the dimension -1.
  llvm::MapVector<std::pair<Value, int64_t>, Value> dims = {};

  LogicalResult run();
  KernelOp emitKernel();
  void emitLaunch(KernelOp kernel);
  void bindExtents(TileContext &ctx, const Part &part, unsigned &next);
  LogicalResult emitBody(TileContext &ctx, const Part &part);
  LogicalResult emitPart(const TileContext &common, const Part &part, Value x,
                         Value group, unsigned &next);
  LogicalResult emitParts(const TileContext &common, Value x, Value group,
                          unsigned next);
  SmallVector<Type> getLaunchTypes();
  SmallVector<Value> emitSizes(ImplicitLocOpBuilder &b, Value groups);
  LaunchOp emitZero(ImplicitLocOpBuilder &b, Type amax);
  SmallVector<Value> emitFinish(ImplicitLocOpBuilder &b, ValueRange partial,
                                Value groups, Value cols);
  /// Rows that one workgroup computes.
  int64_t getGroupRows() {
    ScheduleAttr schedule = fusion.getScheduleAttr();
    return schedule.getTile()[0] * schedule.getRowTiles();
  }
  Value getHostValue(Value inner) {
    auto argument = dyn_cast_if_present<BlockArgument>(inner);
    return argument ? fusion.getInputs()[argument.getArgNumber()] : Value();
  }
  ValueRange getYielded() {
    return fusion.getBody().front().getTerminator()->getOperands();
  }
  Value emitKernelDim(ImplicitLocOpBuilder &b, Block &body, Value inner,
                      int64_t i);
  Value emitHostDim(ImplicitLocOpBuilder &b, Value inner, int64_t i);
  SmallVector<bool> getDynamic();
};
} // namespace

/// An elementwise op on tensors, on tiles.
static void emitElementwise(TileContext &ctx, Operation *op) {
  SmallVector<Value> operands = llvm::map_to_vector(
      op->getOperands(), [&](Value operand) { return ctx.getTile(operand); });
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  Operation *tiled = ctx.b.create(
      op->getLoc(), op->getName().getIdentifier(), operands,
      withElementType(operands.front().getType(), element), op->getAttrs());
  ctx.define(op->getResult(0), tiled->getResult(0));
}

LogicalResult Outliner::emitBody(TileContext &ctx, const Part &part) {
  for (Operation *op : ops) {
    bool isElsewhere = llvm::any_of(parts, [&](const Part &other) {
      return &other != &part && llvm::is_contained(other.ops, op);
    });
    if (isElsewhere)
      continue;
    ctx.b.setLoc(op->getLoc());
    auto lowering = dyn_cast<TileLoweringInterface>(op);
    if (!lowering)
      emitElementwise(ctx, op);
    else if (failed(lowering.lowerToTile(ctx)))
      return failure();
  }
  return failure(ctx.hasFailed);
}

Value Outliner::emitKernelDim(ImplicitLocOpBuilder &b, Block &body, Value inner,
                              int64_t i) {
  auto leaf = [&](Value source, int64_t dim) {
    // An index that is a size of an input is that one.
    auto size = dim < 0 ? getHostValue(source).getDefiningOp<DimOp>() : DimOp();
    if (auto it = size ? llvm::find(fusion.getInputs(), size.getInput())
                       : fusion.getInputs().end();
        it != fusion.getInputs().end()) {
      source = fusion.getBody().getArgument(it - fusion.getInputs().begin());
      dim = size.getDimension();
    }
    Value &argument = dims[{source, dim}];
    if (!argument)
      argument = body.addArgument(b.getIndexType(), b.getLoc());
    return argument;
  };
  return i < 0 ? leaf(inner, i) : emitSize(b, inner, i, leaf);
}

Value Outliner::emitHostDim(ImplicitLocOpBuilder &b, Value inner, int64_t i) {
  return emitSize(b, inner, i, [&](Value source, int64_t dim) {
    Value host = getHostValue(source);
    return dim < 0 ? host : emitDim(b, host, dim);
  });
}

/// Which of M and K a kernel of one part takes as arguments. One of several
/// parts takes each part's number of workgroups.
SmallVector<bool> Outliner::getDynamic() {
  if (parts.size() > 1)
    return SmallVector<bool>(parts.size(), true);
  auto [rows, cols] = parts.front().anchor.getExtents();
  SmallVector<bool> dynamic;
  for (int64_t size : {rows, cols})
    if (ShapedType::isDynamic(size))
      dynamic.push_back(true);
  return dynamic;
}

/// M and K of a part, and what is known of them. `next`: the kernel's next
/// argument.
void Outliner::bindExtents(TileContext &ctx, const Part &part, unsigned &next) {
  auto &b = ctx.b;
  ScheduleAttr schedule = ctx.schedule;
  auto extent = part.anchor.getExtents();
  std::tie(ctx.staticRows, ctx.staticCols) = extent;
  auto whole = [&](int64_t known, int64_t multiple, int64_t tile) {
    return !ShapedType::isDynamic(known) && known > 0 &&
           known % std::max(multiple, tile) == 0;
  };
  ctx.wholeRows = whole(extent.first, part.cover.rowMultiple, getGroupRows());
  ctx.wholeCols =
      whole(extent.second, part.cover.colMultiple, schedule.getTile()[1]);
  if (parts.size() > 1) {
    std::tie(ctx.rows, ctx.cols) = emitExtents(b, part.anchor, ctx.getDim);
    return;
  }
  Block &body = *b.getInsertionBlock();
  auto size = [&](int64_t known) -> Value {
    return ShapedType::isDynamic(known)
               ? Value(body.getArgument(next++))
               : Value(arith::ConstantIndexOp::create(b, known));
  };
  ctx.rows = size(extent.first);
  ctx.cols = size(extent.second);
}
/// The program of workgroup (x, group) of a part.
LogicalResult Outliner::emitPart(const TileContext &common, const Part &part,
                                 Value x, Value group, unsigned &next) {
  TileContext ctx = common;
  auto &b = ctx.b;
  bindExtents(ctx, part, next);
  ctx.tileCol = arith::MulIOp::create(
      b, x, arith::ConstantIndexOp::create(b, ctx.schedule.getTile()[1]));
  Value zero = arith::ConstantIndexOp::create(b, 0);
  ctx.firstWorkgroup = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq, arith::AddIOp::create(b, x, group), zero);
  return emitRowTiles(ctx, sums, group, ctx.schedule.getRowTiles(),
                      [&] { return emitBody(ctx, part); });
}

/// Workgroups are divided among the parts, one part's behind the other's.
LogicalResult Outliner::emitParts(const TileContext &common, Value x,
                                  Value group, unsigned next) {
  auto &b = common.b;
  OpBuilder::InsertionGuard guard(b);
  Block &body = *b.getInsertionBlock()
                     ->getParent()
                     ->getParentOfType<KernelOp>()
                     .getBody()
                     .begin();
  for (auto [i, part] : llvm::enumerate(parts)) {
    if (i + 1 == parts.size())
      return emitPart(common, part, x, group, next);
    Value count = body.getArgument(next + i);
    Value isHere =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, group, count);
    auto branch = scf::IfOp::create(b, isHere, /*withElseRegion=*/true);
    b.setInsertionPoint(branch.thenYield());
    if (failed(emitPart(common, part, x, group, next)))
      return failure();
    b.setInsertionPoint(branch.elseYield());
    group = arith::SubIOp::create(b, group, count);
  }
  return success();
}

KernelOp Outliner::emitKernel() {
  ImplicitLocOpBuilder b(fusion.getLoc(), fusion.getContext());
  b.setInsertionPointToEnd(fusion->getParentOfType<ModuleOp>().getBody());
  SmallVector<Type> types;
  for (Type type : llvm::concat<const Type>(fusion.getBody().getArgumentTypes(),
                                            getLaunchTypes()))
    if (!type.isIndex())
      addPointerTypes(type, types);
  types.append(getDynamic().size(), b.getIndexType());
  ScheduleAttr schedule = fusion.getScheduleAttr();
  auto kernel = KernelOp::create(b, fusion.getKernel(), schedule.getTarget(),
                                 schedule.getWaves(), types);
  Block &body = kernel.getBody().front();
  b.setInsertionPointToStart(&body);

  TileContext ctx(b, target, schedule);
  ctx.getDim = [&](Value inner, int64_t i) {
    return emitKernelDim(b, body, inner, i);
  };
  unsigned next = 0;
  for (BlockArgument argument : fusion.getBody().getArguments())
    if (!argument.getType().isIndex())
      bindBuffers(ctx, argument, body, next);
  for (Value yielded : getYielded())
    bindBuffers(ctx, yielded, body, next);
  Value x = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  Value y = gpu::BlockIdOp::create(b, gpu::Dimension::y);
  LogicalResult result = success();
  emitUnlessNoop(b, noop ? ctx.getBuffers(noop).data : Value(),
                 [&] { result = emitParts(ctx, x, y, next); });
  if (succeeded(result))
    return kernel;
  kernel.erase();
  return {};
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
  ImplicitLocOpBuilder atEnd(fusion.getLoc(), fusion.getContext());
  atEnd.setInsertionPointToEnd(fusion->getParentOfType<ModuleOp>().getBody());
  KernelOp zero = emitZeroKernel(atEnd, fusion, bool(flag));
  symbols.insert(zero);
  Value one = arith::ConstantIndexOp::create(b, 1);
  return LaunchOp::create(b, TypeRange(amax), zero.getSymName(), one, one,
                          flag ? ValueRange(flag) : ValueRange(), ValueRange(),
                          ValueRange(), ValueRange());
}

/// Launches the kernel that adds up partial sums, for each width; gives the
/// sums, in their order.
SmallVector<Value> Outliner::emitFinish(ImplicitLocOpBuilder &b,
                                        ValueRange partial, Value groups,
                                        Value cols) {
  SmallVector<Value> results(sums.size());
  for (Extent width : {Extent::Column, Extent::WideColumn}) {
    SmallVector<OpResult> same;
    SmallVector<Value> inputs, sizes;
    SmallVector<Type> types;
    for (auto [sum, value] : llvm::zip_equal(sums, partial)) {
      if (getExtent(sum) != width)
        continue;
      same.push_back(sum);
      inputs.push_back(value);
      types.push_back(sum.getType());
      if (!cast<ShapedType>(sum.getType()).hasStaticShape())
        sizes.push_back(emitHostDim(b, sum, 0));
    }
    if (same.empty())
      continue;
    ImplicitLocOpBuilder atEnd(fusion.getLoc(), fusion.getContext());
    atEnd.setInsertionPointToEnd(fusion->getParentOfType<ModuleOp>().getBody());
    ScheduleAttr schedule = chooseFinishSchedule(same, target);
    KernelOp kernel = emitFinishKernel(
        atEnd, (fusion.getKernel() + "_sum").str(), target, schedule, same);
    symbols.insert(kernel);
    Value wide = cols, one = arith::ConstantIndexOp::create(b, 1);
    if (width == Extent::WideColumn)
      wide = b.createOrFold<arith::MulIOp>(
          cols, arith::ConstantIndexOp::create(b, 2));
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

void Outliner::emitLaunch(KernelOp kernel) {
  ImplicitLocOpBuilder b(fusion.getLoc(), fusion);
  ScheduleAttr schedule = fusion.getScheduleAttr();
  SmallVector<Value> sizes, inits, inputs, groups;
  Value gridX, cols;
  for (const Part &part : parts) {
    auto hostDim = [&](Value inner, int64_t i) {
      return emitHostDim(b, inner, i);
    };
    auto extents = emitExtents(b, part.anchor, hostDim);
    cols = extents.second;
    const Cover &cover = part.cover;
    // Several parts have one column of tiles each.
    gridX = emitTileCount(b, cols, cover.colMultiple, schedule.getTile()[1],
                          cover.atLeastOne);
    groups.push_back(emitTileCount(b, extents.first, cover.rowMultiple,
                                   getGroupRows(), cover.atLeastOne));
    if (parts.size() > 1)
      continue;
    auto [rows, known] = part.anchor.getExtents();
    if (ShapedType::isDynamic(rows))
      sizes.push_back(extents.first);
    if (ShapedType::isDynamic(known))
      sizes.push_back(cols);
  }
  Value gridY = groups.front();
  for (Value more : ArrayRef(groups).drop_front())
    gridY = b.createOrFold<arith::AddIOp>(gridY, more);
  if (parts.size() > 1)
    llvm::append_range(sizes, groups);
  for (auto &[source, size] : dims)
    sizes.push_back(source.second < 0 ? getHostValue(source.first)
                                      : emitDim(b, getHostValue(source.first),
                                                source.second));
  for (Value input : fusion.getInputs())
    if (!input.getType().isIndex())
      inputs.push_back(input);

  // An amax, always the last, is zeroed first, then folded into.
  ValueRange yielded = getYielded();
  if (!yielded.empty() && isAmax(yielded.back()))
    inits.push_back(emitZero(b, yielded.back().getType()).getResult(0));
  auto launch =
      LaunchOp::create(b, getLaunchTypes(), kernel.getSymName(), gridX, gridY,
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

LogicalResult Outliner::run() {
  KernelOp kernel = emitKernel();
  if (!kernel)
    return failure();
  symbols.insert(kernel);
  emitLaunch(kernel);
  fusion.erase();
  return success();
}

namespace {
struct TEToTilePass : te::impl::TEToTilePassBase<TEToTilePass> {
  LogicalResult outline(FusionOp fusion, SymbolTable &symbols) {
    if (!fusion.getScheduleAttr())
      return fusion.emitError(
          "te.fusion has no schedule; run te-schedule first");
    llvm::Expected<const Target *> target =
        Target::get(fusion.getScheduleAttr().getTarget());
    if (!target)
      return fusion.emitError(llvm::toString(target.takeError()));
    if (failed(verifyRegion(fusion)))
      return failure();
    SmallVector<Operation *> ops = getRegionOps(fusion);
    SmallVector<Part> parts;
    for (SmallVector<Operation *> &part : getParts(ops))
      parts.push_back(
          {part, findAnchor(part),
           getCover(fusion.getBody().front().getTerminator()->getOperands(),
                    part)});
    if (parts.empty() || !parts.front().anchor.value)
      return fusion.emitError("F5: no op of the region reads a tensor; remove "
                              "it");
    Value noop;
    for (Operation *op : ops)
      if (Value flag = getNoopFlag(op))
        noop = flag;
    return Outliner{
        fusion, **target, symbols, ops, parts, noop, getColumnSums(fusion)}
        .run();
  }

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<FusionOp> fusions;
    getOperation().walk([&](FusionOp fusion) { fusions.push_back(fusion); });
    for (FusionOp fusion : fusions)
      if (failed(outline(fusion, symbols)))
        return signalPassFailure();
  }
};
} // namespace
