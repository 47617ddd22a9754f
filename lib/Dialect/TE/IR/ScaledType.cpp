//===- ScaledType.cpp - !te.scaled ----------------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Assembly format, verification and storage of the scaled tensor type. How data
// and scales lie in memory is decided here and nowhere else.
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/TE/IR/TE.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;

std::pair<int64_t, int64_t> te::flatten(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return {1, 1};
  int64_t rows = 1;
  for (int64_t size : shape.drop_back()) {
    if (size == 0)
      return {0, shape.back()};
    rows = ShapedType::isDynamic(size) || ShapedType::isDynamic(rows)
               ? ShapedType::kDynamic
               : rows * size;
  }
  return {rows, shape.back()};
}

ScaledType ScaledType::cloneWith(std::optional<ArrayRef<int64_t>> shape,
                                 Type elementType) const {
  return get(getContext(), shape.value_or(getShape()), elementType,
             getScaling());
}

Type ScaledType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  Attribute scaling;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape) ||
      parser.parseType(elementType) || parser.parseComma())
    return {};
  SMLoc scalingLoc = parser.getCurrentLocation();
  if (parser.parseAttribute(scaling) || parser.parseGreater())
    return {};
  auto scheme = dyn_cast<ScalingAttr>(scaling);
  if (!scheme)
    return parser.emitError(scalingLoc)
               << "!te.scaled needs a #te.scaling<...> attribute, not "
               << scaling,
           Type();
  return parser.getChecked<ScaledType>(
      loc, parser.getContext(), ArrayRef<int64_t>(shape), elementType, scheme);
}

void ScaledType::print(AsmPrinter &printer) const {
  printer << "<";
  for (int64_t size : getShape())
    if (ShapedType::isDynamic(size))
      printer << "?x";
    else
      printer << size << "x";
  printer << getElementType() << ", " << getScaling() << ">";
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// S9: the 16 x 16 shuffle moves whole tiles, so it needs whole tiles.
static LogicalResult verifyShuffle(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<int64_t> shape, bool fp4) {
  auto [rows, cols] = flatten(shape);
  int64_t colMultiple = fp4 ? 64 : 32;
  if (!ShapedType::isDynamic(rows) && rows % 16 != 0)
    return emitError() << "data_layout = shuffle_16x16 needs rows that are a "
                          "multiple of 16, but there are "
                       << rows
                       << "; pad the tensor or use data_layout = linear (S9)";
  if (!ShapedType::isDynamic(cols) && cols % colMultiple != 0)
    return emitError() << "data_layout = shuffle_16x16 needs columns that are "
                          "a multiple of "
                       << colMultiple << ", but there are " << cols
                       << "; pad the tensor or use data_layout = linear (S9)";
  return success();
}

LogicalResult ScaledType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type elementType,
                                 ScalingAttr scaling) {
  bool fp4 = isa<Float4E2M1FNType>(elementType);
  bool fnuz = isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(elementType);
  if (!fp4 && !fnuz && !isa<Float8E4M3FNType, Float8E5M2Type>(elementType))
    return emitError() << "the elements of !te.scaled are f8E4M3FN, f8E5M2, "
                          "f8E4M3FNUZ, f8E5M2FNUZ or f4E2M1FN, not "
                       << elementType << " (S5)";
  if (shape.empty() && scaling.getGranularity() != Granularity::Tensor)
    return emitError() << "a tensor of rank 0 has no rows or blocks; its "
                          "scaling is 'tensor', not '"
                       << stringifyGranularity(scaling.getGranularity())
                       << "' (S6)";
  if (fp4 && !scaling.isE8M0())
    return emitError() << "f4E2M1FN elements go with f8E8M0FNU scales "
                          "(MXFP4), not "
                       << scaling.getScaleType() << " (S7)";
  if (fnuz && scaling.isE8M0())
    return emitError()
           << "MX formats are always OCP: with f8E8M0FNU scales use "
           << (isa<Float8E4M3FNUZType>(elementType) ? "f8E4M3FN" : "f8E5M2")
           << " instead of " << elementType << ", on every target (S7)";
  if (!fp4 && scaling.getTies() != Ties::Even)
    return emitError() << "ties = away is a rule of f4E2M1FN; " << elementType
                       << " rounds ties to even (S8)";
  if (fp4 && scaling.isBlock() && scaling.getBlockCols() == 1 &&
      !scaling.isTransposed())
    return emitError() << "columnwise f4E2M1FN is packed along the columns: "
                          "add data_layout = transposed (S8)";
  if (scaling.isPerMatrix() && shape.size() < 3)
    return emitError() << "per = matrix is about the matrices of a tensor "
                          "of rank 3 or more, but the rank is "
                       << shape.size() << "; drop it (S10)";
  if (scaling.getDataLayout() == DataLayout::Shuffle16x16)
    return verifyShuffle(
        emitError, scaling.isPerMatrix() ? shape.take_back(2) : shape, fp4);
  return success();
}

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

