//===- te-reference-dump.cpp - tables of the reference, for check_formats.py -*-
// C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads requests from standard input, one a line, and writes raw little-endian
// files for a test to compare. Not an installed tool.
//
//   decode TYPE OUT                 float64 of every code
//   encode FROM TO even|away OUT    u1/u2 code of every 16-bit code of FROM
//   encode_list TO even|away IN OUT the same for a file of float32
//   e8m0 ELEMENT ROUNDING IN OUT    u1 code of each float32 amax of IN
//   hadamard M K FROM ALONG_ROWS MASK IN OUT   float32 of each element
//   quantize M K FROM ELEMENT R C SCALE ROUNDING TIES SCALE_LAYOUT DATA_LAYOUT
//            FACTOR EPSILON RESULT IN DATA MASK SCALES BACK
//     R x C is the block; 0 0: tensor, 1 0: row. FACTOR "-": current scaling.
//
//===----------------------------------------------------------------------===//
#include "te/Reference/Hadamard.h"
#include "te/Reference/Quantize.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <iostream>

using namespace mlir::te;
using namespace mlir::te::ref;
using llvm::StringRef;

namespace {
using Words = llvm::ArrayRef<StringRef>;
} // namespace

[[noreturn]] static void fail(const llvm::Twine &message) {
  llvm::errs() << "te-reference-dump: " << message << "\n";
  std::exit(1);
}

static std::vector<uint8_t> readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    fail("cannot read " + path);
  StringRef text = (*buffer)->getBuffer();
  return {text.bytes_begin(), text.bytes_end()};
}

static void writeFile(StringRef path, llvm::ArrayRef<uint8_t> bytes) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (error)
    fail("cannot write " + path);
  os << llvm::toStringRef(bytes);
}

static DType parseType(StringRef name) {
  auto type = rt::findDType(std::string_view(name));
  if (!type)
    fail("no element type " + name);
  return *type;
}

static Ties parseTies(StringRef name) {
  return name == "away" ? Ties::Away : Ties::Even;
}

static Rounding parseRounding(StringRef name) {
  return llvm::StringSwitch<Rounding>(name)
      .Case("pow2", Rounding::Pow2)
      .Case("rceil", Rounding::RCeil)
      .Case("floor", Rounding::Floor)
      .Case("even", Rounding::Even)
      .Case("ceil", Rounding::Ceil)
      .Default(Rounding::Nearest);
}

static double parseDouble(StringRef text) {
  double value;
  if (text.getAsDouble(value))
    fail("not a number: " + text);
  return value;
}

static int64_t parseInt(StringRef text) {
  int64_t value;
  if (text.getAsInteger(10, value))
    fail("not an integer: " + text);
  return value;
}

static void dumpDecode(Words words) {
  DType type = parseType(words[0]);
  HostTensor out = HostTensor::zeros(DType::I64, {1 << getFormat(type).bits});
  for (int64_t code = 0; code < out.shape[0]; ++code)
    out.store<double>(code, decode(type, code));
  writeFile(words[1], out.bytes);
}

static void dumpEncode(Words words) {
  DType from = parseType(words[0]), to = parseType(words[1]);
  HostTensor out = HostTensor::zeros(to, {1 << 16});
  for (int64_t code = 0; code < out.shape[0]; ++code)
    storeCode(out, code, encode(to, decode(from, code), parseTies(words[2])));
  writeFile(words[3], out.bytes);
}

static void dumpEncodeList(Words words) {
  HostTensor in;
  in.bytes = readFile(words[2]);
  int64_t count = in.bytes.size() / sizeof(float);
  HostTensor out = HostTensor::zeros(parseType(words[0]), {count});
  for (int64_t i = 0; i < count; ++i)
    storeCode(out, i, encode(out.type, in.load<float>(i), parseTies(words[1])));
  writeFile(words[3], out.bytes);
}

static void dumpE8M0(Words words) {
  HostTensor in;
  in.bytes = readFile(words[2]);
  std::vector<uint8_t> out;
  for (size_t i = 0; i < in.bytes.size() / sizeof(float); ++i)
    out.push_back(computeE8M0(in.load<float>(i), parseType(words[0]),
                              parseRounding(words[1])));
  writeFile(words[3], out);
}

static void dumpHadamard(Words words) {
  HostTensor x;
  x.shape = {parseInt(words[0]), parseInt(words[1])};
  x.type = parseType(words[2]);
  x.bytes = readFile(words[5]);
  writeFile(words[6], hadamard(x, Matrix::flatten(x.shape),
                               parseInt(words[3]) != 0, parseInt(words[4]))
                          .bytes);
}

static Scaling parseScaling(Words words) {
  Scaling scaling;
  scaling.blockRows = parseInt(words[0]);
  scaling.blockCols = parseInt(words[1]);
  scaling.granularity = scaling.blockCols   ? Granularity::Block
                        : scaling.blockRows ? Granularity::Row
                                            : Granularity::Tensor;
  scaling.scaleType = parseType(words[2]);
  scaling.rounding = parseRounding(words[3]);
  scaling.ties = parseTies(words[4]);
  scaling.scaleLayout = llvm::StringSwitch<ScaleLayout>(words[5])
                            .Case("blocked_32x4x4", ScaleLayout::Blocked32x4x4)
                            .Case("e8m0_shuffle", ScaleLayout::E8M0Shuffle)
                            .Default(ScaleLayout::Linear);
  scaling.dataLayout = llvm::StringSwitch<DataLayout>(words[6])
                           .Case("transposed", DataLayout::Transposed)
                           .Case("shuffle_16x16", DataLayout::Shuffle16x16)
                           .Default(DataLayout::Linear);
  return scaling;
}

static void dumpQuantize(Words words) {
  HostTensor x;
  x.shape = {parseInt(words[0]), parseInt(words[1])};
  x.type = parseType(words[2]);
  DType element = parseType(words[3]);
  Scaling scaling = parseScaling(words.slice(4, 7));
  QuantizeOptions options;
  if (words[11] != "-")
    options.scale = float(parseDouble(words[11]));
  options.epsilon = float(parseDouble(words[12]));
  x.bytes = readFile(words[14]);
  auto result = quantize(x, element, scaling, options);
  if (!result)
    fail(llvm::toString(result.takeError()));
  writeFile(words[15], result->data.bytes);
  writeFile(words[16], result->data.unspecified);
  writeFile(words[17], result->scales.bytes);
  auto back =
      dequantize(*result, element, scaling, x.shape, parseType(words[13]));
  if (!back)
    fail(llvm::toString(back.takeError()));
  writeFile(words[18], back->bytes);
}

struct Request {
  const char *name;
  size_t words;
  void (*run)(Words words);
};
static constexpr Request kRequests[] = {
    {"decode", 2, dumpDecode},          {"encode", 4, dumpEncode},
    {"encode_list", 4, dumpEncodeList}, {"e8m0", 4, dumpE8M0},
    {"hadamard", 7, dumpHadamard},      {"quantize", 19, dumpQuantize}};

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    llvm::SmallVector<StringRef> words;
    llvm::SplitString(line, words);
    if (words.empty())
      continue;
    bool isKnown = false;
    for (const Request &request : kRequests)
      if (words[0] == request.name && words.size() == request.words + 1) {
        request.run(Words(words).drop_front());
        isKnown = true;
      }
    if (!isKnown)
      fail("malformed request: " + StringRef(line));
  }
  return 0;
}
