//===- Arguments.cpp - te-run: what raw mode gives a kernel -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Arguments.h"

#include "te/Runtime/Npy.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

/// A buffer that is larger is a mistyped shape.
static constexpr int64_t kMostBytes = int64_t(1) << 36;

static constexpr const char *kForms =
    "a buffer (in:F.npy, out:DTYPE[SHAPE]:F.npy, inout:F.npy:G.npy, "
    "tmp:DTYPE[SHAPE], the name of a --buffer, null), a scalar (i8, i16, i32, "
    "i64, f16, bf16, f32 or f64, as in i32:7), struct:MEMBER,MEMBER..., "
    "bytes:HEX or lds:BYTES";

static rt::Failure malformed(const llvm::Twine &why) { return {why.str()}; }

//===----------------------------------------------------------------------===//
// Scalars and structures
//===----------------------------------------------------------------------===//

namespace {
struct ScalarType {
  StringRef name;
  unsigned bytes;
  const llvm::fltSemantics &(*semantics)(); // null: an integer
};
} // namespace

static const ScalarType kScalars[] = {
    {"i8", 1, nullptr},
    {"i16", 2, nullptr},
    {"i32", 4, nullptr},
    {"i64", 8, nullptr},
    {"f16", 2, llvm::APFloat::IEEEhalf},
    {"bf16", 2, llvm::APFloat::BFloat},
    {"f32", 4, llvm::APFloat::IEEEsingle},
    {"f64", 8, llvm::APFloat::IEEEdouble},
};

static const ScalarType *findScalar(StringRef name) {
  auto found = llvm::find_if(
      kScalars, [&](const ScalarType &type) { return type.name == name; });
  return found == std::end(kScalars) ? nullptr : found;
}

/// Integers may be negative, or unsigned up to the width.
static bool readInteger(StringRef text, unsigned bytes, uint64_t &bits) {
  int64_t number;
  if (!text.getAsInteger(0, number)) {
    bits = number;
    return llvm::isIntN(8 * bytes, number) ||
           (number >= 0 && llvm::isUIntN(8 * bytes, number));
  }
  return !text.getAsInteger(0, bits) && llvm::isUIntN(8 * bytes, bits);
}

static bool readFloat(StringRef text, const llvm::fltSemantics &semantics,
                      uint64_t &bits) {
  llvm::APFloat number(semantics);
  if (text.empty())
    return false;
  auto status =
      number.convertFromString(text, llvm::RoundingMode::NearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    return false;
  }
  bits = number.bitcastToAPInt().getZExtValue();
  return !(*status & llvm::APFloat::opOverflow);
}

static void append(RawArgument &argument, uint64_t bits, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i)
    argument.bytes.push_back(bits >> 8 * i);
}

static rt::Status appendScalar(const ScalarType &type, StringRef value,
                               RawArgument &argument) {
  uint64_t bits = 0;
  bool isRead = type.semantics ? readFloat(value, type.semantics(), bits)
                               : readInteger(value, type.bytes, bits);
  if (!isRead)
    return malformed("'" + value + "' is no " + type.name);
  append(argument, bits, type.bytes);
  return {};
}

/// The address of a --buffer; false where there is none of this name.
static bool appendAddress(StringRef name, ArrayRef<RawBuffer> buffers,
                          RawArgument &argument) {
  auto found = llvm::find_if(
      buffers, [&](const RawBuffer &buffer) { return buffer.name == name; });
  if (name.empty() || found == buffers.end())
    return false;
  argument.patches.push_back(
      {argument.bytes.size(), size_t(found - buffers.begin())});
  append(argument, 0, 8);
  return true;
}

/// Scalars and names of buffers, each at a multiple of its size, as C lays them
/// out; so is the whole padded.
static rt::Result<RawArgument> parseStruct(StringRef rest,
                                           ArrayRef<RawBuffer> buffers) {
  RawArgument argument;
  SmallVector<StringRef> members;
  rest.split(members, ',');
  unsigned most = 1;
  for (StringRef member : members) {
    auto [name, value] = member.split(':');
    const ScalarType *type = findScalar(name);
    unsigned bytes = type ? type->bytes : 8;
    most = std::max(most, bytes);
    argument.bytes.resize(llvm::alignTo(argument.bytes.size(), bytes));
    if (type) {
      if (auto status = appendScalar(*type, value, argument); !status)
        return status.takeFailure();
    } else if (!appendAddress(member, buffers, argument)) {
      return malformed("member '" + member +
                       "': expected a scalar such as i32:7, or the "
                       "name of a --buffer");
    }
  }
  argument.bytes.resize(llvm::alignTo(argument.bytes.size(), most));
  return argument;
}

static rt::Result<RawArgument> parseBytes(StringRef hex) {
  std::string bytes;
  if (hex.empty() || hex.size() % 2 || !llvm::tryGetFromHex(hex, bytes))
    return malformed("expected two hexadecimal digits a byte, the first "
                     "byte first");
  RawArgument argument;
  argument.bytes.assign(bytes.begin(), bytes.end());
  return argument;
}

