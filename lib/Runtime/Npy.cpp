//===- Npy.cpp - .npy files -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Runtime/Npy.h"
#include "te/Runtime/File.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace mlir::te::rt;

static constexpr std::string_view kMagic = "\x93NUMPY";
static constexpr size_t kAlignment = 64;

namespace {
/// What the header's dictionary says.
struct Header {
  std::string descr;
  bool isFortran = false;
  std::vector<int64_t> shape;
  size_t dataOffset = 0;
};

/// Reads the literal of the header: {'descr': '<f4', 'fortran_order': False,
/// 'shape': (3, 5), }.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text(text) {}

  bool parse(Header &header) {
    if (!accept("{"))
      return false;
    unsigned seen = 0; // a bit for each key
    while (!accept("}")) {
      std::string key;
      if (!parseString(key) || !accept(":"))
        return false;
      if (key == "descr" && parseString(header.descr))
        seen |= 1;
      else if (key == "fortran_order" && parseBool(header.isFortran))
        seen |= 2;
      else if (key == "shape" && parseShape(header.shape))
        seen |= 4;
      else
        return false;
      if (!accept(",") && !peek('}'))
        return false;
    }
    skipSpace();
    return seen == 7 && text.empty();
  }

private:
  void skipSpace() {
    size_t start = text.find_first_not_of(" \n\t");
    text.remove_prefix(std::min(start, text.size()));
  }
  bool peek(char c) {
    skipSpace();
    return !text.empty() && text[0] == c;
  }
  bool accept(std::string_view token) {
    skipSpace();
    if (!text.starts_with(token))
      return false;
    text.remove_prefix(token.size());
    return true;
  }
  bool parseString(std::string &value) {
    if (!peek('\'') && !peek('"'))
      return false;
    size_t end = text.find(text[0], 1);
    if (end == text.npos)
      return false;
    value = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    return true;
  }
  bool parseBool(bool &value) {
    value = accept("True");
    return value || accept("False");
  }
  bool parseShape(std::vector<int64_t> &shape) {
    if (!accept("("))
      return false;
    while (!accept(")")) {
      int64_t size = 0;
      skipSpace();
      if (text.empty() || !isdigit(static_cast<unsigned char>(text[0])))
        return false;
      for (; !text.empty() && isdigit(static_cast<unsigned char>(text[0]));
           text.remove_prefix(1))
        if (__builtin_mul_overflow(size, 10, &size) ||
            __builtin_add_overflow(size, text[0] - '0', &size))
          return false;
      shape.push_back(size);
      if (!accept(",") && !peek(')'))
        return false;
    }
    return true;
  }

  std::string_view text;
};
} // namespace

/// Bytes before the data, as a file's first ones say; 0 where they do not.
/// numpy's own headers are far shorter than the limit.
static size_t getHeaderSize(std::span<const uint8_t> start) {
  constexpr size_t kLimit = 1 << 16;
  if (start.size() < 12)
    return 0;
  size_t length = start[8] | start[9] << 8;
  if (start[6] == 1)
    return 10 + length;
  return 12 +
         std::min(length | size_t(start[10]) << 16 | size_t(start[11]) << 24,
                  kLimit);
}

static Result<Header> parseHeader(std::span<const uint8_t> contents) {
  std::string_view text(reinterpret_cast<const char *>(contents.data()),
                        contents.size());
  if (!text.starts_with(kMagic))
    return Failure{"not a .npy file; write it with numpy.save"};
  const Failure truncated{"truncated: it ends inside the header"};
  // Magic, two bytes of version, then the header's length.
  if (contents.size() < 12)
    return truncated;
  unsigned version = contents[6];
  if (version < 1 || version > 3)
    return Failure{".npy version " + std::to_string(version) +
                   ", expected 1, 2 or 3"};
  size_t length = contents[8] | contents[9] << 8;
  size_t start = 10;
  if (version > 1) {
    length |= size_t(contents[10]) << 16 | size_t(contents[11]) << 24;
    start = 12;
  }
  if (contents.size() - start < length)
    return truncated;
  Header header;
  header.dataOffset = start + length;
  if (!HeaderParser(text.substr(start, length)).parse(header))
    return Failure{
        "malformed .npy header: " +
        std::string(text.substr(start, std::min<size_t>(length, 80)))};
  return header;
}

/// "<f4", and for one-byte types "|u1".
static std::string descrOf(DType type) {
  const DTypeInfo &info = getInfo(type);
  return (info.bytes == 1 ? "|" : "<") + std::string(info.npy);
}

