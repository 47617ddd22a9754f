//===- Cluster.cpp - what goes between the workgroups of a cluster --------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tile.cluster_reduce: each workgroup sends one f32 a row to the LDS of all,
// itself included, where each waits for as many bytes as all send (st.async,
// mbarrier). A barrier of the cluster would wait for all of a workgroup's
// stores to memory too.
//
// Exchanges take two slots alternately. Who sends the exchange after next has
// what all sent for the next one, which all waves of a workgroup have a part
// in: they have read the slot by then.
//
//===----------------------------------------------------------------------===//

#include "Distribution.h"
#include "TileAccess.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

static constexpr int64_t kFloatBytes = sizeof(float);
/// One for each slot.
static constexpr int64_t kBarrierBytes = 8, kSlots = 2;

static int64_t getRows(ClusterReduceOp op) {
  return cast<ShapedType>(op.getInputs().front().getType()).getDimSize(0);
}

/// What one workgroup sends to each.
static int64_t getPartialBytes(ClusterReduceOp op) {
  return getRows(op) * op.getNumOperands() * kFloatBytes;
}

int64_t te::placeExchanges(KernelOp kernel, KernelState &state, int64_t end) {
  int64_t slot = 0;
  kernel.walk([&](ClusterReduceOp op) {
    slot = std::max(slot, state.cluster * getPartialBytes(op));
  });
  if (slot == 0)
    return end;
  state.exchangePlace = llvm::alignTo(end, kBarrierBytes);
  state.slotBytes = slot;
  return state.exchangePlace + kSlots * (kBarrierBytes + slot);
}

static void emitAsm(ImplicitLocOpBuilder &b, StringRef text,
                    StringRef constraints, ValueRange operands) {
  LLVM::InlineAsmOp::create(b, /*res=*/Type(), operands, text, constraints,
                            /*has_side_effects=*/true,
                            /*is_align_stack=*/false, LLVM::TailCallKind::None,
                            /*asm_dialect=*/LLVM::AsmDialectAttr(),
                            /*operand_attrs=*/ArrayAttr());
}

/// Calls `body` in one lane of the workgroup.
static void inFirstLane(ImplicitLocOpBuilder &b, const KernelState &state,
                        function_ref<void()> body) {
  Value isFirst = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq,
      arith::OrIOp::create(b, state.lane, state.wave), emitI32(b, 0));
  auto branch = scf::IfOp::create(b, isFirst, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenYield());
  body();
}

void te::beginExchanges(gpu::GPUFuncOp func, KernelState &state) {
  Operation *first = nullptr;
  func.walk([&](ClusterReduceOp op) {
    first = func.getBody().front().findAncestorOpInBlock(*op);
    return WalkResult::interrupt();
  });
  if (!first)
    return;
  ImplicitLocOpBuilder b(func.getLoc(), func.getContext());
  b.setInsertionPointAfterValue(state.wave);
  state.exchanges =
      memref::AllocaOp::create(b, MemRefType::get({}, b.getI32Type()));
  memref::StoreOp::create(b, emitI32(b, 0), state.exchanges, ValueRange());
  inFirstLane(b, state, [&] {
    for (int64_t slot = 0; slot < kSlots; ++slot) {
      Value place = emitI32(b, state.exchangePlace + slot * kBarrierBytes);
      NVVM::MBarrierInitOp::create(b, emitSharedPointer(b, state, place),
                                   emitI32(b, 1), /*predicate=*/Value());
    }
    NVVM::FenceMbarrierInitOp::create(b);
  });
  NVVM::ClusterArriveRelaxedOp::create(b, /*aligned=*/b.getUnitAttr());
  // Nobody sends before all are ready to receive.
  b.setInsertionPoint(first);
  NVVM::ClusterWaitOp::create(b, /*aligned=*/b.getUnitAttr());
}

namespace {
struct ClusterReducePattern : OpConversionPattern<ClusterReduceOp> {
  ClusterReducePattern(const TypeConverter &types, MLIRContext *context,
                       const KernelState &state)
      : OpConversionPattern(types, context), state(state) {}

