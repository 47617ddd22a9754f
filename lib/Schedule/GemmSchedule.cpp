//===- GemmSchedule.cpp - schedules of regions with a te.gemm -------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GemmSchedule.h"

#include "ProductWork.h"
#include "Roofline.h"

#include "te/Region/StorageOrder.h"
#include "te/Target/Timing.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;

namespace {
/// A tile of the result is at most so many rows and columns.
constexpr int64_t kMostTile = 256;
/// Bytes of one row of an operand that a step loads: cache lines, or half of
/// one.
constexpr int64_t kStepBytes[] = {4 * kCacheLineBytes, 2 * kCacheLineBytes,
                                  kCacheLineBytes, kCacheLineBytes / 2};
/// Bytes of K in short steps of operands whose lines lie across it.
constexpr int64_t kShortStepBytes = kCacheLineBytes / 4;
/// Elements of tiles that may have fewer waves than a CU has SIMDs.
constexpr int64_t kSmallTile = 16384;
/// K is cut into so many splits at most.
constexpr int64_t kMostSplits = 64;
/// Of rows that are left by full batches of tiles, into so many: more are more
/// sums to write and read.
constexpr int64_t kMostTailSplits = 8;
/// Schedules whose times differ by less are the same to the roofline, whose own
/// error is larger.
constexpr double kIndistinct = 1.03;
} // namespace

SmallVector<int64_t> te::listSizes(int64_t extent, int64_t least) {
  int64_t most = kMostTile;
  if (!ShapedType::isDynamic(extent))
    most = std::min<int64_t>(most,
                             llvm::PowerOf2Ceil(std::max<int64_t>(extent, 1)));
  SmallVector<int64_t> sizes;
  for (int64_t size = std::max(most, least); size >= least; size /= 2)
    sizes.push_back(size);
  return sizes;
}

std::array<int64_t, 2> te::chooseWaves(std::array<int64_t, 2> tile,
                                       const MMA &mma, int64_t most) {
  std::array<int64_t, 2> waves = {1, 1};
  while (waves[0] * waves[1] < most) {
    int64_t rows = tile[0] / waves[0], cols = tile[1] / waves[1];
    unsigned dim = rows != cols ? rows < cols : waves[0] >= waves[1];
    if (tile[dim] / waves[dim] <= mma.size)
      break;
    waves[dim] *= 2;
  }
  return waves;
}

/// The rows of tiles of a group, for the order in which an XCD has a run of
/// tiles: what its compute units load at the same time is least. 0: no order.
static int64_t chooseGroup(const TileDemand &demand, ScheduleAttr schedule,
                           const Target &target) {
  const Timing *timing = Timing::lookup(target.name);
  ProductGrid grid(demand, schedule);
  if (schedule.getGrid().getWholeRows())
    grid = grid.getWhole(schedule);
  GemmOp gemm = demand.gemm;
  if (!timing || grid.columns == 1 || grid.getCount() <= timing->xcds)
    return 0;
  // What one XCD's CUs compute at the same time: longer, L2 does not hold it.
  double together = std::ceil(
      std::min<double>(grid.getCount(), target.computeUnits) / timing->xcds);
  int64_t best = 0;
  double least = 0;
  for (int64_t group = 1; group <= grid.rows * grid.splits && group <= together;
       group *= 2) {
    double bytes =
        group * schedule.getTile()[0] * getOperandBytes(gemm.getA()) +
        std::ceil(together / group) * demand.getColumns(schedule) *
            getOperandBytes(gemm.getB());
    if (!best || bytes < least) {
      best = group;
      least = bytes;
    }
  }
  return best;
}

ScheduleAttr te::withSplit(const TileDemand &demand, ScheduleAttr schedule,
                           Split split, const Target &target) {
  Grid grid = schedule.getGrid().toGrid();
  grid.workgroups = split.workgroups;
  grid.splitK = split.count;
  grid.wholeRows = split.wholeRows;
  grid.groupM = 0;
  grid.groupM = chooseGroup(demand, schedule.withGrid(grid), target);
  return schedule.withGrid(grid);
}

