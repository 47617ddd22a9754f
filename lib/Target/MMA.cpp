//===- MMA.cpp - matrix instructions --------------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Target/MMA.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir::te;

static constexpr unsigned kLanes = 64;

static constexpr MMAFormat kF32[] = {MMAFormat::F32};
static constexpr MMAFormat kF16[] = {MMAFormat::F16};
static constexpr MMAFormat kBF16[] = {MMAFormat::BF16};
static constexpr MMAFormat kFNUZ[] = {MMAFormat::E4M3FNUZ, MMAFormat::E5M2FNUZ};
static constexpr MMAFormat kOCP[] = {MMAFormat::E4M3FN, MMAFormat::E5M2};
static constexpr MMAFormat kF8F6F4[] = {MMAFormat::E4M3FN, MMAFormat::E5M2,
                                        MMAFormat::E2M1};

static const MMA kInstructions[] = {
    {"f32_16x16x4_f32", 16, 4, kF32, 32, false},
    {"f32_32x32x2_f32", 32, 2, kF32, 64, false},
    {"f32_16x16x16_f16", 16, 16, kF16, 16, false},
    {"f32_32x32x8_f16", 32, 8, kF16, 32, false},
    {"f32_16x16x32_f16", 16, 32, kF16, 16, false},
    {"f32_32x32x16_f16", 32, 16, kF16, 32, false},
    {"f32_16x16x16_bf16", 16, 16, kBF16, 16, false},
    {"f32_32x32x8_bf16", 32, 8, kBF16, 32, false},
    {"f32_16x16x32_bf16", 16, 32, kBF16, 16, false},
    {"f32_32x32x16_bf16", 32, 16, kBF16, 32, false},
    {"f32_16x16x32_fp8_fnuz", 16, 32, kFNUZ, 16, false},
    {"f32_32x32x16_fp8_fnuz", 32, 16, kFNUZ, 32, false},
    {"f32_16x16x32_fp8", 16, 32, kOCP, 16, false},
    {"f32_32x32x16_fp8", 32, 16, kOCP, 32, false},
    {"scale_f32_16x16x128_f8f6f4", 16, 128, kF8F6F4, 16, true},
    {"scale_f32_32x32x64_f8f6f4", 32, 64, kF8F6F4, 32, true},
};

const MMA *MMA::lookup(llvm::StringRef name) {
  const MMA *it = llvm::find_if(
      kInstructions, [&](const MMA &mma) { return mma.name == name; });
  return it == std::end(kInstructions) ? nullptr : it;
}

bool MMA::accepts(MMAFormat format) const {
  return llvm::is_contained(formats, format);
}

unsigned MMA::getCycles(MMAFormat a, MMAFormat b) const {
  bool isWide = a != MMAFormat::E2M1 || b != MMAFormat::E2M1;
  return isScaled && isWide ? 2 * cycles : cycles;
}

/// Appends bits of coordinate `dim` from `from` up to `to`, powers of two.
static void addBits(MMALayout::Bases &bases, unsigned dim, int64_t from,
                    int64_t to) {
  for (int64_t bit = from; bit < to; bit *= 2) {
    std::array<int64_t, 2> basis = {0, 0};
    basis[dim] = bit;
    bases.push_back(basis);
  }
}

unsigned MMA::getRun(MMAFormat format) const {
  unsigned perLane = k / (kLanes / size);
  // An 8-bit operand of f8f6f4 is two runs of 16, k / 2 apart.
  return isScaled && format != MMAFormat::E2M1 ? perLane / 2 : perLane;
}

MMALayout MMA::getOperandLayout(MMAFormat format) const {
  MMALayout layout;
  unsigned groups = kLanes / size, run = getRun(format);
  addBits(layout.lanes, 0, 1, size);
  addBits(layout.registers, 1, 1, run);
  addBits(layout.lanes, 1, run, run * groups);
  addBits(layout.registers, 1, run * groups, k);
  return layout;
}

MMALayout MMA::getScaleLayout() const {
  MMALayout layout;
  addBits(layout.lanes, 0, 1, size);
  addBits(layout.lanes, 1, 1, k / kScaledElements);
  return layout;
}

MMALayout MMA::getResultLayout() const {
  // Runs of four rows a lane; lane groups, then registers, alternate.
  MMALayout layout;
  int64_t groups = kLanes / size;
  addBits(layout.registers, 0, 1, 4);
  addBits(layout.lanes, 1, 1, size);
  addBits(layout.lanes, 0, 4, 4 * groups);
  addBits(layout.registers, 0, 4 * groups, size);
  return layout;
}
