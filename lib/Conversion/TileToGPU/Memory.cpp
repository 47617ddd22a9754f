//===- Memory.cpp - tile loads and stores ---------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tile.load, tile.store and tile.atomic_max as vector accesses of one lane. A
// whole tile takes straight-line code; a ragged one masks each vector: all,
// nothing, or, where the row ends inside a vector, chunks of halving sizes. A
// lane's only access is always masked: there is nothing for it to overlap with.
//
//===----------------------------------------------------------------------===//

#include "BufferAccess.h"
#include "TileAccess.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

/// An access whose mask costs as much as a test of the whole tile.
static bool isSingle(const TileAccess &access) {
  return access.offsets.size() == 1 && !access.window;
}

/// Rows of the view are a multiple of so many elements; of an order's units.
template <typename Op> static int64_t getDivisible(Op op) {
  std::optional<LayoutAttr> order = op.getOrder();
  return order ? order->getLayout().getNumElements() : op.getDivisible();
}

static Value concatenate(ImplicitLocOpBuilder &b, ArrayRef<Value> parts,
                         VectorType type) {
  if (parts.size() == 1)
    return parts.front();
  Value result = arith::ConstantOp::create(b, b.getZeroAttr(type));
  int64_t offset = 0;
  for (Value part : parts) {
    result = vector::InsertStridedSliceOp::create(
        b, part, result, ArrayRef<int64_t>{offset}, ArrayRef<int64_t>{1});
    offset += cast<VectorType>(part.getType()).getNumElements();
  }
  return result;
}