static int64_t countTiles(const TileDemand &demand, ScheduleAttr schedule) {
  return llvm::divideCeil(demand.rows, schedule.getTile()[0]) *
         llvm::divideCeil(demand.cols, schedule.getTile()[1]);
}

static int64_t getWidestBits(const GemmPlan &plan) {
  return std::max(getElementBits(plan.a), getElementBits(plan.b));
}

static bool isShortStep(const GemmPlan &plan, int64_t k) {
  return k * getWidestBits(plan) <= kShortStepBytes * 8;
}

/// Waves that share a SIMD alternate at the parts of a step (ping_pong): one
/// multiplies while the other waits for LDS. What lanes scale or convert, or
/// scales that go through registers, are next to the other's products as it is.
static bool usesPingPong(const GemmPlan &plan, GemmOp gemm,
                         ScheduleAttr schedule, const Target &target) {
  using Scales = GemmPlan::Scales;
  MatmulAttr matmul = schedule.getMatmul();
  bool isPlain = plan.scales == Scales::None || plan.scales == Scales::Sum ||
                 (plan.scales == Scales::Instruction &&
                  schedule.getPipeline().getDirectToLds());
  return isPlain && !hasPrologue(gemm) &&
         schedule.getPipeline().getStages() > 1 &&
         matmul.getK() > MMA::lookup(matmul.getMma())->k &&
         schedule.getWaves() > int64_t(target.simdsPerCU);
}

/// Calls `visit` with schedules, those that are usually better first.
static void forEachSchedule(MLIRContext *context, const TileDemand &demand,
                            const GemmPlan &plan, const Target &target,
                            function_ref<void(ScheduleAttr)> visit) {
  int64_t widest = getWidestBits(plan), simds = target.simdsPerCU;
  auto make = [&](const MMA &mma, std::array<int64_t, 2> tile, int64_t k,
                  int64_t mostWaves, int64_t stages, bool direct) {
    auto visitWaves = [&](std::array<int64_t, 2> waves) {
      auto get = [&](bool pingPong) {
        return ScheduleAttr::get(
            context, target.name, tile,
            std::min<int64_t>(target.maxAccessBytes * 8 / widest, tile[1]),
            MatmulAttr::get(context, mma.name, k, waves),
            PipelineAttr::get(context, stages, direct, pingPong));
      };
      ScheduleAttr schedule = get(/*pingPong=*/false);
      visit(usesPingPong(plan, demand.gemm, schedule, target)
                ? get(/*pingPong=*/true)
                : schedule);
    };
    auto waves = chooseWaves(tile, mma, mostWaves);
    // Waves whose parts of a long tile are long, too, keep the matrix cores
    // busier where MXFP4's elements go through registers.
    std::array<int64_t, 2> others = {waves[1], waves[0]};
    if (plan.scales == GemmPlan::Scales::Instruction && widest == 4 &&
        stages == 2 && !direct && tile[0] != tile[1] &&
        tile[0] / others[0] >= mma.size && tile[1] / others[1] >= mma.size)
      waves = others;
    visitWaves(waves);
    // Of a square more rows have waves, which then store longer runs.
    if (tile[0] == tile[1] && waves[0] != waves[1])
      visitWaves({waves[1], waves[0]});
  };
  SmallVector<int64_t> counts = {2 * simds, simds, simds / 2};
  // What one wave scales stands next to the products of three others; not what
  // lanes turn.
  GemmOp gemm = demand.gemm;
  if (plan.scales == GemmPlan::Scales::Elements && lieAlongK(gemm))
    counts.push_back(4 * simds);
  // Operands that lie across K have whole lines in any step: one of a single
  // instruction straight to LDS leaves place for more workgroups.
  bool hasShortSteps = !liesAlongK(gemm.getA(), gemm.getKDimA()) &&
                       !liesAlongK(gemm.getB(), gemm.getKDimB());
  for (const MMA *mma : plan.instructions) {
    SmallVector<int64_t> steps;
    for (int64_t bytes : kStepBytes)
      steps.push_back(std::max<int64_t>(bytes * 8 / widest, mma->k));
    if (plan.scales == GemmPlan::Scales::Blocks)
      steps.assign({plan.block});
    if (hasShortSteps && mma->k * widest == kShortStepBytes * 8)
      steps.push_back(mma->k);
    int64_t size = mma->size;
    // Wide tiles before tall ones: B's step is asked for later than A's.
    for (int64_t cols : listSizes(demand.cols, std::max(demand.minCols, size)))
      for (int64_t rows :
           listSizes(demand.rows, std::max(demand.minRows, size)))
        for (int64_t k : steps)
          // Two waves a SIMD, so that one computes while the other waits, or
          // one; small tiles that go straight to LDS may have fewer: several
          // workgroups then have a CU.
          for (int64_t waves : counts)
            // With two places in LDS direct loads have less than a step's time,
            // too little next to an operand that is converted in registers.
            for (auto [stages, direct] : {std::pair(4, true),
                                          {3, true},
                                          {2, true},
                                          {2, false},
                                          {1, false}})
              if ((waves >= simds || (direct && rows * cols <= kSmallTile)) &&
                  (stages > 2 || !direct || !hasPrologue(demand.gemm)) &&
                  (!isShortStep(plan, k) ||
                   (direct && stages == 4 && waves == simds)))
                make(*mma, {rows, cols}, k, waves, stages, direct);
  }
}

