//===- TEDialect.cpp - registration of the te dialect ---------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/TE/IR/Names.h"
#include "te/Dialect/TE/IR/TE.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::te;

#include "te/Dialect/TE/IR/TEDialect.cpp.inc"
#include "te/Dialect/TE/IR/TEEnums.cpp.inc"

/// What a schedule leaves out where it is usual: row_tiles, workgroups, sweep,
/// row_split, cluster, matmul, l2_prefetch, residents.
static ParseResult
parseScheduleOptions(AsmParser &parser, int64_t &rowTiles, int64_t &workgroups,
                     SweepKind &sweep, int64_t &rowSplit, int64_t &cluster,
                     MatmulAttr &matmul, SmallVector<int64_t> &l2Prefetch,
                     int64_t &residents, SmallVector<StringAttr> &without) {
  rowTiles = 1;
  workgroups = residents = 0;
  sweep = SweepKind::None;
  rowSplit = cluster = 1;
  while (succeeded(parser.parseOptionalComma())) {
    llvm::SMLoc loc = parser.getCurrentLocation();
    StringRef key;
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return failure();
    if (key == "row_tiles") {
      if (parser.parseInteger(rowTiles))
        return failure();
    } else if (key == "workgroups") {
      if (parser.parseInteger(workgroups))
        return failure();
    } else if (key == "row_split") {
      if (parser.parseInteger(rowSplit))
        return failure();
    } else if (key == "cluster") {
      if (parser.parseInteger(cluster))
        return failure();
    } else if (key == "residents") {
      if (parser.parseInteger(residents))
        return failure();
    } else if (key == "l2_prefetch") {
      if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
            return parser.parseInteger(l2Prefetch.emplace_back());
          }))
        return failure();
    } else if (key == "without") {
      if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
            return parser.parseAttribute(without.emplace_back());
          }))
        return failure();
    } else if (key == "sweep") {
      FailureOr<SweepKind> kind = FieldParser<SweepKind>::parse(parser);
      if (failed(kind))
        return failure();
      sweep = *kind;
    } else if (key == "matmul") {
      FailureOr<MatmulAttr> attr = FieldParser<MatmulAttr>::parse(parser);
      if (failed(attr))
        return failure();
      matmul = *attr;
    } else {
      return parser.emitError(loc)
             << "a schedule has no '" << key
             << "'; it may have row_tiles, workgroups, sweep, row_split, "
                "cluster, matmul, l2_prefetch, residents and without";
    }
  }
  return success();
}
static void
printScheduleOptions(AsmPrinter &printer, int64_t rowTiles, int64_t workgroups,
                     SweepKind sweep, int64_t rowSplit, int64_t cluster,
                     MatmulAttr matmul, ArrayRef<int64_t> l2Prefetch,
                     int64_t residents, ArrayRef<StringAttr> without) {
  if (rowTiles != 1)
    printer << ", row_tiles = " << rowTiles;
  if (workgroups != 0)
    printer << ", workgroups = " << workgroups;
  if (sweep != SweepKind::None)
    printer << ", sweep = " << stringifyEnum(sweep);
  if (rowSplit != 1)
    printer << ", row_split = " << rowSplit;
  if (cluster != 1)
    printer << ", cluster = " << cluster;
  if (matmul) {
    printer << ", matmul = ";
    printer.printStrippedAttrOrType(matmul);
  }
  if (!l2Prefetch.empty()) {
    printer << ", l2_prefetch = [";
    llvm::interleaveComma(l2Prefetch, printer);
    printer << "]";
  }
  if (residents != 0)
    printer << ", residents = " << residents;
  if (!without.empty()) {
    printer << ", without = [";
    llvm::interleaveComma(without, printer);
    printer << "]";
  }
}

/// What a matmul leaves out where it is 1, stages and split_k, false or 0.
static ParseResult parseMatmulOptions(AsmParser &parser, int64_t &stages,
                                      bool &direct, bool &pingPong,
                                      int64_t &splitK, int64_t &wholeRows,
                                      int64_t &group) {
  stages = splitK = 1;
  direct = pingPong = false;
  wholeRows = group = 0;
  while (succeeded(parser.parseOptionalComma())) {
    llvm::SMLoc loc = parser.getCurrentLocation();
    StringRef key;
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return failure();
    if (key == "direct" || key == "ping_pong") {
      FailureOr<bool> given = FieldParser<bool>::parse(parser);
      if (failed(given))
        return failure();
      (key == "direct" ? direct : pingPong) = *given;
      continue;
    }
    int64_t *number = llvm::StringSwitch<int64_t *>(key)
                          .Case("stages", &stages)
                          .Case("split_k", &splitK)
                          .Case("whole_rows", &wholeRows)
                          .Case("group", &group)
                          .Default(nullptr);
    if (!number)
      return parser.emitError(loc)
             << "a matmul has no '" << key
             << "'; it may have stages, direct, ping_pong, split_k, "
                "whole_rows and group";
    if (parser.parseInteger(*number))
      return failure();
  }
  return success();
}
static void printMatmulOptions(AsmPrinter &printer, int64_t stages, bool direct,
                               bool pingPong, int64_t splitK, int64_t wholeRows,
                               int64_t group) {
  if (stages != 1)
    printer << ", stages = " << stages;
  if (direct)
    printer << ", direct = true";
  if (pingPong)
    printer << ", ping_pong = true";
  if (splitK != 1)
    printer << ", split_k = " << splitK;
  if (wholeRows != 0)
    printer << ", whole_rows = " << wholeRows;
  if (group != 0)
    printer << ", group = " << group;
}

