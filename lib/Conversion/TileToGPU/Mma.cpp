//===- Mma.cpp - tile.mma as matrix instructions --------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers hold one instruction's part after the other, along K (of the
// result: along a row) first: what te/Dialect/Tile/IR/MMALayout.h lays out.
//
//===----------------------------------------------------------------------===//

#include "Distribution.h"

#include "te/Conversion/Names.h"
#include "te/Dialect/TE/IR/TE.h"
#include "te/Dialect/Tile/IR/MMALayout.h"
#include "te/Dialect/Tile/IR/RingOrder.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

namespace {
/// The registers of one operand, cut into those of one instruction each.
struct Fragments {
  Value vector, scales; // scales: null where there are none
  int64_t size;         // registers of one instruction
  int64_t alongK;       // instructions along K
  int64_t scaleSlices = 1,
          scaleSlice = 0; // the scales are for so many of these
};

/// Between the products of the region that ends here the accesses of memory
/// that stand in it alternate with it, as many of each kind after a product as
/// the reads of LDS ask for: a wave that has to wait for its turn at a queue
/// has work for the matrix core. So do vector instructions. The first reads
/// come after product `first`, the last one that needs a fragment whose place
/// they take, or later; the last ones leave so many products to hide their
/// latency
/// (`hiding`). A part that reads scales too has more loads than products.
/// Vector instructions come after the first `overlappedWork`.
///
/// LLVM finds a place for each write to LDS, and where it does not fit what it
/// needs comes before it all the same: one that has to wait for vector
/// instructions after a later product takes all of these along, and the spread
/// is lost. So groups have room for all of them, and not too early.
///
/// A barrier stands after the first product. All waves read LDS then, and what
/// the second one's queue takes is time in which no matrix core works: of reads
/// one comes first, no writes that stand after it, and no loads in a quarter
/// of the products.
static void emitInterleaving(ImplicitLocOpBuilder &b, int64_t products,
                             KernelState::Part part, int64_t first,
                             int64_t hiding, int64_t overlappedWork) {
  using Mask = amdgpu::sched_barrier_opt_enum;
  const KernelState::Front &front = part.front;
  int64_t beside = std::max<int64_t>(products - first - hiding, 1),
          reads = llvm::divideCeil(part.reads, beside),
          firstLoad = front.hasBarrier ? products / 4 : 0;
  auto emit = [&](Mask kind, int64_t size) {
    ROCDL::SchedGroupBarrier::create(b, uint32_t(kind), size, /*groupId=*/0);
  };
  auto countWorkUpTo = [&](int64_t product) {
    return llvm::divideCeil(std::min(product, overlappedWork) * part.vectorWork,
                            overlappedWork);
  };
  // Lanes that transpose elements have half of that after them before the first
  // can be written.
  constexpr int64_t kFew = 4; // products: their loads go first
  auto countWritesUpTo = [&](int64_t product) {
    if (products < kFew)
      return product;
    int64_t ready = front.transposes ? 2 * product - products : product;
    return std::max<int64_t>(ready, 0) * front.writes / products;
  };
  for (int64_t i = 0; i < products; ++i) {
    emit(Mask::mfma_wmma, 1);
    if (reads > 0 && i >= first)
      emit(Mask::ds_read,
           front.hasBarrier && i == 0 && products > 1 ? 1 : reads);
    if (int64_t work = countWorkUpTo(i + 1) - countWorkUpTo(i))
      emit(Mask::valu, work);
    int64_t writes = std::max<int64_t>(
        countWritesUpTo(i + 1) - countWritesUpTo(i), !front.transposes);
    if (i == 0 && front.isAfterBarrier && products > 1)
      writes = 0;
    if (i == products - 1)
      writes += front.lastWrites;
    if (writes)
      emit(Mask::ds_write, writes);
    if (int64_t stores =
            front.stores * (i + 1) / products - front.stores * i / products)
      emit(Mask::vmem_write, stores);
    if (i >= firstLoad)
      emit(Mask::vmem_read, i < products / 2 ? 1 : 2);
  }
}

/// Each instruction's reads of LDS stand so many instructions before it.
/// `reads`: those of each instruction, in order.
static void emitReadsAhead(ImplicitLocOpBuilder &b, ArrayRef<int64_t> reads,
                           int64_t ahead) {
  using Mask = amdgpu::sched_barrier_opt_enum;
  auto emit = [&](Mask kind, int64_t size) {
    if (size > 0)
      ROCDL::SchedGroupBarrier::create(b, uint32_t(kind), size, /*groupId=*/0);
  };
  auto sum = [](ArrayRef<int64_t> counts) {
    return std::accumulate(counts.begin(), counts.end(), int64_t(0));
  };
  ahead = std::min<int64_t>(ahead, reads.size());
  emit(Mask::ds_read, sum(reads.take_front(ahead)));
  for (size_t i = 0; i < reads.size(); ++i) {
    emit(Mask::mfma_wmma, 1);
    if (i + ahead < reads.size())
      emit(Mask::ds_read, reads[i + ahead]);
  }
}

/// Products of one pipeline of groups, from which on its order stays as it is
/// after register allocation. The scheduler compares each instruction of a
/// pipeline with all others: of half as many it takes a quarter of the time.
constexpr int64_t kLongPipeline = 32;

static void keepOrder(MmaOp op, PatternRewriter &rewriter) {
  auto func = op->getParentOfType<gpu::GPUFuncOp>();
  rewriter.modifyOpInPlace(func, [&] {
    func->setAttr(kKeepsOrderAttrName, rewriter.getUnitAttr());
  });
}

struct MmaPattern : TilePattern<MmaOp> {
  using TilePattern::TilePattern;

