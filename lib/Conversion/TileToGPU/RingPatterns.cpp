//===- RingPatterns.cpp - tile.ring, and what fills and reads it ----------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedAccess.h"

#include "te/Dialect/Tile/IR/RingOrder.h"
#include "te/Target/Target.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

static RingOrder getOrder(RingOp ring, const Target &target) {
  return getRingOrder(ring.getSource().getLayout(),
                      ring.getTarget().getLayout(),
                      getElementBytes(ring.getRing().getType()), target);
}

static int64_t getSlotBytes(MemRefType ring) {
  return ring.getNumElements() / ring.getDimSize(0) * getElementBytes(ring);
}

/// True where each lane loads what it stored or copied itself.
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
  // What a lane loads of its own is there without a barrier.
  if (state.target->amd && !takesItsOwn(ring))
    access.separate();
  return access;
}

namespace {
struct LocalStorePattern : TilePattern<LocalStoreOp> {
  using TilePattern::TilePattern;
  LogicalResult
  matchAndRewrite(LocalStoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto ring = op.getRing().getDefiningOp<RingOp>();
    KernelState own = state;
    if (state.rare.contains(op))
      own.lane =
          emitLaneAfter(b,
                        vector::ExtractOp::create(
                            b, emitWords(b, adaptor.getTile()), int64_t(0)),
                        /*isUniform=*/false);
    makeAccess(b, own, ring, op.getSlot())
        .store(adaptor.getTile(), ring.getSource().getLayout());
    rewriter.eraseOp(op);
    return success();
  }
};

struct AsyncCopyPattern : TilePattern<AsyncCopyOp> {
  using TilePattern::TilePattern;

  LogicalResult copyByLanes(AsyncCopyOp op, ImplicitLocOpBuilder &b,
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
      return op.emitError("this tile cannot be copied to LDS: a lane has "
                          "no whole runs of ")
             << state.target->laneCopyBytes
             << " bytes of its rows; use tile.load and tile.local_store (T22)";
    rewriter.eraseOp(op);
    return success();
  }

  LogicalResult
  matchAndRewrite(AsyncCopyOp op, OpAdaptor,
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
          "this tile cannot go straight to LDS: its rows are too short "
          "or too far apart, or too few lanes take part; use tile.load and "
          "tile.local_store (T22)");
    BufferAccess memory(b, state, at.tile, at.view, at.row, at.col,
                        op.getInBounds(), state.alike.contains(op));
    access.copyAsync(memory, getLayout(at.tile));
    rewriter.eraseOp(op);
    return success();
  }
};

struct AsyncWaitPattern : TilePattern<AsyncWaitOp> {
  using TilePattern::TilePattern;
  LogicalResult
  matchAndRewrite(AsyncWaitOp op, OpAdaptor,
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
    // spread next to the products on both sides.
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
            : rewriter.getI32IntegerAttr(op.getOutstanding()),
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

struct LocalLoadPattern : TilePattern<LocalLoadOp> {
  using TilePattern::TilePattern;
  LogicalResult
  matchAndRewrite(LocalLoadOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto ring = op.getRing().getDefiningOp<RingOp>();
    RingOrder order = getOrder(ring, *state.target);
    Value offset =
        b.createOrFold<arith::IndexCastOp>(b.getI32Type(), op.getOffset());
    // In the order in which a product's instructions take it: along K last.
    bool alongColumns = llvm::none_of(
        op->getUsers(), [](Operation *user) { return isa<TransposeOp>(user); });
    rewriter.replaceOp(op,
                       makeAccess(b, state, ring, op.getSlot())
                           .loadSlice(order.reads, offset, ring.getSliceDim(),
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
  patterns.add<RingPattern, LocalStorePattern, AsyncCopyPattern,
               AsyncWaitPattern, LocalLoadPattern>(types, patterns.getContext(),
                                                   state);
}
