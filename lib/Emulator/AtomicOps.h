//===- AtomicOps.h - what atomics on global memory and LDS compute -*- C++
//-*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_ATOMICOPS_H
#define TE_EMULATOR_ATOMICOPS_H

#include "SmallFloat.h"

namespace mlir::te::emu {

/// Each takes memory's value and the lane's data, and gives the new value.
namespace atomics {

template <class T> T add(T old, T data) { return old + data; }
template <class T> T sub(T old, T data) { return old - data; }
template <class T> T reverseSub(T old, T data) { return data - old; }
template <class T> T bitAnd(T old, T data) { return old & data; }
template <class T> T bitOr(T old, T data) { return old | data; }
template <class T> T bitXor(T old, T data) { return old ^ data; }
template <class T> T swap(T, T data) { return data; }
/// Wraps to 0 beyond `data`, or from 0 to `data`.
template <class T> T inc(T old, T data) { return old >= data ? 0 : old + 1; }
template <class T> T dec(T old, T data) {
  return old == 0 || old > data ? data : old - 1;
}
template <class T> T minUnsigned(T old, T data) { return std::min(old, data); }
template <class T> T maxUnsigned(T old, T data) { return std::max(old, data); }
template <class T> T minSigned(T old, T data) {
  using S = std::make_signed_t<T>;
  return S(old) < S(data) ? old : data;
}
template <class T> T maxSigned(T old, T data) {
  using S = std::make_signed_t<T>;
  return S(old) > S(data) ? old : data;
}

/// Floating point, on bit patterns; T is the float type.
template <class T> Bits<T> addFloat(Bits<T> old, Bits<T> data) {
  return toBits<T>(fromBits<T>(old) + fromBits<T>(data));
}
template <class T, bool isMax> Bits<T> extremeFloat(Bits<T> old, Bits<T> data) {
  T a = fromBits<T>(old), b = fromBits<T>(data);
  if (isNaN(a) || isNaN(b))
    return isNaN(a) ? data : old;
  return lessOrdered(a, b) != isMax ? old : data;
}

/// Sets `memory`, which other host threads may change too, to now(old), and
/// gives the old value.
template <class T, class Now> inline T updateShared(uint8_t *host, Now now) {
  T *memory = reinterpret_cast<T *>(host);
  T old = __atomic_load_n(memory, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(memory, &old, now(old), false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
  }
  return old;
}

inline uint32_t addHalves(uint32_t old, uint32_t data) {
  auto one = [](uint32_t a, uint32_t b) {
    return toBits<Half>(
        Half(float(fromBits<Half>(a)) + float(fromBits<Half>(b))));
  };
  return packHalves(one(old, data), one(old >> 16, data >> 16));
}
inline uint32_t addBFloats(uint32_t old, uint32_t data) {
  auto one = [](uint32_t a, uint32_t b) {
    return toBFloat(fromBFloat(a & 0xffff) + fromBFloat(b & 0xffff));
  };
  return packHalves(one(old, data), one(old >> 16, data >> 16));
}

} // namespace atomics
} // namespace mlir::te::emu

#endif // TE_EMULATOR_ATOMICOPS_H
