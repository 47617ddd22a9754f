//===- TileDemand.cpp - what a region asks of its tile --------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Region/StorageOrder.h"
#include "te/Schedule/ResourceModel.h"
#include "te/Target/Timing.h"

#include "llvm/ADT/bit.h"

#include <cmath>

using namespace mlir;
using namespace mlir::te;

namespace {
/// Elements that one Hadamard transform mixes.
constexpr int64_t kHadamardRun = 16;
/// Columns that share a block of random words, and the bytes an element that
/// these take on the way.
constexpr int64_t kPhiloxWords = 4;
constexpr unsigned kRandomBytes = 8;
} // namespace

static unsigned elementBytes(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isIndex()) // a size, in a scalar register
    return 0;
  return std::max(1u, element.getIntOrFloatBitWidth() / 8);
}

/// Scales in an order of their own are stored side by side, in wide stores,
/// where a tile holds a whole unit of that order: as many rows (or columns of a
/// columnwise scheme) and as many blocks.
static void addUnit(TileDemand &demand, ScalingAttr scaling,
                    bool isTransposed) {
  int64_t lines, blocks;
  switch (scaling.getScaleLayout()) {
  case ScaleLayout::Linear:
    return;
  case ScaleLayout::Blocked32x4x4:
    std::tie(lines, blocks) = std::pair(128, 4);
    break;
  case ScaleLayout::E8M0Shuffle:
    std::tie(lines, blocks) = std::pair(32, 8);
    break;
  }
  int64_t rows = lines, cols = blocks * scaling.getBlockCols();
  if (scaling.getBlockCols() == 1)
    std::tie(rows, cols) = std::pair(blocks * scaling.getBlockRows(), lines);
  if (isTransposed)
    std::swap(rows, cols);
  demand.unitRows = std::max(demand.unitRows, rows);
  demand.unitCols = std::max(demand.unitCols, cols);
}

/// `isTransposed`: rows of the type are columns of tiles.
static void addScaled(TileDemand &demand, ScaledType type, bool isTransposed) {
  ScalingAttr scaling = type.getScaling();
  if (scaling.isBlock()) {
    int64_t rows = scaling.getBlockRows(), cols = scaling.getBlockCols();
    if (isTransposed)
      std::swap(rows, cols);
    demand.minRows = std::max(demand.minRows, rows);
    demand.minCols = std::max(demand.minCols, cols);
    demand.reducesRows |= rows > 1;
  }
  addUnit(demand, scaling, isTransposed);
  SmallVector<ScaledType::StorageDim> storage = type.getScaleStorage();
  demand.scalesByCols |=
      storage.size() > 1 && isColumns(type, storage.front()) != isTransposed;
  for (ScaledType::StorageDim dim : storage) {
    int64_t &cover = isColumns(type, dim) != isTransposed ? demand.coverCols
                                                          : demand.coverRows;
    cover = std::max<int64_t>(cover, dim.divisor * dim.multiple);
  }
  bool storesTransposed = scaling.isTransposed() != isTransposed;
  if (storesTransposed)
    demand.linesRows = std::max<int64_t>(demand.linesRows, kStoreBytes);
  if (type.isFP4())
    (storesTransposed ? demand.storesFP4ByCols : demand.storesFP4ByRows) = true;
  demand.reorders |=
      storesTransposed || scaling.getDataLayout() != te::DataLayout::Linear;
}

/// A tile that is transposed through LDS as it is read.
static void addTransposed(TileDemand &demand, Type type) {
  unsigned bytes = elementBytes(type);
  demand.linesRows =
      std::max<int64_t>(demand.linesRows, kCacheLineBytes / bytes);
  demand.exchangedBytes = std::max(demand.exchangedBytes, bytes);
}

/// What a value that is read from or written to memory asks for.
static void addType(TileDemand &demand, Type type, bool isTransposed = false) {
  if (auto scaled = dyn_cast<ScaledType>(type))
    addScaled(demand, scaled, isTransposed);
  else if (isTransposed)
    addTransposed(demand, type);
}

/// What the tensors become that an op reads or writes a shard of.
static ArrayRef<Attribute> getWholes(Operation *op) {
  if (auto amax = dyn_cast<PartialAmaxOp>(op))
    return amax.getOf().getValue();
  if (auto cast = dyn_cast<PartialCastOp>(op))
    return cast.getOf().getValue();
  return {};
}

/// True where a value is written to memory: something outside of the region
/// reads it, or it is a slice of a tensor.
static bool isStored(Value value, ArrayRef<Operation *> ops) {
  return llvm::any_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isView(user))
      return isStored(user->getResult(0), ops);
    return !llvm::is_contained(ops, user) || getMap(use).isInserted();
  });
}

