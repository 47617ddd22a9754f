//===- SharedAccess.cpp - tiles in LDS, and rings of them -----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedAccess.h"

#include "te/Dialect/Tile/IR/RingOrder.h"
#include "te/Target/Target.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

SharedAccess::Addresses::Addresses(SharedAccess &access,
                                   const LinearLayout &layout)
    : access(access) {
  auto &b = access.b;
  auto columns = [&](LayoutInput input) {
    return llvm::map_to_vector(layout.getBases(input), [&](int64_t basis) {
      int64_t column = access.shared.address(basis) * access.bytes;
      variable |= column;
      return column;
    });
  };
  base = b.createOrFold<arith::XOrIOp>(
      emitXorMap(b, access.state.lane, columns(LayoutInput::Lane)),
      emitXorMap(b, access.state.wave, columns(LayoutInput::Wave)));
}

void SharedAccess::Addresses::advance(const LinearLayout &layout, Value offset,
                                      unsigned dim) {
  ArrayRef<int64_t> shape = layout.getShape();
  int64_t stride = dim == 0 ? shape[1] : 1;
  // A constant's bits are where instructions have a field for them.
  if (std::optional<int64_t> constant = getConstantIntValue(offset)) {
    first = *constant * stride;
    return;
  }
  SmallVector<int64_t> ofOffset;
  for (int64_t bit = 1; bit < shape[dim]; bit *= 2) {
    ofOffset.push_back(access.shared.address(bit * stride) * access.bytes);
    variable |= ofOffset.back();
  }
  auto &b = access.b;
  base = b.createOrFold<arith::XOrIOp>(base, emitXorMap(b, offset, ofOffset));
}

/// The same value; what is added to it later is not added to what it comes
/// from.
static Value emitOpaque(ImplicitLocOpBuilder &b, Value value) {
  return LLVM::InlineAsmOp::create(
             b, value.getType(), value, /*asm_string=*/"",
             /*constraints=*/"=v,0", /*has_side_effects=*/false,
             /*is_align_stack=*/false, LLVM::TailCallKind::None,
             /*asm_dialect=*/LLVM::AsmDialectAttr(),
             /*operand_attrs=*/ArrayAttr())
      .getRes();
}

/// What no lane's own bits overlap with is added last, where the instruction
/// has a field for it. Of what lies behind the field's end the place comes
/// first, so that all slots are in reach of one register; a slot that changes
/// comes first too, so that a loop does not keep what each part makes of a
/// lane's address.
Value SharedAccess::Addresses::get(int64_t flat) {
  constexpr int64_t reach = 1 << 16;
  auto &b = access.b;
  int64_t address = access.shared.address(flat ^ first) * access.bytes;
  auto add = [&](Value x, Value y) {
    return b.createOrFold<arith::AddIOp>(x, y);
  };
  Value result = base, mine = emitI32(b, address & variable);
  bool isKnown = !access.start || getConstantIntValue(access.start);
  bool isAligned =
      access.place % int64_t(llvm::PowerOf2Ceil(variable + 1)) == 0;
  if (isKnown || !isAligned)
    result = b.createOrFold<arith::XOrIOp>(result, mine);
  result = add(result, emitI32(b, access.place));
  if (!isKnown)
    result = add(result, access.start);
  if (access.place + access.size > reach && access.state.target->amd)
    result = emitOpaque(b, result);
  if (!isKnown && isAligned)
    result = b.createOrFold<arith::XOrIOp>(result, mine);
  if (isKnown && access.start)
    result = add(result, access.start);
  return add(result, emitI32(b, address & ~variable));
}

/// What all writes of rings that are apart belong to, and no read of them.
static ArrayAttr getSlotScopes(MLIRContext *context) {
  auto id = StringAttr::get(context, "te.slots");
  auto domain = LLVM::AliasScopeDomainAttr::get(context, id, StringAttr());
  return ArrayAttr::get(
      context, LLVM::AliasScopeAttr::get(context, id, domain, StringAttr()));
}

