//===- MatrixKernel.h - unpacks, multiplies, and writes back ----*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// D = A * B + C in blocks: A is size x depth, B is depth x size. A (transposed)
// and B are unpacked to arrays [block][k][i], so that every loop over i runs
// over consecutive lanes and elements; a register's 64 sums stay in the host's
// vector registers while k goes by. Every product is exact, and each sum is
// rounded at every step of k, in order: the hardware's order and inner width
// are unknown. MODE and EXEC do not matter; denormals stay. A NaN result is the
// default one.
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_MATRIXKERNEL_H
#define TE_EMULATOR_MATRIXKERNEL_H

#include "Lanes.h"
#include "Matrix.h"
#include "MatrixLayout.h"
#include "SmallFloat.h"

namespace mlir::te::emu {

/// Calls `body` with the size as a constant.
template <class Body> inline void withSize(unsigned size, Body body) {
  if (size == 32)
    body(std::integral_constant<unsigned, 32>());
  else if (size == 16)
    body(std::integral_constant<unsigned, 16>());
  else
    body(std::integral_constant<unsigned, 4>());
}

/// The vector registers of operand `k`.
inline const uint32_t *rowsOf(const Wave &wave, const Inst &inst, unsigned k) {
  return wave.vgpr[inst.src[k].number - kFirstVector];
}

//===----------------------------------------------------------------------===//
// A and B
//===----------------------------------------------------------------------===//

/// One run's elements number `e` of `width` bits, decoded.
template <unsigned size, unsigned width, class T, class Decode>
inline void unpackRun(const uint32_t *rows, unsigned e, T *out, Decode decode) {
  const uint32_t *row = rows + e * width / 32 * kLanes;
  if constexpr (width == 64) {
    for (unsigned i = 0; i < size; ++i)
      out[i] = decode(uint64_t(row[kLanes + i]) << 32 | row[i]);
  } else {
    constexpr uint32_t mask = ~uint32_t(0) >> (32 - width);
    unsigned shift = e * width % 32;
    if (32 % width == 0 || shift + width <= 32)
      for (unsigned i = 0; i < size; ++i)
        out[i] = decode(row[i] >> shift & mask);
    else
      for (unsigned i = 0; i < size; ++i)
        out[i] =
            decode((row[i] >> shift | row[kLanes + i] << (32 - shift)) & mask);
  }
}

/// Fills out[block][k][i].
template <unsigned size, unsigned width, class T, class Decode>
inline void unpackSized(const uint32_t *rows, const InputLayout &layout, T *out,
                        Decode decode) {
  for (unsigned run = 0; run < kLanes / size; ++run) {
    T *block = out + layout.blockOf(run) * layout.depth * size;
    for (unsigned e = 0; e < layout.perLane(); ++e)
      unpackRun<size, width>(
          rows + run * size, e,
          block + layout.depthOf(layout.groupOf(run), e) * size, decode);
  }
}
template <unsigned width, class T, class Decode>
inline void unpack(const uint32_t *rows, const InputLayout &layout, T *out,
                   Decode decode) {
  withSize(layout.size, [&](auto size) {
    unpackSized<size, width>(rows, layout, out, decode);
  });
}

/// Likewise, elements of a format of eight bits or fewer.
template <SmallFormat format, unsigned width>
inline void unpackSmall(const uint32_t *rows, const InputLayout &layout,
                        float *out) {
  unpack<width>(rows, layout, out, decodeSmall<format>);
}

/// A and B of a dense or sparse product; Fp8 and Bf8 as the chip has them.
void unpackElements(const uint32_t *rows, Element element, bool fnuz,
                    const InputLayout &layout, float *out);
void unpackElements(const uint32_t *rows, Element element, bool fnuz,
                    const InputLayout &layout, uint32_t *out);

//===----------------------------------------------------------------------===//
// C, D and the product
//===----------------------------------------------------------------------===//

/// As many elements as a vector of the host has, of one run at most.
template <class T, unsigned width>
using Vector = T __attribute__((ext_vector_type(width)));

/// The elements of consecutive lanes: in a register, or halves in a pair.
template <class T, unsigned width>
inline Vector<T, width> loadSums(const uint32_t *row) {
  Vector<uint32_t, width> low, high;
  std::memcpy(&low, row, sizeof(low));
  if constexpr (sizeof(T) == 4) {
    return std::bit_cast<Vector<T, width>>(low);
  } else {
    using Wide = Vector<uint64_t, width>;
    std::memcpy(&high, row + kLanes, sizeof(high));
    return std::bit_cast<Vector<T, width>>(__builtin_convertvector(high, Wide)
                                               << 32 |
                                           __builtin_convertvector(low, Wide));
  }
}

/// Makes NaNs the default one.
template <class T, unsigned width>
inline void storeSums(uint32_t *row, Vector<T, width> values) {
  using Raw = Vector<Bits<T>, width>;
  using Word = Vector<uint32_t, width>;
  Raw bits = std::bit_cast<Raw>(values);
  if constexpr (isFloat(typeOf<T>())) {
    Raw nan = std::bit_cast<Raw>(values != values);
    bits = (bits & ~nan) | (nan & quietNaN<T>());
  }
  Word low = __builtin_convertvector(bits, Word);
  std::memcpy(row, &low, sizeof(low));
  if constexpr (sizeof(T) == 8) {
    Word high = __builtin_convertvector(bits >> 32, Word);
    std::memcpy(row + kLanes, &high, sizeof(high));
  }
}

/// a * b + c, rounded once; integers wrap (the encoding has no clamp bit).
/// Doubles that meet a float hold operands with their scales, and the product,
/// exactly; what is rounded twice is so few bits wide that the first rounding
/// cannot make a tie for the second.
template <class In, class T, unsigned width>
inline Vector<T, width> multiplyAdd(In a, Vector<In, width> b,
                                    Vector<T, width> c) {
  if constexpr (!isFloat(typeOf<T>()))
    return a * b + c;
  else
    return __builtin_convertvector(
        __builtin_elementwise_fma(
            Vector<In, width>(a), b,
            __builtin_convertvector(c, Vector<In, width>)),
        Vector<T, width>);
}

/// The matrices of one product. Step s of row i multiplies a[block][s][i] with
/// b[block][pick(s, i)][j]. `c` and `d` are vector registers; they are the same
/// or disjoint.
template <class In> struct Product {
  unsigned blocks, depth, steps;
  const In *a, *b;
  const uint32_t *c;
  uint32_t *d;
};

template <unsigned size, class T, class In, class Pick>
inline void multiplySized(const Product<In> &product, Pick pick) {
  constexpr unsigned width =
      std::min<unsigned>(size, 32 / std::max(sizeof(T), sizeof(In)));
  constexpr unsigned count = kLanes / width;
  using Layout = ResultLayout<size, sizeof(T) == 8 ? 1 : 4>;
  const Layout layout{product.blocks};
  for (unsigned r = 0; r < layout.perLane(); ++r) {
    const In *a[Layout::kRuns], *b[Layout::kRuns];
    unsigned row[Layout::kRuns];
    for (unsigned run = 0; run < Layout::kRuns; ++run) {
      // Said so that the loads of B are seen to be the same.
      unsigned block = layout.blockOf(Layout::kShared == 1 ? 0 : run, r);
      row[run] = layout.rowOf(run, r);
      a[run] = product.a + block * product.steps * size + row[run];
      b[run] = product.b + block * product.depth * size;
    }
    Vector<T, width> sums[count];
    unsigned word = r * (sizeof(T) / 4) * kLanes;
    for (unsigned v = 0; v < count; ++v)
      sums[v] = loadSums<T, width>(product.c + word + v * width);
    for (unsigned step = 0; step < product.steps; ++step) {
#pragma clang loop unroll(full)
      for (unsigned v = 0; v < count; ++v) {
        unsigned run = v * width / size;
        Vector<In, width> column;
        std::memcpy(&column,
                    b[run] + pick(step, row[run]) * size + v * width % size,
                    sizeof(column));
        sums[v] =
            multiplyAdd<In, T, width>(a[run][step * size], column, sums[v]);
      }
    }
    for (unsigned v = 0; v < count; ++v)
      storeSums<T, width>(product.d + word + v * width, sums[v]);
  }
}

/// Dense: step s is k.
template <class T, class In>
inline void multiply(unsigned size, const Product<In> &product) {
  withSize(size, [&](auto size) {
    multiplySized<size, T>(product,
                           [](unsigned step, unsigned) { return step; });
  });
}

/// The registers of C as product takes them: in place or, a constant or
/// overlapping D otherwise than in whole, in `buffer`.
template <class T>
inline const uint32_t *prepareC(const Wave &wave, const Inst &inst,
                                unsigned perLane, uint32_t *buffer) {
  constexpr unsigned words = sizeof(T) / 4;
  unsigned number = inst.src[2].number, rows = perLane * words;
  if (number < kFirstVector) {
    uint64_t value = readScalar(wave, inst, number, typeOf<T>());
    for (unsigned row = 0; row < rows; ++row)
      std::fill_n(buffer + row * kLanes, kLanes,
                  uint32_t(value >> row % words * 32));
    return buffer;
  }
  number -= kFirstVector;
  const uint32_t *c = wave.vgpr[number];
  bool overlaps = number < inst.dst + rows && inst.dst < number + rows;
  if (!overlaps || number == inst.dst)
    return c;
  std::copy_n(c, rows * kLanes, buffer);
  return buffer;
}

} // namespace mlir::te::emu

#endif // TE_EMULATOR_MATRIXKERNEL_H