/// A keyword of an enumeration.
template <class E> static ParseResult parseEnum(AsmParser &parser, E &value) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  std::string keyword;
  if (parser.parseKeywordOrString(&keyword))
    return failure();
  if (std::optional<E> found = symbolizeEnum<E>(keyword)) {
    value = *found;
    return success();
  }
  SmallVector<StringRef> known;
  for (uint32_t i = 0; !stringifyEnum(E(i)).empty(); ++i)
    known.push_back(stringifyEnum(E(i)));
  InFlightDiagnostic error = parser.emitError(loc);
  error << "unknown '" << keyword << "'; it is one of ";
  llvm::interleaveComma(known, error);
  return error;
}
template <class E> static void printEnum(AsmPrinter &printer, E value) {
  printer << stringifyEnum(value);
}

#define GET_ATTRDEF_CLASSES
#include "te/Dialect/TE/IR/TEAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "te/Dialect/TE/IR/TEInterfaces.cpp.inc"
#include "te/Dialect/TE/IR/TETypes.cpp.inc"

void TEDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "te/Dialect/TE/IR/TEAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "te/Dialect/TE/IR/TETypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "te/Dialect/TE/IR/TEOps.cpp.inc"
      >();
}

Operation *TEDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                          Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

/// A1: te.dims names each dimension of an argument.
static LogicalResult verifyDims(FunctionOpInterface func, unsigned index,
                                Attribute value) {
  auto shaped = dyn_cast<ShapedType>(func.getArgument(index).getType());
  auto names = dyn_cast<ArrayAttr>(value);
  auto isText = [](Attribute name) {
    auto text = dyn_cast<StringAttr>(name);
    return text && isName(text.getValue());
  };
  if (!shaped || !names || !llvm::all_of(names, isText) ||
      int64_t(names.size()) != shaped.getRank())
    return func.emitOpError()
           << "A1: te.dims of argument #" << index << " is " << value
           << "; it gives one name for each dimension of "
           << func.getArgument(index).getType()
           << ", such as [\"M\", \"K\"]; names are " << kNameRule;
  return success();
}

/// A2: one name of a dimension is one size.
static LogicalResult verifySizes(FunctionOpInterface func) {
  llvm::StringMap<std::pair<int64_t, unsigned>> known; // size, argument
  for (unsigned index = 0; index < func.getNumArguments(); ++index) {
    auto names = func.getArgAttrOfType<ArrayAttr>(index, "te.dims");
    auto shaped = dyn_cast<ShapedType>(func.getArgument(index).getType());
    if (!names || !shaped)
      continue;
    for (auto [name, size] : llvm::zip(names, shaped.getShape())) {
      auto text = dyn_cast<StringAttr>(name);
      if (!text || ShapedType::isDynamic(size))
        continue;
      auto [before, other] =
          known.try_emplace(text.getValue(), size, index).first->second;
      if (before != size)
        return func.emitOpError()
               << "A2: dimension " << name << " is " << before
               << " in argument #" << other << " and " << size
               << " in argument #" << index
               << "; the same name is the same size everywhere";
    }
  }
  return success();
}

/// The first argument that has `attribute`: what is of a function as a whole is
/// verified there, once.
static unsigned findFirst(FunctionOpInterface func, StringRef attribute) {
  unsigned first = 0;
  while (!func.getArgAttr(first, attribute))
    ++first;
  return first;
}

LogicalResult TEDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                  unsigned index,
                                                  NamedAttribute attribute) {
  auto func = dyn_cast<FunctionOpInterface>(op);
  if (!func)
    return success();
  bool isFirst = index == findFirst(func, attribute.getName());
  if (attribute.getName() == "te.dims")
    return success(succeeded(verifyDims(func, index, attribute.getValue())) &&
                   (!isFirst || succeeded(verifySizes(func))));
  if (attribute.getName() == "te.name")
    return success(
        succeeded(verifyName(func, "argument", index, attribute.getValue())) &&
        (!isFirst || succeeded(verifyArgumentNames(func))));
  return op->emitOpError() << "A1: unknown attribute " << attribute.getName()
                           << " of argument #" << index
                           << "; arguments have te.name and te.dims";
}
