//===- Cluster.cpp - what goes between the workgroups of a cluster --------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tile.cluster_reduce: each workgroup leaves one f32 a row in its LDS, which
// all read behind a barrier of the cluster. Nobody may write there again, or
// end, while others still read: whoever has read arrives at a second barrier,
// and waits at it only in front of the next such op, or at the kernel's end. So
// the kernel begins with an arrival, and ends with a wait.
//
//===----------------------------------------------------------------------===//

#include "Distribution.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

/// Address spaces of pointers to LDS: one's own, and a workgroup's of the
/// cluster.
static constexpr unsigned kOwn = unsigned(NVVM::NVVMMemorySpace::Shared),
                          kCluster =
                              unsigned(NVVM::NVVMMemorySpace::SharedCluster);

static void emitArrive(ImplicitLocOpBuilder &b) {
  NVVM::ClusterArriveOp::create(b, b.getUnitAttr());
}
static void emitWait(ImplicitLocOpBuilder &b) {
  NVVM::ClusterWaitOp::create(b, b.getUnitAttr());
}

void te::emitClusterFrame(gpu::GPUFuncOp func) {
  ImplicitLocOpBuilder b(func.getLoc(), func.getContext());
  b.setInsertionPointToStart(&func.getBody().front());
  emitArrive(b);
  b.setInsertionPoint(func.getBody().back().getTerminator());
  emitWait(b);
}

static int64_t getRows(ClusterReduceOp op) {
  return cast<ShapedType>(op.getInputs().front().getType()).getDimSize(0);
}

int64_t te::placeClusterReduces(KernelOp kernel, KernelState &state,
                                int64_t end) {
  constexpr int64_t bytes = sizeof(float);
  int64_t place = llvm::alignTo(end, bytes);
  kernel.walk([&](ClusterReduceOp op) {
    state.places[op] = place;
    end = std::max<int64_t>(end,
                            place + getRows(op) * op.getNumOperands() * bytes);
  });
  return end;
}

namespace {
struct ClusterReducePattern : OpConversionPattern<ClusterReduceOp> {
  ClusterReducePattern(const TypeConverter &types, MLIRContext *context,
                       const KernelState &state)
      : OpConversionPattern(types, context), state(state) {}

  /// One's parts, row after row, tile after tile.
  void put(ImplicitLocOpBuilder &b, ClusterReduceOp op,
           ValueRange inputs) const {
    LinearLayout layout = getLayout(op.getInputs().front().getType());
    auto [row, col] = emitLaneCoordinates(b, state, layout);
    Value start = arith::IndexCastUIOp::create(b, b.getI32Type(), row);
    start = arith::MulIOp::create(b, start, emitI32(b, sizeof(float)));
    emitByOwner(b, state, layout, [&, start = start] {
      for (auto [k, input] : llvm::enumerate(inputs))
        for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg) {
          int64_t at = k * getRows(op) +
                       layout.toCoordinates(layout.apply(reg, 0, 0))[0];
          Value one = vector::ExtractStridedSliceOp::create(
              b, input, ArrayRef<int64_t>{reg}, ArrayRef<int64_t>{1},
              ArrayRef<int64_t>{1});
          emitLdsStore(b, state, one,
                       arith::AddIOp::create(
                           b, start,
                           emitI32(b, state.places.lookup(op) +
                                          at * int64_t(sizeof(float)))));
        }
    });
  }