namespace {
struct LoadPattern : TilePattern<LoadOp> {
  using TilePattern::TilePattern;
  LogicalResult
  matchAndRewrite(LoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    KernelState own = state;
    if (state.rare.contains(op))
      own.lane = emitLaneAfter(
          b, arith::IndexCastOp::create(b, b.getI32Type(), op.getColumn()),
          /*isUniform=*/true);
    TilePlace at =
        placeInView(b, op.getOrder(), op.getRowInterleave(),
                    {op.getType(), op.getView(), op.getRow(), op.getColumn()});
    TileAccess access =
        makeAccess(b, own, at, adaptor.getRows(), getDivisible(op),
                   op.getWindow(), op.getInterleave());
    access.wholeColumns = op.getColumnsInBounds();
    VectorType type = getDistributedType(op.getType());
    // One element is the same for all lanes: the scalar unit reads it.
    // Where tiles go through a ring, the loop's time is the matrix core's:
    // addresses are left to the scalar unit.
    bool bounded = op.getColumnsInBounds() &&
                   (!op.getInBounds() || state.hasRings) && !op.getRows() &&
                   op.getInterleave() == 0 &&
                   op.getType().getNumElements() > 1 &&
                   BufferAccess::isPossible(state, at.tile, op.getView());
    auto all = [&](bool masked) {
      SmallVector<Value> parts;
      for (unsigned v = 0; v < access.offsets.size(); ++v) {
        auto [r, c] = access.position(v);
        parts.push_back(masked ? access.maskedLoad(r, c)
                               : access.loadWhole(r, c, /*isAligned=*/true));
      }
      return concatenate(b, parts, type);
    };
    auto read = [&]() -> Value {
      if (op.getOrder() || op.getRows() || isSingle(access))
        return all(/*masked=*/!op.getInBounds() || access.aligned);
      if (op.getInBounds() && !access.aligned)
        return all(/*masked=*/false);
      return emitIf(
          b,
          emitIsInterior(b, access, op.getRow(), op.getColumn(),
                         cast<ShapedType>(at.tile).getShape()),
          type, [&] { return all(false); }, [&] { return all(true); });
    };
    auto readRows = [&]() -> Value {
      BufferAccess rows(b, own, at.tile, at.view, at.row, at.col,
                        op.getInBounds(), state.alike.contains(op));
      SmallVector<Value> parts;
      for (auto [r, c] : access.offsets)
        parts.push_back(rows.load(access.vectorType, r, c));
      return concatenate(b, parts, type);
    };
    auto readAny = [&]() -> Value { return bounded ? readRows() : read(); };
    Value owner = op.getFirstReplica()
                      ? emitIsOwner(b, state, getLayout(op.getType()))
                      : Value();
    auto nothing = [&]() -> Value {
      return arith::ConstantOp::create(b, b.getZeroAttr(type));
    };
    Value result = owner ? emitIf(b, owner, type, readAny, nothing) : readAny();
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct StorePattern : TilePattern<StoreOp> {
  using TilePattern::TilePattern;
  LogicalResult
  matchAndRewrite(StoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type type = op.getValue().getType();
    auto emit = [&] {
      TilePlace at =
          placeInView(b, op.getOrder(), /*rowRun=*/0,
                      {type, op.getView(), op.getRow(), op.getColumn()});
      TileAccess access =
          makeAccess(b, state, at, adaptor.getRows(), getDivisible(op),
                     op.getWindow(), op.getInterleave());
      access.wholeColumns = op.getColumnsInBounds();
      auto part = [&](unsigned v) {
        return access.part(adaptor.getValue(), v);
      };
      int64_t count = access.offsets.size(),
              begin = count * op.getSlice() / op.getSlices(),
              end = count * (op.getSlice() + 1) / op.getSlices();
      if (op.getColumnsInBounds() && !op.getInBounds() && !op.getRows() &&
          op.getInterleave() == 0 &&
          BufferAccess::isPossible(state, at.tile, op.getView())) {
        BufferAccess rows(b, state, at.tile, at.view, at.row, at.col);
        for (int64_t v = begin; v < end; ++v)
          rows.store(part(v), access.offsets[v].first,
                     access.offsets[v].second);
        return;
      }
      auto all = [&](bool masked) {
        for (int64_t v = begin; v < end; ++v) {
          auto [r, c] = access.position(v);
          if (masked)
            access.maskedStore(part(v), r, c);
          else
            access.storeWhole(part(v), r, c, /*isAligned=*/true);
        }
      };
      if (op.getOrder() || op.getRows() || isSingle(access))
        return all(!op.getInBounds() || access.aligned);
      if (op.getInBounds() && !access.aligned)
        return all(/*masked=*/false);
      emitIf(
          b,
          emitIsInterior(b, access, op.getRow(), op.getColumn(),
                         cast<ShapedType>(type).getShape()),
          [&] { all(false); }, [&] { all(true); });
    };
    emitByOwner(b, state, getLayout(type), emit);
    rewriter.eraseOp(op);
    return success();
  }
};

/// The tile in its part of LDS, then a barrier: loads read it from there.
struct StagePattern : TilePattern<StageOp> {
  using TilePattern::TilePattern;
  LogicalResult
  matchAndRewrite(StageOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type type = op.getTile().getType();
    Value view = memref::ViewOp::create(
        b, op.getView().getType(), state.lds,
        arith::ConstantIndexOp::create(b, state.places.lookup(op)),
        ValueRange());
    Value zero = arith::ConstantIndexOp::create(b, 0);
    emitByOwner(b, state, getLayout(type), [&] {
      TileAccess access =
          makeAccess(b, state, {type, view, zero, zero}, /*rows=*/Value(),
                     /*divisible=*/op.getView().getType().getShape().back(),
                     /*window=*/Value(), /*interleave=*/0);
      for (unsigned v = 0; v < access.offsets.size(); ++v) {
        auto [r, c] = access.position(v);
        access.store(access.part(adaptor.getTile(), v), r, c);
      }
    });
    gpu::BarrierOp::create(b);
    rewriter.replaceOp(op, view);
    return success();
  }
};

struct AtomicMaxPattern : TilePattern<AtomicMaxOp> {
  using TilePattern::TilePattern;
  LogicalResult
  matchAndRewrite(AtomicMaxOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto emit = [&] {
      Value value =
          vector::ExtractOp::create(b, adaptor.getValue(), int64_t(0));
      Value bits = arith::BitcastOp::create(b, b.getI32Type(), value);
      // The same address seen as an integer's: memref has no element bitcast.
      Value address =
          memref::ExtractAlignedPointerAsIndexOp::create(b, op.getTarget());
      Value raw = arith::IndexCastOp::create(b, b.getI64Type(), address);
      Value target = LLVM::IntToPtrOp::create(
          b, LLVM::LLVMPointerType::get(b.getContext(), 1), raw);
      LLVM::AtomicRMWOp::create(b, LLVM::AtomicBinOp::umax, target, bits,
                                LLVM::AtomicOrdering::monotonic,
                                state.target->deviceScope);
    };
    emitByOwner(b, state, getLayout(op.getValue().getType()), emit);
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void te::populateMemoryPatterns(RewritePatternSet &patterns,
                                const TypeConverter &types,
                                const KernelState &state) {
  patterns.add<LoadPattern, StorePattern, StagePattern, AtomicMaxPattern>(
      types, patterns.getContext(), state);
}
