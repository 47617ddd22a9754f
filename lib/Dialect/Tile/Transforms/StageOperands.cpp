//===- StageOperands.cpp - tile-stage-operands ----------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands of products that come from memory go through LDS, where a ring has
// slots for several iterations: what tile-pipeline needs to fill one while
// another is read. Runs on loops that te-to-tile marked:
//   te-opt --pass-pipeline='builtin.module(tile.kernel(tile-stage-operands))'
//
//   scf.for %i = ... {                        %ring = tile.ring from .. to ..
//     %x = tile.load %view[%r, %c]            scf.for %i = ... {
//     %y = tile.convert_layout %x        ==>    tile.async_copy %view[%r, %c],
//     tile.mma %a, %y, ..                                  %ring[%i % 2]
//   } {tile.staging = <slots = 2, ..>}          tile.async_wait for %ring
//                                               %y = tile.local_load %ring[%i %
//                                               2, 0] tile.mma %a, %y, ..
//                                             } {tile.staging = ..}
//
// Where lanes cannot load straight to LDS, %x is stored there instead,
// alternately in two slots, and nothing copied is awaited. Tiles that an
// iteration loads one after the other go through one ring. A transposed operand
// is transposed by the reads of LDS where the chip has such, else by the lanes
// that load it.
//
// Limits: conversions that stand in the loop itself, of what follows from loads
// of buffers that the kernel only reads, and is used by products, or by what
// follows from these.
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/Tile/IR/RingOrder.h"
#include "te/Dialect/Tile/IR/Tile.h"
#include "te/Dialect/Tile/Transforms/Passes.h"
#include "te/Target/Timing.h"

#include "StagedOperands.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

namespace mlir::te::tile {
#define GEN_PASS_DEF_STAGEOPERANDSPASS
#include "te/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::te::tile

namespace {
class Stager {
public:
  Stager(KernelOp kernel, const Target &target)
      : kernel(kernel), target(target), b(kernel.getContext()) {}
  void stage(scf::ForOp loop, StagingAttr staging);

private:
  LinearLayout getLoaded(const StagedOperand &operand);
  StagedOperand transpose(StagedOperand operand);
  std::optional<LinearLayout> findAsyncLayout(const StagedOperand &operand,
                                              const LinearLayout &loaded,
                                              int64_t together = 1);
  int64_t countTogether(ArrayRef<StagedOperand> operands, int64_t slots);
  RingOp getRing(scf::ForOp loop, int64_t slots, Type element,
                 const LinearLayout &source, const LinearLayout &loaded);
  Value getSlot(scf::ForOp loop, int64_t slots, int64_t tile, int64_t tiles);
  void fill(const StagedOperand &operand, scf::ForOp loop, RingOp ring,
            Value slot, bool isAsync);
  void localLoad(const StagedOperand &operand, RingOp ring, Value slot,
                 int64_t part, const LinearLayout &loaded);
  void eraseDead(Operation *load);
  void stage(ArrayRef<StagedOperand> operands, scf::ForOp loop,
             StagingAttr staging, bool isFirst);

