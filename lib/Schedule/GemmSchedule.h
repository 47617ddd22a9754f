//===- GemmSchedule.h - schedules of regions with a te.gemm -----*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_SCHEDULE_GEMMSCHEDULE_H
#define TE_LIB_SCHEDULE_GEMMSCHEDULE_H

#include "te/Schedule/ResourceModel.h"

namespace mlir::te {

/// Registers a lane of a workgroup that has a CU for itself.
unsigned getMostVGPRs(ScheduleAttr schedule, const Target &target);

/// Of an element, or of a tensor's.
int64_t getElementBits(Type type);
int64_t getK(GemmOp gemm); // or ShapedType::kDynamic
/// An operand's rows in memory are along K.
bool liesAlongK(Value operand, unsigned kDim);
/// Both operands.
bool lieAlongK(GemmOp gemm);
/// The target's instructions that take these elements as they are, those with
/// the most products a cycle first, then large ones. Scaled ones take operands
/// without scales too.
SmallVector<const MMA *> findInstructions(const Target &target, Type a, Type b,
                                          bool needsScales);
/// G2: why kernels of the target do not compute an op with products.
std::string whyNoProducts(StringRef op, const Target &target);
/// H14: why the schedule of a region with such an op needs a matmul.
std::string whyNoMatmul(StringRef op);
/// The schedule says how a te.gemm, or rows, are divided: split_k, group,
/// workgroups, row_tiles or sweep.
bool dividesWork(ScheduleAttr schedule);
/// H14: why a schedule's instruction is none of those for the operands.
std::optional<std::string> whyNotInstruction(MatmulAttr matmul,
                                             ArrayRef<const MMA *> instructions,
                                             const Target &target);
/// H15: why waves cannot share a schedule's tile by its instruction.
std::optional<std::string> whyNotTile(ScheduleAttr schedule,
                                      const Target &target);
/// Rows or columns of a tile: powers of two from the least that the epilogue
/// and the instruction allow to what the result asks for, the largest first.
SmallVector<int64_t> listSizes(int64_t extent, int64_t least);
/// So many waves at most: twice as many along the longer side, or as many.
std::array<int64_t, 2> chooseWaves(std::array<int64_t, 2> tile, const MMA &mma,
                                   int64_t most);
/// LDS through which sums become elements that are stored, of so many bytes: in
/// splits of a wave's rows, as far as registers hold these on both sides
/// (SharedLayout). On one they are those of several instructions, on the other
/// what lanes leave that have whole rows of the wave's columns.
int64_t getPassingBytes(ScheduleAttr schedule, int64_t bytes,
                        const Target &target);
/// M, N and K are, or are expected.
bool areSizesKnown(const TileDemand &demand);

// What the functions of ResourceModel.h ask where the region has a te.gemm.

/// How a product is dealt out: K is cut into so many splits, of the rows after
/// so many; or so many workgroups compute one tile after the other (0: each has
/// one).
struct Split {
  int64_t count = 1, wholeRows = 0, workgroups = 0;
};
/// How K may be cut for all rows with this schedule, of whose own split nothing
/// is asked: not, and in other ways where all sizes are known.
SmallVector<Split> listSplits(const TileDemand &demand, ScheduleAttr schedule,
                              const Target &target);
/// The same for the rows whose tiles do not have a round of all CUs for
/// themselves; none where there are no such rows, or no others.
SmallVector<Split> listTailSplits(const TileDemand &demand,
                                  ScheduleAttr schedule, const Target &target);
/// As many workgroups as CUs hold at once, where there are more tiles, whose
/// stores then lie next to the next ones' products; or nothing.
SmallVector<Split> listPersistent(const TileDemand &demand,
                                  const GemmPlan &plan, ScheduleAttr schedule,
                                  const Target &target);
/// All of these, the schedule without a split first.
SmallVector<Split> listAllSplits(const TileDemand &demand, const GemmPlan &plan,
                                 ScheduleAttr schedule, const Target &target);
/// With such a split, and the order of tiles that goes with it.
ScheduleAttr withSplit(const TileDemand &demand, ScheduleAttr schedule,
                       Split split, const Target &target);
ScheduleAttr chooseGemmSchedule(MLIRContext *context, const TileDemand &demand,
                                const Target &target);
/// Registers next to the estimate's, where there is room: reads of LDS that
/// transpose bring the operands of short instructions in chunks, which are put
/// together elsewhere.
unsigned countCopies(const TileDemand &demand, const GemmPlan &plan,
                     ScheduleAttr schedule, const Target &target);
ResourceEstimate estimateGemm(const TileDemand &demand, ScheduleAttr schedule,
                              const Target &target);
std::string explainGemmSchedule(const TileDemand &demand, ScheduleAttr schedule,
                                const Target &target);
/// H14, H15 and H17, and G2: the region has a te.gemm just where the schedule
/// has a matmul, which this te.gemm and this chip allow.
std::optional<std::string> findGemmViolation(const TileDemand &demand,
                                             ScheduleAttr schedule,
                                             const Target &target);

} // namespace mlir::te

#endif // TE_LIB_SCHEDULE_GEMMSCHEDULE_H
