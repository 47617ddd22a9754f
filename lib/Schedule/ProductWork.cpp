//===- ProductWork.cpp - what a step of a product asks for ----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductWork.h"

#include "ContractionSchedule.h"
#include "GemmSchedule.h"

#include "te/Region/StorageOrder.h"
#include "te/Target/MMA.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::te;

namespace {
/// Vector instructions of a lane, counted in kernels [C]: for an element that
/// is scaled, or converted otherwise; for one that a register of K along lanes
/// is made of (v_perm_b32: of 2 x 2 elements of two bytes two turn all, of 4 x
/// 4 of one byte eight); for a partial sum that is scaled; to round an f32 to
/// bf16, where the chip has no instruction for that.
constexpr double kForScaling = 4, kForConversion = 16, kForTranspose = 0.5,
                 kForSum = 5, kForRounding = 5.5;

/// An operand of a te.gemm or of another product.
struct Operand {
  tile::MMASide side;
  Value factor, source; // where a prologue makes it of another
  unsigned kDim;
  double tile, extent; // rows of A, columns of B
  Type element;        // that the instruction takes
  double readers = 1;  // waves
};
} // namespace

double te::getSize(int64_t extent) {
  return ShapedType::isDynamic(extent) ? kUsualSize
                                       : std::max<int64_t>(extent, 1);
}

double te::getOperandBytes(Value operand) {
  return getElementBits(getSource(operand).getType()) / 8.;
}

static double countTiles(int64_t extent, int64_t cover, int64_t tile) {
  return llvm::divideCeil(llvm::alignTo(int64_t(getSize(extent)), cover), tile);
}

ProductGrid::ProductGrid(const TileDemand &demand, ScheduleAttr schedule)
    : columns(countTiles(demand.cols, demand.coverCols, schedule.getTile()[1])),
      rows(countTiles(demand.rows, demand.coverRows, schedule.getTile()[0])),
      splits(schedule.getGrid().getSplitK()) {
  GemmOp gemm = demand.gemm;
  if (gemm && gemm.isBatched())
    for (int64_t lead :
         cast<ShapedType>(gemm.getB().getType()).getShape().drop_back(2))
      rows *= getSize(lead);
}

ProductGrid ProductGrid::getWhole(ScheduleAttr schedule) const {
  ProductGrid whole = *this;
  if (schedule.getGrid().getWholeRows() == 0)
    return whole;
  whole.splits = 1;
  whole.rows = schedule.getGrid().getWholeRows() / schedule.getTile()[0];
  return whole;
}

ProductGrid ProductGrid::getRest(ScheduleAttr schedule) const {
  ProductGrid rest = *this;
  rest.rows -= getWhole(schedule).rows;
  return rest;
}

/// The shares of what workgroups load of A and of B that memory serves: what no
/// other workgroup of the same XCD loads too. An XCD has a run of tiles in
/// groups of rows, or workgroups are dealt out round-robin.
static std::array<double, 2> getMemoryShares(const ProductGrid &grid,
                                             int64_t group, unsigned xcds) {
  double own = std::max(grid.getCount() / xcds, 1.0);
  double all = grid.rows * grid.splits, lines = std::min(all, own), columns;
  if (group) {
    double high = std::min({double(group), all, own});
    columns = std::min(own / high, grid.columns);
    lines = std::max(own / grid.columns, high);
  } else {
    columns = std::min(
        grid.columns / std::gcd(int64_t(grid.columns), int64_t(xcds)), own);
  }
  double splits = std::min(grid.splits, std::ceil(lines / grid.rows));
  return {lines / own, std::min(columns * splits / own, 1.0)};
}

/// Instructions an element that a prologue makes of another, as kernels have
/// them: codes become f32, which are scaled, and rounded where a scale is no
/// power of two. [C]
static double getPrologueWork(Value source, Type element,
                              const Target &target) {
  auto scaled = dyn_cast<ScaledType>(source.getType());
  double decode = 2, scale = scaled ? 0.5 : 0, round = 0.5;
  if (scaled && scaled.isFP4()) {
    decode = 4;
  } else if (scaled) {
    bool isFNUZ =
        isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(scaled.getElementType());
    decode = isFNUZ == (target.fp8 == FP8Encoding::FNUZ) ? 3 : 8;
  }
  bool isExact = scaled && scaled.getScaling().isE8M0();
  if (element.isBF16() && !isExact && !target.hasBF16Conversions)
    round = kForRounding;
  return decode + scale + round;
}