int64_t ScaledType::StorageDim::evaluate(ArrayRef<int64_t> shape) const {
  int64_t size = 1;
  for (unsigned i = 0; i < numDims; ++i)
    size *= shape[firstDim + i];
  return llvm::divideCeil(size, divisor) * multiple == 0
             ? 0
             : llvm::alignTo(llvm::divideCeil(size, divisor), multiple);
}

SmallVector<ScaledType::StorageDim> ScaledType::getDataStorage() const {
  unsigned rank = getShape().size();
  int64_t pack = isFP4() ? 2 : 1;
  SmallVector<StorageDim> dims;
  if (rank == 0)
    return dims;
  if (!getScaling().isTransposed()) {
    for (unsigned i = 0; i < rank; ++i)
      dims.push_back({i, 1, i + 1 == rank ? pack : 1, 1});
    return dims;
  }
  if (getScaling().isPerMatrix()) { // (.., K, M)
    for (unsigned i = 0; i + 2 < rank; ++i)
      dims.push_back({i, 1, 1, 1});
    dims.push_back({rank - 1, 1, 1, 1});
    dims.push_back({rank - 2, 1, pack, 1});
    return dims;
  }
  dims.push_back({rank - 1, 1, 1, 1});
  if (isFP4()) // (K, M/2): packed along the flattened rows
    dims.push_back({0, rank - 1, pack, 1});
  else
    for (unsigned i = 0; i + 1 < rank; ++i)
      dims.push_back({i, 1, 1, 1});
  return dims;
}

/// Of one matrix, whose rows and columns the two dimensions are.
static SmallVector<ScaledType::StorageDim>
getBlockStorage(ScaledType type, ScaledType::StorageDim rows,
                ScaledType::StorageDim cols) {
  ScalingAttr s = type.getScaling();
  auto with = [](ScaledType::StorageDim dim, int64_t divisor,
                 int64_t multiple) {
    dim.divisor = divisor;
    dim.multiple = multiple;
    return dim;
  };
  int64_t r = s.getBlockRows(), c = s.getBlockCols();

  if (!s.isE8M0()) { // as Transformer Engine's Float8BlockScaling has them
    if (r == 1)      // block index first
      return {with(cols, c, 1), with(rows, 1, 4)};
    if (c == 1)
      return {with(rows, r, 1), with(cols, 1, 4)};
    return s.isTransposed()
               ? SmallVector<ScaledType::StorageDim>{with(cols, c, 1),
                                                     with(rows, r, 4)}
               : SmallVector<ScaledType::StorageDim>{with(rows, r, 1),
                                                     with(cols, c, 4)};
  }

  // MX: the padding that the layout, or Transformer Engine's linear form,
  // wants.
  bool linear = s.getScaleLayout() == ScaleLayout::Linear;
  bool wide = s.getScaleLayout() == ScaleLayout::E8M0Shuffle ||
              (linear && type.isFP4());
  int64_t longPad = wide ? 256 : 128, shortPad = wide ? 8 : 4;
  if (linear && s.isPerMatrix())
    longPad = shortPad = 1;
  if (r > 1 && c > 1 && linear)
    return {with(rows, r, 1), with(cols, c, 1)};
  bool follows = s.isPerMatrix() && s.isTransposed() && r > 1; // the data
  if (c > 1 && !follows) // rowwise, or a 32 x 32 scale replicated over its rows
    return {with(rows, 1, longPad), with(cols, c, shortPad)};
  if (linear &&
      !type.isFP4()) // MXFP8 columnwise keeps the tensor's orientation
    return {with(rows, r, shortPad), with(cols, 1, longPad)};
  return {with(cols, 1, longPad), with(rows, r, shortPad)};
}

SmallVector<ScaledType::StorageDim> ScaledType::getScaleStorage() const {
  ScalingAttr s = getScaling();
  unsigned rank = getShape().size();
  if (s.getGranularity() == Granularity::Tensor)
    return {};
  StorageDim rows{0, rank - 1, 1, 1}, cols{rank - 1, 1, 1, 1};
  if (s.getGranularity() == Granularity::Row)
    return {rows};
  if (!s.isPerMatrix())
    return getBlockStorage(*this, rows, cols);
  // One after the other.
  SmallVector<StorageDim> dims =
      getBlockStorage(*this, {rank - 2, 1, 1, 1}, cols);
  dims.insert(dims.begin(), StorageDim{0, rank - 2, 1, 1});
  return dims;
}

double ScaledType::getScalePadding() const {
  if (!getScaling().isE8M0())
    return 1.0;
  bool blocked = getScaling().getScaleLayout() == ScaleLayout::Blocked32x4x4;
  return isFP4() && !blocked ? 127.0 : 0.0;
}
