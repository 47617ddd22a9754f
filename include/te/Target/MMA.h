//===- MMA.h - matrix instructions ------------------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The matrix instructions that kernels use: shapes, formats, cycles, and which
// lane holds what, as the ISA guides have them. te::Target lists those of
// each chip.
//
//===----------------------------------------------------------------------===//
#ifndef TE_TARGET_MMA_H
#define TE_TARGET_MMA_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>

namespace mlir::te {

/// What an operand's elements may be.
enum class MMAFormat : uint8_t {
  F32,
  F16,
  BF16,
  E4M3FN,
  E5M2,
  E4M3FNUZ,
  E5M2FNUZ,
  E2M1
};

/// Who holds which element, as the coordinates that each bit of the register
/// number and of the lane number contributes; contributions add up.
struct MMALayout {
  using Bases = llvm::SmallVector<std::array<int64_t, 2>, 6>;
  Bases registers, lanes;
};

/// D = A * B + C, f32, with size x k of A, k x size of B and size x size of C
/// and D kept by one wave of 64 lanes.
struct MMA {
  llvm::StringRef name;
  unsigned size, k;
  llvm::ArrayRef<MMAFormat> formats; // of A and of B, in any combination
  unsigned cycles; // of the matrix pipe; of f8f6f4 when neither is 8 bits wide
  bool isScaled;   // takes an E8M0 scale for each 32 elements along k

  bool accepts(MMAFormat format) const;
  unsigned getCycles(MMAFormat a, MMAFormat b) const;
  /// Elements along k that lie in consecutive registers of a lane.
  unsigned getRun(MMAFormat format) const;
  /// Elements along k that share a scale.
  static constexpr unsigned kScaledElements = 32;
  /// Scales in a register, of which an instruction names one.
  static constexpr int64_t kScalesInRegister = 4;

  /// Coordinates (row of A or column of B, k).
  MMALayout getOperandLayout(MMAFormat format) const;
  /// Coordinates (row of A or column of B, k / 32).
  MMALayout getScaleLayout() const;
  /// Coordinates (row, column) of C and D.
  MMALayout getResultLayout() const;

  /// The instruction of that name, or null.
  static const MMA *lookup(llvm::StringRef name);
};

} // namespace mlir::te

#endif // TE_TARGET_MMA_H
