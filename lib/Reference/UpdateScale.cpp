//===- UpdateScale.cpp - delayed scaling's update in the reference -*- C++
//-*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// te.update_scale (docs/spec.md), in f32.
//
//===----------------------------------------------------------------------===//
#include "Handlers.h"
#include "te/Dialect/TE/IR/TE.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::ref;

/// The next scale of one tensor.
static float computeScale(float old, float amax, float largest) {
  if (!std::isfinite(amax) || amax <= 0)
    return old;
  float scale = largest / amax;
  return std::isinf(scale) ? std::numeric_limits<float>::max() : scale;
}

static LogicalResult runUpdateScale(Operation *operation, Frame &frame) {
  auto op = cast<UpdateScaleOp>(operation);
  const TensorValue history = frame.get(op.getHistory());
  int64_t length = history.shape[0];
  if (length == 0)
    return op.emitError() << "the history is empty (U1)";
  std::vector<double> old = frame.load(op.getHistory()), rolled = old;
  std::vector<double> scales = frame.load(op.getScale()), inverses;
  std::vector<double> amaxes(scales.size());
  if (op.getAmax())
    amaxes = frame.load(op.getAmax());
  DType element = *getDType(op.getElement());
  float largest =
      std::ldexp(float(getFormat(element).max), -int(op.getMargin()));
  int64_t count = scales.size();
  for (int64_t s = 0; s < count; ++s) {
    float last = amaxes[s] != 0 ? amaxes[s] : old[s];
    if (last != 0) {
      float most = last;
      for (int64_t i = 1; i < length; ++i) {
        most = std::fmax(most, float(old[i * count + s]));
        rolled[i * count + s] =
            i + 1 < length ? old[(i + 1) * count + s] : last;
      }
      rolled[s] = 0;
      bool takesMost = op.getAlgorithm() == AmaxAlgorithm::Max;
      scales[s] = computeScale(scales[s], takesMost ? most : last, largest);
    }
    inverses.push_back(1.0f / float(scales[s]));
  }
  auto shape = ArrayRef(history.shape).drop_front();
  if (failed(frame.store(op->getResult(0), history.shape, rolled)) ||
      failed(frame.store(op->getResult(1), shape, scales)))
    return failure();
  return op.getScaleInv() ? frame.store(op->getResult(2), shape, inverses)
                          : success();
}

ArrayRef<HandlerEntry> mlir::te::ref::getUpdateScaleHandlers() {
  static constexpr HandlerEntry kHandlers[] = {
      {"te.update_scale", runUpdateScale},
  };
  return kHandlers;
}
