//===- Passes.h - passes on the tile level ----------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_DIALECT_TILE_TRANSFORMS_PASSES_H
#define TE_DIALECT_TILE_TRANSFORMS_PASSES_H

#include "te/Dialect/Tile/IR/Tile.h"

#include "mlir/Pass/Pass.h"

namespace mlir::te::tile {
/// The attribute of loops whose operands tile-stage-operands sends through LDS,
/// and whose steps tile-pipeline lets overlap: a #tile.staging.
inline constexpr llvm::StringLiteral StagingMarker = "tile.staging";
/// The attribute of those of which half of the waves are a barrier behind the
/// others (tile-ping-pong).
inline constexpr llvm::StringLiteral PingPongMarker = "tile.ping_pong";
/// The attribute of those that tile-unroll unrolls: by how many.
inline constexpr llvm::StringLiteral UnrollMarker = "tile.unroll";
/// The attribute of loops that tile-prefetch-loads looks at.
inline constexpr llvm::StringLiteral PrefetchLoadsMarker = "tile.prefetch";
/// The same of tile-delay-stores.
inline constexpr llvm::StringLiteral DelayStoresMarker = "tile.delay";

/// The passes that a schedule may leave out (`without`), by their arguments.
SmallVector<StringRef> getOptionalPasses();
/// True where the kernel's `without` names the pass, or one that it needs.
bool isLeftOut(KernelOp kernel, const Pass &pass);

#define GEN_PASS_DECL
#include "te/Dialect/Tile/Transforms/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "te/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::te::tile

#endif // TE_DIALECT_TILE_TRANSFORMS_PASSES_H
