//===- GemmResources.cpp - registers and LDS of a te.gemm -----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a region with a te.gemm takes by a schedule: estimate() of
// ResourceModel.h asks here.
//
//===----------------------------------------------------------------------===//

#include "GemmSchedule.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;

namespace {
/// VGPRs next to tiles: addresses, bounds, temporaries of the conversions.
constexpr unsigned kBaseVGPRs = 40;
/// Rows of the smaller matrix instructions.
constexpr unsigned kShortInstruction = 16;
/// VGPRs of one operand's scales that go into its elements.
constexpr unsigned kScaleVGPRs = 4;
} // namespace

int64_t te::getElementBits(Type type) {
  return getElementTypeOrSelf(type).getIntOrFloatBitWidth();
}

unsigned te::countCopies(const TileDemand &demand, const GemmPlan &plan,
                         ScheduleAttr schedule, const Target &target) {
  MatmulAttr matmul = schedule.getMatmul();
  const MMA &mma = *MMA::lookup(matmul.getMma());
  int64_t bytes = 0;
  if (!schedule.getPipeline().getDirectToLds() || mma.size != kShortInstruction)
    return 0;
  for (auto [side, outer, waves, element] :
       {std::tuple(tile::MMASide::A, schedule.getTile()[0],
                   matmul.getWaves()[0], plan.a),
        {tile::MMASide::B, demand.getColumns(schedule), matmul.getWaves()[1],
         plan.b}})
    if (std::optional<AsyncCopyPlan> copy =
            planAsyncCopy(demand.gemm, plan, side, schedule, target);
        copy && !copy->alongK)
      bytes += outer * mma.k * getElementBits(element) / 8 /
               (waves * target.waveSize);
  return bytes / 4;
}

/// Bytes of a row's scales that LDS has for as many steps as are read at once.
static int64_t getScaleBytesInLDS(const GemmPlan &plan, GemmOp gemm,
                                  int64_t outer, ScheduleAttr schedule,
                                  const Target &target) {
  MatmulAttr matmul = schedule.getMatmul();
  int64_t each = plan.scales == GemmPlan::Scales::Blocks ? 4 : 1,
          ofStep = each * std::max<int64_t>(matmul.getK() / plan.block, 1),
          bytes = getScaleBytes(plan, outer, schedule, target);
  return ofStep * getWholeSteps(std::max<int64_t>(bytes / ofStep, 1),
                                getK(gemm), matmul.getK(),
                                schedule.getGrid().getSplitK());
}

int64_t te::getPassingBytes(ScheduleAttr schedule, int64_t bytes,
                            const Target &target) {
  MatmulAttr matmul = schedule.getMatmul();
  int64_t rows = schedule.getTile()[0], cols = schedule.getTile()[1],
          ofLanes = target.waveSize * schedule.getVector() *
                    matmul.getWaves()[1] / cols,
          together =
              std::max<int64_t>(MMA::lookup(matmul.getMma())->size, ofLanes);
  int64_t passing = rows * cols * bytes;
  for (int64_t left = rows / matmul.getWaves()[0];
       left > together && passing > target.ldsBytesPerWorkgroup / 2; left /= 2)
    passing /= 2;
  return passing;
}

