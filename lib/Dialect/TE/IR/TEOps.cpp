//===- TEOps.cpp - verifiers and assembly of the te ops -------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constraint numbers (Q1, D1, F2...) are those of docs/spec.md.
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/TE/IR/Names.h"
#include "te/Dialect/TE/IR/TE.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::te;

#define GET_OP_CLASSES
#include "te/Dialect/TE/IR/TEOps.cpp.inc"

/// The same rank, and the same size wherever both are static: reports the first
/// dimension that differs.
static LogicalResult verifySameShape(Operation *op, StringRef rule,
                                     StringRef what, ShapedType expected,
                                     ShapedType found) {
  if (expected.getRank() != found.getRank())
    return op->emitOpError()
           << what << " has rank " << found.getRank()
           << " but the input has rank " << expected.getRank()
           << "; the logical shapes must be the same, also where the data "
              "layout "
              "is transposed ("
           << rule << ")";
  for (int64_t i = 0; i < expected.getRank(); ++i) {
    int64_t a = expected.getDimSize(i), b = found.getDimSize(i);
    if (a != b)
      return op->emitOpError()
             << "dimension " << i << " of " << what << " is "
             << (ShapedType::isDynamic(b) ? "?" : std::to_string(b))
             << " but the input's is "
             << (ShapedType::isDynamic(a) ? "?" : std::to_string(a))
             << "; give both the same size (" << rule << ")";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// QuantizeOp
//===----------------------------------------------------------------------===//

SmallVector<OpResult> QuantizeOp::getScaledResults() {
  SmallVector<OpResult> results;
  for (OpResult result : getOperation()->getResults())
    if (isa<ScaledType>(result.getType()))
      results.push_back(result);
  return results;
}

OpResult QuantizeOp::getAmaxResult() {
  if (getNumResults() == 0)
    return {};
  OpResult last = getOperation()->getResults().back();
  return isa<RankedTensorType>(last.getType()) ? last : OpResult();
}

bool QuantizeOp::isCurrentScaling() {
  return !getScale() && llvm::all_of(getScaledResults(), [](OpResult result) {
    return cast<ScaledType>(result.getType()).getScaling().getGranularity() ==
           Granularity::Tensor;
  });
}

/// Q2, Q3: one or two scaled results, rowwise before columnwise, then at most
/// one amax.
static LogicalResult verifyQuantizeResults(QuantizeOp op) {
  bool seenAmax = false, seenRowwise = false, seenColumnwise = false;
  for (auto [i, type] : llvm::enumerate(op->getResultTypes())) {
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      if (seenAmax || tensor.getRank() != 0 || !tensor.getElementType().isF32())
        return op.emitOpError() << "result #" << i << " is " << type
                                << "; besides !te.scaled there is at most one "
                                   "result, the amax, of "
                                   "type tensor<f32> (Q2)";
      seenAmax = true;
      continue;
    }
    auto scaled = dyn_cast<ScaledType>(type);
    if (!scaled)
      return op.emitOpError()
             << "result #" << i << " is " << type
             << "; results are !te.scaled and tensor<f32> (Q2)";
    if (seenAmax)
      return op.emitOpError()
             << "result #" << i
             << " comes after the amax; the amax is the last (Q2)";
    bool columnwise = scaled.getScaling().isColumnwise();
    bool &seen = columnwise ? seenColumnwise : seenRowwise;
    if (seen || (!columnwise && seenColumnwise))
      return op.emitOpError()
             << "result #" << i << " is "
             << (columnwise ? "columnwise" : "rowwise")
             << "; there is at most one rowwise and one columnwise result, the "
                "rowwise first (Q3)";
    seen = true;
  }
  if (!seenRowwise && !seenColumnwise)
    return op.emitOpError() << "no !te.scaled result; use te.amax for the "
                               "amax alone (Q2)";
  return success();
}

/// Q4 to Q8: which options go with which schemes.
static LogicalResult verifyQuantizeOptions(QuantizeOp op) {
  Type tensorElement;
  auto first = cast<ScaledType>(op.getScaledResults().front().getType());
  for (OpResult result : op.getScaledResults()) {
    auto type = cast<ScaledType>(result.getType());
    ScalingAttr scaling = type.getScaling();
    if (scaling.getScope() != first.getScaling().getScope())
      return op.emitOpError()
             << "result #" << result.getResultNumber() << " has "
             << scaling.describe() << ", result #0 "
             << first.getScaling().describe()
             << "; blocks are of the tensor in all results, or of each matrix "
                "in all (Q10)";
    bool perTensor = scaling.getGranularity() == Granularity::Tensor;
    if (op.getScale() && !perTensor)
      return op.emitOpError()
             << "scale(...) is the multiplier of per-tensor scaling, but "
                "result #"
             << result.getResultNumber() << " has " << scaling.describe()
             << ", which computes its own; drop scale(...) (Q4)";
    if (op.getStochastic() && !type.isFP4())
      return op.emitOpError()
             << "stochastic rounding exists for f4E2M1FN only, but result #"
             << result.getResultNumber() << " holds " << type.getElementType()
             << " (Q5)";
    if ((op.getHadamard() || op.getSignMask()) && !type.isFP4())
      return op.emitOpError()
             << "hadamard and sign_mask belong to f4E2M1FN, but result #"
             << result.getResultNumber() << " holds " << type.getElementType()
             << " (Q6)";
    bool perRow = scaling.getGranularity() == Granularity::Row;
    if (op.getEpsilon() && (scaling.isE8M0() || perRow || op.getScale()))
      return op.emitOpError() << "epsilon bounds the amax that a tensor's "
                                 "or a 128-block's f32 "
                                 "scale is computed from, but result #"
                              << result.getResultNumber()
                              << (op.getScale() ? " has a given scale"
                                  : perRow      ? " has row scaling"
                                                : " has f8E8M0FNU scales")
                              << "; drop epsilon (Q7)";
    if (!perTensor)
      continue;
    if (tensorElement && tensorElement != type.getElementType())
      return op.emitOpError()
             << "the rowwise and the columnwise copy of per-tensor scaling "
                "hold "
                "the same codes, but their element types are "
             << tensorElement << " and " << type.getElementType() << " (Q8)";
    tensorElement = type.getElementType();
  }
  if (op.getAmax() && (!op.isCurrentScaling() || op.getAmaxResult()))
    return op.emitOpError()
           << "amax(...) is what current scaling (tensor schemes only, "
              "without scale(...)) computes its scale from; "
           << (op.getAmaxResult() ? "drop the amax result, which is the same"
                                  : "drop amax(...) here")
           << " (Q9)";
  if (op.getStochastic() != bool(op.getRng()))
    return op.emitOpError() << "stochastic rounding and rng(...) go together; "
                            << (op.getRng() ? "add {stochastic}"
                                            : "add rng(%state : tensor<2xi64>)")
                            << " (Q5)";
  if (op.getRng() && cast<ShapedType>(op.getRng().getType()).getDimSize(0) != 2)
    return op.emitOpError() << "rng is tensor<2xi64> (seed, offset), not "
                            << op.getRng().getType() << " (Q5)";
  if (op.getSignMask() && !op.getHadamard())
    return op.emitOpError() << "sign_mask is an option of hadamard; add "
                               "hadamard or drop it (Q6)";
  return success();
}

LogicalResult QuantizeOp::verify() {
  if (failed(verifyQuantizeResults(*this)))
    return failure();
  for (OpResult result : getScaledResults())
    if (failed(verifySameShape(
            *this, "Q1", "result #" + std::to_string(result.getResultNumber()),
            getInput().getType(), cast<ShapedType>(result.getType()))))
      return failure();
  return verifyQuantizeOptions(*this);
}

LogicalResult DequantizeOp::verify() {
  return verifySameShape(*this, "D1", "the result",
                         cast<ShapedType>(getInput().getType()),
                         getResult().getType());
}

/// D1, and the first part of `rule`: of an op that moves codes as they are.
static LogicalResult verifyMove(Operation *op, StringRef rule, ScaledType from,
                                ScaledType to) {
  if (failed(verifySameShape(op, "D1", "the result", from, to)))
    return failure();
  if (from.getElementType() == to.getElementType())
    return success();
  return op->emitOpError() << "the input holds " << from.getElementType()
                           << " and the result " << to.getElementType()
                           << "; codes are moved as they are (" << rule << ")";
}

/// D1, D2.
LogicalResult TransposeDataOp::verify() {
  auto from = cast<ScaledType>(getInput().getType());
  auto to = cast<ScaledType>(getResult().getType());
  if (failed(verifyMove(*this, "D2", from, to)))
    return failure();
  ScalingAttr a = from.getScaling(), b = to.getScaling();
  if (!a.isSquare() ||
      a.withLayouts(a.getScaleLayout(), b.getDataLayout()) != b)
    return emitOpError() << a << " to " << b
                         << ": only a tensor that has one scale, or square "
                            "blocks, has the same codes transposed, in the "
                            "same scheme; quantize it again (D2)";
  if (a.isTransposed() == b.isTransposed())
    return emitOpError() << (a.isTransposed() ? "both input and result are"
                                              : "neither input nor result is")
                         << " transposed; one of them is (D2)";
  return success();
}

/// D1, D3, D4.
LogicalResult RelayoutOp::verify() {
  auto from = cast<ScaledType>(getInput().getType());
  auto to = cast<ScaledType>(getResult().getType());
  if (failed(verifyMove(*this, "D3", from, to)))
    return failure();
  ScalingAttr a = from.getScaling(), b = to.getScaling();
  if (a.withLayouts(b.getScaleLayout(), b.getDataLayout()) != b)
    return emitOpError() << a << " to " << b
                         << ": a relayout changes scale_layout and "
                            "data_layout only; for another scheme quantize "
                            "the tensor again (D3)";
  if (a.isTransposed() != b.isTransposed())
    return emitOpError()
           << "the data of the " << (a.isTransposed() ? "input" : "result")
           << " are transposed; for that there is te.transpose (D4)";
  return success();
}

OpFoldResult RelayoutOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? getInput() : Value();
}

