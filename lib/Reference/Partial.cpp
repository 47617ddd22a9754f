//===- Partial.cpp - shards in the reference -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// te.partial_amax and te.partial_cast (docs/spec.md), in f32.
//
//===----------------------------------------------------------------------===//
#include "Handlers.h"
#include "te/Dialect/TE/IR/TE.h"

#include <cmath>

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::ref;

namespace {
/// What an op's shard holds of the whole tensor.
struct Shard {
  Matrix matrix;
  int64_t start;
  std::vector<double> elements;

  template <typename Op> Shard(Op op, Frame &frame) {
    std::tie(matrix.rows, matrix.cols) = op.getMatrix();
    start = frame.get(op.getStart()).buffers[0].template load<int64_t>(0);
    elements = frame.load(op.getShard());
  }

  /// `body(i, row, col)` for each element that the tensor has.
  template <typename Body> void forEach(Body body) const {
    for (int64_t i = 0, e = elements.size(); i < e; ++i) {
      int64_t at = start + i;
      if (at >= 0 && at < matrix.rows * matrix.cols)
        body(i, at / matrix.cols, at % matrix.cols);
    }
  }
};
} // namespace

static LogicalResult runPartialAmax(Operation *operation, Frame &frame) {
  auto op = cast<PartialAmaxOp>(operation);
  Shard shard(op, frame);
  for (unsigned i = 0; i < op.getNumWholes(); ++i) {
    ScaleGrid grid =
        ScaleGrid::of(getScaling(op.getWhole(i).getScaling()), shard.matrix);
    std::vector<double> amaxes(grid.rows * grid.cols);
    shard.forEach([&](int64_t n, int64_t row, int64_t col) {
      double &amax = amaxes[grid.indexOf(row, col)];
      amax = std::fmax(amax, std::fabs(shard.elements[n]));
    });
    if (failed(frame.store(op->getResult(i), {grid.rows, grid.cols}, amaxes)))
      return failure();
  }
  return success();
}

static LogicalResult runPartialCast(Operation *operation, Frame &frame) {
  auto op = cast<PartialCastOp>(operation);
  Shard shard(op, frame);
  for (unsigned i = 0; i < op.getNumWholes(); ++i) {
    ScaledType whole = op.getWhole(i);
    ScaleGrid grid =
        ScaleGrid::of(getScaling(whole.getScaling()), shard.matrix);
    DType element = *getDType(whole.getElementType());
    const HostTensor scales = frame.get(op.getScales()[i]).buffers[0];
    bool isE8M0 = scales.type == DType::F8E8M0FNU;
    auto codes =
        makeValue(op.getLoc(), op->getResult(i).getType(),
                  {int64_t(shard.elements.size())}, frame.options.poison);
    if (failed(codes))
      return failure();
    HostTensor &buffer = codes->buffers[0];
    buffer.unspecified.resize(buffer.bytes.size());
    shard.forEach([&](int64_t n, int64_t row, int64_t col) {
      int64_t block = grid.indexOf(row, col);
      float factor = isE8M0 ? getE8M0Multiplier(loadCode(scales, block))
                            : float(loadElement(scales, block));
      storeCode(buffer, n, encode(element, float(shard.elements[n]) * factor));
      if (isE8M0 && std::isnan(factor))
        buffer.unspecified[n] = 0xFF;
    });
    if (failed(frame.set(op->getResult(i), std::move(*codes))))
      return failure();
  }
  return success();
}

ArrayRef<HandlerEntry> mlir::te::ref::getPartialHandlers() {
  static constexpr HandlerEntry kHandlers[] = {
      {"te.partial_amax", runPartialAmax},
      {"te.partial_cast", runPartialCast},
  };
  return kHandlers;
}