ResourceEstimate te::estimateGemm(const TileDemand &demand,
                                  ScheduleAttr schedule, const Target &target) {
  std::string why;
  GemmPlan plan = planGemm(demand.gemm, target, why).value_or(GemmPlan());
  MatmulAttr matmul = schedule.getMatmul();
  int64_t rows = schedule.getTile()[0], cols = demand.getColumns(schedule);
  int64_t lanes = schedule.getWaves() * target.waveSize;
  ResourceEstimate result;
  result.elementsPerLane = std::max<int64_t>(rows * cols / lanes, 1);
  int64_t bitsA = plan.a ? getElementBits(plan.a) : 8,
          bitsB = plan.b ? getElementBits(plan.b) : 8;
  auto bytes = [](int64_t elements, int64_t bits) {
    return elements * bits / 8;
  };
  int64_t stepA = bytes(rows * matmul.getK(), bitsA),
          stepB = bytes(cols * matmul.getK(), bitsB);
  // Accumulators, both operands as they are loaded and as the instruction wants
  // them (or f32, on the way to that), what the epilogue holds.
  auto isConverted = [](Value operand, Type element) {
    return element && element != getElementTypeOrSelf(operand.getType());
  };
  bool isPipelined = schedule.getPipeline().getStages() > 1;
  const MMA *mma = MMA::lookup(matmul.getMma());
  int64_t parts = isPipelined ? matmul.getK() / mma->k : 1;
  int64_t kept = (stepA / (matmul.getWaves()[0] * target.waveSize) +
                  stepB / (matmul.getWaves()[1] * target.waveSize)) /
                 parts;
  // Of a pipeline, the part after the one that is multiplied too; where nothing
  // else is on its way, it takes the place of what has been multiplied.
  int64_t operands = schedule.getPipeline().getDirectToLds() ? 3 * kept / 2
                     : isPipelined ? 2 * kept
                                   : (stepA + stepB) / lanes + kept;
  GemmOp gemm = demand.gemm;
  Value a = getSource(gemm.getA()), b = getSource(gemm.getB());
  if (isConverted(a, plan.a))
    operands += 4 * rows * matmul.getK() / lanes;
  if (isConverted(b, plan.b))
    operands += 4 * cols * matmul.getK() / lanes;
  int64_t sums = 4 * result.elementsPerLane;
  if (plan.scales == GemmPlan::Scales::Blocks) {
    // Partial sums, and two factors for each row and column that a lane has.
    int64_t lines = rows / matmul.getWaves()[0] / mma->size +
                    cols / matmul.getWaves()[1] * mma->size / target.waveSize;
    sums += sums + 2 * 4 * lines;
  }
  // Scales of this step and of later ones, and what they have been, of both.
  if (plan.scales == GemmPlan::Scales::Elements)
    operands += 2 * 4 * kScaleVGPRs;
  // Scales of this step and of the next: up to four parts' a register.
  if (plan.scales == GemmPlan::Scales::Instruction)
    operands +=
        (isPipelined ? 2 : 1) * llvm::alignTo(matmul.getK() / mma->k, 4) *
        (rows / matmul.getWaves()[0] + cols / matmul.getWaves()[1]) / mma->size;
  // Then sums leave as they are, of all rows.
  bool isSplit =
      schedule.getGrid().getSplitK() > 1 && !schedule.getGrid().getWholeRows();
  int64_t epilogue = 0;
  if (!isSplit) {
    epilogue = result.elementsPerLane * demand.liveBytes / demand.products;
    // An f32 for each row of a block of scales that a lane has elements of:
    // lanes lie along the columns.
    int64_t ofLane = std::max<int64_t>(demand.minCols / mma->size, 1);
    if (demand.minCols > 1)
      epilogue += 4 * result.elementsPerLane / demand.products / ofLane;
  }
  // The next step's operands, as they lie in memory.
  auto getAhead = [&](tile::MMASide side, Value operand, int64_t outer) {
    bool isDirect = schedule.getPipeline().getDirectToLds() &&
                    planAsyncCopy(gemm, plan, side, schedule, target);
    return isDirect ? 0
                    : bytes(outer * matmul.getK(),
                            getElementBits(operand.getType())) /
                          lanes;
  };
  int64_t ahead =
      getAhead(tile::MMASide::A, a, rows) + getAhead(tile::MMASide::B, b, cols);
  // The tile before, which is stored meanwhile. Next to scales LLVM takes more
  // in steps that have no loop. [C]
  constexpr int64_t kScaledSteps = 4 * 28;
  int64_t before = 0;
  if (schedule.getGrid().getWorkgroups() > 0)
    before = result.elementsPerLane * demand.outputBytes +
             (plan.scales == GemmPlan::Scales::Instruction ? kScaledSteps : 0);
  auto count = [&](int64_t inLoop) -> unsigned {
    return kBaseVGPRs +
           llvm::divideCeil(before + sums + std::max(inLoop, epilogue), 4);
  };
  result.prefetches =
      isPipelined || count(operands + ahead) <= getMostVGPRs(schedule, target);
  result.vgprs = count(operands + (result.prefetches ? ahead : 0));
  // A wide result goes through LDS in chunks.
  int64_t stored = rows * schedule.getTile()[1],
          outputBytes = schedule.getGrid().getSplitK() > 1
                            ? std::max(isSplit ? 4u : demand.outputBytes, 4u)
                            : demand.outputBytes;
  if (outputBytes > 1)
    stored = std::max(stored, getPassingBytes(schedule, outputBytes, target));
  // Where no pipeline needs more: waves store two vectors a lane at a time, of
  // the product alone.
  if (!isPipelined && demand.liveBytes == demand.outputBytes)
    stored = std::min<int64_t>(stored, 2 * target.maxAccessBytes * lanes);
  int64_t scales = 0; // of as many steps as a lane reads at once
  if (plan.scales == GemmPlan::Scales::Instruction ||
      plan.scales == GemmPlan::Scales::Blocks)
    for (auto [outer, count] : {std::pair(rows, int64_t(1)),
                                {schedule.getTile()[1], demand.products}})
      scales += count * outer *
                getScaleBytesInLDS(plan, gemm, outer, schedule, target);
  int64_t read =
      isPipelined
          ? schedule.getPipeline().getStages() * (stepA + stepB) + 2 * scales
          : std::max(stepA, stepB);
  result.ldsBytes = std::max({read, stored, lanes * 4});
  return result;
}
