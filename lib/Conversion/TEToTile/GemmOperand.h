//===- GemmOperand.h - one side of a te.gemm, step by step ------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_TETOTILE_GEMMOPERAND_H
#define TE_LIB_CONVERSION_TETOTILE_GEMMOPERAND_H

#include "te/Conversion/TEToTile/TileContext.h"
#include "te/Dialect/Tile/IR/MMALayout.h"
#include "te/Schedule/ResourceModel.h"

namespace mlir::te {

/// An f32 tile of values that bf16 holds: the upper half of the bits.
Value emitExactBF16(TileContext &ctx, Value x);

/// Part of a product with scales of any size: elements whose scale is one of
/// `count` bytes from `first` on, others are 0, times 2^shift. Scales are
/// small, plain or large, and elements times plain ones are normal bf16
/// numbers. All of it is i32, but for `keepsSpecials` (i1): Inf and NaN count
/// too.
struct ScalePass {
  static constexpr int64_t kFirstPlain = 17, kFirstLarge = 240;
  Value first, count, shift, keepsSpecials;
};

/// A or B: what of it this workgroup reads in one step along K. Tiles are outer
/// x K: M x K of A, N x K of B, whatever the operand's orientation in memory;
/// they are zero outside of the operand.
class GemmOperand {
public:
  GemmOperand(TileContext &ctx, GemmOp op, const GemmPlan &plan,
              tile::MMASide side);

  /// Elements of a step, or the scales of its blocks.
  enum class Kind { Elements, Scales };
  /// Those of `steps` steps from `k` on, as they lie in memory: by whom it
  /// costs least to read.
  Value read(Kind kind, Value k, int64_t steps = 1) const;
  /// What was read of the steps from `k` on, without what memory has beyond the
  /// operand along K: padding of scales, and the spare nibble of an odd row of
  /// fp4, become 0.
  Value dropPadding(Kind kind, Value raw, Value k) const;
  /// Of how many steps one lane reads the scales at once: a whole access.
  int64_t getScaleSteps() const;
  /// The tile that the instruction's operand comes from: of its elements, outer
  /// x K.
  Value finish(Kind kind, Value raw) const;
  /// Of finished elements: as the instruction wants them.
  Value convert(Value tile) const;
  /// E8M0 scales of this step, as the instruction wants them.
  Value loadScales(Value k) const;
  /// The same of so many steps from `k` on, read at once.
  Value loadScaleGroup(Value k, int64_t steps) const;
  /// The scale of each row of A or column of B in the block that begins at `k`
  /// (f32, or E8M0 bytes, i8): a tile of one column, or of one row, of the
  /// result's layout. Each lane reads its own, or, `isStaged`, as it costs
  /// least.
  Value loadBlockScale(Value k, bool isStaged) const;
  /// This side's scales, which are for all of K: one f32 number, or a tile of
  /// one column (of A) or one row.
  Value loadSumScale() const;

  bool isE8M0() const { return scaled && scaled.getScaling().isE8M0(); }

  /// Scales go into the elements as these are read: of a prologue, which
  /// dequantizes them, or with GemmPlan::Scales::Elements.
  bool scalesElements() const {
    return scaled && (isConverted || plan.scales == GemmPlan::Scales::Elements);
  }
  /// The scales of `steps` steps from `k` on, and of so many at the most (0:
  /// they are for all of K); each lane has those of the elements that it reads.
  Value readScaleGroup(Value k, int64_t steps) const;
  int64_t getGroupSteps() const;
  /// They lie the other way round in memory.
  bool isTransposed() const;
  /// The bytes (i32) of the group's step that has this number, or f32 scales:
  /// outer x blocks.
  Value getScaleBytes(Value group, int64_t steps, Value number) const;
  /// Of a prologue: elements that were read of the steps from `k` on, as it
  /// makes them of these scales. (Null: there are none beyond the operand.)
  Value dequantize(Value raw, Value scales, Value k) const;

  // With GemmPlan::Scales::Elements (GemmElements.cpp):
  /// The largest of the scales, and of the magnitudes of elements (null where
  /// these are never Inf or NaN), that a lane has scaled.
  struct Seen {
    Value scale, element;
  };
  Seen makeSeen() const;
  /// Elements that were read times their scales and 2^-getElementOffset(), as
  /// bf16.
  Value scaleElements(Value raw, Value bytes, Seen &seen) const;
  int64_t getElementOffset() const;
  /// i1, for a wave: something was seen that scaleElements is not right for.
  Value emitIsBeyond(const Seen &seen) const;
  /// The same as scaleElements, without the offset, of one pass of several.
  Value scaleExactly(Value raw, Value bytes, const ScalePass &pass) const;

  /// Rows or columns of the workgroup's tile.
  int64_t getOuter() const {
    return ctx.schedule.getTile()[side == tile::MMASide::A ? 0 : 1];
  }

private:
  TileContext makeContext(Value k, int64_t steps = 1) const;
  /// So many steps, or as many of them as K is known to be whole ones.
  int64_t getWholeSteps(int64_t steps) const;
  Value loadScalesAs(Value k, const tile::LinearLayout &layout) const;
  /// True where two elements along K are a byte, and the last byte may have
  /// one.
  bool hasSpareNibble() const;
  /// True where zeros beyond the operand may be multiplied by Inf.
  bool mayScaleBeyond() const;
  bool hasScalePadding() const;
  /// Scales, of which those of K lie along `dim`.
  Value dropScalePadding(Value scales, Value k, unsigned dim) const;
  /// Bits of the row whose scales one register of an instruction holds: a lane
  /// reads them together, so that they reach LDS, and leave it, as words.
  SmallVector<int64_t> getRowsTogether() const;
  /// Of Scales::Elements: of the finished elements, and of their blocks'
  /// scales; whether scales of so many steps are bytes of one register.
  tile::LinearLayout getFinishedLayout() const;
  tile::LinearLayout getBlockLayout() const;
  bool isWord(int64_t steps) const;
  /// f32 values of codes that were read: outer x K.
  Value decode(Value raw) const;
  /// Elements that share a scale, of a finished tile.
  SmallVector<int64_t> getScaleBlock() const;
  Value loadScalesOfElements(TileContext &step,
                             const tile::LinearLayout &layout) const;
  /// How many matrices there are.
  Value emitCount() const;
  /// Blocks along K in a step.
  int64_t getBlocks() const;
  /// Rows of A or columns of B that share a scale, as the storage has them.
  int64_t getSharing(int64_t outer) const;
  tile::MMAWaves getWaves() const {
    ArrayRef<int64_t> waves = ctx.schedule.getMatmul().getWaves();
    return {waves[0], waves[1]};
  }
  const MMA &getMMA() const {
    return *MMA::lookup(ctx.schedule.getMatmul().getMma());
  }
  /// This side's rows or columns of the result's layout.
  tile::LinearLayout getLine() const;

  TileContext &ctx;
  tile::MMASide side;
  bool isOneOfMany; // matrices; else it is the same one in every workgroup
  Value operand;    // what is read: see getSource
  bool isConverted; // by a prologue
  GemmOp op;
  const GemmPlan &plan;
  ScaledType scaled; // or null
  Type element;      // that the instruction takes
  bool takesScales;  // the instruction does
  bool kIsLast;      // of the operand's (logical) dimensions
  Value k;           // its extent
  int64_t staticK;
};

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_TETOTILE_GEMMOPERAND_H
