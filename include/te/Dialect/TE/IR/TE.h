//===- TE.h - the te dialect ------------------------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tensor-level dialect: types, attributes and operations. Reference pages
// are in docs/reference; the semantics are in docs/spec.md.
//
//===----------------------------------------------------------------------===//
#ifndef TE_DIALECT_TE_IR_TE_H
#define TE_DIALECT_TE_IR_TE_H

#include "te/Dialect/TE/IR/IndexMap.h"
#include "te/Target/MMA.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::OpTrait {
/// The op's index maps are those that ODS has (TE_IterationSpace).
template <typename Op>
class DeclaresIndexMaps : public TraitBase<Op, DeclaresIndexMaps> {};
} // namespace mlir::OpTrait

namespace mlir::te {
class TileContext;

/// M and K of a shape flattened as Transformer Engine does: K is the last
/// dimension, M the product of the others; rank 0 is 1 x 1. Dynamic where a
/// part is.
std::pair<int64_t, int64_t> flatten(ArrayRef<int64_t> shape);

/// What te.rope and te.rope_bwd ask of their input, and of the distance of two
/// elements that are rotated together.
int64_t getSharedHeads(RankedTensorType input);
bool isPartnerInWave(int64_t distance);

/// How matrix instructions know an element type (i8: packed fp4 codes).
std::optional<MMAFormat> getMMAFormat(Type elementType);

/// The fields of #te.grid, whose description says what they are.
struct Grid {
  int64_t rowTiles = 1, workgroups = 0, rowSplit = 1, cluster = 1;
  int64_t splitK = 1, wholeRows = 0, groupM = 0, residents = 0;
  int64_t l2PrefetchDistance = 0, l2PrefetchBytes = 0;
};
} // namespace mlir::te

#include "te/Dialect/TE/IR/TEDialect.h.inc"
#include "te/Dialect/TE/IR/TEEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "te/Dialect/TE/IR/TEAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "te/Dialect/TE/IR/TETypes.h.inc"

#include "te/Dialect/TE/IR/TEInterfaces.h.inc"
#define GET_OP_CLASSES
#include "te/Dialect/TE/IR/TEOps.h.inc"

#endif // TE_DIALECT_TE_IR_TE_H
