//===- RingOrder.cpp - how tiles lie in a ring of LDS ---------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/Tile/IR/RingOrder.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

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

int64_t tile::countAsyncCopies(const LinearLayout &source, int64_t elementBytes,
                               int64_t waves, const Target &chip) {
  return llvm::product_of(source.getShape()) * elementBytes /
         (chip.amd->directLoadBytes * chip.waveSize * waves);
}

std::optional<LinearLayout>
tile::getAsyncCopyLayout(llvm::ArrayRef<int64_t> shape, int64_t rowBytes,
                         const std::optional<LinearLayout> &stored,
                         const LinearLayout &loaded, bool isTransposed,
                         int64_t elementBytes, int64_t waves,
                         const Target &chip) {
  int64_t rows = shape[0] / (stored ? stored->getShape()[0] : 1);
  if (!chip.amd || (rows + 1) * rowBytes >= std::numeric_limits<int32_t>::max())
    return std::nullopt;
  unsigned laneBits = llvm::Log2_32(chip.waveSize),
           waveBits = llvm::Log2_64(waves);
  int64_t vector = std::min(chip.maxAccessBytes / elementBytes, shape[1]);
  LinearLayout source =
      stored ? LinearLayout::inOrder(shape, *stored, vector, laneBits, waveBits)
             : LinearLayout::rowMajor(shape, vector, laneBits, waveBits);
  RingOrder order = getRingOrder(source, loaded, elementBytes, chip);
  // Else each element of a column would be read by itself.
  if ((isTransposed && !order.transposes) ||
      !order.shared.getStreaming(shape, chip.amd->directLoadBytes, laneBits,
                                 waveBits))
    return std::nullopt;
  return source;
}
