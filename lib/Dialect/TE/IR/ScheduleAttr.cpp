//===- ScheduleAttr.cpp - #te.schedule ------------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verification of the schedule and of the attributes in it: what holds for any
// region. Whether one suits a region is the resource model's to say
// (te/Schedule/ResourceModel.h). Rule numbers are those of docs/spec.md.
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/TE/IR/TE.h"
#include "te/Target/MMA.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;

/// Steps that LDS has room for, of operands that go straight to it.
static constexpr int64_t kMostDirectStages = 8;

static bool isPow2(int64_t n) { return n > 0 && llvm::isPowerOf2_64(n); }

LogicalResult MatmulAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef mma, int64_t k,
                                 ArrayRef<int64_t> waves) {
  const MMA *instruction = MMA::lookup(mma);
  if (!instruction)
    return emitError() << "there is no matrix instruction '" << mma
                       << "'; docs/spec.md lists those of each chip (H14)";
  if (!isPow2(k) || k < instruction->k)
    return emitError() << "k = " << k << "; a step sums a power of two of "
                       << "elements, at least the " << instruction->k << " of "
                       << mma << " (H14)";
  if (waves.size() != 2 || !llvm::all_of(waves, isPow2))
    return emitError() << "waves of a matmul are two powers of two, along the "
                          "rows and the columns of its tile (H14)";
  return success();
}

LogicalResult PipelineAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t stages, bool directToLds,
                                   bool pingPong) {
  if (!directToLds && stages != 1 && stages != 2)
    return emitError() << "stages = " << stages
                       << ", but what is not direct_to_lds is loaded for one "
                          "step, or for two; use 1 or 2 (H14)";
  if (directToLds && (stages < 2 || stages > kMostDirectStages))
    return emitError() << "stages = " << stages
                       << ", but direct_to_lds needs room for 2 to "
                       << kMostDirectStages << " steps; set stages (H14)";
  if (pingPong && stages == 1)
    return emitError() << "ping_pong needs a step that is read while another "
                          "is written, but stages = 1; use 2 or more (H14)";
  return success();
}

LogicalResult GridAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t rowTiles, int64_t workgroups,
                               int64_t rowSplit, int64_t cluster,
                               int64_t splitK, int64_t wholeRows,
                               int64_t groupM, int64_t residents,
                               int64_t prefetchDistance,
                               int64_t prefetchBytes) {
  if (!isPow2(rowTiles))
    return emitError() << "row_tiles = " << rowTiles
                       << " is not a power of two; 1 stands for one tile (H2)";
  for (auto [name, value, meaning] :
       {std::tuple<StringRef, int64_t, StringRef>{"row_split", rowSplit,
                                                  "whole rows"},
        {"cluster", cluster, "workgroups that have their rows to themselves"},
        {"split_k", splitK, "sums over all of K"}})
    if (value < 1)
      return emitError() << name << " = " << value
                         << " is not positive; 1 stands for " << meaning
                         << " (H2)";
  for (auto [name, value, meaning] :
       {std::tuple<StringRef, int64_t, StringRef>{
            "workgroups", workgroups, "one for each group of row_tiles tiles"},
        {"whole_rows", wholeRows, "splits of all rows"},
        {"group_m", groupM, "tiles row by row"},
        {"residents", residents, "as many as fit"},
        {"l2_prefetch_distance", prefetchDistance, "no prefetch"}})
    if (value < 0)
      return emitError() << name << " = " << value
                         << " is negative; 0 stands for " << meaning << " (H2)";
  if (wholeRows > 0 && splitK == 1)
    return emitError() << "whole_rows = " << wholeRows
                       << " are the rows before those whose K is split, but "
                          "split_k = 1; set split_k, or leave it out (H2)";
  if ((prefetchDistance > 0) != (prefetchBytes != 0) ||
      (prefetchDistance > 0 && !isPow2(prefetchBytes)))
    return emitError() << "l2_prefetch_distance = " << prefetchDistance
                       << " and l2_prefetch_bytes = " << prefetchBytes
                       << " are not a number of workgroups and a power of two "
                          "of bytes; give both, or none (H2)";
  return success();
}

