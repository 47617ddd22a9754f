//===- Matrix.cpp - MFMA: a table of shapes and one kernel for all --------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// D = A * B + C in blocks: A is size x depth, B is depth x size. The operands
// are unpacked to plain arrays, multiplied, and packed again; where an element
// lies in the registers is said in InputLayout and ResultLayout alone. Every
// product is exact, and each row's sum is rounded at every step of k, in order:
// the hardware's order and inner width are unknown. MODE and EXEC do not
// matter; denormals stay. A NaN result is the default one.
//
//===----------------------------------------------------------------------===//
#include "Matrix.h"
#include "SmallFloat.h"

namespace mlir::te::emu {

namespace {

/// The most elements that an operand or a result has.
constexpr unsigned kMostElements = 2048;

/// Where a lane's element `e` of A is (B: likewise, with its column for i):
/// i = lane % size, block = lane / size % blocks, and k by the group beyond.
struct InputLayout {
  unsigned size, depth, blocks;
  bool split; // 8-bit f8f6f4: runs of 16, half of the depth apart
  unsigned perLane() const { return size * depth * blocks / kLanes; }
  unsigned groups() const { return kLanes / (size * blocks); }
  unsigned depthOf(unsigned lane, unsigned e) const {
    unsigned group = lane / (size * blocks);
    return split ? e / 16 * 16 * groups() + group * 16 + e % 16
                 : group * perLane() + e;
  }
  /// Its place in an array [block][k][i].
  unsigned placeOf(unsigned lane, unsigned e) const {
    unsigned block = lane / size % blocks;
    return (block * depth + depthOf(lane, e)) * size + lane % size;
  }
};

/// Where a lane's element `r` of C and D is. A register holds runs of `height`
/// rows: 4, or 1 for doubles.
struct ResultLayout {
  unsigned size, blocks, height;
  unsigned perLane() const { return size * size * blocks / kLanes; }
  /// Its place in an array [block][row][column].
  unsigned placeOf(unsigned lane, unsigned r) const {
    unsigned runs = kLanes / size; // in the lanes of one register
    unsigned shared = std::max(1u, kLanes * height / (size * size)); // blocks
    unsigned run = lane / size / shared, block = lane / size % shared;
    unsigned each = std::max(1u, perLane() / std::max(1u, blocks / shared));
    block += r / each * shared;
    r %= each;
    unsigned row =
        r / height * height * (runs / shared) + run * height + r % height;
    return (block * size + row) * size + lane % size;
  }
};

/// A layout's places, tabulated: element by element, 64 lanes each. Runs of
/// `size` lanes have places in a row.
struct Places {
  template <class Layout>
  explicit Places(const Layout &layout)
      : perLane(layout.perLane()), size(layout.size) {
    for (unsigned e = 0; e < perLane; ++e)
      for (unsigned lane = 0; lane < kLanes; ++lane)
        at[e * kLanes + lane] = layout.placeOf(lane, e);
  }
  /// Calls `body(lane, place)` for each run of element `e`.
  template <class Body> void forRuns(unsigned e, Body body) const {
    for (unsigned lane = 0; lane < kLanes; lane += size)
      body(lane, at[e * kLanes + lane]);
  }
  unsigned perLane, size;
  std::array<uint16_t, kMostElements> at;
};

/// Those of one instruction.
struct ShapePlaces {
  explicit ShapePlaces(const MatrixShape &shape)
      : input(InputLayout{shape.size, shape.depth, shape.blocks, false}),
        split(InputLayout{shape.size, shape.depth, shape.blocks, true}),
        result(ResultLayout{shape.size, shape.blocks,
                            shape.a == Element::F64 ? 1u : 4u}) {}
  Places input, split, result;
};

using LaneMap = std::array<uint8_t, kLanes>;

} // namespace

/// Which lane each lane's elements of A come from: block `abid` of 2^cbsz.
static LaneMap mapA(const MatrixShape &shape, unsigned cbsz, unsigned abid) {
  LaneMap from;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    unsigned run = lane / shape.size, block = run % shape.blocks;
    unsigned instead =
        ((block >> cbsz << cbsz) + abid) % shape.blocks + run - block;
    from[lane] = instead * shape.size + lane % shape.size;
  }
  return from;
}