/// The larger of two sizes; kDynamic where one is.
static int64_t joinSizes(int64_t a, int64_t b) {
  return ShapedType::isDynamic(a) || ShapedType::isDynamic(b)
             ? ShapedType::kDynamic
             : std::max(a, b);
}

/// Of subkernels that compute whole columns: a workgroup computes one of them.
static TileDemand
joinColumnSubkernels(ArrayRef<SmallVector<Operation *>> subkernels) {
  TileDemand all = getTileDemand(subkernels.front());
  for (ArrayRef<Operation *> subkernel : subkernels.drop_front()) {
    TileDemand demand = getTileDemand(subkernel);
    all.rows = joinSizes(all.rows, demand.rows);
    all.cols = joinSizes(all.cols, demand.cols);
    for (unsigned TileDemand::*bytes :
         {&TileDemand::inputBytes, &TileDemand::outputBytes,
          &TileDemand::storedBytes, &TileDemand::liveBytes,
          &TileDemand::columnBytes, &TileDemand::loadedBytes})
      all.*bytes = std::max(all.*bytes, demand.*bytes);
  }
  return all;
}

TileDemand te::getTileDemand(ArrayRef<Operation *> ops) {
  TileDemand demand;
  demand.gemm = findGemm(ops);
  if (auto it = llvm::find_if(ops, llvm::IsaPred<AttentionOp>); it != ops.end())
    demand.attention = cast<AttentionOp>(*it);
  demand.contraction = findContraction(ops);
  if (demand.gemm)
    demand.depth = cast<ShapedType>(demand.gemm.getA().getType())
                       .getDimSize(demand.gemm.getKDimA());
  else if (demand.contraction)
    demand.depth = demand.contraction.getK();
  demand.products = demand.gemm && findGate(ops) ? 2 : 1;
  demand.firstRow = getFirstRow(ops);
  llvm::SmallDenseSet<Value> anchors;
  SmallVector<SmallVector<Operation *>> subkernels = getSubkernels(ops);
  if (subkernels.size() > 1 && llvm::all_of(ops, needsWholeColumns))
    return joinColumnSubkernels(subkernels);
  // Several subkernels have one column of tiles each, where that can be.
  demand.dividesGrid = subkernels.size() > 1;
  demand.wholeRows = demand.mixesRows =
      subkernels.size() > 1 &&
      llvm::none_of(subkernels, [](ArrayRef<Operation *> subkernel) {
        return ShapedType::isDynamic(findAnchor(subkernel).getExtents().second);
      });
  for (ArrayRef<Operation *> subkernel : subkernels) {
    Anchor anchor = findAnchor(subkernel);
    anchors.insert(anchor.value);
    demand.dividesGrid |= anchor.perMatrix;
    auto [rows, cols] = anchor.getExtents();
    demand.cols = joinSizes(demand.cols, cols);
    demand.rows = joinSizes(demand.rows, rows);
  }
  bool keepsF32 = false;
  demand.sharesRows = subkernels.size() == 1 && !demand.dividesGrid;
  llvm::SmallDenseSet<Value> seen;
  auto isInside = [&](Operation *op) { return llvm::is_contained(ops, op); };
  // `count`: tiles of the value that a lane holds its elements of.
  llvm::SmallPtrSet<Operation *, 4> transposed = getTransposedOps(ops);
  auto add = [&](Value value, IndexMap map, unsigned &widest,
                 int64_t count = 1) {
    if (map.isColumn())
      demand.columnBytes += elementBytes(value.getType());
    if (!map.isTile() && !map.isHalves() && !map.isRun() &&
        !map.isPartialSums() && !anchors.contains(value))
      return;
    unsigned bytes = elementBytes(value.getType());
    widest = std::max(widest, bytes);
    demand.liveBytes += bytes * (map.isHalves() ? 2 : count);
    addType(demand, value.getType(),
            transposed.contains(value.getDefiningOp()));
  };
  for (Operation *op : ops) {
    demand.wholeColumns |= needsWholeColumns(op);
    demand.dividesGrid |= demand.wholeColumns;
    if (isInside(getWideProducer(op))) { // both halves wait for it
      demand.readsHalves = true;
      demand.liveBytes += 2 * elementBytes(op->getOperand(0).getType());
    }
    if (needsWholeRows(op)) {
      demand.wholeRows = true;
      auto space = cast<IterationSpaceInterface>(op);
      demand.mixesRows |= space.mixesRow();
      demand.sharesRows &= readsWholeRows(op);
      ++demand.rowStatistics;
      demand.rowNumbers += space.countRowNumbers();
      demand.rowWaits += space.countRowWaits();
      keepsF32 |= !isa<QuantizeOp>(op); // which converts its input twice
    }
    if (auto space = dyn_cast<IterationSpaceInterface>(op))
      demand.exchangedBytes =
          std::max(demand.exchangedBytes, space.getExchangedBytes());
    for (OpOperand &operand : op->getOpOperands()) {
      Value root = getRoot(operand);
      Operation *producer = root.getDefiningOp();
      if (transposed.contains(op) && getTransposedSource(root))
        continue; // another op's tile
      if (isTransposed(root))
        addTransposed(demand, root.getType());
      if (!isImmediate(operand) && seen.insert(root).second &&
          !(producer && isInside(producer))) {
        unsigned before = demand.liveBytes;
        IndexMap map = getMap(operand);
        add(operand.get(), map, demand.inputBytes,
            map.isPartialSums()
                ? cast<ShapedType>(operand.get().getType()).getDimSize(0) *
                      (findGate(op) ? 2 : 1)
                : 1);
        demand.loadedBytes += demand.liveBytes - before;
      }
    }
    for (OpResult result : op->getResults()) {
      if (isAmax(result))
        demand.reducesRows = true; // across waves
      IndexMap map = getMap(result);
      if (!result.use_empty() && map.isPerColumn()) {
        demand.sumsColumns = true;
        demand.liveBytes += map.isColumn() ? 4 : 8;
      }
      unsigned before = demand.liveBytes;
      if (isStored(result, ops))
        add(result,
            op == demand.gemm && demand.products > 1 ? IndexMap("m(hn)") : map,
            demand.outputBytes);
      demand.storedBytes += demand.liveBytes - before;
    }
    for (Attribute whole : getWholes(op))
      addType(demand, cast<TypeAttr>(whole).getValue());
    auto quantize = dyn_cast<QuantizeOp>(op);
    if (quantize && !getElementTypeOrSelf(op->getOperand(0).getType()).isBF16())
      demand.amaxBytes = 4;
    bool isTransposed = transposed.contains(op);
    if (quantize && quantize.getStochastic()) {
      int64_t &least = isTransposed ? demand.minRows : demand.minCols;
      least = std::max(least, kPhiloxWords);
      if (isTransposed) // four columns' words are one lane's
        addTransposed(demand, op->getOperand(0).getType());
      demand.liveBytes += kRandomBytes;
    }
    if (quantize && quantize.getHadamard() &&
        llvm::any_of(quantize.getScaledResults(), [&](OpResult result) {
          return cast<ScaledType>(result.getType())
                     .getScaling()
                     .isColumnwise() != isTransposed;
        }))
      demand.rowsPerWave = kHadamardRun;
  }
  if (demand.storesFP4ByRows && demand.storesFP4ByCols) // a byte for both
    --demand.liveBytes;
  demand.sharesRows &= demand.wholeRows && !demand.mixesRows;
  // Sums over a row, and what is made of them, are f32.
  demand.statisticBytes = keepsF32 ? 4 : 0;
  demand.liveBytes += demand.statisticBytes;
  for (Value value : getKeptValues(ops))
    demand.keptBytes += elementBytes(value.getType());
  return demand;
}

