//===- SharedAccess.cpp - tiles in LDS, and rings of them -----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedAccess.h"

#include "te/Target/Target.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

SharedAccess::Addresses::Addresses(SharedAccess &access,
                                   const LinearLayout &layout)
    : access(access), variable(0) {
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

/// What no lane's own bits overlap with is added last, where the instruction
/// has a field for it.
Value SharedAccess::Addresses::get(int64_t flat) {
  auto &b = access.b;
  int64_t address = access.shared.address(flat) * access.bytes;
  Value result =
      b.createOrFold<arith::XOrIOp>(base, emitI32(b, address & variable));
  if (access.start)
    result = b.createOrFold<arith::AddIOp>(result, access.start);
  return b.createOrFold<arith::AddIOp>(result, emitI32(b, address & ~variable));
}

void SharedAccess::put(Value vector, const LinearLayout &layout) {
  emitByOwner(b, state, layout, [&] {
    int64_t size = shared.getVectorElements();
    SmallVector<int64_t> order = shared.registerOrder(layout);
    Addresses addresses(*this, layout);
    for (size_t first = 0; first < order.size(); first += size) {
      ArrayRef<int64_t> group = ArrayRef<int64_t>(order).slice(first, size);
      emitLdsStore(b, state, emitSelectElements(b, vector, group),
                   addresses.get(layout.apply(group.front(), 0, 0)));
    }
  });
}

Value SharedAccess::take(const LinearLayout &layout, int64_t offset) {
  int64_t size = shared.getVectorElements();
  SmallVector<int64_t> order = shared.registerOrder(layout);
  Addresses addresses(*this, layout);
  Value result = arith::ConstantOp::create(
      b, b.getZeroAttr(VectorType::get({layout.getNumRegisters()}, element)));
  auto part = VectorType::get({size}, element);
  for (size_t first = 0; first < order.size(); first += size)
    result = vector::InsertStridedSliceOp::create(
        b,
        emitLdsLoad(b, state, part,
                    addresses.get(layout.apply(order[first], 0, 0) ^ offset)),
        result, ArrayRef<int64_t>{int64_t(first)}, ArrayRef<int64_t>{1});
  SmallVector<int64_t> back(order.size());
  for (auto [i, reg] : llvm::enumerate(order))
    back[reg] = i;
  return emitSelectElements(b, result, back);
}

//===----------------------------------------------------------------------===//
// tile.ring
//===----------------------------------------------------------------------===//

static SharedLayout getOrder(const KernelState &state, RingOp ring) {
  auto type = ring.getRing().getType();
  return SharedLayout(
      ring.getSource().getLayout(),
      ring.getTarget().getLayout().embed(type.getShape().drop_front()),
      getElementBytes(type), state.target->ldsBanks);
}

/// Bytes, i32, to the slot of a ring.
static Value emitSlot(ImplicitLocOpBuilder &b, const KernelState &state,
                      RingOp ring, Value slot) {
  auto type = ring.getRing().getType();
  int64_t size =
      type.getNumElements() / type.getDimSize(0) * getElementBytes(type);
  Value number = b.createOrFold<arith::IndexCastOp>(b.getI32Type(), slot);
  return b.createOrFold<arith::AddIOp>(
      b.createOrFold<arith::MulIOp>(number, emitI32(b, size)),
      emitI32(b, state.places.lookup(ring)));
}

namespace {
struct PutPattern : TilePattern<PutOp> {
  using TilePattern::TilePattern;
  LogicalResult
  matchAndRewrite(PutOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto ring = op.getRing().getDefiningOp<RingOp>();
    SharedLayout order = getOrder(state, ring);
    SharedAccess access(b, state, order,
                        getElementTypeOrSelf(ring.getRing().getType()),
                        emitSlot(b, state, ring, op.getSlot()));
    access.put(adaptor.getTile(), ring.getSource().getLayout());
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
    SharedLayout order = getOrder(state, ring);
    SharedAccess access(b, state, order,
                        getElementTypeOrSelf(ring.getRing().getType()),
                        emitSlot(b, state, ring, op.getSlot()));
    LinearLayout whole = ring.getTarget().getLayout().embed(
        ring.getRing().getType().getShape().drop_front());
    rewriter.replaceOp(op, access.take(whole, op.getColumn()));
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
  patterns.add<RingPattern, PutPattern, TakePattern>(
      types, patterns.getContext(), state);
}
