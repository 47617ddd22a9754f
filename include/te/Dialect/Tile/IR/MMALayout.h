//===- MMALayout.h - tiles of matrix instructions ---------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layouts of tile.mma's tiles, which are many instructions large: registers
// hold those of one wave, along K first, and waves lie side by side. Tiles are
// in our orientation: A is M x K and B is N x K. The hardware's A is our B, so
// that a lane holds four neighbours of a row of the result.
//
//===----------------------------------------------------------------------===//
#ifndef TE_DIALECT_TILE_IR_MMALAYOUT_H
#define TE_DIALECT_TILE_IR_MMALAYOUT_H

#include "te/Dialect/Tile/IR/LinearLayout.h"
#include "te/Target/MMA.h"

namespace mlir::te::tile {

/// Waves of a workgroup along the result's rows and columns, powers of two: the
/// low bits of a wave's number are along the columns.
struct MMAWaves {
  int64_t rows, cols;
};

/// Which of the two operands.
enum class MMASide { A, B };

/// `outer` x `k`: M x K of A or N x K of B. fp4 codes are packed, two columns a
/// byte: outer x k / 2.
LinearLayout getMMAOperandLayout(const MMA &mma, MMAFormat format, MMASide side,
                                 int64_t outer, int64_t k, MMAWaves waves);
/// Their scales: outer x k / 32. Registers hold those of one instruction after
/// the other along the outer dimension first: four that lie so are one register
/// of the machine.
LinearLayout getMMAScaleLayout(const MMA &mma, MMASide side, int64_t outer,
                               int64_t k, MMAWaves waves);
/// M x N.
LinearLayout getMMAResultLayout(const MMA &mma, int64_t rows, int64_t cols,
                                MMAWaves waves);
/// An order of what lies along K: bit b of the place that an instruction
/// multiplies is [b] in the tile. A sum has no order, so two operands may have
/// any, as long as it is the same.
using KOrder = llvm::SmallVector<int64_t>;
/// The order in which `kept` has what the instruction's layout `wanted` has in
/// its own; nothing where they differ in more.
std::optional<KOrder> findKOrder(const LinearLayout &kept,
                                 const LinearLayout &wanted);
/// The layout in another order along K.
LinearLayout reorderK(const LinearLayout &wanted,
                      llvm::ArrayRef<int64_t> order);
/// Instructions of each wave that make a product of so many columns.
int64_t countInstructions(const MMA &mma, const LinearLayout &result,
                          int64_t k);
/// How the waves that hold a result lie.
MMAWaves getMMAWaves(const LinearLayout &result);

} // namespace mlir::te::tile

#endif // TE_DIALECT_TILE_IR_MMALAYOUT_H
