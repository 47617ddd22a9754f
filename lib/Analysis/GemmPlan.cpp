//===- GemmPlan.cpp - what computes a te.gemm -----------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Analysis/ResourceModel.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;

static ScaledType getScaled(Value operand) {
  return dyn_cast<ScaledType>(operand.getType());
}

/// fp4 codes are packed along K in memory.
static bool isPackedAlongK(Value operand, unsigned kDim) {
  ScaledType type = getScaled(operand);
  if (!type)
    return true;
  bool kIsLast = int64_t(kDim) == type.getRank() - 1;
  return !type.isFP4() || kIsLast != type.getScaling().isTransposed();
}

/// The target's instructions that take these elements as they are, those with
/// the most products a cycle first, then large ones. Scaled ones take operands
/// without scales too.
static SmallVector<const MMA *> findInstructions(const Target &target, Type a,
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

/// Why kernels do not take a quantized operand of many matrices.
static std::optional<std::string> whyNotMany(GemmOp gemm) {
  for (Value operand : {gemm.getA(), gemm.getB()}) {
    ScaledType type = getScaled(operand);
    if (!type)
      continue;
    ScalingAttr scaling = type.getScaling();
    if (gemm.isBatched() && (scaling.getGranularity() != Granularity::Tensor ||
                             scaling.getDataLayout() != te::DataLayout::Linear))
      return std::string(
          "G3: kernels multiply quantized matrices in pairs only where each "
          "operand has one scale and linear data; te.dequantize the operands, "
          "or multiply slices");
    if (scaling.isPerMatrix())
      return std::string(
          "G3: the rows of an operand are one matrix to a kernel, but its "
          "scales are each matrix's (per = matrix); quantize it without, or "
          "te.dequantize it");
  }
  return std::nullopt;
}

/// bf16 has room for an element times a power of two. Data in an order of their
/// own go through LDS to be read, which is in use while a pipeline runs.
static bool scalesElements(GemmOp gemm) {
  return llvm::all_of(std::array{gemm.getA(), gemm.getB()}, [](Value operand) {
    ScalingAttr scaling = getScaled(operand).getScaling();
    return scaling.isE8M0() &&
           scaling.getDataLayout() != te::DataLayout::Shuffle16x16;
  });
}

std::optional<GemmPlan> te::planGemm(GemmOp gemm, const Target &target,
                                     std::string &why) {
  if (!target.amd) {
    why = ("G2: te.gemm is not supported for " + target.name +
           "; compile for gfx942 or gfx950")
              .str();
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

bool te::canFetch(GemmOp gemm, const GemmPlan &plan, tile::MMASide side,
                  ScheduleAttr schedule, const Target &target) {
  bool isA = side == tile::MMASide::A;
  Value operand = isA ? gemm.getA() : gemm.getB();
  Type element = isA ? plan.a : plan.b;
  auto type = cast<ShapedType>(operand.getType());
  MatmulAttr matmul = schedule.getMatmul();
  int64_t dim = isA ? gemm.getKDimA() : gemm.getKDimB(),
          k = type.getDimSize(dim), step = matmul.getK();
  ScaledType scaled = getScaled(operand);
  if (dim != type.getRank() - 1 || ShapedType::isDynamic(k) || k % step != 0 ||
      element != getElementTypeOrSelf(type) ||
      (scaled && scaled.getScaling().getDataLayout() != te::DataLayout::Linear))
    return false;
  int64_t bits = element.getIntOrFloatBitWidth(),
          bytes = std::max<int64_t>(bits / 8, 1),
          outer = schedule.getTile()[isA ? 0 : 1];
  std::array<int64_t, 2> shape = {outer, step * bits / 8 / bytes};
  unsigned lanes = llvm::Log2_32(target.waveSize),
           waves = llvm::Log2_64(schedule.getWaves());
  const MMA &mma = *MMA::lookup(matmul.getMma());
  tile::LinearLayout taken =
      tile::getMMAOperandLayout(mma, *getMMAFormat(element), side, outer, mma.k,
                                {matmul.getWaves()[0], matmul.getWaves()[1]});
  int64_t vector = std::min(target.maxAccessBytes / bytes, shape[1]);
  tile::SharedLayout order(
      tile::LinearLayout::rowMajor(shape, vector, lanes, waves),
      taken.embed(shape), bytes, target.ldsBanks);
  return order.getStreaming(shape, target.amd->directLoadBytes, lanes, waves)
      .has_value();
}
