//===- GemmOperand.cpp - one side of a te.gemm, step by step --------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Global memory is read as it lies, in the widest accesses; a tile that lies K
// x outer is transposed, lanes each a block of their registers, and
// tile.convert_layout takes it through LDS to the lanes that the instruction
// wants. Where the chip has no instruction for the elements they become bf16
// first, which holds every fp8 and fp4 value.
//
//===----------------------------------------------------------------------===//

#include "GemmOperand.h"

#include "Data.h"
#include "FP4.h"
#include "Scales.h"

#include "te/Dialect/Tile/IR/RingOrder.h"
#include "te/Region/StorageOrder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

GemmOperand::GemmOperand(TileContext &ctx, GemmOp op, const GemmPlan &plan,
                         MMASide side)
    : ctx(ctx), side(side), isOneOfMany(op.isBatched()), op(op), plan(plan) {
  bool isA = side == MMASide::A;
  Value factor = isA ? op.getA() : op.getB();
  operand = getSource(factor);
  isConverted = operand != factor;
  scaled = dyn_cast<ScaledType>(operand.getType());
  element = isA ? plan.a : plan.b;
  takesScales = plan.scales == GemmPlan::Scales::Instruction;
  auto type = cast<ShapedType>(operand.getType());
  unsigned dim = isA ? op.getKDimA() : op.getKDimB();
  kIsLast = int64_t(dim) == type.getRank() - 1;
  staticK = type.getDimSize(dim);
  k = ctx.getDim(operand, dim);
}

/// Who reads which element of K x outer: blocks of registers that have as many
/// elements along K as one access of LDS moves, so that lanes transpose them by
/// themselves; then lanes along a row, and along K.
static LinearLayout getTransposingLayout(ArrayRef<int64_t> shape, int64_t run,
                                         int64_t widest, unsigned laneBits,
                                         unsigned waveBits) {
  int64_t each =
      std::max<int64_t>(shape[0] * shape[1] >> (laneBits + waveBits), 1);
  // Loads are whole words: smaller ones are joined as they come.
  constexpr int64_t wordsOfWidest = 4;
  int64_t across = std::clamp<int64_t>(
      each / run, std::min(widest / wordsOfWidest, each), widest);
  int64_t alongK = std::min(run, each / across);
  LinearLayout::Bases registers, rest, lanes, waves;
  for (int64_t bit = 1; bit < shape[1]; bit *= 2)
    (bit < across ? registers : rest).push_back(bit);
  for (int64_t bit = 1; bit < shape[0]; bit *= 2)
    (bit < alongK ? registers : rest).push_back(bit * shape[1]);
  auto fill = [&](LinearLayout::Bases &bases, unsigned bits) {
    size_t count = std::min<size_t>(bits, rest.size());
    bases.assign(rest.begin(), rest.begin() + count);
    rest.erase(rest.begin(), rest.begin() + count);
    bases.resize(bits, 0); // replicas
  };
  fill(lanes, laneBits);
  fill(waves, waveBits);
  registers.append(rest);
  return LinearLayout(shape, registers, lanes, waves);
}

