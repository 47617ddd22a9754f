//===- OutlineKernel.cpp - the program of a region ------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnSums.h"
#include "Elementwise.h"
#include "Outliner.h"
#include "RowSweep.h"

#include "te/Schedule/ResourceModel.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

void te::addPointerTypes(Type type, SmallVectorImpl<Type> &types) {
  MLIRContext *context = type.getContext();
  auto space = gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Global);
  auto add = [&](Type element) {
    types.push_back(MemRefType::get({}, getStoredType(element),
                                    MemRefLayoutAttrInterface(), space));
  };
  add(getElementTypeOrSelf(type));
  if (auto scaled = dyn_cast<ScaledType>(type))
    add(scaled.getScaling().getScaleType());
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

/// In a kernel: which matrix workgroup `y` computes, and which group of its
/// rows, where each has as many as emitTileCount says.
static std::pair<Value, Value> emitMatrix(ImplicitLocOpBuilder &b, Value y,
                                          Value rows, const Cover &cover,
                                          int64_t tile) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  int64_t unit = std::max(cover.rowMultiple, tile);
  Value count = b.createOrFold<arith::DivUIOp>(
      b.createOrFold<arith::AddIOp>(rows, constant(unit - 1)), constant(unit));
  count = b.createOrFold<arith::MulIOp>(count, constant(unit / tile));
  count = b.createOrFold<arith::MaxUIOp>(count, constant(1));
  return {arith::DivUIOp::create(b, y, count),
          arith::RemUIOp::create(b, y, count)};
}