  KernelOp kernel;
  const Target &target;
  IRRewriter b;
  SmallVector<std::pair<RingOp, scf::ForOp>> rings; // and who used it last
};
} // namespace

/// As the operand is loaded, in the coordinates in which it lies in LDS.
LinearLayout Stager::getLoaded(const StagedOperand &operand) {
  ConvertLayoutOp convert = operand.convert;
  LinearLayout layout = getLayout(convert.getType());
  return operand.isTransposed ? layout.transposeInOrder() : layout;
}

/// How lanes read the tile from memory where it goes straight to LDS; nothing
/// where it cannot.
std::optional<LinearLayout>
Stager::findAsyncLayout(const StagedOperand &operand,
                        const LinearLayout &loaded, int64_t together) {
  auto load = operand.tile.getDefiningOp<LoadOp>();
  if (!load || load.getRows() || load.getWindow() || load.getInterleave() ||
      !load.getColumnsInBounds())
    return std::nullopt;
  auto view = load.getView().getType();
  int64_t stride = view.getStridesAndOffset().first.front(),
          bytes = view.getElementTypeBitWidth() / CHAR_BIT;
  SmallVector<int64_t> shape(load.getType().getShape());
  shape[1] *= together;
  if (ShapedType::isDynamic(stride))
    return std::nullopt;
  std::optional<LinearLayout> stored;
  if (std::optional<LayoutAttr> order = load.getOrder())
    stored = order->getLayout();
  return getAsyncCopyLayout(shape, stride * bytes, stored, loaded,
                            operand.isTransposed, bytes, kernel.getWaves(),
                            target);
}

/// Tiles of which one copy brings so many: side by side, their rows are a
/// cache line. Each alone would ask for the lines of all.
int64_t Stager::countTogether(ArrayRef<StagedOperand> operands, int64_t slots) {
  LoadOp first = findLoad(operands.front().tile);
  if (operands.size() < 2 || operands.front().areScales || !first ||
      first.getOrder())
    return 1;
  auto type = first.getType();
  int64_t together = kCacheLineBytes * 8 /
                     (type.getDimSize(1) * type.getElementTypeBitWidth());
  bool areSideBySide =
      llvm::all_of(operands, [&](const StagedOperand &operand) {
        LoadOp load = findLoad(operand.tile);
        return load.getRow() == first.getRow();
      });
  bool isWhole = together > 1 && int64_t(operands.size()) % together == 0 &&
                 slots % together == 0 && slots / together > 1;
  return areSideBySide && isWhole &&
                 findAsyncLayout(operands.front(), getLoaded(operands.front()),
                                 together)
             ? together
             : 1;
}

/// One that a loop before this one has, or a new one.
RingOp Stager::getRing(scf::ForOp loop, int64_t slots, Type element,
                       const LinearLayout &source, const LinearLayout &loaded) {
  MLIRContext *context = b.getContext();
  ArrayRef<int64_t> shape = source.getShape();
  auto type = MemRefType::get(
      {slots, shape[0], shape[1]}, element, MemRefLayoutAttrInterface(),
      gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Workgroup));
  auto from = LayoutAttr::get(context, source),
       to = LayoutAttr::get(context, loaded);
  for (auto &[ring, user] : rings)
    if (ring.getRing().getType() == type && ring.getSource() == from &&
        ring.getTarget() == to && user != loop &&
        user->getBlock() == loop->getBlock()) {
      user = loop;
      return ring;
    }
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop);
  rings.push_back({RingOp::create(b, loop.getLoc(), type, from, to), loop});
  return rings.back().first;
}

/// That of this iteration, of one of the tiles that it uses.
Value Stager::getSlot(scf::ForOp loop, int64_t slots, int64_t tile,
                      int64_t tiles) {
  Location loc = loop.getLoc();
  Value number = b.createOrFold<arith::DivUIOp>(
      loc,
      b.createOrFold<arith::SubIOp>(loc, loop.getInductionVar(),
                                    loop.getLowerBound()),
      loop.getStep());
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  if (tiles > 1)
    number = b.createOrFold<arith::AddIOp>(
        loc, b.createOrFold<arith::MulIOp>(loc, number, constant(tiles)),
        constant(tile));
  return arith::RemUIOp::create(b, loc, number, constant(slots));
}

