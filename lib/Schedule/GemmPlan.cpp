//===- GemmPlan.cpp - what computes a te.gemm -----------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GemmSchedule.h"

#include "te/Dialect/Tile/IR/RingOrder.h"
#include "te/Region/StorageOrder.h"
#include "te/Schedule/ResourceModel.h"
#include "te/Target/Timing.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;

static ScaledType getScaled(Value operand) {
  return dyn_cast<ScaledType>(operand.getType());
}

bool te::liesAlongK(Value operand, unsigned kDim) {
  ScaledType type = getScaled(operand);
  bool kIsLast =
      int64_t(kDim) == cast<ShapedType>(operand.getType()).getRank() - 1;
  return kIsLast != (type && type.getScaling().isTransposed());
}

bool te::lieAlongK(GemmOp gemm) {
  return liesAlongK(gemm.getA(), gemm.getKDimA()) &&
         liesAlongK(gemm.getB(), gemm.getKDimB());
}

/// fp4 codes are packed along K in memory.
static bool isPackedAlongK(Value operand, unsigned kDim) {
  ScaledType type = getScaled(operand);
  return !type || !type.isFP4() || liesAlongK(operand, kDim);
}

SmallVector<const MMA *> te::findInstructions(const Target &target, Type a,
                                              Type b, bool needsScales) {
  SmallVector<const MMA *> found;
  MMAFormat formatA = *getMMAFormat(a), formatB = *getMMAFormat(b);
  for (llvm::StringRef name : target.amd->mmas) {
    const MMA *mma = MMA::lookup(name);
    if ((mma->isScaled || !needsScales) && mma->accepts(formatA) &&
        mma->accepts(formatB))
      found.push_back(mma);
  }
  auto rank = [&](const MMA *mma) {
    double products = double(mma->size) * mma->size * mma->k;
    return std::pair(mma->getCycles(formatA, formatB) / products,
                     -int(mma->size));
  };
  llvm::stable_sort(
      found, [&](const MMA *x, const MMA *y) { return rank(x) < rank(y); });
  return found;
}

/// Each matrix of an operand of many has data and scales of its own: rows are
/// stored one after the other, and no block lies in two matrices.
static bool liesByMatrix(ScaledType type) {
  ScalingAttr scaling = type.getScaling();
  if (scaling.isPerMatrix())
    return true;
  if (scaling.getDataLayout() != te::DataLayout::Linear ||
      scaling.getScaleLayout() != ScaleLayout::Linear)
    return false;
  int64_t rows = type.getShape().drop_back().back();
  return llvm::all_of(type.getScaleStorage(), [&](const auto &dim) {
    return dim.firstDim != 0 || dim.divisor == 1 ||
           (!ShapedType::isDynamic(rows) && rows % dim.divisor == 0);
  });
}

/// Why kernels do not take a quantized operand of many matrices.
static std::optional<std::string> whyNotMany(GemmOp gemm) {
  for (Value operand : {gemm.getA(), gemm.getB()}) {
    ScaledType type = getScaled(getSource(operand));
    if (!type)
      continue;
    ScalingAttr scaling = type.getScaling();
    if (gemm.isBatched() && !liesByMatrix(type))
      return std::string(
          "kernels multiply quantized matrices in pairs only where each "
          "matrix has data and scales of its own: one scale, or linear "
          "layouts and blocks that do not lie in two matrices (their rows are "
          "known, and a multiple of a block's), or per = matrix; quantize "
          "them so, or te.dequantize them in a region of their own (G3)");
    if (scaling.isPerMatrix() && !gemm.isBatched())
      return std::string(
          "the rows of an operand are one matrix to a kernel, but its "
          "scales are each matrix's (per = matrix); quantize it without, or "
          "te.dequantize it in a region of its own (G3)");
  }
  return std::nullopt;
}

/// bf16 has room for an element times a power of two.
static bool scalesElements(GemmOp gemm) {
  return llvm::all_of(std::array{gemm.getA(), gemm.getB()}, [](Value operand) {
    ScalingAttr scaling = getScaled(operand).getScaling();
    return scaling.isE8M0();
  });
}

std::string te::whyNoProducts(StringRef op, const Target &target) {
  auto able = llvm::make_filter_range(
      Target::all(), [](const Target &other) { return bool(other.amd); });
  auto names =
      llvm::map_range(able, [](const Target &other) { return other.name; });
  return (llvm::Twine(op) + " is not supported for " + target.name +
          "; compile for " + llvm::join(names, " or ") + " (G2)")
      .str();
}