/// The same of B: 1 and 2 repeat a half of the lanes, 3 turns them by 16, 4 to
/// 7 repeat a quarter.
static LaneMap mapB(unsigned blgp) {
  LaneMap from;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    from[lane] = blgp == 0   ? lane
                 : blgp < 3  ? lane % 32 + (blgp - 1) * 32
                 : blgp == 3 ? (lane + 16) % kLanes
                             : lane % 16 + (blgp - 4) * 16;
  return from;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

template <SmallFormat format> static const float *getCodes() {
  static const auto codes = [] {
    std::array<float, 256> table;
    for (unsigned code = 0; code < 256; ++code)
      table[code] = decodeSmall<format>(code);
    return table;
  }();
  return codes.data();
}

static const float *getCodes(Element element, bool fnuz) {
  if (element == Element::Fp8)
    return fnuz ? getCodes<kFp8Fnuz>() : getCodes<kFp8>();
  return fnuz ? getCodes<kBf8Fnuz>() : getCodes<kBf8>();
}

/// Ten bits of fraction are left; whether the hardware rounds or cuts is not
/// published.
static float toXf32(uint32_t bits) {
  if ((bits & 0x7f800000) != 0x7f800000)
    bits += 0xfff + (bits >> 13 & 1);
  else if (bits & 0x7fffff)
    return std::bit_cast<float>(0x7fc00000);
  return std::bit_cast<float>(bits & ~0x1fffu);
}

/// Unpacks an operand whose elements are `width` bits wide.
template <unsigned width, class T, class Decode>
static void unpack(const uint32_t *rows, const Places &places,
                   const LaneMap &from, T *out, Decode decode) {
  for (unsigned e = 0; e < places.perLane; ++e) {
    const uint32_t *row = rows + e * width / 32 * kLanes;
    unsigned shift = e * width % 32;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      uint64_t bits = row[from[lane]];
      if (shift + width > 32)
        bits |= uint64_t(row[kLanes + from[lane]]) << 32;
      out[places.at[e * kLanes + lane]] =
          decode(bits >> shift & (~uint64_t(0) >> (64 - width)));
    }
  }
}

static void unpackElements(const uint32_t *rows, Element element, bool fnuz,
                           const Places &places, const LaneMap &from,
                           float *out) {
  switch (element) {
  case Element::F32:
    return unpack<32>(rows, places, from, out,
                      [](uint32_t bits) { return std::bit_cast<float>(bits); });
  case Element::Xf32:
    return unpack<32>(rows, places, from, out, toXf32);
  case Element::F16:
    return unpack<16>(rows, places, from, out, [](uint32_t bits) {
      return float(fromBits<Half>(bits));
    });
  case Element::Bf16:
    return unpack<16>(rows, places, from, out, fromBFloat);
  default:
    return unpack<8>(rows, places, from, out,
                     [codes = getCodes(element, fnuz)](uint32_t code) {
                       return codes[code];
                     });
  }
}
static void unpackElements(const uint32_t *rows, Element, bool,
                           const Places &places, const LaneMap &from,
                           int32_t *out) {
  unpack<8>(rows, places, from, out,
            [](uint32_t bits) { return int32_t(int8_t(bits)); });
}
static void unpackElements(const uint32_t *rows, Element, bool,
                           const Places &places, const LaneMap &from,
                           double *out) {
  unpack<64>(rows, places, from, out,
             [](uint64_t bits) { return std::bit_cast<double>(bits); });
}

//===----------------------------------------------------------------------===//
// C, D and the product
//===----------------------------------------------------------------------===//

template <class T>
static void readC(const Wave &wave, const Inst &inst, const Places &places,
                  T *out) {
  unsigned number = inst.src[2].number;
  if (number < kFirstVector) {
    T value = fromBits<T>(Bits<T>(readScalar(wave, inst, number, typeOf<T>())));
    std::fill_n(out, places.perLane * kLanes, value);
    return;
  }
  constexpr unsigned words = sizeof(T) / 4;
  for (unsigned r = 0; r < places.perLane; ++r) {
    const uint32_t *row = wave.vgpr[number - kFirstVector + r * words];
    places.forRuns(r, [&](unsigned lane, unsigned place) {
      for (unsigned j = 0; j < places.size; ++j) {
        uint64_t high = words == 2 ? row[kLanes + lane + j] : 0;
        out[place + j] = fromBits<T>(Bits<T>(high << 32 | row[lane + j]));
      }
    });
  }
}