/// Calls `body` where the flag, if there is one, does not say noop.
void te::emitUnlessNoop(ImplicitLocOpBuilder &b, Value flagBuffer,
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

/// Lowers an op on tiles with rows for columns.
static LogicalResult emitTransposed(TileContext &ctx, TileContext &transposed,
                                    Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (Value source = getMap(operand).isTile()
                           ? getTransposedSource(operand.get())
                           : Value())
      transposed.setTile(getTileRoot(operand.get()),
                         ctx.transpose(ctx.getTile(source)));
  auto lowering = dyn_cast<TileLoweringInterface>(op);
  if (lowering)
    return lowering.lowerToTile(transposed);
  emitElementwise(transposed, op);
  return success();
}

LogicalResult Outliner::emitBody(TileContext &ctx, ArrayRef<Operation *> ops) {
  llvm::SmallPtrSet<Operation *, 4> transposedOps = getTransposedOps(this->ops);
  TileContext transposed = transposedOps.empty() ? ctx : ctx.getTransposed();
  for (Operation *op : ops) {
    ctx.b.setLoc(op->getLoc());
    if (transposedOps.contains(op)) {
      if (failed(emitTransposed(ctx, transposed, op)))
        return failure();
      continue;
    }
    if (Value result = op->getResult(0);
        ctx.sweep && ctx.sweep->isKept(result)) {
      ctx.define(result, ctx.getTile(result));
      continue;
    }
    auto lowering = dyn_cast<TileLoweringInterface>(op);
    auto lower = [&] { return lowering.lowerToTile(ctx); };
    if (!lowering)
      emitElementwise(ctx, op);
    else if (failed(llvm::is_contained(ops, getWideProducer(op))
                        ? ctx.forEachHalf(op->getOperand(0), lower)
                        : lower()))
      return failure();
  }
  return failure(ctx.hasFailed || transposed.hasFailed);
}

Value Outliner::emitKernelDim(ImplicitLocOpBuilder &b, Value inner, int64_t i) {
  auto leaf = [&](Value source, int64_t dim) -> Value {
    if (IntegerAttr known; dim < 0 && matchPattern(source, m_Constant(&known)))
      return arith::ConstantIndexOp::create(b, known.getInt());
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
      argument = body->addArgument(b.getIndexType(), b.getLoc());
    return argument;
  };
  return i < 0 ? leaf(inner, i) : emitSize(b, inner, i, leaf);
}

/// Which of M and K a kernel of one subkernel takes as arguments. One of
/// several subkernels takes each subkernel's number of workgroups.
SmallVector<bool> Outliner::getDynamic() {
  if (subkernels.size() > 1)
    return SmallVector<bool>(subkernels.size(), true);
  auto [rows, cols] = subkernels.front().anchor.getExtents();
  SmallVector<bool> dynamic;
  for (int64_t size : {rows, cols})
    if (ShapedType::isDynamic(size))
      dynamic.push_back(true);
  return dynamic;
}

/// M and K of a subkernel, and what is known of them. `next`: the kernel's next
/// argument.
void Outliner::bindExtents(TileContext &ctx, const Subkernel &subkernel,
                           unsigned &next) {
  auto &b = ctx.b;
  ScheduleAttr schedule = ctx.schedule;
  auto extent = subkernel.anchor.getExtents();
  std::tie(ctx.staticRows, ctx.staticCols) = extent;
  auto whole = [&](int64_t known, int64_t multiple, int64_t tile) {
    return !ShapedType::isDynamic(known) && known > 0 &&
           known % std::max(multiple, tile) == 0;
  };
  // A workgroup of one row has a row of the tensor, however many there are.
  bool isRow = getGroupRows() == 1 && subkernel.cover.rowMultiple <= 1 &&
               !subkernel.cover.needsRow && !subkernel.computesColumns();
  ctx.wholeRows =
      isRow || whole(extent.first, subkernel.cover.rowMultiple, getGroupRows());
  ctx.wholeCols =
      whole(extent.second, subkernel.cover.colMultiple, schedule.getTile()[1]);
  if (subkernels.size() > 1) {
    ctx.rows = emitRows(b, subkernel.anchor, ctx.getDim);
    ctx.cols = emitColumns(b, subkernel.anchor, ctx.getDim);
    return;
  }
  auto size = [&](int64_t known) -> Value {
    return ShapedType::isDynamic(known)
               ? Value(body->getArgument(next++))
               : Value(arith::ConstantIndexOp::create(b, known));
  };
  ctx.rows = size(extent.first);
  ctx.cols = size(extent.second);
  if (subkernel.anchor.map.isRun())
    ctx.shardLength = ctx.getDim(subkernel.anchor.value, 0);
}

/// Asks L2 for the rows that another workgroup will load.
static void emitPrefetch(TileContext &ctx, ArrayRef<Operation *> ops,
                         Value group) {
  auto &b = ctx.b;

  GridAttr grid = ctx.schedule.getGrid();

  int64_t rows = ctx.schedule.getTile()[0];
  Value row = arith::MulIOp::create(
      b,
      arith::AddIOp::create(
          b, group,
          arith::ConstantIndexOp::create(b, grid.getL2PrefetchDistance())),
      arith::ConstantIndexOp::create(b, rows));
  llvm::SmallSetVector<Value, 2> tensors;
  for (Operation *op : ops)
    for (OpOperand &operand : op->getOpOperands())
      if (Value root = getTileRoot(operand.get());
          getMap(operand).isTile() && isa<BlockArgument>(root))
        tensors.insert(root);
  for (Value tensor : tensors) {
    int64_t rowBytes =
        ctx.staticCols *
        getElementTypeOrSelf(tensor.getType()).getIntOrFloatBitWidth() / 8;
    int64_t bytes =
        std::min<int64_t>(grid.getL2PrefetchBytes(),
                          int64_t(1) << llvm::countr_zero(uint64_t(rowBytes)));
    // Rows of narrower elements may begin elsewhere.
    if (bytes % ctx.target.l2PrefetchBytes == 0)
      PrefetchOp::create(
          b, ctx.viewMatrix(ctx.getBuffers(tensor).data, ctx.rows, ctx.cols),
          row, rows, bytes);
  }
}

/// The code of all tiles of a workgroup of a subkernel: its rows are those of
/// `group`.
LogicalResult Outliner::emitTiles(TileContext &ctx, const Subkernel &subkernel,
                                  Value group) {
  SmallVector<Operation *> own(ops);
  llvm::erase_if(own, [&](Operation *op) {
    return llvm::any_of(subkernels, [&](const Subkernel &other) {
      return &other != &subkernel && llvm::is_contained(other.ops, op);
    });
  });
  auto &b = ctx.b;
  ScheduleAttr schedule = ctx.schedule;
  if (schedule.getSweep() == SweepKind::None) {
    Value groups;
    if (sumsGroups())
      groups = emitGroups(b, subkernel, ctx.rows);
    return emitRowTiles(ctx, sums, group, groups, [&] {
      if (firstRow)
        ctx.tileRow = arith::AddIOp::create(
            b, ctx.tileRow, arith::ConstantIndexOp::create(b, firstRow));
      return emitBody(ctx, own);
    });
  }
  ctx.tileRow = arith::MulIOp::create(
      b, group, arith::ConstantIndexOp::create(b, schedule.getTile()[0]));
  Value chunks = emitTileCount(b, ctx.cols, subkernel.cover.colMultiple,
                               schedule.getTile()[1],
                               /*atLeastOne=*/true);
  return RowSweep(ctx, own, chunks, splits ? &*splits : nullptr)
      .run(sums, group,
           [&](ArrayRef<Operation *> some) { return emitBody(ctx, some); });
}

/// Whether some workgroups may have rows after the last, which every access
/// of theirs would have to branch for. Where nothing waits for a row that costs
/// no time, and two programs cost registers; or LDS, where that holds rows.
bool Outliner::hasEdge(const TileContext &ctx, const Subkernel &subkernel) {
  ScheduleAttr schedule = fusion.getScheduleAttr();
  bool inLds = schedule.getGrid().getCluster() > 1 &&
               schedule.getSweep() == SweepKind::Keep;
  return !target.hasBufferAccesses && !ctx.wholeRows && !inLds &&
         getTileDemand(subkernel.ops).wholeRows &&
         ShapedType::isDynamic(ctx.staticRows) && subkernels.size() == 1 &&
         !subkernel.computesColumns() &&
         schedule.getGrid().getWorkgroups() == 0 && !splits &&
         !schedule.getMatmul();
}

/// The code of a workgroup whose rows are all inside, and of one at the edge.
LogicalResult Outliner::emitAtEdge(TileContext &ctx, const Subkernel &subkernel,
                                   Value group) {
  auto &b = ctx.b;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value end =
      arith::MulIOp::create(b, arith::AddIOp::create(b, group, constant(1)),
                            constant(getGroupRows()));
  Value isInside =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ule, end, ctx.rows);
  auto branch = scf::IfOp::create(b, isInside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenYield());
  TileContext whole = ctx;
  whole.wholeRows = true;
  if (failed(emitTiles(whole, subkernel, group)))
    return failure();
  b.setInsertionPoint(branch.elseYield());
  return emitTiles(ctx, subkernel, group);
}