/// The operand as a tensor of its own: its extents, and the tile of these
/// steps.
TileContext GemmOperand::makeContext(Value at, int64_t steps) const {
  bool isA = side == MMASide::A;
  int64_t size = ctx.schedule.getMatmul().getK() * steps, outer = getOuter();
  SmallVector<int64_t> tile = {outer, size};
  unsigned bits =
      getElementTypeOrSelf(operand.getType()).getIntOrFloatBitWidth();
  ScheduleAttr schedule = ctx.schedule;
  if (!kIsLast)
    std::swap(tile[0], tile[1]);
  int64_t vector =
      std::min<int64_t>(ctx.target.maxAccessBytes * 8 / bits, tile[1]);
  // Lanes share the work.
  if (isConverted || plan.scales == GemmPlan::Scales::Elements)
    vector = std::clamp<int64_t>(
        outer * size / (schedule.getWaves() * ctx.target.waveSize), 1, vector);
  TileContext step(ctx.b, ctx.target,
                   ScheduleAttr::get(schedule.getContext(),
                                     schedule.getTarget(), tile,
                                     schedule.getWaves(), vector));
  step.getDim = ctx.getDim;
  if (isOneOfMany) {
    step.matrix = ctx.matrix;
    step.matrices = emitCount();
  }
  step.rows = isA ? ctx.rows : ctx.cols;
  step.staticRows = isA ? ctx.staticRows : ctx.staticCols;
  step.tileRow = isA ? ctx.tileRow : ctx.tileCol;
  step.wholeRows = isA ? ctx.wholeRows : ctx.wholeCols;
  if (!isA && ctx.halfColumns) // a run may be as long as the tile
    if (int64_t run = ctx.halfColumns->half.interleave; run < outer)
      step.rowRun = run;
  step.cols = k;
  step.staticCols = staticK;
  step.tileCol = at;
  step.wholeCols = !ShapedType::isDynamic(staticK) && staticK % size == 0;
  if (!kIsLast) {
    std::swap(step.rows, step.cols);
    std::swap(step.staticRows, step.staticCols);
    std::swap(step.tileRow, step.tileCol);
    std::swap(step.wholeRows, step.wholeCols);
    // tile-stage-operands turns what nothing works on.
    if (ctx.schedule.getPipeline().getStages() == 1 || scalesElements())
      step.loadLayout =
          getTransposingLayout(tile, getMMA().getRun(*getMMAFormat(element)),
                               ctx.target.maxAccessBytes * 8 / bits,
                               llvm::Log2_32(ctx.target.waveSize),
                               llvm::Log2_64(schedule.getWaves()));
  }
  // Who reads codes in an order of their own works on them too.
  if (std::optional<LinearLayout> order =
          scaled ? getCodeOrder(scaled) : std::nullopt)
    step.loadLayout = LinearLayout::inOrder(
        tile, *order, ctx.target.maxAccessBytes * 8 / bits,
        llvm::Log2_32(ctx.target.waveSize), llvm::Log2_64(schedule.getWaves()));
  if (ctx.hasBuffers(operand))
    step.bindBuffers(operand, ctx.getBuffers(operand));
  return step;
}

Value GemmOperand::emitCount() const {
  Value count = arith::ConstantIndexOp::create(ctx.b, 1);
  int64_t rank = cast<ShapedType>(operand.getType()).getRank();
  for (int64_t dim = 0; dim < rank - 2; ++dim)
    count = ctx.b.createOrFold<arith::MulIOp>(count, ctx.getDim(operand, dim));
  return count;
}

int64_t GemmOperand::getBlocks() const {
  return ctx.schedule.getMatmul().getK() / getStoredBlock(scaled)[kIsLast];
}

int64_t GemmOperand::getWholeSteps(int64_t steps) const {
  GemmOp gemm = op;
  return te::getWholeSteps(steps, staticK, ctx.schedule.getMatmul().getK(),
                           gemm.countSplits());
}

int64_t GemmOperand::getScaleSteps() const {
  int64_t bits = cast<MemRefType>(ctx.getBuffers(operand).scales.getType())
                     .getElementTypeBitWidth(),
          bytes = te::getScaleBytes(plan, getOuter(), ctx.schedule, ctx.target);
  return getWholeSteps(bytes * 8 / bits / std::max<int64_t>(getBlocks(), 1));
}

SmallVector<int64_t> GemmOperand::getRowsTogether() const {
  SmallVector<int64_t> rows;
  MMAWaves waves = getWaves();
  int64_t own = getOuter() / (side == MMASide::A ? waves.rows : waves.cols);
  const MMA &mma = getMMA();
  for (int64_t row = mma.size;
       takesScales && row < std::min(own, MMA::kScalesInRegister * mma.size);
       row *= 2)
    rows.push_back(row);
  return rows;
}

Value GemmOperand::read(Kind kind, Value at, int64_t steps) const {
  TileContext step = makeContext(at, steps);
  if (kind == Kind::Elements)
    return scaled ? loadBytes(step, scaled, step.getBuffers(operand).data)
                  : step.getZeroPaddedTile(operand);
  std::array<int64_t, 2> blocks = {getOuter() / getSharing(getOuter()),
                                   getBlocks() * steps};
  if (!kIsLast)
    std::swap(blocks[0], blocks[1]);
  return te::loadScalesAsStored(step, scaled, step.getBuffers(operand).scales,
                                blocks, getRowsTogether(),
                                /*dim=*/kIsLast ? 0 : 1);
}