/// The package ml_dtypes' name of a type whose bits are kept as integers; null
/// for the others.
static const char *findMlDType(DType type) {
  switch (type) {
  case DType::F8E4M3FN:
    return "float8_e4m3fn";
  case DType::F8E4M3FNUZ:
    return "float8_e4m3fnuz";
  case DType::F8E5M2:
    return "float8_e5m2";
  case DType::F8E5M2FNUZ:
    return "float8_e5m2fnuz";
  case DType::F8E8M0FNU:
    return "float8_e8m0fnu";
  case DType::F4E2M1FN:
    return "float4_e2m1fn";
  case DType::BF16:
    return "bfloat16";
  default:
    return nullptr;
  }
}

/// What makes an array of `descr` one of `type`, in numpy.
static std::string explainConversion(std::string_view descr, DType type) {
  const DTypeInfo &info = getInfo(type);
  const char *mlDType = findMlDType(type);
  std::string wanted = "'" + descrOf(type) + "'";
  std::string_view plain = descr.substr(std::min<size_t>(descr.size(), 1));
  if (type == DType::F4E2M1FN)
    return "two codes a byte, the even element's in the low nibble";
  if (!mlDType || plain == info.npy) // numbers, or bits as numbers
    return "use .astype(" + wanted + ")";
  // The same bits by another name, V where numpy does not know it.
  bool isBits =
      plain.size() > 1 &&
      std::string_view("uiV").find(plain[0]) != std::string_view::npos &&
      plain.substr(1) == std::string_view(info.npy).substr(1);
  if (isBits && descr[0] == '>')
    return "use .astype('<" + std::string(plain) + "').view(" + wanted + ")";
  if (isBits)
    return "use .view(" + wanted + ")";
  return std::string("use .astype(ml_dtypes.") + mlDType + ").view(" + wanted +
         ")";
}

static Status checkType(const Header &header, DType type) {
  // Byte order does not matter for one byte, and '=' is numpy's native order.
  std::string_view descr = header.descr;
  const DTypeInfo &info = getInfo(type);
  bool isLittle = descr.size() > 1 &&
                  (descr[0] == '<' || descr[0] == '=' || descr[0] == '|' ||
                   (info.bytes == 1 && descr[0] == '>'));
  if (!isLittle || descr.substr(1) != info.npy)
    return Failure{"element type '" + header.descr + "', expected '" +
                   descrOf(type) + "' (" +
                   (findMlDType(type) ? "bit patterns of " : "") + info.name +
                   "; " + explainConversion(descr, type) + ")"};
  if (header.isFortran && header.shape.size() > 1)
    return Failure{"the array is in Fortran order, expected C order; save "
                   "numpy.ascontiguousarray(a)"};
  return {};
}

/// The bytes of the data, of which `found` are there where that is known.
static Result<size_t> countBytes(const Header &header, DType type,
                                 std::optional<size_t> found) {
  int64_t bytes = getInfo(type).bytes;
  bool isTooLarge = false;
  for (int64_t size : header.shape)
    isTooLarge |= __builtin_mul_overflow(bytes, size, &bytes);
  if (!isTooLarge && found.value_or(bytes) == size_t(bytes))
    return size_t(bytes);
  bool isLonger = !isTooLarge && found && *found > size_t(bytes);
  return Failure{(isLonger ? "too long: " : "truncated: ") +
                 (found ? std::to_string(*found) : "fewer") +
                 " bytes of data, but " + formatShape(header.shape) + " of '" +
                 header.descr + "' needs " +
                 (isTooLarge ? "more than 2^63" : std::to_string(bytes))};
}

