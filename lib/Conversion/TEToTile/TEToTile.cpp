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

static Cover getCover(FusionOp fusion) {
  Cover cover;
  for (Value inner : fusion.getBody().front().getTerminator()->getOperands()) {
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
  if (cast<ShapedType>(value.getType()).isDynamicDim(i))
    if (auto launch = value.getDefiningOp<LaunchOp>())
      return launch.getDynamicSize(cast<OpResult>(value), i);
  return b.createOrFold<DimOp>(b.getIndexType(), value, uint64_t(i));
}

/// M and K of a value, in host code.
static std::pair<Value, Value> emitExtents(ImplicitLocOpBuilder &b,
                                           Value value) {
  auto shaped = cast<ShapedType>(value.getType());
  auto dim = [&](int64_t i) { return emitDim(b, value, i); };
  Value rows = arith::ConstantIndexOp::create(b, 1);
  if (shaped.getRank() == 0)
    return {rows, rows};
  for (int64_t i = 0; i + 1 < shaped.getRank(); ++i)
    rows = b.createOrFold<arith::MulIOp>(rows, dim(i));
  return {rows, dim(shaped.getRank() - 1)};
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
/// One fusion on its way to a kernel and its launches.
struct Outliner {
  FusionOp fusion;
  const Target &target;
  SymbolTable &symbols;
  SmallVector<Operation *> ops;
  Anchor anchor; // an argument of the region
  Value noop;
  SmallVector<OpResult> sums; // yielded: over all rows
  /// Sizes that lowerings asked for: arguments of the kernel behind the
  /// extents.
  llvm::MapVector<std::pair<BlockArgument, int64_t>, Value> dims = {};

  LogicalResult run();
  KernelOp emitKernel();
  void emitLaunch(KernelOp kernel);
  LogicalResult emitBody(TileContext &ctx);
  SmallVector<Type> getLaunchTypes();
  SmallVector<Value> emitSizes(ImplicitLocOpBuilder &b, Value groups,
                               Value cols);
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
  Value getDim(ImplicitLocOpBuilder &b, Block &body, Value inner, int64_t i);
  bool isDynamic(bool rows) {
    auto extent = anchor.getExtents();
    return ShapedType::isDynamic(rows ? extent.first : extent.second);
  }
  Value emitResultDim(ImplicitLocOpBuilder &b, OpResult inner, int64_t i,
                      Value cols);
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

LogicalResult Outliner::emitBody(TileContext &ctx) {
  for (Operation *op : ops) {
    ctx.b.setLoc(op->getLoc());
    auto lowering = dyn_cast<TileLoweringInterface>(op);
    if (!lowering)
      emitElementwise(ctx, op);
    else if (failed(lowering.lowerToTile(ctx)))
      return failure();
  }
  return success();
}

/// The argument that dimension i of a value of the region is taken from: ops
/// leave the sizes of their tiles as they are.
static BlockArgument findSizeSource(Value inner, int64_t i) {
  while (auto result = dyn_cast<OpResult>(inner)) {
    bool isLast = i + 1 == cast<ShapedType>(inner.getType()).getRank();
    for (OpOperand &operand : result.getOwner()->getOpOperands()) {
      Extent extent = getExtent(operand);
      Operation *producer = operand.get().getDefiningOp();
      if ((extent == Extent::Tile || (extent == Extent::Wide && !isLast)) &&
          !(producer && isSplatConstant(producer))) {
        inner = operand.get();
        break;
      }
    }
  }
  return cast<BlockArgument>(inner);
}

Value Outliner::getDim(ImplicitLocOpBuilder &b, Block &body, Value inner,
                       int64_t i) {
  auto shaped = cast<ShapedType>(inner.getType());
  if (!shaped.isDynamicDim(i))
    return arith::ConstantIndexOp::create(b, shaped.getDimSize(i));
  Value &size = dims[{findSizeSource(inner, i), i}];
  if (!size)
    size = body.addArgument(b.getIndexType(), b.getLoc());
  return size;
}

KernelOp Outliner::emitKernel() {
  ImplicitLocOpBuilder b(fusion.getLoc(), fusion.getContext());
  b.setInsertionPointToEnd(fusion->getParentOfType<ModuleOp>().getBody());
  SmallVector<Type> types;
  for (Type type : llvm::concat<const Type>(fusion.getBody().getArgumentTypes(),
                                            getLaunchTypes()))
    addPointerTypes(type, types);
  types.append(isDynamic(true) + isDynamic(false), b.getIndexType());
  ScheduleAttr schedule = fusion.getScheduleAttr();
  auto kernel = KernelOp::create(b, fusion.getKernel(), schedule.getTarget(),
                                 schedule.getWaves(), types);
  Block &body = kernel.getBody().front();
  b.setInsertionPointToStart(&body);

  TileContext ctx(b, target, schedule);
  ctx.rowsPerLane = getSharedRows(ops);
  ctx.getDim = [&](Value inner, int64_t i) {
    return getDim(b, body, inner, i);
  };
  unsigned next = 0;
  for (BlockArgument argument : fusion.getBody().getArguments())
    bindBuffers(ctx, argument, body, next);
  for (Value yielded : fusion.getBody().front().getTerminator()->getOperands())
    bindBuffers(ctx, yielded, body, next);
  auto extent = anchor.getExtents();
  std::tie(ctx.staticRows, ctx.staticCols) = extent;
  auto size = [&](int64_t known) -> Value {
    return ShapedType::isDynamic(known)
               ? Value(body.getArgument(next++))
               : Value(arith::ConstantIndexOp::create(b, known));
  };
  Cover cover = getCover(fusion);
  auto whole = [&](int64_t known, int64_t multiple, int64_t tile) {
    return !ShapedType::isDynamic(known) && known > 0 &&
           known % std::max(multiple, tile) == 0;
  };
  ctx.wholeRows = whole(extent.first, cover.rowMultiple, getGroupRows());
  ctx.wholeCols =
      whole(extent.second, cover.colMultiple, schedule.getTile()[1]);
  ctx.rows = size(extent.first);
  ctx.cols = size(extent.second);
  Value x = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  Value y = gpu::BlockIdOp::create(b, gpu::Dimension::y);
  ctx.tileCol = arith::MulIOp::create(
      b, x, arith::ConstantIndexOp::create(b, schedule.getTile()[1]));
  Value zero = arith::ConstantIndexOp::create(b, 0);
  ctx.firstWorkgroup = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq, arith::AddIOp::create(b, x, y), zero);

  LogicalResult result = success();
  emitUnlessNoop(b, noop ? ctx.getBuffers(noop).data : Value(), [&] {
    result = emitRowTiles(ctx, sums, y, schedule.getRowTiles(),
                          [&] { return emitBody(ctx); });
  });
  if (succeeded(result))
    return kernel;
  kernel.erase();
  return {};
}

/// The size of a dynamic dimension of a result, in host code: the sizes of the
/// anchor, but for the last one.
Value Outliner::emitResultDim(ImplicitLocOpBuilder &b, OpResult inner,
                              int64_t i, Value cols) {
  Value host = getHostValue(anchor.value);
  bool isLast = i + 1 == cast<ShapedType>(host.getType()).getRank();
  switch (getExtent(inner)) {
  case Extent::Scalar:
  case Extent::Row:
  case Extent::Table:
    break;
  case Extent::Column:
    return cols;
  case Extent::Tile:
    if (isLast)
      return cols;
    break;
  case Extent::Wide:
    if (!isLast)
      break;
    [[fallthrough]];
  case Extent::WideColumn:
    return b.createOrFold<arith::MulIOp>(cols,
                                         arith::ConstantIndexOp::create(b, 2));
  }
  return emitDim(b, host, i);
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
SmallVector<Value> Outliner::emitSizes(ImplicitLocOpBuilder &b, Value groups,
                                       Value cols) {
  SmallVector<Value> sizes;
  for (Value inner : fusion.getBody().front().getTerminator()->getOperands()) {
    if (llvm::is_contained(sums, inner))
      sizes.push_back(groups);
    for (auto [i, size] :
         llvm::enumerate(cast<ShapedType>(inner.getType()).getShape()))
      if (ShapedType::isDynamic(size))
        sizes.push_back(emitResultDim(b, cast<OpResult>(inner), i, cols));
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
        sizes.push_back(emitResultDim(b, sum, 0, cols));
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
  auto [rows, cols] = emitExtents(b, getHostValue(anchor.value));
  if (anchor.isWide)
    cols = b.createOrFold<arith::DivUIOp>(cols,
                                          arith::ConstantIndexOp::create(b, 2));
  Cover cover = getCover(fusion);
  Value gridX = emitTileCount(b, cols, cover.colMultiple, schedule.getTile()[1],
                              cover.atLeastOne);
  Value gridY = emitTileCount(b, rows, cover.rowMultiple, getGroupRows(),
                              cover.atLeastOne);
  SmallVector<Value> sizes, inits;
  if (isDynamic(true))
    sizes.push_back(rows);
  if (isDynamic(false))
    sizes.push_back(cols);
  for (auto &[source, size] : dims)
    sizes.push_back(emitDim(b, getHostValue(source.first), source.second));

  // An amax, always the last, is zeroed first, then folded into.
  ValueRange yielded = fusion.getBody().front().getTerminator()->getOperands();
  if (!yielded.empty() && isAmax(yielded.back()))
    inits.push_back(emitZero(b, yielded.back().getType()).getResult(0));
  auto launch = LaunchOp::create(b, getLaunchTypes(), kernel.getSymName(),
                                 gridX, gridY, fusion.getInputs(), inits, sizes,
                                 emitSizes(b, gridY, cols));
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
    Anchor anchor = findAnchor(ops);
    if (!anchor.value)
      return fusion.emitError("F5: no op of the region reads a tensor; remove "
                              "it");
    Value noop;
    for (Operation *op : ops)
      if (Value flag = getNoopFlag(op))
        noop = flag;
    return Outliner{
        fusion, **target, symbols, ops, anchor, noop, getColumnSums(fusion)}
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
