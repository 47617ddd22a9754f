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
/// angles are read as well. Measured on sm_90a; by the cycle model on the
/// others.
constexpr int64_t kRotatedBytes = 32;
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

int64_t te::getTileBytes(const TileDemand &demand, const Target &target) {
  if (demand.readsHalves) // which a lane holds both of
    return demand.reducesRows ? target.halvesBytesPerLane
                              : target.tileBytesPerLane / 2;
  if (demand.mixesRows)
    return std::min<int64_t>(target.tileBytesPerLane, kRotatedBytes);
  // Waves that wait for each other are better few.
  if (demand.sharesRows && demand.minRows == 1 && !demand.sumsColumns)
    return target.freeBytesPerLane;
  if (demand.wholeRows || demand.unitRows > 1 || fillsBothLines(demand, target))
    return target.tileBytesPerLane;
  int64_t widest = std::max(demand.inputBytes, demand.outputBytes);
  return std::max<int64_t>(target.tileBytesPerLane,
                           target.freeBytesPerLane * widest /
                               std::max<int64_t>(demand.loadedBytes, widest));
}