int64_t te::getK(GemmOp gemm) {
  return cast<ShapedType>(gemm.getA().getType()).getDimSize(gemm.getKDimA());
}

bool te::areSizesKnown(const TileDemand &demand) {
  return !ShapedType::isDynamic(demand.depth) &&
         !ShapedType::isDynamic(demand.rows) &&
         !ShapedType::isDynamic(demand.cols);
}

/// K may be cut, and all sizes are known, or expected.
static bool isCuttable(const TileDemand &demand) {
  GemmOp gemm = demand.gemm;
  return !gemm.isBatched() && gemm.countSplits() == 1 && demand.products == 1 &&
         areSizesKnown(demand);
}

SmallVector<Split> te::listTailSplits(const TileDemand &demand,
                                      ScheduleAttr schedule,
                                      const Target &target) {
  SmallVector<Split> splits;
  if (!isCuttable(demand) || demand.isExpected)
    return splits;
  int64_t rows = llvm::divideCeil(demand.rows, schedule.getTile()[0]),
          cols = llvm::divideCeil(demand.cols, schedule.getTile()[1]),
          full = rows * cols / target.computeUnits * target.computeUnits,
          whole = cols ? full / cols : 0,
          steps = demand.depth / schedule.getMatmul().getK();
  if (whole == 0 || whole == rows)
    return splits;
  for (int64_t count = 2; count <= kMostTailSplits; ++count)
    if (steps % count == 0 &&
        demand.depth == steps * schedule.getMatmul().getK())
      splits.push_back({count, whole * schedule.getTile()[0]});
  return splits;
}

static bool isShuffled(Value operand) {
  auto scaled = dyn_cast<ScaledType>(getSource(operand).getType());
  return scaled && getDataOrder(scaled);
}

SmallVector<Split> te::listPersistent(const TileDemand &demand,
                                      const GemmPlan &plan,
                                      ScheduleAttr schedule,
                                      const Target &target) {
  ArrayRef<int64_t> tile = schedule.getTile();
  GemmOp gemm = demand.gemm;
  // Columns that are masked are stored by branches, which part products. Steps
  // that scale elements, without a loop, take LLVM a second; those that convert
  // them take longer next to stores, and so do loops over shuffled ones and
  // short steps.
  if (!isCuttable(demand) || ShapedType::isDynamic(getK(gemm)) ||
      schedule.getPipeline().getStages() == 1 ||
      isShortStep(plan, schedule.getMatmul().getK()) ||
      plan.scales == GemmPlan::Scales::Elements || hasPrologue(gemm) ||
      isShuffled(gemm.getA()) || isShuffled(gemm.getB()) ||
      demand.cols % tile[1] != 0)
    return {};
  int64_t units = target.computeUnits, tiles = countTiles(demand, schedule);
  Split split;
  split.workgroups = units;
  split.workgroups *= countResidents(
      demand, &plan, withSplit(demand, schedule, split, target), target);
  // Of small tiles many are there at once, so that some store while others
  // multiply; one that has a CU for itself has nothing to do between two.
  int64_t size = tile[0] * tile[1];
  bool isSmall =
      size < kSmallTile || (size == kSmallTile && split.workgroups == units);
  if (tiles <= split.workgroups || isSmall)
    return {};
  return {split};
}

