//===- IndexMap.cpp - which iterators number a value's dimensions ---------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Dialect/TE/IR/TE.h"

using namespace mlir;
using namespace mlir::te;

IndexMap::IndexMap(StringRef text) {
  std::tie(dims, reduced) = text.split(' ');
}

std::optional<unsigned> IndexMap::find(char iterator) const {
  if (dims.contains('('))
    return std::nullopt;
  size_t at = dims.find(iterator);
  return at == StringRef::npos ? std::nullopt : std::optional<unsigned>(at);
}

std::optional<StringRef> IndexMap::getIterators(size_t rank) const {
  bool isPlain = !dims.contains('(') && !dims.contains('*') && !isInserted();
  return isPlain && dims.size() == rank ? std::optional(dims) : std::nullopt;
}

bool IndexMap::isTileOfMany() const {
  return dims.size() > 2 && find('m') && find('n') && !isPartialSums();
}

IndexMap
te::lookupMap(ArrayRef<llvm::StringLiteral> maps, unsigned index,
              function_ref<std::pair<unsigned, unsigned>(unsigned)> getRange) {
  for (auto [group, map] : llvm::enumerate(maps)) {
    auto [first, count] = getRange(group);
    if (index >= first && index < first + count)
      return map;
  }
  return {};
}
