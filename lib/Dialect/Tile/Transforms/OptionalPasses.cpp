//===- OptionalPasses.cpp - passes that a schedule may leave out ----------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/Tile/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::te::tile;

namespace {
struct OptionalPass {
  StringRef name;
  StringRef needs = {}; // another one, without which it has nothing to change
};
} // namespace

static constexpr OptionalPass passes[] = {
    {"tile-persistent-workgroups"},
    {"tile-hoist-loads"},
    {"tile-prefetch-loads"},
    {"tile-stage-operands"},
    {"tile-split-products"},
    {"tile-pipeline", "tile-stage-operands"},
    {"tile-ping-pong", "tile-pipeline"},
    {"tile-interleave"},
    {"tile-unroll"},
    {"tile-delay-stores"},
    {"tile-count-loads"}};

SmallVector<StringRef> te::tile::getOptionalPasses() {
  return llvm::map_to_vector(passes,
                             [](OptionalPass pass) { return pass.name; });
}

bool te::tile::isLeftOut(KernelOp kernel, const Pass &pass) {
  std::optional<ArrayAttr> without = kernel.getWithout();
  if (!without)
    return false;
  for (StringRef name = pass.getArgument(); !name.empty();
       name = llvm::find_if(passes, [&](OptionalPass pass) {
                return pass.name == name;
              })->needs)
    if (llvm::is_contained(without->getAsValueRange<StringAttr>(), name))
      return true;
  return false;
}
