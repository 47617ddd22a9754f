//===- IterationSpaces.cpp - maps that depend on an op's attributes -------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// IterationSpaceInterface of ops whose maps ODS cannot say alone.
//
//===----------------------------------------------------------------------===//
#include "te/Dialect/TE/IR/TE.h"

using namespace mlir;
using namespace mlir::te;

//===----------------------------------------------------------------------===//
// te.quantize, te.amax
//===----------------------------------------------------------------------===//

static bool isByRow(OpResult result) {
  auto type = cast<ScaledType>(result.getType());
  return type.getScaling().getGranularity() == Granularity::Row;
}

IndexMap QuantizeOp::getOperandMap(unsigned index) {
  if (index > 0)
    return IndexMap("");
  return llvm::any_of(getScaledResults(), isByRow) ? "mn mr" : "mn";
}

IndexMap QuantizeOp::getResultMap(unsigned index) {
  return getOperation()->getResult(index) == getAmaxResult() ? "" : "mn";
}

Value QuantizeOp::getNoopFlag() { return getNoop(); }

Value AmaxOp::getNoopFlag() { return getNoop(); }

//===----------------------------------------------------------------------===//
// Norms, softmax
//===----------------------------------------------------------------------===//

// The mean, the least and the largest element; then of distances from the mean
// a sum and a sum of squares.
unsigned LayerNormOp::countRowNumbers() { return 3; }
unsigned LayerNormOp::countRowWaits() { return 2; }

unsigned LayerNormBwdOp::countRowNumbers() { return 2; }

// The largest element, then a sum.
unsigned SoftmaxOp::countRowNumbers() { return 2; }
unsigned SoftmaxOp::countRowWaits() { return 2; }

//===----------------------------------------------------------------------===//
// te.gemm, te.gemm_sum
//===----------------------------------------------------------------------===//

/// The op that reads both halves of a product's result in its region, or null.
static Operation *findHalvesReader(Operation *product) {
  if (!isa<FusionOp>(product->getParentOp()))
    return nullptr;
  for (OpOperand &use : product->getResult(0).getUses())
    if (auto reader = dyn_cast<IterationSpaceInterface>(use.getOwner());
        reader && reader.getOperandMap(use.getOperandNumber()).isHalves())
      return reader;
  return nullptr;
}

IndexMap GemmOp::getOperandMap(unsigned index) {
  if (index == 0)
    return getTransposeA() ? "km" : "mk";
  if (index == 1)
    return getTransposeB() ? "nk" : "kn";
  return getBias() && index == 2 ? "n" : "mn";
}

IndexMap GemmOp::getResultMap(unsigned index) {
  Value result = getOperation()->getResult(index);
  if (result == getBiasGrad())
    return {};
  if (getSplitK() || result == getRest())
    return "smn";
  return findHalvesReader(*this) ? "m(hn)" : "mn";
}

IndexMap GemmSumOp::getOperandMap(unsigned index) {
  if (index == 0)
    return "smn";
  return getBias() && index == 1 ? "n" : "mn";
}

IndexMap GemmSumOp::getResultMap(unsigned index) {
  return index == 0 && findHalvesReader(*this) ? "m(hn)" : "mn";
}

//===----------------------------------------------------------------------===//
// te.attention
//===----------------------------------------------------------------------===//

namespace {
/// j: keys, g: heads of k and v.
struct AttentionMaps {
  StringLiteral q, k, v, o;
};
} // namespace

/// By the number of the format.
static constexpr AttentionMaps kAttentionMaps[] = {
    {"mbhk", "jbgk", "jbgn", "mbhn"},
    {"bmhk", "bjgk", "bjgn", "bmhn"},
    {"bhmk", "bgjk", "bgjn", "bhmn"}};
static_assert(std::size(kAttentionMaps) ==
              getMaxEnumValForAttentionFormat() + 1);

IndexMap AttentionOp::getOperandMap(unsigned index) {
  const AttentionMaps &maps = kAttentionMaps[unsigned(getFormat())];
  return index == 0 ? maps.q : index == 1 ? maps.k : maps.v;
}

IndexMap AttentionOp::getResultMap(unsigned index) {
  return index == 0 ? IndexMap(kAttentionMaps[unsigned(getFormat())].o)
                    : IndexMap("bhm");
}

//===----------------------------------------------------------------------===//
// te.rope, te.update_scale, te.partial_amax, te.partial_cast
//===----------------------------------------------------------------------===//

int64_t te::getSharedHeads(RankedTensorType input) {
  int64_t heads = input.getDimSize(input.getRank() - 2);
  if (ShapedType::isDynamic(heads) || heads == 0)
    return 1;
  return int64_t(1) << llvm::countr_zero(uint64_t(heads));
}

bool te::isPartnerInWave(int64_t distance) {
  constexpr int64_t kNear = 128;
  return llvm::isPowerOf2_64(distance) && distance <= kNear;
}

/// Sines and cosines, of a part of the elements, are f32.
unsigned RopeOp::getExchangedBytes() {
  unsigned shared = getSharedHeads() > 1 ? 2 : 0;
  if (isPartnerInWave())
    return shared;
  return std::max(shared,
                  getInput().getType().getElementTypeBitWidth() / CHAR_BIT);
}

/// What the gradient exchanges is f32.
unsigned RopeBwdOp::getExchangedBytes() {
  constexpr unsigned kF32Bytes = 4;
  return isPartnerInWave() ? getSharedHeads() > 1 ? 2 : 0 : kF32Bytes;
}

/// A history of one tensor is a column.
static IndexMap getHistoryMap(UpdateScaleOp op) {
  auto type = cast<ShapedType>(op.getHistory().getType());
  return type.getRank() == 1 ? "m r" : "mn rn";
}

IndexMap UpdateScaleOp::getOperandMap(unsigned index) {
  return index == 0 ? getHistoryMap(*this) : "n";
}

IndexMap UpdateScaleOp::getResultMap(unsigned index) {
  return index == 0 ? getHistoryMap(*this) : "n";
}

std::pair<int64_t, int64_t> PartialAmaxOp::getWholeSizes() {
  return getMatrix();
}

std::pair<int64_t, int64_t> PartialCastOp::getWholeSizes() {
  return getMatrix();
}