static rt::Result<RawArgument> parseLds(StringRef size) {
  RawArgument argument;
  argument.kind = RawArgument::Lds;
  argument.bytes.resize(4);
  if (size.getAsInteger(0, argument.ldsBytes))
    return malformed("expected lds:BYTES, for example lds:1024");
  return argument;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// DTYPE[SHAPE], without bytes.
static rt::Result<rt::HostTensor> parseZeros(StringRef text) {
  auto [name, sizes] = text.split('[');
  auto type = rt::findDType(name.str());
  if (!sizes.consume_back("]"))
    return rt::Failure{"expected DTYPE[SHAPE], for example f32[16,16]"};
  if (!type)
    return rt::Failure{("no element type '" + name +
                        "'; there are f32, f16, bf16, i8, i32, i64, f8E4M3FN, "
                        "f8E5M2, f8E8M0FNU, f4E2M1FN...")
                           .str()};
  SmallVector<StringRef> parts;
  sizes.split(parts, ',', -1, /*KeepEmpty=*/false);
  std::vector<int64_t> shape;
  int64_t bytes = rt::getInfo(*type).bytes;
  for (StringRef part : parts) {
    int64_t size;
    if (part.trim().getAsInteger(10, size) || size < 0 ||
        llvm::MulOverflow(bytes, size, bytes) || bytes > kMostBytes)
      return rt::Failure{("shape [" + sizes +
                          "]: expected sizes with commas, 64 GiB at most in "
                          "all")
                             .str()};
    shape.push_back(size);
  }
  rt::HostTensor tensor;
  tensor.type = *type;
  tensor.shape = std::move(shape);
  return tensor;
}

static bool isBufferForm(StringRef kind) {
  return kind == "in" || kind == "out" || kind == "inout" || kind == "tmp";
}

/// `text` is a form that isBufferForm() knows.
static rt::Result<RawBuffer> parseBufferForm(StringRef text) {
  auto [kind, rest] = text.split(':');
  bool isRead = kind == "in" || kind == "inout";
  bool isWritten = kind == "out" || kind == "inout";
  // A shape has no colon, and nor has an input's name where another one
  // follows.
  auto [from, to] = isWritten ? rest.split(':') : std::pair(rest, StringRef());
  if (from.empty() || (isWritten && to.empty()))
    return rt::Failure{
        ("expected in:F.npy, inout:F.npy:G.npy, out:DTYPE[SHAPE]:F.npy or "
         "tmp:DTYPE[SHAPE], for example out:f32[16,16]:d.npy")};
  auto tensor = isRead ? rt::readNpy(from.str()) : parseZeros(from);
  if (!tensor)
    return tensor.takeFailure();
  RawBuffer buffer;
  buffer.tensor = std::move(*tensor);
  buffer.output = to.str();
  return buffer;
}

rt::Result<RawBuffer> te::parseBuffer(StringRef text) {
  auto [name, form] = text.split('=');
  bool isName = !name.empty() && llvm::all_of(name, [](char c) {
    return llvm::isAlnum(c) || c == '_';
  });
  if (!isName || name == "null" || !isBufferForm(form.split(':').first))
    return rt::Failure{("--buffer=" + text +
                        ": expected NAME=in:F.npy, NAME=inout:F.npy:G.npy, "
                        "NAME=out:DTYPE[SHAPE]:F.npy or NAME=tmp:DTYPE[SHAPE], "
                        "with a name of letters, digits and _")
                           .str()};
  auto buffer = parseBufferForm(form);
  if (!buffer)
    return rt::Failure{("--buffer=" + text + ": " + buffer.error()).str()};
  buffer->name = name.str();
  return buffer;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// A pointer: a buffer of its own, a --buffer's, or none.
static rt::Result<RawArgument> parsePointer(StringRef text,
                                            std::vector<RawBuffer> &buffers) {
  RawArgument argument;
  argument.kind = RawArgument::Pointer;
  if (isBufferForm(text.split(':').first)) {
    auto buffer = parseBufferForm(text);
    if (!buffer)
      return malformed(buffer.error());
    argument.patches.push_back({0, buffers.size()});
    buffers.push_back(std::move(*buffer));
  } else if (appendAddress(text, buffers, argument)) {
    return argument;
  } else if (text != "null") {
    return malformed(text.contains(':')
                         ? llvm::Twine("expected ") + kForms
                         : "no --buffer has this name; expected " +
                               llvm::Twine(kForms));
  }
  append(argument, 0, 8);
  return argument;
}

rt::Result<RawArgument> te::parseArgument(StringRef text,
                                          std::vector<RawBuffer> &buffers) {
  auto [kind, rest] = text.split(':');
  if (const ScalarType *type = findScalar(kind)) {
    RawArgument argument;
    if (auto status = appendScalar(*type, rest, argument); !status)
      return status.takeFailure();
    return argument;
  }
  if (kind == "struct")
    return parseStruct(rest, buffers);
  if (kind == "bytes")
    return parseBytes(rest);
  if (kind == "lds")
    return parseLds(rest);
  return parsePointer(text, buffers);
}

/// What --arg can give for a value of `bytes`.
std::string te::suggestValue(uint32_t bytes) {
  SmallVector<std::string> forms;
  for (const ScalarType &type : kScalars)
    if (type.bytes == bytes)
      forms.push_back(type.name.str() + ":");
  forms.push_back("a struct: or bytes: of " + std::to_string(bytes) + " bytes");
  return llvm::join(forms, ", ");
}
