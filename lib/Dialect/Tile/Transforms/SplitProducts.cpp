//===- SplitProducts.cpp - tile-split-products ----------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product whose operands both come from LDS becomes one for each instruction
// along K, so that tile-pipeline can read what the next one multiplies next to
// each. Runs after tile-stage-operands, on the same loops:
//   te-opt --pass-pipeline='builtin.module(tile.kernel(tile-split-products))'
//
//   %a = tile.local_load %p[%s, 0]          %a0 = tile.local_load %p[%s, 0]
//   %b = tile.local_load %q[%s, 0]     ==>  %b0 = tile.local_load %q[%s, 0]
//   %d = tile.mma %a, %b, %c          %c' = tile.mma %a0, %b0, %c
//                                     %a1 = tile.local_load %p[%s, 32]
//                                     %b1 = tile.local_load %q[%s, 32]
//                                     %d = tile.mma %a1, %b1, %c'
//
// The side of which a wave has more is loaded last: the first instructions need
// some of its elements, and all of the other side's.
//
// Products that share an operand read each slice of it once. Each product reads
// its own slice of scales that are read for several steps.
//
// Limits: operands in the instructions' own order along K; of a ring all that
// is loaded, or nothing.
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/TE/IR/TE.h"
#include "te/Dialect/Tile/IR/MMALayout.h"
#include "te/Dialect/Tile/IR/Tile.h"
#include "te/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

