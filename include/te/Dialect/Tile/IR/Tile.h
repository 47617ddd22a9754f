//===- Tile.h - the tile dialect --------------------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The block-level dialect: kernels, launches, tiles in registers and their
// layouts.
//
//===----------------------------------------------------------------------===//
#ifndef TE_DIALECT_TILE_IR_TILE_H
#define TE_DIALECT_TILE_IR_TILE_H

#include "te/Dialect/Tile/IR/LinearLayout.h"
#include "te/Target/MMA.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "te/Dialect/Tile/IR/TileDialect.h.inc"
#include "te/Dialect/Tile/IR/TileEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "te/Dialect/Tile/IR/TileAttrs.h.inc"
#define GET_OP_CLASSES
#include "te/Dialect/Tile/IR/TileOps.h.inc"

namespace mlir::te::tile {
/// A tile of the given layout and element type.
RankedTensorType getTileType(Type elementType, MLIRContext *context,
                             const LinearLayout &layout);
/// The layout of a tile; the type must carry one (every tile does after
/// verification).
LinearLayout getLayout(Type tileType);
/// True for a ranked tensor with a #tile.layout.
bool isTile(Type type);
/// Elements along K of a tile that tile.mma takes: a byte holds two of fp4.
int64_t getOperandDepth(Type tileType);
/// T13: the order of an access of a tile of this rank permutes the bits of one
/// unit of a matrix.
LogicalResult verifyOrder(Operation *op, int64_t rank,
                          std::optional<LayoutAttr> order);
/// T18: rows of a tile that lie in runs; `hasOtherRows`: something else says
/// where they are.
LogicalResult verifyRowInterleave(Operation *op, int64_t run,
                                  bool hasOtherRows);
} // namespace mlir::te::tile

#endif // TE_DIALECT_TILE_IR_TILE_H