/// Among several subkernels: the column of tiles of workgroup `group`, and its
/// number in it, of those that are side by side along rows.
std::pair<Value, Value> Outliner::emitColumn(TileContext &ctx,
                                             const Subkernel &subkernel,
                                             Value group) {
  auto &b = ctx.b;
  Value columns = emitTileCount(b, ctx.cols, subkernel.cover.colMultiple,
                                ctx.schedule.getTile()[1], /*atLeastOne=*/true);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  bool isOne = getConstantIntValue(columns) == 1;
  if (subkernel.computesColumns())
    return {isOne ? zero : group, zero};
  if (isOne)
    return {zero, group};
  return {arith::RemUIOp::create(b, group, columns),
          arith::DivUIOp::create(b, group, columns)};
}

/// The program of workgroup (x, group) of a subkernel.
LogicalResult Outliner::emitSubkernel(TileContext ctx,
                                      const Subkernel &subkernel, Value x,
                                      Value group, unsigned &next) {
  bindExtents(ctx, subkernel, next);
  auto &b = ctx.b;
  int64_t width = ctx.schedule.getTile()[1];
  Value zero = arith::ConstantIndexOp::create(b, 0);
  if (subkernels.size() > 1)
    std::tie(x, group) = emitColumn(ctx, subkernel, group);
  else
    std::tie(x, group) = emitOrder(ctx, subkernel, x, group);
  ctx.tileCol = zero; // where one tile holds all columns
  if (!ctx.wholeCols || ctx.staticCols != width)
    ctx.tileCol =
        arith::MulIOp::create(b, x, arith::ConstantIndexOp::create(b, width));
  Value place = arith::AddIOp::create(b, x, group);
  if (split)
    place = arith::AddIOp::create(b, place, split);
  ctx.firstWorkgroup =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, place, zero);
  if (subkernel.anchor.perMatrix)
    std::tie(ctx.matrix, group) =
        emitMatrix(b, group, ctx.rows, subkernel.cover, getGroupRows());
  // There is one subkernel where this is asked for.
  if (ctx.schedule.getGrid().getL2PrefetchDistance() > 0)
    emitPrefetch(ctx, ops, group);
  return hasEdge(ctx, subkernel) ? emitAtEdge(ctx, subkernel, group)
                                 : emitTiles(ctx, subkernel, group);
}