namespace mlir::te::tile {
#define GEN_PASS_DEF_SPLITPRODUCTSPASS
#include "te/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::te::tile

namespace {
/// An operand that is loaded from LDS, perhaps transposed on the way.
struct LoadedOperand {
  LocalLoadOp localLoad;
  bool isTransposed;
  LinearLayout slice; // of one instruction along K
};

struct Product {
  MmaOp mma;
  std::vector<LoadedOperand> operands;
};
} // namespace

static std::optional<LoadedOperand> findLoaded(MmaOp mma, MMASide side) {
  Value operand = side == MMASide::A ? mma.getA() : mma.getB();
  auto type = cast<RankedTensorType>(operand.getType());
  MMAWaves waves = getMMAWaves(getLayout(mma.getType()));
  const MMA &instruction = mma.getIntrinsic().getMMA();
  MMAFormat format = *getMMAFormat(type.getElementType());
  int64_t outer = type.getDimSize(0), k = getOperandDepth(type);
  if (k <= instruction.k ||
      getLayout(type) !=
          getMMAOperandLayout(instruction, format, side, outer, k, waves))
    return std::nullopt;
  bool isTransposed = false;
  while (Operation *op = operand.getDefiningOp()) {
    if (!isa<TransposeOp, ConvertLayoutOp>(op))
      break;
    isTransposed ^= isa<TransposeOp>(op);
    operand = op->getOperand(0);
  }
  auto localLoad = operand.getDefiningOp<LocalLoadOp>();
  if (!localLoad || localLoad->getBlock() != mma->getBlock())
    return std::nullopt;
  return LoadedOperand{localLoad, isTransposed,
                       getMMAOperandLayout(instruction, format, side, outer,
                                           instruction.k, waves)};
}

static std::optional<Product> findProduct(MmaOp mma) {
  Product product{mma, {}};
  for (MMASide side : {MMASide::A, MMASide::B}) {
    std::optional<LoadedOperand> operand = findLoaded(mma, side);
    if (!operand)
      return std::nullopt;
    product.operands.push_back(*operand);
  }
  return product;
}

/// The ring gives slices from now on.
static void narrowRing(LoadedOperand operand) {
  LinearLayout slice =
      operand.isTransposed ? operand.slice.transposeInOrder() : operand.slice;
  operand.localLoad.getRing().getDefiningOp<RingOp>().setTargetAttr(
      LayoutAttr::get(operand.localLoad->getContext(), slice));
}

/// The slice of this number along K, as the instruction wants it.
static Value loadSlice(OpBuilder &b, LoadedOperand operand, int64_t number) {
  int64_t first = number * operand.slice.getShape()[1];
  LocalLoadOp localLoad = operand.localLoad;
  Location loc = localLoad.getLoc();
  MLIRContext *context = b.getContext();
  Type element = localLoad.getType().getElementType();
  LinearLayout loaded =
      localLoad.getRing().getDefiningOp<RingOp>().getTarget().getLayout();
  Value at = b.createOrFold<arith::AddIOp>(
      loc, localLoad.getOffset(),
      arith::ConstantIndexOp::create(b, loc, first));
  Value slice =
      LocalLoadOp::create(b, loc, getTileType(element, context, loaded),
                          localLoad.getRing(), localLoad.getSlot(), at);
  if (operand.isTransposed)
    slice = TransposeOp::create(
        b, loc, getTileType(element, context, loaded.transpose()), slice);
  Type wanted = getTileType(element, context, operand.slice);
  return slice.getType() == wanted
             ? slice
             : ConvertLayoutOp::create(b, loc, wanted, slice);
}

/// Products that share an operand, each slice of one after the other's.
static void split(ArrayRef<Product> products, IRRewriter &b) {
  b.setInsertionPoint(products.back().mma);
  const LoadedOperand &first = products.front().operands[0];
  int64_t columns = MmaOp(products.front().mma).getA().getType().getDimSize(1),
          size = first.slice.getShape()[1], slices = columns / size;
  auto countRegisters = [](const LoadedOperand &operand) {
    return operand.slice.getNumRegisters();
  };
  bool isLeftLast =
      countRegisters(first) >
      countRegisters(products.front().operands[1]) * int64_t(products.size());
  SmallVector<Value> sums;
  for (const Product &product : products)
    sums.push_back(MmaOp(product.mma).getAccumulator());
  for (int64_t slice = 0; slice < slices; ++slice) {
    Value left;
    SmallVector<Value> rights;
    auto loadLeft = [&] { left = loadSlice(b, first, slice); };
    if (!isLeftLast)
      loadLeft();
    for (const Product &product : products)
      rights.push_back(loadSlice(b, product.operands[1], slice));
    if (isLeftLast)
      loadLeft();
    for (auto [product, right, sum] : llvm::zip_equal(products, rights, sums)) {
      MmaOp mma = product.mma;
      auto made = cast<MmaOp>(b.clone(*mma));
      made.getAMutable().assign(left);
      made.getBMutable().assign(right);
      made.getAccumulatorMutable().assign(sum);
      if (mma.getScaleA())
        made.setScaleSlice(mma.getScaleSlice() * slices + slice);
      sum = made.getResult();
    }
  }
  for (auto [product, sum] : llvm::zip_equal(products, sums))
    b.replaceOp(product.mma, sum);
}

/// A ring has one kind of slice: all that read from it are split, or none.
static std::vector<Product> findProducts(KernelOp kernel) {
  std::vector<Product> products;
  kernel->walk([&](MmaOp mma) {
    auto loop = dyn_cast<scf::ForOp>(mma->getParentOp());
    if (!loop || !loop->hasAttrOfType<StagingAttr>(StagingMarker))
      return;
    if (std::optional<Product> product = findProduct(mma))
      products.push_back(*product);
  });
  DenseSet<Operation *> localLoads;
  for (const Product &product : products)
    for (LoadedOperand operand : product.operands)
      localLoads.insert(operand.localLoad);
  llvm::erase_if(products, [&](const Product &product) {
    return llvm::any_of(product.operands, [&](LoadedOperand operand) {
      return llvm::any_of(
          operand.localLoad.getRing().getUsers(), [&](Operation *user) {
            return isa<LocalLoadOp>(user) && !localLoads.contains(user);
          });
    });
  });
  return products;
}

/// What is loaded as a whole, and nothing multiplies any more.
static void eraseWithUsers(Operation *op, IRRewriter &b) {
  for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
    eraseWithUsers(user, b);
  b.eraseOp(op);
}

/// Scales of several steps, as they are loaded for all of them.
static LocalLoadOp findScales(Value scales) {
  auto broadcast = scales.getDefiningOp<BroadcastOp>();
  return (broadcast ? broadcast.getInput() : scales)
      .getDefiningOp<LocalLoadOp>();
}

/// Each product reads its own slice of the scales of several steps.
static void splitScales(ArrayRef<MmaOp> products, IRRewriter &b) {
  DenseMap<std::pair<Value, int64_t>, Value> made; // of the scales, and slice
  SetVector<Operation *> old;
  for (MmaOp mma : products) {
    b.setInsertionPoint(mma);
    auto narrow = [&](OpOperand &scales, MMASide side, Value operand) {
      LocalLoadOp localLoad = findScales(scales.get());
      old.insert(localLoad);
      auto type = cast<RankedTensorType>(operand.getType());
      int64_t k = getOperandDepth(type), size = k / MMA::kScaledElements,
              all = cast<ShapedType>(scales.get().getType()).getDimSize(1),
              slice = mma.getScaleSlice() % (all / size);
      Value &narrowed = made[{scales.get(), slice}];
      if (!narrowed) {
        LinearLayout layout = getMMAScaleLayout(
            mma.getIntrinsic().getMMA(), side, type.getDimSize(0), k,
            getMMAWaves(getLayout(mma.getType())));
        int64_t sharing =
            type.getDimSize(0) / localLoad.getType().getDimSize(0);
        LinearLayout loaded = layout.project({sharing, 1});
        Type element = localLoad.getType().getElementType();
        localLoad.getRing().getDefiningOp<RingOp>().setTargetAttr(
            LayoutAttr::get(b.getContext(), loaded));
        Value offset =
            arith::ConstantIndexOp::create(b, mma.getLoc(), slice * size);
        narrowed = LocalLoadOp::create(
            b, mma.getLoc(), getTileType(element, b.getContext(), loaded),
            localLoad.getRing(), localLoad.getSlot(), offset);
        if (sharing > 1)
          narrowed = BroadcastOp::create(
              b, mma.getLoc(), getTileType(element, b.getContext(), layout),
              narrowed);
      }
      scales.set(narrowed);
    };
    narrow(mma.getScaleAMutable()[0], MMASide::A, mma.getA());
    narrow(mma.getScaleBMutable()[0], MMASide::B, mma.getB());
    mma.setScaleSlice(0);
  }
  for (Operation *localLoad : old)
    eraseWithUsers(localLoad, b);
}

namespace {
struct SplitProductsPass
    : te::tile::impl::SplitProductsPassBase<SplitProductsPass> {
  void runOnOperation() override {
    if (isLeftOut(getOperation(), *this))
      return;
    IRRewriter b(&getContext());
    SmallVector<MmaOp> scaled;
    getOperation()->walk([&](MmaOp mma) {
      auto loop = dyn_cast<scf::ForOp>(mma->getParentOp());
      if (loop && loop->hasAttrOfType<StagingAttr>(StagingMarker) &&
          mma.getScaleA() && findScales(mma.getScaleA()) &&
          findScales(mma.getScaleB()))
        scaled.push_back(mma);
    });
    splitScales(scaled, b);
    std::vector<Product> products = findProducts(getOperation());
    for (const Product &product : products)
      for (LoadedOperand operand : product.operands)
        narrowRing(operand);
    SetVector<Operation *> old;
    for (const Product &product : products)
      for (const LoadedOperand &operand : product.operands)
        old.insert(operand.localLoad);
    for (ArrayRef<Product> rest = products; !rest.empty();) {
      ArrayRef<Product> together = rest.take_while([&](const Product &product) {
        return product.operands[0].localLoad ==
               rest.front().operands[0].localLoad;
      });
      rest = rest.drop_front(together.size());
      split(together, b);
    }
    for (Operation *localLoad : old)
      eraseWithUsers(localLoad, b);
  }
};
} // namespace
