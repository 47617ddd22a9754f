//===- Lowerings.h - tile lowerings by family -------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_TETOTILE_LOWERINGS_H
#define TE_LIB_CONVERSION_TETOTILE_LOWERINGS_H

#include "te/Conversion/TEToTile/TileContext.h"

namespace mlir::te {

void attachGemmLowering(MLIRContext *context);
void attachGemmSumLowering(MLIRContext *context);
void attachNormLowerings(MLIRContext *context);
void attachActivationLowerings(MLIRContext *context);
void attachMoveLowerings(MLIRContext *context);
void attachPartialLowerings(MLIRContext *context);
void attachUpdateScaleLowering(MLIRContext *context);
void attachRopeLowerings(MLIRContext *context);
/// `other`, but 0 where `tile` is `value`; f32, of one shape.
Value emitZeroWhere(TileContext &ctx, Value tile, double value, Value other);
/// 1 / the sum of a row's exponentials; 0 where the row has seen nothing.
Value emitInverseSum(TileContext &ctx, Value sum);
void attachSoftmaxLowerings(MLIRContext *context);
void attachAttentionLowering(MLIRContext *context);
void attachCopyLowerings(MLIRContext *context);

/// What te.gemm does to the product, an f32 tile; aux is defined on the way.
Value emitGemmEpilogue(TileContext &ctx, GemmOp op, Value product);
/// Where the columns of each of a workgroup's tiles of a product are: the
/// tile's, or for an op that reads both halves of the result (IndexMap: m(hn))
/// those of each half, next to as many others.
std::vector<TileContext> getProductColumns(TileContext &ctx,
                                           Operation *product);
/// The result, by as many tiles.
void defineProduct(TileContext &ctx, Operation *product, ValueRange tiles);

/// gelu(x) and gelu'(x) of an f32 tile.
Value emitGelu(TileContext &ctx, Value x);
Value emitGeluDerivative(TileContext &ctx, Value x);

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_TETOTILE_LOWERINGS_H
