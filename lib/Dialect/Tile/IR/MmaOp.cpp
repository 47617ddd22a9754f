//===- MmaOp.cpp - tile.mma and #tile.mma ---------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/TE/IR/TE.h"
#include "te/Dialect/Tile/IR/MMALayout.h"
#include "te/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

LogicalResult MMAAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              StringRef name) {
  if (MMA::lookup(name))
    return success();
  return emitError() << "there is no matrix instruction '" << name
                     << "'; docs/spec.md lists those of each chip (T20)";
}

const MMA &MMAAttr::getMMA() const { return *MMA::lookup(getName()); }

/// The tile is kept as the instruction wants it.
static LogicalResult verifyLayout(MmaOp op, StringRef what, Type tile,
                                  const LinearLayout &expected) {
  if (getLayout(tile) == expected)
    return success();
  return op.emitOpError() << what << " is not kept as "
                          << op.getIntrinsic().getName()
                          << " wants it; expected "
                          << LayoutAttr::get(op.getContext(), expected)
                          << " (T20)";
}

/// One operand and its scales. `outer` and `k` are the elements' extents.
static LogicalResult verifySide(MmaOp op, StringRef what, MMASide side,
                                Value operand, Value scale, int64_t outer,
                                int64_t k, MMAWaves waves) {
  const MMA &mma = op.getIntrinsic().getMMA();
  auto type = cast<RankedTensorType>(operand.getType());
  std::optional<MMAFormat> format = getMMAFormat(type.getElementType());
  if (!format || !mma.accepts(*format))
    return op.emitOpError() << mma.name << " does not take " << what << "'s "
                            << type.getElementType() << " (T20)";
  LinearLayout wanted =
      getMMAOperandLayout(mma, *format, side, outer, k, waves);
  if (!scale && findKOrder(getLayout(type), wanted))
    return success();
  if (failed(verifyLayout(op, what, type, wanted)))
    return failure();
  if (!getElementTypeOrSelf(scale.getType()).isInteger(8))
    return op.emitOpError()
           << "the scales of " << what << " are i8, E8M0 bytes (T20)";
  int64_t scaled =
      cast<ShapedType>(scale.getType()).getDimSize(1) * MMA::kScaledElements;
  if (scaled % k != 0)
    return op.emitOpError()
           << "the scales of " << what << " are for " << scaled
           << " elements along K, which are no whole slices of " << k
           << " (T20)";
  return verifyLayout(op, ("the scales of " + what).str(), scale.getType(),
                      getMMAScaleLayout(mma, side, outer, scaled, waves));
}

/// The side with more of them has a slice of this number; the other one's are
/// counted anew.
static LogicalResult verifyScaleSlice(MmaOp op, int64_t k) {
  int64_t slices = 1, slice = op.getScaleSlice();
  for (Value scale : {op.getScaleA(), op.getScaleB()})
    if (scale)
      slices =
          std::max(slices, cast<ShapedType>(scale.getType()).getDimSize(1) *
                               MMA::kScaledElements / k);
  if (slice >= 0 && slice < slices)
    return success();
  return op.emitOpError() << "there is no slice " << slice
                          << " of the scales, which are for " << slices
                          << " slices of " << k << " elements along K (T20)";
}

/// Operands without scales may have any order along K: the same one.
static LogicalResult verifyKOrders(MmaOp op, int64_t m, int64_t n, int64_t k,
                                   MMAWaves waves) {
  if (op.getScaleA())
    return success();
  const MMA &mma = op.getIntrinsic().getMMA();
  auto getOrder = [&](MMASide side, Value operand, int64_t outer) {
    Type element = getElementTypeOrSelf(operand.getType());
    KOrder order = *findKOrder(getLayout(operand.getType()),
                               getMMAOperandLayout(mma, *getMMAFormat(element),
                                                   side, outer, k, waves));
    if (!element.isInteger(8))
      return order;
    KOrder ofCodes = {1}; // two columns a byte
    for (int64_t place : order)
      ofCodes.push_back(2 * place);
    return ofCodes;
  };
  if (getOrder(MMASide::A, op.getA(), m) == getOrder(MMASide::B, op.getB(), n))
    return success();
  return op.emitOpError("A and B do not have the same order along K (T20)");
}

int64_t te::tile::getOperandDepth(Type tileType) {
  auto type = cast<RankedTensorType>(tileType);
  return type.getDimSize(1) * (type.getElementType().isInteger(8) ? 2 : 1);
}

LogicalResult MmaOp::verify() {
  for (Type type : getOperandTypes())
    if (!isTile(type) || cast<RankedTensorType>(type).getRank() != 2)
      return emitOpError() << type
                           << " is no tile of rank 2 with a #tile.layout (T8)";
  const MMA &mma = getIntrinsic().getMMA();
  auto k = [](Value operand) { return getOperandDepth(operand.getType()); };
  auto result = cast<RankedTensorType>(getType());
  int64_t m = getA().getType().getDimSize(0),
          n = getB().getType().getDimSize(0);
  MMAWaves waves = getMMAWaves(getLayout(result));
  if (result.getShape() != ArrayRef<int64_t>{m, n} || k(getA()) != k(getB()) ||
      k(getA()) % mma.k != 0 || m % (waves.rows * mma.size) != 0 ||
      n % (waves.cols * mma.size) != 0 || !result.getElementType().isF32())
    return emitOpError() << "A is M x K, B is N x K and the result M x N "
                            "of f32, in whole instructions of "
                         << mma.size << " x " << mma.size << " x " << mma.k
                         << " for each wave (T20)";
  if (bool(getScaleA()) != bool(getScaleB()) || (getScaleA() && !mma.isScaled))
    return emitOpError() << mma.name << " takes "
                         << (mma.isScaled ? "scales of both operands, or none"
                                          : "no scales")
                         << " (T20)";
  if (failed(verifySide(*this, "A", MMASide::A, getA(), getScaleA(), m,
                        k(getA()), waves)) ||
      failed(verifySide(*this, "B", MMASide::B, getB(), getScaleB(), n,
                        k(getA()), waves)) ||
      failed(verifyScaleSlice(*this, k(getA()))) ||
      failed(verifyKOrders(*this, m, n, k(getA()), waves)))
    return failure();
  return verifyLayout(*this, "the accumulator", result,
                      getMMAResultLayout(mma, m, n, waves));
}