/// Lanes transpose what goes through their registers, and LDS is read in long
/// vectors: a lane loads as many rows as it reads elements of a column, side by
/// side.
StagedOperand Stager::transpose(StagedOperand operand) {
  auto load = operand.tile.getDefiningOp<LoadOp>();
  int64_t bytes = operand.convert.getType().getElementTypeBitWidth() / CHAR_BIT;
  if (!operand.isTransposed || !load || !load->hasOneUse() || bytes == 0 ||
      load.getOrder())
    return operand;
  ArrayRef<int64_t> shape = load.getType().getShape();
  // Loads are whole words: smaller ones would be joined as they come.
  constexpr int64_t wordBytes = 4;
  int64_t lanes = target.waveSize * kernel.getWaves(),
          ofLane = std::max<int64_t>(shape[0] * shape[1] / lanes, 1),
          ofWord = std::max<int64_t>(wordBytes / bytes, 1),
          rows = std::clamp<int64_t>(
              ofLane / ofWord, 1,
              getLayout(operand.convert.getType()).getContiguity());
  SmallVector<int64_t> together;
  for (int64_t row = 1; row < rows; row *= 2)
    together.push_back(row * shape[1]);
  LinearLayout layout = LinearLayout::rowMajor(
      shape, std::min<int64_t>(target.maxAccessBytes / bytes, ofLane / rows),
      llvm::Log2_32(target.waveSize), llvm::Log2_64(kernel.getWaves()),
      together);
  MLIRContext *context = b.getContext();
  Type element = load.getType().getElementType();
  auto transpose = cast<TransposeOp>(*load->user_begin());
  b.modifyOpInPlace(load, [&] {
    load.getResult().setType(getTileType(element, context, layout));
  });
  b.modifyOpInPlace(transpose, [&] {
    transpose.getResult().setType(
        getTileType(element, context, layout.transpose()));
  });
  return {operand.convert, transpose, /*isTransposed=*/false,
          operand.areScales};
}

/// What is worked on before it is stored is waited for as a whole: a backend
/// would begin with each part where it was loaded. Bytes of two fp4 codes gain
/// nothing by that.
static void insertLoadBarrier(Value tile, scf::ForOp loop, IRRewriter &b) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *op) {
    return op->getBlock() == loop.getBody();
  };
  if (failed(getBackwardSlice(tile, &slice, options)) ||
      llvm::none_of(slice, [](Operation *op) {
        return op->hasTrait<OpTrait::Elementwise>() &&
               isTile(op->getResult(0).getType());
      }))
    return;
  LoadOp load = findLoad(tile);
  if (!load || load.getType().getElementType().isInteger() ||
      isa<OptimizationBarrierOp>(*load->user_begin()))
    return;
  b.setInsertionPointAfter(load);
  Value kept =
      OptimizationBarrierOp::create(b, load.getLoc(), load.getResult());
  b.replaceAllUsesExcept(load.getResult(), kept, kept.getDefiningOp());
}

/// What is stored goes to one slot while the other one is read.
static constexpr int64_t kSlotsOfLocalStore = 2;

/// The tile goes to LDS: copied, or stored there.
void Stager::fill(const StagedOperand &operand, scf::ForOp loop, RingOp ring,
                  Value slot, bool isAsync) {
  Location loc = operand.tile.getLoc();
  if (!isAsync) {
    LocalStoreOp::create(b, loc, operand.tile, ring, slot);
    return insertLoadBarrier(operand.tile, loop, b);
  }
  auto load = operand.tile.getDefiningOp<LoadOp>();
  AsyncCopyOp::create(b, loc, load.getView(), load.getRow(), load.getColumn(),
                      ring, slot, load.getInBounds(), load.getOrderAttr(),
                      load.getRowInterleave());
}

/// In place of the conversion: one of the tiles that lie side by side in a
/// slot.
void Stager::localLoad(const StagedOperand &operand, RingOp ring, Value slot,
                       int64_t part, const LinearLayout &loaded) {
  ConvertLayoutOp convert = operand.convert;
  Location loc = convert.getLoc();
  MLIRContext *context = b.getContext();
  Type element = convert.getType().getElementType();
  Value first =
      arith::ConstantIndexOp::create(b, loc, part * loaded.getShape()[1]);
  Value tile = LocalLoadOp::create(
      b, loc, getTileType(element, context, loaded), ring, slot, first);
  if (operand.isTransposed)
    tile = TransposeOp::create(
        b, loc, getTileType(element, context, loaded.transpose()), tile);
  if (tile.getType() == convert.getType())
    return b.replaceOp(convert, tile);
  b.modifyOpInPlace(convert, [&] { convert.getInputMutable().assign(tile); });
}