std::optional<GemmPlan> te::planGemm(GemmOp gemm, const Target &target,
                                     std::string &why) {
  if (!target.amd) {
    why = whyNoProducts("te.gemm", target);
    return std::nullopt;
  }
  if (std::optional<std::string> many = whyNotMany(gemm)) {
    why = *many;
    return std::nullopt;
  }
  // fp4 codes that lie otherwise are unpacked, and become bf16.
  bool isPacked = isPackedAlongK(gemm.getA(), gemm.getKDimA()) &&
                  isPackedAlongK(gemm.getB(), gemm.getKDimB());
  GemmPlan plan;
  plan.a = getElementTypeOrSelf(gemm.getA().getType());
  plan.b = getElementTypeOrSelf(gemm.getB().getType());
  if (ScaledType a = getScaled(gemm.getA())) {
    ScalingAttr scaling = a.getScaling();
    plan.scales =
        scaling.isBlock() ? GemmPlan::Scales::Blocks : GemmPlan::Scales::Sum;
    if (scaling.isBlock())
      plan.block = std::max(scaling.getBlockRows(), scaling.getBlockCols());
    if (scaling.isE8M0() && isPacked) {
      plan.instructions =
          findInstructions(target, plan.a, plan.b, /*needsScales=*/true);
      if (!plan.instructions.empty()) {
        plan.scales = GemmPlan::Scales::Instruction;
        return plan;
      }
    }
  }
  if (plan.scales == GemmPlan::Scales::Blocks && scalesElements(gemm))
    plan.scales = GemmPlan::Scales::Elements;
  else if (isPacked)
    plan.instructions =
        findInstructions(target, plan.a, plan.b, /*needsScales=*/false);
  llvm::erase_if(plan.instructions, [&](const MMA *mma) {
    return plan.scales == GemmPlan::Scales::Blocks && mma->k > plan.block;
  });
  if (plan.instructions.empty()) {
    // Every fp8 and fp4 value is a bf16 one.
    plan.a = plan.b = BFloat16Type::get(gemm.getContext());
    plan.instructions =
        findInstructions(target, plan.a, plan.b, /*needsScales=*/false);
  }
  return plan;
}

int64_t te::getScaleBytes(const GemmPlan &plan, int64_t outer,
                          ScheduleAttr schedule, const Target &target) {
  int64_t access = target.maxAccessBytes;
  if (plan.scales != GemmPlan::Scales::Instruction)
    return access;
  // A word a lane and row, of as many rows as a register has the scales of:
  // what else there is of a cache line is read again later.
  constexpr int64_t wordBytes = 4;
  int64_t words = schedule.getWaves() * target.waveSize *
                  MMA::kScalesInRegister * wordBytes / outer;
  int64_t ofStep = schedule.getMatmul().getK() / MMA::kScaledElements;
  return std::min(std::clamp(words, access, 2 * access),
                  std::max(ofStep * kMostStepsInIteration, access));
}

int64_t te::getWholeSteps(int64_t steps, int64_t k, int64_t step,
                          int64_t splits) {
  auto isWhole = [&](int64_t length) {
    if (ShapedType::isDynamic(k) || k / splits < 2 * length)
      return false;
    return (k % (step * splits) == 0 ? k / splits : k) % length == 0;
  };
  while (steps > 1 && !isWhole(steps * step))
    steps /= 2;
  return std::max<int64_t>(steps, 1);
}

/// Where all SIMDs multiply.
static bool hidesMemory(const GemmPlan &plan, ScheduleAttr schedule,
                        const Target &target) {
  const Timing *timing = Timing::lookup(target.name);
  const MMA &mma = *MMA::lookup(schedule.getMatmul().getMma());
  int64_t products = schedule.getTile()[0] * schedule.getTile()[1] *
                     schedule.getMatmul().getK() /
                     (mma.size * mma.size * mma.k);
  return timing && products * mma.getCycles(*getMMAFormat(plan.a),
                                            *getMMAFormat(plan.b)) >=
                       target.simdsPerCU * timing->getMemoryLatency();
}