Result<HostTensor> mlir::te::rt::parseNpy(std::span<const uint8_t> contents,
                                          DType type) {
  Result<Header> header = parseHeader(contents);
  if (!header)
    return header.takeFailure();
  if (Status status = checkType(*header, type); !status)
    return status.takeFailure();
  std::span<const uint8_t> data = contents.subspan(header->dataOffset);
  if (auto bytes = countBytes(*header, type, data.size()); !bytes)
    return bytes.takeFailure();
  HostTensor tensor;
  tensor.type = type;
  tensor.shape = std::move(header->shape);
  tensor.bytes.assign(data.begin(), data.end());
  return tensor;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static Failure systemError(const std::string &what, const std::string &path) {
  return {path + ": cannot " + what + ": " + std::strerror(errno)};
}

/// Reads up to `size` bytes, fewer where the file ends; -1 on an error.
static ssize_t readUpTo(int file, uint8_t *data, size_t size) {
  size_t done = 0;
  while (done < size) {
    ssize_t count = read(file, data + done, size - done);
    if (count == 0)
      break;
    if (count < 0 && errno != EINTR)
      return -1;
    done += std::max<ssize_t>(count, 0);
  }
  return done;
}

/// The element type that the file has: the first one with these bits.
static Result<DType> findType(const Header &header) {
  std::string known;
  for (unsigned type = 0; type <= unsigned(DType::I64); ++type) {
    const DTypeInfo &info = getInfo(DType(type));
    if (std::string_view(header.descr).ends_with(info.npy))
      return info.type;
    if (known.find(info.npy) == known.npos)
      known += (known.empty() ? "" : ", ") + std::string(info.npy);
  }
  return Failure{"element type '" + header.descr + "', expected one of " +
                 known + "; use .astype() for numbers, .view() for bits"};
}

NpyFile::~NpyFile() {
  if (file >= 0)
    close(file);
}

NpyFile::NpyFile(NpyFile &&other) noexcept
    : path(std::move(other.path)), file(std::exchange(other.file, -1)),
      header(std::move(other.header)), numBytes(other.numBytes) {}

NpyFile &NpyFile::operator=(NpyFile &&other) noexcept {
  std::swap(path, other.path);
  std::swap(file, other.file);
  std::swap(header, other.header);
  std::swap(numBytes, other.numBytes);
  return *this;
}

Status NpyFile::readHeader(std::optional<DType> type) {
  std::vector<uint8_t> start(kMagic.size() + 6);
  ssize_t count = readUpTo(file, start.data(), start.size());
  if (count < 0)
    return systemError("read", path);
  start.resize(count);
  size_t first = start.size();
  start.resize(std::max(first, getHeaderSize(start)));
  count = readUpTo(file, start.data() + first, start.size() - first);
  if (count < 0)
    return systemError("read", path);
  start.resize(first + count);
  auto parsed = parseHeader(start);
  if (!parsed)
    return Failure{path + ": " + parsed.error()};
  auto found = type ? Result<DType>(*type) : findType(*parsed);
  if (!found)
    return Failure{path + ": " + found.error()};
  if (Status status = checkType(*parsed, *found); !status)
    return Failure{path + ": " + status.error()};
  struct stat info{};
  std::optional<size_t> there;
  if (fstat(file, &info) == 0 && S_ISREG(info.st_mode))
    there = std::max<off_t>(info.st_size - start.size(), 0);
  auto bytes = countBytes(*parsed, *found, there);
  if (!bytes)
    return Failure{path + ": " + bytes.error()};
  numBytes = *bytes;
  header.type = *found;
  header.shape = std::move(parsed->shape);
  return {};
}

Result<NpyFile> NpyFile::open(const std::string &path,
                              std::optional<DType> type) {
  NpyFile npy;
  npy.path = path;
  npy.file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (npy.file < 0)
    return systemError("open", path);
  if (Status status = npy.readHeader(type); !status)
    return status.takeFailure();
  return npy;
}

Result<HostTensor> NpyFile::read() {
  if (Status status = checkMemory(numBytes, path); !status)
    return status.takeFailure();
  HostTensor tensor = header;
  tensor.bytes.resize(numBytes);
  ssize_t count = readUpTo(file, tensor.bytes.data(), numBytes);
  uint8_t more;
  ssize_t rest = count < 0 ? 0 : readUpTo(file, &more, 1);
  if (count < 0 || rest < 0)
    return systemError("read", path);
  if (size_t(count) != numBytes || rest > 0)
    return Failure{
        path +
        (rest > 0 ? ": too long: more than " : ": truncated: fewer than ") +
        std::to_string(numBytes) + " bytes of data"};
  return tensor;
}

Result<HostTensor> mlir::te::rt::readNpy(const std::string &path,
                                         std::optional<DType> type) {
  auto file = NpyFile::open(path, type);
  if (!file)
    return file.takeFailure();
  return file->read();
}

static std::string makeHeader(const HostTensor &tensor) {
  std::string shape;
  for (int64_t size : tensor.shape)
    shape += std::to_string(size) + ", ";
  // A tuple of one keeps its comma; longer ones need none at the end.
  if (tensor.shape.size() > 1)
    shape.resize(shape.size() - 2);
  std::string text = "{'descr': '" + descrOf(tensor.type) +
                     "', 'fortran_order': False, 'shape': (" + shape + "), }";
  std::string header(kMagic);
  header += {'\x01', '\x00', 0, 0};
  size_t unpadded = header.size() + text.size() + 1;
  text.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  text += '\n';
  header[8] = char(text.size() & 0xFF);
  header[9] = char(text.size() >> 8);
  return header + text;
}

Status mlir::te::rt::writeNpy(const std::string &path,
                              const HostTensor &tensor) {
  std::string header = makeHeader(tensor);
  return writeFile(path, {header,
                          {reinterpret_cast<const char *>(tensor.bytes.data()),
                           tensor.bytes.size()}});
}
