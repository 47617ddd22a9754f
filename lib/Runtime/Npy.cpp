//===- Npy.cpp - .npy files -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Runtime/Npy.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

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

/// The .npy spelling of `type`, with numpy's name for it.
static std::string explainType(DType type) {
  const DTypeInfo &info = getInfo(type);
  bool isBits = info.npy[0] == 'u';
  return std::string("'") + descrOf(type) + "'" +
         (isBits ? std::string(" (bit patterns of ") + info.name +
                       "; use .view(numpy.uint" +
                       std::to_string(8 * info.bytes) + "))"
                 : std::string(" (") + info.name + "; use .astype('" +
                       descrOf(type) + "'))");
}

Result<HostTensor> mlir::te::rt::parseNpy(std::span<const uint8_t> contents,
                                          DType type) {
  Result<Header> header = parseHeader(contents);
  if (!header)
    return header.takeFailure();
  // Byte order does not matter for one byte, and '=' is numpy's native order.
  std::string_view descr = header->descr;
  bool isLittle = descr.size() > 1 &&
                  (descr[0] == '<' || descr[0] == '=' || descr[0] == '|');
  if (!isLittle || descr.substr(1) != getInfo(type).npy)
    return Failure{"element type '" + header->descr + "', expected " +
                   explainType(type)};
  if (header->isFortran && header->shape.size() > 1)
    return Failure{"the array is in Fortran order, expected C order; save "
                   "numpy.ascontiguousarray(a)"};
  HostTensor tensor;
  tensor.type = type;
  int64_t bytes = getInfo(type).bytes;
  bool isTooLarge = false;
  for (int64_t size : header->shape)
    isTooLarge |= __builtin_mul_overflow(bytes, size, &bytes);
  std::span<const uint8_t> data = contents.subspan(header->dataOffset);
  if (isTooLarge || data.size() != size_t(bytes))
    return Failure{
        std::string(!isTooLarge && data.size() > size_t(bytes) ? "too long"
                                                               : "truncated") +
        ": " + std::to_string(data.size()) + " bytes of data, but " +
        formatShape(header->shape) + " of '" + header->descr + "' needs " +
        (isTooLarge ? "more than 2^63" : std::to_string(bytes))};
  tensor.shape = std::move(header->shape);
  tensor.bytes.assign(data.begin(), data.end());
  return tensor;
}

static Failure systemError(const std::string &what, const std::string &path) {
  return {path + ": cannot " + what + ": " + std::strerror(errno)};
}

Result<std::vector<uint8_t>> mlir::te::rt::readFile(const std::string &path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return systemError("open", path);
  std::vector<uint8_t> contents;
  struct stat info{};
  if (fstat(file, &info) == 0 && info.st_size > 0)
    contents.reserve(info.st_size + 1);
  ssize_t count;
  uint8_t chunk[1 << 16];
  while ((count = read(file, chunk, sizeof(chunk))) > 0)
    contents.insert(contents.end(), chunk, chunk + count);
  Failure failure = count < 0 ? systemError("read", path) : Failure{};
  close(file);
  if (count < 0)
    return failure;
  return contents;
}

Result<HostTensor> mlir::te::rt::readNpy(const std::string &path, DType type) {
  auto contents = readFile(path);
  if (!contents)
    return contents.takeFailure();
  auto tensor = parseNpy(*contents, type);
  if (!tensor)
    return Failure{path + ": " + tensor.error()};
  return tensor;
}

Result<HostTensor> mlir::te::rt::readNpy(const std::string &path) {
  auto contents = readFile(path);
  if (!contents)
    return contents.takeFailure();
  auto header = parseHeader(*contents);
  if (!header)
    return Failure{path + ": " + header.error()};
  std::string known;
  for (unsigned type = 0; type <= unsigned(DType::I64); ++type) {
    const DTypeInfo &info = getInfo(DType(type));
    if (std::string_view(header->descr).ends_with(info.npy)) {
      auto tensor = parseNpy(*contents, info.type);
      if (!tensor)
        return Failure{path + ": " + tensor.error()};
      return tensor;
    }
    if (known.find(info.npy) == known.npos)
      known += (known.empty() ? "" : ", ") + std::string(info.npy);
  }
  return Failure{path + ": element type '" + header->descr +
                 "', expected one of " + known +
                 "; use .astype() for numbers, .view() for bits"};
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

static bool writeAll(int file, const void *data, size_t bytes) {
  auto *next = static_cast<const char *>(data);
  while (bytes > 0) {
    ssize_t count = write(file, next, bytes);
    if (count < 0 && errno != EINTR)
      return false;
    next += std::max<ssize_t>(count, 0);
    bytes -= std::max<ssize_t>(count, 0);
  }
  return true;
}

/// Writes header and data to `file` and closes it.
static bool writeAndClose(int file, const HostTensor &tensor) {
  std::string header = makeHeader(tensor);
  bool isWritten = writeAll(file, header.data(), header.size()) &&
                   writeAll(file, tensor.bytes.data(), tensor.bytes.size());
  return close(file) == 0 && isWritten;
}

Status mlir::te::rt::writeNpy(const std::string &path,
                              const HostTensor &tensor) {
  // A device or a pipe must not be replaced by a file.
  struct stat info{};
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0 || !writeAndClose(file, tensor))
      return systemError("write", path);
    return {};
  }
  std::string temporary = path + ".XXXXXX";
  int file = mkostemp(temporary.data(), O_CLOEXEC);
  if (file < 0)
    return systemError("write", path);
  if (fchmod(file, 0644) == 0 && writeAndClose(file, tensor) &&
      rename(temporary.c_str(), path.c_str()) == 0)
    return {};
  Failure failure = systemError("write", path);
  unlink(temporary.c_str());
  return failure;
}
