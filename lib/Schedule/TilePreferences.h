//===- TilePreferences.h - which tiles a chip prefers -----------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/decisions/0010-what-a-chip-prefers.md.
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_SCHEDULE_TILEPREFERENCES_H
#define TE_LIB_SCHEDULE_TILEPREFERENCES_H

#include "te/Schedule/ResourceModel.h"
#include "te/Target/Timing.h"

namespace mlir::te {

/// Waves that a tile which does not hold whole rows has at the most.
inline constexpr int64_t kMostTileWaves = 8;
/// Registers a lane from which on a row is better spread over more waves, where
/// lanes hold as much of a row as of another tile; else as many times that.
inline constexpr unsigned kWideVGPRs = 128;
/// Elements of fp4 that fill a line.
inline constexpr int64_t kFP4Line = 2 * kStoreBytes;

/// Tiles that hold parts of rows fill lines of fp4 data that are stored (K, M),
/// where there are as many rows.
bool fillsFP4Rows(const TileDemand &demand);

/// They go both ways: tiles fill lines of both, where lanes then hold no more
/// than twice what they prefer, and registers suffice.
bool fillsBothLines(const TileDemand &demand, const Target &target);

/// It normalizes rows, and does nothing else.
bool isNormAlone(const TileDemand &demand);

/// Nothing goes along columns: a tile is as much of a row as it can, of what
/// memory, and scales, are then whole lines.
/// By the cycle model no better where workgroups walk.
bool fillsRows(const TileDemand &demand, const Target &target);

/// Bytes of a tile that a lane holds by preference, of the wider of input and
/// output; of a tile that holds whole rows.
int64_t getTileBytes(const TileDemand &demand, const Target &target);
int64_t getRowBytes(const TileDemand &demand, const Target &target);

} // namespace mlir::te

#endif // TE_LIB_SCHEDULE_TILEPREFERENCES_H