/// Workgroups are divided among the subkernels, one subkernel's after the
/// other's.
LogicalResult Outliner::emitSubkernels(const TileContext &common, Value x,
                                       Value group, unsigned next) {
  auto &b = common.b;
  OpBuilder::InsertionGuard guard(b);
  for (auto [i, subkernel] : llvm::enumerate(subkernels)) {
    if (i + 1 == subkernels.size() && (i == 0 || !subkernel.computesColumns()))
      return emitSubkernel(common, subkernel, x, group, next);
    Value count = body->getArgument(next + i);
    Value isHere =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, group, count);
    // Of many small subkernels a chain of branches is no deeper than one: in
    // those after its own, a workgroup's number has wrapped around.
    bool isChain = subkernel.computesColumns();
    auto branch = scf::IfOp::create(b, isHere, /*withElseRegion=*/!isChain);
    b.setInsertionPoint(branch.thenYield());
    if (failed(emitSubkernel(common, subkernel, x, group, next)))
      return failure();
    if (isChain)
      b.setInsertionPointAfter(branch);
    else
      b.setInsertionPoint(branch.elseYield());
    group = arith::SubIOp::create(b, group, count);
  }
  return success();
}

/// Buffers of a result in a kernel that does not write it: ops are lowered as
/// if there were some, and nothing that reads them is left.
static void bindUnwritten(TileContext &ctx, Value value) {
  SmallVector<Type> types;
  addPointerTypes(value.getType(), types);
  auto make = [&](Type type) {
    return UnrealizedConversionCastOp::create(ctx.b, type, ValueRange())
        .getResult(0);
  };
  TileContext::Buffers buffers;
  buffers.data = make(types.front());
  if (types.size() > 1)
    buffers.scales = make(types.back());
  ctx.bindBuffers(value, buffers);
}

/// Binds the region's values to the kernel's buffers: what it reads, partial
/// results of the kernels before it, and what it writes. Gives the number of
/// these arguments.
unsigned Outliner::bindArguments(TileContext &ctx, bool isLast) {
  unsigned next = 0;
  for (BlockArgument argument : fusion.getBody().getArguments())
    if (!argument.getType().isIndex())
      bindBuffers(ctx, argument, *body, next);
  unsigned first = next;
  next += made.kernels.size() + !isLast;
  if (splits)
    splits->begin(split,
                  ValueRange(body->getArguments().slice(first, next - first)));
  for (Value yielded : getYielded())
    if (isLast)
      bindBuffers(ctx, yielded, *body, next);
    else
      bindUnwritten(ctx, yielded);
  return next;
}

