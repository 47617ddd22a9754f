//===- Lanes.cpp - the slow ways in and out of the lanes: modifiers, DPP, SDWA
//===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Lanes.h"

namespace mlir::te::emu {

//===----------------------------------------------------------------------===//
// Scalars and constants
//===----------------------------------------------------------------------===//

/// Inline constants 240..248: 0.5, -0.5, 1, -1, 2, -2, 4, -4, 1/(2 pi).
static constexpr uint16_t halfConstants[] = {
    0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118};
static constexpr uint32_t floatConstants[] = {
    0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
    0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
static constexpr uint64_t doubleConstants[] = {
    0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
    0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
    0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};

static uint64_t readLiteral(const Inst &inst, Type type) {
  switch (type) {
  case Type::F64: // the upper half
    return uint64_t(inst.literal) << 32;
  case Type::I64:
    return int64_t(int32_t(inst.literal));
  default:
    return inst.literal;
  }
}

uint64_t readScalar(const Wave &wave, const Inst &inst, unsigned number,
                    Type type) {
  if (number < 128)
    return sizeOf(type) == 8 ? wave.scalar64(number) : wave.sgpr[number];
  if (number <= 192)
    return number - 128;
  if (number <= 208)
    return uint64_t(int64_t(192) - int64_t(number));
  if (number >= 240 && number <= 248) {
    unsigned index = number - 240;
    return sizeOf(type) == 8   ? doubleConstants[index]
           : sizeOf(type) == 2 ? halfConstants[index]
                               : floatConstants[index];
  }
  switch (number) {
  case 235: // src_shared_base
    return sizeOf(type) == 8 ? kSharedBase : kSharedBase >> 32;
  case 236: // src_shared_limit
  case 238: // src_private_limit
    return UINT32_MAX;
  case 237: // src_private_base
    return sizeOf(type) == 8 ? kPrivateBase : kPrivateBase >> 32;
  case 251:
    return wave.scalar64(kVcc) == 0;
  case 252:
    return wave.exec() == 0;
  case 253:
    return wave.scc;
  case kLiteral:
    return readLiteral(inst, type);
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// MODE
//===----------------------------------------------------------------------===//

void Wave::setMode(uint32_t value) {
  mode = value;
  // Round to nearest even everywhere, and no flushing.
  floatSpecial = (value & 0xff) != 0xf0;
}

static uint32_t roundingOf(const Wave &wave, Type type) {
  return type == Type::F32 ? wave.mode & 3 : wave.mode >> 2 & 3;
}

RoundingScope::RoundingScope(const Wave &wave, Type type) {
  static constexpr int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD,
                                  FE_TOWARDZERO};
  uint32_t mode = roundingOf(wave, type);
  if (!isFloat(type) || mode == 0)
    return;
  changed = true;
  std::fesetround(modes[mode]);
}

RoundingScope::~RoundingScope() {
  if (changed)
    std::fesetround(FE_TONEAREST);
}

/// Bit 0 of a denormal mode keeps those of the inputs, bit 1 of the outputs.
static bool flushes(const Wave &wave, Type type, bool result) {
  unsigned shift = (type == Type::F32 ? 4 : 6) + (result ? 1 : 0);
  return !(wave.mode >> shift & 1);
}

void flushDenormals(const Wave &wave, uint32_t *values, Type type,
                    bool result) {
  if (!isFloat(type) || !flushes(wave, type, result))
    return;
  uint32_t exponent = type == Type::F16 ? 0x7c00 : 0x7f800000;
  uint32_t sign = type == Type::F16 ? 0x8000 : 0x80000000;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (!(values[lane] & exponent))
      values[lane] &= sign;
}

void flushDenormals(const Wave &wave, uint64_t *values, Type type,
                    bool result) {
  if (!isFloat(type) || !flushes(wave, type, result))
    return;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (!(values[lane] & 0x7ff0000000000000))
      values[lane] &= 0x8000000000000000;
}

//===----------------------------------------------------------------------===//
// DPP
//===----------------------------------------------------------------------===//

/// The lane that `lane` reads, or -1 where there is none.
static int dppLane(unsigned ctrl, int lane) {
  int row = lane & ~15, in = lane & 15;
  auto within = [&](int at) { return at >= 0 && at < 16 ? row + at : -1; };
  if (ctrl <= 0xff) // quad_perm
    return (lane & ~3) + (ctrl >> (lane & 3) * 2 & 3);
  if (ctrl >= 0x101 && ctrl <= 0x10f) // row_shl
    return within(in + int(ctrl & 15));
  if (ctrl >= 0x111 && ctrl <= 0x11f) // row_shr
    return within(in - int(ctrl & 15));
  if (ctrl >= 0x121 && ctrl <= 0x12f) // row_ror
    return row + ((in - int(ctrl & 15)) & 15);
  if (ctrl >= 0x150 && ctrl <= 0x15f) // row_newbcast
    return row + int(ctrl & 15);
  switch (ctrl) {
  case 0x130: // wave_shl
    return lane < 63 ? lane + 1 : -1;
  case 0x134: // wave_rol
    return (lane + 1) & 63;
  case 0x138: // wave_shr
    return lane - 1;
  case 0x13c: // wave_ror
    return (lane - 1) & 63;
  case 0x140: // row_mirror
    return row + 15 - in;
  case 0x141: // row_half_mirror
    return (lane & ~7) + 7 - (lane & 7);
  case 0x142: // row_bcast:15, to the next row
    return row ? row - 1 : -1;
  case 0x143: // row_bcast:31, to the upper half
    return lane >= 32 ? 31 : -1;
  }
  return -1;
}

uint64_t dppWriteMask(const Wave &wave, const Inst &inst) {
  uint64_t exec = wave.exec(), mask = 0;
  forLanes(exec, [&](unsigned lane) {
    bool enabled =
        inst.rowMask >> (lane / 16) & inst.bankMask >> (lane / 4 % 4) & 1;
    int from = dppLane(inst.dppCtrl, lane);
    // bound_ctrl reads 0 where there is no active source; else nothing is
    // written.
    bool valid = from >= 0 && exec >> from & 1;
    if (enabled && (valid || inst.boundCtrl))
      mask |= uint64_t(1) << lane;
  });
  return mask;
}

template <class T>
static void permuteDpp(const Wave &wave, const Inst &inst, T *values) {
  T old[kLanes];
  std::memcpy(old, values, sizeof(old));
  uint64_t exec = wave.exec();
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    int from = dppLane(inst.dppCtrl, lane);
    values[lane] = from >= 0 && exec >> from & 1 ? old[from] : 0;
  }
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

/// SDWA's BYTE_0..3, WORD_0..1.
static uint32_t selectPart(uint32_t value, unsigned select, bool extend) {
  if (select < 4) {
    value = value >> select * 8 & 0xff;
    return extend ? uint32_t(int8_t(value)) : value;
  }
  if (select < 6) {
    value = value >> (select - 4) * 16 & 0xffff;
    return extend ? uint32_t(int16_t(value)) : value;
  }
  return value;
}

const uint32_t *readSlow32(Wave &wave, const Inst &inst, unsigned k, Type type,
                           uint32_t *buffer) {
  const Source &source = inst.src[k];
  if (source.number >= kFirstVector) {
    std::memcpy(buffer, wave.row(source.number - kFirstVector),
                sizeof(uint32_t) * kLanes);
  } else {
    uint32_t value = readScalar(wave, inst, source.number, type);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      buffer[lane] = value;
  }
  if (source.mods & kDpp)
    permuteDpp(wave, inst, buffer);
  bool isConstant = source.number >= 128 && source.number < kFirstVector;
  if (source.mods & kHigh && sizeOf(type) == 2 && !isConstant)
    for (unsigned lane = 0; lane < kLanes; ++lane)
      buffer[lane] >>= 16;
  if (source.mods & kSdwa)
    for (unsigned lane = 0; lane < kLanes; ++lane)
      buffer[lane] =
          selectPart(buffer[lane], source.select, source.mods & kSext);
  uint32_t sign = sizeOf(type) == 2 ? 0x8000 : 0x80000000;
  uint32_t keep = source.mods & kAbs ? ~sign : ~0u;
  uint32_t flip = source.mods & kNeg ? sign : 0;
  if (source.mods & (kAbs | kNeg))
    for (unsigned lane = 0; lane < kLanes; ++lane)
      buffer[lane] = (buffer[lane] & keep) ^ flip;
  if (wave.floatSpecial) {
    if (type == Type::F16) // the upper half is not the value's
      for (unsigned lane = 0; lane < kLanes; ++lane)
        buffer[lane] &= 0xffff;
    flushDenormals(wave, buffer, type, /*result=*/false);
  }
  return buffer;
}

const uint64_t *readSlow64(Wave &wave, const Inst &inst, unsigned k, Type type,
                           uint64_t *buffer) {
  const Source &source = inst.src[k];
  if (source.number >= kFirstVector) {
    const uint32_t *low = wave.row(source.number - kFirstVector);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      buffer[lane] = uint64_t(low[kLanes + lane]) << 32 | low[lane];
  } else {
    uint64_t value = readScalar(wave, inst, source.number, type);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      buffer[lane] = value;
  }
  if (source.mods & kDpp)
    permuteDpp(wave, inst, buffer);
  constexpr uint64_t sign = uint64_t(1) << 63;
  uint64_t keep = source.mods & kAbs ? ~sign : ~uint64_t(0);
  uint64_t flip = source.mods & kNeg ? sign : 0;
  if (source.mods & (kAbs | kNeg))
    for (unsigned lane = 0; lane < kLanes; ++lane)
      buffer[lane] = (buffer[lane] & keep) ^ flip;
  if (wave.floatSpecial)
    flushDenormals(wave, buffer, type, /*result=*/false);
  return buffer;
}

//===----------------------------------------------------------------------===//
// Destinations
//===----------------------------------------------------------------------===//

template <class T>
static Bits<T> modifyResult(const Wave &wave, const Inst &inst, Bits<T> bits) {
  static constexpr float scales[] = {1, 2, 4, 0.5f};
  T value = fromBits<T>(bits);
  if (inst.omod)
    value = T(value * T(scales[inst.omod]));
  if (inst.clamp) {
    if (value != value)
      value = wave.mode & kModeDx10Clamp ? T(0) : value;
    else
      value = value > T(0) ? (value < T(1) ? value : T(1)) : T(0);
  }
  return toBits<T>(value);
}

/// The 32 bits that an SDWA destination gets.
static uint32_t placePart(const Inst &inst, uint32_t value, uint32_t old) {
  if (inst.dstSelect == 6)
    return value;
  unsigned width = inst.dstSelect < 4 ? 8 : 16;
  unsigned shift =
      inst.dstSelect < 4 ? inst.dstSelect * 8 : (inst.dstSelect - 4) * 16;
  uint32_t mask = ((1u << width) - 1) << shift;
  uint32_t part = value << shift & mask;
  if (inst.dstUnused == 2) // preserve
    return part | (old & ~mask);
  if (inst.dstUnused == 1) { // sign-extend upwards
    bool negative = part >> (shift + width - 1) & 1;
    uint32_t above = shift + width == 32 ? 0 : ~0u << (shift + width);
    return part | (negative ? above : 0);
  }
  return part;
}

void writeSlow32(Wave &wave, const Inst &inst, uint32_t *values, Type type) {
  if (wave.floatSpecial)
    flushDenormals(wave, values, type, /*result=*/true);
  if ((inst.omod || inst.clamp) && isFloat(type))
    for (unsigned lane = 0; lane < kLanes; ++lane)
      values[lane] = type == Type::F16
                         ? modifyResult<Half>(wave, inst, values[lane])
                         : modifyResult<float>(wave, inst, values[lane]);
  const uint32_t *old = wave.row(inst.dst);
  bool isHalf = sizeOf(type) == 2;
  if (inst.sdwa) {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      values[lane] = placePart(inst, values[lane], old[lane]);
  } else if (isHalf && inst.writesHigh) {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      values[lane] = values[lane] << 16 | (old[lane] & 0xffff);
  } else if (isHalf && inst.flags & kKeepHigh) {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      values[lane] = (values[lane] & 0xffff) | (old[lane] & 0xffff0000);
  }
  storeRow(wave, inst.dst, values, wave.writeMask);
}

void writeSlow64(Wave &wave, const Inst &inst, uint64_t *values, Type type) {
  if (wave.floatSpecial)
    flushDenormals(wave, values, type, /*result=*/true);
  if ((inst.omod || inst.clamp) && isFloat(type))
    for (unsigned lane = 0; lane < kLanes; ++lane)
      values[lane] = modifyResult<double>(wave, inst, values[lane]);
  storeRow64(wave, inst.dst, values, wave.writeMask);
}

} // namespace mlir::te::emu
