//===- BufferAccess.cpp - accesses that the hardware bounds ---------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferAccess.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

/// Word 3 of a resource of 32-bit data, with no swizzling: as upstream's amdgpu
/// dialect sets it.
static constexpr int64_t kResourceFlags = 7 << 12 | 4 << 15;

static int64_t getRowStride(Value view) {
  int64_t offset;
  SmallVector<int64_t> strides;
  if (failed(cast<MemRefType>(view.getType())
                 .getStridesAndOffset(strides, offset)))
    return ShapedType::kDynamic;
  return strides.front();
}

bool BufferAccess::isPossible(const KernelState &state, Type tile, Value view) {
  int64_t stride = getRowStride(view);
  if (!state.target->hasBufferAccesses || ShapedType::isDynamic(stride))
    return false;
  int64_t rows = cast<ShapedType>(tile).getDimSize(0);
  return (rows + 1) * stride * getElementBytes(tile) <
         std::numeric_limits<int32_t>::max();
}

/// The view has as many rows.
static bool isAfter(ImplicitLocOpBuilder &b, Value view, Value row) {
  Value rows = b.createOrFold<memref::DimOp>(view, int64_t(0));
  return isEqualConstantIntOrValue(getAsOpFoldResult(rows),
                                   getAsOpFoldResult(row));
}

/// The view's bytes are known to fit an offset.
static bool fitsOffset(Value view, int64_t rowBytes) {
  int64_t rows = cast<ShapedType>(view.getType()).getDimSize(0);
  return !ShapedType::isDynamic(rows) &&
         rows * rowBytes < std::numeric_limits<int32_t>::max();
}

/// In a loop rows change and columns do not.
static bool movesByRows(OpBuilder &b, Value row, Value col) {
  Operation *parent = b.getInsertionBlock()->getParentOp();
  auto loop = dyn_cast<scf::ForOp>(parent);
  if (!loop)
    loop = parent->getParentOfType<scf::ForOp>();
  if (!loop)
    return false;
  auto changes = [&](Value value) {
    return loop.getRegion().isAncestor(value.getParentRegion());
  };
  return changes(row) && !changes(col);
}

/// Rows of the tile that are inside of the view, from 0 to all; of a tile that
/// is inside, which costs a loop nothing, all.
static Value emitRowsInside(ImplicitLocOpBuilder &b, Type tile, Value view,
                            Value row, bool isInside) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value all = constant(cast<ShapedType>(tile).getDimSize(0));
  if (isInside)
    return all;
  Value left =
      arith::SubIOp::create(b, memref::DimOp::create(b, view, int64_t(0)), row);
  left = arith::MaxSIOp::create(b, left, constant(0));
  return arith::MinSIOp::create(b, left, all);
}

BufferAccess::BufferAccess(ImplicitLocOpBuilder &b, const KernelState &state,
                           Type tile, Value view, Value row, Value col,
                           bool isInside, bool isAlike)
    : b(b), elementBytes(getElementBytes(tile)), isInside(isInside) {
  rowBytes = getRowStride(view) * elementBytes;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  auto multiply = [&](Value value, int64_t by) -> Value {
    return b.createOrFold<arith::MulIOp>(value, constant(by));
  };
  auto add = [&](Value x, Value y) -> Value {
    return b.createOrFold<arith::AddIOp>(x, y);
  };
  // Rows after the last, or others: none or what there is of these, which does
  // not change in a loop.
  Value isAny;
  if (auto select = row.getDefiningOp<arith::SelectOp>())
    if (isAfter(b, view, select.getFalseValue())) {
      isAny = select.getCondition();
      row = select.getTrueValue();
    }
  // What goes along the rows step by step keeps its resource: 64-bit addresses
  // of each step take the scalar unit six instructions, offsets two, and one
  // for each row of a lane, as these are beyond the reach of an instruction's
  // own. That counts where a wave's issue slots go to vector instructions.
  constexpr int64_t fewRows = 4;
  LinearLayout layout = getLayout(tile);
  int64_t laneRows =
      layout.project({1, layout.getShape()[1]}).getNumRegisters();
  // So do rows that are the same for all tiles of a loop: their resources, for
  // each step another one, would stay in registers meanwhile.
  bool moves = isInside && fitsOffset(view, rowBytes) &&
               (isAlike || (!state.spread.empty() && laneRows <= fewRows &&
                            movesByRows(b, row, col)));
  Value rows = moves ? constant(cast<ShapedType>(view.getType()).getDimSize(0))
                     : emitRowsInside(b, tile, view, row, isInside);
  Value bytes =
      arith::IndexCastOp::create(b, b.getI64Type(), multiply(rows, rowBytes));
  if (isAny)
    bytes = arith::SelectOp::create(
        b, isAny, bytes, arith::ConstantIntOp::create(b, b.getI64Type(), 0));

  auto metadata = memref::ExtractStridedMetadataOp::create(b, view);
  Value rowStart = multiply(row, rowBytes),
        colStart = multiply(col, elementBytes);
  Value start = add(multiply(metadata.getOffset(), elementBytes),
                    moves ? colStart : rowStart);
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, view);
  Value address =
      arith::IndexCastOp::create(b, b.getI64Type(), add(base, start));
  Value pointer = LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), 1), address);
  resource = ROCDL::MakeBufferRsrcOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), 8), pointer,
      arith::ConstantIntOp::create(b, b.getI16Type(), 0), bytes,
      emitI32(b, kResourceFlags));

  all = b.createOrFold<arith::IndexCastOp>(b.getI32Type(),
                                           moves ? rowStart : colStart);
  auto [laneRow, laneCol] = emitLaneCoordinates(b, state, layout);
  lane = arith::IndexCastOp::create(
      b, b.getI32Type(),
      add(multiply(laneRow, rowBytes), multiply(laneCol, elementBytes)));
}