/// This workgroup's column of tiles, and its group of rows.
std::pair<Value, Value> Outliner::emitPlace(ImplicitLocOpBuilder &b) {
  constexpr auto x = gpu::Dimension::x;
  if (fusion.getScheduleAttr().getGrid().getCluster() > 1)
    return {gpu::ClusterBlockIdOp::create(b, x),
            gpu::ClusterIdOp::create(b, x)};
  Value id = gpu::BlockIdOp::create(b, x);
  if (hasOneColumn())
    return {arith::ConstantIndexOp::create(b, 0), id};
  return {id, gpu::BlockIdOp::create(b, gpu::Dimension::y)};
}

LogicalResult Outliner::emitKernel(bool isLast) {
  ImplicitLocOpBuilder b(fusion.getLoc(), fusion.getContext());
  b.setInsertionPointToEnd(fusion->getParentOfType<ModuleOp>().getBody());
  SmallVector<Type> types;
  for (Type type : fusion.getBody().getArgumentTypes())
    if (!type.isIndex())
      addPointerTypes(type, types);
  Type f32 = RankedTensorType::get({}, b.getF32Type());
  for (size_t i = 0; i < made.kernels.size() + !isLast; ++i)
    addPointerTypes(f32, types);
  if (isLast)
    for (Type type : getLaunchTypes())
      addPointerTypes(type, types);
  types.append(getDynamic().size(), b.getIndexType());
  ScheduleAttr schedule = fusion.getScheduleAttr();
  std::string name = (fusion.getKernel() + (isLast ? "" : "_partial")).str();
  auto kernel = KernelOp::create(b, name, schedule.getTarget(),
                                 schedule.getWaves(), types);
  dims.clear();
  TileDemand demand = getTileDemand(ops);
  if (std::optional<int64_t> waves = getWavesPerSIMD(demand, schedule, target))
    kernel.setWavesPerSimd(*waves);
  if (schedule.getGrid().getCluster() > 1)
    kernel.setCluster(schedule.getGrid().getCluster());
  if (int64_t bytes = getResidentBytes(schedule, target))
    kernel.setLdsBytes(bytes);
  if (schedule.getGrid().getWorkgroups() > 0 && !sumsGroups())
    kernel.setWorkgroups(schedule.getGrid().getWorkgroups());
  if (ArrayAttr without = schedule.getWithout())
    kernel.setWithoutAttr(without);
  body = &kernel.getBody().front();
  b.setInsertionPointToStart(body);

  TileContext ctx(b, target, schedule);
  ctx.prefetches = estimate(demand, schedule, target).prefetches;
  ctx.getDim = [&](Value inner, int64_t i) {
    return emitKernelDim(b, inner, i);
  };
  Value x, y;
  std::tie(x, y) = emitPlace(b);
  if (splits)
    split = std::exchange(x, arith::ConstantIndexOp::create(b, 0));
  unsigned next = bindArguments(ctx, isLast);
  LogicalResult result = success();
  emitUnlessNoop(b, noop ? ctx.getBuffers(noop).data : Value(),
                 [&] { result = emitSubkernels(ctx, x, y, next); });
  if (failed(result)) {
    kernel.erase();
    return failure();
  }
  body->walk<WalkOrder::PostOrder>([](UnrealizedConversionCastOp unwritten) {
    if (unwritten.use_empty())
      unwritten.erase();
  });
  finishExchanges(kernel);
  symbols.insert(kernel);
  made.kernels.push_back({kernel, {}, {}});
  for (auto [source, dim] : llvm::make_first_range(dims))
    made.kernels.back().sizes.push_back(
        {cast<BlockArgument>(source).getArgNumber(), dim});
  return success();
}