  /// To one rank: to where `own` and `barrier` are in its LDS.
  void sendTo(ImplicitLocOpBuilder &b, ClusterReduceOp op, ValueRange inputs,
              Value rank, Value own, Value barrier) const {
    LinearLayout layout = getLayout(op.getInputs().front().getType());
    auto remote = LLVM::LLVMPointerType::get(
        b.getContext(), unsigned(NVVM::NVVMMemorySpace::SharedCluster));
    Value target = NVVM::MapaOp::create(b, remote, own, rank),
          arrives = NVVM::MapaOp::create(b, remote, barrier, rank);
    for (auto [k, input] : llvm::enumerate(inputs))
      for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg) {
        int64_t at =
            k * getRows(op) + layout.toCoordinates(layout.apply(reg, 0, 0))[0];
        Value there = LLVM::GEPOp::create(b, remote, b.getF32Type(), target,
                                          ArrayRef<LLVM::GEPArg>{int32_t(at)});
        Value part = vector::ExtractOp::create(b, input, reg);
        emitAsm(b,
                "st.async.weak.shared::cluster.mbarrier::complete_tx::"
                "bytes.b32 [$0], $1, [$2];",
                "l,r,l,~{memory}",
                {there, arith::BitcastOp::create(b, b.getI32Type(), part),
                 arrives});
      }
  }

  /// Sends one's parts, row after row, tile after tile, after those of lower
  /// ranks in the slot from byte `slot` on.
  void send(ImplicitLocOpBuilder &b, ClusterReduceOp op, ValueRange inputs,
            Value slot, Value barrier) const {
    LinearLayout layout = getLayout(op.getInputs().front().getType());
    // Waves that are no part of the sums have read what was here before.
    if (llvm::is_contained(layout.getBases(LayoutInput::Wave), 0))
      gpu::BarrierOp::create(b);
    Value rank = arith::IndexCastUIOp::create(
        b, b.getI32Type(), gpu::ClusterBlockIdOp::create(b, gpu::Dimension::x));
    Value row = arith::IndexCastUIOp::create(
        b, b.getI32Type(), emitLaneCoordinates(b, state, layout).first);
    Value start = arith::AddIOp::create(
        b, slot,
        arith::AddIOp::create(
            b, arith::MulIOp::create(b, rank, emitI32(b, getPartialBytes(op))),
            arith::MulIOp::create(b, row, emitI32(b, kFloatBytes))));
    // Of the lanes that have the same rows each sends to ranks of its own; a
    // single number is sent faster by one lane (docs/decisions/0026).
    bool byLanes = inputs.size() * layout.getNumRegisters() > 1;
    SmallVector<int64_t> columns;
    int64_t copies = 1;
    for (int64_t basis : layout.getBases(LayoutInput::Lane)) {
      bool isFree = byLanes && basis == 0;
      columns.push_back(isFree ? copies : 0);
      copies *= isFree ? 2 : 1;
    }
    auto sendAll = [&] {
      Value own = emitSharedPointer(b, state, start),
            copy = emitLinearMap(b, state.lane, columns);
      for (int64_t ranks = 0; ranks < state.cluster; ranks += copies) {
        Value to = b.createOrFold<arith::AddIOp>(copy, emitI32(b, ranks));
        auto send = [&] { sendTo(b, op, inputs, to, own, barrier); };
        if (ranks + copies <= state.cluster)
          send();
        else
          emitIf(b,
                 arith::CmpIOp::create(b, arith::CmpIPredicate::ult, to,
                                       emitI32(b, state.cluster)),
                 send);
      }
    };
    Value sends = emitIsOwner(b, state, layout, /*lanes=*/!byLanes);
    sends ? emitIf(b, sends, sendAll) : sendAll();
  }