  static Value slice(ImplicitLocOpBuilder &b, Value vector, int64_t first,
                     int64_t size) {
    return vector::ExtractStridedSliceOp::create(
        b, vector, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{size},
        ArrayRef<int64_t>{1});
  }

  /// What the instruction takes as an operand.
  static Value getFragment(ImplicitLocOpBuilder &b, const Fragments &operand,
                           int64_t outer, int64_t k) {
    int64_t first = operand.size * (outer * operand.alongK + k);
    if (operand.size == 1)
      return vector::ExtractOp::create(b, operand.vector, first);
    Value part = slice(b, operand.vector, first, operand.size);
    if (!getElementTypeOrSelf(part.getType()).isInteger(8))
      return part;
    return vector::BitCastOp::create(
        b,
        VectorType::get({2 * operand.size},
                        Float4E2M1FNType::get(b.getContext())),
        part);
  }

  /// A register of up to four instructions' scales, and which of them this one
  /// takes.
  static std::pair<Value, int64_t> getScale(ImplicitLocOpBuilder &b,
                                            const Fragments &operand,
                                            int64_t outer, int64_t k) {
    constexpr int64_t bytes = MMA::kScalesInRegister;
    int64_t all = cast<VectorType>(operand.scales.getType()).getNumElements(),
            ofOuter = all / (operand.scaleSlices * operand.alongK),
            number =
                (operand.scaleSlice * operand.alongK + k) * ofOuter + outer,
            group = std::min(all, bytes);
    SmallVector<int64_t> picks(bytes, vector::ShuffleOp::kPoisonIndex);
    std::iota(picks.begin(), picks.begin() + group, number / group * group);
    Value word =
        vector::ShuffleOp::create(b, operand.scales, operand.scales, picks);
    Type element = Float8E8M0FNUType::get(b.getContext());
    return {
        arith::BitcastOp::create(b, VectorType::get({bytes}, element), word),
        number % group};
  }

  /// The hardware's A is our B.
  static Value emit(ImplicitLocOpBuilder &b, const MMA &mma,
                    const Fragments &left, const Fragments &right, int64_t m,
                    int64_t n, int64_t k, Value sum) {
    Value a = getFragment(b, right, n, k), c = getFragment(b, left, m, k);
    if (!left.scales)
      return amdgpu::MFMAOp::create(b, sum.getType(), mma.size, mma.size, mma.k,
                                    /*blocks=*/1, a, c, sum);
    auto [scaleA, byteA] = getScale(b, right, n, k);
    auto [scaleC, byteC] = getScale(b, left, m, k);
    return amdgpu::ScaledMFMAOp::create(b, sum.getType(), mma.size, mma.size,
                                        mma.k, a, c, sum, scaleA, scaleC, byteA,
                                        byteC);
  }