/// A load that is copied now, and what transposed it.
void Stager::eraseDead(Operation *load) {
  for (Operation *user : llvm::make_early_inc_range(load->getUsers()))
    if (isOpTriviallyDead(user))
      b.eraseOp(user);
  if (load->use_empty())
    b.eraseOp(load);
}

/// Tiles that lie one after the other, and go through one ring.
void Stager::stage(ArrayRef<StagedOperand> operands, scf::ForOp loop,
                   StagingAttr staging, bool isFirst) {
  RingOp ring;
  Value slot;
  int64_t together = staging.getDirect() && isFirst
                         ? countTogether(operands, staging.getSlots())
                         : 1;
  for (auto [number, each] : llvm::enumerate(operands)) {
    StagedOperand operand = each;
    ConvertLayoutOp convert = operand.convert;
    Location loc = convert.getLoc();
    LinearLayout loaded = getLoaded(operand);
    std::optional<LinearLayout> copied;
    if (staging.getDirect() && !operand.areScales)
      copied = findAsyncLayout(operand, loaded, together);
    if (!copied) {
      operand = transpose(operand);
      loaded = getLoaded(operand);
    }
    Type element = convert.getType().getElementType();
    int64_t slots = copied ? staging.getSlots() / together : kSlotsOfLocalStore,
            part = number % together;
    if (!ring)
      ring =
          getRing(loop, slots, element,
                  copied ? *copied : getLayout(operand.tile.getType()), loaded);
    if (part == 0) {
      b.setInsertionPointToStart(loop.getBody());
      slot =
          getSlot(loop, slots, number / together, operands.size() / together);
      b.setInsertionPointAfterValue(operand.tile);
      fill(operand, loop, ring, slot, bool(copied));
      b.setInsertionPoint(convert);
      AsyncWaitOp::create(b, loc, copied ? ValueRange{ring} : ValueRange());
    }
    b.setInsertionPoint(convert);
    localLoad(operand, ring, slot, part, loaded);
    if (copied)
      eraseDead(operand.tile.getDefiningOp());
  }
}

/// What was copied after the last iteration must not land in LDS later on,
/// and the next loop fills the slots that waves may still read.
static void meetAfter(scf::ForOp loop, IRRewriter &b) {
  SmallVector<Value> copied;
  bool localStores = false;
  for (Operation &op : *loop.getBody()) {
    if (auto copy = dyn_cast<AsyncCopyOp>(op))
      if (!llvm::is_contained(copied, copy.getRing()))
        copied.push_back(copy.getRing());
    localStores |= isa<LocalStoreOp>(op);
  }
  b.setInsertionPointAfter(loop);
  if (!copied.empty() || localStores)
    AsyncWaitOp::create(b, loop.getLoc(), copied);
}

void Stager::stage(scf::ForOp loop, StagingAttr staging) {
  std::vector<std::vector<StagedOperand>> groups = findStagedOperands(loop);
  for (auto [i, operands] : llvm::enumerate(groups))
    stage(operands, loop, staging, i == 0);
  meetAfter(loop, b);
}

namespace {
struct StageOperandsPass
    : te::tile::impl::StageOperandsPassBase<StageOperandsPass> {
  void runOnOperation() override {
    if (isLeftOut(getOperation(), *this))
      return;
    KernelOp kernel = getOperation();
    SmallVector<scf::ForOp> loops;
    kernel->walk([&](scf::ForOp loop) {
      if (loop->hasAttrOfType<StagingAttr>(StagingMarker))
        loops.push_back(loop);
    });
    if (loops.empty())
      return;
    llvm::Expected<const Target *> target = Target::get(kernel.getTarget());
    if (!target) {
      kernel.emitError(llvm::toString(target.takeError()));
      return signalPassFailure();
    }
    Stager stager(kernel, **target);
    for (scf::ForOp loop : loops)
      stager.stage(loop, loop->getAttrOfType<StagingAttr>(StagingMarker));
  }
};
} // namespace
