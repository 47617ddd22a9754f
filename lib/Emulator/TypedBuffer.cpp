//===- TypedBuffer.cpp - MUBUF, MTBUF: loads and stores with a format -----===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// buffer_*_format takes the format from the resource, and which component goes
// where (dst_sel); tbuffer_* has the format in the instruction and keeps the
// components' order. A component becomes f32 or a 32-bit integer; with d16, f16
// or a 16-bit one, two in a register.
//
//===----------------------------------------------------------------------===//
#include "Buffer.h"
#include "SmallFloat.h"

namespace mlir::te::emu {

using U = uint32_t;

namespace {
/// Widths in bits from the lowest component on.
struct DataFormat {
  uint8_t widths[4];
  unsigned count() const {
    return widths[3] ? 4 : widths[2] ? 3 : widths[1] ? 2 : widths[0] ? 1 : 0;
  }
  unsigned bytes() const {
    return (widths[0] + widths[1] + widths[2] + widths[3]) / 8;
  }
};

enum NumberFormat : uint8_t {
  kUnorm,
  kSnorm,
  kUscaled,
  kSscaled,
  kUint,
  kSint,
  kFloat = 7
};

/// How registers hold components.
enum class Part { Whole, Halves, High };

/// One access's format.
struct TypedFormat {
  DataFormat data;
  uint8_t number;
  uint8_t select[4]; // 0, 1: constants; 4..7: components
};
} // namespace

static constexpr DataFormat dataFormats[16] = {
    {{}},
    {{8}},
    {{16}},
    {{8, 8}},
    {{32}},
    {{16, 16}},
    {{11, 11, 10}},
    {{10, 11, 11}},
    {{2, 10, 10, 10}},
    {{10, 10, 10, 2}},
    {{8, 8, 8, 8}},
    {{32, 32}},
    {{16, 16, 16, 16}},
    {{32, 32, 32}},
    {{32, 32, 32, 32}},
    {{}},
};

/// False after failing the wave.
static bool findFormat(Wave &wave, const Inst &inst, TypedFormat &format) {
  unsigned data = inst.bufferFormat & 15;
  format = {{}, uint8_t(inst.bufferFormat >> 4), {4, 5, 6, 7}};
  if (inst.format == Format::Mubuf) {
    U word = wave.sgpr[inst.src[1].number + 3];
    data = word >> 15 & 15;
    format.number = word >> 12 & 7;
    for (unsigned k = 0; k < 4; ++k)
      format.select[k] = word >> 3 * k & 7;
  }
  format.data = dataFormats[data];
  unsigned least = format.data.widths[0];
  bool isFloat = format.number == kFloat, isNone = format.number == 6;
  if (!format.data.count() || isNone || (isFloat && (least == 8 || least == 2)))
    wave.fail("a buffer's data format " + llvm::Twine(data) +
              " with number format " + llvm::Twine(unsigned(format.number)) +
              " is not one that the emulator knows");
  return wave.stop != Stop::Fault;
}

//===----------------------------------------------------------------------===//
// Components
//===----------------------------------------------------------------------===//

/// Five bits of exponent and no sign: a half without its lowest bits.
static float decodeUnsignedFloat(U bits, unsigned width) {
  return float(fromBits<Half>(bits << (15 - width)));
}

/// A component's bits as f32, or as a 32-bit integer.
static U decode(U bits, unsigned width, unsigned number) {
  int32_t extended = int32_t(bits << (32 - width)) >> (32 - width);
  double most = double((uint64_t(1) << width) - 1);
  switch (number) {
  case kUnorm:
    return toBits<float>(float(bits / most));
  case kSnorm:
    return toBits<float>(float(std::max(-1.0, extended / ((most - 1) / 2))));
  case kUscaled:
    return toBits<float>(float(bits));
  case kSscaled:
    return toBits<float>(float(extended));
  case kUint:
    return bits;
  case kSint:
    return U(extended);
  }
  return width == 32   ? bits
         : width == 16 ? toBits<float>(widenHalf(fromBits<Half>(bits)))
                       : toBits<float>(decodeUnsignedFloat(bits, width));
}

/// The nearest of the unsigned floats: a half's, rounded once more.
static U encodeUnsignedFloat(float value, unsigned width) {
  if (isNaN(value))
    return (1u << width) - 1;
  if (!(value > 0))
    return 0;
  unsigned mantissa = width - 5;
  // The format's step at this exponent; least: that of the denormals.
  int exponent = std::max(std::ilogb(value), -14);
  float step = std::ldexp(1.0f, exponent - int(mantissa));
  float rounded = std::nearbyint(value / step) * step;
  if (std::isinf(value) || rounded >= 65536)
    return 31u << mantissa;
  return toBits<Half>(Half(rounded)) >> (10 - mantissa);
}

/// The other way; what is out of range becomes the nearest that is in it.
static U encode(U bits, unsigned width, unsigned number) {
  double value = fromBits<float>(bits);
  double most = double((uint64_t(1) << width) - 1), half = (most - 1) / 2;
  value = number != kFloat && value != value ? 0 : value;
  U mask = width == 32 ? ~0u : (1u << width) - 1;
  switch (number) {
  case kUnorm:
    return U(std::nearbyint(std::clamp(value, 0.0, 1.0) * most));
  case kSnorm:
    return U(int64_t(std::nearbyint(std::clamp(value, -1.0, 1.0) * half))) &
           mask;
  case kUscaled:
    return U(std::clamp(value, 0.0, most));
  case kSscaled:
    return U(int64_t(std::clamp(value, -half - 1, half))) & mask;
  case kUint:
    return std::min(bits, mask);
  case kSint:
    return U(std::clamp<int64_t>(int32_t(bits), int64_t(-half - 1),
                                 int64_t(half))) &
           mask;
  }
  return width == 32   ? bits
         : width == 16 ? toBits<Half>(narrowToHalf(float(value)))
                       : encodeUnsignedFloat(float(value), width);
}

static bool isInteger(const TypedFormat &format) {
  return format.number == kUint || format.number == kSint;
}

/// 16 bits of a component in a register, and back.
static U toHalfRegister(const TypedFormat &format, U value) {
  return isInteger(format) ? value & 0xffff
                           : toBits<Half>(narrowToHalf(fromBits<float>(value)));
}
static U fromHalfRegister(const TypedFormat &format, U bits) {
  if (!isInteger(format))
    return toBits<float>(widenHalf(fromBits<Half>(bits & 0xffff)));
  return format.number == kSint ? U(int16_t(bits)) : bits & 0xffff;
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

static U bitsAt(const uint8_t *bytes, unsigned low, unsigned width) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes + low / 8, (low % 8 + width + 7) / 8);
  return U(bits >> low % 8 & ((uint64_t(1) << width) - 1));
}