/// Steps whose operands are copied at once: a cache line of each row, where
/// both have shorter ones and LDS holds two such runs of steps at least: each
/// step would ask for the lines of several. They have less time to come then
/// and the first ones take longer, which short products do not make up for.
/// Where a step is one part A alone has time enough; next to scales, for which
/// L2 has no room otherwise.
static int64_t getCopySteps(GemmOp gemm, const GemmPlan &plan,
                            tile::MMASide side, ScheduleAttr schedule) {
  MatmulAttr matmul = schedule.getMatmul();
  std::array<int64_t, 2> counts;
  for (auto [count, operand, kDim] :
       llvm::zip_equal(counts, std::array{gemm.getA(), gemm.getB()},
                       std::array{gemm.getKDimA(), gemm.getKDimB()})) {
    auto type = cast<ShapedType>(operand.getType());
    ScaledType scaled = getScaled(operand);
    count =
        kCacheLineBytes * 8 / (matmul.getK() * type.getElementTypeBitWidth());
    int64_t splits =
        std::max(gemm.countSplits(), schedule.getGrid().getSplitK());
    if (count < 2 || getSource(operand) != operand ||
        type.getDimSize(kDim) <
            2 * splits * schedule.getPipeline().getStages() * matmul.getK() ||
        !liesAlongK(operand, kDim) || (scaled && getDataOrder(scaled)) ||
        getWholeSteps(count, type.getDimSize(kDim), matmul.getK(), splits) !=
            count)
      return 1;
  }
  if (counts[0] != counts[1] ||
      schedule.getPipeline().getStages() % counts[0] != 0)
    return 1;
  if (matmul.getK() > MMA::lookup(matmul.getMma())->k)
    return schedule.getPipeline().getStages() >= 2 * counts[0] ? counts[0] : 1;
  bool isRoomy = schedule.getPipeline().getStages() == 4 && counts[0] == 2;
  return side == tile::MMASide::A && isRoomy &&
                 plan.scales == GemmPlan::Scales::Instruction
             ? counts[0]
             : 1;
}

std::optional<AsyncCopyPlan>
te::planAsyncCopy(GemmOp gemm, const GemmPlan &plan, tile::MMASide side,
                  ScheduleAttr schedule, const Target &target) {
  bool isA = side == tile::MMASide::A;
  Value operand = getSource(isA ? gemm.getA() : gemm.getB());
  Type element = isA ? plan.a : plan.b;
  auto type = cast<ShapedType>(operand.getType());
  MatmulAttr matmul = schedule.getMatmul();
  unsigned kDim = isA ? gemm.getKDimA() : gemm.getKDimB(),
           outerDim = 2 * type.getRank() - 3 - kDim;
  bool alongK = liesAlongK(operand, kDim);
  int64_t outer = schedule.getTile()[isA ? 0 : 1], step = matmul.getK();
  ScaledType scaled = getScaled(operand);
  // Rows are read in whole steps, or tiles.
  int64_t extent = type.getDimSize(alongK ? kDim : outerDim),
          ofRow = alongK ? step : outer;
  if (ShapedType::isDynamic(extent) || extent % ofRow != 0 ||
      element != getElementTypeOrSelf(type))
    return std::nullopt;
  int64_t bits = element.getIntOrFloatBitWidth(),
          bytes = std::max<int64_t>(bits / 8, 1);
  std::optional<tile::LinearLayout> stored =
      scaled ? getDataOrder(scaled) : std::nullopt;
  int64_t steps = hidesMemory(plan, schedule, target)
                      ? getCopySteps(gemm, plan, side, schedule)
                      : 1;
  std::array<int64_t, 2> shape = {outer, steps * step * bits / 8 / bytes};
  int64_t rowBytes = llvm::divideCeil(type.getShape().back() * bits, CHAR_BIT);
  const MMA &mma = *MMA::lookup(matmul.getMma());
  tile::LinearLayout taken =
      tile::getMMAOperandLayout(mma, *getMMAFormat(element), side, outer, mma.k,
                                {matmul.getWaves()[0], matmul.getWaves()[1]});
  if (!alongK) {
    std::swap(shape[0], shape[1]);
    taken = taken.transposeInOrder();
  }
  if (!tile::getAsyncCopyLayout(shape, rowBytes, stored, taken, !alongK, bytes,
                                schedule.getWaves(), target))
    return std::nullopt;
  return AsyncCopyPlan{alongK, steps};
}