/// What the extent of a storage dimension is rounded up to.
static int64_t getPadding(ScaledType type, bool alongColumns) {
  SmallVector<ScaledType::StorageDim> dims = type.getScaleStorage();
  auto it = llvm::find_if(dims, [&](ScaledType::StorageDim dim) {
    return isColumns(type, dim) == alongColumns;
  });
  return it == dims.end() ? 1 : it->multiple;
}

bool GemmOperand::mayScaleBeyond() const {
  return scaled && isConverted && !isE8M0() &&
         !(!ShapedType::isDynamic(staticK) &&
           staticK % ctx.schedule.getMatmul().getK() == 0);
}

bool GemmOperand::hasSpareNibble() const {
  return scaled && scaled.isFP4() &&
         kIsLast != scaled.getScaling().isTransposed() &&
         !(!ShapedType::isDynamic(staticK) && staticK % 2 == 0);
}

bool GemmOperand::hasScalePadding() const {
  if (!scaled.getScaling().isBlock())
    return false;
  int64_t multiple = getPadding(scaled, kIsLast),
          block = getStoredBlock(scaled)[kIsLast];
  return multiple > 1 && !(!ShapedType::isDynamic(staticK) &&
                           llvm::divideCeil(staticK, block) % multiple == 0);
}

Value GemmOperand::dropScalePadding(Value scales, Value at,
                                    unsigned dim) const {
  if (!hasScalePadding())
    return scales;
  auto &b = ctx.b;
  Value block =
      arith::ConstantIndexOp::create(b, getStoredBlock(scaled)[kIsLast]);
  Value isScale = ctx.isBefore(getLayout(scales.getType()), dim,
                               b.createOrFold<arith::DivUIOp>(at, block),
                               b.createOrFold<arith::CeilDivUIOp>(k, block));
  Type type = scales.getType();
  Value zero = isE8M0() ? ctx.intConstant(type, 0) : ctx.constant(type, 0.0);
  return arith::SelectOp::create(b, isScale, scales, zero);
}

Value GemmOperand::dropPadding(Kind kind, Value raw, Value at) const {
  if (kind == Kind::Elements && !hasSpareNibble())
    return raw;
  if (kind == Kind::Scales) // as they are stored
    return dropScalePadding(raw, at,
                            areScalesTransposed(scaled) == kIsLast ? 0 : 1);
  if (!ShapedType::isDynamic(staticK))
    return dropSpareNibble(ctx, raw, at, k);
  // Only the last step may have one.
  auto &b = ctx.b;
  Value end = b.createOrFold<arith::AddIOp>(
      at, arith::ConstantIndexOp::create(b, ctx.schedule.getMatmul().getK()));
  Value isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, end, k);
  auto branch = scf::IfOp::create(b, raw.getType(), isLast,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, dropSpareNibble(ctx, raw, at, k));
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, raw);
  return branch.getResult(0);
}

/// The same, but that registers hold these bits of the row before others.
static LinearLayout withRowsFirst(const LinearLayout &layout,
                                  ArrayRef<int64_t> rows) {
  ArrayRef<int64_t> shape = layout.getShape();
  LinearLayout::Bases registers(layout.getBases(LayoutInput::Register));
  std::stable_partition(registers.begin(), registers.end(), [&](int64_t basis) {
    return basis % shape[1] == 0 && llvm::is_contained(rows, basis / shape[1]);
  });
  return LinearLayout(shape, registers, layout.getBases(LayoutInput::Lane),
                      layout.getBases(LayoutInput::Wave));
}

Value GemmOperand::finish(Kind kind, Value tile) const {
  if (kind == Kind::Scales) {
    if (te::areScalesTransposed(scaled) == kIsLast)
      tile = ctx.transpose(tile);
    return ctx.convert(
        tile, withRowsFirst(getLayout(tile.getType()), getRowsTogether()));
  }
  TileContext step = makeContext(/*at=*/Value());
  if (isConverted) // a cast
    tile = step.round(step.toF32(tile), element);
  else if (scaled && scaled.isFP4() && element != scaled.getElementType())
    tile = emitExactBF16(
        step,
        decodeFP4(step, unpackFP4(step, tile, getStoredLayout(step, scaled))));
  else if (scaled && element != scaled.getElementType())
    tile = emitExactBF16(step, step.toF32(tile));
  bool isTransposed = scaled && scaled.getScaling().isTransposed();
  return kIsLast == isTransposed ? ctx.transpose(tile) : tile;
}