/// A pointer to LDS: vector.load and vector.store have no alias scopes.
static Value emitPointer(ImplicitLocOpBuilder &b, Value lds, Value address) {
  auto pointer = LLVM::LLVMPointerType::get(
      b.getContext(), ROCDL::ROCDLDialect::kSharedMemoryAddressSpace);
  Value start = b.createOrFold<arith::IndexCastOp>(
      b.getI32Type(), memref::ExtractAlignedPointerAsIndexOp::create(b, lds));
  return LLVM::GEPOp::create(b, pointer, b.getI8Type(),
                             LLVM::IntToPtrOp::create(b, pointer, start),
                             ArrayRef<LLVM::GEPArg>{address});
}

void SharedAccess::emitStore(Value part, Value address) {
  if (!areApart)
    return emitLdsStore(b, state, part, address);
  Value data = emitVectorBitcast(b, part, b.getI8Type());
  int64_t size = cast<VectorType>(data.getType()).getNumElements();
  LLVM::StoreOp::create(b, data, emitPointer(b, state.lds, address), size)
      .setAliasScopesAttr(getSlotScopes(b.getContext()));
}

Value SharedAccess::emitLoad(VectorType part, Value address) {
  if (!areApart)
    return emitLdsLoad(b, state, part, address);
  int64_t size = part.getNumElements() * bytes;
  auto load = LLVM::LoadOp::create(b, VectorType::get({size}, b.getI8Type()),
                                   emitPointer(b, state.lds, address), size);
  load.setNoaliasScopesAttr(getSlotScopes(b.getContext()));
  return emitVectorBitcast(b, load, part.getElementType());
}

void SharedAccess::put(Value vector, const LinearLayout &layout,
                       int64_t piece) {
  int64_t size = shared.getVectorElements();
  SmallVector<int64_t> order = shared.registerOrder(layout);
  Value sorted = emitPermuted(b, state, vector, order);
  // What leaves together, as few whole numbers.
  int64_t width = std::min<int64_t>(size * bytes, sizeof(uint32_t));
  if (bytes == 1)
    sorted = emitVectorBitcast(b, sorted, b.getIntegerType(8 * width));
  int64_t each =
      cast<VectorType>(sorted.getType()).getNumElements() * size / order.size();
  Addresses addresses(*this, layout);
  for (size_t first = 0; first < order.size(); first += size) {
    int64_t flat = layout.apply(order[first], 0, 0);
    if (shared.getPiece(flat) != piece)
      continue;
    Value part = vector::ExtractStridedSliceOp::create(
        b, sorted, ArrayRef<int64_t>{int64_t(first) / size * each},
        ArrayRef<int64_t>{each}, ArrayRef<int64_t>{1});
    emitStore(part, addresses.get(flat));
  }
}

Value SharedAccess::makeResult(const LinearLayout &layout) {
  return arith::ConstantOp::create(
      b, b.getZeroAttr(VectorType::get({layout.getNumRegisters()}, element)));
}

Value SharedAccess::emitTransposedLoad(VectorType type, Value address) {
  Value start = b.createOrFold<arith::IndexCastOp>(
      b.getI32Type(),
      memref::ExtractAlignedPointerAsIndexOp::create(b, state.lds));
  Value pointer = LLVM::IntToPtrOp::create(
      b,
      LLVM::LLVMPointerType::get(
          b.getContext(), ROCDL::ROCDLDialect::kSharedMemoryAddressSpace),
      b.createOrFold<arith::AddIOp>(start, address));
  Value loaded;
  if (bytes == 1)
    loaded = ROCDL::ds_read_tr8_b64::create(
        b, VectorType::get({2}, b.getI32Type()), pointer);
  else
    loaded = ROCDL::ds_read_tr16_b64::create(
        b, VectorType::get({4}, b.getI16Type()), pointer);
  return emitVectorBitcast(b, loaded, type.getElementType());
}

Value SharedAccess::read(Value result, const LinearLayout &layout,
                         int64_t piece, Addresses addresses, bool transposes,
                         bool columnsFirst) {
  int64_t size = shared.getVectorElements();
  SmallVector<int64_t> order = shared.registerOrder(layout);
  auto part = VectorType::get({size}, element);
  SmallVector<size_t> vectors =
      llvm::to_vector(llvm::seq<size_t>(order.size() / size));
  auto getPlace = [&](size_t vector) {
    int64_t flat = layout.apply(order[vector * size], 0, 0),
            columns = layout.getShape().back();
    return std::pair(flat % columns, flat / columns);
  };
  if (columnsFirst)
    llvm::stable_sort(
        vectors, [&](size_t x, size_t y) { return getPlace(x) < getPlace(y); });
  for (size_t vector : vectors) {
    size_t first = vector * size;
    int64_t flat = layout.apply(order[first], 0, 0);
    if (shared.getPiece(flat) != piece)
      continue;
    Value address = addresses.get(flat);
    result = vector::InsertStridedSliceOp::create(
        b,
        transposes ? emitTransposedLoad(part, address)
                   : emitLoad(part, address),
        result, ArrayRef<int64_t>{int64_t(first)}, ArrayRef<int64_t>{1});
  }
  return result;
}

