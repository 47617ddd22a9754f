//===- Names.cpp - names of kernels, values and dimensions ----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/TE/IR/Names.h"
#include "te/Dialect/TE/IR/TE.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::te;

bool te::isName(StringRef text) {
  return !text.empty() && text.front() != '.' && text.front() != '-' &&
         llvm::json::isUTF8(text) && llvm::all_of(text, [](char c) {
           return llvm::isAlnum(c) || !llvm::isASCII(c) ||
                  StringRef("_.-").contains(c);
         });
}

bool te::isKernelNameChar(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '$';
}

LogicalResult te::verifyName(FunctionOpInterface func, StringRef kind,
                             unsigned index, Attribute name) {
  auto text = dyn_cast<StringAttr>(name);
  if (text && isName(text.getValue()))
    return success();
  return func.emitOpError()
         << "te.name of " << kind << " #" << index << " is " << name
         << "; a name is a string of " << kNameRule << " (A1)";
}

static std::string getName(Attribute given, StringRef kind, unsigned index) {
  auto text = dyn_cast_or_null<StringAttr>(given);
  return text ? text.str() : (kind + Twine(index)).str();
}

std::string te::getResultName(FunctionOpInterface func, unsigned index) {
  return getName(func.getResultAttr(index, "te.name"), "result", index);
}

/// `names` has each value's name. te-run --save makes a file of each buffer's.
static LogicalResult verifyUnique(FunctionOpInterface func,
                                  ArrayRef<std::string> names,
                                  ArrayRef<Type> types, StringRef kind) {
  llvm::StringMap<unsigned> owners; // of buffers
  for (auto [index, name, type] : llvm::enumerate(names, types)) {
    SmallVector<std::string> buffers = {name};
    if (isa<ScaledType>(type))
      buffers = {name + ".data", name + ".scale"};
    for (const std::string &buffer : buffers)
      if (unsigned owner = owners.try_emplace(buffer, index).first->second;
          owner != index)
        return func.emitOpError()
               << kind << "s #" << owner << " and #" << index
               << " both have the name \"" << buffer
               << "\"; give each te.name once (without one it is the kind "
                  "and the number, \"arg0\" or \"result0\"; of a !te.scaled "
                  "NAME.data and NAME.scale are names too) (A3)";
  }
  return success();
}

LogicalResult te::verifyArgumentNames(FunctionOpInterface func) {
  SmallVector<std::string> names;
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    names.push_back(getName(func.getArgAttr(i, "te.name"), "arg", i));
  return verifyUnique(func, names, func.getArgumentTypes(), "argument");
}

LogicalResult te::verifyResultNames(FunctionOpInterface func) {
  SmallVector<std::string> names;
  for (unsigned i = 0; i < func.getNumResults(); ++i) {
    if (Attribute name = func.getResultAttr(i, "te.name");
        name && failed(verifyName(func, "result", i, name)))
      return failure();
    names.push_back(getResultName(func, i));
  }
  return verifyUnique(func, names, func.getResultTypes(), "result");
}