int64_t GemmOperand::getSharing(int64_t outer) const {
  // Square blocks are for many rows, perhaps more than the tile has.
  return std::min(getStoredBlock(scaled)[kIsLast ? 0 : 1], outer);
}

Value GemmOperand::convert(Value tile) const {
  return ctx.convert(tile, getMMAOperandLayout(getMMA(), *getMMAFormat(element),
                                               side, getOuter(),
                                               ctx.schedule.getMatmul().getK(),
                                               getWaves()));
}

/// This step's scales of blocks, as a tile of outer x blocks along K.
Value GemmOperand::loadScalesAs(Value at, const LinearLayout &layout) const {
  TileContext step = makeContext(at);
  LinearLayout own = kIsLast ? layout : layout.transpose();
  unsigned outer = kIsLast ? 0 : 1;
  std::array<int64_t, 2> shared = {1, 1};
  shared[outer] = getSharing(own.getShape()[outer]);
  Value scales = te::loadScales(step, scaled, step.getBuffers(operand).scales,
                                own.project(shared));
  scales = dropScalePadding(scales, at, kIsLast ? 1 : 0);
  scales = ctx.broadcast(scales, own);
  return kIsLast ? scales : ctx.transpose(scales);
}

Value GemmOperand::loadScales(Value at) const {
  LinearLayout layout = getMMAScaleLayout(
      getMMA(), side, getOuter(), ctx.schedule.getMatmul().getK(), getWaves());
  return ctx.convert(loadScalesAs(at, layout), layout);
}

Value GemmOperand::loadScaleGroup(Value at, int64_t steps) const {
  Value raw = dropPadding(Kind::Scales, read(Kind::Scales, at, steps), at);
  LinearLayout layout =
      getMMAScaleLayout(getMMA(), side, getOuter(),
                        ctx.schedule.getMatmul().getK() * steps, getWaves());
  Value scales = ctx.convert(finish(Kind::Scales, raw),
                             layout.project({getSharing(getOuter()), 1}));
  return ctx.broadcast(scales, layout);
}

LinearLayout GemmOperand::getLine() const {
  SmallVector<int64_t> block(ctx.schedule.getTile());
  block[side == MMASide::A ? 0 : 1] = 1;
  return ctx.getLoadLayout().project(block);
}

Value GemmOperand::loadBlockScale(Value at, bool isStaged) const {
  LinearLayout line = getLine();
  bool isA = side == MMASide::A;
  LinearLayout wanted = isA ? line : line.transpose();
  Value scales;
  if (isStaged) {
    Value raw = dropPadding(Kind::Scales, read(Kind::Scales, at), at);
    scales =
        ctx.broadcast(ctx.convert(finish(Kind::Scales, raw),
                                  wanted.project({getSharing(getOuter()), 1})),
                      wanted);
  } else {
    scales = loadScalesAs(at, wanted);
  }
  return ctx.convert(isA ? scales : ctx.transpose(scales), line);
}

Value GemmOperand::loadSumScale() const {
  auto &b = ctx.b;
  Value buffer = ctx.getBuffers(operand).scales;
  if (scaled.getScaling().getGranularity() == Granularity::Tensor)
    return memref::LoadOp::create(b, buffer, ValueRange());
  Value zero = arith::ConstantIndexOp::create(b, 0),
        one = arith::ConstantIndexOp::create(b, 1);
  auto load = [&](Value rows, Value cols, Value row, Value col) {
    TileContext own = ctx;
    if (!isOneOfMany)
      own.matrix = Value();
    return own.load(own.viewMatrix(buffer, rows, cols), row, col,
                    b.getF32Type(), getLine());
  };
  if (side == MMASide::A)
    return load(ctx.rows, one, ctx.tileRow, zero);
  return isOneOfMany ? load(one, ctx.cols, zero, ctx.tileCol)
                     : ctx.loadColumnsOf(buffer);
}