/// What an element's component `which` (of dst_sel) gives.
static U selectComponent(const TypedFormat &format, const uint8_t *bytes,
                         unsigned which) {
  U one = isInteger(format) ? 1 : toBits<float>(1);
  if (which < 4)
    return which == 1 ? one : 0;
  unsigned low = 0;
  for (unsigned k = 0; k < which - 4u; ++k)
    low += format.data.widths[k];
  unsigned width = format.data.widths[which - 4];
  if (!width) // the format has no such component
    return which == 7 ? one : 0;
  return decode(bitsAt(bytes, low, width), width, format.number);
}

template <unsigned count, Part part>
static void runLoad(Wave &wave, const Inst &inst) {
  TypedFormat format;
  BufferLanes buffer;
  if (!findFormat(wave, inst, format))
    return;
  unsigned bytes = format.data.bytes();
  if (!addressBuffer(wave, inst, bytes, Traffic::Load, buffer))
    return;
  forLanes(wave.exec(), [&](unsigned lane) {
    uint8_t element[16] = {}; // beyond the range reads 0
    bool isValid = buffer.valid[lane] == bytes;
    if (isValid)
      std::memcpy(element, buffer.lanes.host[lane], bytes);
    for (unsigned k = 0; k < count; ++k) {
      U value =
          isValid ? selectComponent(format, element, format.select[k]) : 0;
      if (part == Part::Whole) {
        wave.vgpr[inst.dst + k][lane] = value;
        continue;
      }
      bool isHigh = part == Part::High || k % 2;
      U &word = wave.vgpr[inst.dst + k / 2][lane];
      U half = toHalfRegister(format, value);
      word = isHigh ? (word & 0xffff) | half << 16 : (word & 0xffff0000) | half;
    }
  });
}

template <unsigned count, Part part>
static U readComponent(const Wave &wave, const Inst &inst,
                       const TypedFormat &format, unsigned lane, unsigned k) {
  if (k >= count)
    return 0;
  if (part == Part::Whole)
    return wave.vgpr[inst.data[0] + k][lane];
  bool isHigh = part == Part::High || k % 2;
  U word = wave.vgpr[inst.data[0] + k / 2][lane];
  return fromHalfRegister(format, isHigh ? word >> 16 : word);
}

template <unsigned count, Part part>
static void runStore(Wave &wave, const Inst &inst) {
  TypedFormat format;
  BufferLanes buffer;
  if (!findFormat(wave, inst, format))
    return;
  unsigned bytes = format.data.bytes();
  if (!addressBuffer(wave, inst, bytes, Traffic::Store, buffer))
    return;
  forLanes(wave.exec(), [&](unsigned lane) {
    if (buffer.valid[lane] != bytes)
      return;
    uint64_t element[2] = {}; // no component crosses the middle
    unsigned low = 0;
    for (unsigned k = 0; k < format.data.count(); ++k) {
      unsigned width = format.data.widths[k];
      U value = readComponent<count, part>(wave, inst, format, lane, k);
      element[low / 64] |= uint64_t(encode(value, width, format.number))
                           << low % 64;
      low += width;
    }
    std::memcpy(buffer.lanes.host[lane], element, bytes);
  });
}

#define ACCESS(KIND, SUFFIX, ...)                                              \
  {"buffer_" KIND "_format_" SUFFIX, __VA_ARGS__}, {                           \
    "tbuffer_" KIND "_format_" SUFFIX, __VA_ARGS__                             \
  }
#define ACCESSES(KIND, RUN)                                                    \
  ACCESS(KIND, "x", RUN<1, Part::Whole>),                                      \
      ACCESS(KIND, "xy", RUN<2, Part::Whole>),                                 \
      ACCESS(KIND, "xyz", RUN<3, Part::Whole>),                                \
      ACCESS(KIND, "xyzw", RUN<4, Part::Whole>),                               \
      ACCESS(KIND, "d16_x", RUN<1, Part::Halves>),                             \
      ACCESS(KIND, "d16_xy", RUN<2, Part::Halves>),                            \
      ACCESS(KIND, "d16_xyz", RUN<3, Part::Halves>),                           \
      ACCESS(KIND, "d16_xyzw", RUN<4, Part::Halves>), {                        \
    "buffer_" KIND "_format_d16_hi_x", RUN<1, Part::High>                      \
  }

static const Row rows[] = {ACCESSES("load", runLoad),
                           ACCESSES("store", runStore)};

llvm::ArrayRef<Row> getTypedBufferRows() { return rows; }

} // namespace mlir::te::emu