Value SharedAccess::reorder(Value vector, const LinearLayout &layout) {
  SmallVector<int64_t> order = shared.registerOrder(layout);
  SmallVector<int64_t> back(order.size());
  for (auto [i, reg] : llvm::enumerate(order))
    back[reg] = i;
  return emitSelectElements(b, vector, back);
}

Value SharedAccess::get(const LinearLayout &layout) {
  return reorder(
      read(makeResult(layout), layout, /*piece=*/0, Addresses(*this, layout)),
      layout);
}

Value SharedAccess::take(const LinearLayout &reads, Value offset, unsigned dim,
                         bool transposes, bool columnsFirst) {
  Addresses addresses(*this, reads);
  addresses.advance(reads, offset, dim);
  return reorder(read(makeResult(reads), reads, /*piece=*/0, addresses,
                      transposes, columnsFirst),
                 reads);
}

void SharedAccess::fetch(BufferAccess &memory, const LinearLayout &places) {
  int64_t size = shared.getRunElements(), vector = size * bytes,
          wave = vector * state.target->waveSize, round = wave * state.waves;
  Value base = b.createOrFold<arith::IndexCastOp>(
      b.getI32Type(),
      memref::ExtractAlignedPointerAsIndexOp::create(b, state.lds));
  auto add = [&](Value x, Value y) {
    return b.createOrFold<arith::AddIOp>(x, y);
  };
  base = add(base, b.createOrFold<arith::MulIOp>(state.wave, emitI32(b, wave)));
  base = add(base, emitI32(b, place));
  if (start)
    base = add(base, start);
  auto pointer = LLVM::LLVMPointerType::get(
      b.getContext(), ROCDL::ROCDLDialect::kSharedMemoryAddressSpace);
  for (int64_t reg = 0; reg < places.getNumRegisters(); reg += size) {
    SmallVector<int64_t> at = places.toCoordinates(places.apply(reg, 0, 0));
    Value place = LLVM::IntToPtrOp::create(
        b, pointer, add(base, emitI32(b, reg / size * round)));
    memory.fetch(place, vector, at[0], at[1]);
  }
}

bool SharedAccess::copy(TileAccess &memory, const LinearLayout &layout,
                        bool isInside) {
  int64_t size = shared.getVectorElements();
  SmallVector<int64_t> order = shared.registerOrder(layout);
  if (size * bytes != state.target->laneCopyBytes || memory.size() != size ||
      memory.aligned || !llvm::is_sorted(order))
    return false;
  auto pointer = LLVM::LLVMPointerType::get(
      b.getContext(), unsigned(NVVM::NVVMMemorySpace::Global));
  Value raw = arith::IndexCastOp::create(
      b, b.getI64Type(),
      memref::ExtractAlignedPointerAsIndexOp::create(b, memory.view));
  Value buffer = LLVM::IntToPtrOp::create(b, pointer, raw);
  Addresses addresses(*this, layout);
  for (unsigned v = 0; v < memory.offsets.size(); ++v) {
    auto [r, c] = memory.position(v);
    Value at = arith::IndexCastOp::create(b, b.getI64Type(),
                                          memory.flatten(r, c)),
          from = LLVM::GEPOp::create(b, pointer, element, buffer,
                                     ArrayRef<LLVM::GEPArg>{at}),
          to = emitSharedPointer(b, state,
                                 addresses.get(layout.apply(v * size, 0, 0)));
    // Of rows behind the last nothing is read, and zeros are written.
    Value read = isInside ? Value()
                          : arith::SelectOp::create(b, memory.isRowInside(r),
                                                    emitI32(b, size * bytes),
                                                    emitI32(b, 0))
                                .getResult();
    NVVM::CpAsyncOp::create(b, to, from, size * bytes,
                            NVVM::LoadCacheModifierKind::CG, read);
  }
  NVVM::CpAsyncCommitGroupOp::create(b);
  return true;
}

