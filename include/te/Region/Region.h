//===- Region.h - ops that one kernel computes together ---------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What may share a te.fusion region. All ops of a region iterate over one M x K
// extent, tile by tile; a tile passes from op to op in registers. te-fuse asks
// these questions of ops that it would fuse, te-to-tile of regions that
// someone wrote. Slices and reshapes (views) are looked through: they are no
// ops of a region, as they compute nothing. A region may have several
// subkernels, each with an extent of its own, that read slices of one tensor or
// write operands of one.
//
//===----------------------------------------------------------------------===//
#ifndef TE_REGION_REGION_H
#define TE_REGION_REGION_H

#include "te/Dialect/TE/IR/TE.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::te {

/// True for an op of upstream's dialects that computes element by element on
/// tensors of one shape.
bool isElementwise(Operation *op);
/// True for an op that computes on tiles: a te op that has a tile lowering, or
/// an elementwise op on tensors of one shape.
bool isRegionOp(Operation *op);
/// True for a constant that its op's kernel has as an immediate, and its region
/// a copy of: one value everywhere, in an elementwise op with another tensor,
/// or one number a row, a column or a tensor. All other constants are data of
/// the artefact: arguments of the region.
bool isImmediate(OpOperand &operand);

/// True for tensor.extract_slice, expand_shape, collapse_shape and cast, and
/// for te.permute.
bool isView(Operation *op);
/// True for a view whose tiles are loaded transposed; `ByMatrix`: each of many
/// matrices by itself, which not all ops could.
bool isTransposed(Value value);
bool isTransposedByMatrix(Value value);
bool readsTransposedMatrices(Operation *op);
/// What a tensor is a reshape of that keeps the last dimension: the same tile.
Value getTileRoot(Value value);
/// The value whose tile an operand is: its tile root, or of a concat's operand
/// what it is any reshape of.
Value getRoot(OpOperand &operand);
/// The tensor that a value is a slice or te.permute of, or null where neither
/// is between.
Value getSliceSource(Value value);

/// What a value is with rows for columns, by a te.permute of two dimensions:
/// its source's tile root; null where it is not.
Value getTransposedSource(Value value);
/// Those of `ops` that compute on tiles which others of them compute or read,
/// but with rows for columns: a tile is transposed in registers, and their
/// extent is K x M.
llvm::SmallPtrSet<Operation *, 4> getTransposedOps(ArrayRef<Operation *> ops);

IndexMap getMap(OpOperand &operand);
IndexMap getMap(OpResult result);
/// True for an operand that may be a view in a region: no buffer as a whole.
bool readsTiles(OpOperand &operand);
/// True for an op that takes each matrix of its tensors by itself.
bool isPerMatrix(Operation *op);
bool needsWholeRows(Operation *op);
/// True where the op's tiles wait for something that is computed over rows.
bool readsWholeRows(Operation *op);
bool needsWholeColumns(Operation *op);
Value getNoopFlag(Operation *op);

/// Where rows are read in sweeps: the ops that the first ones lower
/// (those that read row statistics, and what these read), and the tiles that
/// can be kept from the first to the last.
SmallVector<Operation *> getStatisticOps(ArrayRef<Operation *> ops);
SmallVector<Value> getKeptValues(ArrayRef<Operation *> ops);
/// Those of `ops` that `values` are computed from.
SmallVector<Operation *> getProducers(ArrayRef<Operation *> ops,
                                      ArrayRef<Value> values);

/// True for a tensor<f32> that workgroups fold into by maximum.
bool isAmax(Value result);
/// True for a result that other ops of its region can read: a tile in
/// registers.
bool isTileValue(Value value);

/// The op whose result of two halves (IndexMap) a quantization or an amax
/// reads as its tiles, half after half; null for any other op. Its K must be
/// kWideUnit times something, so that no scale block or unit of scales lies in
/// both halves.
Operation *getWideProducer(Operation *op);
constexpr int64_t kWideUnit = 256;

/// The value that says how large the iteration space of `ops`' tiles is: one
/// that comes from outside, a tensor of tiles (mn), or else halves of one
/// (m(hn)), a column (m), a run of its elements ((mn)), or partial sums (smn);
/// null where there is none.
struct Anchor {
  Value value;
  IndexMap map = "mn";
  std::pair<int64_t, int64_t> whole = {0, 0}; // that it is a run of
  bool perMatrix = false; // M x K is one of many such matrices
  /// Dimensions that number these matrices.
  SmallVector<unsigned> getMatrixDims() const;
  /// M and K: static, or ShapedType::kDynamic.
  std::pair<int64_t, int64_t> getExtents() const;
};
Anchor findAnchor(ArrayRef<Operation *> ops);
/// The te.gemm among them, whose result is the extent then; or null.
GemmOp findGemm(ArrayRef<Operation *> ops);
/// The first row that is computed, where a te.gemm_sum has splits of the last
/// ones only; else 0.
int64_t getFirstRow(ArrayRef<Operation *> ops);
/// The op among them that reads both halves of that result, or of a
/// te.gemm_sum's: a workgroup computes two tiles of it then, one of each half.
/// Or null.
GatedActivationOp findGate(ArrayRef<Operation *> ops);
/// The same among all ops that read the result of a te.gemm or te.gemm_sum
/// where it is computed.
GatedActivationOp findGate(Operation *product);

/// True for what makes an operand of one te.gemm, and nothing else, of other
/// elements: a te.dequantize or a cast.
bool isConversion(Operation *op);
/// The same in that te.gemm's region, whose kernel converts what it reads: it
/// is no op of the region.
bool isPrologue(Operation *op);
/// What a kernel reads of an operand of te.gemm: what a prologue converts, or
/// the operand itself.
Value getSource(Value operand);
bool hasPrologue(GemmOp gemm);

/// The ops of each subkernel, in order; ops that have no tile are in none.
SmallVector<SmallVector<Operation *>> getSubkernels(ArrayRef<Operation *> ops);

/// Dimension i of a tensor, in index arithmetic over the sizes of those that it
/// is made from: `leaf(tensor, i)`, and `leaf(index, -1)` for an index that is
/// an operand of a view.
Value emitSize(ImplicitLocOpBuilder &b, Value tensor, int64_t i,
               function_ref<Value(Value, int64_t)> leaf);

/// M and K of an anchor, whose sizes `dim` gives.
Value emitRows(ImplicitLocOpBuilder &b, const Anchor &anchor,
               function_ref<Value(Value, int64_t)> dim);
Value emitColumns(ImplicitLocOpBuilder &b, const Anchor &anchor,
                  function_ref<Value(Value, int64_t)> dim);

/// What keeps ops from being computed by one kernel: the op, and why, with the
/// number of the rule (F3 to F12 of docs/spec.md).
struct Conflict {
  Operation *op;
  std::string why;
};
/// The first conflict among `ops`, which stand in the order of their block.
std::optional<Conflict> findConflict(ArrayRef<Operation *> ops);

/// The ops of a region, without constants, views, prologues and the terminator.
SmallVector<Operation *> getRegionOps(FusionOp fusion);

} // namespace mlir::te

#endif // TE_REGION_REGION_H