  LogicalResult
  matchAndRewrite(MmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    const MMA &mma = op.getIntrinsic().getMMA();
    if (!state.target->amd ||
        !llvm::is_contained(state.target->amd->mmas, mma.name))
      return op.emitError() << state.target->name << " has no " << mma.name
                            << "; docs/spec.md lists those of each "
                            << "chip (T20)";
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto fragments = [&](Value tile, Value vector, Value scaleTile,
                         Value scales) {
      int64_t k = getOperandDepth(tile.getType()),
              packed = k / cast<ShapedType>(tile.getType()).getDimSize(1);
      Fragments made{vector, scales,
                     mma.size * mma.k / packed / state.target->waveSize,
                     k / mma.k};
      if (scales)
        made.scaleSlices = cast<ShapedType>(scaleTile.getType()).getDimSize(1) *
                           MMA::kScaledElements / k;
      made.scaleSlice = op.getScaleSlice() % made.scaleSlices;
      return made;
    };
    Fragments left = fragments(op.getA(), adaptor.getA(), op.getScaleA(),
                               adaptor.getScaleA()),
              right = fragments(op.getB(), adaptor.getB(), op.getScaleB(),
                                adaptor.getScaleB());
    MMAWaves waves = getMMAWaves(getLayout(op.getType()));
    int64_t rows = op.getType().getDimSize(0) / waves.rows / mma.size,
            cols = op.getType().getDimSize(1) / waves.cols / mma.size;
    int64_t size = mma.size * mma.size / state.target->waveSize;
    // One instruction does not wait for the sum of the one before.
    SmallVector<Value> sums;
    for (int64_t i = 0; i < rows * cols; ++i)
      sums.push_back(slice(b, adaptor.getAccumulator(), size * i, size));
    for (int64_t k = 0; k < left.alongK; ++k)
      for (int64_t m = 0; m < rows; ++m)
        for (int64_t n = 0; n < cols; ++n)
          sums[m * cols + n] =
              emit(b, mma, left, right, m, n, k, sums[m * cols + n]);
    Value result = adaptor.getAccumulator();
    for (auto [i, sum] : llvm::enumerate(sums))
      result = vector::InsertStridedSliceOp::create(
          b, sum, result, ArrayRef<int64_t>{size * int64_t(i)},
          ArrayRef<int64_t>{1});
    // Where sums take a quarter of the registers, fragments have places of
    // their own. Scales, and where they are, take registers; bytes leave least
    // for them.
    int64_t perSIMD =
        llvm::divideCeil(state.waves, int64_t(state.target->simdsPerCU));
    int64_t together = 1 + state.productsBefore.lookup(op);
    bool isRoomy = together * rows * cols * size * 4 * perSIMD <=
                   int64_t(state.target->vgprsPerLane);
    bool isTight = !isRoomy && left.scales &&
                   !op.getA().getType().getElementType().isInteger();
    int64_t products = rows * cols * left.alongK;
    // Fragments of a product that has been are free.
    int64_t before = (together - 1) * products,
            free = before ? before : cols * left.alongK;
    int64_t start = (rows > 1 || before) && !isRoomy ? free - !isTight : 0;
    int64_t all = together * products, half = std::max<int64_t>(all / 2, 1);
    // Of the latency of LDS and a read; half the products at the most.
    constexpr int64_t kReadClocks = 64;
    auto getFormat = [](Value tile) {
      return *getMMAFormat(getElementTypeOrSelf(tile.getType()));
    };
    int64_t hiding = 0;
    if (!isTight)
      hiding = std::min<int64_t>(
          llvm::divideCeil(kReadClocks, mma.getCycles(getFormat(op.getA()),
                                                      getFormat(op.getB()))),
          (all - start) / 2);
    if (int64_t ahead = op.getAhead())
      if (auto run = state.runs.find(op); run != state.runs.end())
        emitReadsAhead(b, run->second, ahead);
    bool isSpread = state.spread.contains(op);
    if (op.getInOrder() && !isSpread) {
      KernelState::Part own{int64_t(op.getReads()),
                            state.vectorWork.lookup(op)};
      own.front.hasBarrier = state.fronts.lookup(op).hasBarrier;
      if (auto parts = state.partsBefore.find(op);
          parts != state.partsBefore.end()) {
        auto interleave = [&](KernelState::Part part, int64_t first,
                              int64_t overlappedWork) {
          emitInterleaving(b, all, part, first, (all - first) / 2,
                           overlappedWork);
        };
        for (KernelState::Part part : parts->second) {
          part.front.hasBarrier = own.front.hasBarrier; // one of them has it
          interleave(part, start, all);
        }
        if (state.spreadOverBarrier.contains(op)) {
          interleave(own, half - 1, half);
          if (all * int64_t(parts->second.size() + 1) >= kLongPipeline)
            keepOrder(op, rewriter);
        } else {
          interleave(own, start, all);
        }
      } else {
        // Reads that begin at a barrier, fewer next to each product.
        if (own.front.hasBarrier)
          hiding = llvm::divideCeil(hiding, 2);
        own.front = state.fronts.lookup(op);
        emitInterleaving(b, all, own, start, hiding, all);
      }
    }
    using Mask = amdgpu::sched_barrier_opt_enum;
    if (op.getInOrder()) {
      Mask passing = isSpread ? Mask::valu | Mask::salu : Mask::none;
      if (isSpread && state.spreadOverBarrier.contains(op))
        passing = passing | Mask::ds_write;
      amdgpu::SchedBarrierOp::create(b, passing);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};
} // namespace

int64_t te::countProductsBefore(MmaOp op) {
  int64_t count = 0;
  for (Operation *before = op->getPrevNode(); op.getInOrder() && before;
       before = before->getPrevNode())
    if (auto mma = dyn_cast<MmaOp>(before)) {
      if (mma.getInOrder())
        break;
      ++count;
    }
  return count;
}

/// One of words only renames registers.
static bool isNarrowTranspose(Operation *op) {
  auto transpose = dyn_cast<TransposeOp>(op);
  return transpose &&
         getElementTypeOrSelf(transpose.getType()).getIntOrFloatBitWidth() < 32;
}

/// For what goes to LDS through registers.
static bool isPlainBarrier(Operation *op) {
  auto await = dyn_cast<AsyncWaitOp>(op);
  return isa<gpu::BarrierOp>(op) || (await && await.getRings().empty());
}

/// Calls `visit` for what stands between the product and the one before.
static void forEachBefore(MmaOp op, function_ref<void(Operation *)> visit) {
  for (Operation *before = op->getPrevNode(); before;
       before = before->getPrevNode()) {
    auto mma = dyn_cast<MmaOp>(before);
    if (mma && mma.getInOrder())
      return;
    visit(before);
  }
}

int64_t te::countVectorWork(MmaOp op) {
  int64_t elements = 0;
  forEachBefore(op, [&](Operation *before) {
    bool works = before->hasTrait<OpTrait::Elementwise>() &&
                 !isa<arith::BitcastOp>(before);
    if ((works || isNarrowTranspose(before)) &&
        isTile(before->getResult(0).getType()))
      elements +=
          getDistributedType(before->getResult(0).getType()).getNumElements();
  });
  return elements / 2;
}

/// Operands whose elements lanes transpose before the product.
static int64_t countTransposed(MmaOp op) {
  int64_t count = 0;
  forEachBefore(op, [&](Operation *before) {
    auto store = dyn_cast<LocalStoreOp>(before);
    SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.inclusive = true;
    options.filter = [](Operation *of) {
      return of->hasTrait<OpTrait::Elementwise>() || isa<TransposeOp>(of);
    };
    if (store && succeeded(getBackwardSlice(store.getTile(), &slice, options)))
      count += llvm::any_of(slice,
                            [](Operation *of) { return isa<TransposeOp>(of); });
  });
  return count;
}

KernelState::Front te::getFront(MmaOp op, const Target &target) {
  KernelState::Front front;
  bool isBefore = false; // of the barrier
  forEachBefore(op, [&](Operation *before) {
    front.hasBarrier |= isPlainBarrier(before);
    if (auto store = dyn_cast<StoreOp>(before))
      front.stores += store.countAccesses();
    auto store = dyn_cast<LocalStoreOp>(before);
    if (!store)
      return;
    (front.hasBarrier ? isBefore : front.isAfterBarrier) = true;
    auto ring = store.getRing().getDefiningOp<RingOp>();
    LinearLayout source = ring.getSource().getLayout();
    RingOrder order =
        getRingOrder(source, ring.getTarget().getLayout(),
                     getElementBytes(ring.getRing().getType()), target);
    // What is stored once in a while is permuted and finds its place first.
    (isRare(store) ? front.lastWrites : front.writes) +=
        source.getNumRegisters() / order.shared.getVectorElements();
  });
  front.isAfterBarrier &= front.hasBarrier && !isBefore;
  front.transposes = countTransposed(op) > 0;
  return front;
}

/// Next to a run of products; the last one's work is all of theirs. `behind`
/// stands after the barrier that ends the run, or is null; true where it is
/// one of them then.
static bool spreadOver(ArrayRef<MmaOp> run, MmaOp behind, KernelState &state) {
  if (run.size() < 2)
    return false;
  int64_t others = 0;
  for (MmaOp op : run.drop_back())
    others += state.vectorWork.lookup(op);
  if (state.vectorWork.lookup(run.back()) <= others) // it is most of all
    return false;
  int64_t transposed = countTransposed(run.back());
  bool isOverBarrier = behind && transposed > 0;
  // Addresses, reductions, of transposed operands factors of each neighbour.
  // More of these groups stay empty where no loads of four bytes stand between
  // them.
  double forOthers = isOverBarrier ? 0.98 + 0.08 * transposed : 1.19;
  int64_t work = forOthers * countVectorWork(run.back()),
          halves = 2 * run.size() + isOverBarrier;
  for (MmaOp op : run)
    state.vectorWork[op] = llvm::divideCeil(2 * work, halves);
  SmallVector<MmaOp> all(run);
  if (isOverBarrier) {
    // And what they meet at.
    for (Operation *op = behind; op != run.back(); op = op->getPrevNode())
      state.spreadOverBarrier.insert(op);
    state.spreadOverBarrier.insert(run.back());
    state.vectorWork[behind] = llvm::divideCeil(work, halves);
    all.push_back(behind);
  }
  for (MmaOp op : ArrayRef(all).drop_back()) {
    state.spread.insert(op);
    state.partsBefore[all.back()].push_back(
        {int64_t(op.getReads()), state.vectorWork[op]});
  }
  return isOverBarrier;
}

void te::spreadVectorWork(Block &block, KernelState &state) {
  SmallVector<MmaOp> run;
  bool isAfter = false; // the run's barrier
  auto finish = [&](MmaOp behind) {
    bool isDone = spreadOver(run, behind, state);
    run.clear();
    if (behind && !isDone)
      run.push_back(behind);
    isAfter = false;
  };
  for (Operation &op : block)
    if (auto mma = dyn_cast<MmaOp>(op); mma && mma.getInOrder()) {
      if (isAfter)
        finish(mma);
      else
        run.push_back(mma);
    } else if (isPlainBarrier(&op) && !isAfter) {
      isAfter = true;
    } else if (isa<gpu::BarrierOp, AsyncWaitOp, FenceOp>(op) ||
               op.getNumRegions()) {
      finish({});
    }
  finish({});
}

void te::populateMmaPatterns(RewritePatternSet &patterns,
                             const TypeConverter &types,
                             const KernelState &state) {
  patterns.add<MmaPattern>(types, patterns.getContext(), state);
}
