//===- GemmOp.cpp - the verifier of te.gemm -------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constraint numbers (X1, X2, ...) are those of docs/spec.md.
//
//===----------------------------------------------------------------------===//
#include "Verifiers.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::te;

std::optional<MMAFormat> te::getMMAFormat(Type elementType) {
  return llvm::TypeSwitch<Type, std::optional<MMAFormat>>(elementType)
      .Case([](Float32Type) { return MMAFormat::F32; })
      .Case([](Float16Type) { return MMAFormat::F16; })
      .Case([](BFloat16Type) { return MMAFormat::BF16; })
      .Case([](Float8E4M3FNType) { return MMAFormat::E4M3FN; })
      .Case([](Float8E5M2Type) { return MMAFormat::E5M2; })
      .Case([](Float8E4M3FNUZType) { return MMAFormat::E4M3FNUZ; })
      .Case([](Float8E5M2FNUZType) { return MMAFormat::E5M2FNUZ; })
      .Case([](Float4E2M1FNType) { return MMAFormat::E2M1; })
      .Case([](IntegerType type) {
        return type.isInteger(8) ? std::optional(MMAFormat::E2M1)
                                 : std::nullopt;
      })
      .Default([](Type) { return std::nullopt; });
}

static std::string format(int64_t size) {
  return ShapedType::isDynamic(size) ? "?" : std::to_string(size);
}

/// X4, of one operand: a high-precision tensor or a !te.scaled.
static LogicalResult verifyOperand(GemmOp op, StringRef name, Value operand) {
  if (isa<ScaledType>(operand.getType()))
    return success();
  auto tensor = dyn_cast<RankedTensorType>(operand.getType());
  Type element = tensor ? tensor.getElementType() : Type();
  if (tensor && (element.isBF16() || element.isF16() || element.isF32()))
    return success();
  return op.emitOpError() << name << " is " << operand.getType()
                          << "; an operand is a tensor of bf16, f16 or f32, or "
                             "a !te.scaled (X4)";
}

/// X1: ranks, and the leading dimensions.
static LogicalResult verifyRanks(GemmOp op) {
  ArrayRef<int64_t> a = getShape(op.getA()), b = getShape(op.getB());
  for (auto [name, shape] : {std::pair("A", a), std::pair("B", b)})
    if (shape.size() < 2)
      return op.emitOpError()
             << name << " has rank " << shape.size()
             << "; a matrix has two dimensions at least: "
                "tensor.expand_shape gives it one of size 1 (X1)";
  if (b.size() == 2) {
    if (a.size() == 2 || !op.getTransposeA())
      return success();
    return op.emitOpError()
           << "A has rank " << a.size()
           << " and is transposed, and B is one matrix; where K is all but "
              "A's last dimension, collapse these by tensor.collapse_shape "
              "(X1)";
  }
  if (a.size() != b.size())
    return op.emitOpError()
           << "A has rank " << a.size() << " and B has rank " << b.size()
           << "; matrices are multiplied in pairs, so both "
              "have the same leading dimensions (X1)";
  for (size_t i = 0; i + 2 < a.size(); ++i)
    if (a[i] != b[i])
      return op.emitOpError()
             << "dimension " << i << " of A is " << format(a[i])
             << " and that of B " << format(b[i])
             << "; matrices are multiplied in pairs, so both "
                "have the same leading dimensions (X1)";
  return success();
}

/// X2.
static LogicalResult verifyK(GemmOp op) {
  int64_t a = getShape(op.getA())[op.getKDimA()],
          b = getShape(op.getB())[op.getKDimB()];
  if (a == b)
    return success();
  return op.emitOpError()
         << "K is " << format(a) << " in A (dimension " << op.getKDimA()
         << (op.getTransposeA() ? ", transposed" : "") << ") and " << format(b)
         << " in B (dimension " << op.getKDimB()
         << (op.getTransposeB() ? ", transposed" : "")
         << "); transpose_a and transpose_b say where it is (X2)";
}

