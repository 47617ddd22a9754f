//===- MatrixSparse.cpp - v_smfmac: A has two values of each four ---------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// D = A * B + D. A's values are packed, two for each four of k; two bits a
// value, in a register next to it, say which of the four it is. A register that
// has bits for more values than a lane has holds several sets of them: abid
// picks one where cbsz is 0. The sum goes over A's packed values in their
// order.
//
//===----------------------------------------------------------------------===//
#include "MatrixKernel.h"

namespace mlir::te::emu {

static InputLayout layoutOfA(const MatrixShape &shape) {
  unsigned depth = shape.depth / 2u, perLane = shape.size * depth / kLanes;
  bool isByte = shape.a != Element::F16 && shape.a != Element::Bf16;
  // Bytes: chunks of four, so that B's chunks of eight belong to the same
  // lanes.
  return {shape.size, depth, 1, isByte ? 4u : 0u, perLane == 16};
}

/// [step][i]: the k of A's packed value.
static void readIndices(const Wave &wave, const Inst &inst,
                        const InputLayout &layout, uint8_t *out) {
  const uint32_t *row = rowsOf(wave, inst, 2);
  unsigned bits = 2 * layout.perLane();
  unsigned set = inst.matrix.cbsz ? 0 : inst.matrix.abid % (32 / bits);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    uint32_t indices = row[lane] >> set * bits;
    for (unsigned e = 0; e < layout.perLane(); ++e, indices >>= 2) {
      unsigned step = layout.depthOf(lane / layout.size, e);
      out[step * layout.size + lane % layout.size] =
          step / 2 * 4 + (indices & 3);
    }
  }
}

template <class T> static void runSparse(Wave &wave, const Inst &inst) {
  const MatrixShape &shape = getMatrixShapes()[inst.param];
  alignas(64) T a[kMostElements], b[kMostElements];
  uint8_t indices[kMostElements];
  InputLayout layout = layoutOfA(shape);
  bool fnuz = wave.launch->chip->fnuz;
  unpackElements(rowsOf(wave, inst, 0), shape.a, fnuz, layout, a);
  unpackElements(rowsOf(wave, inst, 1), shape.b, fnuz,
                 {shape.size, shape.depth, 1, 8}, b);
  readIndices(wave, inst, layout, indices);
  uint32_t *d = wave.row(inst.dst);
  withSize(shape.size, [&](auto size) {
    multiplySized<size, T, T>(
        {1, shape.depth, layout.depth, a, b, d, d},
        [&](unsigned step, unsigned i) { return indices[step * size + i]; });
  });
}

void runSparseFloat(Wave &wave, const Inst &inst) {
  runSparse<float>(wave, inst);
}
void runSparseInteger(Wave &wave, const Inst &inst) {
  runSparse<uint32_t>(wave, inst);
}

} // namespace mlir::te::emu
