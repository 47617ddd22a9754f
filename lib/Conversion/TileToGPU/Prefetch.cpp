//===- Prefetch.cpp - what L2 is asked for ahead --------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tile.prefetch: each part of the rows is one instruction of one lane
// (cp.async.bulk.prefetch.L2), the first lanes of the workgroup one each.
//
//===----------------------------------------------------------------------===//

#include "Distribution.h"
#include "TileAccess.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

/// So many bytes after the start of a row.
static Value emitGlobalPointer(ImplicitLocOpBuilder &b, Value view, Value row,
                               Value bytes) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, view);
  Type elementType = cast<MemRefType>(view.getType()).getElementType();
  Value element = b.createOrFold<arith::AddIOp>(
      metadata.getOffset(),
      b.createOrFold<arith::MulIOp>(row, metadata.getStrides()[0]));
  Value start = b.createOrFold<arith::MulIOp>(
      element, arith::ConstantIndexOp::create(b, getElementBytes(elementType)));
  // The buffer is still one that is only read (Driver/Codegen.cpp).
  auto type = LLVM::LLVMPointerType::get(
      b.getContext(), unsigned(NVVM::NVVMMemorySpace::Global));
  auto toI64 = [&](Value index) {
    return b.createOrFold<arith::IndexCastOp>(b.getI64Type(), index);
  };
  Value buffer = LLVM::IntToPtrOp::create(
      b, type, toI64(memref::ExtractAlignedPointerAsIndexOp::create(b, view)));
  Value offset = toI64(b.createOrFold<arith::AddIOp>(start, bytes));
  return LLVM::GEPOp::create(b, type, b.getI8Type(), buffer,
                             ArrayRef<LLVM::GEPArg>{offset});
}

namespace {
struct PrefetchPattern : TilePattern<PrefetchOp> {
  using TilePattern::TilePattern;

  /// The part with this number, of all rows' parts.
  void emitPart(ImplicitLocOpBuilder &b, PrefetchOp op, Value part) const {
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, value);
    };
    auto isBelow = [&](Value x, Value y) -> Value {
      return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, x, y);
    };
    int64_t parts = op.getRowBytes() / op.getBytes();
    Value row = b.createOrFold<arith::AddIOp>(
        op.getRow(), b.createOrFold<arith::DivUIOp>(part, constant(parts)));
    Value bytes = b.createOrFold<arith::MulIOp>(
        b.createOrFold<arith::RemUIOp>(part, constant(parts)),
        constant(op.getBytes()));
    Value inside = arith::AndIOp::create(
        b, isBelow(part, constant(op.getRows() * parts)),
        isBelow(row, memref::DimOp::create(b, op.getView(), int64_t(0))));
    emitIf(b, inside, [&] {
      NVVM::CpAsyncBulkPrefetchOp::create(
          b, emitGlobalPointer(b, op.getView(), row, bytes),
          emitI32(b, op.getBytes()), /*l2CacheHint=*/Value());
    });
  }

  LogicalResult
  matchAndRewrite(PrefetchOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    unsigned unit = state.target->l2PrefetchBytes;
    if (unit == 0)
      return op.emitOpError()
             << state.target->name
             << " has no instruction that asks L2 for rows (T24)";
    if (op.getBytes() % unit != 0)
      return op.emitOpError()
             << state.target->name << " asks L2 for a multiple of " << unit
             << " bytes, not for " << op.getBytes() << " (T24)";
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    int64_t lanes = state.waves * state.target->waveSize,
            parts = op.getRows() * op.getRowBytes() / op.getBytes();
    Value thread = arith::AddIOp::create(
        b,
        arith::MulIOp::create(b, state.wave,
                              emitI32(b, state.target->waveSize)),
        state.lane);
    for (int64_t first = 0; first < parts; first += lanes)
      emitPart(
          b, op,
          toIndex(b, b.createOrFold<arith::AddIOp>(thread, emitI32(b, first))));
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void te::populatePrefetchPatterns(RewritePatternSet &patterns,
                                  const TypeConverter &types,
                                  const KernelState &state) {
  patterns.add<PrefetchPattern>(types, patterns.getContext(), state);
}
