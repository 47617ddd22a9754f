//===- Compare.cpp - VALU: comparisons and classes ------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "FloatOps.h"

namespace mlir::te::emu {

/// Result bits of the active lanes; cmpx also makes them EXEC.
template <bool writesExec>
static void writeMask(Wave &wave, const Inst &inst, uint64_t result) {
  result &= wave.writeMask;
  wave.setScalar64(inst.dst, result);
  if (writesExec)
    wave.setScalar64(kExec, result);
}

template <class T, class B, bool (*F)(T, B), bool writesExec>
static void compare(Wave &wave, const Inst &inst) {
  Bits<T> buffer0[kLanes];
  Bits<B> buffer1[kLanes];
  beginLanes(wave, inst);
  const Bits<T> *a = readLanes<T>(wave, inst, 0, buffer0);
  const Bits<B> *b = readLanes<B>(wave, inst, 1, buffer1);
  uint8_t bits[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane)
    bits[lane] = F(fromBits<T>(a[lane]), fromBits<B>(b[lane]));
  uint64_t result = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    result |= uint64_t(bits[lane]) << lane;
  writeMask<writesExec>(wave, inst, result);
}

template <class T> static bool never(T, T) { return false; }
template <class T> static bool always(T, T) { return true; }
template <class T> static bool lt(T a, T b) { return a < b; }
template <class T> static bool eq(T a, T b) { return a == b; }
template <class T> static bool le(T a, T b) { return a <= b; }
template <class T> static bool gt(T a, T b) { return a > b; }
template <class T> static bool lg(T a, T b) { return a < b || a > b; }
template <class T> static bool ge(T a, T b) { return a >= b; }
template <class T> static bool ordered(T a, T b) { return a == a && b == b; }
template <class T> static bool unordered(T a, T b) { return !ordered(a, b); }
template <class T> static bool notGe(T a, T b) { return !(a >= b); }
template <class T> static bool notLg(T a, T b) { return !lg(a, b); }
template <class T> static bool notGt(T a, T b) { return !(a > b); }
template <class T> static bool notLe(T a, T b) { return !(a <= b); }
template <class T> static bool notEq(T a, T b) { return !(a == b); }
template <class T> static bool notLt(T a, T b) { return !(a < b); }

/// v_cmp_class: bit k of the mask asks for class k.
template <class T> static bool isClass(T value, uint32_t mask) {
  Bits<T> bits = toBits<T>(value);
  constexpr unsigned mantissa = sizeof(T) == 2 ? 10 : sizeof(T) == 4 ? 23 : 52;
  constexpr Bits<T> exponents =
      (Bits<T>(1) << (sizeof(T) * 8 - 1)) - (Bits<T>(1) << mantissa);
  Bits<T> exponent = bits & exponents;
  Bits<T> fraction = bits & ((Bits<T>(1) << mantissa) - 1);
  bool negative = signOf(value);
  unsigned found;
  if (exponent == exponents)
    found = fraction ? (fraction >> (mantissa - 1) ? 1 : 0) : negative ? 2 : 9;
  else if (exponent)
    found = negative ? 3 : 8;
  else if (fraction)
    found = negative ? 4 : 7;
  else
    found = negative ? 5 : 6;
  return mask >> found & 1;
}

#define COMPARE(NAME, T, F)                                                    \
  {"v_cmp_" NAME, compare<T, T, F<T>, false>, kScalarDst}, {                   \
    "v_cmpx_" NAME, compare<T, T, F<T>, true>, kScalarDst                      \
  }
#define INTEGERS(SUFFIX, T)                                                    \
  COMPARE("f_" SUFFIX, T, never), COMPARE("lt_" SUFFIX, T, lt),                \
      COMPARE("eq_" SUFFIX, T, eq), COMPARE("le_" SUFFIX, T, le),              \
      COMPARE("gt_" SUFFIX, T, gt), COMPARE("ne_" SUFFIX, T, notEq),           \
      COMPARE("ge_" SUFFIX, T, ge), COMPARE("t_" SUFFIX, T, always)
#define FLOATS(SUFFIX, T)                                                      \
  COMPARE("f_" SUFFIX, T, never), COMPARE("lt_" SUFFIX, T, lt),                \
      COMPARE("eq_" SUFFIX, T, eq), COMPARE("le_" SUFFIX, T, le),              \
      COMPARE("gt_" SUFFIX, T, gt), COMPARE("lg_" SUFFIX, T, lg),              \
      COMPARE("ge_" SUFFIX, T, ge), COMPARE("o_" SUFFIX, T, ordered),          \
      COMPARE("u_" SUFFIX, T, unordered), COMPARE("nge_" SUFFIX, T, notGe),    \
      COMPARE("nlg_" SUFFIX, T, notLg), COMPARE("ngt_" SUFFIX, T, notGt),      \
      COMPARE("nle_" SUFFIX, T, notLe), COMPARE("neq_" SUFFIX, T, notEq),      \
      COMPARE("nlt_" SUFFIX, T, notLt), COMPARE("tru_" SUFFIX, T, always),     \
      {"v_cmp_class_" SUFFIX, compare<T, uint32_t, isClass<T>, false>,         \
       kScalarDst},                                                            \
  {                                                                            \
    "v_cmpx_class_" SUFFIX, compare<T, uint32_t, isClass<T>, true>, kScalarDst \
  }

static const Row rows[] = {
    INTEGERS("i16", int16_t), INTEGERS("u16", uint16_t),
    INTEGERS("i32", int32_t), INTEGERS("u32", uint32_t),
    INTEGERS("i64", int64_t), INTEGERS("u64", uint64_t),
    FLOATS("f16", Half),      FLOATS("f32", float),
    FLOATS("f64", double),
};

llvm::ArrayRef<Row> getCompareRows() { return rows; }

} // namespace mlir::te::emu
