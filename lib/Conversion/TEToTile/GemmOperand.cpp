//===- GemmOperand.cpp - one side of a te.gemm, step by step --------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Global memory is read as it lies, in the widest accesses; a tile that lies K
// x outer is transposed (a renaming), and tile.convert_layout takes it through
// LDS to the lanes that the instruction wants. Where the chip has no
// instruction for the elements they become bf16 first, which holds every fp8
// and fp4 value.
//
//===----------------------------------------------------------------------===//

#include "GemmOperand.h"

#include "Data.h"
#include "FP4.h"
#include "Scales.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

GemmOperand::GemmOperand(TileContext &ctx, GemmOp op, const GemmPlan &plan,
                         MMASide side)
    : ctx(ctx), side(side) {
  bool isA = side == MMASide::A;
  operand = isA ? op.getA() : op.getB();
  scaled = dyn_cast<ScaledType>(operand.getType());
  element = isA ? plan.a : plan.b;
  takesScales = plan.scales == GemmPlan::Scales::Instruction;
  auto type = cast<ShapedType>(operand.getType());
  unsigned dim = isA ? op.getKDimA() : op.getKDimB();
  kIsLast = int64_t(dim) == type.getRank() - 1;
  staticK = type.getDimSize(dim);
  k = ctx.getDim(operand, dim);
}

/// The operand as a tensor of its own: its extents, and the tile of this step.
TileContext GemmOperand::makeContext(Value at) const {
  bool isA = side == MMASide::A;
  int64_t size = ctx.schedule.getMatmul().getK(), outer = getOuter();
  SmallVector<int64_t> tile = {outer, size};
  unsigned bits =
      getElementTypeOrSelf(operand.getType()).getIntOrFloatBitWidth();
  ScheduleAttr schedule = ctx.schedule;
  if (!kIsLast)
    std::swap(tile[0], tile[1]);
  int64_t vector =
      std::min<int64_t>(ctx.target.maxAccessBytes * 8 / bits, tile[1]);
  TileContext step(ctx.b, ctx.target,
                   ScheduleAttr::get(schedule.getContext(),
                                     schedule.getTarget(), tile,
                                     schedule.getWaves(), vector, 1, 0,
                                     SweepKind::None, MatmulAttr()));
  step.getDim = ctx.getDim;
  step.matrix = ctx.matrix;
  step.rows = isA ? ctx.rows : ctx.cols;
  step.staticRows = isA ? ctx.staticRows : ctx.staticCols;
  step.tileRow = isA ? ctx.tileRow : ctx.tileCol;
  step.wholeRows = isA ? ctx.wholeRows : ctx.wholeCols;
  step.cols = k;
  step.staticCols = staticK;
  step.tileCol = at;
  step.wholeCols = !ShapedType::isDynamic(staticK) && staticK % size == 0;
  if (!kIsLast) {
    std::swap(step.rows, step.cols);
    std::swap(step.staticRows, step.staticCols);
    std::swap(step.tileRow, step.tileCol);
    std::swap(step.wholeRows, step.wholeCols);
  }
  if (ctx.hasBuffers(operand))
    step.bindBuffers(operand, ctx.getBuffers(operand));
  return step;
}

/// An f32 tile of values that bf16 holds: the upper half of the bits.
static Value emitExactBF16(TileContext &ctx, Value x) {
  auto &b = ctx.b;
  Type i32 = withElementType(x.getType(), b.getI32Type());
  Value high = arith::ShRUIOp::create(b, ctx.cast(x, b.getI32Type()),
                                      ctx.intConstant(i32, 16));
  Value half =
      arith::TruncIOp::create(b, withElementType(i32, b.getI16Type()), high);
  return ctx.cast(half, b.getBF16Type());
}

Value GemmOperand::read(Kind kind, Value at) const {
  TileContext step = makeContext(at);
  if (kind == Kind::Elements)
    return scaled ? loadBytes(step, scaled, step.getBuffers(operand).data)
                  : step.getZeroPaddedTile(operand);
  std::array<int64_t, 2> blocks = {getOuter() / getSharing(getOuter()),
                                   ctx.schedule.getMatmul().getK() /
                                       getStoredBlock(scaled)[kIsLast ? 1 : 0]};
  if (!kIsLast)
    std::swap(blocks[0], blocks[1]);
  Value scales = te::loadScalesAsStored(
      step, scaled, step.getBuffers(operand).scales, blocks);
  return kIsLast ? scales : ctx.transpose(scales);
}

Value GemmOperand::finish(Kind kind, Value tile) const {
  if (kind == Kind::Scales)
    return tile;
  TileContext step = makeContext(/*at=*/Value());
  if (scaled && scaled.isFP4() && element != scaled.getElementType())
    tile = emitExactBF16(
        step,
        decodeFP4(step, unpackFP4(step, tile, getStoredLayout(step, scaled))));
  else if (scaled && element != scaled.getElementType())
    tile = emitExactBF16(step, step.toF32(tile));
  bool isTransposed = scaled && scaled.getScaling().isTransposed();
  return kIsLast == isTransposed ? ctx.transpose(tile) : tile;
}