/// X3, of what the epilogue reads and writes: `shape` is D's.
template <class Op>
static LogicalResult verifyEpilogueShapes(Op op, ArrayRef<int64_t> shape) {
  auto same = [&](const Twine &what, Value value) {
    return verifyShape(op, "X3", what, shape, value.getType(),
                       "it has A's leading dimensions, M and N");
  };
  if (op.getAux() && failed(same("aux", op.getAux())))
    return failure();
  if (op.getDgelu() && failed(same("the operand of dgelu", op.getDgelu())))
    return failure();
  if (op.getAccumulate() &&
      failed(same("the operand of accumulate", op.getAccumulate())))
    return failure();
  if (op.getBias() && failed(verifyShape(op, "X3", "bias", {shape.back()},
                                         op.getBias().getType(),
                                         "it has one number a column of D")))
    return failure();
  return success();
}

/// X3.
static LogicalResult verifyShapes(GemmOp op) {
  SmallVector<int64_t> shape(getShape(op.getA()).drop_back(2));
  shape.push_back(getShape(op.getA())[op.getMDim()]);
  shape.push_back(getShape(op.getB())[op.getNDim()]);
  SmallVector<int64_t> result(shape);
  if (std::optional<uint64_t> partials = op.getSplitK())
    result.insert(result.begin(), *partials);
  if (failed(verifyShape(op, "X3", "D", result, op.getResult().getType(),
                         op.getSplitK()
                             ? "it has as many splits, A's leading "
                               "dimensions, M and N"
                             : "it has A's leading dimensions, M and N")) ||
      failed(verifyEpilogueShapes(op, shape)))
    return failure();
  if (Value grad = op.getBiasGrad())
    return verifyShape(op, "X3", "bias_grad", getShape(op.getA()).take_back(),
                       grad.getType(), "it has the size of A's last dimension");
  return success();
}

/// X5: a scale is one number for all elements of a block that are summed.
static LogicalResult verifyDirection(GemmOp op, StringRef name, Value operand,
                                     unsigned kDim, StringRef transpose) {
  auto type = dyn_cast<ScaledType>(operand.getType());
  if (!type)
    return success();
  bool kIsLast = int64_t(kDim) == type.getRank() - 1;
  ScalingAttr scaling = type.getScaling();
  if (scaling.getGranularity() == Granularity::Row && !kIsLast)
    return op.emitOpError()
           << name << " has a scale for each row, and K runs down its "
           << "rows; " << (op.getTransposeA() && name == "A" ? "drop " : "use ")
           << transpose << " with an operand whose K is its last dimension, or "
           << "a `tensor` scheme (X5)";
  if (!scaling.isBlock() || scaling.isSquare())
    return success();
  bool isAlong =
      kIsLast ? scaling.getBlockRows() == 1 : scaling.getBlockCols() == 1;
  if (isAlong)
    return success();
  int64_t size = std::max(scaling.getBlockRows(), scaling.getBlockCols());
  auto block = [&](bool along) {
    return along ? "[1, " + std::to_string(size) + "]"
                 : "[" + std::to_string(size) + ", 1]";
  };
  return op.emitOpError() << "K runs along dimension " << kDim << " of " << name
                          << ", but its blocks are " << block(!kIsLast)
                          << "; a block lies along K: quantize it with blocks "
                          << block(kIsLast) << ", or change " << transpose
                          << " (X5)";
}

/// X6 and the rest of X4: the two sides go together.
static LogicalResult verifyPair(GemmOp op) {
  Type a = op.getA().getType(), b = op.getB().getType();
  auto scaledA = dyn_cast<ScaledType>(a), scaledB = dyn_cast<ScaledType>(b);
  if (!scaledA && !scaledB) {
    if (getElementTypeOrSelf(a) == getElementTypeOrSelf(b))
      return success();
    return op.emitOpError() << "A holds " << getElementTypeOrSelf(a)
                            << " and B " << getElementTypeOrSelf(b)
                            << "; convert one (arith.extf, arith.truncf) (X4)";
  }
  if (!scaledA || !scaledB)
    return op.emitOpError()
           << (scaledA ? "A" : "B") << " is quantized and "
           << (scaledA ? "B" : "A")
           << " is not; quantize both, or te.dequantize one (X4)";
  ScalingAttr schemeA = scaledA.getScaling(), schemeB = scaledB.getScaling();
  if (schemeA.isE8M0() != schemeB.isE8M0() ||
      schemeA.isBlock() != schemeB.isBlock())
    return op.emitOpError()
           << "A is " << schemeA.describe() << " and B is "
           << schemeB.describe()
           << "; both have E8M0 blocks, or f32 blocks, or f32 scales of a "
              "tensor or of rows (X6)";
  return success();
}