/// Instructions an element of a result whose scales are computed over blocks of
/// `minRows` x 1 or 1 x `minCols` of them. In the layout of accumulators lanes
/// lie along the columns, and a lane has every waveSize / size'th row. An amax
/// goes from lane to lane, becomes a scale and its inverse, and elements become
/// codes. [C]
static double getScalesWork(const TileDemand &demand, const MMA &mma,
                            const Target &target) {
  constexpr double kForStep = 2, kForScale = 12, kForCode = 2;
  double work = 0;
  auto add = [&](int64_t block, double lanes) {
    if (block <= 1)
      return;
    lanes = std::min<double>(lanes, block);
    double ofLane = block / lanes; // elements for each amax that it has
    work += (kForStep * std::log2(lanes) + kForScale) / ofLane + kForCode;
  };
  add(demand.minCols, mma.size);
  add(demand.minRows, double(target.waveSize) / mma.size);
  return work;
}

/// What loads of `bytes` in runs of so many ask L2 for: whole lines, but that
/// L1 has the other part of one when the next step asks for it.
static double getAsked(double bytes, double run, bool isKept) {
  constexpr double line = kCacheLineBytes;
  return isKept || run >= line ? bytes : bytes / run * line;
}

/// `isKept`: L1 still has a step's lines at the next one.
static OperandWork getOperandWork(const Operand &operand, const GemmPlan *plan,
                                  GemmOp gemm, ScheduleAttr schedule,
                                  bool isKept, const Target &target) {
  MatmulAttr matmul = schedule.getMatmul();
  double k = matmul.getK(), outer = std::min(operand.tile, operand.extent),
         element = getOperandBytes(operand.source);
  bool alongK = liesAlongK(operand.source, operand.kDim);
  OperandWork work;
  work.readers = operand.readers;
  work.inLds = operand.tile * k * getElementBits(operand.element) / 8;
  std::optional<AsyncCopyPlan> copy =
      plan && schedule.getPipeline().getDirectToLds()
          ? planAsyncCopy(gemm, *plan, operand.side, schedule, target)
          : std::nullopt;
  work.copySteps = copy ? copy->steps : 1;
  work.isDirect =
      plan ? copy.has_value() : schedule.getPipeline().getDirectToLds();
  auto scaled = dyn_cast<ScaledType>(operand.source.getType());
  double run = (alongK ? k * (copy ? copy->steps : 1) : outer) * element;
  if (scaled && getDataOrder(scaled)) // shuffled bytes of 16 rows lie together
    run = kCacheLineBytes;
  work.bytes = outer * k * element;
  work.asked = getAsked(work.bytes, run, isKept && alongK);
  if (plan && plan->block > 1 && scaled && scaled.getScaling().isE8M0()) {
    // Along K so many of a row are read at once.
    double scales = outer * k / plan->block,
           atOnce = getScaleBytes(*plan, operand.tile, schedule, target);
    work.bytes += scales;
    work.asked += getAsked(scales, alongK ? atOnce : outer, isKept);
  }
  Type memory = getElementTypeOrSelf(operand.source.getType());
  bool scalesElements = plan && plan->scales == GemmPlan::Scales::Elements;
  double each = operand.source != operand.factor
                    ? getPrologueWork(operand.source, operand.element, target)
                : memory != operand.element
                    ? scalesElements ? kForScaling : kForConversion
                    : 0;
  if (!alongK && !work.isDirect)
    each += kForTranspose;
  work.work = operand.tile * k * each / target.waveSize;
  return work;
}

/// LLVM counts on no other workgroup: registers that it takes beyond the
/// estimate in loops whose operands come straight to LDS, about; few steps have
/// none. [C]
static constexpr unsigned kDirectVGPRs = 16;