LinearLayout GemmOperand::getOperandLayout(int64_t k) const {
  return getMMAOperandLayout(getMMA(), *getMMAFormat(element), side, getOuter(),
                             k, getWaves());
}

/// Of what the lanes need of a part: outer x blocks.
LinearLayout GemmOperand::getScaleLayout() const {
  if (takesScales)
    return getMMAScaleLayout(getMMA(), side, getOuter(), getMMA().k,
                             getWaves());
  return side == MMASide::A ? getLine() : getLine().transpose();
}

int64_t GemmOperand::getSharing(int64_t outer) const {
  // Square blocks are for many rows, perhaps more than the tile has.
  return std::min(getStoredBlock(scaled)[kIsLast ? 0 : 1], outer);
}

Value GemmOperand::convert(Value tile) const {
  return ctx.convert(tile, getOperandLayout(ctx.schedule.getMatmul().getK()));
}

Value GemmOperand::makeRing(Kind kind, Type tile, int64_t slots) const {
  MLIRContext *context = tile.getContext();
  LinearLayout source = getLayout(tile);
  ArrayRef<int64_t> shape = source.getShape();
  auto type = MemRefType::get(
      {slots, shape[0], shape[1]}, getElementTypeOrSelf(tile),
      MemRefLayoutAttrInterface(),
      gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Workgroup));
  LinearLayout taken =
      kind == Kind::Elements
          ? getOperandLayout(getMMA().k)
          : getScaleLayout().project({getSharing(getOuter()), 1});
  return RingOp::create(ctx.b, type, LayoutAttr::get(context, source),
                        LayoutAttr::get(context, taken));
}

Value GemmOperand::take(Kind kind, Value ring, Value slot, int64_t part) const {
  LinearLayout layout = ring.getDefiningOp<RingOp>().getTarget().getLayout();
  Type type = getTileType(getElementTypeOrSelf(ring.getType()),
                          ctx.b.getContext(), layout);
  Value taken =
      TakeOp::create(ctx.b, type, ring, slot, part * layout.getShape()[1]);
  if (kind == Kind::Elements)
    return taken;
  taken = ctx.broadcast(taken, getScaleLayout());
  return takesScales || side == MMASide::A
             ? taken
             : ctx.convert(ctx.transpose(taken), getLine());
}

/// This step's scales of blocks, as a tile of outer x blocks along K.
Value GemmOperand::loadScalesAs(Value at, const LinearLayout &layout) const {
  TileContext step = makeContext(at);
  LinearLayout mine = kIsLast ? layout : layout.transpose();
  unsigned outer = kIsLast ? 0 : 1;
  std::array<int64_t, 2> shared = {1, 1};
  shared[outer] = getSharing(mine.getShape()[outer]);
  Value scales = te::loadScales(step, scaled, step.getBuffers(operand).scales,
                                mine.project(shared));
  scales = ctx.broadcast(scales, mine);
  return kIsLast ? scales : ctx.transpose(scales);
}

Value GemmOperand::loadScales(Value at) const {
  LinearLayout layout = getMMAScaleLayout(
      getMMA(), side, getOuter(), ctx.schedule.getMatmul().getK(), getWaves());
  return ctx.convert(loadScalesAs(at, layout), layout);
}

LinearLayout GemmOperand::getLine() const {
  SmallVector<int64_t> block(ctx.schedule.getTile());
  block[side == MMASide::A ? 0 : 1] = 1;
  return ctx.getLoadLayout().project(block);
}

Value GemmOperand::loadBlockScale(Value at) const {
  LinearLayout line = getLine();
  if (side == MMASide::A)
    return ctx.convert(loadScalesAs(at, line), line);
  return ctx.convert(ctx.transpose(loadScalesAs(at, line.transpose())), line);
}

Value GemmOperand::scaleSum(Value sum) const {
  auto &b = ctx.b;
  LinearLayout layout = getLayout(sum.getType());
  Value buffer = ctx.getBuffers(operand).scales, scale;
  if (scaled.getScaling().getGranularity() == Granularity::Tensor) {
    scale = ctx.splat(memref::LoadOp::create(b, buffer, ValueRange()),
                      sum.getType());
  } else if (side == MMASide::A) {
    scale = ctx.broadcast(ctx.loadRowsOf(buffer), layout);
  } else {
    Value zero = arith::ConstantIndexOp::create(b, 0);
    scale =
        ctx.broadcast(ctx.load(ctx.view(buffer, b.getIndexAttr(1), ctx.cols),
                               zero, ctx.tileCol, b.getF32Type(), getLine()),
                      layout);
  }
  return arith::MulFOp::create(b, sum, scale);
}