template <class T>
static void writeD(Wave &wave, const Inst &inst, const Places &places,
                   const T *values) {
  constexpr unsigned words = sizeof(T) / 4;
  for (unsigned r = 0; r < places.perLane; ++r) {
    uint32_t *row = wave.row(inst.dst + r * words);
    places.forRuns(r, [&](unsigned lane, unsigned place) {
      for (unsigned j = 0; j < places.size; ++j) {
        Bits<T> bits = toBits<T>(values[place + j]);
        if constexpr (isFloat(typeOf<T>()))
          bits = isNaNBits<T>(bits) ? quietNaN<T>() : bits;
        row[lane + j] = uint32_t(bits);
        if constexpr (words == 2)
          row[kLanes + lane + j] = uint32_t(bits >> 32);
      }
    });
  }
}

/// The operands carry their scales: doubles hold them and the product exactly.
static float multiplyAdd(double a, double b, float c) {
  return float(__builtin_fma(a, b, double(c)));
}
static float multiplyAdd(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
static double multiplyAdd(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
/// Wraps: the encoding has no clamp bit.
static int32_t multiplyAdd(int32_t a, int32_t b, int32_t c) {
  return int32_t(uint32_t(a * b) + uint32_t(c));
}

template <unsigned size, class In, class T>
static void multiplySized(const MatrixShape &shape, const In *a, const In *b,
                          T *d) {
  for (unsigned block = 0; block < shape.blocks; ++block) {
    for (unsigned i = 0; i < size; ++i, d += size) {
      T sums[size];
      std::copy_n(d, size, sums);
      for (unsigned k = 0; k < shape.depth; ++k) {
        unsigned at = (block * shape.depth + k) * size;
        for (unsigned j = 0; j < size; ++j)
          sums[j] = multiplyAdd(a[at + i], b[at + j], sums[j]);
      }
      std::copy_n(sums, size, d);
    }
  }
}
template <class In, class T>
static void multiply(const MatrixShape &shape, const In *a, const In *b, T *d) {
  if (shape.size == 32)
    multiplySized<32>(shape, a, b, d);
  else if (shape.size == 16)
    multiplySized<16>(shape, a, b, d);
  else
    multiplySized<4>(shape, a, b, d);
}

template <class T> static void negate(T *values, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    values[i] = -values[i];
}

//===----------------------------------------------------------------------===//
// The rows
//===----------------------------------------------------------------------===//

static const uint32_t *rowsOf(const Wave &wave, const Inst &inst, unsigned k) {
  return wave.vgpr[inst.src[k].number - kFirstVector];
}

static const ShapePlaces &placesOf(const Inst &inst) {
  static const std::vector<ShapePlaces> all(getMatrixShapes().begin(),
                                            getMatrixShapes().end());
  return all[inst.param];
}

/// Dense products. f64 has no permutations: blgp negates A, B and C.
template <class T> static void runDense(Wave &wave, const Inst &inst) {
  const MatrixShape &shape = getMatrixShapes()[inst.param];
  constexpr bool isDouble = std::is_same_v<T, double>;
  alignas(64) T a[kMostElements], b[kMostElements], d[kMostElements];
  const auto &[input, split, result] = placesOf(inst);
  const MatrixFields &fields = inst.matrix;
  bool fnuz = wave.launch->chip->fnuz;
  unpackElements(rowsOf(wave, inst, 0), shape.a, fnuz, input,
                 mapA(shape, fields.cbsz, fields.abid), a);
  unpackElements(rowsOf(wave, inst, 1), shape.b, fnuz, input,
                 mapB(isDouble ? 0 : fields.blgp), b);
  readC(wave, inst, result, d);
  if constexpr (isDouble) {
    unsigned count = input.perLane * kLanes;
    if (fields.blgp & 1)
      negate(a, count);
    if (fields.blgp & 2)
      negate(b, count);
    if (fields.blgp & 4)
      negate(d, result.perLane * kLanes);
  }
  multiply(shape, a, b, d);
  writeD(wave, inst, result, d);
}

//===----------------------------------------------------------------------===//
// f8f6f4
//===----------------------------------------------------------------------===//

namespace {
/// A value of cbsz or blgp.
struct MixedFormat {
  unsigned width;
  const float *(*codes)();
};
} // namespace
static constexpr MixedFormat mixedFormats[] = {{8, getCodes<kFp8>},
                                               {8, getCodes<kBf8>},
                                               {6, getCodes<kFp6>},
                                               {6, getCodes<kBf6>},
                                               {4, getCodes<kFp4>}};

static void unpackMixed(const uint32_t *rows, const ShapePlaces &shape,
                        const MixedFormat &format, double *out) {
  const Places &places = format.width == 8 ? shape.split : shape.input;
  auto decode = [codes = format.codes()](uint32_t code) { return codes[code]; };
  LaneMap from = mapB(0);
  if (format.width == 8)
    unpack<8>(rows, places, from, out, decode);
  else if (format.width == 6)
    unpack<6>(rows, places, from, out, decode);
  else
    unpack<4>(rows, places, from, out, decode);
}

/// 2^(e - 127) for each 32 values of k, e a byte of lane i + size * (k / 32).
static void applyScales(const Wave &wave, const Inst &inst, unsigned operand,
                        const MatrixShape &shape, double *values) {
  unsigned number = inst.matrix.scale[operand];
  unsigned shift = inst.matrix.scaleByte[operand] * 8;
  for (unsigned lane = 0; lane < shape.size * shape.depth / 32; ++lane) {
    uint32_t bits = number >= kFirstVector
                        ? wave.vgpr[number - kFirstVector][lane]
                        : uint32_t(readScalar(wave, inst, number, Type::U32));
    int exponent = bits >> shift & 0xff;
    double scale = exponent == 0xff ? std::bit_cast<double>(quietNaN<double>())
                                    : std::ldexp(1.0, exponent - 127);
    double *block = values + lane / shape.size * 32 * shape.size;
    for (unsigned k = 0; k < 32; ++k)
      block[k * shape.size + lane % shape.size] *= scale;
  }
}

static void runMixed(Wave &wave, const Inst &inst) {
  const MatrixShape &shape = getMatrixShapes()[inst.param];
  const MatrixFields &fields = inst.matrix;
  if (std::max(fields.cbsz, fields.blgp) >= std::size(mixedFormats))
    return wave.fail("cbsz and blgp name formats: expected 0 to 4");
  alignas(64) double a[kMostElements], b[kMostElements];
  alignas(64) float d[kMostElements];
  const ShapePlaces &places = placesOf(inst);
  unpackMixed(rowsOf(wave, inst, 0), places, mixedFormats[fields.cbsz], a);
  unpackMixed(rowsOf(wave, inst, 1), places, mixedFormats[fields.blgp], b);
  if (fields.isScaled) {
    applyScales(wave, inst, 0, shape, a);
    applyScales(wave, inst, 1, shape, b);
  }
  readC(wave, inst, places.result, d);
  multiply(shape, a, b, d);
  writeD(wave, inst, places.result, d);
}

static ExecFn findRun(const MatrixShape &shape) {
  return shape.a == Element::F64     ? runDense<double>
         : shape.a == Element::I8    ? runDense<int32_t>
         : shape.a == Element::Mixed ? runMixed
                                     : runDense<float>;
}

llvm::ArrayRef<Row> getMatrixRows() {
  static const std::vector<Row> rows = [] {
    std::vector<Row> made;
    for (const MatrixShape &shape : getMatrixShapes())
      made.push_back(
          {shape.stem, findRun(shape), kMatrix, uint16_t(made.size())});
    return made;
  }();
  return rows;
}

unsigned countPasses(const Inst &inst, const Chip &chip) {
  const MatrixShape &shape = getMatrixShapes()[inst.param];
  bool isSlow = shape.a == Element::Mixed &&
                std::min(inst.matrix.cbsz, inst.matrix.blgp) < 2;
  return (chip.fnuz ? shape.passes : shape.passes950) * (isSlow ? 2 : 1);
}

} // namespace mlir::te::emu