int64_t te::countResidents(const TileDemand &demand, const GemmPlan *plan,
                           ScheduleAttr schedule, const Target &target) {
  ResourceEstimate resources = estimate(demand, schedule, target);
  MatmulAttr matmul = schedule.getMatmul();
  bool isLoop = ShapedType::isDynamic(demand.depth) ||
                demand.depth > kMostStepsInIteration * matmul.getK() *
                                   schedule.getGrid().getSplitK();
  unsigned more =
               (plan ? countCopies(demand, *plan, schedule, target) : 0) +
               (schedule.getPipeline().getDirectToLds() && isLoop ? kDirectVGPRs
                                                                  : 0),
           waves = target.simdsPerCU * target.occupancy(resources.vgprs + more,
                                                        resources.ldsBytes,
                                                        schedule.getWaves());
  // Of fewer waves than SIMDs LDS may hold less than registers do.
  int64_t inLds =
      target.ldsBytesPerWorkgroup / std::max<int64_t>(resources.ldsBytes, 1);
  return std::max<int64_t>(
      std::min<int64_t>(waves / schedule.getWaves(), inLds), 1);
}

std::optional<ProductWork> te::getProductWork(const TileDemand &demand,
                                              ScheduleAttr schedule,
                                              const ProductGrid &grid,
                                              const Target &target,
                                              const Timing &timing) {
  MatmulAttr matmul = schedule.getMatmul();
  const MMA &mma = *MMA::lookup(matmul.getMma());
  GemmOp gemm = demand.gemm;
  std::string why;
  std::optional<GemmPlan> plan;
  std::array<Operand, 2> operands;
  double rows = schedule.getTile()[0], cols = demand.getColumns(schedule);
  if (gemm) {
    plan = planGemm(gemm, target, why);
    if (!plan)
      return std::nullopt;
    operands[0] = {tile::MMASide::A, gemm.getA(), getSource(gemm.getA()),
                   gemm.getKDimA(),  rows,        getSize(demand.rows),
                   plan->a};
    operands[1] = {tile::MMASide::B, gemm.getB(), getSource(gemm.getB()),
                   gemm.getKDimB(),  cols,        getSize(demand.cols),
                   plan->b};
  } else {
    const Contraction &product = demand.contraction;
    operands[0] = {tile::MMASide::A,
                   product.a,
                   product.a,
                   product.kDimA,
                   rows,
                   getSize(demand.rows),
                   getElementTypeOrSelf(product.a.getType())};
    operands[1] = {tile::MMASide::B,
                   product.b,
                   product.b,
                   product.kDimB,
                   cols,
                   getSize(demand.cols),
                   getElementTypeOrSelf(product.b.getType())};
  }
  ProductWork work;
  auto shares =
      getMemoryShares(grid, schedule.getGrid().getGroupM(), timing.xcds);
  work.residents =
      countResidents(demand, plan ? &*plan : nullptr, schedule, target);
  double lines = std::min(rows, operands[0].extent) +
                 std::min(cols, operands[1].extent),
         together = std::min<double>(
             work.residents, std::ceil(grid.getCount() / target.computeUnits));
  bool isKept = together * lines * kCacheLineBytes < timing.l1Capacity;
  for (unsigned side : {0, 1}) {
    operands[side].readers = matmul.getWaves()[1 - side];
    work.operands[side] =
        getOperandWork(operands[side], plan ? &*plan : nullptr, gemm, schedule,
                       isKept, target);
    work.operands[side].share = shares[side];
    if (plan && plan->scales == GemmPlan::Scales::Instruction)
      work.scaleSteps = std::min(
          work.scaleSteps,
          std::max(double(getScaleBytes(*plan, int64_t(operands[side].tile),
                                        schedule, target)) *
                       MMA::kScaledElements / matmul.getK(),
                   2.0));
  }
  work.a = operands[0].element;
  work.b = operands[1].element;
  work.products =
      rows * cols * matmul.getK() / (double(mma.size) * mma.size * mma.k);
  work.steps =
      std::ceil(std::ceil(getSize(demand.depth) / matmul.getK()) / grid.splits);
  work.sums = plan && plan->scales == GemmPlan::Scales::Blocks
                  ? rows * cols * kForSum / target.waveSize
                  : 0;
  double elements =
      std::min(rows, getSize(demand.rows)) *
      std::min(double(schedule.getTile()[1]), getSize(demand.cols));
  work.written =
      elements * (grid.splits > 1 ? 4. * demand.products : demand.storedBytes);
  work.scales = grid.splits > 1
                    ? 0
                    : rows * schedule.getTile()[1] *
                          getScalesWork(demand, mma, target) / target.waveSize;
  work.read = grid.splits > 1 ? 0 : elements * demand.loadedBytes;
  work.prefetches = estimate(demand, schedule, target).prefetches;
  return work;
}