OpFoldResult TransposeDataOp::fold(FoldAdaptor) {
  auto before = getInput().getDefiningOp<TransposeDataOp>();
  bool isBack = before && before.getInput().getType() == getType();
  return isBack ? before.getInput() : Value();
}

//===----------------------------------------------------------------------===//
// FullLikeOp
//===----------------------------------------------------------------------===//

/// D7.
LogicalResult FullLikeOp::verify() {
  Type element = getElementTypeOrSelf(getInput().getType());
  if (getValue().getType() == element)
    return success();
  return emitOpError() << "the value is " << getValue()
                       << ", but the tensor's elements are " << element
                       << "; write it as " << element << " (D7)";
}

OpFoldResult FullLikeOp::fold(FoldAdaptor) {
  auto type = cast<RankedTensorType>(getResult().getType());
  if (!type.hasStaticShape())
    return {};
  return SplatElementsAttr::get(type, cast<Attribute>(getValue()));
}

//===----------------------------------------------------------------------===//
// PermuteOp
//===----------------------------------------------------------------------===//

/// D5, D6.
LogicalResult PermuteOp::verify() {
  auto from = cast<RankedTensorType>(getInput().getType()),
       to = cast<RankedTensorType>(getResult().getType());
  ArrayRef<int64_t> permutation = getPermutation();
  if (int64_t(permutation.size()) != from.getRank() ||
      !isPermutationVector(permutation))
    return emitOpError() << "[" << permutation << "] is no order of the "
                         << from.getRank() << " dimension(s) of " << from
                         << "; name each once, from 0 on (D5)";
  auto wanted = from.clone(applyPermutation(from.getShape(), permutation));
  if (to != wanted)
    return emitOpError() << "the result is " << to
                         << "; the input's dimensions in the order ["
                         << permutation << "] are " << wanted << " (D6)";
  return success();
}

