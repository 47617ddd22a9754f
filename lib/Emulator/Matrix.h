//===- Matrix.h - the table of matrix instructions --------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_MATRIX_H
#define TE_EMULATOR_MATRIX_H

#include "Chip.h"
#include "Instruction.h"

namespace mlir::te::emu {

/// Formats of A and B. Results are f64, i32 (of I8) or f32. Fp8 and Bf8 are
/// FNUZ where the chip is. Mixed: cbsz and blgp name A's and B's format.
enum class Element : uint8_t {
  F64,
  F32,
  Xf32,
  F16,
  Bf16,
  I8,
  Fp8,
  Bf8,
  Mixed,
};

/// One instruction: `blocks` products of size x depth and depth x size. Sparse:
/// A holds two values of each four, and a register says which.
struct MatrixShape {
  const char *stem;
  uint8_t size, depth, blocks;
  Element a, b;
  /// Of four cycles each: on gfx942, and on gfx950.
  uint8_t passes, passes950;
  bool isSparse = false;
};

/// A row's param is its index here.
llvm::ArrayRef<MatrixShape> getMatrixShapes();

/// The f8f6f4 rows.
void runMixed(Wave &wave, const Inst &inst);
/// v_smfmac: of floats, of integers.
void runSparseFloat(Wave &wave, const Inst &inst);
void runSparseInteger(Wave &wave, const Inst &inst);

/// Makes every sum 0.
void clearSums(Wave &wave, const Inst &inst);

/// How long the matrix core is busy with `inst`.
unsigned countPasses(const Inst &inst, const Chip &chip);

} // namespace mlir::te::emu

#endif // TE_EMULATOR_MATRIX_H
