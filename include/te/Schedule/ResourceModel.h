//===- ResourceModel.h - what a schedule costs ------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one model that chooses schedules and checks them, so that a schedule the
// user wrote is judged by the rules that the compiler's own obey.
//
//===----------------------------------------------------------------------===//
#ifndef TE_SCHEDULE_RESOURCEMODEL_H
#define TE_SCHEDULE_RESOURCEMODEL_H

#include "te/Dialect/Tile/IR/MMALayout.h"
#include "te/Region/Contraction.h"
#include "te/Region/Region.h"
#include "te/Target/Target.h"

namespace mlir::te {

/// What a fused region of memory-bound ops asks of its tile.
struct TileDemand {
  GemmOp gemm; // null where there is none: rows and cols are those of D
  AttentionOp attention; // null where there is none: rows and cols are a head's
  Contraction contraction; // another op's, by its maps
  int64_t products = 1; // tiles of B that a workgroup multiplies with one of A:
                        // two where D's halves are read together, and cols are
                        // those of a half
  /// A workgroup has one tile of a product.
  bool hasProduct() const { return gemm || contraction; }
  /// Columns of D that a workgroup computes.
  int64_t getColumns(ScheduleAttr schedule) const {
    return products * schedule.getTile()[1];
  }
  int64_t rows = 0, cols = 0;  // M and K; ShapedType::kDynamic where unknown
  bool isExpected = false;     // rows, or K, are only what is to be expected
  int64_t depth = 0;           // K of a product; or ShapedType::kDynamic
  int64_t firstRow = 0;        // that is computed
  unsigned inputBytes = 1;     // of one element of the widest tensor read
  unsigned outputBytes = 1;    // of one element of the widest written
  unsigned storedBytes = 0;    // of each element, of all tensors written
  unsigned liveBytes = 0;      // an element keeps in registers, at the most
  unsigned statisticBytes = 0; // of which f32 for what is computed over rows
  unsigned columnBytes = 0;    // of what is read once a column
  unsigned keptBytes = 0;      // of which from one sweep over a row to the next
  unsigned loadedBytes = 0;    // of each element, of all tensors read
  int64_t minRows = 1, minCols = 1;   // a whole scale block
  int64_t unitRows = 1, unitCols = 1; // elements whose scales lie side by side
  int64_t rowsPerWave = 0;            // that exchange elements inside a wave
  bool wholeRows = false;             // something is computed over each row
  bool wholeColumns = false;          // over each column, row by row
  bool readsHalves = false;           // of a wide result: tiles divide K
  bool mixesRows = false;             // elements read others of their row
  int64_t coverRows = 1, coverCols = 1; // whose multiples workgroups cover
  bool sharesRows = false;              // workgroups can: kernels of their own
                                        // compute what is computed over rows
  unsigned rowStatistics = 0;           // ops whose tiles wait for such things
  unsigned rowNumbers = 0;              // numbers of a row that these wait for
  unsigned rowWaits = 0;                // how often, one after another
  bool dividesGrid = false; // workgroups are not one column of tiles
  int64_t linesRows = 1;    // rows that fill a line of what is stored (K, M)
  bool storesFP4ByCols = false; // fp4 data (K, M), whose line takes twice as
                                // many
  bool storesFP4ByRows = false; // fp4 data (M, K)
  bool scalesByCols = false;    // scales of one column lie side by side
  bool reorders = false;        // data in another order than row-major
  unsigned amaxBytes = 2;       // of an element that is packed for it
  bool reducesRows = false;     // a scale or amax across rows
  bool sumsColumns = false;     // over all rows
  unsigned exchangedBytes = 0;  // of LDS for each element of the tile
};

/// The estimate for one schedule.
struct ResourceEstimate {
  int64_t elementsPerLane = 0;
  unsigned vgprs = 0;      // estimated, before register allocation
  bool prefetches = false; // loops over tiles read one ahead: the chip prefers
                           // that, and registers leave room for it
  bool readsShare = false; // of a cluster: its tiles of a row all at once, on
                           // their way to LDS, as registers leave room for it
  unsigned ldsBytes = 0; // exact upper bound of what tile-distribute allocates
};

/// The least LDS with which a compute unit holds no more than the schedule's
/// residents; 0 where it may hold as many as fit.
int64_t getResidentBytes(ScheduleAttr schedule, const Target &target);

/// How kernels of a target compute a te.gemm.
struct GemmPlan {
  /// Where scales come in: there are none; they multiply the sum over K; the
  /// partial sums of each block along K; the elements, as these become bf16; or
  /// they are operands of the instruction.
  enum class Scales { None, Sum, Blocks, Elements, Instruction };
  Scales scales = Scales::None;
  int64_t block = 1; // elements along K of a scale (but None, Sum)
  /// What the instruction takes: an operand of other elements is converted in
  /// registers, exactly.
  Type a, b;
  SmallVector<const MMA *> instructions; // the first is the default
};
/// The plan, or why there is none.
std::optional<GemmPlan> planGemm(GemmOp gemm, const Target &target,
                                 std::string &why);

/// An iteration of a pipelined te.gemm's loop is at most so many steps: its
/// code is to stay small.
inline constexpr int64_t kMostStepsInIteration = 16;
/// Bytes of scales of one of `outer` rows of A or columns of B that are read at
/// once, at most; LDS has room for two times as many.
int64_t getScaleBytes(const GemmPlan &plan, int64_t outer,
                      ScheduleAttr schedule, const Target &target);

/// So many steps of `step` elements, or as many of them as K (perhaps dynamic),
/// or each of its splits where they are alike, is known to be two whole ones of
/// at least; 1 where it is not.
int64_t getWholeSteps(int64_t steps, int64_t k, int64_t step, int64_t splits);

/// How one operand's elements go straight to LDS.
struct AsyncCopyPlan {
  bool alongK;   // its rows in memory lie along K, or are of one k each
  int64_t steps; // that are copied at once: of rows along K a cache line
};
/// The plan where they go as they lie in memory, by the chip's widest loads:
/// rows in whole tiles, of elements that the instruction takes, and lanes
/// enough; where rows do not lie along K, by reads of LDS that transpose.
std::optional<AsyncCopyPlan> planAsyncCopy(GemmOp gemm, const GemmPlan &plan,
                                           tile::MMASide side,
                                           ScheduleAttr schedule,
                                           const Target &target);

/// Bytes of LDS, at most, that what goes from wave to wave may take for each of
/// two areas that alternate: a CU that is full of waves has that for all
/// workgroups.
int64_t getScratchBytes(int64_t waves, const Target &target);

/// The demand of a region of these ops, by what they read and write.
TileDemand getTileDemand(ArrayRef<Operation *> ops);
/// What a size that is not known is taken for.
inline constexpr int64_t kUsualSize = 4096;
/// The size of a region that its kernels are for a range of: its rows or, where
/// types tell these, K of its te.gemm; null where they tell both.
int64_t TileDemand::*getRangedSize(const TileDemand &ofTypes);
/// The middle of a range by ratios, no more than a power of two, as sizes and
/// tiles are.
int64_t getExpectedSize(int64_t least, int64_t most);
/// The same of a region for a range, which expects a size in it, where the
/// range has an end.
TileDemand getRegionDemand(FusionOp fusion);
/// Of a region that reads halves of a product together, that of a kernel which
/// only multiplies: the columns of both are next to each other.
TileDemand getSeparateHalves(const TileDemand &demand);
/// The same where the schedule cuts K into splits, of the kernel that makes
/// these: halves meet where they are added up. Of others the same as given.
TileDemand getSplitDemand(const TileDemand &demand, ScheduleAttr schedule);
ResourceEstimate estimate(const TileDemand &demand, ScheduleAttr schedule,
                          const Target &target);
/// Where a workgroup sweeps rows, and several of its waves read the same
/// columns: the elements of each tensor of one number a column that it stages
/// in LDS, a whole row of tiles. 0 where it reads them from memory.
int64_t getStagedColumns(const TileDemand &demand, ScheduleAttr schedule,
                         const Target &target);
/// Waves that the backend should count on a SIMD for: of one workgroup, where
/// registers leave room for no more; of two, where a tile larger than the chip
/// prefers just leaves that; else nothing.
std::optional<int64_t> getWavesPerSIMD(const TileDemand &demand,
                                       ScheduleAttr schedule,
                                       const Target &target);
/// The default schedule: full lines along K, rows enough for a block and for
/// whole lines of the transposed copy, as many elements a lane as keep two
/// workgroups a SIMD.
ScheduleAttr chooseSchedule(MLIRContext *context, const TileDemand &demand,
                            const Target &target);
/// Where the last of these ops asks for other tiles of their te.gemm (a gate,
/// blocks of scales, their padding): why two kernels are faster, by the
/// roofline; nothing where they are not.
std::optional<std::string> findEpilogueLoss(ArrayRef<Operation *> ops,
                                            const Target &target);
/// Why a te.gemm that reads what conversions give (`plain`) is faster in a
/// kernel of its own than with the prologues of a region; nothing where it is
/// not.
std::optional<std::string> findPrologueLoss(FusionOp fusion, GemmOp plain,
                                            const Target &target);
/// Why a schedule is as it is, in words: what bounds each of its sizes.
std::string explainSchedule(const TileDemand &demand, ScheduleAttr schedule,
                            const Target &target);
/// Why a schedule does not meet the demand or the chip's limits (H4 to H23).
std::optional<std::string> findViolation(const TileDemand &demand,
                                         ScheduleAttr schedule,
                                         const Target &target);
/// The same as an error.
LogicalResult verifySchedule(function_ref<InFlightDiagnostic()> emitError,
                             const TileDemand &demand, ScheduleAttr schedule,
                             const Target &target);

} // namespace mlir::te

#endif // TE_SCHEDULE_RESOURCEMODEL_H
