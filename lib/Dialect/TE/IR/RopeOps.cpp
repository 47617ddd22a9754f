//===- RopeOps.cpp - verifiers of te.rope and te.update_scale -------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constraint numbers (R1, U2, ...) are those of docs/spec.md.
//
//===----------------------------------------------------------------------===//
#include "Verifiers.h"

using namespace mlir;
using namespace mlir::te;

//===----------------------------------------------------------------------===//
// te.rope, te.rope_bwd
//===----------------------------------------------------------------------===//

/// R2: freqs are (positions, d2).
template <typename Op> static LogicalResult verifyFreqs(Op op) {
  int64_t columns = getShape(op.getFreqs())[1];
  int64_t most = getShape(op.getInput()).back();
  if (ShapedType::isDynamic(columns))
    return success();
  if (columns % 2 != 0)
    return op.emitOpError() << "freqs have " << columns
                            << " columns; columns are rotated in pairs, so "
                               "that their number is even (R2)";
  if (!ShapedType::isDynamic(most) && columns > most)
    return op.emitOpError()
           << "freqs have " << columns << " columns, but the input has " << most
           << "; give as many columns as are rotated (R2)";
  return success();
}

/// How many sequences the operands speak of, dynamic where that is not known.
template <typename Op> static int64_t getSequences(Op op) {
  ArrayRef<int64_t> shape = getShape(op.getInput());
  switch (op.getFormat()) {
  case SequenceFormat::SBHD:
    return shape[1];
  case SequenceFormat::BSHD:
    return shape[0];
  case SequenceFormat::THD:
    break;
  }
  int64_t offsets = getShape(op.getCuSeqlens())[0];
  return ShapedType::isDynamic(offsets) ? offsets : offsets - 1;
}

/// R3, R4: what is said about each sequence.
template <typename Op> static LogicalResult verifySequences(Op op) {
  bool isThd = op.getFormat() == SequenceFormat::THD;
  if (isThd != bool(op.getCuSeqlens()))
    return op.emitOpError()
           << "thd and cu_seqlens go together: they say where the "
              "sequences start; "
           << (isThd ? "add cu_seqlens(..)" : "drop cu_seqlens") << " (R4)";
  if (isThd && getShape(op.getCuSeqlens())[0] == 0)
    return op.emitOpError() << "cu_seqlens is empty; it has one number "
                               "more than there are sequences (R4)";
  Value positions = op.getStartPositions();
  if (!positions)
    return success();
  int64_t sequences = getSequences(op), found = getShape(positions)[0];
  if (ShapedType::isDynamic(sequences) || ShapedType::isDynamic(found) ||
      sequences == found)
    return success();
  return op.emitOpError() << "start_positions has " << found
                          << " number(s), but there are " << sequences
                          << " sequence(s); give one each (R3)";
}

/// R5.
template <typename Op> static LogicalResult verifyParallel(Op op) {
  int64_t size = op.getCpSize(), rank = op.getCpRank();
  if (size < 1 || rank < 0 || rank >= size)
    return op.emitOpError() << "cp_rank is " << rank << " and cp_size " << size
                            << "; ranks count from 0 to cp_size - 1 (R5)";
  if (size == 1 || op.getFormat() == SequenceFormat::THD)
    return success();
  int64_t length =
      getShape(op.getInput())[op.getFormat() == SequenceFormat::BSHD];
  if (!ShapedType::isDynamic(length) && length % 2 != 0)
    return op.emitOpError()
           << "the tensor holds " << length
           << " tokens of a sequence; with cp_size > 1 these are two chunks of "
              "one size, and their number is even (R5)";
  return success();
}

template <typename Op> static LogicalResult verifyRope(Op op) {
  size_t rank = op.getFormat() == SequenceFormat::THD ? 3 : 4;
  if (getShape(op.getInput()).size() != rank)
    return op.emitOpError()
           << "the input has rank " << getShape(op.getInput()).size()
           << ", but " << stringifySequenceFormat(op.getFormat())
           << " has a dimension for each letter (R1)";
  return failure(failed(verifyShape(
                     op, "R1", "the result", getShape(op.getInput()),
                     op.getResult().getType(), "it has the input's shape")) ||
                 failed(verifyFreqs(op)) || failed(verifySequences(op)) ||
                 failed(verifyParallel(op)));
}

LogicalResult RopeOp::verify() { return verifyRope(*this); }
LogicalResult RopeBwdOp::verify() { return verifyRope(*this); }

//===----------------------------------------------------------------------===//
// te.update_scale
//===----------------------------------------------------------------------===//

LogicalResult UpdateScaleOp::verify() {
  ArrayRef<int64_t> history = getShape(getHistory());
  if (history.empty() || history.size() > 2 || history[0] == 0)
    return emitOpError() << "the history is " << getHistory().getType()
                         << "; it is (L) or (L, S), L amaxes of S tensors, "
                            "with L at least 1 (U1)";
  if (failed(verifyShape(*this, "U1", "the new history", history,
                         getNewHistory().getType(), "it has the history's")))
    return failure();
  std::pair<StringRef, Value> others[] = {{"scale", getScale()},
                                          {"amax", getAmax()},
                                          {"the new scale", getNewScale()},
                                          {"scale_inv", getScaleInv()}};
  for (auto [name, value] : others)
    if (value && failed(verifyShape(
                     *this, "U1", name, history.drop_front(), value.getType(),
                     "it has one number a tensor, as a row of the "
                     "history")))
      return failure();
  if (!isa<Float8E4M3FNType, Float8E4M3FNUZType, Float8E5M2Type,
           Float8E5M2FNUZType>(getElement()))
    return emitOpError() << "the element type is " << getElement()
                         << "; delayed scaling is for f8E4M3FN, f8E5M2, "
                            "f8E4M3FNUZ and f8E5M2FNUZ (U2)";
  if (int64_t margin = getMargin(); margin < -64 || margin > 64)
    return emitOpError() << "margin is " << margin
                         << "; it is an exponent of two, from -64 to 64 (U3)";
  return success();
}