  /// All parts of each row, put together by the lane of that number, in the
  /// order of ranks: of more rows than lanes, by tile and run of so many.
  SmallVector<Value> combine(ImplicitLocOpBuilder &b, ClusterReduceOp op,
                             int64_t lanes) const {
    auto pointer = [&](unsigned space) {
      return LLVM::LLVMPointerType::get(b.getContext(), space);
    };
    Value raw = arith::IndexCastOp::create(
        b, b.getI64Type(),
        memref::ExtractAlignedPointerAsIndexOp::create(b, state.lds));
    Value own = LLVM::IntToPtrOp::create(b, pointer(kOwn), raw);
    Value row = arith::AndIOp::create(b, state.lane, emitI32(b, lanes - 1));
    Value start = arith::AddIOp::create(
        b, arith::MulIOp::create(b, row, emitI32(b, sizeof(float))),
        emitI32(b, state.places.lookup(op)));
    int64_t runs = getRows(op) / lanes * int64_t(op.getNumOperands());
    SmallVector<SmallVector<Value>> parts(runs);
    for (int64_t rank = 0; rank < state.cluster; ++rank) {
      Value there =
          NVVM::MapaOp::create(b, pointer(kCluster), own, emitI32(b, rank));
      Value base = LLVM::GEPOp::create(b, pointer(kCluster), b.getI8Type(),
                                       there, ArrayRef<LLVM::GEPArg>{start});
      for (auto [run, all] : llvm::enumerate(parts)) {
        Value at =
            LLVM::GEPOp::create(b, pointer(kCluster), b.getF32Type(), base,
                                ArrayRef<LLVM::GEPArg>{int32_t(run * lanes)});
        all.push_back(LLVM::LoadOp::create(b, b.getF32Type(), at));
      }
    }
    return llvm::map_to_vector(parts, [&](ArrayRef<Value> all) {
      Value result = all.front();
      for (Value part : all.drop_front())
        result = emitCombine(b, op.getKind(), result, part);
      return result;
    });
  }

  LogicalResult
  matchAndRewrite(ClusterReduceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    LinearLayout layout = getLayout(op.getInputs().front().getType());
    int64_t lanes = std::min<int64_t>(getRows(op), state.target->waveSize),
            runs = getRows(op) / lanes;
    emitWait(b);
    put(b, op, adaptor.getInputs());
    emitArrive(b);
    emitWait(b);
    SmallVector<Value> sums = combine(b, op, lanes);
    emitArrive(b);
    // Each lane's rows, from the lanes that have them.
    auto [start, col] = emitLaneCoordinates(b, state, layout);
    Value first = arith::IndexCastUIOp::create(b, b.getI32Type(), start);
    SmallVector<Value> results;
    for (auto [k, input] : llvm::enumerate(adaptor.getInputs())) {
      SmallVector<Value> rows;
      for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg) {
        Value row = arith::AddIOp::create(
            b, first,
            emitI32(b, layout.toCoordinates(layout.apply(reg, 0, 0))[0]));
        rows.push_back(
            getRow(b, ArrayRef(sums).slice(k * runs, runs), row, lanes));
      }
      results.push_back(
          vector::FromElementsOp::create(b, input.getType(), rows));
    }
    rewriter.replaceOp(op, results);
    return success();
  }

  /// A row's number, from the lane that has it in one of its runs.
  Value getRow(ImplicitLocOpBuilder &b, ArrayRef<Value> runs, Value row,
               int64_t lanes) const {
    if (lanes == 1) // all have it
      return runs.front();
    Value lane = arith::AndIOp::create(b, row, emitI32(b, lanes - 1)),
          width = emitI32(b, state.target->waveSize), result;
    for (auto [i, run] : llvm::enumerate(runs)) {
      Value there =
          gpu::ShuffleOp::create(b, run, lane, width, gpu::ShuffleMode::IDX)
              .getShuffleResult();
      Value from = emitI32(b, i * lanes);
      result = result ? arith::SelectOp::create(
                            b,
                            arith::CmpIOp::create(b, arith::CmpIPredicate::uge,
                                                  row, from),
                            there, result)
                      : there;
    }
    return result;
  }

  const KernelState &state;
};
} // namespace

void te::populateClusterPatterns(RewritePatternSet &patterns,
                                 const TypeConverter &types,
                                 const KernelState &state) {
  patterns.add<ClusterReducePattern>(types, patterns.getContext(), state);
}