SmallVector<Split> te::listSplits(const TileDemand &demand,
                                  ScheduleAttr schedule, const Target &target) {
  SmallVector<Split> splits = {Split()};
  if (!isCuttable(demand))
    return splits;
  int64_t k = demand.depth;
  int64_t tiles = std::max<int64_t>(countTiles(demand, schedule), 1);
  // No more workgroups than there are SIMDs.
  int64_t fills = target.computeUnits * target.simdsPerCU / tiles;
  int64_t most = std::min({llvm::divideCeil(k, schedule.getMatmul().getK()),
                           uint64_t(kMostSplits), uint64_t(fills)});
  // Powers of two, or splits of whole steps.
  int64_t steps = k / schedule.getMatmul().getK();
  bool isWhole = !ShapedType::isDynamic(getK(demand.gemm)) &&
                 steps * schedule.getMatmul().getK() == k;
  for (int64_t count = 2; count <= most; ++count)
    if (llvm::isPowerOf2_64(count) || (isWhole && steps % count == 0))
      splits.push_back({count});
  // Or that each CU has as many as another.
  for (int64_t each : {1, 2})
    if (int64_t count = each * target.computeUnits / tiles;
        count > 1 && count <= most && llvm::none_of(splits, [&](Split split) {
          return split.count == count;
        }))
      splits.push_back({count});
  return splits;
}

SmallVector<Split> te::listAllSplits(const TileDemand &demand,
                                     const GemmPlan &plan,
                                     ScheduleAttr schedule,
                                     const Target &target) {
  SmallVector<Split> splits = listSplits(demand, schedule, target);
  llvm::append_range(splits, listPersistent(demand, plan, schedule, target));
  llvm::append_range(splits, listTailSplits(demand, schedule, target));
  return splits;
}

namespace {
/// The schedules that the roofline ranks.
class Seeds {
public:
  void add(ScheduleAttr schedule, const Roofline &roofline) {
    seeds.push_back(
        {schedule, roofline.getClocks(), roofline.getWork().getSum()});
    least = std::min(least, seeds.back().clocks);
  }
  double getLeastClocks() const { return least; }
  /// The fastest; of those that the roofline does not tell apart the one that
  /// asks the units for the least. Null where there is none.
  ScheduleAttr getBest() const {
    const Seed *best = nullptr;
    for (const Seed &seed : seeds)
      if (seed.clocks <= kIndistinct * least &&
          (!best || seed.work < best->work))
        best = &seed;
    return best ? best->schedule : nullptr;
  }

private:
  struct Seed {
    ScheduleAttr schedule;
    double clocks, work;
  };
  SmallVector<Seed, 0> seeds;
  double least = INFINITY;
};
} // namespace

