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
           << "te.dims of argument #" << index << " is " << value
           << "; it gives one name for each dimension of "
           << func.getArgument(index).getType()
           << ", such as [\"M\", \"K\"]; names are " << kNameRule << " (A1)";
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
               << "dimension " << name << " is " << before << " in argument #"
               << other << " and " << size << " in argument #" << index
               << "; the same name is the same size everywhere (A2)";
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
  return op->emitOpError() << "unknown attribute " << attribute.getName()
                           << " of argument #" << index
                           << "; arguments have te.name and te.dims (A1)";
}