bool PermuteOp::keepsRows() {
  ArrayRef<int64_t> permutation = getPermutation();
  return permutation.empty() ||
         permutation.back() + 1 == int64_t(permutation.size());
}

bool PermuteOp::isTransposition() {
  SmallVector<int64_t> swapped(getPermutation());
  if (swapped.size() < 2)
    return false;
  std::swap(swapped.back(), swapped[swapped.size() - 2]);
  return isIdentityPermutation(swapped);
}

OpFoldResult PermuteOp::fold(FoldAdaptor adaptor) {
  if (isIdentityPermutation(getPermutation()))
    return getInput();
  if (auto splat = dyn_cast_if_present<SplatElementsAttr>(adaptor.getInput()))
    return splat.resizeSplat(getResult().getType());
  return {};
}

LogicalResult DimOp::verify() {
  auto shaped = dyn_cast<ShapedType>(getInput().getType());
  if (!shaped || !shaped.hasRank())
    return emitOpError()
           << getInput().getType()
           << " has no dimensions; give a tensor or !te.scaled (M1)";
  int64_t dimension = getDimension();
  if (dimension < 0 || dimension >= shaped.getRank())
    return emitOpError() << "dimension " << dimension
                         << " does not exist; the rank is " << shaped.getRank()
                         << " (M1)";
  return success();
}