  /// All partial values of each row, combined by the lane of that number, in
  /// the order of ranks: of more rows than lanes, by tile and run of so many.
  SmallVector<Value> combine(ImplicitLocOpBuilder &b, ClusterReduceOp op,
                             int64_t lanes, Value slot) const {
    Value row = arith::AndIOp::create(b, state.lane, emitI32(b, lanes - 1));
    Value start = arith::AddIOp::create(
        b, slot, arith::MulIOp::create(b, row, emitI32(b, kFloatBytes)));
    int64_t runs = getRows(op) / lanes * int64_t(op.getNumOperands());
    auto type = VectorType::get({1}, b.getF32Type());
    SmallVector<Value> sums(runs);
    for (int64_t rank = 0; rank < state.cluster; ++rank)
      for (auto [run, sum] : llvm::enumerate(sums)) {
        Value at = arith::AddIOp::create(
            b, start,
            emitI32(b, rank * getPartialBytes(op) +
                           int64_t(run) * lanes * kFloatBytes));
        Value part = vector::ExtractOp::create(
            b, emitLdsLoad(b, state, type, at), int64_t(0));
        sum = sum ? emitCombine(b, op.getKind(), sum, part) : part;
      }
    return sums;
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
      if (!result) {
        result = there;
        continue;
      }
      Value isHere = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, row,
                                           emitI32(b, i * lanes));
      result = arith::SelectOp::create(b, isHere, there, result);
    }
    return result;
  }

  LogicalResult
  matchAndRewrite(ClusterReduceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    LinearLayout layout = getLayout(op.getInputs().front().getType());
    int64_t lanes = std::min<int64_t>(getRows(op), state.target->waveSize),
            runs = getRows(op) / lanes;
    // Exchange n: slot n % 2, whose barrier is used for the (n / 2)th time.
    Value one = emitI32(b, 1);
    Value number = memref::LoadOp::create(b, state.exchanges, ValueRange());
    memref::StoreOp::create(b, arith::AddIOp::create(b, number, one),
                            state.exchanges, ValueRange());
    Value scratch = arith::AndIOp::create(b, number, one);
    Value parity =
        arith::AndIOp::create(b, arith::ShRUIOp::create(b, number, one), one);
    auto place = [&](int64_t first, int64_t bytes) -> Value {
      return arith::AddIOp::create(
          b, arith::MulIOp::create(b, scratch, emitI32(b, bytes)),
          emitI32(b, state.exchangePlace + first));
    };
    Value barrier = emitSharedPointer(b, state, place(0, kBarrierBytes)),
          slot = place(kSlots * kBarrierBytes, state.slotBytes);
    inFirstLane(b, state, [&] {
      NVVM::MBarrierArriveExpectTxOp::create(
          b, TypeRange(), barrier,
          emitI32(b, state.cluster * getPartialBytes(op)),
          NVVM::MemScopeKind::CTA, /*relaxed=*/false, /*predicate=*/Value());
    });
    send(b, op, adaptor.getInputs(), slot, barrier);
    emitAsm(b,
            "{\n.reg .pred done;\nWAIT:\nmbarrier.try_wait.parity.shared.b64 "
            "done, [$0], $1;\n@!done bra.uni WAIT;\n}",
            "l,r,~{memory}", {barrier, parity});
    SmallVector<Value> sums = combine(b, op, lanes, slot);
    // Each lane's rows, from the lanes that have them.
    Value first = arith::IndexCastUIOp::create(
        b, b.getI32Type(), emitLaneCoordinates(b, state, layout).first);
    SmallVector<Value> results;
    for (auto [k, input] : llvm::enumerate(adaptor.getInputs())) {
      SmallVector<Value> rows;
      for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg) {
        int64_t at = layout.toCoordinates(layout.apply(reg, 0, 0))[0];
        Value row = arith::AddIOp::create(b, first, emitI32(b, at));
        rows.push_back(
            getRow(b, ArrayRef(sums).slice(k * runs, runs), row, lanes));
      }
      results.push_back(
          vector::FromElementsOp::create(b, input.getType(), rows));
    }
    rewriter.replaceOp(op, results);
    return success();
  }

  const KernelState &state;
};
} // namespace

void te::populateClusterPatterns(RewritePatternSet &patterns,
                                 const TypeConverter &types,
                                 const KernelState &state) {
  patterns.add<ClusterReducePattern>(types, patterns.getContext(), state);
}