/// Adds the legal schedules that spill nothing; `takes`: which of their splits.
/// Returns the last that there is.
static ScheduleAttr addSeeds(Seeds &seeds, MLIRContext *context,
                             const TileDemand &demand, const GemmPlan &plan,
                             const Target &target,
                             function_ref<bool(Split)> takes) {
  ScheduleAttr last;
  forEachSchedule(context, demand, plan, target, [&](ScheduleAttr schedule) {
    last = schedule;
    if (findViolation(demand, schedule, target) ||
        estimateGemm(demand, schedule, target).vgprs +
                countCopies(demand, plan, schedule, target) >
            getMostVGPRs(schedule, target))
      return;
    auto add = [&](Split how) -> std::optional<Roofline> {
      ScheduleAttr split = withSplit(demand, schedule, how, target);
      bool isPlain = how.count == 1 && how.workgroups == 0;
      if (!isPlain && findViolation(demand, split, target))
        return std::nullopt;
      std::optional<Roofline> roofline = getRoofline(demand, split, target);
      if (takes(how))
        seeds.add(split, *roofline);
      return roofline;
    };
    // Where even shares of the work take too long, all others do.
    if (add(Split())->getEvenClocks() > kIndistinct * seeds.getLeastClocks())
      return;
    SmallVector<Split> splits = listAllSplits(demand, plan, schedule, target);
    for (Split how : llvm::drop_begin(splits))
      add(how);
  });
  return last;
}

ScheduleAttr te::chooseGemmSchedule(MLIRContext *context,
                                    const TileDemand &demand,
                                    const Target &target) {
  std::string why;
  std::optional<GemmPlan> plan = planGemm(demand.gemm, target, why);
  if (!plan || !Timing::lookup(target.name)) // findGemmViolation says why not
    return ScheduleAttr::get(context, target.name, {1, 1}, 1, 1);
  Seeds seeds;
  ScheduleAttr last = addSeeds(seeds, context, demand, *plan, target,
                               [](Split) { return true; });
  // Splits of a result whose halves are read together are those of both.
  if (demand.products > 1 && areSizesKnown(demand))
    addSeeds(seeds, context, getSeparateHalves(demand), *plan, target,
             [](Split how) { return how.count > 1 && how.wholeRows == 0; });
  ScheduleAttr best = seeds.getBest();
  return best ? best : last; // findViolation tells of it
}

std::string te::explainGemmSchedule(const TileDemand &demand,
                                    ScheduleAttr schedule,
                                    const Target &target) {
  MatmulAttr matmul = schedule.getMatmul();
  ResourceEstimate resources = estimateGemm(demand, schedule, target);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << matmul.getMma() << " takes the operands"
     << "; a step sums " << matmul.getK() << " elements of K; "
     << matmul.getWaves()[0] << " x " << matmul.getWaves()[1] << " waves hold "
     << resources.elementsPerLane << " sums a lane, of a tile of "
     << schedule.getTile()[0] << " x " << schedule.getTile()[1];
  if (demand.products > 1)
    os << " of each half of the columns";
  GemmOp gemm = demand.gemm;
  for (auto [name, operand] : {std::pair("A", gemm.getA()), {"B", gemm.getB()}})
    if (getSource(operand) != operand)
      os << "; " << name << " is converted as it is read";
  if (schedule.getPipeline().getStages() > 1)
    os << "; LDS holds " << schedule.getPipeline().getStages()
       << " steps, one is read while "
       << (schedule.getPipeline().getDirectToLds()
               ? "others come straight from memory"
               : "the other is written")
       << (schedule.getPipeline().getPingPong()
               ? ", and waves of a SIMD alternate with its parts"
               : "");
  else if (resources.prefetches)
    os << "; the next step's operands are read meanwhile";
  if (int64_t group = schedule.getGrid().getGroupM())
    os << "; an XCD computes a run of tiles, in groups of " << group
       << (group == 1 ? " row" : " rows") << " of them, for its L2";
  if (int64_t workgroups = schedule.getGrid().getWorkgroups())
    os << "; " << workgroups
       << " workgroups fill the chip, compute one tile after another, and "
          "store each next to the next one's products";
  if (int64_t splits = schedule.getGrid().getSplitK(); splits > 1) {
    os << "; K is cut into " << splits << " splits";
    if (int64_t whole = schedule.getGrid().getWholeRows())
      os << " for the last " << demand.rows - whole << " rows, whose tiles are "
         << "no full round of the " << target.computeUnits << " CUs";
    else
      os << ", so that more workgroups fill the chip";
    os << ", and a second kernel adds them up";
  }
  return text;
}
