//===- Lanes.h - reads operands, runs a lane function, writes results -*- C++
//-*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A VALU row is `lanes<F>`, where F is a function of one lane's values: its
// parameter types say how each source is read, its result type how the
// destination is written. Modifiers, DPP and SDWA take the slow way in or out.
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_LANES_H
#define TE_EMULATOR_LANES_H

#include "Wave.h"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

namespace mlir::te::emu {

using Half = _Float16;

/// Bits of a source that a row treats as such: constants read as for integers
/// of that width.
enum class Type : uint8_t { I16, U16, F16, I32, U32, F32, I64, U64, F64 };

template <class T> constexpr Type typeOf() {
  if constexpr (std::is_same_v<T, Half>)
    return Type::F16;
  else if constexpr (std::is_same_v<T, float>)
    return Type::F32;
  else if constexpr (std::is_same_v<T, double>)
    return Type::F64;
  else if constexpr (sizeof(T) == 2)
    return std::is_signed_v<T> ? Type::I16 : Type::U16;
  else if constexpr (sizeof(T) == 4)
    return std::is_signed_v<T> ? Type::I32 : Type::U32;
  else
    return std::is_signed_v<T> ? Type::I64 : Type::U64;
}

constexpr bool isFloat(Type type) {
  return type == Type::F16 || type == Type::F32 || type == Type::F64;
}
constexpr unsigned sizeOf(Type type) {
  return type < Type::I32 ? 2 : type < Type::I64 ? 4 : 8;
}

/// The register image of a lane's value: 32 bits, or 64 in a pair.
template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <class T> inline T fromBits(Bits<T> bits) {
  if constexpr (sizeof(T) == 2)
    return std::bit_cast<T>(uint16_t(bits));
  else
    return std::bit_cast<T>(bits);
}
template <class T> inline Bits<T> toBits(T value) {
  if constexpr (sizeof(T) == 2)
    return std::bit_cast<uint16_t>(value);
  else
    return std::bit_cast<Bits<T>>(value);
}

/// A scalar operand's value: register, inline constant or literal.
uint64_t readScalar(const Wave &wave, const Inst &inst, unsigned number,
                    Type type);
inline uint32_t readScalar32(const Wave &wave, const Inst &inst, unsigned k) {
  unsigned number = inst.src[k].number;
  return number < 128 ? wave.sgpr[number]
                      : uint32_t(readScalar(wave, inst, number, Type::U32));
}

const uint32_t *readSlow32(Wave &wave, const Inst &inst, unsigned k, Type type,
                           uint32_t *buffer);
const uint64_t *readSlow64(Wave &wave, const Inst &inst, unsigned k, Type type,
                           uint64_t *buffer);
void writeSlow32(Wave &wave, const Inst &inst, uint32_t *values, Type type);
void writeSlow64(Wave &wave, const Inst &inst, uint64_t *values, Type type);
/// Which lanes a DPP instruction writes.
uint64_t dppWriteMask(const Wave &wave, const Inst &inst);
/// Flushes denormals of `values` where MODE says so; `result` picks the mode's
/// output bit.
void flushDenormals(const Wave &wave, uint32_t *values, Type type, bool result);
void flushDenormals(const Wave &wave, uint64_t *values, Type type, bool result);

/// Lanes that the running instruction may write.
inline void beginLanes(Wave &wave, const Inst &inst) {
  wave.writeMask =
      LLVM_UNLIKELY(inst.dpp) ? dppWriteMask(wave, inst) : wave.exec();
}

/// All 64 lanes of source `k`, in `buffer` or in place.
template <class T>
inline const Bits<T> *readLanes(Wave &wave, const Inst &inst, unsigned k,
                                Bits<T> *buffer) {
  const Source &source = inst.src[k];
  constexpr Type type = typeOf<T>();
  bool plain = source.number >= kFirstVector && !source.mods &&
               !(isFloat(type) && wave.floatSpecial);
  if constexpr (sizeof(T) == 8) {
    if (LLVM_UNLIKELY(!plain))
      return readSlow64(wave, inst, k, type, buffer);
    const uint32_t *low = wave.row(source.number - kFirstVector);
    const uint32_t *high = low + kLanes;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      buffer[lane] = uint64_t(high[lane]) << 32 | low[lane];
    return buffer;
  } else {
    if (LLVM_UNLIKELY(!plain))
      return readSlow32(wave, inst, k, type, buffer);
    return wave.row(source.number - kFirstVector);
  }
}

inline void storeRow(Wave &wave, unsigned row, const uint32_t *values,
                     uint64_t mask) {
  uint32_t *to = wave.row(row);
  if (LLVM_LIKELY(mask == ~uint64_t(0)))
    std::memcpy(to, values, sizeof(uint32_t) * kLanes);
  else
    forLanes(mask, [&](unsigned lane) { to[lane] = values[lane]; });
}

inline void storeRow64(Wave &wave, unsigned row, const uint64_t *values,
                       uint64_t mask) {
  uint32_t *low = wave.row(row), *high = wave.row(row + 1);
  if (LLVM_LIKELY(mask == ~uint64_t(0))) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      low[lane] = uint32_t(values[lane]);
      high[lane] = uint32_t(values[lane] >> 32);
    }
    return;
  }
  forLanes(mask, [&](unsigned lane) {
    low[lane] = uint32_t(values[lane]);
    high[lane] = uint32_t(values[lane] >> 32);
  });
}