OpFoldResult DimOp::fold(FoldAdaptor) {
  int64_t size =
      cast<ShapedType>(getInput().getType()).getDimSize(getDimension());
  if (ShapedType::isDynamic(size))
    return {};
  return Builder(getContext()).getIndexAttr(size);
}

//===----------------------------------------------------------------------===//
// FusionOp
//===----------------------------------------------------------------------===//

ParseResult FusionOp::parse(OpAsmParser &parser, OperationState &state) {
  Builder &builder = parser.getBuilder();
  StringAttr kernel;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> resultTypes;
  SMLoc loc = parser.getCurrentLocation();
  auto parseBinding = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()) ||
                   parser.parseColonType(arguments.back().type));
  };
  if (parser.parseAttribute(kernel, builder.getNoneType(), "kernel",
                            state.attributes) ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseBinding))
    return failure();
  SmallVector<OpAsmParser::UnresolvedOperand> inits;
  SmallVector<Type> initTypes;
  if (succeeded(parser.parseOptionalKeyword("inits")) &&
      (parser.parseLParen() || parser.parseOperandList(inits) ||
       parser.parseColonTypeList(initTypes) || parser.parseRParen()))
    return failure();
  if (parser.parseArrow() || parser.parseLParen())
    return failure();
  if (failed(parser.parseOptionalRParen()))
    if (parser.parseTypeList(resultTypes) || parser.parseRParen())
      return failure();
  SmallVector<Type> inputTypes = llvm::map_to_vector(
      arguments, [](OpAsmParser::Argument &a) { return a.type; });
  if (parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      parser.resolveOperands(operands, inputTypes, loc, state.operands) ||
      parser.resolveOperands(inits, initTypes, loc, state.operands))
    return failure();
  state.getOrAddProperties<Properties>().operandSegmentSizes = {
      int(operands.size()), int(inits.size())};
  state.addTypes(resultTypes);
  Region *body = state.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, builder, state.location);
  return success();
}

void FusionOp::print(OpAsmPrinter &printer) {
  printer << " " << getKernelAttr() << " (";
  llvm::interleaveComma(llvm::zip_equal(getBody().getArguments(), getInputs()),
                        printer, [&](auto pair) {
                          auto [argument, input] = pair;
                          printer << argument << " = " << input << " : "
                                  << input.getType();
                        });
  printer << ")";
  if (!getInits().empty())
    printer << " inits(" << getInits() << " : " << getInits().getTypes() << ")";
  printer << " -> (" << getResultTypes() << ")";
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {"kernel", getOperandSegmentSizeAttr()});
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

static bool isKernelName(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name, isKernelNameChar);
}

LogicalResult FusionOp::verify() {
  if (!isKernelName(getKernel()))
    return emitOpError() << "the kernel's name is " << getKernelAttr()
                         << "; it is letters, digits, '_' and '$', the first "
                            "one no digit (F13)";
  Block &body = getBody().front();
  if (body.getArgumentTypes() != TypeRange(getInputs().getTypes()))
    return emitOpError() << "the region's arguments and the operands must "
                            "have the same types, in the same order (F1)";
  auto yield = cast<YieldOp>(body.getTerminator());
  if (yield.getOperandTypes() != getResultTypes())
    return emitOpError() << "te.yield gives " << yield->getNumOperands()
                         << " value(s) of types (" << yield.getOperandTypes()
                         << ") but the results are (" << getResultTypes()
                         << ") (F2)";
  if (!getInits().empty() && getInits().getTypes() != getResultTypes())
    return emitOpError() << "the inits are (" << getInits().getTypes()
                         << ") but the results that take them over ("
                         << getResultTypes() << ") (F11)";
  if (std::optional<ArrayRef<int64_t>> range = getRange();
      range && (range->empty() || range->size() > 2 || range->front() < 0 ||
                range->back() < range->front()))
    return emitOpError() << "range = [" << *range
                         << "]; it is the least size, from 0 on, and the most, "
                            "or the least alone (F14)";
  return success();
}

std::pair<int64_t, int64_t> FusionOp::getSizeRange() {
  std::optional<ArrayRef<int64_t>> range = getRange();
  return {range ? range->front() : 0,
          range && range->size() > 1 ? range->back() : INT64_MAX};
}
