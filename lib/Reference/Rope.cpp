//===- Rope.cpp - rotary embeddings in the reference -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// te.rope and te.rope_bwd (docs/spec.md), in double,
// each element rounded once.
//
//===----------------------------------------------------------------------===//
#include "Handlers.h"
#include "te/Dialect/TE/IR/TE.h"

#include <cmath>

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::ref;

namespace {
/// A token's sequence, its place in what the tensor holds of it, and how much
/// that is.
struct Token {
  int64_t sequence, place, length;
};
} // namespace

/// The token of row `row` of the (..., h, d) tensor; nothing where it belongs
/// to no sequence.
template <typename Op>
static std::optional<Token> findToken(Op op, int64_t row, const Frame &frame) {
  const std::vector<int64_t> &shape = frame.get(op.getInput()).shape;
  if (op.getFormat() == SequenceFormat::SBHD)
    return Token{row % shape[1], row / shape[1], shape[0]};
  if (op.getFormat() == SequenceFormat::BSHD)
    return Token{row / shape[1], row % shape[1], shape[1]};
  const HostTensor &offsets = frame.get(op.getCuSeqlens()).buffers[0];
  auto getStart = [&](int64_t sequence) {
    return offsets.load<int32_t>(sequence) / int64_t(op.getCpSize());
  };
  for (int64_t b = 0; b + 1 < offsets.getNumUnits(); ++b)
    if (getStart(b) <= row && row < getStart(b + 1))
      return Token{b, row - getStart(b), getStart(b + 1) - getStart(b)};
  return std::nullopt;
}

/// The row of freqs.
template <typename Op>
static int64_t getPosition(Op op, const Token &token, const Frame &frame) {
  int64_t position = token.place;
  if (Value starts = op.getStartPositions())
    position +=
        frame.get(starts).buffers[0].template load<int32_t>(token.sequence);
  int64_t size = op.getCpSize(), rank = op.getCpRank();
  if (size == 1)
    return position;
  int64_t half = token.length / 2;
  return position + (token.place < half
                         ? rank * half
                         : token.length * size - (rank + 1) * half - half);
}

namespace {
/// Where a column's value goes along: its partner, and with which sign.
struct Partner {
  int64_t column;
  double sign;
};
} // namespace

static Partner getPartner(int64_t column, int64_t columns, bool isInterleaved) {
  if (isInterleaved)
    return column % 2 == 0 ? Partner{column + 1, -1} : Partner{column - 1, 1};
  int64_t half = columns / 2;
  return column < half ? Partner{column + half, -1} : Partner{column - half, 1};
}

/// Rotates what is `x` forward and the gradient backward.
template <typename Op>
static LogicalResult rotate(Op op, bool isBackward, Frame &frame) {
  const TensorValue input = frame.get(op.getInput());
  const std::vector<int64_t> &table = frame.get(op.getFreqs()).shape;
  int64_t heads = input.shape[input.shape.size() - 2];
  int64_t size = input.shape.back(), columns = table[1];
  if (columns % 2 != 0 || columns > size)
    return op.emitError() << "freqs have " << columns
                          << " columns: an even number, at most " << size
                          << " (R2)";
  std::vector<double> x = frame.load(op.getInput());
  std::vector<double> freqs = frame.load(op.getFreqs());
  std::vector<double> inputs = frame.loadBounds(op.getInput());
  std::vector<double> y = x, bounds = inputs; // what is copied is as good
  for (int64_t row = 0, e = heads * size ? x.size() / (heads * size) : 0;
       row < e; ++row) {
    std::optional<Token> token = findToken(op, row, frame);
    int64_t position = token ? getPosition(op, *token, frame) : -1;
    if (position < 0 || position >= table[0])
      continue;
    const double *angles = freqs.data() + position * columns;
    for (int64_t head = 0; head < heads; ++head) {
      int64_t first = (row * heads + head) * size;
      for (int64_t i = 0; i < columns; ++i) {
        auto [j, sign] = getPartner(i, columns, op.getInterleaved());
        double sine = isBackward ? -std::sin(angles[j]) : std::sin(angles[i]);
        double own = x[first + i] * std::cos(angles[i]),
               other = sign * x[first + j] * sine;
        y[first + i] = own + other;
        bounds[first + i] = getSumBound(own * own + other * other) +
                            inputs[first + i] * std::fabs(std::cos(angles[i])) +
                            inputs[first + j] * std::fabs(sine);
      }
    }
  }
  return frame.store(op->getResult(0), input.shape, y, bounds);
}

static LogicalResult runRope(Operation *op, Frame &frame) {
  return rotate(cast<RopeOp>(op), /*isBackward=*/false, frame);
}

static LogicalResult runRopeBwd(Operation *op, Frame &frame) {
  return rotate(cast<RopeBwdOp>(op), /*isBackward=*/true, frame);
}

ArrayRef<HandlerEntry> mlir::te::ref::getRopeHandlers() {
  static constexpr HandlerEntry kHandlers[] = {
      {"te.rope", runRope},
      {"te.rope_bwd", runRopeBwd},
  };
  return kHandlers;
}