/// X7.
template <class Op> static LogicalResult verifyEpilogue(Op op) {
  if (op.getGelu() && op.getDgelu())
    return op.emitOpError("gelu and dgelu; an op has one of them (X7)");
  if (op.getAccumulate() && (op.getGelu() || op.getDgelu()))
    return op.emitOpError()
           << (op.getGelu() ? "gelu" : "dgelu")
           << " together with accumulate; add the two by arith.addf (X7)";
  return success();
}

/// X8.
template <class Op> static LogicalResult verifyFactors(Op op) {
  if (op.getBeta() && !op.getAccumulate())
    return op.emitOpError("beta is the factor of what is accumulated; add "
                          "accumulate(..), or drop beta (X8)");
  return success();
}

/// X9: partial sums of the last rows of a matrix of this shape.
static LogicalResult verifyLastRows(Operation *op, ArrayRef<int64_t> shape,
                                    RankedTensorType partials) {
  if (partials.getRank() == 3 && partials.getElementType().isF32() &&
      partials.hasStaticShape() && !ShapedType::isDynamicShape(shape) &&
      partials.getDimSize(0) > 0 && partials.getDimSize(2) == shape.back() &&
      partials.getDimSize(1) <= flatten(shape).first)
    return success();
  return op->emitOpError()
         << "partial sums of the last rows are " << partials
         << "; they are S x R x N of f32, and D has R rows or more, M and N "
            "known (X9)";
}

/// X9: partial sums are bare.
static LogicalResult verifySplitK(GemmOp op) {
  if (op.getRest()) {
    if (op.getSplitK() || op.isBatched() || op.getBiasGrad())
      return op.emitOpError("rest with split_k, a bias gradient, or of "
                            "many products; drop one (X9)");
    return verifyLastRows(op, op.getResult().getType().getShape(),
                          op.getRest().getType());
  }
  if (!op.getSplitK())
    return success();
  if (int64_t(*op.getSplitK()) < 1)
    return op.emitOpError() << "split_k = " << int64_t(*op.getSplitK())
                            << "; K has one split or more (X9)";
  if (op.isBatched())
    return op.emitOpError(
        "partial sums of many products; B is one matrix (X9)");
  if (!op.getResult().getType().getElementType().isF32())
    return op.emitOpError() << "partial sums of " << op.getResult().getType()
                            << "; they are sums in f32 (X9)";
  if (op.getBias() || op.getDgelu() || op.getAccumulate() || op.getAux() ||
      op.getBiasGrad() || op.getGelu() || !op.getAlpha().isExactlyValue(1.0))
    return op.emitOpError("partial sums are sums of products and nothing else; "
                          "the rest is te.gemm_sum's (X9)");
  return success();
}

LogicalResult GemmSumOp::verify() {
  auto partials = cast<RankedTensorType>(getPartials().getType());
  if (partials.getRank() < 3 || !partials.getElementType().isF32() ||
      partials.isDynamicDim(0) || partials.getDimSize(0) == 0)
    return emitOpError() << "partial sums are " << partials
                         << "; they are S x M x N of f32, S known and 1 at "
                            "least (X9)";
  ArrayRef<int64_t> shape = partials.getShape().drop_front(),
                    result = getResult().getType().getShape();
  bool areLast = partials.hasStaticShape() &&
                 !ShapedType::isDynamicShape(result) &&
                 flatten(shape).first < flatten(result).first;
  if (areLast)
    shape = result;
  return failure(failed(areLast ? verifyLastRows(*this, result, partials)
                                : verifyShape(*this, "X3", "D", shape,
                                              getResult().getType(),
                                              "it is the sum of these")) ||
                 failed(verifyEpilogueShapes(*this, shape)) ||
                 failed(verifyEpilogue(*this)) || failed(verifyFactors(*this)));
}

LogicalResult GemmOp::verify() {
  return failure(
      failed(verifySplitK(*this)) ||
      failed(verifyOperand(*this, "A", getA())) ||
      failed(verifyOperand(*this, "B", getB())) || failed(verifyRanks(*this)) ||
      failed(verifyK(*this)) || failed(verifyShapes(*this)) ||
      failed(verifyPair(*this)) ||
      failed(verifyDirection(*this, "A", getA(), getKDimA(), "transpose_a")) ||
      failed(verifyDirection(*this, "B", getB(), getKDimB(), "transpose_b")) ||
      failed(verifyEpilogue(*this)) || failed(verifyFactors(*this)));
}
