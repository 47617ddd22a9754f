//===- TilePreferences.cpp - which tiles a chip prefers ------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TilePreferences.h"

using namespace mlir;
using namespace mlir::te;

namespace {
/// Bytes of a tile that a lane holds, at the most, where elements are rotated:
/// angles are read as well. Measured on an H200; by the cycle model on AMD's
/// chips.
constexpr int64_t kRotatedBytes = 32;
/// Where nothing goes along columns, of as many waves as a tile has at most.
constexpr int64_t kRunBytes = 32;
/// Of whole rows that are waited for: of norms that do nothing else, and, at
/// the most and at the least, where a second tensor is read with them; less
/// where so many waves hold a row then.
constexpr int64_t kNormBytes = 32, kMostResidualBytes = 32,
                  kLeastResidualBytes = 16, kResidualWaves = 16;
} // namespace

bool te::fillsFP4Rows(const TileDemand &demand) {
  return demand.storesFP4ByCols && !demand.wholeRows &&
         (ShapedType::isDynamic(demand.rows) || demand.rows > kFP4Line / 2);
}

bool te::fillsBothLines(const TileDemand &demand, const Target &target) {
  int64_t elements = kFP4Line * kFP4Line / (kMostTileWaves * target.waveSize);
  int64_t widest = std::max(demand.inputBytes, demand.outputBytes);
  return fillsFP4Rows(demand) && demand.storesFP4ByRows &&
         elements * widest <= 2 * target.tileBytesPerLane &&
         elements * demand.liveBytes <= 4 * kWideVGPRs;
}

/// What is computed over rows is that, and each is a workgroup's.
static bool waitsForRows(const TileDemand &demand) {
  return demand.sharesRows && demand.minRows == 1 && !demand.sumsColumns;
}

bool te::isNormAlone(const TileDemand &demand) {
  return demand.rowStatistics == 1 && demand.outputBytes >= demand.inputBytes &&
         demand.loadedBytes == demand.inputBytes;
}

bool te::fillsRows(const TileDemand &demand, const Target &target) {
  return !target.prefersPersistent && !demand.wholeRows &&
         !demand.wholeColumns && !demand.readsHalves && demand.minRows == 1 &&
         demand.unitRows == 1 && demand.linesRows == 1 &&
         demand.rowsPerWave == 0 && !demand.reducesRows &&
         !demand.scalesByCols && !demand.sumsColumns &&
         !ShapedType::isDynamic(demand.cols);
}

int64_t te::getTileBytes(const TileDemand &demand, const Target &target) {
  if (demand.readsHalves) // which a lane holds both of
    return demand.reducesRows ? target.halvesBytesPerLane
                              : target.tileBytesPerLane / 2;
  if (demand.mixesRows)
    return std::min<int64_t>(target.tileBytesPerLane, kRotatedBytes);
  // Waves that wait for each other are better few.
  if (waitsForRows(demand))
    return target.freeBytesPerLane;
  if (fillsRows(demand, target))
    return std::min<int64_t>(target.tileBytesPerLane, kRunBytes);
  if (demand.wholeRows || demand.unitRows > 1 || fillsBothLines(demand, target))
    return target.tileBytesPerLane;
  int64_t widest = std::max(demand.inputBytes, demand.outputBytes);
  return std::max<int64_t>(target.tileBytesPerLane,
                           target.freeBytesPerLane * widest /
                               std::max<int64_t>(demand.loadedBytes, widest));
}

/// Of a row and a second tensor's.
static int64_t getResidualBytes(const TileDemand &demand,
                                const Target &target) {
  if (demand.rowStatistics > 1) // with more instructions in between
    return kMostResidualBytes;
  int64_t row = llvm::PowerOf2Ceil(std::max<int64_t>(demand.cols, 1)) *
                std::max(demand.inputBytes, demand.outputBytes);
  return std::clamp<int64_t>(row / (kResidualWaves * target.waveSize),
                             kLeastResidualBytes, kMostResidualBytes);
}

int64_t te::getRowBytes(const TileDemand &demand, const Target &target) {
  int64_t bytes = getTileBytes(demand, target);
  if (target.prefersPersistent || !waitsForRows(demand))
    return bytes;
  if (demand.loadedBytes > demand.inputBytes)
    return std::min(bytes, getResidualBytes(demand, target));
  return isNormAlone(demand) ? std::min(bytes, kNormBytes) : bytes;
}
