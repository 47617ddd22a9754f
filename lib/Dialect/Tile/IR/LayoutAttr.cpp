//===- LayoutAttr.cpp - #tile.layout --------------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::te::tile;

#include "te/Dialect/Tile/IR/TileDialect.cpp.inc"
#include "te/Dialect/Tile/IR/TileEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "te/Dialect/Tile/IR/TileAttrs.cpp.inc"

void TileDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "te/Dialect/Tile/IR/TileAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "te/Dialect/Tile/IR/TileOps.cpp.inc"
      >();
}

LayoutAttr LayoutAttr::get(MLIRContext *context, const LinearLayout &layout) {
  return get(context, layout.getShape(), layout.getBases(LayoutInput::Register),
             layout.getBases(LayoutInput::Lane),
             layout.getBases(LayoutInput::Wave));
}

/// Parses `name = [[r, c], ...]` into flat offsets of `shape`.
static ParseResult parseBases(AsmParser &parser, StringRef name,
                              ArrayRef<int64_t> shape,
                              SmallVector<int64_t> &bases) {
  auto parseBasis = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    SmallVector<int64_t> coordinates;
    auto parseOne = [&] {
      return parser.parseInteger(coordinates.emplace_back());
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
      return failure();
    if (coordinates.size() != shape.size())
      return parser.emitError(loc)
             << "a basis has one coordinate a dimension: " << shape.size()
             << " expected, " << coordinates.size() << " given";
    int64_t flat = 0;
    for (auto [size, c] : llvm::zip_equal(shape, coordinates)) {
      if (c < 0 || c >= size)
        return parser.emitError(loc)
               << "basis coordinate " << c << " is outside of the dimension's "
               << size;
      flat = flat * size + c;
    }
    bases.push_back(flat);
    return success();
  };
  return failure(
      parser.parseKeyword(name) || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseBasis));
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> shape, registers, lanes, waves;
  SMLoc loc = parser.getCurrentLocation();
  auto parseSize = [&] { return parser.parseInteger(shape.emplace_back()); };
  if (parser.parseLess() || parser.parseKeyword("shape") ||
      parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseSize) ||
      parser.parseComma() || parseBases(parser, "register", shape, registers) ||
      parser.parseComma() || parseBases(parser, "lane", shape, lanes) ||
      parser.parseComma() || parseBases(parser, "wave", shape, waves) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<LayoutAttr>(
      loc, parser.getContext(), ArrayRef<int64_t>(shape),
      ArrayRef<int64_t>(registers), ArrayRef<int64_t>(lanes),
      ArrayRef<int64_t>(waves));
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << "<shape = [";
  llvm::interleaveComma(getShape(), printer);
  printer << "], ";
  getLayout().print(printer.getStream());
  printer << ">";
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape,
                                 ArrayRef<int64_t> registers,
                                 ArrayRef<int64_t> lanes,
                                 ArrayRef<int64_t> waves) {
  for (auto [i, size] : llvm::enumerate(shape))
    if (size <= 0 || !llvm::isPowerOf2_64(size))
      return emitError() << "dimension " << i << " of the tile is " << size
                         << "; tile sizes are powers of two (T1)";
  if (registers.size() > 16 || lanes.size() > 16 || waves.size() > 16)
    return emitError() << "a layout has at most 16 bits of registers, lanes "
                          "and waves each (T1)";
  LinearLayout layout(shape, registers, lanes, waves);
  if (!layout.isSurjective())
    return emitError() << "the layout does not cover the tile: its bases "
                          "reach fewer than all "
                       << layout.getNumElements() << " elements (T2)";
  return success();
}

LogicalResult
LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                           function_ref<InFlightDiagnostic()> emitError) const {
  if (shape == getShape())
    return success();
  return emitError()
         << "the layout is for another shape than the tensor's (T3)";
}

RankedTensorType te::tile::getTileType(Type elementType, MLIRContext *context,
                                       const LinearLayout &layout) {
  return RankedTensorType::get(layout.getShape(), elementType,
                               LayoutAttr::get(context, layout));
}

bool te::tile::isTile(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa_and_present<LayoutAttr>(tensor.getEncoding());
}

LinearLayout te::tile::getLayout(Type tileType) {
  return cast<LayoutAttr>(cast<RankedTensorType>(tileType).getEncoding())
      .getLayout();
}