GridAttr GridAttr::get(MLIRContext *context, const Grid &grid) {
  return get(context, grid.rowTiles, grid.workgroups, grid.rowSplit,
             grid.cluster, grid.splitK, grid.wholeRows, grid.groupM,
             grid.residents, grid.l2PrefetchDistance, grid.l2PrefetchBytes);
}

Grid GridAttr::toGrid() const {
  return {getRowTiles(),       getWorkgroups(), getRowSplit(),
          getCluster(),        getSplitK(),     getWholeRows(),
          getGroupM(),         getResidents(),  getL2PrefetchDistance(),
          getL2PrefetchBytes()};
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   StringRef target, ArrayRef<int64_t> tile,
                                   int64_t waves, int64_t vector, SweepKind,
                                   MatmulAttr matmul, PipelineAttr pipeline,
                                   GridAttr grid, ArrayAttr without) {
  if (tile.size() != 2)
    return emitError() << "tile has two sizes, [rows, columns], but "
                       << tile.size() << " are given (H1)";
  for (auto [what, value] :
       {std::pair<StringRef, int64_t>{"tile rows", tile[0]},
        {"tile columns", tile[1]},
        {"waves", waves},
        {"vector", vector}})
    if (!isPow2(value))
      return emitError() << what << " = " << value
                         << " is not a power of two; the nearest below is "
                         << (value > 0 ? llvm::bit_floor(uint64_t(value)) : 1)
                         << " (H2)";
  if (vector > tile[1])
    return emitError() << "a lane's vector of " << vector
                       << " elements is wider than the tile's " << tile[1]
                       << " columns; make it as wide at most (H3)";
  if (without && !llvm::all_of(without, llvm::IsaPred<StringAttr>))
    return emitError() << "without is a list of passes by their names in "
                          "quotes, but it is "
                       << without << " (H23)";
  bool isOfProduct = pipeline != PipelineAttr::get(pipeline.getContext()) ||
                     grid.getSplitK() > 1 || grid.getGroupM() > 0;
  if (!matmul && isOfProduct)
    return emitError() << "pipeline, split_k and group_m are of a product, but "
                          "there is no matmul; leave them out, or give one "
                          "(H14)";
  if (!matmul)
    return success();
  if (llvm::product_of(matmul.getWaves()) != waves)
    return emitError() << waves << " waves are not " << matmul.getWaves()[0]
                       << " x " << matmul.getWaves()[1]
                       << ", those of matmul; make one equal to the other "
                          "(H14)";
  if (int64_t least = MMA::lookup(matmul.getMma())->k;
      pipeline.getPingPong() && matmul.getK() == least)
    return emitError() << "ping_pong needs steps of several instructions, but "
                          "k = "
                       << least << " is one; use k = " << 2 * least
                       << " or more, or leave out ping_pong (H14)";
  return success();
}

ScheduleAttr ScheduleAttr::get(MLIRContext *context, StringRef target,
                               ArrayRef<int64_t> tile, int64_t waves,
                               int64_t vector, SweepKind sweep,
                               const Grid &grid) {
  return get(context, target, tile, waves, vector, sweep, MatmulAttr(),
             PipelineAttr::get(context), GridAttr::get(context, grid),
             ArrayAttr());
}

ScheduleAttr ScheduleAttr::get(MLIRContext *context, StringRef target,
                               ArrayRef<int64_t> tile, int64_t vector,
                               MatmulAttr matmul, PipelineAttr pipeline,
                               const Grid &grid) {
  return get(context, target, tile, llvm::product_of(matmul.getWaves()), vector,
             SweepKind::None, matmul, pipeline, GridAttr::get(context, grid),
             ArrayAttr());
}

ScheduleAttr ScheduleAttr::withTile(ArrayRef<int64_t> tile) const {
  return get(getContext(), getTarget(), tile, getWaves(), getVector(),
             getSweep(), getMatmul(), getPipeline(), getGrid(), getWithout());
}

ScheduleAttr ScheduleAttr::withGrid(const Grid &grid) const {
  return get(getContext(), getTarget(), getTile(), getWaves(), getVector(),
             getSweep(), getMatmul(), getPipeline(),
             GridAttr::get(getContext(), grid), getWithout());
}