template <class T>
inline void writeLanes(Wave &wave, const Inst &inst, Bits<T> *values) {
  constexpr Type type = typeOf<T>();
  bool plain = !inst.shaped && !(isFloat(type) && wave.floatSpecial) &&
               !(sizeof(T) == 2 && inst.flags & kKeepHigh);
  if constexpr (sizeof(T) == 8) {
    if (LLVM_UNLIKELY(!plain))
      writeSlow64(wave, inst, values, type);
    else
      storeRow64(wave, inst.dst, values, wave.writeMask);
  } else {
    if (LLVM_UNLIKELY(!plain))
      writeSlow32(wave, inst, values, type);
    else
      storeRow(wave, inst.dst, values, wave.writeMask);
  }
}

/// Sets the host's rounding to MODE's for its lifetime.
class RoundingScope {
public:
  RoundingScope(const Wave &wave, Type type);
  ~RoundingScope();

private:
  bool changed = false;
};

/// Parameter types of a lane function; a first parameter `const Wave &` gives
/// it MODE.
template <class F> struct Signature;
template <class R, class... A> struct Signature<R (*)(A...)> {
  using Result = R;
  using Args = std::tuple<A...>;
  static constexpr bool takesWave = false;
};
template <class R, class... A> struct Signature<R (*)(const Wave &, A...)> {
  using Result = R;
  using Args = std::tuple<A...>;
  static constexpr bool takesWave = true;
};
template <auto F> using SignatureOf = Signature<decltype(+F)>;

template <class T> inline bool isNaNBits(Bits<T> bits) {
  if constexpr (sizeof(T) == 2)
    return (bits & 0x7fff) > 0x7c00;
  else if constexpr (sizeof(T) == 4)
    return (bits & 0x7fffffff) > 0x7f800000;
  else
    return (bits & 0x7fffffffffffffff) > 0x7ff0000000000000;
}
template <class T> constexpr Bits<T> quietBit() {
  return sizeof(T) == 2 ? 0x200 : sizeof(T) == 4 ? 0x400000 : 1ull << 51;
}
template <class T> constexpr Bits<T> quietNaN() {
  return sizeof(T) == 2   ? Bits<T>(0x7e00)
         : sizeof(T) == 4 ? Bits<T>(0x7fc00000)
                          : Bits<T>(0x7ff8000000000000);
}

/// A NaN result is the first NaN source, made quiet, or the positive default
/// NaN: what the host's own NaN would be depends on its compiler.
template <class T, class... P>
inline void fixNaNs(Bits<T> *values, const P *...sources) {
  uint32_t any = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    any |= isNaNBits<T>(values[lane]);
  if (LLVM_LIKELY(!any))
    return;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!isNaNBits<T>(values[lane]))
      continue;
    Bits<T> chosen = quietNaN<T>();
    bool found = false;
    ((found || !isNaNBits<T>(sources[lane])
          ? void()
          : void(
                (chosen = toBits<T>(fromBits<T>(sources[lane] | quietBit<T>())),
                 found = true))),
     ...);
    values[lane] = chosen;
  }
}

template <auto F, class R, class Args, size_t... K>
inline void computeLanes(Wave &wave, const Inst &inst, Bits<R> *out,
                         std::index_sequence<K...>) {
  std::tuple<std::array<Bits<std::tuple_element_t<K, Args>>, kLanes>...>
      buffers;
  auto sources = std::make_tuple(readLanes<std::tuple_element_t<K, Args>>(
      wave, inst, K, std::get<K>(buffers).data())...);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if constexpr (SignatureOf<F>::takesWave)
      out[lane] = toBits<R>(F(wave, fromBits<std::tuple_element_t<K, Args>>(
                                        std::get<K>(sources)[lane])...));
    else
      out[lane] = toBits<R>(F(fromBits<std::tuple_element_t<K, Args>>(
          std::get<K>(sources)[lane])...));
  }
  if constexpr (isFloat(typeOf<R>()) &&
                (std::is_same_v<std::tuple_element_t<K, Args>, R> && ...))
    fixNaNs<R>(out, std::get<K>(sources)...);
}

/// The semantics of a VALU instruction whose lanes compute F.
template <auto F> void lanes(Wave &wave, const Inst &inst) {
  using S = SignatureOf<F>;
  using R = typename S::Result;
  using Args = typename S::Args;
  alignas(64) Bits<R> out[kLanes];
  beginLanes(wave, inst);
  constexpr auto indices = std::make_index_sequence<std::tuple_size_v<Args>>();
  if (LLVM_UNLIKELY(wave.floatSpecial)) {
    // A conversion rounds as its narrower side's mode says.
    constexpr Type first = typeOf<std::tuple_element_t<0, Args>>();
    RoundingScope rounding(wave, isFloat(typeOf<R>()) ? typeOf<R>() : first);
    computeLanes<F, R, Args>(wave, inst, out, indices);
  } else {
    computeLanes<F, R, Args>(wave, inst, out, indices);
  }
  writeLanes<R>(wave, inst, out);
}

/// `exact` gives an integer in a type that holds it; R is the instruction's.
template <class R, auto exact, class S = SignatureOf<exact>> struct Narrowed;
template <class R, auto exact, class Wide, class... A>
struct Narrowed<R, exact, Signature<Wide (*)(A...)>> {
  static R wrap(A... sources) { return R(exact(sources...)); }
  static R saturate(A... sources) {
    return R(std::clamp<Wide>(exact(sources...), std::numeric_limits<R>::min(),
                              std::numeric_limits<R>::max()));
  }
};

/// An integer instruction that may overflow: it wraps, or with the clamp bit
/// saturates. To others the bit does nothing.
template <class R, auto exact> void lanesOrClamp(Wave &wave, const Inst &inst) {
  if (inst.clamp)
    lanes<Narrowed<R, exact>::saturate>(wave, inst);
  else
    lanes<Narrowed<R, exact>::wrap>(wave, inst);
}

} // namespace mlir::te::emu

#endif // TE_EMULATOR_LANES_H