std::pair<Value, Value> BufferAccess::emitOffsets(int64_t rows, int64_t cols) {
  Value more = emitI32(b, rows * rowBytes + cols * elementBytes);
  auto add = [&](Value x) { return b.createOrFold<arith::AddIOp>(x, more); };
  // The hardware bounds a lane's offset only.
  return isInside ? std::pair(lane, add(all)) : std::pair(add(lane), all);
}

/// What one instruction moves as the vector's bytes.
static Type getAccessType(VectorType type) {
  MLIRContext *context = type.getContext();
  int64_t bytes = type.getNumElements() * getElementBytes(type);
  if (bytes <= 4)
    return IntegerType::get(context, bytes * 8);
  return VectorType::get({bytes / 4}, IntegerType::get(context, 32));
}

Value BufferAccess::load(VectorType type, int64_t rows, int64_t cols) {
  Type access = getAccessType(type);
  auto [each, all] = emitOffsets(rows, cols);
  Value loaded = ROCDL::RawPtrBufferLoadOp::create(
      b, access, resource, each, all, emitI32(b, 0),
      /*alias_scopes=*/ArrayAttr(), /*noalias_scopes=*/ArrayAttr(),
      /*tbaa=*/ArrayAttr());
  if (!isa<VectorType>(access))
    loaded =
        vector::BroadcastOp::create(b, VectorType::get({1}, access), loaded);
  return emitVectorBitcast(b, loaded, type.getElementType());
}

void BufferAccess::copyAsync(Value place, int64_t bytes, int64_t rows,
                             int64_t cols) {
  auto [each, all] = emitOffsets(rows, cols);
  // An offset of the instruction's own would displace both sides.
  Value none = emitI32(b, 0);
  ROCDL::RawPtrBufferLoadLdsOp::create(
      b, resource, place, emitI32(b, bytes), each, all, /*offset=*/none,
      /*aux=*/none, /*alias_scopes=*/ArrayAttr(),
      /*noalias_scopes=*/ArrayAttr(), /*tbaa=*/ArrayAttr());
}

void BufferAccess::store(Value vector, int64_t rows, int64_t cols) {
  Type access = getAccessType(cast<VectorType>(vector.getType()));
  Value words = emitVectorBitcast(b, vector, getElementTypeOrSelf(access));
  if (!isa<VectorType>(access))
    words = vector::ExtractOp::create(b, words, int64_t(0));
  auto [each, all] = emitOffsets(rows, cols);
  ROCDL::RawPtrBufferStoreOp::create(
      b, words, resource, each, all, emitI32(b, 0),
      /*alias_scopes=*/ArrayAttr(), /*noalias_scopes=*/ArrayAttr(),
      /*tbaa=*/ArrayAttr());
}
