//===- Special.cpp - VALU: quad differences, cube maps, 2/pi --------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "FloatOps.h"
#include "IntegerOps.h"

namespace mlir::te::emu {

using U = uint32_t;
using W = uint64_t;
using F = float;

//===----------------------------------------------------------------------===//
// Sums of absolute differences of four neighbouring dwords
//===----------------------------------------------------------------------===//

/// The four 16-bit sums: dword `k` begins at byte k of `a`. They saturate with
/// the clamp bit.
template <U (*differences)(U, U, U), bool clamps>
static W quadDifferences(W a, U b, W sums) {
  W out = 0;
  for (unsigned k = 0; k < 4; ++k) {
    U sum = differences(U(a >> 8 * k), b, U(sums >> 16 * k & 0xffff));
    out |= W(clamps ? std::min(sum, 0xffffu) : sum & 0xffff) << 16 * k;
  }
  return out;
}
template <U (*differences)(U, U, U)>
static void runQuadDifferences(Wave &wave, const Inst &inst) {
  if (inst.clamp)
    lanes<quadDifferences<differences, true>>(wave, inst);
  else
    lanes<quadDifferences<differences, false>>(wave, inst);
}

/// The same with 32-bit sums in four registers.
static void runQuadDifferences32(Wave &wave, const Inst &inst) {
  W buffer[kLanes];
  U other[kLanes], out[4][kLanes];
  if (inst.src[2].number < kFirstVector)
    return wave.fail("the sums have to be in vector registers");
  beginLanes(wave, inst);
  const W *a = readLanes<W>(wave, inst, 0, buffer);
  const U *b = readLanes<U>(wave, inst, 1, other);
  const U *sums = wave.row(inst.src[2].number - kFirstVector);
  for (unsigned k = 0; k < 4; ++k)
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      W sum = W(sumDifferencesMasked(U(a[lane] >> 8 * k), b[lane], 0)) +
              sums[k * kLanes + lane];
      out[k][lane] = inst.clamp ? std::min<W>(sum, ~0u) : sum;
    }
  for (unsigned k = 0; k < 4; ++k)
    storeRow(wave, inst.dst + k, out[k], wave.writeMask);
}

//===----------------------------------------------------------------------===//
// The face of a cube that (x, y, z) points to, and where on it
//===----------------------------------------------------------------------===//

enum class Axis { X, Y, Z };
static Axis majorAxis(F x, F y, F z) {
  x = std::fabs(x), y = std::fabs(y), z = std::fabs(z);
  return z >= x && z >= y ? Axis::Z : y >= x ? Axis::Y : Axis::X;
}
static F cubeFace(F x, F y, F z) {
  Axis axis = majorAxis(x, y, z);
  F along = axis == Axis::Z ? z : axis == Axis::Y ? y : x;
  return F(axis) * 2 + (along < 0 ? 1 : 0);
}
static F cubeS(F x, F y, F z) {
  Axis axis = majorAxis(x, y, z);
  return axis == Axis::Z   ? (z < 0 ? -x : x)
         : axis == Axis::Y ? x
         : x < 0           ? z
                           : -z;
}
static F cubeT(F x, F y, F z) {
  return majorAxis(x, y, z) == Axis::Y ? (y < 0 ? -z : z) : -y;
}
static F cubeMajor(F x, F y, F z) {
  Axis axis = majorAxis(x, y, z);
  return 2 * (axis == Axis::Z ? z : axis == Axis::Y ? y : x);
}

//===----------------------------------------------------------------------===//
// v_trig_preop_f64
//===----------------------------------------------------------------------===//

/// The fraction of 2/pi, from its first bit.
static constexpr W twoOverPi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
    0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c,
    0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
    0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab, 0xf0cfbc209af4361d,
};

/// 53 bits of 2/pi: segment S1, further on for large S0, with their weight.
static double trigPreOp(double value, U segment) {
  int exponent = int(toBits<double>(value) >> 52 & 0x7ff);
  int shift = int(segment & 31) * 53 + std::max(0, exponent - 1077);
  W bits = 0;
  for (int bit = shift; bit < shift + 53; ++bit) {
    bool inside = bit < int(std::size(twoOverPi)) * 64;
    bits =
        bits << 1 | (inside ? twoOverPi[bit / 64] >> (63 - bit % 64) & 1 : 0);
  }
  return std::ldexp(double(bits), -53 - shift + (exponent >= 1968 ? 128 : 0));
}

static void runNothing(Wave &, const Inst &) {}

static const Row rows[] = {
    {"v_qsad_pk_u16_u8", runQuadDifferences<sumDifferences8>},
    {"v_mqsad_pk_u16_u8", runQuadDifferences<sumDifferencesMasked>},
    {"v_mqsad_u32_u8", runQuadDifferences32},
    {"v_cubeid_f32", lanes<cubeFace>},
    {"v_cubesc_f32", lanes<cubeS>},
    {"v_cubetc_f32", lanes<cubeT>},
    {"v_cubema_f32", lanes<cubeMajor>},
    {"v_trig_preop_f64", lanes<trigPreOp>},
    // Exceptions are not modelled.
    {"v_clrexcp", runNothing},
};

llvm::ArrayRef<Row> getSpecialRows() { return rows; }

} // namespace mlir::te::emu