int64_t te::getExpectedSize(int64_t least, int64_t most) {
  double middle = std::sqrt(double(std::max<int64_t>(least, 1)) * most);
  return llvm::bit_floor(std::max<uint64_t>(middle, 1));
}

int64_t TileDemand::*te::getRangedSize(const TileDemand &ofTypes) {
  if (ShapedType::isDynamic(ofTypes.rows))
    return &TileDemand::rows;
  bool isOpen = ofTypes.gemm && ShapedType::isDynamic(ofTypes.depth);
  return isOpen ? &TileDemand::depth : nullptr;
}

TileDemand te::getRegionDemand(FusionOp fusion) {
  TileDemand demand = getTileDemand(getRegionOps(fusion));
  auto [least, most] = fusion.getSizeRange();
  int64_t TileDemand::*size = getRangedSize(demand);
  if (!size || most == INT64_MAX)
    return demand;
  demand.*size = getExpectedSize(least, most);
  demand.isExpected = true;
  return demand;
}

TileDemand te::getSeparateHalves(const TileDemand &demand) {
  TileDemand separate = demand;
  separate.products = 1;
  if (!ShapedType::isDynamic(demand.cols))
    separate.cols *= demand.products;
  return separate;
}

TileDemand te::getSplitDemand(const TileDemand &demand, ScheduleAttr schedule) {
  GridAttr grid = schedule.getGrid();
  if (grid.getSplitK() == 1 || grid.getWholeRows())
    return demand;
  TileDemand splits = getSeparateHalves(demand);
  splits.coverRows = splits.coverCols = 1; // sums have no scales
  return splits;
}
