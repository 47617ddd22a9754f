//===- ScalingAttr.cpp - #te.scaling
//---------------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Assembly format and verification of the scheme attribute. Constraint numbers
// are those of docs/spec.md.
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/TE/IR/TE.h"
#include "te/Target/MMA.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;

bool ScalingAttr::isE8M0() const {
  return isa<Float8E8M0FNUType>(getScaleType());
}

bool ScalingAttr::isColumnwise() const {
  return isTransposed() ||
         (isBlock() && getBlockRows() > 1 && getBlockCols() == 1);
}

ScalingAttr ScalingAttr::withLayouts(ScaleLayout scaleLayout,
                                     DataLayout dataLayout) const {
  return get(getContext(), getGranularity(), getBlockRows(), getBlockCols(),
             getScaleType(), getRounding(), getTies(), scaleLayout, dataLayout,
             getScope());
}

std::string ScalingAttr::describe() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << stringifyGranularity(getGranularity());
  if (isBlock())
    os << " [" << getBlockRows() << ", " << getBlockCols() << "]";
  os << " scaling with " << getScaleType() << " scales";
  if (isTransposed())
    os << ", transposed data";
  if (isPerMatrix())
    os << ", each matrix by itself";
  return text;
}

//===----------------------------------------------------------------------===//
// Assembly format
//===----------------------------------------------------------------------===//

static ScaleRounding defaultRounding(Type scaleType) {
  return isa<Float8E8M0FNUType>(scaleType) ? ScaleRounding::RCeil
                                           : ScaleRounding::Nearest;
}

/// Parses a keyword of an enum, listing the legal ones in its error.
template <typename Enum>
static ParseResult parseEnum(AsmParser &parser, StringRef what,
                             std::optional<Enum> (*symbolize)(StringRef),
                             StringRef legal, Enum &value) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<Enum> parsed = symbolize(keyword);
  if (!parsed)
    return parser.emitError(loc) << "unknown " << what << " '" << keyword
                                 << "'; it is one of " << legal;
  value = *parsed;
  return success();
}

static ParseResult parseGranularity(AsmParser &parser, Granularity &granularity,
                                    SmallVector<int64_t> &block) {
  if (parseEnum<Granularity>(parser, "granularity", symbolizeGranularity,
                             "tensor, row, block = [R, C]", granularity))
    return failure();
  if (granularity != Granularity::Block)
    return success();
  SMLoc loc = parser.getCurrentLocation();
  auto parseSize = [&] { return parser.parseInteger(block.emplace_back()); };
  if (parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseSize))
    return failure();
  if (block.size() != 2)
    return parser.emitError(loc)
           << "a block has two sizes, [rows, columns], but " << block.size()
           << " are given";
  return success();
}

Attribute ScalingAttr::parse(AsmParser &parser, Type) {
  Granularity granularity;
  SmallVector<int64_t> block;
  Type scaleType;
  std::optional<ScaleRounding> rounding;
  Ties ties = Ties::Even;
  ScaleLayout scaleLayout = ScaleLayout::Linear;
  DataLayout dataLayout = DataLayout::Linear;
  Scope scope = Scope::Tensor;
  SMLoc loc = parser.getCurrentLocation();

  if (parser.parseLess() || parseGranularity(parser, granularity, block))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc keyLoc = parser.getCurrentLocation();
    StringRef key;
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return {};
    ParseResult result = success();
    if (key == "scale")
      result = parser.parseType(scaleType);
    else if (key == "rounding")
      result = parseEnum<ScaleRounding>(
          parser, "rounding", symbolizeScaleRounding,
          "nearest, pow2 (f32 scales), rceil, floor, even, ceil (f8E8M0FNU)",
          rounding.emplace(ScaleRounding::Nearest));
    else if (key == "ties")
      result =
          parseEnum<Ties>(parser, "ties", symbolizeTies, "even, away", ties);
    else if (key == "scale_layout")
      result = parseEnum<ScaleLayout>(
          parser, "scale_layout", symbolizeScaleLayout,
          "linear, blocked_32x4x4, e8m0_shuffle", scaleLayout);
    else if (key == "data_layout")
      result = parseEnum<DataLayout>(parser, "data_layout", symbolizeDataLayout,
                                     "linear, transposed, shuffle_16x16",
                                     dataLayout);
    else if (key == "per")
      result = parseEnum<Scope>(parser, "scope", symbolizeScope,
                                "tensor, matrix", scope);
    else
      return parser.emitError(keyLoc)
                 << "unknown key '" << key
                 << "' in #te.scaling; the keys are scale, rounding, ties, "
                    "scale_layout, data_layout, per",
             Attribute();
    if (failed(result))
      return {};
  }
  if (parser.parseGreater())
    return {};
  if (!scaleType)
    return parser.emitError(loc) << "#te.scaling needs a scale type: write "
                                    "'scale = f32' or 'scale = f8E8M0FNU'",
           Attribute();
  if (block.empty())
    block = {0, 0};
  return parser.getChecked<ScalingAttr>(
      loc, parser.getContext(), granularity, block[0], block[1], scaleType,
      rounding.value_or(defaultRounding(scaleType)), ties, scaleLayout,
      dataLayout, scope);
}

void ScalingAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyGranularity(getGranularity());
  if (isBlock())
    printer << " = [" << getBlockRows() << ", " << getBlockCols() << "]";
  printer << ", scale = " << getScaleType();
  if (getRounding() != defaultRounding(getScaleType()))
    printer << ", rounding = " << stringifyScaleRounding(getRounding());
  if (getTies() != Ties::Even)
    printer << ", ties = " << stringifyTies(getTies());
  if (getScaleLayout() != ScaleLayout::Linear)
    printer << ", scale_layout = " << stringifyScaleLayout(getScaleLayout());
  if (getDataLayout() != DataLayout::Linear)
    printer << ", data_layout = " << stringifyDataLayout(getDataLayout());
  if (isPerMatrix())
    printer << ", per = " << stringifyScope(getScope());
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// S1: which granularities go with which scale type.
static LogicalResult
verifyGranularity(function_ref<InFlightDiagnostic()> emitError,
                  Granularity granularity, int64_t rows, int64_t cols,
                  Type scaleType) {
  bool e8m0 = isa<Float8E8M0FNUType>(scaleType);
  if (!e8m0 && !scaleType.isF32())
    return emitError() << "scales are f32 or f8E8M0FNU, not " << scaleType
                       << " (S1)";
  if (granularity != Granularity::Block) {
    if (e8m0)
      return emitError() << stringifyGranularity(granularity)
                         << " scaling has f32 scales; f8E8M0FNU scales go with "
                            "block = [1, 32], [32, 1] or [32, 32] (S1)";
    return success();
  }
  int64_t size = e8m0 ? 32 : 128;
  bool legal = (rows == 1 || rows == size) && (cols == 1 || cols == size) &&
               rows * cols > 1;
  if (!legal)
    return emitError() << "block = [" << rows << ", " << cols << "] with "
                       << scaleType << " scales: legal are [1, " << size
                       << "], [" << size << ", 1] and [" << size << ", " << size
                       << "]; f8E8M0FNU goes with 32, f32 with 128 (S1)";
  return success();
}

LogicalResult ScalingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  Granularity granularity, int64_t blockRows,
                                  int64_t blockCols, Type scaleType,
                                  ScaleRounding rounding, Ties ties,
                                  ScaleLayout scaleLayout,
                                  DataLayout dataLayout, Scope scope) {
  if (failed(verifyGranularity(emitError, granularity, blockRows, blockCols,
                               scaleType)))
    return failure();
  bool e8m0 = isa<Float8E8M0FNUType>(scaleType);
  bool f32Rounding =
      rounding == ScaleRounding::Nearest || rounding == ScaleRounding::Pow2;
  if (e8m0 == f32Rounding)
    return emitError() << "rounding = " << stringifyScaleRounding(rounding)
                       << " does not go with " << scaleType << " scales; use "
                       << (e8m0 ? "rceil, floor, even or ceil"
                                : "nearest or pow2")
                       << " (S2)";
  if (granularity == Granularity::Row && rounding == ScaleRounding::Pow2)
    return emitError() << "row scaling divides by amax / largest as it is; "
                          "drop rounding = pow2 (S2)";
  if (scaleLayout != ScaleLayout::Linear && !e8m0)
    return emitError() << "scale_layout = " << stringifyScaleLayout(scaleLayout)
                       << " orders f8E8M0FNU bytes; f32 scales are linear (S3)";
  if (scope == Scope::Matrix && granularity != Granularity::Block)
    return emitError() << "per = matrix says what blocks are of, but the "
                          "scaling is '"
                       << stringifyGranularity(granularity)
                       << "'; drop it, or give blocks (S10)";
  bool alongK = granularity == Granularity::Row ||
                (granularity == Granularity::Block && blockRows == 1);
  if (dataLayout == DataLayout::Transposed && alongK)
    return emitError()
           << "data_layout = transposed stores (K, M), so the scale must "
              "not "
              "run along K: use tensor, block = [R, 1] or block = [R, R] (S4)";
  return success();
}