Value SharedAccess::exchange(Value vector, const LinearLayout &from,
                             const LinearLayout &to) {
  // A wave's own accesses of LDS keep their order.
  bool crosses = crossesWaves(from, to);
  Value result = makeResult(to);
  for (int64_t piece : shared.getPieces()) {
    if (piece && crosses)
      gpu::BarrierOp::create(b);
    emitByOwner(b, state, from, [&] { put(vector, from, piece); });
    if (crosses)
      gpu::BarrierOp::create(b);
    result = read(result, to, piece, Addresses(*this, to));
  }
  return reorder(result, to);
}

//===----------------------------------------------------------------------===//
// tile.ring
//===----------------------------------------------------------------------===//

static RingOrder getOrder(RingOp ring, const Target &target) {
  return getRingOrder(ring.getSource().getLayout(),
                      ring.getTarget().getLayout(),
                      getElementBytes(ring.getRing().getType()), target);
}

static int64_t getSlotBytes(MemRefType ring) {
  return ring.getNumElements() / ring.getDimSize(0) * getElementBytes(ring);
}

/// True where each lane takes what it put or fetched itself.
static bool takesItsOwn(Value ring) {
  auto op = ring.getDefiningOp<RingOp>();
  return op.getSource() == op.getTarget();
}

/// A ring's slot.
static SharedAccess makeAccess(ImplicitLocOpBuilder &b,
                               const KernelState &state, RingOp ring,
                               Value slot) {
  auto type = ring.getRing().getType();
  Value number = b.createOrFold<arith::IndexCastOp>(b.getI32Type(), slot);
  Value start =
      b.createOrFold<arith::MulIOp>(number, emitI32(b, getSlotBytes(type)));
  SharedAccess access(b, state, getOrder(ring, *state.target).shared,
                      type.getElementType(), start, state.places.lookup(ring),
                      type.getNumElements() * getElementBytes(type));
  // What a lane takes of its own is there without a barrier.
  if (state.target->amd && !takesItsOwn(ring))
    access.setApart();
  return access;
}

namespace {
struct PutPattern : TilePattern<PutOp> {
  using TilePattern::TilePattern;
  LogicalResult
  matchAndRewrite(PutOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto ring = op.getRing().getDefiningOp<RingOp>();
    KernelState mine = state;
    if (state.rare.contains(op))
      mine.lane =
          emitLaneBehind(b,
                         vector::ExtractOp::create(
                             b, emitWords(b, adaptor.getTile()), int64_t(0)),
                         /*isUniform=*/false);
    makeAccess(b, mine, ring, op.getSlot())
        .put(adaptor.getTile(), ring.getSource().getLayout());
    rewriter.eraseOp(op);
    return success();
  }
};

struct FetchPattern : TilePattern<FetchOp> {
  using TilePattern::TilePattern;

  LogicalResult copyByLanes(FetchOp op, ImplicitLocOpBuilder &b,
                            SharedAccess &access, const LinearLayout &source,
                            ConversionPatternRewriter &rewriter) const {
    Type type = getTileType(op.getView().getType().getElementType(),
                            b.getContext(), source);
    TilePlace at =
        placeInView(b, op.getOrder(), op.getRowInterleave(),
                    {type, op.getView(), op.getRow(), op.getColumn()});
    TileAccess memory = te::makeAccess(b, state, at, /*rows=*/Value(),
                                       /*divisible=*/source.getContiguity(),
                                       /*window=*/Value(), /*interleave=*/0);
    if (!access.copy(memory, source, op.getInBounds()))
      return op.emitError("T22: this tile cannot be copied to LDS: a lane has "
                          "no whole runs of ")
             << state.target->laneCopyBytes
             << " bytes of its rows; load and put it";
    rewriter.eraseOp(op);
    return success();
  }

