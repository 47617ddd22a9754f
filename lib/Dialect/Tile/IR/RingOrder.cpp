//===- RingOrder.cpp - how tiles lie in a ring of LDS ---------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/Tile/IR/RingOrder.h"

using namespace mlir::te;
using namespace mlir::te::tile;

RingOrder tile::getRingOrder(const LinearLayout &source,
                             const LinearLayout &target, int64_t elementBytes,
                             const Target &chip) {
  LinearLayout reads = target.embed(source.getShape());
  // 8-byte and 4-byte elements have no such instruction.
  int64_t size = chip.amd && elementBytes <= 2
                     ? chip.amd->transposedReadBytes / elementBytes
                     : 0;
  std::optional<LinearLayout> before =
      size ? reads.beforeTranspose(size) : std::nullopt;
  if (!before)
    return {SharedLayout(source, reads, elementBytes, chip.ldsBanks), reads,
            /*transposes=*/false};
  return {SharedLayout(source, *before, elementBytes, chip.ldsBanks,
                       /*mostBytes=*/std::numeric_limits<int64_t>::max(),
                       chip.amd->transposedReadBytes,
                       /*runBytes=*/chip.amd->directLoadBytes),
          *before, /*transposes=*/true};
}

int64_t tile::countReads(const LinearLayout &source, const LinearLayout &target,
                         int64_t elementBytes, const Target &chip) {
  return target.getNumRegisters() /
         getRingOrder(source, target, elementBytes, chip)
             .shared.getVectorElements();
}