  LogicalResult
  matchAndRewrite(FetchOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto ring = op.getRing().getDefiningOp<RingOp>();
    LinearLayout source = ring.getSource().getLayout();
    SharedAccess access = makeAccess(b, state, ring, op.getSlot());
    if (!state.target->amd)
      return copyByLanes(op, b, access, source, rewriter);
    std::optional<LinearLayout> layout = access.getShared().getStreaming(
        source.getShape(), state.target->amd->directLoadBytes,
        source.getBases(LayoutInput::Lane).size(),
        source.getBases(LayoutInput::Wave).size());
    Type type = getTileType(ring.getRing().getType().getElementType(),
                            b.getContext(), layout.value_or(source));
    TilePlace at =
        placeInView(b, op.getOrder(), op.getRowInterleave(),
                    {type, op.getView(), op.getRow(), op.getColumn()});
    if (!layout || !BufferAccess::isPossible(state, at.tile, op.getView()) ||
        getLayout(at.tile).getContiguity() < layout->getContiguity())
      return op.emitError(
          "T22: this tile cannot go straight to LDS: its rows are too short "
          "or too far apart, or too few lanes take part; load and put it");
    BufferAccess memory(b, state, at.tile, at.view, at.row, at.col,
                        op.getInBounds(), state.alike.contains(op));
    access.fetch(memory, getLayout(at.tile));
    rewriter.eraseOp(op);
    return success();
  }
};

struct AwaitPattern : TilePattern<AwaitOp> {
  using TilePattern::TilePattern;
  LogicalResult
  matchAndRewrite(AwaitOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!state.target->amd) { // a group of copies is a tile of a ring
      int64_t behind = llvm::sum_of(op.getPending());
      NVVM::CpAsyncWaitGroupOp::create(rewriter, op.getLoc(),
                                       rewriter.getI32IntegerAttr(behind));
      if (!llvm::all_of(op.getRings(), takesItsOwn))
        gpu::BarrierOp::create(rewriter, op.getLoc());
      rewriter.eraseOp(op);
      return success();
    }
    // Not the barrier of the gpu dialect: its fences would wait for all loads.
    // The backend keeps accesses on their side of it, and what else is not
    // spread beside the products on both sides.
    using Mask = amdgpu::sched_barrier_opt_enum;
    Mask passing = state.spreadOverBarrier.contains(op)
                       ? Mask::valu | Mask::salu | Mask::mfma_wmma
                       : Mask::none;
    Location loc = op.getLoc();
    amdgpu::SchedBarrierOp::create(rewriter, loc, passing);
    amdgpu::MemoryCounterWaitOp::create(
        rewriter, loc,
        /*load=*/op.getRings().empty()
            ? IntegerAttr()
            : rewriter.getI32IntegerAttr(op.getBehind()),
        /*store=*/IntegerAttr(),
        /*ds=*/
        op.getKeepsReading() ? IntegerAttr() : rewriter.getI32IntegerAttr(0),
        /*exp=*/IntegerAttr(), /*tensor=*/IntegerAttr());
    ROCDL::SBarrierOp::create(rewriter, loc);
    amdgpu::SchedBarrierOp::create(rewriter, loc, passing);
    rewriter.eraseOp(op);
    return success();
  }
};

struct TakePattern : TilePattern<TakeOp> {
  using TilePattern::TilePattern;
  LogicalResult
  matchAndRewrite(TakeOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto ring = op.getRing().getDefiningOp<RingOp>();
    RingOrder order = getOrder(ring, *state.target);
    Value offset =
        b.createOrFold<arith::IndexCastOp>(b.getI32Type(), op.getOffset());
    // In the order in which a product's instructions take it: along K last.
    bool alongColumns = llvm::none_of(
        op->getUsers(), [](Operation *user) { return isa<TransposeOp>(user); });
    rewriter.replaceOp(op, makeAccess(b, state, ring, op.getSlot())
                               .take(order.reads, offset, ring.getPartDim(),
                                     order.transposes, alongColumns));
    return success();
  }
};

/// What put and take make of a ring needs no value; what is left of it is dead.
struct RingPattern : TilePattern<RingOp> {
  using TilePattern::TilePattern;
  LogicalResult
  matchAndRewrite(RingOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<memref::ViewOp>(
        op, op.getRing().getType(), state.lds,
        arith::ConstantIndexOp::create(rewriter, op.getLoc(),
                                       state.places.lookup(op)),
        ValueRange());
    return success();
  }
};
} // namespace

void te::populateRingPatterns(RewritePatternSet &patterns,
                              const TypeConverter &types,
                              const KernelState &state) {
  patterns
      .add<RingPattern, PutPattern, FetchPattern, AwaitPattern, TakePattern>(
          types, patterns.getContext(), state);
}
